import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdings } from '../../../../controllers/core/claim/holdings.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  claim,
  claimRef,
  managed,
  managedKind,
  otherManagedKind,
  otherService,
  resourceRef,
  service,
} from '../objects.ts';

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
