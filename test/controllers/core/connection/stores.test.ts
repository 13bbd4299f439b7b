import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { firstValueFrom, Subject, takeUntil, toArray } from 'rxjs';
import type { CredentialSelector } from '../../../../apis/core/v1alpha1/credentials.ts';
import type { Managed, PublishConnectionDetailsTo } from '../../../../apis/core/v1alpha1/managed.ts';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import type { StoreConfig } from '../../../../apis/core/v1alpha1/store-config.ts';
import { StoreConfigKind } from '../../../../apis/core/v1alpha1/store-config.ts';
import type { VaultClient, VaultOptions } from '../../../../clients/vault.ts';
import { vaultClient } from '../../../../clients/vault.ts';
import { PublishedElsewhere } from '../../../../controllers/core/connection/connection-publisher.ts';
import { kubernetesStore } from '../../../../controllers/core/connection/kubernetes-store.ts';
import type { OwnedConnection, SecretStore } from '../../../../controllers/core/connection/secret-store.ts';
import type { SecretStoresOptions } from '../../../../controllers/core/connection/secret-stores.ts';
import { secretStores } from '../../../../controllers/core/connection/secret-stores.ts';
import { storePublisher } from '../../../../controllers/core/connection/store-publisher.ts';
import { vaultStore } from '../../../../controllers/core/connection/vault-store.ts';
import { connectionSecrets } from '../../../../controllers/core/indexes.ts';
import { VaultServer } from '../../../../local/vault-server.ts';
import type { Environment } from '../../../../runtime/controller/environment.ts';
import type { Host } from '../../../../runtime/controller/host.ts';
import { realClock } from '../../../../runtime/time/clock.ts';
import { testClock } from '../../../../testing/test-clock.ts';
import { recordedLog } from '../../../fakes/recorded-log.ts';
import { broken, FakeCluster, forbidden } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { deletionTimestamp, managed, managedKind } from '../objects.ts';
import { requestsOf } from '../requests-of.ts';

const signal = new AbortController().signal;
const details = { endpoint: 'db.example', password: 'hunter2x' };
const token = 'vault-token';
/** The details as they were published, as far as anybody may know. */
const digests = {
  'crossplane.io/published-details': '{"endpoint":"UhMarHvFX9","password":"eItglY9wms"}',
  'crossplane.io/published-revision': '1',
};
const digestsInVault = {
  'annotation:crossplane.io/published-details': digests['crossplane.io/published-details'],
  'annotation:crossplane.io/published-revision': '1',
};

function configured(
  spec: StoreConfig['spec'],
  name = 'default',
  given: Pick<Environment, 'host' | 'checkLease'> = {},
  createVaultClient: SecretStoresOptions['createVaultClient'] = vaultClient,
) {
  const cluster = new FakeCluster();
  cluster.put(StoreConfigKind, {
    apiVersion: 'secrets.crossplane.io/v1alpha1',
    kind: 'StoreConfig',
    metadata: { name },
    spec,
  });
  cluster.put(SecretKind, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'infra', name: 'vault-token' },
    data: { token: Buffer.from(`${token}\n`).toString('base64') },
  });
  const clock = testClock();
  const log = recordedLog();
  const process = new FakeProcess(cluster, undefined, { clock, log, ...given });
  const stores = secretStores(process.env, { createVaultClient });
  const publisher = storePublisher(stores);
  return { cluster, process, stores, publisher, log, pass: clock.stall };
}

const publishing = (to: Partial<PublishConnectionDetailsTo> = {}, uid = 'managed-uid'): Managed =>
  managed({ publishConnectionDetailsTo: { name: 'orders', ...to } }, { uid });

const deleted = ({ metadata, ...rest }: Managed): Managed => ({
  ...rest,
  metadata: { ...metadata, deletionTimestamp },
});

const dressed = {
  metadata: { labels: { team: 'shop' }, annotations: { note: 'n' }, type: 'example.com/database' },
};

