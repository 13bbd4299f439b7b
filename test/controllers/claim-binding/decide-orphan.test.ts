import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import type { OrphanDecision, OrphanFacts } from '../../../controllers/claim-binding/decide-orphan.ts';
import { decideOrphan, orphanDecisions } from '../../../controllers/claim-binding/decide-orphan.ts';
import { claim, claimRef, deletionTimestamp, managed, resourceRef, secretOf } from '../objects.ts';

const boundHere = { bindingPhase: 'Bound', boundUID: 'managed-uid' } as const;
const bound = (over: Managed['spec'] = {}) =>
  managed({ claimRef: claimRef(), ...over }, { status: boundHere });
const unbound = managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Unbound' } });
const another = claim({}, { uid: 'another-uid' });
const restored = claim({ resourceRef: resourceRef('db') }, { uid: 'restored-uid' });
const copy: Secret = secretOf({ namespace: 'team', name: 'conn' });
const deletedCopy = secretOf({ namespace: 'team', name: 'former', deletionTimestamp });
const retention = {
  classRef: { kind: 'X', name: 'small' },
  reclaimPolicy: 'Delete',
  retainFor: '7d',
} as const;
const retainedStatus = {
  ...boundHere,
  bindingPhase: 'Released',
  releasedFrom: 'claim-uid',
  deleteAt: '2026-01-09T03:04:05Z',
} as const;
const returnable = (over: Managed['spec'] = {}, metadata: Partial<Managed['metadata']> = {}) =>
  managed({ claimRef: claimRef(), ...retention, ...over }, { status: retainedStatus, ...metadata });
const isExpired = { isExpired: true };
const { uid: _none, ...withoutUid } = claimRef();

function decides(
  name: OrphanDecision['name'],
  orphan: Managed,
  given: Partial<OrphanFacts> = {},
  call: object = {},
): string {
  const facts = { managed: orphan, claim: undefined, secrets: [], isExpired: false, ...given };
  assert.deepEqual(decideOrphan(facts), { name, ...call });
  return name;
}

const cases: Readonly<Record<string, () => string>> = {
  'a resource that is reserved by name belongs to no claim': () =>
    decides('NotBound', managed({ claimRef: withoutUid }, { status: { bindingPhase: 'Unbound' } })),
  'a resource that is being deleted needs nothing': () =>
    decides('NotBound', managed({ claimRef: claimRef() }, { status: boundHere, deletionTimestamp })),
  'a Released resource keeps its claimRef': () =>
    decides(
      'NotBound',
      managed({ claimRef: claimRef() }, { status: { ...boundHere, bindingPhase: 'Released' } }),
    ),
  'a resource whose claim exists is no orphan': () => decides('HasClaim', bound(), { claim: claim() }),
  'a resource that is not Bound waits for a restored claim that names it': () =>
    decides('HasClaim', unbound, { claim: restored }),
  'a resource that is not Bound keeps its claimRef, and an Event reports it': () =>
    decides('ClaimMissing', unbound),
  'a resource that another version bound keeps its claimRef': () =>
    decides('ClaimMissing', managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Bound' } })),
  'a status from a backup is emptied first': () =>
    decides(
      'StatusFromBackup',
      managed({ claimRef: claimRef() }, { status: { ...boundHere, boundUID: 'before-the-restore' } }),
    ),
  'the Secret of the claim is deleted before the resource': () =>
    decides('DeleteSecret', bound({ reclaimPolicy: 'Delete' }), { secrets: [copy] }, { secret: copy }),
  'a Secret that is being deleted is not deleted again': () =>
    decides('DeleteSecret', bound(), { secrets: [deletedCopy, copy] }, { secret: copy }),
  'an orphan with policy Delete is deleted': () =>
    decides('DeleteResource', bound({ reclaimPolicy: 'Delete' }), { claim: another }),
  'an orphan with policy Retain is Released': () => decides('Release', bound({ reclaimPolicy: 'Retain' })),
  'an orphan that a restored claim names is Released, whatever its policy': () =>
    decides(
      'Release',
      bound({ reclaimPolicy: 'Delete' }),
      { claim: restored, secrets: [copy] },
      { isClaimRestored: true },
    ),
  'an orphan with retainFor is Released': () => decides('Release', bound(retention)),
  'an orphan with retainFor that was made by hand is deleted': () =>
    decides('DeleteResource', bound({ reclaimPolicy: 'Delete', retainFor: '7d' })),
  'a resource whose claim took it back and vanished is Released again': () =>
    decides('Release', returnable({ claimRef: claimRef({ uid: 'another-uid' }) })),
  'a kept resource is deleted at its date': () => decides('DeleteExpired', returnable(), isExpired),
  'a kept resource is deleted at its date also beside a claim of its name': () =>
    decides('DeleteExpired', returnable(), { ...isExpired, claim: another }),
  'a kept resource stays until its date': () => decides('NotBound', returnable()),
  'a kept resource with the policy Retain has no date': () =>
    decides('NotBound', returnable({ reclaimPolicy: 'Retain' }), isExpired),
  'a paused resource is not deleted at its date': () => {
    decides('NotBound', returnable({ managementPolicies: [] }), isExpired);
    return decides(
      'NotBound',
      returnable({}, { annotations: { 'crossplane.io/paused': 'true' } }),
      isExpired,
    );
  },
  'a date of a backup deletes nothing': () =>
    decides('NotBound', returnable({}, { uid: 'after-the-restore' }), isExpired),
  'a date does not count once an administrator made the resource available': () =>
    decides('NotBound', returnable({ claimRef: withoutUid }), isExpired),
  'a date does not count once a claim took the resource back': () =>
    decides('HasClaim', returnable({ claimRef: claimRef({ uid: 'another-uid' }) }), {
      ...isExpired,
      claim: another,
    }),
};

describe('an orphan', () => {
  for (const [rule, check] of Object.entries(cases)) test(rule, () => void check());

  test('every decision has a case', () => {
    const decided = new Set(Object.values(cases).map((check) => check()));
    assert.deepEqual([...decided].toSorted(), orphanDecisions.toSorted());
  });
});
