import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import map from 'lodash/map.js';
import { compareResourceVersions } from '../../../runtime/cache/resource-version.ts';
import { selects } from '../../../runtime/cache/selection.ts';
import type { Change, StreamedStore } from '../../../runtime/cache/store.ts';
import { createStore } from '../../../runtime/cache/store.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import type { Widget } from '../widgets.ts';
import { stored, WidgetKind, widget } from '../widgets.ts';

const text = ({ type, object }: Change<Widget>): string =>
  `${type} ${object.metadata.name}@${object.metadata.resourceVersion}`;

/** A list that is complete after one page. */
function list(store: StreamedStore<Widget>, resourceVersion: string, objects: readonly Widget[]): void {
  store.apply({ type: 'restart' });
  store.apply({ type: 'listed', objects, resourceVersion });
  store.apply({ type: 'synced', resourceVersion });
}

/** A store that has completed a list of these objects at version 100, and what `changes$` says from then on. */
function synced(...objects: readonly Widget[]) {
  const store = createStore(WidgetKind, { clock: testClock() });
  list(store, '100', objects);
  const changes: string[] = [];
  store.changes$.subscribe((change) => changes.push(text(change)));
  changes.length = 0;
  return { store, changes };
}
const applied = (object: Widget) => ({ type: 'applied', object }) as const;
const deleted = (object: Widget) => ({ type: 'deleted', object }) as const;
const key = (name: string) => ({ namespace: 'ns', name });

describe('compareResourceVersions', () => {
  const ordered = ['', '1', '9', '10', '99', '100', '9007199254740993', '18446744073709551615'];
  test('orders numbers of any length', () =>
    assert.deepEqual(ordered.toReversed().toSorted(compareResourceVersions), ordered));
  test('equal versions', () => assert.equal(compareResourceVersions('12', '12'), 0));
});

