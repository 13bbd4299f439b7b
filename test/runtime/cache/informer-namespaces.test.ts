import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import map from 'lodash/map.js';
import { Subscription, throwError } from 'rxjs';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import type { Informers } from '../../../runtime/cache/informers.ts';
import { createInformers } from '../../../runtime/cache/informers.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { ApiError } from '../../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../../runtime/client/kubernetes-client.ts';
import { inProcessClient } from '../../../testing/in-process-client.ts';
import { MemoryCluster } from '../../../testing/memory-cluster.ts';
import type { TestClock } from '../../../testing/test-clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import type { Widget } from '../widgets.ts';
import { WidgetKind, widget } from '../widgets.ts';

const inNamespace = (namespace: string, name: string, size = 0): Widget =>
  widget(name, { metadata: { namespace }, spec: { size } });

describe('a kind that is watched in some namespaces only', () => {
  let clock: TestClock;
  let cluster: MemoryCluster;
  let informers: Informers;
  let widgets: Resource<Widget>;
  let life: Subscription;
  /** The requests since the test last cleared them, for example `list a` and `watch b`. */
  let requests: string[];
  /** The requests that are refused, each with its error. */
  let refusals: Map<string, ApiError>;

  beforeEach(() => {
    clock = testClock();
    cluster = new MemoryCluster(() => clock.now());
    requests = [];
    refusals = new Map();
    life = new Subscription();
    const client = inProcessClient(cluster, clock);
    const watched: KubernetesClient = {
      ...client,
      async list(kind, options, signal) {
        if (options.resourceVersion !== '0') requests.push(`list ${options.namespace}`);
        const refusal = refusals.get(`list ${options.namespace}`);
        if (refusal !== undefined) throw refusal;
        return client.list(kind, options, signal);
      },
      watch(kind, options) {
        requests.push(`watch ${options.namespace}`);
        const refusal = refusals.get(`watch ${options.namespace}`);
        return refusal === undefined ? client.watch(kind, options) : throwError(() => refusal);
      },
    };
    informers = createInformers({
      client: watched,
      clock,
      log: recordedLog(),
      random: () => 0.5,
      namespacesOf: () => ['a', 'b'],
    });
    widgets = informers.resource(WidgetKind);
    widgets.store.addIndex('size', ({ spec }) => [String(spec?.size)]);
  });
  afterEach(() => life.unsubscribe());

  const start = async (): Promise<void> => {
    life.add(informers.run$.subscribe());
    await clock.settle();
  };
  const names = () => widgets.store.all().map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const taken = (): readonly string[] => requests.splice(0);

  test('is in one store, and nowhere else is asked about', async () => {
    cluster.put(WidgetKind, inNamespace('a', 'one', 3));
    cluster.put(WidgetKind, inNamespace('b', 'one', 3));
    cluster.put(WidgetKind, inNamespace('c', 'one', 3));
    await start();
    cluster.put(WidgetKind, inNamespace('b', 'two', 4));
    cluster.put(WidgetKind, inNamespace('c', 'two', 4));
    await clock.settle();
    assert.deepEqual(names(), ['a/one', 'b/one', 'b/two']);
    assert.deepEqual(map(widgets.store.byIndex('size', '3'), 'metadata.namespace'), ['a', 'b']);
    assert.equal(widgets.get({ namespace: 'b', name: 'two' })?.spec?.size, 4);
    assert.equal(widgets.get({ namespace: 'c', name: 'two' }), undefined);
    assert.deepEqual(taken().toSorted(), ['list a', 'list b', 'watch a', 'watch b']);
    const [state, ...others] = informers.states();
    assert.deepEqual([state?.isSynced, state?.objectCount, state?.listCount, others], [true, 3, 2, []]);
  });

  test('tells of changes in all of them', async () => {
    await start();
    const reported: string[] = [];
    cluster.put(WidgetKind, inNamespace('a', 'one'));
    await clock.settle();
    life.add(
      widgets.store.changes$.subscribe(({ type, object: { metadata } }) =>
        reported.push(`${type} ${metadata.namespace}/${metadata.name}`),
      ),
    );
    cluster.put(WidgetKind, inNamespace('b', 'one'));
    cluster.remove(WidgetKind, 'one', 'a');
    await clock.settle();
    assert.deepEqual(reported, ['added a/one', 'added b/one', 'deleted a/one']);
  });

  test('an informer is synced when all of its namespaces are, and then reports it', async () => {
    refusals.set('list b', new ApiError('no', { code: 403, reason: 'Forbidden' }));
    let isSynced = false;
    void informers.synced(new AbortController().signal).then(() => {
      isSynced = true;
    });
    let isStoreSynced = false;
    life.add(
      widgets.store.synced$.subscribe(() => {
        isStoreSynced = true;
      }),
    );
    let reported = 0;
    life.add(
      informers.stateChange$.subscribe(() => {
        reported += 1;
      }),
    );
    await start();
    const states = () => [
      informers.states().map(({ stream, isSynced }) => [stream.phase, isSynced]),
      isSynced,
      widgets.store.isSynced,
      isStoreSynced,
      reported,
    ];
    assert.deepEqual(states(), [[['waiting', false]], false, false, false, 1]);
    refusals.clear();
    await clock.advance(30_000);
    assert.deepEqual(states(), [[['watching', true]], true, true, true, 2]);
  });

  test('a namespace that is listed again after a 410 does not change the objects of other namespaces', async () => {
    cluster.put(WidgetKind, inNamespace('a', 'one'));
    cluster.put(WidgetKind, inNamespace('b', 'one'));
    cluster.put(WidgetKind, inNamespace('b', 'two'));
    await start();
    taken();
    refusals.set('watch b', new ApiError('too old', { code: 410, reason: 'Expired' }));
    await clock.advanceUntil(() => requests.includes('watch b'), 600_000);
    // No watch reports this deletion.
    cluster.remove(WidgetKind, 'one', 'b');
    cluster.put(WidgetKind, inNamespace('b', 'three'));
    assert.equal(names().length, 3);
    refusals.clear();
    await clock.advance(5_000);
    assert.deepEqual(names(), ['a/one', 'b/two', 'b/three']);
    const lists = taken().filter((request) => request.startsWith('list'));
    assert.deepEqual(lists, ['list b']);
  });

  test('an answer about another namespace is not kept', async () => {
    await start();
    cluster.put(WidgetKind, inNamespace('c', 'one'));
    assert.equal((await widgets.fetch({ namespace: 'c', name: 'one' }))?.metadata.name, 'one');
    assert.deepEqual(names(), []);
    await widgets.create(inNamespace('a', 'mine'));
    assert.deepEqual(names(), ['a/mine'], 'its own write is known at once');
  });

  test('of the kind Namespace, these are watched by their names', async () => {
    const namespaces = informers.resource(NamespaceKind);
    const put = (name: string) =>
      cluster.put(NamespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const name of ['a', 'b', 'c']) put(name);
    await start();
    assert.deepEqual(map(namespaces.store.all(), 'metadata.name'), ['a', 'b']);
    assert.equal(namespaces.get({ name: 'b' })?.metadata.name, 'b');
    assert.equal(namespaces.get({ name: 'c' }), undefined);
    assert.equal((await namespaces.fetch({ name: 'c' }))?.metadata.name, 'c');
    assert.equal(namespaces.get({ name: 'c' }), undefined, 'nor is what is read kept');
  });
});
