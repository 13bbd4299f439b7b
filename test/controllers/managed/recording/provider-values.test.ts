import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManagedSpec } from '../../../../apis/core/v1alpha1/managed.ts';
import {
  withInitProvider,
  withLateInitialized,
} from '../../../../controllers/managed/recording/provider-values.ts';
import { finalizers, Scene } from '../../managed-scene.ts';
import { claimRef, classRef, managed } from '../../objects.ts';

describe('initProvider', () => {
  function merges(init: object, given: object | undefined, want: object): void {
    const object = managed({ initProvider: init, ...(given && { forProvider: given }) });
    assert.deepEqual(withInitProvider(object).spec.forProvider, want);
  }
  test('is laid beneath forProvider, however deep', () =>
    merges(
      { size: 3, net: { id: 'a', zone: 'z' } },
      { net: { id: 'b' } },
      { size: 3, net: { id: 'b', zone: 'z' } },
    ));
  test('stands alone where forProvider says nothing', () => merges({ size: 3 }, undefined, { size: 3 }));
  test('lists of objects merge by index', () =>
    merges(
      { scalingConfig: [{ desiredSize: 1, maxSize: 9 }] },
      { region: 'us-west-1', scalingConfig: [{ maxSize: 4, minSize: 1 }] },
      { region: 'us-west-1', scalingConfig: [{ desiredSize: 1, maxSize: 4, minSize: 1 }] },
    ));
  test('lists within lists merge by index', () =>
    merges(
      { pools: [{ taints: [{ effect: 'NoSchedule' }], labels: { a: 'init', b: 'init' } }] },
      { pools: [{ taints: [{ key: 'gpu' }], labels: { b: 'own' } }] },
      { pools: [{ taints: [{ effect: 'NoSchedule', key: 'gpu' }], labels: { a: 'init', b: 'own' } }] },
    ));
  test('a list is as long as forProvider says: shorter', () =>
    merges(
      { pools: [{ size: 1 }, { size: 2 }] },
      { pools: [{ zone: 'a' }] },
      { pools: [{ size: 1, zone: 'a' }] },
    ));
  test('a list is as long as forProvider says: longer', () =>
    merges(
      { pools: [{ size: 1 }] },
      { pools: [{ zone: 'a' }, { zone: 'b' }] },
      { pools: [{ size: 1, zone: 'a' }, { zone: 'b' }] },
    ));
  test('a list is as long as forProvider says: empty', () =>
    merges({ pools: [{ size: 1 }] }, { pools: [] }, { pools: [] }));
  test('a list that only initProvider has is its own', () =>
    merges(
      { pools: [{ size: 1 }, { size: 2 }], zones: ['a'] },
      { size: 3 },
      { size: 3, pools: [{ size: 1 }, { size: 2 }], zones: ['a'] },
    ));
  test('of lists of plain values, that of forProvider holds whole', () =>
    merges(
      { zones: ['a', 'b'], ports: [1, 2, 3] },
      { zones: ['c'], ports: [4, 5] },
      { zones: ['c'], ports: [4, 5] },
    ));
  test('a list and something else: forProvider holds', () =>
    merges(
      { a: [{ size: 1 }], b: { size: 1 }, c: 'x', d: [1] },
      { a: { size: 2 }, b: [{ zone: 'b' }], c: ['y'], d: 2 },
      { a: { size: 2 }, b: [{ zone: 'b' }], c: ['y'], d: 2 },
    ));
  test('null and something else: forProvider holds', () =>
    merges({ a: null, b: { size: 1 } }, { a: { size: 2 }, b: null }, { a: { size: 2 }, b: null }));
  test('maps of texts merge by key', () =>
    merges(
      { tags: { team: 'init', stage: 'init' } },
      { tags: { team: 'own' } },
      { tags: { team: 'own', stage: 'init' } },
    ));
  test('false, 0 and empty text of forProvider hold', () =>
    merges(
      { on: true, size: 5, note: 'x' },
      { on: false, size: 0, note: '' },
      { on: false, size: 0, note: '' },
    ));

  test('names that mean something to JavaScript are names like any other', () => {
    const tags = JSON.parse('{"__proto__": "init", "constructor": "init", "x": "init"}') as object;
    const own = JSON.parse('{"__proto__": "own"}') as object;
    const merged = withInitProvider(managed({ initProvider: { tags }, forProvider: { tags: own } }));
    const text = JSON.stringify(merged.spec.forProvider);
    assert.equal(text, '{"tags":{"__proto__":"own","constructor":"init","x":"init"}}');
  });

  test('counts at creation only: never written, no drift, later changes ignored', async () => {
    const scene = new Scene({ initProvider: { size: 3 }, forProvider: { version: '8' } });
    await scene.run();
    assert.deepEqual(scene.external.createdWith, { size: 3, version: '8' });
    assert.deepEqual(scene.object?.spec.forProvider, { version: '8' });
    scene.edit({ spec: { initProvider: { size: 7 } } });
    await scene.run();
    assert.equal(scene.external.count('update'), 0);
    assert.deepEqual(scene.external.resources.get('db')?.values, { size: 3, version: '8' });
  });
});