describe('publishing to the Kubernetes store', () => {
  const spec = { type: 'Kubernetes', defaultScope: 'vaulted' } as const;
  const key = { namespace: 'vaulted', name: 'orders' };

  test('a secret in its namespace, with owner, labels, annotations and type', async () => {
    const { cluster, publisher } = configured(spec);
    await publisher.publish(publishing(dressed), details, signal);
    const secret = cluster.get(SecretKind, key);
    assert.equal(secret?.type, 'example.com/database');
    assert.deepEqual(secret?.metadata.labels, {
      team: 'shop',
      'secret.crossplane.io/owner-uid': 'managed-uid',
    });
    assert.deepEqual(secret?.metadata.annotations, { note: 'n', ...digests });
    assert.deepEqual((await publisher.known(publishing(dressed), signal)).details, details);
  });

  test('the connection type where none is given; nothing changes, nothing is written', async () => {
    const { cluster, publisher } = configured(spec);
    await publisher.publish(publishing(), details, signal);
    assert.equal(cluster.get(SecretKind, key)?.type, 'connection.crossplane.io/v1alpha1');
    await publisher.publish(publishing(), details, signal);
    assert.equal(cluster.writes.length, 1);
  });

  test('nobody else says what was published: such annotations of the author have no effect', async () => {
    const { cluster, publisher } = configured(spec);
    const word = { 'crossplane.io/published-details': '{}', 'crossplane.io/published-revision': '77' };
    const to = publishing({ metadata: { annotations: { note: 'n', ...word } } });
    for (let times = 1; times <= 2; times += 1) {
      await publisher.publish(to, details, signal, { ...(await publisher.known(to, signal)) });
      assert.deepEqual(cluster.get(SecretKind, key)?.metadata.annotations, { note: 'n', ...digests });
      assert.equal(cluster.writes.length, 1);
    }
  });

  test('details are added, others kept', async () => {
    const { cluster, publisher } = configured(spec);
    await publisher.publish(publishing(dressed), details, signal);
    const before = cluster.get(SecretKind, key);
    await publisher.publish(publishing(), { password: 'changed' }, signal);
    const changed = { ...details, password: 'changed' };
    assert.deepEqual((await publisher.known(publishing(), signal)).details, changed);
    const { generation, resourceVersion } = cluster.get(SecretKind, key)!.metadata;
    const digest = '{"endpoint":"UhMarHvFX9","password":"fOPuGtsc_c"}';
    const annotations = { note: 'n', ...digests, 'crossplane.io/published-details': digest };
    assert.deepEqual(cluster.get(SecretKind, key), {
      ...before,
      metadata: { ...before?.metadata, annotations, generation, resourceVersion },
      data: encodeDetails(changed),
    });
  });

  test('what another process has published there since it was read is not replaced, and counts as lost', async () => {
    const { cluster, publisher } = configured(spec);
    await publisher.publish(publishing(), details, signal);
    await publisher.publish(publishing(), { password: 'theirs-1' }, signal);
    const late = publisher.publish(publishing(), { password: 'ours-123' }, signal, { details, revision: 1 });
    await assert.rejects(late, { cause: new PublishedElsewhere(['password'], true) });
    assert.equal(decodeDetails(cluster.get(SecretKind, key)).password, 'theirs-1');
    const { endpoint } = details;
    const lost = ['password'];
    assert.deepEqual(await publisher.known(publishing(), signal), {
      details: { endpoint },
      revision: 2,
      lost,
    });
  });

  test('this process alone knows where that cannot be written', async () => {
    const { cluster, publisher } = configured(spec);
    await publisher.publish(publishing(), details, signal);
    await publisher.publish(publishing(), { password: 'theirs-1' }, signal);
    cluster.before('update', SecretKind, () => {
      throw broken();
    });
    const late = publisher.publish(publishing(), { password: 'ours-123' }, signal, { details, revision: 1 });
    await assert.rejects(late, { cause: new PublishedElsewhere(['password'], false) });
    assert.equal((await publisher.known(publishing(), signal)).details.password, 'theirs-1');
  });

  test('what is still as it was read is no news, and replaces nothing that was published since', async () => {
    const { publisher } = configured(spec);
    await publisher.publish(publishing(), details, signal);
    await publisher.publish(publishing(), { password: 'theirs-1' }, signal);
    await publisher.publish(publishing(), details, signal, { details, revision: 1 });
    assert.equal((await publisher.known(publishing(), signal)).details.password, 'theirs-1');
  });

  test('what somebody edits there is not known any more, and is written again', async () => {
    const { cluster, process, publisher } = configured(spec);
    await publisher.publish(publishing(), details, signal);
    await process.synced();
    const byHand = encodeDetails({ ...details, password: 'by-hand' });
    cluster.edit(SecretKind, key, (secret) => ({ ...secret, data: byHand }));
    assert.deepEqual((await publisher.known(publishing(), signal)).details, { endpoint: 'db.example' });
    await publisher.publish(publishing(), { ...details, password: 'renewed' }, signal);
    assert.deepEqual((await publisher.known(publishing(), signal)).details, {
      ...details,
      password: 'renewed',
    });
  });

  test('what cannot be created is told with the cause', async () => {
    const { cluster, publisher } = configured(spec);
    cluster.before('create', SecretKind, () => {
      throw forbidden();
    });
    await assert.rejects(publisher.publish(publishing(), details, signal), {
      message: 'cannot publish connection details: denied by a webhook',
    });
  });

  for (const [what, labels] of Object.entries({
    nobody: {},
    another: { 'secret.crossplane.io/owner-uid': 'x' },
  })) {
    test(`what belongs to ${what} is neither read, written nor removed`, async () => {
      const { cluster, publisher } = configured(spec);
      const theirs = { namespace: 'vaulted', name: 'orders', labels };
      cluster.put(SecretKind, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: theirs,
        data: { password: 'eA==' },
      });
      await assert.rejects(publisher.known(publishing(), signal), /belongs to/, 'before anything is created');
      assert.deepEqual(
        (await publisher.known(deleted(publishing()), signal)).details,
        {},
        'deletion goes on',
      );
      await assert.rejects(
        publisher.publish(publishing(), details, signal),
        /^Error: cannot publish connection details: secret vaulted\/orders exists and belongs to .*; choose another spec\.publishConnectionDetailsTo\.name, or label it secret\.crossplane\.io\/owner-uid=managed-uid to hand it over$/,
      );
      await publisher.unpublish(publishing(), signal);
      assert.deepEqual(cluster.get(SecretKind, key)?.data, { password: 'eA==' });
    });
  }

  for (const [how, labels] of Object.entries({
    '': {},
    ', labelled or not': { 'secret.crossplane.io/owner-uid': 'managed-uid' },
  })) {
    test(`nor is the secret of its own writeConnectionSecretToRef written twice, and it is told so${how}`, async () => {
      const { cluster, publisher } = configured(spec);
      const ownerReferences = [controllerReference(publishing())];
      const data = { password: 'eA==' };
      const metadata = { ...key, labels, ownerReferences };
      cluster.put(SecretKind, { apiVersion: 'v1', kind: 'Secret', metadata, data });
      const told =
        /secret vaulted\/orders is the one of spec\.writeConnectionSecretToRef; choose another spec\.publishConnectionDetailsTo\.name$/;
      await assert.rejects(publisher.known(publishing(), signal), told);
      await assert.rejects(publisher.publish(publishing(), details, signal), told);
      assert.deepEqual(cluster.get(SecretKind, key)?.data, data);
    });
  }

  test('unpublishing removes it', async () => {
    const { cluster, publisher } = configured(spec);
    await publisher.publish(publishing(), details, signal);
    await publisher.unpublish(publishing(), signal);
    assert.equal(cluster.get(SecretKind, key), undefined);
  });

  for (const [when, now] of Object.entries({
    'leads elsewhere now': publishing({ name: 'second' }),
    'was edited away': managed({}, { uid: 'managed-uid' }),
  })) {
    test(`unpublishing removes what its reference led to before, too, where that ${when}`, async () => {
      const { cluster, process, publisher } = configured(spec);
      for (const name of ['orders', 'second']) {
        await publisher.publish(publishing({ name }), details, signal);
      }
      await publisher.publish(publishing({ name: 'another' }, 'another-uid'), details, signal);
      const made = cluster.get(SecretKind, key) ?? assert.fail('nothing is published');
      // Somebody labels a secret of his own, where nothing is kept.
      cluster.put(SecretKind, { ...made, metadata: { ...made.metadata, namespace: 'tenant' } });
      await process.synced();
      await publisher.unpublish(now, signal);
      assert.deepEqual(
        cluster
          .all(SecretKind)
          .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
          .toSorted(),
        ['infra/vault-token', 'tenant/orders', 'vaulted/another'],
      );
    });
  }

  test('a deleted secret, and a StoreConfig that changes or goes, wake who publishes there', async () => {
    const { cluster, process, stores, publisher, log } = configured(spec);
    cluster.put(managedKind, publishing());
    cluster.put(managedKind, managed({}, { name: 'other', uid: 'other-uid' }));
    const end$ = new Subject<void>();
    const triggers = stores.triggers(process.env.resource(managedKind));
    await process.synced();
    const woken = firstValueFrom(requestsOf(...triggers).pipe(takeUntil(end$), toArray()));
    await publisher.publish(publishing(), details, signal);
    cluster.delete(SecretKind, key, deletionTimestamp);
    const labels = { 'secret.crossplane.io/owner-uid': 'other-uid' }; // of one that publishes nowhere by now
    const of = { apiVersion: 'v1', kind: 'Secret', type: 'connection.crossplane.io/v1alpha1' };
    cluster.put(SecretKind, { ...of, metadata: { ...key, name: 'former', labels } });
    cluster.delete(SecretKind, { ...key, name: 'former' }, deletionTimestamp);
    cluster.delete(StoreConfigKind, { name: 'default' }, deletionTimestamp);
    end$.next();
    assert.deepEqual(log.lines, []);
    assert.deepEqual(
      (await woken).map(({ name }) => name),
      ['db', 'db', 'db'], // the StoreConfig at the start, the deletion of the secret, and that of the StoreConfig
    );
  });

  test('who waits for a secret there that another has is woken when that goes or is given away', async () => {
    const { cluster, process, stores, publisher } = configured(spec);
    cluster.put(managedKind, publishing());
    cluster.put(managedKind, managed({ publishConnectionDetailsTo: { name: 'orders' } }, { name: 'second' }));
    cluster.put(managedKind, managed({ publishConnectionDetailsTo: { name: 'other' } }, { name: 'third' }));
    const triggers = stores.triggers(process.env.resource(managedKind));
    await process.synced();
    const woken: string[] = [];
    const subscription = requestsOf(...triggers).subscribe(({ name }) => woken.push(name));
    await publisher.publish(publishing(), details, signal);
    woken.length = 0;
    const labels = { 'secret.crossplane.io/owner-uid': 'uid-of-third' };
    cluster.edit(SecretKind, key, (secret) => ({ ...secret, metadata: { ...secret.metadata, labels } }));
    assert.deepEqual(woken.splice(0).toSorted(), ['db', 'second']);
    cluster.delete(SecretKind, key, deletionTimestamp);
    assert.deepEqual(woken.toSorted(), ['db', 'second']);
    subscription.unsubscribe();
  });

  test('a StoreConfig that does not exist is named, with what to do', async () => {
    const { publisher } = configured(spec);
    await assert.rejects(
      publisher.publish(publishing({ configRef: { name: 'safe' } }), details, signal),
      /StoreConfig safe does not exist; create it, or name another in spec\.publishConnectionDetailsTo\.configRef/,
    );
  });

  test('without publishConnectionDetailsTo nothing happens', async () => {
    const { cluster, publisher } = configured(spec);
    await publisher.publish(managed(), details, signal);
    await publisher.unpublish(managed(), signal);
    assert.deepEqual((await publisher.known(managed(), signal)).details, {});
    assert.deepEqual(cluster.calls, []);
  });
});