describe('store', () => {
  test('is synced once the list is complete', () => {
    const store = createStore(WidgetKind, { clock: testClock() });
    const reported: string[] = [];
    const isReported = (by: string) =>
      store.synced$.subscribe({ next: () => reported.push(by), complete: () => reported.push(`${by} ends`) });
    isReported('early');
    assert.equal(store.isSynced, false);
    store.apply({ type: 'restart' });
    store.apply({ type: 'listed', objects: [stored('a', 1)], resourceVersion: '5' });
    assert.equal(store.isSynced, false);
    assert.equal(store.get(key('a'))?.metadata.resourceVersion, '1');
    assert.deepEqual(reported, []);
    store.apply({ type: 'synced', resourceVersion: '5' });
    assert.equal(store.isSynced, true);
    list(store, '6', []);
    isReported('late');
    assert.deepEqual(reported, ['early', 'early ends', 'late', 'late ends']);
  });

  test('newer replaces older, older and equal change nothing', () => {
    const { store, changes } = synced(stored('a', 99));
    store.apply(applied(stored('a', 101)));
    store.apply(applied(stored('a', 101)));
    store.apply(applied(stored('a', 9)));
    store.record(stored('a', 100));
    assert.deepEqual(changes, ['modified a@101']);
  });

  test('strips managedFields, on every way in', () => {
    const withFields = (name: string, version: number) => {
      const object = stored(name, version);
      return { ...object, metadata: { ...object.metadata, managedFields: [{ manager: 'x' }] } };
    };
    const { store } = synced(withFields('a', 1));
    store.apply(applied(withFields('b', 101)));
    store.record(withFields('c', 102));
    assert.equal(store.all().length, 3);
    for (const object of store.all()) assert.ok(!('managedFields' in object.metadata));
  });

  test('a recorded write is a change at once, and its watch event none', () => {
    const { store, changes } = synced(stored('a', 1));
    store.record(stored('a', 101));
    assert.deepEqual(changes, ['modified a@101']);
    store.apply(applied(stored('a', 101)));
    assert.deepEqual(changes, ['modified a@101']);
  });

  test('a write answer that arrives after the watch saw the deletion brings nothing back', () => {
    const { store, changes } = synced(stored('a', 1));
    store.apply(deleted(stored('a', 103)));
    store.record(stored('a', 102));
    assert.deepEqual(changes, ['deleted a@103']);
    assert.equal(store.get(key('a')), undefined);
  });

  test('a wait for an object that was created and deleted during that time ends', () => {
    const { store, changes } = synced();
    store.apply(applied(stored('b', 110)));
    store.record(stored('a', 105));
    assert.deepEqual(changes, ['added b@110']);
  });

  test('a write answer ahead of the watch is kept', () => {
    const { store, changes } = synced();
    store.record(stored('a', 101));
    store.apply(applied(stored('b', 102)));
    store.apply(deleted(stored('a', 103)));
    assert.deepEqual(changes, ['added a@101', 'added b@102', 'deleted a@103']);
  });

  const leaving = { name: 'a', uid: 'one', deletionTimestamp: '2026-01-01T00:00:00Z' };
  const held = (version: number) => stored('a', version, { metadata: { ...leaving, finalizers: ['x/y'] } });
  /** The answer of kube-apiserver to the write that removes the last finalizer: it has the previous version. */
  const last = (version: number) => stored('a', version, { metadata: leaving });

  test('an object without its last finalizer is deleted at once, and late events do not restore it', () => {
    const { store, changes } = synced(held(1));
    store.record(held(103));
    store.record(last(103));
    assert.deepEqual(changes.splice(0), ['modified a@103', 'deleted a@103']);
    store.apply(applied(held(102)));
    store.apply(applied(held(103)));
    store.record(held(103));
    store.record(last(103));
    store.apply(deleted(last(104)));
    assert.deepEqual(changes, []);
    assert.equal(store.get(key('a')), undefined);
  });

  test('a successor of the same name is another object, however late the deletion of the first is reported', () => {
    const { store, changes } = synced(held(1));
    store.record(last(1));
    store.record(stored('a', 106, { metadata: { name: 'a', uid: 'two' } }));
    store.apply(applied(held(102)));
    store.apply(deleted(last(105)));
    assert.deepEqual(changes, ['deleted a@1', 'added a@106']);
  });

  test('an object that was deleted before the store had it is not added', () => {
    const { store, changes } = synced();
    store.record(last(103));
    store.apply(applied(held(103)));
    assert.deepEqual(changes, []);
  });

  test('a deletion that the watch reports before the write is answered is not waited for any more', () => {
    const { store, changes } = synced(held(103));
    store.apply(deleted(last(104)));
    store.record(last(103));
    store.apply(applied(held(105)));
    assert.deepEqual(changes, ['deleted a@104', 'added a@105']);
  });

  test('a list may contain a deleted object: it was read before the deletion, or after etcd was restored', () => {
    const { store, changes } = synced(held(1));
    store.record(last(1));
    list(store, '101', [held(1)]);
    store.apply(deleted(last(102)));
    assert.deepEqual(changes, ['deleted a@1', 'added a@1', 'deleted a@102']);
  });

  test('a deletion older than the stored object belongs to another object of its name', () => {
    const { store, changes } = synced(stored('a', 1, { metadata: { name: 'a', uid: 'old' } }));
    store.record(stored('a', 105, { metadata: { name: 'a', uid: 'new' } }));
    store.apply(deleted(stored('a', 104, { metadata: { name: 'a', uid: 'old' } })));
    assert.deepEqual(changes, ['deleted a@1', 'added a@105']);
    assert.equal(store.get(key('a'))?.metadata.uid, 'new');
  });

  test('another uid is a deletion and an addition', () => {
    const { store, changes } = synced(stored('a', 1));
    store.apply(applied(stored('a', 101, { metadata: { name: 'a', uid: 'other' } })));
    assert.deepEqual(changes, ['deleted a@1', 'added a@101']);
  });

  test('a deletion of an unknown object is no change', () => {
    const { store, changes } = synced();
    store.apply(deleted(stored('a', 101)));
    assert.deepEqual(changes, []);
  });

  test('a second list removes the objects that it lacks, and reports changes only', () => {
    const { store, changes } = synced(stored('a', 1), stored('b', 2), stored('c', 3));
    store.apply({ type: 'restart' });
    store.apply({ type: 'listed', objects: [stored('a', 1)], resourceVersion: '200' });
    store.apply({ type: 'listed', objects: [stored('c', 150)], resourceVersion: '200' });
    assert.equal(store.all().length, 3, 'nothing vanishes before the list is complete');
    store.apply({ type: 'synced', resourceVersion: '200' });
    assert.deepEqual(changes, ['modified c@150', 'deleted b@2']);
    assert.equal(store.isSynced, true);
  });

  test('the objects of an unfinished list do not count', () => {
    const { store, changes } = synced(stored('a', 1));
    store.apply({ type: 'restart' });
    store.apply({ type: 'listed', objects: [stored('a', 1)], resourceVersion: '200' });
    list(store, '210', []);
    assert.deepEqual(changes, ['deleted a@1']);
  });

  test('an object that was written after the list was read stays in the store', () => {
    const { store } = synced();
    store.apply({ type: 'restart' });
    store.record(stored('new', 205));
    store.record(stored('gone', 195));
    store.apply({ type: 'listed', objects: [], resourceVersion: '200' });
    store.apply({ type: 'synced', resourceVersion: '200' });
    assert.deepEqual(map(store.all(), 'metadata.name'), ['new']);
  });

  test('after etcd was restored from a backup the list alone is the truth', () => {
    const { store, changes } = synced(stored('a', 90), stored('b', 95));
    store.apply({ type: 'restart' });
    store.apply({ type: 'listed', objects: [stored('a', 30)], resourceVersion: '50' });
    list(store, '51', [stored('a', 30)]);
    assert.deepEqual(changes, ['modified a@30', 'deleted b@95']);
    store.record(stored('c', 52));
    assert.ok(store.get(key('c')), 'versions count from the restored one on');
  });

  test('all() is one array until something changes', () => {
    const { store } = synced(stored('a', 1));
    const before = store.all();
    assert.equal(store.all(), before);
    store.apply(applied(stored('b', 101)));
    assert.equal(before.length, 1);
    assert.equal(store.all().length, 2);
  });

  test('objects outside the selection are not recorded, and leave when a write takes them out', () => {
    const store = createStore(WidgetKind, { clock: testClock(), selection: { labelSelector: 'app=x' } });
    const changes: string[] = [];
    store.changes$.subscribe((change) => changes.push(text(change)));
    const labelled = (version: number, app: string) =>
      stored('a', version, { metadata: { name: 'a', labels: { app } } });
    store.record(labelled(1, 'y'));
    store.record(labelled(2, 'x'));
    store.record(labelled(3, 'y'));
    assert.deepEqual(changes, ['added a@2', 'deleted a@2']);
  });
});

