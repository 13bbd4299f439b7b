import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ConnectionEntry, ConnectionPlace } from '../../../controllers/connection/connection-place.ts';
import { connectionPlaces } from '../../../controllers/connection/connection-places.ts';
import { disabledStores, storePlace } from '../../../controllers/connection/store-place.ts';
import type { StoredCredential } from '../../../controllers/credential.ts';
import { managed } from '../objects.ts';

const signal = new AbortController().signal;
const toSecret = { writeConnectionSecretToRef: { namespace: 'infra', name: 'db' } };
const toStore = { publishConnectionDetailsTo: { name: 'db' } };
const desired: StoredCredential = { details: { password: 'p' }, note: { key: 'a2V5' } };

/** A place in memory, and what was done there. */
function placeIn(
  calls: string[],
  name: string,
  isNamed: (managed: Managed) => boolean,
  had?: StoredCredential,
) {
  let entry: ConnectionEntry | undefined;
  const keep = (next: StoredCredential): ConnectionEntry => {
    entry = {
      ...next,
      isOwned: true,
      write: async (_managed, { details, note }) => {
        calls.push(`write ${name}`);
        return keep({ details, note });
      },
      confirm: async () => undefined,
    };
    return entry;
  };
  if (had !== undefined) keep(had);
  const place: ConnectionPlace = {
    isNamed,
    read: async () => entry,
    create: async (_managed, { details, note }) => {
      calls.push(`create ${name}`);
      return keep({ details, note });
    },
    async removePrevious() {
      calls.push(`removePrevious ${name}`);
      return [{ namespace: 'credentials', name }];
    },
    remove: async () => void calls.push(`remove ${name}`),
  };
  return { place, entry: () => entry && { details: entry.details, note: entry.note } };
}

function scene({ secret, store }: { secret?: StoredCredential; store?: StoredCredential } = {}) {
  const calls: string[] = [];
  const inSecret = placeIn(calls, 'Secret', ({ spec }) => 'writeConnectionSecretToRef' in spec, secret);
  const inStore = placeIn(calls, 'store', ({ spec }) => 'publishConnectionDetailsTo' in spec, store);
  return { calls, inSecret, inStore, places: connectionPlaces(inSecret.place, inStore.place) };
}

const both = managed({ ...toSecret, ...toStore });

describe('the places of connection details', () => {
  const other: StoredCredential = { ...desired, details: { password: 'other' } };
  const deciding: Readonly<Record<string, { resource: Managed; password: string; created: string }>> = {
    'a Secret alone decides': { resource: managed(toSecret), password: 'p', created: 'create Secret' },
    'a store alone decides': { resource: managed(toStore), password: 'other', created: 'create store' },
    'of both, the Secret decides': { resource: both, password: 'p', created: 'create Secret' },
  };
  for (const [rule, { resource, password, created }] of Object.entries(deciding)) {
    test(rule, async () => {
      const { calls, places } = scene({ secret: desired, store: other });
      assert.equal((await places.read(resource, signal))?.details.password, password);
      await places.create(resource, desired, signal);
      assert.deepEqual(calls, [created]);
    });
  }

  async function copies(
    resource: Managed,
    want: readonly string[],
    store?: StoredCredential,
    stored = desired,
  ): Promise<void> {
    const { calls, inStore, places } = scene({ secret: stored, ...(store && { store }) });
    await places.copy(resource, stored, signal);
    assert.deepEqual(calls, want);
    if (want.length > 0) assert.deepEqual(inStore.entry(), stored);
  }
  test('the copy in the store is created where there is none', () => copies(both, ['create store']));
  test('the copy in the store is written where the details differ', () =>
    copies(both, ['write store'], other));
  test('the copy in the store is written where the note differs', () =>
    copies(both, ['write store'], { ...desired, note: { key: 'b3RoZXI=' } }));
  test('the copy in the store is not written where it is the same', () => copies(both, [], desired));
  test('the copy in the store is not created of nothing', () =>
    copies(both, [], undefined, { details: {}, note: undefined }));
  test('the copy in the store is not written without a Secret', () => copies(managed(toStore), [], other));
  test('the copy in the store is not written without a store', () => copies(managed(toSecret), []));

  test('former entries are removed from the Secret and the store', async () => {
    const { calls, places } = scene();
    const removed = await places.removePrevious(both, signal);
    assert.deepEqual(calls, ['removePrevious Secret', 'removePrevious store']);
    assert.deepEqual(
      removed.map(({ name }) => name),
      ['Secret', 'store'],
    );
  });

  test('removal removes from the Secret and the store, also if the resource names the store no more', async () => {
    const { calls, places } = scene();
    await places.remove(both, signal);
    await places.remove(managed(toSecret), signal);
    assert.deepEqual(calls, ['remove Secret', 'remove store', 'remove Secret', 'remove store']);
  });

  test('the first error of a place ends the write', async () => {
    const { calls, inSecret, inStore } = scene();
    const failing = { ...inSecret.place, remove: () => Promise.reject(new Error('etcd is unavailable')) };
    await assert.rejects(connectionPlaces(failing, inStore.place).remove(both, signal), /etcd/);
    assert.deepEqual(calls, []);
  });
});

test('a store that is not configured is refused', async () => {
  const message = /: cannot publish to secret store, feature is not enabled$/;
  const used = managed(toStore);
  const place = storePlace(disabledStores);
  await assert.rejects(place.read(used, signal), { message });
  await assert.rejects(place.create(used, desired, signal), { message });
  await assert.rejects(place.remove(used, signal), { message });
  await place.removePrevious(managed(), signal);
  assert.equal(place.isNamed(managed()), false);
});
