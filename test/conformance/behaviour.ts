import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject, ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../runtime/client/errors.ts';
import type { KubernetesClient, WatchEvent } from '../../runtime/client/kubernetes-client.ts';
import { FancySQLInstanceKind as kind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import type { ManagedFields } from '../../testing/field-tracking.ts';
import { objectOf } from './table.ts';

type Claim = KubernetesObject & { readonly spec: object; readonly status?: object };

const waits = { status: { bindingPhase: 'Unbound' } };
/** The default of our definitions: no controller has observed the object. */
const untouched = { observedGeneration: -1 };
const versionOf = ({ metadata }: KubernetesObject) => metadata.resourceVersion ?? '';

/** The behaviour of an API server on which our processes rely, tested through a client. `until` waits for a watch. */
export function testBehaviour(
  client: () => KubernetesClient,
  until: (isSo: () => boolean) => Promise<void>,
): void {
  let names = 0;
  const create = async (metadata: Partial<ObjectMeta> = {}, fields: object = { spec: {} }) => {
    const object = objectOf(kind, `behaviour-${++names}`, { ...fields });
    const given = { ...object, metadata: { ...object.metadata, ...metadata } };
    return (await client().create(kind, given as never)) as Claim;
  };
  const patch = async (of: Claim, change: object, options?: { readonly subresource: 'status' }) =>
    (await client().patch(kind, of.metadata, change, options)) as unknown as Claim;

  test('a new object has a UID, a version, generation 1 and the default status', async () => {
    const created = await create({ uid: 'mine' }, { spec: {}, ...waits });
    const { uid, resourceVersion, generation, creationTimestamp } = created.metadata;
    assert.ok(uid !== 'mine' && uid && resourceVersion && creationTimestamp);
    assert.deepEqual([generation, created.status], [1, untouched]);
    await assert.rejects(create({ name: created.metadata.name }), isAlreadyExists);
    assert.deepEqual(await client().get(kind, created.metadata), created);
  });

  test('a write that changes nothing keeps the version', async () => {
    // The API server stores the default status at the first write after the creation.
    const created = await patch(await create(), { metadata: { labels: { a: 'b' } } });
    assert.equal(versionOf(await patch(created, { spec: {} })), versionOf(created));
    const marked = await patch(created, waits, { subresource: 'status' });
    assert.notEqual(versionOf(marked), versionOf(created));
    assert.equal(versionOf(await patch(created, waits, { subresource: 'status' })), versionOf(marked));
  });

  test('the generation counts changes of the spec alone', async () => {
    const created = await create();
    const labelled = await patch(created, { metadata: { labels: { a: 'b' } } });
    const marked = await patch(created, waits, { subresource: 'status' });
    const edited = await patch(created, { spec: { version: '5.7' } });
    assert.deepEqual(
      [labelled, marked, edited].map(({ metadata }) => metadata.generation),
      [1, 1, 2],
    );
  });

  test('status is written through its subresource, and nothing else is', async () => {
    const created = await create();
    const ignored = await patch(created, { spec: { version: '5.7' }, ...waits });
    assert.deepEqual([ignored.spec, ignored.status], [{ version: '5.7' }, untouched]);
    const marked = await patch(created, { spec: { version: '8' }, ...waits }, { subresource: 'status' });
    assert.deepEqual([marked.spec, marked.status], [{ version: '5.7' }, { ...untouched, ...waits.status }]);
  });

  test("a write does not change the server's own fields", async () => {
    const created = await create({ finalizers: ['test.example.org/hold'] });
    const counted = await patch(created, { metadata: { generation: 7 } });
    assert.equal(counted.metadata.generation, 1);
    const deletionTimestamp = '2026-01-02T03:04:05Z';
    await assert.rejects(patch(created, { metadata: { deletionTimestamp } }), /field is immutable/);
    await patch(created, { metadata: { finalizers: null } });
    assert.ok(await client().get(kind, created.metadata));
  });

  test('a version that is given must be the newest', async () => {
    const created = await create();
    const metadata = { resourceVersion: versionOf(created) };
    await patch(created, { metadata: { ...metadata, labels: { a: 'b' } } });
    await assert.rejects(patch(created, { metadata, spec: { version: '5.7' } }), isConflict);
    await assert.rejects(patch(created, { metadata, ...waits }, { subresource: 'status' }), isConflict);
    await assert.rejects(client().replace(kind, created as never), isConflict);
    await assert.rejects(client().delete(kind, created.metadata, metadata), isConflict);
    await assert.rejects(client().delete(kind, created.metadata, { uid: 'another' }), isConflict);
    assert.ok(await client().get(kind, created.metadata));
  });

  test('finalizers hold what is deleted, and it goes with the last of them', async () => {
    const created = await create({ finalizers: ['test.example.org/hold'] });
    const { uid = '' } = created.metadata;
    await client().delete(kind, created.metadata, { uid });
    await client().delete(kind, created.metadata, { uid });
    const leaving = await client().get(kind, created.metadata);
    assert.ok(leaving.metadata.deletionTimestamp);
    const last = await patch(created, { metadata: { finalizers: null } });
    assert.deepEqual([last.metadata.finalizers ?? [], versionOf(last)], [[], versionOf(leaving)]);
    await assert.rejects(client().get(kind, created.metadata), isNotFound);
    await assert.rejects(client().delete(kind, created.metadata, { uid }), isNotFound);
  });

  test('lists come in pages of one version', async () => {
    const labels = { pages: 'yes' };
    for (let count = 0; count < 3; count += 1) await create({ labels });
    const selection = { labelSelector: 'pages=yes' };
    const first = await client().list(kind, { ...selection, limit: 2 });
    const { continueToken = '' } = first;
    const second = await client().list(kind, { ...selection, limit: 2, continueToken });
    assert.deepEqual([first.items.length, second.items.length, second.continueToken], [2, 1, undefined]);
    assert.equal(first.resourceVersion, second.resourceVersion);
  });

  test('a watch goes on from a version, and tells what comes into the selection and leaves it', async () => {
    const selection = { labelSelector: 'watched=yes' };
    const first = await create({ labels: { watched: 'yes' } });
    const { resourceVersion } = await client().list(kind, selection);
    const edited = await patch(first, { spec: { version: '5.7' } });
    const late = await create();
    await patch(late, { metadata: { labels: { watched: 'yes' } } });
    const reported: string[] = [];
    const observed: WatchEvent<KubernetesObject>[] = [];
    const subscription = client()
      .watch(kind, { ...selection, resourceVersion, timeoutSeconds: 60 })
      .subscribe((event) => {
        if (event.type === 'BOOKMARK') return;
        reported.push(`${event.type} ${event.object.metadata.name}`);
        observed.push(event);
      });
    await until(() => reported.length === 2);
    const left = await patch(edited, { metadata: { labels: null } });
    await client().delete(kind, late.metadata, {});
    await until(() => reported.length === 4);
    subscription.unsubscribe();
    const [a, b] = [first.metadata.name, late.metadata.name];
    assert.deepEqual(reported, [`MODIFIED ${a}`, `ADDED ${b}`, `DELETED ${a}`, `DELETED ${b}`]);
    const gone = observed[2];
    assert.ok(gone !== undefined && 'object' in gone);
    assert.equal(versionOf(gone.object), versionOf(left), 'under the version of what made it leave');
  });

  /** The managers that wrote an object, with their operations. */
  const writersOf = ({ metadata }: KubernetesObject): readonly string[] => {
    const { managedFields = [] } = metadata as { readonly managedFields?: readonly ManagedFields[] };
    return [...new Set(managedFields.map(({ manager, operation }) => `${manager} ${operation}`))].toSorted();
  };
  const ours = ['services-stack Update'];

  test('the managers of an object are tracked until a write outside the status clears them, and then no more', async () => {
    const created = await create();
    const cleared = { managedFields: [{}] };
    const through = { metadata: cleared, ...waits };
    const marked = await patch(created, through, { subresource: 'status' });
    assert.deepEqual([created, marked].map(writersOf), [ours, ours]);
    const forgotten = await patch(created, { metadata: { labels: { a: 'b' }, ...cleared } });
    const later = await patch(created, { spec: { version: '5.7' } });
    const last = await patch(created, { status: { bindingPhase: 'Bound' } }, { subresource: 'status' });
    const read = await client().get(kind, created.metadata);
    for (const object of [forgotten, later, last, read]) {
      assert.ok(!('managedFields' in object.metadata));
    }
  });

  test('the managed fields in a creation have no effect', async () => {
    const created = await create({ managedFields: [{}] } as never);
    assert.deepEqual(writersOf(created), ours);
  });

  test('an apply starts the tracking again, and older fields belong to before-first-apply', async () => {
    const created = await create();
    await patch(created, { metadata: { managedFields: [{}] } });
    const fields = { metadata: { labels: { applied: 'yes' } } };
    const applied = await client().apply(kind, objectKey(created.metadata), fields, {
      fieldManager: 'somebody',
    });
    const others = ['before-first-apply Update', 'somebody Apply'];
    assert.deepEqual(writersOf(applied), others);
    const written = await patch(created, { spec: { version: '5.7' } });
    assert.deepEqual(writersOf(written), [...others, ...ours].toSorted());
  });
}