/** Everything a store keeps is somebody's; `current` is what its writer looked at. */
describe('a secret store changes only what was looked at', () => {
  const stored = (ownerUid: string, data: Readonly<Record<string, string>> = details): OwnedConnection => ({
    data,
    ownerUid,
    labels: {},
    annotations: {},
    type: 'connection.crossplane.io/v1alpha1',
  });
  const vault = new VaultServer({ token });
  before(() => vault.start());
  after(() => vault.stop());

  /** A store, and another process that writes to the same place. */
  const stores: Record<string, () => Promise<readonly [SecretStore, SecretStore]>> = {
    Kubernetes: async () => {
      const { cluster } = configured({ type: 'Kubernetes', defaultScope: 'vaulted' });
      const open = async () => {
        const process = new FakeProcess(cluster);
        const store = kubernetesStore(connectionSecrets(process.env), 'vaulted');
        await process.synced();
        return store;
      };
      return [await open(), await open()];
    },
    Vault: async () => {
      const at = { server: vault.url, mountPath: 'secret', scope: 'crossplane' };
      const client = vaultClient('secret', { clock: realClock(), server: vault.url, token });
      after(() => client.close());
      return [vaultStore(client, at), vaultStore(client, at)];
    },
  };
  for (const [kind, open] of Object.entries(stores)) {
    const changes: Record<string, OwnedConnection> = {
      'its owner': stored('their-uid'),
      'its data': stored('our-uid', { password: 'by-then' }),
    };
    for (const [index, [what, byThen]] of Object.entries(changes).entries()) {
      test(`${kind}: not when somebody has changed ${what} by then`, async () => {
        const [ours, theirs] = await open();
        const name = `changed-${index}`;
        await ours.write(name, undefined, stored('our-uid'), signal);
        const current = await ours.read(name, signal);
        await theirs.write(name, current, byThen, signal);
        await assert.rejects(
          ours.write(name, current, stored('our-uid', { password: 'new' }), signal),
          /changed by somebody else meanwhile/,
        );
        assert.deepEqual(await theirs.read(name, signal), byThen);
      });
    }

    test(`${kind}: nothing that has appeared by then`, async () => {
      const [ours, theirs] = await open();
      await theirs.write('appeared', undefined, stored('their-uid'), signal);
      await assert.rejects(
        ours.write('appeared', undefined, stored('our-uid'), signal),
        /by somebody else meanwhile/,
      );
      assert.deepEqual(await theirs.read('appeared', signal), stored('their-uid'));
    });

    test(`${kind}: nothing that has gone by then`, async () => {
      const [ours, theirs] = await open();
      await ours.write('gone', undefined, stored('our-uid'), signal);
      const current = await ours.read('gone', signal);
      assert.ok(current);
      await theirs.remove('gone', current, signal);
      await assert.rejects(
        ours.write('gone', current, stored('our-uid', { password: 'new' }), signal),
        /(deleted|changed) by somebody else meanwhile/,
      );
      assert.equal(await theirs.read('gone', signal), undefined);
    });

    test(`${kind}: what has gone by then need not be removed`, async () => {
      const [ours, theirs] = await open();
      await ours.write('went', undefined, stored('our-uid'), signal);
      await theirs.remove('went', stored('our-uid'), signal);
      await ours.remove('went', stored('our-uid'), signal);
      assert.equal(await theirs.read('went', signal), undefined);
    });

    test(`${kind}: what belongs to somebody else by then is not removed`, async () => {
      const [ours, theirs] = await open();
      await ours.write('removed', undefined, stored('our-uid'), signal);
      const current = await ours.read('removed', signal);
      assert.ok(current);
      await theirs.write('removed', current, stored('their-uid'), signal);
      await ours.remove('removed', current, signal);
      assert.deepEqual(await theirs.read('removed', signal), stored('their-uid'));
      await ours.remove('removed', stored('their-uid'), signal);
      assert.equal(await ours.read('removed', signal), undefined);
    });
  }

  test('Vault: of two that publish at one path for the first time, one does, with its own details', async () => {
    const at = { server: vault.url, mountPath: 'secret', scope: 'crossplane' };
    const client = vaultClient('secret', { clock: realClock(), server: vault.url, token });
    after(() => client.close());
    const racers = ['a', 'b', 'c'].map((uid) => ({
      store: vaultStore(client, at),
      wanted: stored(`${uid}-uid`, { password: uid }),
    }));
    const results = await Promise.allSettled(
      racers.map(({ store, wanted }) => store.write('raced', undefined, wanted, signal)),
    );
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected']);
    const winner = racers[results.findIndex(({ status }) => status === 'fulfilled')];
    assert.deepEqual(await winner?.store.read('raced', signal), winner?.wanted);
  });

  test('Vault: what changes between the look and the removal stays', async () => {
    const at = { server: vault.url, mountPath: 'secret', scope: 'crossplane' };
    const client = vaultClient('secret', { clock: realClock(), server: vault.url, token });
    after(() => client.close());
    const store = vaultStore(client, at);
    await store.write('edited', undefined, stored('our-uid'), signal);
    const edited: VaultClient = {
      ...client,
      async read(path, readSignal) {
        const secret = await client.read(path, readSignal);
        await client.write(path, { password: 'edited' }, { cas: secret?.version ?? 0 }, readSignal);
        return secret;
      },
    };
    await assert.rejects(
      vaultStore(edited, at).remove('edited', stored('our-uid'), signal),
      /changed by somebody else meanwhile/,
    );
    assert.deepEqual(vault.peek('crossplane/edited')?.data, { password: 'edited' });
  });
});

