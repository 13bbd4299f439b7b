import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import {
  publishedDetails,
  publishedRevision,
} from '../../../controllers/core/connection/published-details.ts';
import type { ObjectName } from '../scenario.ts';
import { claimsOf } from './disasters.ts';
import type { Draft } from './draft.ts';
import { teams } from './estate.ts';
import { offerAgain } from './offers.ts';

/** Another claim comes to name what a claim has: what that one was given by the time it is made is not known before. */
function waits(draft: Draft, of: ObjectName, resource: ObjectName, slip: number): void {
  const others = claimsOf(draft).filter(
    ({ name, namespace }) => name !== of.name || namespace !== of.namespace,
  );
  if (others.length === 0) return;
  const other = draft.pick(others, 'who waits');
  draft.at(draft.between(slip - 0.1, 1, 'waits'), { type: 'name', of: other, what: resource });
}

/** What people write into `spec.claimRef` of a managed resource, by mistake or on purpose. */
function claimRef(draft: Draft, of: ObjectName): void {
  const { given: _given, ...right } = of;
  const wrong = draft.pick<object | null>(
    [
      { name: 'nobody' },
      { name: draft.pick(['claim-0', 'claim-1', 'claim-2'], 'other') },
      { namespace: draft.pick(teams, 'team') },
      { namespace: 'nowhere' },
      { uid: draft.pick([null, 'uid-of-nobody'], 'uid') },
      { kind: draft.pick(['FancySQLInstance', 'PostgreSQLInstance'], 'kind') },
      { name: 'nobody', uid: null },
      null,
    ],
    'wrong',
  );
  const resource: ObjectName = { ...of, given: 'resource' };
  const slip = draft.between(0.1, 0.8, 'slip');
  const metadata = { annotations: null, labels: null };
  const isReplaced = wrong === null && draft.has(0.4, 'with its first manifest');
  const patch = { spec: { claimRef: wrong }, ...(isReplaced && { metadata }) };
  if (draft.has(0.2, 'another, UID and all')) {
    draft.at(slip, { type: 'point', of: resource, to: draft.pick(claimsOf(draft), 'to whom') });
  } else {
    draft.at(slip, { type: 'edit', of: resource, patch });
  }
  if (draft.has(0.3, 'offered')) {
    const patched = offerAgain(draft, claimsOf(draft));
    const offered = draft.between(slip, 1, 'offer');
    draft.at(offered, { type: 'edit', of: resource, patch: patched });
    if (draft.has(0.2, 'withdrawn')) {
      const withdrawn = { spec: { claimRef: null } };
      draft.at(draft.between(offered, 1, 'withdrawn'), { type: 'edit', of: resource, patch: withdrawn });
    }
  }
  if (draft.has(0.3, 'somebody waits')) waits(draft, of, resource, slip);
  if (draft.has(0.4, 'mends')) {
    draft.at(draft.between(slip, 1, 'mended'), {
      type: 'edit',
      of: resource,
      patch: { spec: { claimRef: right } },
    });
  }
  if (draft.has(0.5, 'claim goes')) draft.at(draft.between(slip, 1, 'gone'), { type: 'delete', of });
  if (draft.has(0.2, 'resource goes')) {
    draft.at(draft.between(slip, 1, 'resource gone'), { type: 'delete', of: resource });
  }
}

/** Records of ours, copied from somewhere, or invented. */
const copies = {
  [publishedDetails]: '{}',
  [publishedRevision]: '99',
  [annotationKeys.externalName]: 'renamed',
  [annotationKeys.externalIdentity]: 'copied',
};

/** Metadata of a secret that an author asks for has annotations that are ours. */
function copiedRecords(draft: Draft, of: ObjectName): void {
  const resource: ObjectName = { ...of, given: 'resource' };
  const annotations = draft.pick<object>(
    [copies, { ...copies, 'team/note': 'copied' }, { [publishedDetails]: 'nonsense' }],
    'copies',
  );
  const published = { name: 'published', metadata: { annotations, labels: { own: 'label' } } };
  const begin = draft.between(0.1, 0.8, 'published');
  draft.at(begin, { type: 'edit', of: resource, patch: { spec: { publishConnectionDetailsTo: published } } });
  if (draft.has(0.5, 'not any more')) {
    draft.at(draft.between(begin, 1, 'unpublished'), {
      type: 'edit',
      of: resource,
      patch: { spec: { publishConnectionDetailsTo: null } },
    });
  }
}

/** Somebody with rights on statuses loses one, or what a controller keeps there. */
function statuses(draft: Draft, of: ObjectName): void {
  const whose = draft.pick<ObjectName>([of, { ...of, given: 'resource' }], 'whose');
  const patch = draft.pick<object>(
    [
      { status: null },
      { status: { conditions: null } },
      { status: { observedGeneration: null } },
      ...(whose.given === 'resource'
        ? [
            { status: { externalIdentity: null } },
            { status: { publishedRevision: null } },
            { status: { publishedRevision: 99 } },
            { status: { bindingPhase: null } },
            { status: { bindingPhase: 'Unbound' } },
            { status: { bindingPhase: 'Released' } },
            { status: { boundUID: null } },
            { status: { boundUID: 'copied' } },
            { status: { renewingSince: '2026-01-01T00:00:00Z' } },
          ]
        : [
            { status: { binding: null } },
            { status: { bindingPhase: null } },
            { status: { bindingPhase: 'Bound' } },
            { status: { bindingPhase: 'Released' } },
          ]),
    ],
    'what',
  );
  const times = 1 + Math.floor(draft.chance('times') * 2);
  for (let time = 0; time < times; time += 1) {
    draft.at(draft.between(0.1, 1, 'lost', time), { type: 'edit', of: whose, patch, isStatus: true });
  }
}

const slipsOf = [claimRef, claimRef, copiedRecords, statuses] as const;

/** People edit what controllers keep: references of the binding, records, statuses. */
export function slips(draft: Draft): void {
  const claims = claimsOf(draft);
  const count = 1 + Math.floor(draft.chance('count') * 2);
  for (let index = 0; index < count; index += 1) {
    const by = draft.by(index);
    by.pick(slipsOf, 'what')(by, by.pick(claims, 'claim'));
  }
}
