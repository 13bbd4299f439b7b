import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeCluster } from './cluster-fake.ts';
import { FakeExternal, startStack } from './external-fake.ts';
import { claim, claimKind, classKind, resourceClass } from './objects.ts';

test('From names the controller, as the original prints it', async () => {
  const cluster = new FakeCluster();
  cluster.put(claimKind, claim({ classSelector: {} }));
  const process = startStack(cluster, new FakeExternal());
  await process.settle(1_000);
  cluster.put(
    classKind,
    resourceClass('small', {}, { specTemplate: { writeConnectionSecretsToNamespace: 'system' } }),
  );
  await process.settle(1_000);
  const reported = new Map(process.events.map(({ reason }, index) => [reason, process.eventSources[index]]));
  assert.deepEqual(Object.fromEntries(reported), {
    NoMatchingClass: 'claimscheduling/fancysqlinstance.database.crossplane.io',
    CreatedExternalResource: 'managed/favouritedbinstance.database.fcp.crossplane.io',
    BoundManagedResource: 'claimbinding/fancysqlinstance.database.crossplane.io',
  });
});
