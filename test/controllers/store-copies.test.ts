import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { StoreConfig } from '../../apis/core/v1alpha1/store-config.ts';
import { StoreConfigKind } from '../../apis/core/v1alpha1/store-config.ts';
import type { VaultClient, VaultOptions } from '../../clients/vault.ts';
import { secretStores } from '../../controllers/stores/secret-stores.ts';
import { InProcessVault } from '../fakes/in-process-vault.ts';
import { FakeCluster } from './cluster-fake.ts';
import { FakeExternal, providerConfig, providerConfigKind, startStack } from './external-fake.ts';
import { claim, claimKind, classKind, classRef, managedKind, resourceClass, secretOf } from './objects.ts';

/* A class that publishes to a secret store alone. The claims of it get their Secrets from there. */

const orders = { namespace: 'team', name: 'orders' };
const connKey = { namespace: 'team', name: 'conn' };
const pollMs = 60_000;
const token = 'vault-token';

const stores: Readonly<Record<string, (vault: InProcessVault) => StoreConfig['spec']>> = {
  Kubernetes: () => ({ type: 'Kubernetes', defaultScope: 'vaulted' }),
  Vault: ({ url }) => ({
    type: 'Vault',
    defaultScope: 'crossplane',
    vault: {
      server: url,
      mountPath: 'secret',
      version: 'v2',
      auth: {
        method: 'Token',
        token: { source: 'Secret', secretRef: { namespace: 'infra', name: 'vault', key: 'token' } },
      },
    },
  }),
};

/** A cluster with a class that publishes to this store alone, and with a claim of it that names a Secret. */
function sceneOf(type: string, ...secrets: readonly Secret[]) {
  const cluster = new FakeCluster();
  const external = new FakeExternal();
  const vault = new InProcessVault(cluster.clock, { token });
  cluster.put(
    SecretKind,
    secretOf({ namespace: 'infra', name: 'cloud' }, { data: encodeDetails({ key: 'x' }) }),
  );
  cluster.put(
    SecretKind,
    secretOf({ namespace: 'infra', name: 'vault' }, { data: encodeDetails({ token }) }),
  );
  for (const secret of secrets) cluster.put(SecretKind, secret);
  cluster.put(StoreConfigKind, {
    apiVersion: 'secrets.crossplane.io/v1alpha1',
    kind: 'StoreConfig',
    metadata: { name: 'default' },
    spec: stores[type]!(vault),
  });
  cluster.put(providerConfigKind, providerConfig());
  const specTemplate = { publishConnectionDetailsTo: { name: '{claim.name}-{claim.uid}' } };
  cluster.put(classKind, resourceClass('small', {}, { specTemplate }));
  cluster.put(
    claimKind,
    claim({ classRef: classRef('small'), writeConnectionSecretToRef: { name: 'conn' } }),
  );
  const createVaultClient: (mountPath: string, options: VaultOptions) => VaultClient = vault.clientsFor();
  const process = startStack(cluster, external, {
    secretStores: (env) => secretStores(env, { createVaultClient }),
  });
  const entry = { namespace: 'vaulted', name: 'orders-claim-uid' };
  const path = 'crossplane/orders-claim-uid';
  const theClaim = (): Claim | undefined => cluster.get(claimKind, orders);
  return {
    cluster,
    external,
    vault,
    process,
    theClaim,
    ready: () => getCondition(theClaim()?.status?.conditions, 'Ready'),
    synced: () => getCondition(theClaim()?.status?.conditions, 'Synced'),
    copy: () => cluster.get(SecretKind, connKey),
    copied: () => decodeDetails(cluster.get(SecretKind, connKey)),
    resource: (): Managed => cluster.all<Managed>(managedKind)[0]!,
    /** The password in the store. */
    stored: (): string | undefined =>
      type === 'Vault'
        ? vault.peek(path)?.data?.password
        : decodeDetails(cluster.get(SecretKind, entry)).password,
    /** A person edits the password in the store. */
    async edit(password: string): Promise<void> {
      if (type === 'Vault') {
        const client = createVaultClient('secret', { clock: cluster.clock, server: vault.url, token });
        const { signal } = new AbortController();
        const before = await client.read(path, signal);
        await client.write(path, { ...before?.data, password }, { cas: before!.version }, signal);
      } else {
        cluster.edit(SecretKind, entry, (now: Secret) => ({
          ...now,
          data: { ...now.data, ...encodeDetails({ password }) },
        }));
      }
    },
  };
}