describe('late initialisation', () => {
  function fills(given: object | undefined, values: object, want: object, init?: object): void {
    const object = managed({ forProvider: given ?? {}, ...(init && { initProvider: init }) });
    const initialized = withLateInitialized(object, values);
    assert.deepEqual(initialized.spec.forProvider, want);
    if (JSON.stringify(given ?? {}) === JSON.stringify(want)) assert.equal(initialized, object);
  }
  test('a field keeps its value', () => fills({ size: 1 }, { size: 2 }, { size: 1 }));
  test('a field without a value gets that of the external system', () =>
    fills(undefined, { size: 2 }, { size: 2 }));
  test('a field within an object gets a late value', () =>
    fills({ net: { id: 'a' } }, { net: { id: 'b', zone: 'z' } }, { net: { id: 'a', zone: 'z' } }));
  test('false, 0 and empty text are given, not absent', () =>
    fills(
      { on: false, size: 0, note: '' },
      { on: true, size: 5, note: 'x' },
      { on: false, size: 0, note: '' },
    ));
  test('a field that initProvider sets stays out of forProvider', () =>
    fills(
      {},
      { size: 9, net: { id: 'b', zone: 'z' } },
      { net: { zone: 'z' } },
      { size: 3, net: { id: 'a' } },
    ));
  test('lists that forProvider or initProvider has are left as they are', () =>
    fills(
      { pools: [{ size: 1 }] },
      { pools: [{ size: 2, zone: 'z' }], zones: ['a', 'b'], disks: [{ gib: 10 }] },
      { pools: [{ size: 1 }], disks: [{ gib: 10 }] },
      { zones: ['a'] },
    ));
  test('a field without a value anywhere stays absent', () => fills(undefined, {}, {}));
  test('a field that the external system does not report has no value', () =>
    fills(undefined, { version: undefined }, {}));
  test('null within an object is a value', () =>
    fills(
      { net: { id: 'a', on: null } },
      { net: { id: 'b', on: { at: 1 } } },
      { net: { id: 'a', on: null } },
    ));
  test('a value of another type in forProvider stays', () =>
    fills(
      { net: 'x', zone: { id: 'a' }, none: null },
      { net: { id: 'b' }, zone: ['z'], none: { id: 'b' } },
      { net: 'x', zone: { id: 'a' }, none: null },
    ));

  describe('late values are written', () => {
    const chosen = { isUpToDate: true, lateInitialized: { version: '8' } };
    const filled = { size: 1, version: '8' };
    const object = 'update FavouriteDBInstance db';
    const status = 'updateStatus FavouriteDBInstance db';
    const secret = 'create Secret infra/db-connection';
    const details = 'update Secret infra/db-connection';
    const annotations = { 'crossplane.io/external-name': 'db' };
    const inPhase = (bindingPhase: 'Bound' | 'Released') => ({
      finalizers,
      annotations,
      status: { bindingPhase },
    });
    const fromClass = { claimRef: claimRef(), classRef: classRef('small') };
    interface Given {
      readonly spec?: ManagedSpec;
      readonly metadata?: ConstructorParameters<typeof Scene>[1];
      readonly isThere?: boolean;
    }
    async function writes(want: object, names: readonly string[], { spec, metadata, isThere }: Given) {
      const scene = new Scene({ forProvider: { size: 1 }, ...spec }, metadata, { secretDetails: {} });
      if (isThere === true) scene.external.put('db', { size: 1 });
      scene.external.observation = chosen;
      await scene.run();
      assert.deepEqual(scene.cluster.writeNames, names);
      assert.deepEqual(scene.object?.spec.forProvider, want);
      scene.cluster.takeWrites();
      await scene.run();
      assert.deepEqual(scene.cluster.takeWrites(), [], 'the next look writes nothing');
    }
    test('after the external name of an imported resource', () =>
      writes(filled, [object, object, secret, status], { isThere: true }));
    test('after a creation, before its one status write', () =>
      writes(filled, [object, secret, object, details, object, status], {}));
    test('not while a claim waits for the resource', () =>
      writes({ size: 1 }, [secret, object, details, status], { spec: fromClass, metadata: { finalizers } }));
    test('once the resource of a claim is Bound', () =>
      writes(filled, [object, secret, status], {
        spec: fromClass,
        metadata: inPhase('Bound'),
        isThere: true,
      }));
    test('once the resource of a claim is Released', () =>
      writes(filled, [object, secret, status], {
        spec: fromClass,
        metadata: inPhase('Released'),
        isThere: true,
      }));
  });
});

