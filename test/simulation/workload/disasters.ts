import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { credentialAnnotation } from '../../../controllers/credential.ts';
import { FancySQLInstanceKind } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { claimKinds, kindOf } from '../kinds.ts';
import type { ObjectName } from '../scenario.ts';
import type { Draft } from './draft.ts';
import { exemplar, nameOf } from './exemplars.ts';

/** The cluster is lost, and comes back out of a backup. */
export function restores(draft: Draft): void {
  const backedUpAt = draft.between(0.1, 0.7, 'kept');
  draft.at(backedUpAt, { type: 'back up' });
  draft.at(draft.between(backedUpAt, 1, 'restored'), {
    type: 'restore',
    overMs: draft.pick([0, 1000, 20_000], 'over'),
    downMs: draft.pick([0, 500, 10_000, 30_000], 'down'),
  });
}

/** The claims of a scenario; one at least. */
function claimsOf(draft: Draft): readonly ObjectName[] {
  const made = draft.steps.flatMap(({ act }) =>
    act.type === 'create' && claimKinds.includes(kindOf(act.object)) ? [nameOf(act.object)] : [],
  );
  return made.length > 0 ? made : [exemplar(draft, FancySQLInstanceKind)];
}

/** The managed resource of a claim, and the Secret of that. */
const givenTo = (claim: ObjectName): readonly [ObjectName, ObjectName] => [
  { ...claim, given: 'resource' },
  { ...claim, given: 'source secret' },
];

/** A user loses patience: removes finalizers, or deletes the objects of the claim. */
export function force(draft: Draft): void {
  const claim = draft.pick(claimsOf(draft), 'claim');
  const [resource, source] = givenTo(claim);
  const of = draft.pick([claim, resource, source], 'whom');
  const begin = draft.between(0.2, 0.9, 'begin');
  const isGentle = draft.has(0.4, 'gentle');
  if (!isGentle) draft.edit(begin, of, { metadata: { finalizers: null } });
  draft.at(draft.between(begin, 1, 'end'), { type: 'delete', of });
}

const somebodyElse = {
  apiVersion: 'example.org/v1',
  kind: 'Composite',
  name: 'composite',
  uid: 'uid-of-a-composite',
  controller: true,
};

/** Another controller, or a tool, wants these objects as it has them in its repository. */
export function rivals(draft: Draft): void {
  const claim = draft.pick(claimsOf(draft), 'claim');
  const [resource, source] = givenTo(claim);
  const of = draft.pick([claim, resource, resource, source], 'whom');
  const patch = draft.pick<object>(
    [
      { metadata: { ownerReferences: [somebodyElse] } },
      { metadata: { annotations: null, labels: null } },
      { metadata: { annotations: { [annotationKeys.externalName]: null } } },
      { metadata: { annotations: { [annotationKeys.externalIdentity]: null } } },
      { spec: { claimRef: null } },
      { spec: { writeConnectionSecretToRef: null } },
      { spec: { reclaimPolicy: draft.pick(['Retain', 'Delete', null], 'policy') } },
      { data: null },
      { metadata: { annotations: { [credentialAnnotation]: draft.pick([null, 'nonsense', '{}'], 'note') } } },
      { data: { password: 'd3Jvbmc=' } },
    ],
    'what',
  );
  const begin = draft.between(0.1, 0.8, 'begin');
  const times = 1 + Math.floor(draft.chance('times') * 3);
  for (let time = 0; time < times; time += 1) draft.edit(begin + (0.2 * time) / times, of, patch);
}
