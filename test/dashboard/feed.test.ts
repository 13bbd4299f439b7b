import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import map from 'lodash/map.js';
import { Subject } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import { feed$, mostPerBatch, tickMs } from '../../dashboard/feed.ts';
import type { Batch, RecordedEvent } from '../../dashboard/page/wire.ts';
import type { StreamedStore } from '../../runtime/cache/store.ts';
import { createStore } from '../../runtime/cache/store.ts';
import { fcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { testClock } from '../../testing/test-clock.ts';
import { catalogueOf } from '../../trace/catalogue.ts';

const claim = (name: string, resourceVersion: number, phase = 'Unbound') => ({
  type: 'applied' as const,
  object: {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: { namespace: 'team', name, uid: name, resourceVersion: String(resourceVersion) },
    spec: {},
    status: { bindingPhase: phase },
  } as KubernetesObject,
});

function world() {
  const clock = testClock();
  const stores = new Map<string, StreamedStore<KubernetesObject>>();
  const storeOf = (kind: Kind): StreamedStore<KubernetesObject> => {
    const store = stores.get(kindKey(kind)) ?? createStore(kind, { clock });
    stores.set(kindKey(kind), store);
    return store;
  };
  const event$ = new Subject<RecordedEvent>();
  const batches: Batch[] = [];
  let isFull = false;
  const reader = feed$(
    { catalogue: catalogueOf([fcpStack]), storeOf, memory: { event$, recent: () => [] }, clock },
    () => isFull,
  ).subscribe((batch) => batches.push(batch));
  const claims = storeOf(FancySQLInstanceKind);
  return {
    clock,
    batches,
    event$,
    reader,
    claims,
    setFull: (is: boolean) => {
      isFull = is;
    },
    tick: () => clock.advance(tickMs),
  };
}

describe('the updates of a reader of the page', () => {
  test('changes between two ticks are one batch with the newest state of each object', async () => {
    const { claims, batches, tick, reader } = world();
    claims.apply(claim('a', 1));
    claims.apply(claim('a', 2, 'Bound'));
    claims.apply(claim('b', 3));
    await tick();
    await tick();
    const [{ nodes, deleted } = assert.fail(), ...others] = batches;
    const shown = nodes.map(({ name, phase }) => `${name} ${phase}`);
    assert.deepEqual([shown, deleted, others], [['a Bound', 'b Unbound'], [], []]);
    reader.unsubscribe();
  });

  test('a deleted object is reported by its id', async () => {
    const { claims, batches, tick, reader } = world();
    claims.apply(claim('a', 1));
    await tick();
    claims.apply({ type: 'deleted', object: claim('a', 2).object });
    await tick();
    const deleted = ['fancysqlinstances.database.crossplane.io|team/a'];
    assert.deepEqual(batches.at(-1), { nodes: [], events: [], deleted });
    reader.unsubscribe();
  });

  test('a slow reader gets nothing until the last batch is read, and then only the newest state', async () => {
    const { claims, batches, tick, setFull, reader } = world();
    setFull(true);
    for (let version = 1; version <= 500; version += 1)
      claims.apply(claim('a', version, version === 500 ? 'Bound' : 'Unbound'));
    await tick();
    assert.equal(batches.length, 0);
    setFull(false);
    await tick();
    const phases = batches.flatMap(({ nodes }) => map(nodes, 'phase'));
    assert.deepEqual(phases, ['Bound']);
    reader.unsubscribe();
  });

  test('10,000 claims come in batches', async () => {
    const { claims, batches, tick, reader } = world();
    for (let index = 0; index < 10_000; index += 1) claims.apply(claim(`c-${index}`, index + 1));
    for (let ticks = 0; ticks < 10_000 / mostPerBatch + 1; ticks += 1) await tick();
    assert.equal(Math.max(...batches.map(({ nodes }) => nodes.length)), mostPerBatch);
    assert.equal(new Set(batches.flatMap(({ nodes }) => nodes.map(({ id }) => id))).size, 10_000);
    reader.unsubscribe();
  });

  test('no timer remains after a reader disconnects', async () => {
    const { clock, reader } = world();
    reader.unsubscribe();
    await clock.settle();
    assert.equal(clock.waitingCount, 0);
  });
});
