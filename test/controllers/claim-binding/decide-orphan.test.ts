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
const { uid: _none, ...withoutUid } = claimRef();

function decides(
  name: OrphanDecision['name'],
  orphan: Managed,
  given: Partial<OrphanFacts> = {},
  call: object = {},
): string {
  const facts = { managed: orphan, claim: undefined, secrets: [], ...given };
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
    decides('Release', bound({ reclaimPolicy: 'Delete' }), { claim: restored, secrets: [copy] }),
};

describe('an orphan', () => {
  for (const [rule, check] of Object.entries(cases)) test(rule, () => void check());

  test('every decision has a case', () => {
    const decided = new Set(Object.values(cases).map((check) => check()));
    assert.deepEqual([...decided].toSorted(), orphanDecisions.toSorted());
  });
});
