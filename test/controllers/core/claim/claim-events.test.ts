import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { FakeCluster, forbidden } from '../cluster-fake.ts';
import type { RecordedEvent } from '../environment-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import {
  claim,
  claimKind,
  claimRef,
  classKind,
  managed,
  managedKind,
  resourceClass,
  resourceRef,
} from '../objects.ts';

/* Events of claims as the original has them (crossplane-runtime v0.5 to v0.9). */

const key = { namespace: 'team', name: 'orders' };
const conn = { writeConnectionSecretToRef: { name: 'conn' } };
const bySelector = claim({ ...conn, classSelector: { matchLabels: { size: 'small' } } });
const byName = claim({ ...conn, resourceRef: resourceRef('db') });

async function worldOf(subject: Claim, spec: Managed['spec'] = {}) {
  const cluster = new FakeCluster();
  const specTemplate = { writeConnectionSecretsToNamespace: 'system' };
  cluster.put(classKind, resourceClass('small', { labels: { size: 'small' } }, { specTemplate }));
  const source = { writeConnectionSecretToRef: { namespace: 'system', name: 'src' } };
  cluster.put(managedKind, managed({ ...source, ...spec }));
  const process = await startStack(cluster, new FakeExternal()).settle();
  cluster.put(claimKind, subject);
  return { cluster, process };
}

const ofClaim = ({ events }: { readonly events: readonly RecordedEvent[] }) =>
  events.filter(({ object }) => object === 'FancySQLInstance team/orders');

test('Events of a claim are annotated with the names of its resource, class and Secret', async () => {
  const { cluster, process } = await worldOf(bySelector);
  await process.settle();
  const name = cluster.get(claimKind, key)?.spec.resourceRef?.name ?? '';
  const all = { 'external-name': name, 'managed-name': name, 'class-name': 'small' };
  const annotations = Object.fromEntries(ofClaim(process).map((event) => [event.reason, event.annotations]));
  assert.deepEqual(annotations.BoundManagedResource, all);
  const lonely = await worldOf(claim({ classSelector: { matchLabels: { size: 'huge' } } }));
  await lonely.process.settle();
  const [reported] = ofClaim(lonely.process);
  assert.equal(reported?.reason, 'NoMatchingClass');
  assert.ok(!('annotations' in reported));
});

describe('the Event UnboundManagedResource reports what happened to the resource of a deleted claim', () => {
  test('one that was never bound', async () => {
    const { cluster, process } = await worldOf(byName, { claimRef: claimRef() });
    cluster.gate = ({ verb, kind }) => {
      if (verb === 'updateStatus' && kind === managedKind.kind) throw forbidden();
    };
    cluster.edit(managedKind, { name: 'db' }, (db) => ({
      ...db,
      status: { bindingPhase: 'Unbound' as const },
    }));
    await process.settle(300);
    cluster.delete(claimKind, key);
    await process.settle();
    assert.equal(
      ofClaim(process).at(-1)?.message,
      'unbound from FavouriteDBInstance db, which is available again; it was never bound to this claim',
    );
  });

  test('a claim that had no resource has no such Event', async () => {
    const { cluster, process } = await worldOf(claim({ resourceRef: resourceRef('no-such-db') }));
    await process.settle();
    cluster.delete(claimKind, key);
    await process.settle();
    assert.ok(!process.events.some(({ reason }) => reason === 'UnboundManagedResource'));
  });
});
