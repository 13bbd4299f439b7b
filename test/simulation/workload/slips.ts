import type { ObjectName } from '../scenario.ts';
import { claimsOf } from './disasters.ts';
import type { Draft } from './draft.ts';

/** An administrator makes the resource of a deleted claim available again; or edits `claimRef` earlier, which is refused. */
function claimRef(draft: Draft, of: ObjectName): void {
  const resource: ObjectName = { ...of, given: 'resource' };
  const others = claimsOf(draft).filter(
    ({ name, namespace }) => name !== of.name || namespace !== of.namespace,
  );
  // Another team names the resource in its own claim before that.
  if (others.length > 0 && draft.has(0.4, 'another claim waits')) {
    const other = draft.pick(others, 'which waits');
    draft.at(draft.between(0.1, 0.8, 'waits'), { type: 'name', of: other, what: resource });
  }
  const patch = { spec: { claimRef: draft.pick([null, { uid: null }], 'for which claim') } };
  const edited = draft.between(0.3, 0.9, 'edited');
  if (draft.has(0.6, 'claim goes')) draft.at(draft.between(0.1, edited, 'gone'), { type: 'delete', of });
  draft.at(edited, { type: 'edit', of: resource, patch });
}

/** A status is lost, or a part of it: as after a restore, or by a user who may write statuses. */
function statuses(draft: Draft, of: ObjectName): void {
  const whose = draft.pick<ObjectName>([of, { ...of, given: 'resource' }], 'whose');
  const patch = draft.pick<object>(
    [
      { status: null },
      { status: { conditions: null } },
      { status: { observedGeneration: null } },
      ...(whose.given === 'resource'
        ? [{ status: { externalIdentity: null } }, { status: { credential: null } }]
        : [{ status: { binding: null } }]),
    ],
    'what',
  );
  const times = 1 + Math.floor(draft.chance('times') * 2);
  for (let time = 0; time < times; time += 1) {
    draft.at(draft.between(0.1, 1, 'lost', time), { type: 'edit', of: whose, patch, isStatus: true });
  }
}

const slipsOf = [claimRef, statuses] as const;

/** Administrators edit what controllers keep: `claimRef` and statuses. */
export function slips(draft: Draft): void {
  const claims = claimsOf(draft);
  const count = 1 + Math.floor(draft.chance('count') * 2);
  for (let index = 0; index < count; index += 1) {
    const by = draft.by(index);
    by.pick(slipsOf, 'what')(by, by.pick(claims, 'claim'));
  }
}
