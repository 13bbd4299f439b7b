import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { firstValueFrom, Subject, takeUntil, toArray } from 'rxjs';
import type { CredentialSelector } from '../../../apis/core/v1alpha1/credentials.ts';
import type { Managed, PublishConnectionDetailsTo } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerReference } from '../../../apis/core/v1alpha1/reference.ts';
import { encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { StoreConfig } from '../../../apis/core/v1alpha1/store-config.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import type { VaultClient, VaultOptions } from '../../../clients/vault.ts';
import { vaultClient } from '../../../clients/vault.ts';
import type { ConnectionEntry, ConnectionPlace } from '../../../controllers/connection/connection-place.ts';
import type { OwnedConnection, SecretStore } from '../../../controllers/connection/secret-store.ts';
import { storePlace } from '../../../controllers/connection/store-place.ts';
import type { StoredCredential } from '../../../controllers/credential.ts';
import { encodeNote } from '../../../controllers/credential.ts';
import { conditionErrorOf } from '../../../controllers/error-class.ts';
import { connectionSecrets } from '../../../controllers/indexes.ts';
import { kubernetesStore } from '../../../controllers/stores/kubernetes-store.ts';
import type { SecretStoresOptions } from '../../../controllers/stores/secret-stores.ts';
import { secretStores } from '../../../controllers/stores/secret-stores.ts';
import { vaultStore } from '../../../controllers/stores/vault-store.ts';
import { selfSignedCertificate } from '../../../local/postgresql-certificate.ts';
import { isConflict } from '../../../runtime/client/errors.ts';
import { agentsBy } from '../../../runtime/client/proxies.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { VaultServer } from '../../../testing/vault/server.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { FakeCluster, forbidden } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { deletionTimestamp, managed, managedKind, secretOf } from '../objects.ts';
import { requestsOf, wokenBy } from '../requests-of.ts';

const signal = new AbortController().signal;
const details = { endpoint: 'db.example', password: 'hunter2x' };
const token = 'vault-token';
const tokenKey = { namespace: 'infra', name: 'vault-token' };
const ownedBy = (uid: string) => ({ 'secret.crossplane.io/owner-uid': uid });
const note = { key: 'a2V5', for: 'FancySQLInstance team/orders' };
const noted = { 'crossplane.io/credential': encodeNote(note) };

/** A run: read first, then write over the value that was read. */
async function keep(
  place: ConnectionPlace,
  resource: Managed,
  stored: StoredCredential['details'],
  its: StoredCredential['note'] = note,
): Promise<ConnectionEntry> {
  const entry = await place.read(resource, signal);
  const desired = { details: stored, note: its };
  return entry === undefined
    ? place.create(resource, desired, signal)
    : entry.write(resource, desired, signal);
}

/** The details that a place keeps. */
const readFrom = async (place: ConnectionPlace, resource: Managed): Promise<object | undefined> =>
  (await place.read(resource, signal))?.details;

function configured(
  spec: StoreConfig['spec'],
  name = 'default',
  given: ConstructorParameters<typeof FakeProcess>[2] = {},
  createVaultClient: SecretStoresOptions['createVaultClient'] = vaultClient,
) {
  const cluster = new FakeCluster();
  cluster.put(StoreConfigKind, {
    apiVersion: 'secrets.crossplane.io/v1alpha1',
    kind: 'StoreConfig',
    metadata: { name },
    spec,
  });
  cluster.put(SecretKind, secretOf(tokenKey, { data: encodeDetails({ token: `${token}\n` }) }));
  const clock = testClock();
  const log = recordedLog();
  const process = new FakeProcess(cluster, undefined, { clock, log, ...given });
  const stores = secretStores(process.env, { createVaultClient });
  const place = storePlace(stores);
  return { cluster, process, stores, place, log, pass: clock.stall };
}

const publishing = (to: Partial<PublishConnectionDetailsTo> = {}, uid = 'managed-uid'): Managed =>
  managed({ publishConnectionDetailsTo: { name: 'orders', ...to } }, { uid });

const type = 'connection.crossplane.io/v1alpha1';
const dressed = {
  metadata: { labels: { team: 'shop' }, annotations: { note: 'n' }, type: 'example.com/database' },
};

describe('the place in the Kubernetes store', () => {
  const spec = { type: 'Kubernetes', defaultScope: 'vaulted' } as const;
  const key = { namespace: 'vaulted', name: 'orders' };

  test('a secret in its namespace, with owner, labels, annotations and type', async () => {
    const { cluster, place } = configured(spec);
    await keep(place, publishing(dressed), details);
    const secret = cluster.get(SecretKind, key);
    assert.equal(secret?.type, 'example.com/database');
    assert.deepEqual(secret?.metadata.labels, { team: 'shop', ...ownedBy('managed-uid') });
    assert.deepEqual(secret?.metadata.annotations, { note: 'n', ...noted });
    assert.deepEqual(await readFrom(place, publishing(dressed)), details);
  });

  test('the connection type where none is given; nothing changes, nothing is written', async () => {
    const { cluster, place } = configured(spec);
    await keep(place, publishing(), details);
    assert.equal(cluster.get(SecretKind, key)?.type, type);
    await keep(place, publishing(), details);
    assert.equal(cluster.writes.length, 1);
  });

  test('a write replaces the stored details; labels, annotations and type that it does not name stay', async () => {
    const { cluster, place } = configured(spec);
    await keep(place, publishing(dressed), details);
    const before = cluster.get(SecretKind, key);
    const other = { key: 'a2V5', for: 'FancySQLInstance team/next' };
    await keep(place, publishing(), { password: 'changed' }, other);
    const { metadata, ...rest } = cluster.get(SecretKind, key) ?? assert.fail();
    assert.deepEqual(metadata.annotations, { note: 'n', 'crossplane.io/credential': encodeNote(other) });
    assert.deepEqual(metadata.labels, before?.metadata.labels);
    assert.deepEqual([rest.type, rest.data], [before?.type, encodeDetails({ password: 'changed' })]);
  });

  test('an author cannot write the note with publishConnectionDetailsTo', async () => {
    const { cluster, place } = configured(spec);
    const to = publishing({ metadata: { annotations: { 'crossplane.io/credential': '{}' } } });
    await keep(place, to, details);
    assert.deepEqual(cluster.get(SecretKind, key)?.metadata.annotations, noted);
  });

  test('an entry that cannot be created is reported with the cause', async () => {
    const { cluster, place } = configured(spec);
    cluster.refuse('create', SecretKind, forbidden());
    const message = 'cannot publish connection details: denied by a webhook';
    await assert.rejects(keep(place, publishing(), details), { message });
  });

  test('an entry with the name of no Secret is refused with the class that named it, and can be removed', async () => {
    const { cluster, place } = configured(spec);
    const resource = publishing({ name: 'team/orders' });
    const classed = { ...resource, spec: { ...resource.spec, classRef: { name: 'small' } } };
    const message =
      'cannot publish connection details: no Secret can have the name "team/orders", and the store has Secrets: it must consist of at most 253 lowercase letters, digits, "-" and "."; correct spec.publishConnectionDetailsTo.name of the resource';
    await assert.rejects(keep(place, resource, details), { message });
    await assert.rejects(keep(place, classed, details), {
      message: `${message}, and specTemplate.publishConnectionDetailsTo.name of class small`,
    });
    await place.remove(resource, signal);
    assert.deepEqual(cluster.writes, []);
  });

  for (const [what, labels] of Object.entries({ nobody: {}, another: ownedBy('x') })) {
    test(`an entry that belongs to ${what} is neither read, written nor removed`, async () => {
      const { cluster, place } = configured(spec);
      cluster.put(SecretKind, secretOf({ ...key, labels }, { data: { password: 'eA==' } }));
      await assert.rejects(place.read(publishing(), signal), /belongs to/, 'before anything is created');
      await assert.rejects(
        keep(place, publishing(), details),
        /secret vaulted\/orders exists and belongs to .*; name another in spec\.publishConnectionDetailsTo, or to give it to this one, label it secret\.crossplane\.io\/owner-uid=managed-uid$/,
      );
      await place.remove(publishing(), signal);
      assert.deepEqual(cluster.get(SecretKind, key)?.data, { password: 'eA==' });
    });
  }

  for (const [how, labels] of Object.entries({ '': {}, ', labelled or not': ownedBy('managed-uid') })) {
    test(`the Secret of writeConnectionSecretToRef is not written twice, and a message reports the conflict${how}`, async () => {
      const { cluster, place } = configured(spec);
      const ownerReferences = [controllerReference(publishing())];
      const data = { password: 'eA==' };
      cluster.put(SecretKind, secretOf({ ...key, labels, ownerReferences }, { data }));
      const reported =
        /secret vaulted\/orders is the one of spec\.writeConnectionSecretToRef; name another in spec\.publishConnectionDetailsTo$/;
      await assert.rejects(place.read(publishing(), signal), reported);
      await assert.rejects(keep(place, publishing(), details), reported);
      assert.deepEqual(cluster.get(SecretKind, key)?.data, data);
    });
  }

  test('removal removes the entry', async () => {
    const { cluster, place } = configured(spec);
    await keep(place, publishing(), details);
    await place.remove(publishing(), signal);
    assert.equal(cluster.get(SecretKind, key), undefined);
  });

  for (const [when, now] of Object.entries({
    'names another place': publishing({ name: 'second' }),
    'was removed': managed({}, { uid: 'managed-uid' }),
  })) {
    test(`removal removes the entry of the previous reference if the reference ${when}`, async () => {
      const { cluster, process, place } = configured(spec);
      for (const name of ['orders', 'second']) await keep(place, publishing({ name }), details);
      await keep(place, publishing({ name: 'another' }, 'another-uid'), details);
      const made = cluster.get(SecretKind, key) ?? assert.fail('nothing is published');
      // A user labels a Secret of their own while the resource has no details.
      cluster.put(SecretKind, { ...made, metadata: { ...made.metadata, namespace: 'tenant' } });
      await process.synced();
      await place.remove(now, signal);
      const left = cluster.all(SecretKind).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
      assert.deepEqual(left.toSorted(), ['infra/vault-token', 'tenant/orders', 'vaulted/another']);
    });
  }

  test('a deleted Secret and a changed or deleted StoreConfig wake the resources that publish there', async () => {
    const { cluster, process, stores, place, log } = configured(spec);
    cluster.put(managedKind, publishing());
    cluster.put(managedKind, managed({}, { name: 'other', uid: 'other-uid' }));
    const end$ = new Subject<void>();
    const triggers = stores.triggers(process.env.resource(managedKind));
    await process.synced();
    const woken = firstValueFrom(requestsOf(...triggers).pipe(takeUntil(end$), toArray()));
    await keep(place, publishing(), details);
    cluster.delete(SecretKind, key, deletionTimestamp);
    const labels = ownedBy('other-uid'); // of one that publishes nowhere by now
    const former = { ...key, name: 'former' };
    cluster.put(SecretKind, secretOf({ ...former, labels }, { type }));
    cluster.delete(SecretKind, former, deletionTimestamp);
    cluster.delete(StoreConfigKind, { name: 'default' }, deletionTimestamp);
    end$.next();
    assert.deepEqual(log.lines, []);
    const names = (await woken).map(({ name }) => name);
    // The StoreConfig at the start, the deletion of the secret, and that of the StoreConfig.
    assert.deepEqual(names, ['db', 'db', 'db']);
  });

  test('a user who labels a Secret wakes the resource that gets it', async () => {
    const { cluster, process, stores } = configured(spec);
    const triggers = stores.triggers(process.env.resource(managedKind));
    cluster.put(managedKind, publishing());
    cluster.put(SecretKind, secretOf(key, { type }));
    const labels = ownedBy('managed-uid');
    const label = () => cluster.put(SecretKind, secretOf({ ...key, labels }, { type }));
    assert.deepEqual(await wokenBy(process, triggers, label), ['db']);
  });

  test('a StoreConfig that does not exist is named, with what to do', async () => {
    const { place } = configured(spec);
    await assert.rejects(
      keep(place, publishing({ configRef: { name: 'safe' } }), details),
      /StoreConfig safe of spec\.publishConnectionDetailsTo does not exist; create it, or name another one/,
    );
  });

  test('a StoreConfig that cannot exist is not to be created', async () => {
    const { place } = configured(spec);
    await assert.rejects(
      keep(place, publishing({ configRef: { name: 'a/b' } }), details),
      /StoreConfig a\/b of .* does not exist; name another one: no object can have that name$/,
    );
  });

  test('without publishConnectionDetailsTo nothing happens', async () => {
    const { cluster, place } = configured(spec);
    assert.equal(place.isNamed(managed()), false);
    assert.equal(await place.read(managed(), signal), undefined);
    await place.remove(managed(), signal);
    await place.removePrevious(managed(), signal);
    assert.deepEqual(cluster.calls, []);
  });
});

/** Every entry of the store has an owner; `current` is the entry that the writer read. */
describe('a secret store changes only the version that was read', () => {
  const stored = (ownerUid: string, data: Readonly<Record<string, string>> = details): OwnedConnection => ({
    data,
    ownerUid,
    type,
    labels: {},
    annotations: {},
  });
  const changed = stored('our-uid', { password: 'new' });
  const vault = new VaultServer({ token });
  before(() => vault.start());
  after(() => vault.stop());

  /** A store in the Vault of these tests. */
  function vaultOf(change: (client: VaultClient) => VaultClient = (client) => client) {
    const client = vaultClient('secret', { clock: realClock(), server: vault.url, token });
    after(() => client.close());
    return vaultStore(change(client), { server: vault.url, mountPath: 'secret', scope: 'crossplane' });
  }

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
    Vault: async () => [vaultOf(), vaultOf()],
  };
  for (const [kind, open] of Object.entries(stores)) {
    const changes: Record<string, OwnedConnection> = {
      'its owner': stored('their-uid'),
      'its data': stored('our-uid', { password: 'by-then' }),
    };
    for (const [index, [what, byThen]] of Object.entries(changes).entries()) {
      test(`${kind}: an entry is not written if another client changed ${what} after the read`, async () => {
        const [ours, other] = await open();
        const name = `changed-${index}`;
        await ours.write(name, undefined, stored('our-uid'), signal);
        const current = await ours.read(name, signal);
        await other.write(name, current, byThen, signal);
        await assert.rejects(ours.write(name, current, changed, signal), isConflict);
        assert.deepEqual(await other.read(name, signal), byThen);
      });
    }

    test(`${kind}: an entry that appeared after the read is not overwritten`, async () => {
      const [ours, other] = await open();
      await other.write('appeared', undefined, stored('their-uid'), signal);
      await assert.rejects(ours.write('appeared', undefined, stored('our-uid'), signal), isConflict);
      assert.deepEqual(await other.read('appeared', signal), stored('their-uid'));
    });

    test(`${kind}: an entry that was deleted after the read is not written`, async () => {
      const [ours, other] = await open();
      await ours.write('gone', undefined, stored('our-uid'), signal);
      const current = await ours.read('gone', signal);
      assert.ok(current);
      await other.remove('gone', current, signal);
      await assert.rejects(ours.write('gone', current, changed, signal), isConflict);
      assert.equal(await other.read('gone', signal), undefined);
    });

    test(`${kind}: an entry that was deleted after the read needs no removal`, async () => {
      const [ours, other] = await open();
      await ours.write('went', undefined, stored('our-uid'), signal);
      await other.remove('went', stored('our-uid'), signal);
      await ours.remove('went', stored('our-uid'), signal);
      assert.equal(await other.read('went', signal), undefined);
    });

    test(`${kind}: an entry that got another owner after the read is not removed`, async () => {
      const [ours, other] = await open();
      await ours.write('removed', undefined, stored('our-uid'), signal);
      const current = await ours.read('removed', signal);
      assert.ok(current);
      await other.write('removed', current, stored('their-uid'), signal);
      await ours.remove('removed', current, signal);
      assert.deepEqual(await other.read('removed', signal), stored('their-uid'));
      await ours.remove('removed', stored('their-uid'), signal);
      assert.equal(await ours.read('removed', signal), undefined);
    });
  }

  test('Vault: of two resources that publish at one path for the first time, one succeeds with its own details', async () => {
    const wanted = ['a', 'b', 'c'].map((uid) => stored(`${uid}-uid`, { password: uid }));
    const writes = wanted.map((its) => vaultOf().write('raced', undefined, its, signal));
    const results = await Promise.allSettled(writes);
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected']);
    const winner = results.findIndex(({ status }) => status === 'fulfilled');
    assert.deepEqual(await vaultOf().read('raced', signal), wanted[winner]);
  });

  test('Vault: an entry that changes between the read and the removal stays', async () => {
    await vaultOf().write('edited', undefined, stored('our-uid'), signal);
    const edited = vaultOf((client) => ({
      ...client,
      async read(path, readSignal) {
        const secret = await client.read(path, readSignal);
        await client.write(path, { password: 'edited' }, { cas: secret?.version ?? 0 }, readSignal);
        return secret;
      },
    }));
    const removal = edited.remove('edited', stored('our-uid'), signal);
    await assert.rejects(removal, /changed by another client at the same time/);
    assert.deepEqual(vault.peek('crossplane/edited')?.data, { password: 'edited' });
  });
});

