import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import map from 'lodash/map.js';
import { ControllerError } from '../../../apis/core/v1alpha1/condition.ts';
import { labelledFor } from '../../../apis/core/v1alpha1/connection-labels.ts';
import type { ObjectMeta } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import {
  allowsPropagationTo,
  decodeDetails,
  encodeDetails,
  propagationAnnotations,
  SecretKind,
} from '../../../apis/core/v1alpha1/secret.ts';
import { withReported } from '../../../controllers/connection/connection-place.ts';
import { secretPlace } from '../../../controllers/connection/secret-place.ts';
import type { StoredCredential } from '../../../controllers/credential.ts';
import { credentialAnnotation, encodeNote } from '../../../controllers/credential.ts';
import { connectionSecrets } from '../../../controllers/indexes.ts';
import { isConflict } from '../../../runtime/client/errors.ts';
import { broken, FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { deletionTimestamp, managed, secretOf } from '../objects.ts';

const signal = new AbortController().signal;
const key = { namespace: 'infra', name: 'db-connection' };
/** A run about it has ended. */
const db: Managed = managed({ writeConnectionSecretToRef: key }, { status: { bindingPhase: 'Unbound' } });
/** No run about it has ended, and nothing is known of its Secret. */
const fresh: Managed = managed({ writeConnectionSecretToRef: key });
const deleted: Managed = { ...db, metadata: { ...db.metadata, deletionTimestamp } };
const note = { key: 'a2V5', for: 'FancySQLInstance team/orders' };
const noted = { [credentialAnnotation]: encodeNote(note) };
const desired: StoredCredential = { details: { password: 'new' }, note };
const owner = (over: object = {}) => ({
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstance',
  name: 'db',
  uid: 'managed-uid',
  controller: true,
  ...over,
});
const old = { password: 'old', other: 'kept' };
const secret = (metadata: Partial<ObjectMeta>, type: string = connectionSecretType): Secret =>
  secretOf({ ...key, labels: labelledFor(undefined, db), ...metadata }, { type, data: encodeDetails(old) });

function scene(existing?: Secret) {
  const cluster = new FakeCluster();
  if (existing !== undefined) cluster.put(SecretKind, existing);
  const process = new FakeProcess(cluster);
  const place = secretPlace(connectionSecrets(process.env));
  const read = async () => (await place.read(db, signal)) ?? assert.fail();
  return { cluster, process, place, read, stored: () => cluster.get(SecretKind, key) };
}

describe('the connection Secret', () => {
  test('a resource that names none needs no call', async () => {
    const { cluster, place } = scene();
    assert.equal(place.isNamed(managed()), false);
    assert.equal(await place.read(managed(), signal), undefined);
    await place.remove(managed(), signal);
    assert.deepEqual(cluster.calls, []);
  });

  test('is created in one call: typed, labelled, controlled by the resource, with the note', async () => {
    const { cluster, place, stored } = scene();
    const consent = allowsPropagationTo({ namespace: 'team', name: 'conn' });
    const allowing = { ...db, metadata: { ...db.metadata, annotations: consent } };
    const { details, note: written, isOwned } = await place.create(allowing, desired, signal);
    assert.deepEqual({ details, note: written, isOwned }, { ...desired, isOwned: true });
    const verbs = cluster.calls.map(({ verb }) => verb);
    assert.deepEqual(verbs, ['create']);
    const { type, metadata, data } = stored() ?? assert.fail();
    assert.deepEqual([type, data], [connectionSecretType, encodeDetails(desired.details)]);
    assert.deepEqual(metadata.labels, labelledFor(undefined, db));
    assert.deepEqual(metadata.annotations, { ...consent, ...noted });
    const owners = metadata.ownerReferences?.map(({ uid, controller }) => ({ uid, controller }));
    assert.deepEqual(owners, [{ uid: 'managed-uid', controller: true }]);
  });

  test('of two processes that create it, the second gets a conflict, and reads what the first wrote', async () => {
    const { cluster, place, read } = scene();
    const second = secretPlace(connectionSecrets(new FakeProcess(cluster).env));
    await second.create(db, { ...desired, details: { password: 'theirs' } }, signal);
    await assert.rejects(place.create(db, desired, signal), isConflict);
    assert.deepEqual((await read()).details, { password: 'theirs' });
  });

  test('of a new resource is created without a read', async () => {
    const { cluster, place } = scene();
    assert.equal(await place.read(fresh, signal), undefined);
    await place.create(fresh, desired, signal);
    assert.deepEqual(map(cluster.calls, 'verb'), ['create']);
  });

  for (const type of [connectionSecretType, 'Opaque']) {
    test(`of a new resource exists with type ${type}: its creation is refused, and the next run reads it`, async () => {
      const { cluster, place } = scene();
      await place.read(fresh, signal);
      cluster.put(SecretKind, secret({ ownerReferences: [owner()] }, type)); // the cache has not received it yet
      await assert.rejects(place.create(fresh, desired, signal), isConflict);
      assert.deepEqual((await place.read(fresh, signal))?.details, old);
    });
  }

  test('is written in the version that was read, and returns the new one', async () => {
    const { place, read, stored } = scene(secret({ ownerReferences: [owner()] }));
    const first = await read();
    const second = await first.write(db, desired, signal);
    assert.deepEqual(decodeDetails(stored()), { password: 'new' });
    await assert.rejects(first.write(db, { ...desired, details: { password: 'late' } }, signal), isConflict);
    await second.write(db, { ...desired, details: { password: 'newest' } }, signal);
    assert.deepEqual((await place.read(db, signal))?.details, { password: 'newest' });
  });

  test('after a conflict the next read has what the API server has, though the watch lags', async () => {
    const { cluster, read } = scene(secret({ ownerReferences: [owner()] }));
    const entry = await read();
    cluster.edit(SecretKind, key, (each) => ({ ...each, data: encodeDetails({ password: 'edited' }) }));
    await assert.rejects(entry.write(db, desired, signal), isConflict);
    assert.deepEqual((await read()).details, { password: 'edited' });
  });

  test('a write that changes nothing is no write', async () => {
    const { cluster, read } = scene(secret({ ownerReferences: [owner()], annotations: noted }));
    const entry = await read();
    await entry.write(db, entry, signal);
    assert.deepEqual(cluster.writes, []);
  });

  test('a Secret is confirmed while no other client changed or removed it', async () => {
    const { cluster, read } = scene(secret({ ownerReferences: [owner()] }));
    const entry = await read();
    await entry.confirm(signal);
    const written = await entry.write(db, desired, signal);
    await written.confirm(signal);
    cluster.edit(SecretKind, key, (found) => ({ ...found, data: encodeDetails({ password: 'edited' }) }));
    cluster.clockMs += 6_000; // an answer that is younger than 5 s counts as a read
    await assert.rejects(written.confirm(signal), isConflict);
    cluster.delete(SecretKind, key, deletionTimestamp);
    await assert.rejects(written.confirm(signal), isConflict);
  });

  test('entries that do not change keep their bytes, also those that are no text', async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00]).toString('base64');
    const existing = secret({ ownerReferences: [owner()] });
    const { read, stored } = scene({ ...existing, data: { ...existing.data, keystore: bytes } });
    const entry = await read();
    await entry.write(db, { details: { ...entry.details, password: 'new' }, note }, signal);
    assert.equal(stored()?.data?.keystore, bytes);
    assert.equal(decodeDetails(stored()).password, 'new');
  });

  test('the labels of the Secret follow the claim, and other labels stay', async () => {
    const { read, stored } = scene(secret({ ownerReferences: [owner()], labels: { tier: 'gold' } }));
    const claimRef = { kind: 'FancySQLInstance', namespace: 'team', name: 'orders' };
    const claimed = managed({ writeConnectionSecretToRef: key, claimRef });
    for (const resource of [claimed, db]) {
      const entry = await read();
      await entry.write(resource, entry, signal);
      assert.deepEqual(stored()?.metadata.labels, { tier: 'gold', ...labelledFor(undefined, resource) });
    }
  });

  const owned = { ownerReferences: [owner()] };
  const toClaim = allowsPropagationTo({ namespace: 'team', name: 'conn' });
  const toOther = { 'to.propagate.crossplane.io/backup': 'backup/conn' };
  type Note = StoredCredential['note'];
  async function consents(before: Note, after: Note, isConsentRetained: boolean): Promise<void> {
    const its = before === undefined ? {} : { [credentialAnnotation]: encodeNote(before) };
    const { read, stored } = scene(secret({ ...owned, annotations: { ...toClaim, ...toOther, ...its } }));
    await (await read()).write(db, { ...desired, note: after }, signal);
    assert.deepEqual(stored()?.metadata.annotations, {
      ...(isConsentRetained ? toClaim : {}),
      ...toOther,
      ...(after && { [credentialAnnotation]: encodeNote(after) }),
    });
    const propagated = Object.keys(propagationAnnotations(stored() ?? db));
    assert.equal(propagated.includes(Object.keys(toClaim)[0] ?? ''), isConsentRetained);
  }
  test("a claim's consent to be copied ends when the note names another claim; that of others stays", () =>
    consents(note, { ...note, for: 'FancySQLInstance team/next' }, false));
  test("a claim's consent to be copied ends when the note names no claim any more; that of others stays", () =>
    consents(note, { key: note.key }, false));
  test("a claim's consent to be copied stays when the credential rotates for the same claim; that of others stays", () =>
    consents(note, { ...note, rotation: 'r2' }, true));
  test("a claim's consent to be copied stays when the note names a claim for the first time; that of others stays", () =>
    consents({ key: note.key }, note, true));
  test("a claim's consent to be copied stays when a Secret without a note is adopted; that of others stays", () =>
    consents(undefined, note, true));

  const adoptable: Readonly<Record<string, readonly ReturnType<typeof owner>[]>> = {
    'without a controller': [],
    'that the resource controlled before a backup was restored': [owner({ uid: 'former' })],
    'that another object owns without controlling it': [owner({ uid: 'another-uid', controller: false })],
  };
  for (const [what, ownerReferences] of Object.entries(adoptable)) {
    test(`a Secret ${what} is read, and the next write becomes its controller`, async () => {
      const { read, stored } = scene(secret({ ownerReferences: [...ownerReferences] }));
      const entry = await read();
      const { details, note: found, isOwned } = entry;
      assert.deepEqual([details, found, isOwned], [old, undefined, false]);
      const written = await entry.write(db, { ...entry, note }, signal);
      assert.equal(written.isOwned, true);
      const others = ownerReferences.filter(({ controller }) => !controller).map(({ uid }) => uid);
      const uids = stored()?.metadata.ownerReferences?.map(({ uid }) => uid);
      assert.deepEqual(uids, [...others, 'managed-uid']);
      assert.deepEqual(decodeDetails(stored()), old);
    });
  }

  const rival = owner({ name: 'rival', uid: 'rival-uid' });
  const refused: Readonly<Record<string, readonly [existing: Secret, message: RegExp]>> = {
    'without a controller, of another type': [
      secret({}, 'Opaque'),
      /a secret of type "Opaque" exists that these controllers did not write \(infra\/db-connection\); name another in spec\.writeConnectionSecretToRef of FavouriteDBInstance db; the existing Secret may be the only copy of its contents: ask its author before you delete it$/,
    ],
    'that another resource controls': [
      secret({ ownerReferences: [rival] }),
      /the secret belongs to FavouriteDBInstance rival, not to FavouriteDBInstance db/,
    ],
  };
  for (const [what, [existing, message]] of Object.entries(refused)) {
    test(`a Secret ${what} is neither read, written nor removed`, async () => {
      const { cluster, place, stored } = scene(existing);
      for (const call of [() => place.read(db, signal), () => place.create(db, desired, signal)]) {
        await assert.rejects(call, (error: Error) => {
          assert.ok(error instanceof ControllerError);
          assert.match(error.message, message);
          return true;
        });
      }
      await place.remove(deleted, signal);
      assert.deepEqual(decodeDetails(stored()), old);
      const writes = cluster.writes.filter(({ verb }) => verb !== 'create');
      assert.deepEqual(writes, []);
    });
  }

  test('a Secret of another type that the resource controls is read, and keeps its type', async () => {
    const { read, stored } = scene(secret(owned, 'Opaque'));
    await (await read()).write(db, desired, signal);
    assert.equal(stored()?.type, 'Opaque');
  });

  test('an error of the API server does not count as an absent Secret', async () => {
    const { cluster, place } = scene();
    for (const verb of ['get', 'create'] as const) cluster.refuse(verb, SecretKind, broken());
    const fails = (call: Promise<unknown>, verb: string) =>
      assert.rejects(call, { message: `cannot ${verb} connection secret: etcd is unavailable` });
    await fails(place.read(db, signal), 'get');
    await fails(place.create(db, desired, signal), 'create');
  });

  const naming = (name: string): Managed => managed({ writeConnectionSecretToRef: { ...key, name } });
  const edits: Readonly<Record<string, readonly [to: Managed, removePrevious: readonly string[]]>> = {
    'the reference was removed': [managed(), ['stranger']],
    'the reference names another Secret that the resource controls': [
      naming('second'),
      ['second', 'stranger'],
    ],
    'the reference names a Secret of another resource': [naming('stranger'), ['stranger']],
  };
  for (const [when, [to, removePrevious]] of Object.entries(edits)) {
    for (const [what, left] of Object.entries({ remove: ['stranger'], removePrevious })) {
      test(`${what} deletes only the Secret that the resource controls: ${when}`, async () => {
        const { cluster, process, place } = scene(secret(owned));
        cluster.put(SecretKind, secret({ name: 'second', ...owned }));
        cluster.put(SecretKind, secret({ name: 'stranger', ownerReferences: [owner({ uid: 'another' })] }));
        await process.synced();
        await place[what as 'remove' | 'removePrevious'](to, signal);
        const names = cluster.all(SecretKind).map(({ metadata }) => metadata.name);
        assert.deepEqual(names, left);
      });
    }
  }
});

test('reported details replace entries of their key, and remove those of null', () => {
  const before = { password: 'p', uri: 'old', certificate: 'c' };
  const merged = withReported(before, { uri: 'new', certificate: null, port: '1' });
  assert.deepEqual(merged, { password: 'p', uri: 'new', port: '1' });
});