for (const type of Object.keys(stores)) {
  describe(`with a class that publishes to ${type} alone, a claim`, () => {
    test('is Bound and Ready with a copy of its entry, and no other Secret has the password', async () => {
      const { cluster, process, theClaim, ready, copy, copied, stored, external, resource } = sceneOf(type);
      await process.settle();
      assert.deepEqual(
        [theClaim()?.status?.bindingPhase, ready().status],
        ['Bound', 'True'],
        ready().message,
      );
      assert.deepEqual(theClaim()?.status?.binding, { name: 'conn' });
      assert.equal(resource().spec.writeConnectionSecretToRef, undefined);
      assert.equal(copied().password, external.passwords.at(-1));
      assert.equal(copied().password, stored());
      assert.ok(copied().endpoint);
      assert.deepEqual(Object.keys(copied()).includes('crossplane.io/credential'), false);
      assert.deepEqual(copy()?.metadata.annotations, {
        'crossplane.io/copied-for': 'FancySQLInstance team/orders',
      });
      const holding = cluster.all<Secret>(SecretKind).filter(({ data = {} }) => 'password' in data);
      const places = holding.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).toSorted();
      assert.deepEqual(places, ['team/conn', ...(type === 'Vault' ? [] : ['vaulted/orders-claim-uid'])]);
    });

    test('gets a password that a person wrote to its entry, once the external system has it', async () => {
      const { process, copied, edit, external } = sceneOf(type);
      await process.settle();
      await edit('chosen-by-a-person');
      await process.settle(2.5 * pollMs);
      assert.equal(external.passwords.at(-1), 'chosen-by-a-person');
      assert.equal(copied().password, 'chosen-by-a-person');
    });

    test('gets back what a user edits or deletes in its Secret', async () => {
      const { cluster, process, copied } = sceneOf(type);
      await process.settle();
      const before = copied();
      cluster.edit(SecretKind, connKey, (now: Secret) => ({
        ...now,
        data: encodeDetails({ password: 'x' }),
      }));
      await process.settle();
      assert.deepEqual(copied(), before);
      cluster.delete(SecretKind, connKey);
      await process.settle();
      assert.deepEqual(copied(), before);
    });

    test('does not get the Secret of a user', async () => {
      const foreign = secretOf(connKey, {
        type: 'connection.crossplane.io/v1alpha1',
        data: encodeDetails({ password: 'theirs' }),
      });
      const { process, copied, ready } = sceneOf(type, foreign);
      await process.settle();
      assert.equal(ready().reason, 'SecretConflict');
      assert.deepEqual(copied(), { password: 'theirs' });
    });

    test('writes nothing while nothing changes', async () => {
      const { cluster, process } = sceneOf(type);
      await process.settle();
      cluster.takeWrites();
      await process.settle(5 * pollMs);
      assert.deepEqual(cluster.takeWrites(), []);
    });

    test('is deleted with its Secret and its entry', async () => {
      const { cluster, process, theClaim, copy, stored } = sceneOf(type);
      await process.settle();
      cluster.delete(claimKind, orders);
      await process.settle();
      assert.deepEqual([theClaim(), copy(), stored()], [undefined, undefined, undefined]);
    });
  });
}

test('a claim that names the resource of another claim learns nothing of its entry', async () => {
  const { cluster, process, vault, resource } = sceneOf('Vault');
  await process.settle();
  vault.requests.length = 0;
  for (let time = 0; time < 200; time += 1) vault.fail({ status: 403, errors: ['permission denied'] });
  const { apiVersion, kind, metadata } = resource();
  const nosy = { namespace: 'other', name: 'nosy', uid: 'nosy-uid' };
  const named = { resourceRef: { apiVersion, kind, name: metadata.name } };
  cluster.put(claimKind, claim({ ...named, writeConnectionSecretToRef: { name: 'conn' } }, nosy));
  await process.settle(1_000);
  const { status } = cluster.get<Claim>(claimKind, nosy) ?? {};
  const messages = (status?.conditions ?? []).map(({ message = '' }) => message).join('\n');
  assert.equal(getCondition(status?.conditions, 'Ready').reason, 'ClaimedByOther');
  assert.doesNotMatch(messages, /[Vv]ault/);
  assert.deepEqual(vault.requests, []);
});

describe('a claim whose store refuses each read', () => {
  const refuse = (vault: InProcessVault, times = 200) => {
    for (let time = 0; time < times; time += 1) vault.fail({ status: 403, errors: ['permission denied'] });
  };

  test('reports it before it is Bound, and gets no Secret', async () => {
    const { process, vault, ready, synced, copy } = sceneOf('Vault');
    refuse(vault);
    await process.settle(30_000);
    assert.equal(synced().status, 'False');
    assert.match(`${ready().message}`, /refused the token/);
    assert.equal(copy(), undefined);
  });

  test('keeps its copy and stays Ready if it is Bound, and reports it', async () => {
    const { process, vault, ready, synced, copied } = sceneOf('Vault');
    await process.settle();
    const before = copied();
    refuse(vault);
    await process.settle(1.5 * pollMs);
    assert.equal(ready().status, 'True');
    assert.deepEqual(copied(), before);
    assert.match(`${synced().message}`, /refused the token/);
  });
});