test('a change for which the triggers fail wakes no resource, and later changes wake as before', async () => {
  const { cluster, process, stores } = configured({ type: 'Kubernetes', defaultScope: 'vaulted' });
  const resource = cluster.put(managedKind, publishing());
  const woken: string[] = [];
  const triggers = stores.triggers(process.env.resource(managedKind));
  await process.synced();
  const error = (cause: unknown) => assert.fail(String(cause));
  for (const trigger of triggers)
    requestsOf(trigger).subscribe({ next: ({ name }) => woken.push(name), error });
  const secret = (name: string, labels: Record<string, string>, password: string) =>
    cluster.put(SecretKind, secretOf({ name, namespace: 'vaulted', labels }, { type, data: { password } }));
  const odd = Object.defineProperty({}, 'secret.crossplane.io/owner-uid', {
    get: () => {
      throw new Error('odd');
    },
  });
  woken.length = 0;
  secret('odd', odd, '1');
  const labels = ownedBy('managed-uid');
  const { name: entryName = '' } = resource.spec.publishConnectionDetailsTo ?? {};
  secret(entryName, labels, '1');
  secret(entryName, labels, '2');
  assert.deepEqual(woken, [resource.metadata.name]);
  secret('of somebody who has learnt the UID', labels, '1');
  secret('of somebody who has learnt the UID', labels, '2');
  assert.deepEqual(woken, [resource.metadata.name]);
});

