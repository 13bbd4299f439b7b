import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import type {
  OrphanDecision,
  OrphanFacts,
} from '../../../../controllers/core/claim-binding/decide-orphan.ts';
import { decideOrphan, orphanDecisions } from '../../../../controllers/core/claim-binding/decide-orphan.ts';
import { claim, claimRef, deletionTimestamp, managed, resourceRef, secretOf } from '../objects.ts';

const boundHere = { bindingPhase: 'Bound', boundUID: 'managed-uid' } as const;
const bound = (over: Managed['spec'] = {}) =>
  managed({ claimRef: claimRef(), ...over }, { status: boundHere });
const unbound = managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Unbound' } });
const another = claim({}, { uid: 'another-uid' });
const restored = claim({ resourceRef: resourceRef('db') }, { uid: 'restored-uid' });
const copy: Secret = secretOf({ namespace: 'team', name: 'conn' });
const { uid: _none, ...withoutUid } = claimRef();

const cases: Record<
  string,
  Omit<OrphanFacts, 'claim' | 'secrets'> & Partial<OrphanFacts> & { want: OrphanDecision }
> = {
  'a resource that is reserved by name belongs to no claim': {
    managed: managed({ claimRef: withoutUid }, { status: { bindingPhase: 'Unbound' } }),
    want: { name: 'NotBound' },
  },
  'a resource that is being deleted needs nothing': {
    managed: managed({ claimRef: claimRef() }, { status: boundHere, deletionTimestamp }),
    want: { name: 'NotBound' },
  },
  'a Released resource keeps its claimRef': {
    managed: managed({ claimRef: claimRef() }, { status: { ...boundHere, bindingPhase: 'Released' } }),
    want: { name: 'NotBound' },
  },
  'a resource whose claim exists is no orphan': {
    managed: bound(),
    claim: claim(),
    want: { name: 'HasClaim' },
  },
  'a resource that is not Bound waits for a restored claim that names it': {
    managed: unbound,
    claim: restored,
    want: { name: 'HasClaim' },
  },
  'a resource that is not Bound keeps its claimRef, and an Event reports it': {
    managed: unbound,
    want: { name: 'ClaimMissing' },
  },
  'a resource that another version bound keeps its claimRef': {
    managed: managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Bound' } }),
    want: { name: 'ClaimMissing' },
  },
  'a status from a backup is emptied first': {
    managed: managed({ claimRef: claimRef() }, { status: { ...boundHere, boundUID: 'before-the-restore' } }),
    want: { name: 'StatusFromBackup' },
  },
  'the Secret of the claim is deleted before the resource': {
    managed: bound({ reclaimPolicy: 'Delete' }),
    secrets: [copy],
    want: { name: 'DeleteSecret', secret: copy },
  },
  'an orphan with policy Delete is deleted': {
    managed: bound({ reclaimPolicy: 'Delete' }),
    claim: another,
    want: { name: 'DeleteResource' },
  },
  'an orphan with policy Retain is Released': {
    managed: bound({ reclaimPolicy: 'Retain' }),
    want: { name: 'Release' },
  },
  'an orphan that a restored claim names is Released, whatever its policy': {
    managed: bound({ reclaimPolicy: 'Delete' }),
    claim: restored,
    secrets: [copy],
    want: { name: 'Release' },
  },
};

describe('an orphan', () => {
  for (const [rule, { want, managed: orphan, claim: found, secrets = [] }] of Object.entries(cases)) {
    test(rule, () => assert.deepEqual(decideOrphan({ managed: orphan, claim: found, secrets }), want));
  }

  test('every decision has a case', () => {
    const decided = new Set(Object.values(cases).map(({ want }) => want.name));
    assert.deepEqual([...decided].toSorted(), orphanDecisions.toSorted());
  });
});
