import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManagedSpec } from '../../../../../apis/core/v1alpha1/managed.ts';
import {
  withInitProvider,
  withLateInitialized,
} from '../../../../../controllers/core/managed/recording/provider-values.ts';
import { finalizers, Scene } from '../../managed-scene.ts';
import { claimRef, classRef, managed, managedKind } from '../../objects.ts';

describe('initProvider', () => {
  const merges: Record<string, { init: object; given?: object; want: object }> = {
    'is laid beneath forProvider, however deep': {
      init: { size: 3, net: { id: 'a', zone: 'z' } },
      given: { net: { id: 'b' } },
      want: { size: 3, net: { id: 'b', zone: 'z' } },
    },
    'stands alone where forProvider says nothing': { init: { size: 3 }, want: { size: 3 } },
    'lists of objects merge by index': {
      init: { scalingConfig: [{ desiredSize: 1, maxSize: 9 }] },
      given: { region: 'us-west-1', scalingConfig: [{ maxSize: 4, minSize: 1 }] },
      want: { region: 'us-west-1', scalingConfig: [{ desiredSize: 1, maxSize: 4, minSize: 1 }] },
    },
    'however deep in each other': {
      init: { pools: [{ taints: [{ effect: 'NoSchedule' }], labels: { a: 'init', b: 'init' } }] },
      given: { pools: [{ taints: [{ key: 'gpu' }], labels: { b: 'own' } }] },
      want: {
        pools: [{ taints: [{ effect: 'NoSchedule', key: 'gpu' }], labels: { a: 'init', b: 'own' } }],
      },
    },
    'a list is as long as forProvider says: shorter': {
      init: { pools: [{ size: 1 }, { size: 2 }] },
      given: { pools: [{ zone: 'a' }] },
      want: { pools: [{ size: 1, zone: 'a' }] },
    },
    'a list is as long as forProvider says: longer': {
      init: { pools: [{ size: 1 }] },
      given: { pools: [{ zone: 'a' }, { zone: 'b' }] },
      want: { pools: [{ size: 1, zone: 'a' }, { zone: 'b' }] },
    },
    'a list is as long as forProvider says: empty': {
      init: { pools: [{ size: 1 }] },
      given: { pools: [] },
      want: { pools: [] },
    },
    'a list that only initProvider has is its own': {
      init: { pools: [{ size: 1 }, { size: 2 }], zones: ['a'] },
      given: { size: 3 },
      want: { size: 3, pools: [{ size: 1 }, { size: 2 }], zones: ['a'] },
    },
    'of lists of plain values, that of forProvider holds whole': {
      init: { zones: ['a', 'b'], ports: [1, 2, 3] },
      given: { zones: ['c'], ports: [4, 5] },
      want: { zones: ['c'], ports: [4, 5] },
    },
    'a list and something else: forProvider holds': {
      init: { a: [{ size: 1 }], b: { size: 1 }, c: 'x', d: [1] },
      given: { a: { size: 2 }, b: [{ zone: 'b' }], c: ['y'], d: 2 },
      want: { a: { size: 2 }, b: [{ zone: 'b' }], c: ['y'], d: 2 },
    },
    'null and something else: forProvider holds': {
      init: { a: null, b: { size: 1 } },
      given: { a: { size: 2 }, b: null },
      want: { a: { size: 2 }, b: null },
    },
    'maps of texts merge by key': {
      init: { tags: { team: 'init', stage: 'init' } },
      given: { tags: { team: 'own' } },
      want: { tags: { team: 'own', stage: 'init' } },
    },
    'false, 0 and empty text of forProvider hold': {
      init: { on: true, size: 5, note: 'x' },
      given: { on: false, size: 0, note: '' },
      want: { on: false, size: 0, note: '' },
    },
  };
  for (const [name, { init, given, want }] of Object.entries(merges)) {
    test(name, () => {
      const object = managed({ initProvider: init, ...(given && { forProvider: given }) });
      assert.deepEqual(withInitProvider(object).spec.forProvider, want);
    });
  }

  test('names that mean something to JavaScript are names like any other', () => {
    const tags = JSON.parse('{"__proto__": "init", "constructor": "init", "x": "init"}') as object;
    const own = JSON.parse('{"__proto__": "own"}') as object;
    const merged = withInitProvider(managed({ initProvider: { tags }, forProvider: { tags: own } }));
    assert.equal(
      JSON.stringify(merged.spec.forProvider),
      '{"tags":{"__proto__":"own","constructor":"init","x":"init"}}',
    );
  });

  test('counts at creation only: never written, no drift, later changes ignored', async () => {
    const scene = new Scene({ initProvider: { size: 3 }, forProvider: { version: '8' } });
    await scene.run();
    assert.deepEqual(scene.external.createdWith, { size: 3, version: '8' });
    assert.deepEqual(scene.object?.spec.forProvider, { version: '8' });
    scene.edit({ spec: { initProvider: { size: 7 } } });
    await scene.run();
    assert.equal(scene.external.count('update'), 0);
    assert.deepEqual(scene.external.things.get('db')?.values, { size: 3, version: '8' });
  });
});