test('a change that the triggers fail on wakes nobody, and those after it as ever', async () => {
  const { cluster, process, stores } = configured({ type: 'Kubernetes', defaultScope: 'vaulted' });
  const resource = cluster.put(managedKind, publishing());
  const woken: string[] = [];
  const triggers = stores.triggers(process.env.resource(managedKind));
  await process.synced();
  for (const trigger of triggers) {
    requestsOf(trigger).subscribe({
      next: ({ name }) => woken.push(name),
      error: (error) => assert.fail(String(error)),
    });
  }
  const secret = (name: string, labels: object, password: string) =>
    cluster.put(SecretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'vaulted', labels: labels as Record<string, string> },
      type: 'connection.crossplane.io/v1alpha1',
      data: { password },
    });
  const odd = Object.defineProperty({}, 'secret.crossplane.io/owner-uid', {
    get: () => {
      throw new Error('odd');
    },
  });
  woken.length = 0;
  secret('odd', odd, '1');
  const labels = { 'secret.crossplane.io/owner-uid': resource.metadata.uid };
  const { name: kept = '' } = resource.spec.publishConnectionDetailsTo ?? {};
  secret(kept, labels, '1');
  secret(kept, labels, '2');
  assert.deepEqual(woken, [resource.metadata.name]);
  secret('of somebody who has learnt the UID', labels, '1');
  secret('of somebody who has learnt the UID', labels, '2');
  assert.deepEqual(woken, [resource.metadata.name]);
});

