import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionSecretType } from '../../apis/core/v1alpha1/meta.ts';
import { controllerReference } from '../../apis/core/v1alpha1/reference.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { connectionSecrets, publisherOf, secretsOfClaim } from '../../controllers/indexes.ts';
import { FakeCluster } from './cluster-fake.ts';
import { FakeProcess } from './environment-fake.ts';
import { FakeExternal, startStack } from './external-fake.ts';
import { claim, managed, managedKind, secretOf } from './objects.ts';

test('a Secret whose owner a user forged is not that of the owner', () => {
  const cluster = new FakeCluster();
  const to = { namespace: 'system', name: 'db' };
  const resource = managed({ writeConnectionSecretToRef: to }, { name: 'db', uid: 'uid-of-db' });
  cluster.put(managedKind, resource);
  const { env } = new FakeProcess(cluster);
  const ownerReferences = [controllerReference(resource)];
  const publisher = (namespace: string, name: string) =>
    publisherOf(secretOf({ namespace, name, ownerReferences }), env.resource(managedKind))?.metadata.name;
  assert.deepEqual(
    [publisher('system', 'db'), publisher('rogue', 'db'), publisher('system', 'forged')],
    ['db', undefined, undefined],
  );
});

test('a Secret in another namespace that names a claim as its owner is not that of the claim', async () => {
  const cluster = new FakeCluster();
  const orders = claim({}, { namespace: 'team', name: 'orders', uid: 'uid-of-orders' });
  const ownerReferences = [controllerReference(orders)];
  const process = startStack(cluster, new FakeExternal());
  for (const namespace of ['team', 'rogue']) {
    const type = connectionSecretType;
    cluster.put(SecretKind, secretOf({ namespace, name: 'conn', ownerReferences }, { type }));
  }
  await process.synced();
  const { store } = connectionSecrets(process.env);
  const found = secretsOfClaim(store, { namespace: 'team', uid: 'uid-of-orders' });
  assert.deepEqual(
    found.map(({ metadata }) => metadata.namespace),
    ['team'],
  );
});