describe('store index', () => {
  const bySize = (object: Widget) => [`${object.spec?.size}`];
  const names = (objects: readonly Widget[]) => objects.map(({ metadata }) => metadata.name);

  test('has the stored objects, and follows changes and deletions', () => {
    const { store } = synced(stored('a', 1, { spec: { size: 1 } }), stored('b', 2, { spec: { size: 1 } }));
    store.addIndex('size', bySize);
    assert.deepEqual(names(store.byIndex('size', '1')), ['a', 'b']);
    store.apply(applied(stored('a', 101, { spec: { size: 2 } })));
    assert.deepEqual(names(store.byIndex('size', '1')), ['b']);
    assert.deepEqual(names(store.byIndex('size', '2')), ['a']);
    store.apply(applied(stored('a', 102, { spec: { size: 2, text: 'new' } })));
    assert.deepEqual(store.byIndex('size', '2')[0]?.spec?.text, 'new');
    store.apply(deleted(stored('b', 103)));
    assert.deepEqual(store.byIndex('size', '1'), []);
  });

  test('an object may have several values, even the same twice', () => {
    const { store } = synced();
    store.addIndex('list', (object) => object.spec?.list ?? []);
    store.apply(applied(stored('a', 101, { spec: { list: ['x', 'y', 'x'] } })));
    assert.deepEqual(names(store.byIndex('list', 'x')), ['a']);
    store.apply(applied(stored('a', 102, { spec: { list: ['y'] } })));
    assert.deepEqual(names(store.byIndex('list', 'x')), []);
    assert.deepEqual(names(store.byIndex('list', 'y')), ['a']);
  });

  test('objects may share a value, and each leaves it alone', () => {
    const { store } = synced();
    store.addIndex('size', bySize);
    const smallOnes = () => names(store.byIndex('size', '1'));
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      store.apply(applied(stored(name, 101 + index, { spec: { size: 1 } })));
    }
    assert.deepEqual(smallOnes(), ['a', 'b', 'c']);
    store.apply(applied(stored('b', 104, { spec: { size: 1 } })));
    assert.equal(store.byIndex('size', '1')[1]?.metadata.resourceVersion, '104');
    store.apply(applied(stored('b', 105, { spec: { size: 2 } })));
    assert.deepEqual(smallOnes(), ['a', 'c']);
    store.apply(deleted(stored('c', 106)));
    store.apply(deleted(stored('a', 107)));
    assert.deepEqual(smallOnes(), []);
    store.apply(applied(stored('b', 108, { spec: { size: 1 } })));
    assert.deepEqual(smallOnes(), ['b']);
  });

  test('an index is up to date when a change is reported', () => {
    const { store } = synced();
    store.addIndex('size', bySize);
    const counts: number[] = [];
    store.changes$.subscribe(() => counts.push(store.byIndex('size', '1').length));
    store.apply(applied(stored('a', 101, { spec: { size: 1 } })));
    store.apply(deleted(stored('a', 102)));
    assert.deepEqual(counts, [1, 0]);
  });

  test('an unknown name is an error', () => {
    const { store } = synced();
    assert.throws(() => store.byIndex('nope', ''), /no index "nope"/);
  });

  test('a name that is taken keeps its first definition', () => {
    const { store } = synced(stored('a', 1, { spec: { size: 7 } }));
    store.addIndex('size', bySize);
    store.addIndex('size', () => ['other']);
    store.apply(applied(stored('b', 101, { spec: { size: 7 } })));
    assert.deepEqual(names(store.byIndex('size', '7')), ['a', 'b']);
    assert.deepEqual(store.byIndex('size', 'other'), []);
  });

  test('an object on which it throws is in the store, logged, and not in the index', () => {
    const log = recordedLog();
    const store = createStore(WidgetKind, { clock: testClock(), log });
    store.addIndex('text', (object) => [object.spec!.text!.trim()]);
    store.apply(applied(stored('odd', 1)));
    store.apply(applied(stored('fine', 2, { spec: { text: ' x ' } })));
    assert.equal(store.all().length, 2);
    assert.deepEqual(names(store.byIndex('text', 'x')), ['fine']);
    assert.equal(log.lines[0]?.level, 'error');
  });
});

