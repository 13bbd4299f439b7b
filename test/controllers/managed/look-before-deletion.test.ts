import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectMeta } from '../../../apis/core/v1alpha1/kind.ts';
import type { ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { isConflict } from '../../../runtime/client/errors.ts';
import { broken } from '../cluster-fake.ts';
import type { ExternalMethod } from '../external-fake.ts';
import { finalizers, Scene } from '../managed-scene.ts';
import { managed, managedKind } from '../objects.ts';

/**
 * A managed resource that is being deleted; `change` is made during the first observation of its external
 * resource.
 */
async function leaving(change: (scene: Scene) => void): Promise<Scene> {
  const scene = new Scene({ forProvider: { size: 1 } });
  await scene.run();
  scene.remove();
  scene.cluster.calls.length = 0;
  let isFirst = true;
  scene.external.afterCall = (method) => {
    if (method !== 'observe' || !isFirst) return;
    isFirst = false;
    change(scene);
  };
  return scene;
}

const externalNames = ({ external }: Scene): readonly string[] => [...external.resources.keys()];

describe('the API server is read again before the external resource is deleted', () => {
  async function keeps(change: (scene: Scene) => void, decision: string): Promise<void> {
    const scene = await leaving(change);
    await assert.rejects(scene.run(), isConflict);
    await scene.run();
    assert.deepEqual(
      [scene.decision, externalNames(scene), scene.external.count('delete')],
      [decision, ['db'], 0],
    );
  }
  test('the external resource is not deleted if at that time deletionPolicy is Orphan', () =>
    keeps((scene) => scene.edit({ spec: { deletionPolicy: 'Orphan' } }), 'OrphanExternal'));
  test('the external resource is not deleted if at that time reclaimPolicy is Retain', () =>
    keeps((scene) => scene.edit({ spec: { reclaimPolicy: 'Retain' } }), 'OrphanExternal'));
  test('the external resource is not deleted if at that time it is paused', () =>
    keeps(
      (scene) => scene.edit({ metadata: { annotations: { 'crossplane.io/paused': 'true' } } }),
      'Paused',
    ));

  test('an unrelated edit causes only another run', async () => {
    const scene = await leaving((each) => each.edit({ metadata: { labels: { team: 'shop' } } }));
    await assert.rejects(scene.run(), isConflict);
    await scene.run();
    assert.deepEqual([scene.object, externalNames(scene)], [undefined, []]);
  });

  const successors: Readonly<Record<string, (scene: Scene) => void>> = {
    'the managed resource was deleted': () => {},
    'another managed resource has its name': ({ cluster }) =>
      void cluster.put(managedKind, managed({ forProvider: { size: 1 } }, { uid: 'uid-again', finalizers })),
  };
  for (const [name, then] of Object.entries(successors)) {
    test(`the external resource is not touched if at that time ${name}`, async () => {
      const scene = await leaving((each) => {
        each.edit({ metadata: { finalizers: [] } });
        then(each);
      });
      await scene.run();
      assert.deepEqual([externalNames(scene), scene.external.count('delete')], [['db'], 0]);
    });
  }

  test('the external resource is not deleted while the API server does not answer', async () => {
    const scene = await leaving(({ cluster }) => cluster.refuse('get', managedKind, broken()));
    await scene.run();
    assert.deepEqual([externalNames(scene), scene.external.count('delete')], [['db'], 0]);
    assert.match(scene.condition('Synced'), /^False\/ReconcileError: cannot get managed resource: /);
    assert.match(scene.condition('Ready'), /^False\/Deleting/);
    scene.cluster.gate = () => {};
    await scene.run();
    assert.deepEqual([scene.object, externalNames(scene)], [undefined, []]);
  });

  test('once', async () => {
    const scene = await leaving(() => {});
    await scene.run();
    const requests = scene.cluster.calls.filter(({ kind }) => kind === managedKind.kind);
    const verbs = requests.map(({ verb }) => verb);
    assert.deepEqual(verbs, ['get', 'update']);
    assert.deepEqual([scene.object, externalNames(scene)], [undefined, []]);
  });
});

describe('the status records that the external system accepted the deletion', () => {
  /** A resource whose deletion the external system has begun. */
  async function accepted(): Promise<Scene> {
    const scene = new Scene({ forProvider: { size: 1 } }, {}, { confirmAbsenceMs: 5_000 });
    await scene.run();
    scene.external.isDeletionSlow = true;
    scene.remove();
    await scene.run();
    assert.equal(scene.object?.status?.deletionAccepted, true);
    return scene;
  }

  test('an accepted deletion lets one observation prove the absence, also to the next process', async () => {
    const scene = await accepted();
    scene.external.resources.clear();
    scene.restart();
    await scene.run();
    assert.deepEqual([scene.decision, scene.object], ['RemoveFinalizer', undefined]);
  });

  test('a deletion that fails later needs observations for 5 s as proof', async () => {
    const scene = await accepted();
    scene.external.failAt('delete', new Error('it has a snapshot'));
    await scene.run();
    assert.equal(scene.object?.status?.deletionAccepted, undefined);
    scene.external.resources.clear();
    await scene.run();
    assert.equal(scene.decision, 'ConfirmAbsence');
  });

  test('a Ready condition without a message proves no absence', async () => {
    const scene = await accepted();
    scene.edit({ status: { deletionAccepted: undefined } });
    scene.external.resources.clear();
    await scene.run();
    assert.equal(scene.decision, 'ConfirmAbsence');
  });
});

/** A resource that is being deleted, and whose provider fails at this call. */
function deletedWithout(
  call: ExternalMethod,
  metadata: Partial<ObjectMeta> & { readonly status?: ManagedStatus } = {},
): Scene {
  const scene = new Scene({ forProvider: { size: 1 } }, { finalizers, ...metadata });
  scene.external.failAt(call);
  scene.remove();
  return scene;
}

describe('a deleted managed resource for which nothing was created', () => {
  for (const [what, call] of [
    ['does not exist', 'connect'],
    ['does not answer', 'observe'],
  ] as const) {
    test(`needs no provider: that ${what}`, async () => {
      const scene = deletedWithout(call);
      assert.deepEqual(await scene.run(), { type: 'done' });
      assert.deepEqual([scene.decision, scene.object, scene.events], ['RemoveFinalizer', undefined, []]);
      assert.equal(scene.external.count('delete'), 0);
    });
  }

  test('waits for its provider once the external resource was found', async () => {
    const scene = new Scene({ forProvider: { size: 1 } }, { finalizers });
    scene.external.put('db', { size: 1 });
    scene.external.isDeletionSlow = true;
    scene.external.after('delete', () => scene.external.failAt('observe'));
    scene.remove();
    assert.deepEqual(await scene.run(), { type: 'requeue' });
    assert.deepEqual([scene.decision, scene.object?.metadata.finalizers], ['DeleteExternal', finalizers]);
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: no route to cloud');
  });

  test('had its finalizer and its credential before the provider failed: both are removed', async () => {
    const scene = new Scene({ forProvider: { size: 1 } });
    scene.external.failAt('observe');
    await scene.run();
    assert.deepEqual(scene.object?.metadata.finalizers, finalizers);
    assert.equal(scene.cluster.all(SecretKind).length, 1);
    scene.remove();
    await scene.run();
    assert.deepEqual([scene.object, scene.cluster.all(SecretKind)], [undefined, []]);
  });
});

describe('a deleted managed resource waits for its provider', () => {
  const identity = { 'crossplane.io/external-identity': '{"name":"db","fields":{}}' };
  const rows: Readonly<Record<string, Partial<ObjectMeta> & { readonly status?: ManagedStatus }>> = {
    'where a creation was begun': { annotations: identity },
    'where the result of a creation was recorded': {
      annotations: { 'crossplane.io/external-create-succeeded': '2026-01-02T03:00:00Z' },
    },
    'where a creation failed, which may have left something': {
      annotations: { 'crossplane.io/external-create-failed': '2026-01-02T03:00:00Z' },
    },
    'where the external resource was observed': { status: { externalIdentity: '{"name":"db","fields":{}}' } },
    'where it was Ready': { status: { bindingPhase: 'Unbound' } },
  };
  for (const [when, metadata] of Object.entries(rows)) {
    for (const call of ['connect', 'observe'] as const) {
      test(`${when}: ${call} fails`, async () => {
        const scene = deletedWithout(call, metadata);
        await scene.run();
        assert.deepEqual(scene.object?.metadata.finalizers, finalizers);
        assert.equal(scene.condition('Synced'), 'False/ReconcileError: no route to cloud');
        scene.external.gate = () => {};
        await scene.run();
        assert.equal(scene.object, undefined);
      });
    }
  }
});