describe('late initialisation', () => {
  const cases: Record<string, { given?: object; init?: object; values: object; want: object }> = {
    'Original kept': { given: { size: 1 }, values: { size: 2 }, want: { size: 1 } },
    LateInitialized: { values: { size: 2 }, want: { size: 2 } },
    'absent fields deep inside': {
      given: { net: { id: 'a' } },
      values: { net: { id: 'b', zone: 'z' } },
      want: { net: { id: 'a', zone: 'z' } },
    },
    'false, 0 and empty text are given, not absent': {
      given: { on: false, size: 0, note: '' },
      values: { on: true, size: 5, note: 'x' },
      want: { on: false, size: 0, note: '' },
    },
    'a field that initProvider sets stays out of forProvider': {
      given: {},
      init: { size: 3, net: { id: 'a' } },
      values: { size: 9, net: { id: 'b', zone: 'z' } },
      want: { net: { zone: 'z' } },
    },
    'lists that forProvider or initProvider has are left as they are': {
      given: { pools: [{ size: 1 }] },
      init: { zones: ['a'] },
      values: { pools: [{ size: 2, zone: 'z' }], zones: ['a', 'b'], disks: [{ gib: 10 }] },
      want: { pools: [{ size: 1 }], disks: [{ gib: 10 }] },
    },
    Neither: { values: {}, want: {} },
    'a field that the external system does not report has no value': {
      values: { version: undefined },
      want: {},
    },
    'nothing is absent deep inside': {
      given: { net: { id: 'a', on: null } },
      values: { net: { id: 'b', on: { at: 1 } } },
      want: { net: { id: 'a', on: null } },
    },
    'where it has another shape than forProvider says': {
      given: { net: 'x', zone: { id: 'a' }, none: null },
      values: { net: { id: 'b' }, zone: ['z'], none: { id: 'b' } },
      want: { net: 'x', zone: { id: 'a' }, none: null },
    },
  };
  for (const [name, { given = {}, init, values, want }] of Object.entries(cases)) {
    test(name, () => {
      const object = managed({ forProvider: given, ...(init && { initProvider: init }) });
      const initialized = withLateInitialized(object, values);
      assert.deepEqual(initialized.spec.forProvider, want);
      if (JSON.stringify(given) === JSON.stringify(want)) assert.equal(initialized, object);
    });
  }

  describe('when it is written, and with what', () => {
    const chosen = { isUpToDate: true, lateInitialized: { version: '8' } };
    const filled = { size: 1, version: '8' };
    const object = 'update FavouriteDBInstance db';
    const status = 'updateStatus FavouriteDBInstance db';
    const secret = 'create Secret infra/db-connection';
    const details = 'update Secret infra/db-connection';
    const isBound = { finalizers, status: { bindingPhase: 'Bound' as const } };
    const rows: Record<
      string,
      {
        spec?: ManagedSpec;
        metadata?: ConstructorParameters<typeof Scene>[1];
        isThere?: boolean;
        writes: readonly string[];
        want: object;
      }
    > = {
      'an import: with the external name': {
        isThere: true,
        writes: [object, object, secret, status],
        want: filled,
      },
      'a creation: before its one status write': {
        writes: [object, secret, object, details, object, status],
        want: filled,
      },
      'while a claim waits for it: not yet': {
        spec: { claimRef: claimRef(), classRef: classRef('small') },
        metadata: { finalizers },
        writes: [secret, object, details, status],
        want: { size: 1 },
      },
      'from a class, and bound: at the next look': {
        spec: { claimRef: claimRef(), classRef: classRef('small') },
        metadata: { ...isBound, annotations: { 'crossplane.io/external-name': 'db' } },
        isThere: true,
        writes: [object, secret, status],
        want: filled,
      },
      'from a class, and released: the same': {
        spec: { claimRef: claimRef(), classRef: classRef('small') },
        metadata: {
          finalizers,
          annotations: { 'crossplane.io/external-name': 'db' },
          status: { bindingPhase: 'Released' },
        },
        isThere: true,
        writes: [object, secret, status],
        want: filled,
      },
    };
    for (const [name, { spec, metadata, isThere = false, writes, want }] of Object.entries(rows)) {
      test(name, async () => {
        const scene = new Scene({ forProvider: { size: 1 }, ...spec }, metadata, { secretDetails: {} });
        if (isThere) scene.external.put('db', { size: 1 });
        scene.external.observation = chosen;
        await scene.run();
        assert.deepEqual(scene.cluster.writeNames, writes);
        assert.deepEqual(scene.object?.spec.forProvider, want);
        scene.cluster.takeWrites();
        await scene.run();
        assert.deepEqual(scene.cluster.takeWrites(), [], 'the next look writes nothing');
      });
    }
  });
});

describe('import: what exists is only observed', () => {
  test('the spec stays; status and Secret are filled, and the external system is not changed', async () => {
    const scene = new Scene({ managementPolicies: ['Observe'], forProvider: {} }, {}, { secretDetails: {} });
    const { spec } = scene.object!;
    scene.external.put('db', { size: 4, version: '8' });
    scene.external.observation = {
      isUpToDate: true,
      lateInitialized: { size: 4, version: '8' },
      status: { hostname: 'db.example' },
    };
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
    const { metadata, spec } = scene.object!;
    const edited = { ...metadata, generation: (metadata.generation ?? 0) + 1 };
    scene.cluster.put(managedKind, {
      ...scene.object!,
      metadata: edited,
      spec: { ...spec, forProvider: { size: 2 } },
    });
    scene.cluster.takeWrites();
    await scene.run();
    assert.deepEqual(
      scene.object?.status?.conditions?.map((condition) => [condition.type, condition.observedGeneration]),
      ['Synced', 'Ready', 'AsyncOperation', 'LastAsyncOperation'].map((type) => [type, edited.generation]),
    );
    assert.deepEqual(
      scene.cluster.takeWrites().filter((write) => write.startsWith('updateStatus')),
      ['updateStatus FavouriteDBInstance db'],
    );
  });
});