describe('changes$', () => {
  test('many objects are reported in slices, and changes during that time are reported after them', () => {
    const later: (() => void)[] = [];
    const turns = {
      run(task: () => void) {
        later.push(task);
        return () => {};
      },
    };
    const store = createStore(WidgetKind, { clock: { turns } });
    const objects = Array.from({ length: 250 }, (_, index) => stored(`k${index}`, index + 1));
    store.apply({ type: 'listed', objects, resourceVersion: '300' });
    const observed: string[] = [];
    store.changes$.subscribe(({ type, object }) => observed.push(`${type} ${object.metadata.name}`));
    const slices: number[] = [];
    while (later.length > 0) {
      if (slices.length === 1) store.apply({ type: 'deleted', object: stored('k240', 301) });
      later.shift()?.();
      slices.push(observed.length);
    }
    assert.deepEqual(slices, [100, 200, 251]);
    assert.deepEqual(observed.slice(-2), ['added k249', 'deleted k240']);
  });

  test('a late subscriber gets the stored objects, then the changes', () => {
    const { store } = synced(stored('a', 1), stored('b', 2));
    const late: string[] = [];
    store.changes$.subscribe((change) => late.push(text(change)));
    store.apply(applied(stored('a', 101)));
    assert.deepEqual(late, ['added a@1', 'added b@2', 'modified a@101']);
  });

  test('a change during the report of the present objects is reported after them', () => {
    const { store } = synced(stored('a', 1), stored('b', 2));
    const observed: string[] = [];
    store.changes$.subscribe((change) => {
      observed.push(text(change));
      if (observed.length === 1) store.record(stored('b', 101));
    });
    assert.deepEqual(observed, ['added a@1', 'added b@2', 'modified b@101']);
  });

  test('changes made by a subscriber reach every subscriber in the same order', () => {
    const { store } = synced();
    const first: string[] = [];
    const second: string[] = [];
    store.changes$.subscribe((change) => {
      first.push(text(change));
      if (first.length < 4) store.record(stored('a', 200 + first.length));
    });
    store.changes$.subscribe((change) => second.push(text(change)));
    store.apply(applied(stored('a', 200)));
    assert.deepEqual(first, ['added a@200', 'modified a@201', 'modified a@202', 'modified a@203']);
    assert.deepEqual(second, first);
  });

  test('a subscriber that begins inside a change misses and repeats nothing', () => {
    const { store } = synced(stored('a', 1));
    const inner: string[] = [];
    let isOpen = false;
    store.changes$.subscribe(() => {
      if (isOpen) return;
      isOpen = true;
      store.record(stored('b', 101));
      store.changes$.subscribe((change) => inner.push(text(change)));
      store.record(stored('b', 102));
    });
    assert.deepEqual(inner, ['added a@1', 'added b@101', 'modified b@102']);
  });

  test('a modification has the previous object', () => {
    const { store } = synced(stored('a', 1));
    const pairs: (string | undefined)[][] = [];
    store.changes$.subscribe((change) => {
      if (change.type === 'modified') {
        pairs.push([change.previous.metadata.resourceVersion, change.object.metadata.resourceVersion]);
      }
    });
    store.apply(applied(stored('a', 101)));
    store.apply(applied(stored('a', 102)));
    assert.deepEqual(pairs.flat(), ['1', '101', '101', '102']);
  });

  test('a subscriber that unsubscribes inside a change gets no further change', () => {
    const { store } = synced(stored('a', 1), stored('b', 2));
    const observed: string[] = [];
    const subscription = store.changes$.subscribe((change) => {
      observed.push(text(change));
      queueMicrotask(() => subscription.unsubscribe());
    });
    const once: string[] = [];
    const operator = store.changes$.subscribe({
      next(change) {
        once.push(text(change));
        if (once.length === 3) operator.unsubscribe();
      },
    });
    store.record(stored('c', 101));
    store.record(stored('d', 102));
    assert.equal(once.length, 3);
    return Promise.resolve().then(() => {
      const before = observed.length;
      store.record(stored('e', 103));
      assert.equal(observed.length, before);
    });
  });
});

