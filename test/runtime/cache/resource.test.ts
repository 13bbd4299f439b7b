import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import isEqual from 'lodash/isEqual.js';
import map from 'lodash/map.js';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { createResource } from '../../../runtime/cache/resource.ts';
import { createStore } from '../../../runtime/cache/store.ts';
import { versionKey, versionsWrittenWith } from '../../../runtime/cache/written-versions.ts';
import { isConflict } from '../../../runtime/client/errors.ts';
import { kubernetesClient } from '../../../runtime/client/http-kubernetes-client.ts';
import type { KubernetesClient } from '../../../runtime/client/kubernetes-client.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import type { Widget } from '../widgets.ts';
import { until, WidgetKind, widget } from '../widgets.ts';

describe('resource', () => {
  let server: FakeApiServer;
  let client: ReturnType<typeof kubernetesClient>;
  let widgets: Resource<Widget>;
  let clock: ReturnType<typeof testClock>;
  before(async () => {
    server = await new FakeApiServer(WidgetKind).start();
    client = kubernetesClient({ kubeConfig: server.kubeConfig(), log: recordedLog(), clock: realClock() });
  });
  after(async () => {
    await client.close();
    await server.stop();
  });
  beforeEach(() => {
    for (const { metadata } of server.objects()) server.remove(WidgetKind, metadata.name, metadata.namespace);
    clock = testClock();
    widgets = createResource(client, createStore(WidgetKind, { clock }), clock);
    server.requests.length = 0;
  });
  const key = { namespace: 'ns', name: 'a' };
  const writes = () => server.requests.filter(({ method }) => method !== 'GET');

  test('an object that a write returned is in the store at once', async () => {
    const created = await widgets.create(widget('a', { spec: { size: 1 } }));
    assert.equal(widgets.get(key), created);
    const updated = await widgets.update(created, { ...created, spec: { size: 2 } });
    assert.equal(widgets.get(key), updated);
    assert.equal(updated.spec?.size, 2);
  });

  test('find asks the API server only for what the store does not have', async () => {
    assert.equal(await widgets.find(key), undefined);
    server.put(WidgetKind, widget('a', { spec: { size: 3 } }));
    assert.equal((await widgets.find(key))?.spec?.size, 3);
    assert.equal(server.requests.length, 2);
    assert.equal(await widgets.find(key), widgets.get(key));
    assert.equal(server.requests.length, 2);
  });

  test('confirm counts an answer of the last 5 seconds as a read', async () => {
    const created = await widgets.create(widget('a'));
    await clock.advance(4_999);
    assert.equal(await widgets.confirm(created), created);
    assert.equal(server.requests.length, 1);
    await clock.advance(1);
    assert.equal(await widgets.confirm(created), created);
    assert.equal(server.requests.length, 2);
  });

  describe('confirm waits for the answer to a write of the same object', () => {
    /** A resource whose answers to creations wait until `answer` is called; and a created object that the watch has shown. */
    async function creating() {
      const answered = Promise.withResolvers<void>();
      const stored = Promise.withResolvers<Widget>();
      const store = createStore(WidgetKind, { clock });
      const slow: KubernetesClient = {
        ...client,
        async create(...given) {
          const object = await client.create(...given);
          stored.resolve(object as unknown as Widget);
          await answered.promise;
          return object;
        },
      };
      const resource = createResource(slow, store, clock);
      const created = resource.create(widget('a'));
      store.record(await stored.promise);
      server.requests.length = 0;
      return { resource, created, shown: resource.get(key)!, answered };
    }

    test('the watch was faster: the answer counts as a read', async () => {
      const { resource, created, shown, answered } = await creating();
      const confirmed = resource.confirm(shown);
      answered.resolve();
      await created;
      assert.equal(await confirmed, shown);
      assert.deepEqual(server.requests, []);
    });

    test('the answer was lost: it reads', async () => {
      const { resource, created, shown, answered } = await creating();
      const confirmed = resource.confirm(shown);
      answered.reject(new Error('lost'));
      await assert.rejects(created, /lost/);
      assert.equal(await confirmed, shown);
      assert.equal(server.requests.length, 1);
    });
  });

  test('confirm yields nothing for an object that does not exist any more, or whose name another one has', async () => {
    const created = await widgets.create(widget('a'));
    server.remove(WidgetKind, 'a', 'ns');
    await clock.advance(5_000);
    assert.equal(await widgets.confirm(created), undefined);
    server.put(WidgetKind, widget('a'));
    assert.equal(await widgets.confirm(created), undefined);
  });

  test('confirm throws a conflict if the object was changed', async () => {
    const created = await widgets.create(widget('a', { spec: { size: 1 } }));
    server.put(WidgetKind, { ...created, spec: { size: 2 } });
    await clock.advance(5_000);
    await assert.rejects(widgets.confirm(created), isConflict);
  });

  test('fetch reads the object into the store, and yields undefined if there is none', async () => {
    assert.equal(await widgets.fetch(key), undefined);
    server.put(WidgetKind, widget('a', { spec: { size: 3 } }));
    assert.equal((await widgets.fetch(key))?.spec?.size, 3);
    assert.equal(widgets.get(key)?.spec?.size, 3);
  });

  test('an update without a change writes nothing', async () => {
    const created = await widgets.create(widget('a', { spec: { size: 1, list: ['x'] } }));
    server.requests.length = 0;
    const same = structuredClone(created);
    assert.equal(await widgets.update(created, same), created);
    assert.equal(await widgets.updateStatus(created, same), created);
    const onlyStatus = { ...created, status: { phase: 'Bound' } };
    assert.equal(await widgets.update(created, onlyStatus), created, 'update leaves status alone');
    const onlySpec = { ...created, spec: { size: 9 } };
    assert.equal(
      await widgets.updateStatus(created, onlySpec),
      created,
      'updateStatus leaves the rest alone',
    );
    const serverFields = { ...created.metadata, generation: 9, uid: 'x', resourceVersion: '1' };
    const owned = { ...created, metadata: serverFields };
    assert.equal(await widgets.update(created, owned), created, 'what the server owns is not written');
    assert.deepEqual(server.requests, []);
  });

  test('empty labels, annotations, finalizers or owners are the same as none, and write nothing', async () => {
    const created = await widgets.create(widget('a', { spec: { size: 1 } }));
    const empty = { annotations: {}, labels: {}, finalizers: [], ownerReferences: [] };
    server.requests.length = 0;
    const same = { ...created, metadata: { ...created.metadata, ...empty } };
    assert.equal(await widgets.update(created, same), created);
    assert.deepEqual(writes(), []);
  });

  test('several changes go out as one merge patch under the version that was read', async () => {
    const created = await widgets.create(
      widget('a', { spec: { size: 1, text: 'x' }, metadata: { labels: { old: 'y' }, finalizers: ['f'] } }),
    );
    server.requests.length = 0;
    const { labels: _, ...metadata } = created.metadata;
    const edits = { annotations: { note: 'z' }, finalizers: ['f', 'g'] };
    await widgets.update(created, { ...created, metadata: { ...metadata, ...edits }, spec: { size: 2 } });
    const [{ method, body, headers } = assert.fail(), ...others] = writes();
    assert.deepEqual([method, headers['content-type']], ['PATCH', 'application/merge-patch+json']);
    const { resourceVersion } = created.metadata;
    assert.deepEqual(body, {
      metadata: { labels: null, ...edits, resourceVersion },
      spec: { size: 2, text: null },
    });
    assert.deepEqual(others, []);
  });

  describe('the end of the tracking of field owners', () => {
    const labels = { a: 'b' };
    const labelled = ({ metadata, ...rest }: Widget): Widget => ({
      ...rest,
      metadata: { ...metadata, labels },
    });
    const ceases = async (current: Widget): Promise<boolean> => {
      server.requests.length = 0;
      await widgets.update(current, labelled(current), undefined, { ceasesTracking: true });
      const [write] = writes();
      const { metadata } = (write?.body ?? {}) as { readonly metadata?: object };
      return isEqual((metadata as { readonly managedFields?: unknown })?.managedFields, [{}]);
    };

    test('happens if only we wrote the object, whether it was created or read', async () => {
      assert.equal(await ceases(await widgets.create(widget('a'))), true);
      await widgets.create(widget('b'));
      const read = await widgets.fetch({ ...key, name: 'b' });
      assert.equal(await ceases(read ?? assert.fail('it is not there')), true);
    });
    test('does not happen if no controller requests it', async () => {
      const created = await widgets.create(widget('a'));
      server.requests.length = 0;
      await widgets.update(created, labelled(created));
      const { resourceVersion } = created.metadata;
      assert.deepEqual(map(writes(), 'body'), [{ metadata: { labels, resourceVersion } }]);
    });
    test('alone is no reason to write', async () => {
      const created = await widgets.create(widget('a'));
      server.requests.length = 0;
      assert.equal(await widgets.update(created, created, undefined, { ceasesTracking: true }), created);
      assert.deepEqual(writes(), []);
    });
    test('happens once: tracking that began again belongs to another user', async () => {
      const created = await widgets.create(widget('a'));
      assert.equal(await ceases(created), true);
      const forgotten = widgets.get(key) ?? assert.fail('it is not there');
      assert.equal(await ceases({ ...forgotten, metadata: { ...forgotten.metadata, labels: {} } }), false);
      server.apply(WidgetKind, key, { spec: { size: 3 } }, 'somebody');
      const applied = await widgets.fetch(key);
      assert.equal(await ceases(applied ?? assert.fail('it is not there')), false);
    });
    const acts: Readonly<Record<string, () => Promise<void>>> = {
      'created by a user': async () => void server.put(WidgetKind, widget('a')),
      'edited by a user': async () => {
        const created = await widgets.create(widget('a'));
        server.put(WidgetKind, { ...created, spec: { size: 2 } });
      },
      'applied, even in our name': async () => {
        await widgets.create(widget('a'));
        server.apply(WidgetKind, key, { spec: { size: 2 } });
      },
    };
    for (const [name, act] of Object.entries(acts)) {
      test(`does not happen for an object that was ${name}`, async () => {
        await act();
        const read = await widgets.fetch(key);
        assert.equal(await ceases(read ?? assert.fail('it is not there')), false);
      });
    }
  });

  test('status goes through its subresource', async () => {
    const created = await widgets.create(widget('a'));
    server.requests.length = 0;
    const updated = await widgets.updateStatus(created, { ...created, status: { phase: 'Bound' } });
    assert.equal(updated.status?.phase, 'Bound');
    const [write] = writes();
    assert.equal(write?.path, '/apis/test.example.org/v1/namespaces/ns/widgets/a/status');
    const { resourceVersion } = created.metadata;
    assert.deepEqual(write?.body, { status: { phase: 'Bound' }, metadata: { resourceVersion } });
  });

  test('an object that changed since is a conflict, and stays as it is', async () => {
    const created = await widgets.create(widget('a', { spec: { size: 1 } }));
    server.put(WidgetKind, { ...created, spec: { size: 5 } });
    await assert.rejects(widgets.update(created, { ...created, spec: { size: 2 } }), isConflict);
    await assert.rejects(widgets.updateStatus(created, { ...created, status: { phase: 'x' } }), isConflict);
    await assert.rejects(widgets.delete(created), isConflict);
    assert.equal((await widgets.fetch(key))?.spec?.size, 5);
  });

  test('a deletion has UID and version, and succeeds if the object does not exist', async () => {
    const created = await widgets.create(widget('a'));
    await widgets.delete(created);
    const { uid, resourceVersion } = created.metadata;
    const { preconditions } = writes().at(-1)!.body as { preconditions: unknown };
    assert.deepEqual(preconditions, { uid, resourceVersion });
    assert.equal(server.objects().length, 0);
    await widgets.delete(created);
  });

  test('only the API server reports absence: a 404 of a proxy is a failure, and the object stays in the store', async () => {
    const created = await widgets.create(widget('a'));
    server.fail({ status: 404, body: '404 page not found', times: 2 });
    await assert.rejects(widgets.fetch(key), { name: 'ApiError', code: 404, reason: 'Unknown' });
    await assert.rejects(widgets.delete(created), { name: 'ApiError', code: 404, reason: 'Unknown' });
    assert.equal(server.objects().length, 1);
    await widgets.delete(created);
    assert.equal(await widgets.fetch(key), undefined);
  });

  test('a write with an answer about another object or version is an error, and the store does not change', async () => {
    const created = await widgets.create(widget('a', { spec: { size: 1 } }));
    const { metadata, ...rest } = created;
    const answers: readonly object[] = [
      { metadata: {} },
      { ...rest, metadata: { ...metadata, uid: 'another' } },
      { ...rest, metadata: { ...metadata, resourceVersion: '1' } },
    ];
    for (const answer of answers) {
      server.fail({ status: 200, body: JSON.stringify(answer), times: 2 });
      const invalid = { name: 'ApiError', code: 0, reason: 'InvalidAnswer' };
      await assert.rejects(widgets.update(created, { ...created, spec: { size: 2 } }), invalid);
      await assert.rejects(widgets.updateStatus(created, { ...created, status: { phase: 'x' } }), invalid);
    }
    assert.deepEqual(widgets.get(key), created);
    assert.equal((await widgets.update(created, { ...created, spec: { size: 2 } })).spec?.size, 2);
  });

  test('only a write that made a version counts as the one that made it', async () => {
    const foreign = await widgets.create(widget('a', { spec: { size: 1 } }));
    const run = new AbortController().signal;
    server.fail({ status: 200, body: JSON.stringify(foreign) });
    await widgets.updateStatus(foreign, { ...foreign, status: { phase: 'x' } }, run);
    assert.deepEqual([...versionsWrittenWith(run)], []);
    const ours = await widgets.updateStatus(foreign, { ...foreign, status: { phase: 'x' } }, run);
    assert.deepEqual([...versionsWrittenWith(run)], [versionKey(ours)]);
  });

  test('a signal aborts a write', async () => {
    server.fail({ status: -1, method: 'POST' });
    const abort = new AbortController();
    const write = widgets.create(widget('a'), abort.signal);
    await until('it was sent', () => server.requests.length === 1);
    abort.abort();
    await assert.rejects(write, { name: 'ApiError', code: 0, reason: 'Aborted' });
  });
});