describe('publishing to Vault', () => {
  const server = new VaultServer({ token });
  before(() => server.start());
  after(() => server.stop());
  const spec = (): StoreConfig['spec'] => ({
    type: 'Vault',
    defaultScope: 'crossplane',
    vault: {
      server: server.url,
      mountPath: 'secret',
      auth: {
        method: 'Token',
        token: { source: 'Secret', secretRef: { namespace: 'infra', name: 'vault-token', key: 'token' } },
      },
    },
  });

  test('data, and owner, labels, annotations and type as custom metadata', async () => {
    const { publisher } = configured(spec());
    const to = publishing({ name: 'dressed', ...dressed });
    await publisher.publish(to, details, signal);
    assert.deepEqual(server.peek('crossplane/dressed'), {
      data: details,
      version: 2,
      customMetadata: {
        team: 'shop',
        'annotation:note': 'n',
        ...digestsInVault,
        'secret.crossplane.io/type': 'example.com/database',
        'secret.crossplane.io/owner-uid': 'managed-uid',
      },
    });
    assert.deepEqual((await publisher.known(to, signal)).details, details);
  });

  test('nothing changes, nothing is written; what changes is one version more', async () => {
    const { publisher } = configured(spec());
    const to = publishing({ name: 'steady' });
    await publisher.publish(to, details, signal);
    await publisher.publish(to, { password: 'hunter2x' }, signal);
    assert.equal(server.peek('crossplane/steady')?.version, 2);
    await publisher.publish(to, { password: 'changed' }, signal);
    assert.equal(server.peek('crossplane/steady')?.version, 3);
    assert.deepEqual(server.peek('crossplane/steady')?.data, { ...details, password: 'changed' });
  });

  test('whoever may not lead any more writes and removes nothing, and reads as before', async () => {
    await configured(spec()).publisher.publish(publishing({ name: 'led' }), details, signal);
    const lost = configured(spec(), 'default', {
      checkLease: () => {
        throw new Error('the lease ran out');
      },
    });
    const count = server.requests.length;
    const to = publishing({ name: 'led' });
    await assert.rejects(lost.publisher.publish(to, { password: 'new' }, signal), /the lease ran out/);
    await assert.rejects(lost.publisher.unpublish(to, signal), /the lease ran out/);
    assert.deepEqual((await lost.publisher.known(to, signal)).details, details);
    assert.ok(server.requests.slice(count).every((line) => line.startsWith('GET')));
  });

  test("another owner's secret is neither read, written nor removed", async () => {
    const { publisher } = configured(spec());
    await publisher.publish(publishing({ name: 'theirs' }, 'their-uid'), details, signal);
    const ours = publishing({ name: 'theirs' });
    await assert.rejects(publisher.known(ours, signal), /belongs to another managed resource/);
    await assert.rejects(
      publisher.publish(ours, { password: 'x' }, signal),
      /belongs to another managed resource/,
    );
    await publisher.unpublish(ours, signal);
    assert.deepEqual(server.peek('crossplane/theirs')?.data, details);
  });

  test('the path is taken first, then the owner written, then the data; what is left halfway is continued', async () => {
    const { publisher } = configured(spec());
    const count = server.requests.length;
    await publisher.publish(publishing({ name: 'order' }), details, signal);
    assert.deepEqual(
      server.requests.slice(count).filter((line) => line.startsWith('POST')),
      ['data', 'metadata', 'data'].map((part) => `POST /v1/secret/${part}/crossplane/order`),
    );
    const owner = { 'secret.crossplane.io/owner-uid': 'managed-uid' };
    const client = vaultClient('secret', { clock: realClock(), server: server.url, token });
    await client.write('crossplane/taken', owner, { cas: 0 }, signal);
    await client.write('crossplane/described', owner, { cas: 0 }, signal);
    await client.writeMetadata('crossplane/described', owner, signal);
    await client.close();
    for (const name of ['taken', 'described']) {
      const to = publishing({ name });
      assert.deepEqual((await publisher.known(to, signal)).details, {});
      await publisher.publish(to, details, signal);
      assert.deepEqual(server.peek(`crossplane/${name}`)?.data, details);
      assert.deepEqual(server.peek(`crossplane/${name}`)?.customMetadata, { ...owner, ...digestsInVault });
    }
  });

  test('what somebody else has taken and not yet filled is not ours to write', async () => {
    const client = vaultClient('secret', { clock: realClock(), server: server.url, token });
    const theirs = { 'secret.crossplane.io/owner-uid': 'their-uid' };
    await client.write('crossplane/begun', theirs, { cas: 0 }, signal);
    await client.close();
    const { publisher } = configured(spec());
    const ours = publishing({ name: 'begun' });
    await assert.rejects(publisher.publish(ours, details, signal), /belongs to another managed resource/);
    await publisher.unpublish(ours, signal);
    assert.deepEqual(server.peek('crossplane/begun')?.data, theirs);
  });

  test('unpublishing removes every version', async () => {
    const { publisher } = configured(spec());
    const to = publishing({ name: 'leaving' });
    await publisher.publish(to, details, signal);
    await publisher.unpublish(to, signal);
    assert.equal(server.peek('crossplane/leaving'), undefined);
  });

  test('what somebody edits there is not known any more, and is written again', async () => {
    const { publisher } = configured(spec());
    const to = publishing({ name: 'edited' });
    await publisher.publish(to, details, signal);
    const client = vaultClient('secret', { clock: realClock(), server: server.url, token });
    await client.write('crossplane/edited', { ...details, password: 'by-hand' }, { cas: 2 }, signal);
    await client.close();
    assert.deepEqual((await publisher.known(to, signal)).details, { endpoint: 'db.example' });
    await publisher.publish(to, { ...details, password: 'renewed' }, signal);
    assert.deepEqual((await publisher.known(to, signal)).details, { ...details, password: 'renewed' });
  });

  test('a sealed server is said to be, without secrets, and works again once unsealed', async () => {
    const { publisher } = configured(spec());
    const to = publishing({ name: 'sealed' });
    server.isSealed = true;
    await assert.rejects(publisher.publish(to, details, signal), (error: Error) => {
      assert.match(error.message, /^cannot publish connection details: Vault http.* is sealed: unseal it$/);
      assert.ok(!error.message.includes(token) && !error.message.includes('hunter2x'));
      return true;
    });
    server.isSealed = false;
    await publisher.publish(to, details, signal);
  });

  test('a token that is revoked is said to be; its successor is taken from the secret', async () => {
    const { cluster, publisher, pass } = configured(spec());
    const to = publishing({ name: 'rotated' });
    server.tokens.clear();
    server.tokens.add('next-token');
    await assert.rejects(publisher.publish(to, details, signal), /refused the token for secret/);
    const secret = cluster.get(SecretKind, { namespace: 'infra', name: 'vault-token' })!;
    cluster.put(SecretKind, { ...secret, data: { token: Buffer.from('next-token').toString('base64') } });
    pass(3_000);
    await publisher.publish(to, details, signal);
    assert.deepEqual(server.peek('crossplane/rotated')?.data, details);
    server.tokens.add(token);
  });

  const tokenFrom = (credentials: CredentialSelector): StoreConfig['spec'] => {
    const { vault, ...rest } = spec();
    return { ...rest, vault: { ...vault!, auth: { method: 'Token', token: credentials } } };
  };
  const host: Host = {
    variable: (name) => ({ VAULT_TOKEN: token, ODD: 'hush\nhush' })[name],
    file: async (path) => (path === '/vault/token' ? `${token}\n` : Promise.reject(new Error('no file'))),
  };
  const elsewhere: Record<string, CredentialSelector> = {
    'a variable': { source: 'Environment', env: { name: 'VAULT_TOKEN' } },
    'a file': { source: 'Filesystem', fs: { path: '/vault/token' } },
  };
  for (const [what, credentials] of Object.entries(elsewhere)) {
    test(`the token is taken from ${what}`, async () => {
      const { publisher } = configured(tokenFrom(credentials), 'default', { host });
      await publisher.publish(publishing({ name: 'elsewhere' }), details, signal);
      assert.deepEqual(server.peek('crossplane/elsewhere')?.data, details);
    });
  }

  test('with the source None no token is sent', async () => {
    const sent: Omit<VaultOptions, 'clock'>[] = [];
    const { publisher } = configured(tokenFrom({ source: 'None' }), 'default', {}, (mountPath, options) => {
      const { clock: _, ...said } = options;
      sent.push(said);
      return vaultClient(mountPath, options);
    });
    await assert.rejects(publisher.known(publishing(), signal), /refused|denied|missing/i);
    assert.deepEqual(sent, [{ server: server.url }]);
  });

  test('a source without a token is an error, without what it holds', async () => {
    for (const [credentials, says] of [
      [{ source: 'InjectedIdentity' }, /StoreConfig default has credentials of the source InjectedIdentity/],
      [{ source: 'Environment', env: { name: 'ODD' } }, /environment variable ODD of .* holds no token/],
      [{ source: 'Filesystem', fs: { path: '/gone' } }, /no file \(StoreConfig default\)/],
    ] as const) {
      const { publisher } = configured(tokenFrom(credentials), 'default', { host });
      await assert.rejects(
        publisher.publish(publishing(), details, signal),
        (error: Error) => says.test(error.message) && !error.message.includes('hush'),
      );
    }
  });

  test('what a StoreConfig lacks is named', async () => {
    const { vault: _none, ...bare } = spec();
    const { vault } = spec();
    const tokenless = { ...spec(), vault: { ...vault!, auth: { method: 'Token' as const } } };
    for (const [given, message] of [
      [bare, 'StoreConfig default is of type Vault and has no spec.vault'],
      [tokenless, 'StoreConfig default has no spec.vault.auth.token'],
    ] as const) {
      await assert.rejects(configured(given).publisher.publish(publishing(), details, signal), {
        message: `cannot publish connection details: ${message}`,
      });
    }
  });

  test('a missing token secret or key is named', async () => {
    const { cluster, publisher, pass } = configured(spec());
    const secret = cluster.get(SecretKind, { namespace: 'infra', name: 'vault-token' })!;
    cluster.put(SecretKind, { ...secret, data: {} });
    await assert.rejects(
      publisher.publish(publishing(), details, signal),
      /secret infra\/vault-token of StoreConfig default has no key "token"/,
    );
    cluster.delete(SecretKind, { namespace: 'infra', name: 'vault-token' }, '2026-01-02T03:04:05Z');
    pass(3_000);
    await assert.rejects(
      publisher.publish(publishing(), details, signal),
      /secret infra\/vault-token of StoreConfig default does not exist/,
    );
  });
});
