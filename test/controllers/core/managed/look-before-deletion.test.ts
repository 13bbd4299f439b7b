import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { ManagedSpec } from '../../../../apis/core/v1alpha1/managed.ts';
import { isConflict } from '../../../../runtime/client/errors.ts';
import { broken } from '../cluster-fake.ts';
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

const edit = (scene: Scene, spec: ManagedSpec, metadata: Partial<ObjectMeta> = {}): void => {
  scene.edit({ metadata, spec });
};

const things = ({ external }: Scene): readonly string[] => [...external.things.keys()];

describe('the API server is read again before the external resource is deleted', () => {
  const changes: Readonly<Record<string, { change: (scene: Scene) => void; decision: string }>> = {
    'deletionPolicy is Orphan': {
      change: (scene) => edit(scene, { deletionPolicy: 'Orphan' }),
      decision: 'OrphanExternal',
    },
    'reclaimPolicy is Retain': {
      change: (scene) => edit(scene, { reclaimPolicy: 'Retain' }),
      decision: 'OrphanExternal',
    },
    'it is paused': {
      change: (scene) => edit(scene, {}, { annotations: { 'crossplane.io/paused': 'true' } }),
      decision: 'Paused',
    },
  };
  for (const [name, { change, decision }] of Object.entries(changes)) {
    test(`the external resource is not deleted if at that time ${name}`, async () => {
      const scene = await leaving(change);
      await assert.rejects(scene.run(), isConflict);
      await scene.run();
      assert.deepEqual(
        [scene.decision, things(scene), scene.external.count('delete')],
        [decision, ['db'], 0],
      );
    });
  }

  test('an unrelated edit causes only another run', async () => {
    const scene = await leaving((each) => edit(each, {}, { labels: { team: 'shop' } }));
    await assert.rejects(scene.run(), isConflict);
    await scene.run();
    assert.deepEqual([scene.object, things(scene)], [undefined, []]);
  });

  const successors: Readonly<Record<string, (scene: Scene) => void>> = {
    'the managed resource was deleted': () => {},
    'another managed resource has its name': ({ cluster }) =>
      void cluster.put(managedKind, managed({ forProvider: { size: 1 } }, { uid: 'uid-again', finalizers })),
  };
  for (const [name, then] of Object.entries(successors)) {
    test(`the external resource is not touched if at that time ${name}`, async () => {
      const scene = await leaving((each) => {
        edit(each, {}, { finalizers: [] });
        then(each);
      });
      await scene.run();
      assert.deepEqual([things(scene), scene.external.count('delete')], [['db'], 0]);
    });
  }

  test('the external resource is not deleted while the API server does not answer', async () => {
    const scene = await leaving(({ cluster }) => {
      cluster.gate = ({ verb, kind }) => {
        if (verb === 'get' && kind === managedKind.kind) throw broken();
      };
    });
    await scene.run();
    assert.deepEqual([things(scene), scene.external.count('delete')], [['db'], 0]);
    assert.match(scene.condition('Synced'), /^False\/ReconcileError: cannot get managed resource: /);
    assert.match(scene.condition('Ready'), /^False\/Deleting/);
    scene.cluster.gate = () => {};
    await scene.run();
    assert.deepEqual([scene.object, things(scene)], [undefined, []]);
  });

  test('once', async () => {
    const scene = await leaving(() => {});
    await scene.run();
    const asked = scene.cluster.calls.filter(({ kind }) => kind === managedKind.kind);
    assert.deepEqual(
      asked.map(({ verb }) => verb),
      ['get', 'update'],
    );
    assert.deepEqual([scene.object, things(scene)], [undefined, []]);
  });
});
