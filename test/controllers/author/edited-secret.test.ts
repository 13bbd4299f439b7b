import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { StoreConfig } from '../../../apis/core/v1alpha1/store-config.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { stackControllers } from '../../../controllers/core/stack.ts';
import { secretStores } from '../../../controllers/stores/secret-stores.ts';
import { inProcessCloud } from '../../fakes/in-process-cloud.ts';
import { FakeCluster, FakeProcess } from '../core/environment-fake.ts';
import type { CloudKinds } from './kinds.ts';
import { clouds } from './kinds.ts';

const secretKey = { namespace: 'infra', name: 'cool' };
const storedKey = { namespace: 'vaulted', name: 'cool' };
const open: FakeProcess[] = [];
afterEach(() => {
  for (const process of open.splice(0)) process.stop();
});

/** A database named `cool`, Ready, whose details are in a secret and in a secret store. */
async function ready({ flavour, stack, kind, providerConfig, forProvider }: CloudKinds) {
  const cluster = new FakeCluster();
  const cloud = inProcessCloud(cluster.clock, { flavour });
  const process = new FakeProcess(cluster, (env) =>
    stackControllers(env, [stack(cloud.dispatcher)], { secretStores: secretStores(env) }),
  );
  open.push(process);
  const credentials = { namespace: 'infra', name: 'cloud' };
  const { url, token } = cloud;
  cluster.put<Secret>(SecretKind, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: credentials,
    data: encodeDetails({ credentials: JSON.stringify({ url, token }) }),
  });
  cluster.put(providerConfig, {
    apiVersion: `${providerConfig.group}/${providerConfig.version}`,
    kind: 'ProviderConfig',
    metadata: { name: 'default' },
    spec: { credentials: { source: 'Secret', secretRef: { ...credentials, key: 'credentials' } } },
  } as never);
  cluster.put<StoreConfig>(StoreConfigKind, {
    apiVersion: 'secrets.crossplane.io/v1alpha1',
    kind: 'StoreConfig',
    metadata: { name: 'default' },
    spec: { type: 'Kubernetes', defaultScope: 'vaulted' },
  });
  cluster.put<Managed>(kind, {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: 'cool' },
    spec: {
      writeConnectionSecretToRef: secretKey,
      publishConnectionDetailsTo: { name: 'cool' },
      forProvider,
    },
  });
  await process.settle();
  const details = (key = secretKey) => decodeDetails(cluster.get(SecretKind, key));
  const edit = (change: (data: Record<string, string>) => void, key = secretKey): void => {
    cluster.edit<Secret>(SecretKind, key, (secret) => {
      const data = { ...decodeDetails(secret) };
      change(data);
      return { ...secret, data: encodeDetails(data) };
    });
  };
  const condition = () =>
    getCondition(cluster.get<Managed>(kind, { name: 'cool' })?.status?.conditions, 'Ready');
  const password = () => cloud.instances()[0]?.item.password;
  const calls = () => Object.values(cloud.calls()).reduce((sum, count) => sum + count, 0);
  assert.equal(condition().status, 'True');
  assert.equal(details().password, password());
  return { cluster, process, details, edit, condition, password, calls };
}

for (const [name, kinds] of Object.entries(clouds)) {
  describe(`${name}: details that a user edits are replaced by details that work`, () => {
    const edits: Record<string, (data: Record<string, string>) => void> = {
      'another password': (data) => Object.assign(data, { password: 'hunter2-by-hand' }),
      'no password': (data) => delete data.password,
      'another password, and a URI that has it': (data) =>
        Object.assign(data, {
          password: 'by-hand-1',
          uri: (data.uri ?? '').replace(/:[^:@]*@/, ':by-hand-1@'),
        }),
      'another user': (data) => Object.assign(data, { username: 'root' }),
      'another endpoint, host and port': (data) =>
        Object.assign(data, { endpoint: 'elsewhere', host: 'elsewhere', port: '1' }),
      'another URI': (data) => Object.assign(data, { uri: 'fancysql://elsewhere' }),
      'nothing any more': (data) => {
        for (const key of Object.keys(data)) delete data[key];
      },
    };
    for (const [what, change] of Object.entries(edits)) {
      test(what, async () => {
        const { process, details, edit, condition, password } = await ready(kinds);
        const before = details();
        edit(change);
        await process.settle();
        const { password: _old, uri: _uri, ...open } = before;
        const { password: now, uri, ...openNow } = details();
        assert.deepEqual(openNow, open);
        assert.equal(now, password());
        assert.ok(uri?.includes(encodeURIComponent(now ?? assert.fail())));
        assert.equal(condition().status, 'True');
        assert.equal(details(storedKey).password, now, 'the store has the same');
      });
    }

    test('a password edited in the secret store', async () => {
      const { process, details, edit, password } = await ready(kinds);
      edit((data) => Object.assign(data, { password: 'hunter2-by-hand' }), storedKey);
      await process.settle();
      assert.deepEqual([details().password, details(storedKey).password], [password(), password()]);
    });

    test('a secret that is replaced by another of its name', async () => {
      const { cluster, process, details, condition, password } = await ready(kinds);
      const { type = '' } = cluster.get<Secret>(SecretKind, secretKey) ?? assert.fail();
      const data = encodeDetails({ ...details(), password: 'hunter2-by-hand' });
      cluster.delete(SecretKind, secretKey);
      cluster.put<Secret>(SecretKind, { apiVersion: 'v1', kind: 'Secret', metadata: secretKey, type, data });
      await process.settle();
      assert.equal(details().password, password());
      assert.equal(condition().status, 'True');
    });

    test('a key of a user stays, whatever its value', async () => {
      const { process, details, edit } = await ready(kinds);
      const { password } = details();
      for (const note of ['one', 'two']) {
        edit((data) => Object.assign(data, { note, constructor: note }));
        await process.settle();
        assert.deepEqual([details().note, details().constructor, details().password], [note, note, password]);
      }
    });

    test('an unedited Secret is not written again', async () => {
      const { cluster, process } = await ready(kinds);
      cluster.takeWrites();
      process.resync(kinds.kind);
      await process.settle();
      assert.deepEqual(cluster.takeWrites(), []);
    });
  });
}