const labels = (given: Record<string, string>) => widget('a', { metadata: { labels: given } });
const selections: Record<string, [Parameters<typeof selects>[0], Widget, boolean]> = {
  'no selection': [{}, widget('a'), true],
  'its namespace': [{ namespace: 'ns' }, widget('a'), true],
  'another namespace': [{ namespace: 'other' }, widget('a'), false],
  'equal label': [{ labelSelector: 'app=x' }, labels({ app: 'x' }), true],
  'double equal': [{ labelSelector: 'app==x' }, labels({ app: 'y' }), false],
  'unequal label': [{ labelSelector: 'app!=x' }, labels({}), true],
  'label exists': [{ labelSelector: 'app' }, labels({ app: '' }), true],
  'label does not exist': [{ labelSelector: '!app' }, labels({ app: '' }), false],
  'label in a set': [{ labelSelector: 'app in (x, y),tier=a' }, labels({ app: 'y', tier: 'a' }), true],
  'not all terms': [{ labelSelector: 'app in (x, y),tier=a' }, labels({ app: 'y' }), false],
  'label not in a set': [{ labelSelector: 'app notin (x,y)' }, labels({ app: 'x' }), false],
  'without the label it is not in the set': [{ labelSelector: 'app notin (x,y)' }, labels({}), true],
  'a field': [{ fieldSelector: 'metadata.name=a' }, widget('a'), true],
  'a top field': [{ fieldSelector: 'kind=Other' }, widget('a'), false],
  'a field with slashes and dots': [{ fieldSelector: 'apiVersion=test.example.org/v1' }, widget('a'), true],
  'an unequal field': [{ fieldSelector: 'type!=Opaque' }, widget('a'), true],
};
describe('selects', () => {
  for (const [name, [selection, object, want]] of Object.entries(selections)) {
    test(name, () => assert.equal(selects(selection)(object), want));
  }
});