describe('an imported resource is only observed', () => {
  test('the spec and the external system stay as they are; status and Secret are written', async () => {
    const scene = new Scene({ managementPolicies: ['Observe'], forProvider: {} }, {}, { secretDetails: {} });
    const { spec } = scene.object!;
    scene.external.put('db', { size: 4, version: '8' });
    const lateInitialized = { size: 4, version: '8' };
    scene.external.observation = { isUpToDate: true, lateInitialized, status: { hostname: 'db.example' } };
    await scene.run();
    await scene.run();
    assert.deepEqual(scene.object?.spec, spec);
    assert.deepEqual(scene.cluster.writeNames, [
      'update FavouriteDBInstance db', // the finalizer
      'update FavouriteDBInstance db', // the external name
      'create Secret infra/db-connection',
      'updateStatus FavouriteDBInstance db',
    ]);
    assert.deepEqual(scene.object?.metadata.finalizers, finalizers);
    assert.equal(scene.annotations['crossplane.io/external-name'], 'db');
    assert.equal((scene.object!.status as { hostname?: string }).hostname, 'db.example');
    assert.equal(scene.condition('Ready'), 'True/Available');
    assert.deepEqual(scene.secret, { endpoint: 'db.example' });
    assert.deepEqual(new Set(scene.external.calls), new Set(['connect', 'observe', 'disconnect']));
  });
});

describe('asynchronous operations', () => {
  const ongoing = (type: string) => `False/Ongoing: ${type} is under way`;

  test('a resource that was deleted during an operation does not report its success', async () => {
    const scene = new Scene({ managementPolicies: ['Observe'] });
    scene.external.put('db');
    scene.external.observation = { operation: 'update' };
    await scene.run();
    scene.external.isBlind = true;
    await scene.run();
    assert.equal(scene.condition('AsyncOperation'), ongoing('update'));
  });

  test('conditions of operations have the current generation, in a write that is pending anyway', async () => {
    const scene = new Scene({ forProvider: { size: 1 } }, { finalizers });
    scene.external.put('db', { size: 1 });
    scene.external.observation = { operation: 'update' };
    await scene.run();
    scene.external.observation = {};
    await scene.run();
    const generation = (scene.object?.metadata.generation ?? 0) + 1;
    scene.edit({ metadata: { generation }, spec: { forProvider: { size: 2 } } });
    scene.cluster.takeWrites();
    await scene.run();
    const { conditions = [] } = scene.object?.status ?? {};
    const types = ['Synced', 'Ready', 'AsyncOperation', 'LastAsyncOperation'];
    assert.deepEqual(
      conditions.map(({ type, observedGeneration }) => [type, observedGeneration]),
      types.map((type) => [type, generation]),
    );
    const statusWrites = scene.cluster.takeWrites().filter((write) => write.startsWith('updateStatus'));
    assert.deepEqual(statusWrites, ['updateStatus FavouriteDBInstance db']);
  });
});
