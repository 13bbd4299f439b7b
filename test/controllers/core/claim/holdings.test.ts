import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { holdings } from '../../../../controllers/core/claim/holdings.ts';
import { provisionedNames } from '../../../../controllers/core/claim/provisioned-name.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  claim,
  claimKind,
  claimRef,
  managed,
  managedKind,
  otherManagedKind,
  otherService,
  resourceRef,
  service,
} from '../objects.ts';

test('a claim does not have what was made for another that is there, or bound to another, though it names it', () => {
  const maker = claim({}, { namespace: 'others', uid: 'others-uid' });
  const [name = ''] = provisionedNames(maker);
  const names = { claimRef: claimRef() };
  const made = managed(names, { name });
  const bound = managed(names, {
    name,
    status: { bindingPhase: 'Bound', boundUID: 'managed-uid', boundClaimUID: 'another' },
  });
  const had = (subject: Claim, resources: readonly Managed[], claims: readonly Claim[] = []) => {
    const cluster = new FakeCluster();
    for (const each of claims) cluster.put(claimKind, each);
    for (const each of resources) cluster.put(managedKind, each);
    return holdings(new FakeProcess(cluster).env, [service])(subject)?.metadata.name;
  };
  const waiting = claim({ resourceRef: resourceRef(name) });
  assert.equal(had(waiting, [made], [maker]), undefined);
  assert.equal(had(waiting, [made]), name, 'it is nobody else’s');
  assert.equal(had(waiting, [bound]), undefined);
  const restored = claim({ resourceRef: resourceRef(name) }, { status: { bindingPhase: 'Bound' } });
  assert.equal(had(restored, [bound]), name);
  const another = claim({ resourceRef: resourceRef('gone') }, { status: { bindingPhase: 'Bound' } });
  assert.equal(had(another, [bound]), undefined, 'it lost what it had, which was another');
  assert.equal(had(restored, [bound, managed(names, { name: 'own' })]), 'own');
});

test('a claim has the resource that names it; of several, the one that it names itself', () => {
  const cluster = new FakeCluster();
  const held = { claimRef: claimRef() };
  cluster.put(otherManagedKind, managed(held, { name: 'elsewhere' }));
  cluster.put(managedKind, managed(held, { name: 'first' }));
  cluster.put(managedKind, managed(held, { name: 'second' }));
  cluster.put(managedKind, managed({ claimRef: claimRef({ uid: 'former' }) }, { name: 'of-a-former' }));
  const heldBy = holdings(new FakeProcess(cluster).env, [service, service, otherService]);
  const nameOf = (subject: ReturnType<typeof claim>) => heldBy(subject)?.metadata.name;
  assert.equal(nameOf(claim({ resourceRef: resourceRef('second') })), 'second');
  assert.equal(nameOf(claim({ resourceRef: resourceRef('elsewhere', otherManagedKind) })), 'elsewhere');
  assert.equal(nameOf(claim({ resourceRef: resourceRef('of-a-former') })), 'first');
  assert.equal(nameOf(claim()), 'first');
  assert.equal(nameOf(claim({}, { name: 'billing' })), undefined);
});