describe('the place in Vault', () => {
  const server = new VaultServer({ token });
  before(() => server.start());
  after(() => server.stop());
  const spec = (): StoreConfig['spec'] => ({
    type: 'Vault',
    defaultScope: 'crossplane',
    vault: {
      server: server.url,
      mountPath: 'secret',
      auth: { method: 'Token', token: { source: 'Secret', secretRef: { ...tokenKey, key: 'token' } } },
    },
  });

  test('data with the note, and owner, labels, annotations and type as custom metadata', async () => {
    const { place } = configured(spec());
    const to = publishing({ name: 'dressed', ...dressed });
    await keep(place, to, details);
    assert.deepEqual(server.peek('crossplane/dressed'), {
      data: { ...details, ...noted },
      version: 2,
      customMetadata: {
        team: 'shop',
        'annotation:note': 'n',
        'secret.crossplane.io/type': 'example.com/database',
        ...ownedBy('managed-uid'),
      },
    });
    assert.deepEqual(await readFrom(place, to), details);
  });

  test('an unchanged entry is not written, and a changed one gets one more version', async () => {
    const { place } = configured(spec());
    const to = publishing({ name: 'steady' });
    await keep(place, to, details);
    await keep(place, to, details);
    assert.equal(server.peek('crossplane/steady')?.version, 2);
    await keep(place, to, { ...details, password: 'changed' });
    assert.equal(server.peek('crossplane/steady')?.version, 3);
    assert.deepEqual(server.peek('crossplane/steady')?.data, { ...details, password: 'changed', ...noted });
  });

  test('the note is read back, and an entry is confirmed until another client writes it', async () => {
    const { place } = configured(spec());
    const to = publishing({ name: 'confirmed' });
    const created = await keep(place, to, details);
    await created.confirm(signal);
    const read = await place.read(to, signal);
    assert.deepEqual([read?.details, read?.note, read?.isOwned], [details, note, true]);
    const written = await keep(place, to, { password: 'second' });
    await written.confirm(signal);
    await assert.rejects(created.confirm(signal), isConflict);
    const late = created.write(to, { details: { password: 'late' }, note }, signal);
    await assert.rejects(late, isConflict);
    assert.deepEqual(await readFrom(place, to), { password: 'second' });
  });

  const checkLease = () => {
    throw new Error('the lease ran out');
  };
  const observes = /only observes, and would otherwise (write|delete) the entry/;
  const readers: Readonly<Record<string, [Parameters<typeof configured>[2], RegExp]>> = {
    'without the lease': [{ checkLease }, /the lease ran out/],
    'that only observes': [{ isObserveOnly: true }, observes],
  };
  for (const [name, [given, refusal]] of Object.entries(readers)) {
    test(`a process ${name} can read, but neither write nor remove`, async () => {
      const to = publishing({ name: 'led' });
      await keep(configured(spec()).place, to, details);
      const { place } = configured(spec(), 'default', given);
      const count = server.requests.length;
      await assert.rejects(keep(place, to, { password: 'new' }), refusal);
      await assert.rejects(place.remove(to, signal), refusal);
      assert.deepEqual(await readFrom(place, to), details);
      assert.ok(server.requests.slice(count).every((line) => line.startsWith('GET')));
    });
  }

  test('the path is claimed first, then the owner is written, then the data; an interrupted write is continued', async () => {
    const { place } = configured(spec());
    const count = server.requests.length;
    await keep(place, publishing({ name: 'order' }), details);
    const posted = server.requests.slice(count).filter((line) => line.startsWith('POST'));
    const parts = ['data', 'metadata', 'data'];
    const expected = parts.map((part) => `POST /v1/secret/${part}/crossplane/order`);
    assert.deepEqual(posted, expected);
    const owner = ownedBy('managed-uid');
    const client = vaultClient('secret', { clock: realClock(), server: server.url, token });
    await client.write('crossplane/taken', owner, { cas: 0 }, signal);
    await client.write('crossplane/described', owner, { cas: 0 }, signal);
    await client.writeMetadata('crossplane/described', owner, signal);
    await client.close();
    for (const name of ['taken', 'described']) {
      const to = publishing({ name });
      assert.deepEqual(await readFrom(place, to), {});
      await keep(place, to, details);
      assert.deepEqual(server.peek(`crossplane/${name}`)?.data, { ...details, ...noted });
      assert.deepEqual(server.peek(`crossplane/${name}`)?.customMetadata, owner);
    }
  });

  test('a path that another owner claimed and did not fill yet is not written', async () => {
    const client = vaultClient('secret', { clock: realClock(), server: server.url, token });
    const otherOwner = ownedBy('their-uid');
    await client.write('crossplane/begun', otherOwner, { cas: 0 }, signal);
    await client.close();
    const { place } = configured(spec());
    const ours = publishing({ name: 'begun' });
    await assert.rejects(keep(place, ours, details), /belongs to another managed resource/);
    await place.remove(ours, signal);
    assert.deepEqual(server.peek('crossplane/begun')?.data, otherOwner);
  });

  test('removal removes every version', async () => {
    const { place } = configured(spec());
    const to = publishing({ name: 'leaving' });
    await keep(place, to, details);
    await place.remove(to, signal);
    assert.equal(server.peek('crossplane/leaving'), undefined);
  });

  test('a revoked token is reported, and the next token is read from the Secret', async () => {
    const { cluster, place, pass } = configured(spec());
    const to = publishing({ name: 'rotated' });
    server.tokens.clear();
    server.tokens.add('next-token');
    await assert.rejects(keep(place, to, details), /refused the token for secret/);
    const secret = cluster.get(SecretKind, tokenKey)!;
    cluster.put(SecretKind, { ...secret, data: encodeDetails({ token: 'next-token' }) });
    pass(3_000);
    await keep(place, to, details);
    assert.deepEqual(server.peek('crossplane/rotated')?.data, { ...details, ...noted });
    server.tokens.add(token);
  });

  const tokenFrom = (credentials: CredentialSelector): StoreConfig['spec'] => {
    const { vault, ...rest } = spec();
    return { ...rest, vault: { ...vault!, auth: { method: 'Token', token: credentials } } };
  };

  test('Vault is reached through the proxy of the environment', async () => {
    const { place } = configured(spec(), 'default', { createAgent: agentsBy(() => 'http://127.0.0.1:1') });
    await assert.rejects(keep(place, publishing(), details), /Vault .* cannot be reached: ECONNREFUSED/);
  });

  test('with the source None no token is sent', async () => {
    const sent: Omit<VaultOptions, 'clock'>[] = [];
    const { place } = configured(tokenFrom({ source: 'None' }), 'default', {}, (mountPath, options) => {
      const { clock: _, ...passed } = options;
      sent.push(passed);
      return vaultClient(mountPath, options);
    });
    await assert.rejects(place.read(publishing(), signal), /refused|denied|missing/i);
    assert.deepEqual(sent, [{ server: server.url }]);
  });

  test('a token that cannot be read, and a Vault that refuses it, are failures of the store', async () => {
    const { cluster, place, pass } = configured(spec());
    const { data: _, ...secret } = cluster.get(SecretKind, tokenKey)!;
    const classOf = (data?: Readonly<Record<string, string>>): Promise<unknown> => {
      cluster.put(SecretKind, { ...secret, ...(data && { data }) });
      pass(3_000);
      const reading = place.read(publishing(), signal).then(() => 'works');
      return reading.catch((error) => conditionErrorOf(error, undefined));
    };
    assert.deepEqual(await classOf(), { class: 'StoreTokenUnreadable' });
    assert.deepEqual(await classOf({ token: 'IA==' }), { class: 'StoreTokenUnreadable' });
    assert.deepEqual(await classOf({ token: 'b3RoZXI=' }), { class: 'StoreFailing' });
    assert.deepEqual(await classOf(encodeDetails({ token })), 'works');
  });

  test('a new token triggers the resources that failed', async () => {
    const { cluster, process, stores } = configured(spec());
    const condition = { type: 'Synced', status: 'False', reason: 'ReconcileError' } as const;
    const conditions = [{ ...condition, lastTransitionTime: '2026-01-02T03:04:05Z' }];
    const failed = publishing({}, 'failed-uid');
    cluster.put(managedKind, { ...failed, status: { conditions } });
    cluster.put(managedKind, { ...publishing(), metadata: { name: 'works', uid: 'works-uid' } });
    const woken: string[] = [];
    const triggers = stores.triggers(process.env.resource(managedKind));
    await process.synced();
    const subscription = requestsOf(...triggers).subscribe(({ name }) => woken.push(name));
    await process.settle();
    woken.length = 0;
    const secret = cluster.get(SecretKind, tokenKey)!;
    cluster.put(SecretKind, { ...secret, data: { token: 'b3RoZXI=' } });
    await process.settle();
    assert.deepEqual(woken, [failed.metadata.name]);
    subscription.unsubscribe();
    process.stop();
  });

  test('a missing field of a StoreConfig is named', async () => {
    const { vault: _none, ...bare } = spec();
    const { vault } = spec();
    const tokenless = { ...spec(), vault: { ...vault!, auth: { method: 'Token' as const } } };
    const rejects = (given: StoreConfig['spec'], reason: string) => {
      const message = `cannot get connection details: ${reason}`;
      return assert.rejects(keep(configured(given).place, publishing(), details), { message });
    };
    await rejects(bare, 'StoreConfig default is of type Vault and has no spec.vault');
    await rejects(tokenless, 'StoreConfig default has no spec.vault.auth.token');
  });

  test('an authority that is no PEM certificate is named, such as one in base64', async () => {
    const { certificate } = selfSignedCertificate();
    const given = {
      ...spec(),
      vault: { ...spec().vault!, caBundle: Buffer.from(certificate).toString('base64') },
    };
    await assert.rejects(keep(configured(given).place, publishing(), details), {
      message:
        'cannot get connection details: spec.vault.caBundle of StoreConfig default must be complete PEM certificates',
    });
  });
});
