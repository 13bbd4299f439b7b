import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import { broken, FakeCluster } from './cluster-fake.ts';
import {
  FakeExternal,
  managedService,
  providerConfig,
  providerConfigKind,
  startManaged,
  startStack,
} from './external-fake.ts';
import { claim, claimKind, classKind, managed, managedKind, resourceClass } from './objects.ts';

const refusal = 'FancySQLInstance "orders" is invalid: spec.size: Invalid value: "x"';
const invalid = () => new ApiError(refusal, { code: 422, reason: 'Invalid' });
const config = providerConfig('default', { source: 'None' });

const objects: Readonly<
  Record<string, { readonly kind: Kind; readonly object: KubernetesObject; readonly what: string }>
> = {
  'a claim': {
    kind: claimKind,
    object: claim({ classSelector: {} }),
    what: 'cannot update resource claim status',
  },
  'a managed resource': {
    kind: managedKind,
    object: managed({ managementPolicies: [] }),
    what: 'cannot update managed resource status',
  },
  'a ProviderConfig': {
    kind: providerConfigKind,
    object: config,
    what: 'cannot update ProviderConfig status',
  },
};

describe('an object of which its definition refuses every write', () => {
  for (const [name, { kind, object, what }] of Object.entries(objects)) {
    test(`${name}: an Event reports it once in a while, and the write is tried again`, async () => {
      const cluster = new FakeCluster();
      cluster.put(kind, object);
      cluster.gate = ({ verb }) => {
        if (verb === 'update' || verb === 'updateStatus') throw invalid();
      };
      const process = startStack(cluster, new FakeExternal());
      await process.settle(60_000);
      const reported = process.events.map((event, index) => [event, process.eventSources[index]]);
      assert.deepEqual(reported, [
        [
          {
            type: 'Warning',
            reason: 'CannotUpdateObject',
            message: `${what}: ${refusal}`,
            object: `${kind.kind} ${objectKeyText(objectKey(object.metadata))}`,
          },
          `definition/${kind.kind.toLowerCase()}.${kind.group}`,
        ],
      ]);
      assert.ok(process.errors.length > 3, `${process.errors.length} attempts`);
    });
  }

  test('a write that fails for another reason is not reported as unusable', async () => {
    const cluster = new FakeCluster();
    cluster.put(claimKind, claim({ classSelector: {} }));
    cluster.refuse('updateStatus', claimKind, broken(), 3);
    const process = startStack(cluster, new FakeExternal());
    await process.settle(60_000);
    const reasons = process.events.map(({ reason }) => reason);
    assert.deepEqual(reasons, ['NoMatchingClass']);
  });

  test('a write to a deleted object is not reported as unusable', async () => {
    const cluster = new FakeCluster();
    cluster.put(providerConfigKind, config);
    cluster.before('update', providerConfigKind, () => {
      cluster.delete(providerConfigKind, { name: 'default' });
      throw invalid();
    });
    const process = startManaged(cluster, managedService(new FakeExternal()));
    await process.settle(60_000);
    assert.deepEqual(process.events, []);
  });
});

test('From names the controller, as the original prints it', async () => {
  const cluster = new FakeCluster();
  cluster.put(claimKind, claim({ classSelector: {} }));
  const external = new FakeExternal();
  const process = startStack(cluster, external);
  await process.settle(2_000);
  cluster.put(
    classKind,
    resourceClass('small', {}, { specTemplate: { writeConnectionSecretsToNamespace: 'system' } }),
  );
  await process.settle(1_000);
  external.failAt('observe', new Error('no answer'));
  await process.settle(120_000);
  const reported = new Map(process.events.map(({ reason }, index) => [reason, process.eventSources[index]]));
  assert.deepEqual(Object.fromEntries(reported), {
    NoMatchingClass: 'claimscheduling/fancysqlinstance.database.crossplane.io',
    BoundManagedResource: 'claimbinding/fancysqlinstance.database.crossplane.io',
    CannotObserveExternalResource: 'managed/favouritedbinstance.database.fcp.crossplane.io',
    ManagedResourceTrouble: 'claimbinding/fancysqlinstance.database.crossplane.io',
  });
});
