import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import type { ManagedReconcilerOptions } from '../../../../controllers/core/managed/reconciler.ts';
import { after, done, unsettled } from '../../../../runtime/controller/reconcile.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import { finalizers, Scene } from '../managed-scene.ts';
import { deletionTimestamp, managed, managedKind } from '../objects.ts';

const poll = after(60_000);
type Options = Pick<Partial<ManagedReconcilerOptions<never>>, 'externalNames'>;

/** A resource that has been ready, on a clock that stands still unless it is moved. */
async function ready(options: Options = {}): Promise<Scene> {
  const scene = new Scene({ forProvider: { size: 1 } }, {}, { confirmAbsenceMs: 5_000, ...options });
  await scene.run();
  assert.equal(scene.condition('Ready'), 'True/Available');
  scene.cluster.takeWrites();
  scene.process.events.length = 0;
  return scene;
}

const leave = (scene: Scene): void => scene.cluster.delete(managedKind, { name: 'db' }, deletionTimestamp);
const pass = (scene: Scene, ms: number): void => {
  scene.cluster.clockMs += ms;
};

/** From now on the process is stopped for so long once a look is answered, and reads the answer then. */
function standStill(scene: Scene, ms: number): void {
  scene.external.afterCall = (method) => {
    if (method === 'observe') pass(scene, ms);
  };
}

describe('what was there is not forgotten on one look', () => {
  test('deleted: a look that finds nothing is no proof, one that finds it again ends the doubt', async () => {
    const scene = await ready();
    leave(scene);
    scene.external.isBlind = true;
    assert.deepEqual(await scene.run(), unsettled(5_000));
    assert.deepEqual([scene.object?.metadata.finalizers, scene.events], [finalizers, []]);
    assert.deepEqual(scene.cluster.takeWrites(), []);
    pass(scene, 5_000);
    scene.external.isBlind = false;
    assert.deepEqual(await scene.run(), done);
    assert.deepEqual([scene.object, scene.external.things.size], [undefined, 0], 'it was deleted in earnest');
  });

  test('deleted: looks that find nothing for 5 s are', async () => {
    const scene = await ready();
    pass(scene, 60_000);
    leave(scene);
    scene.external.things.clear();
    await scene.run();
    pass(scene, 3_000);
    assert.deepEqual(await scene.run(), unsettled(2_000));
    pass(scene, 2_000);
    assert.deepEqual(await scene.run(), done);
    assert.equal(scene.object, undefined);
  });

  test('deleted: what a look found counts for when it was begun, however late the process reads it', async () => {
    const scene = await ready();
    leave(scene);
    scene.external.isBlind = true;
    await scene.run();
    pass(scene, 1_000);
    standStill(scene, 30_000);
    assert.deepEqual(await scene.run(), unsettled(4_000));
    assert.deepEqual(scene.object?.metadata.finalizers, finalizers);
  });

  test('deleted: nor must a creation show by now because the answer is read late', async () => {
    const scene = new Scene(
      { forProvider: { size: 1 } },
      {},
      { confirmAbsenceMs: 5_000, creationGraceMs: 30_000 },
    );
    scene.external.isBlind = true;
    await scene.run();
    leave(scene);
    pass(scene, 10_000);
    standStill(scene, 60_000);
    await scene.run();
    assert.equal(scene.decision, 'AwaitExternal');
  });

  test('deleted: a look that finds it in between starts the count anew', async () => {
    const scene = await ready();
    leave(scene);
    scene.external.isDeletionSlow = true;
    scene.external.isBlind = true;
    await scene.run();
    pass(scene, 10_000);
    scene.external.isBlind = false;
    scene.external.gate = (method) => {
      if (method === 'delete') throw new Error('busy');
    };
    await scene.run();
    scene.external.isBlind = true;
    assert.deepEqual(await scene.run(), unsettled(5_000));
  });

  test('deleted: a restart asks for one look more, not for one less', async () => {
    const scene = await ready();
    leave(scene);
    scene.external.isBlind = true;
    await scene.run();
    pass(scene, 60_000);
    scene.restart();
    assert.deepEqual(await scene.run(), unsettled(5_000));
    assert.ok(scene.object !== undefined);
  });

  const outcomes: Readonly<Record<string, (scene: Scene) => void>> = {
    'that took long': () => {},
    'whose answer was lost': (scene) => {
      scene.external.afterCall = (method) => {
        if (method === 'create') throw new Error('connection reset');
      };
    },
  };
  for (const [what, befall] of Object.entries(outcomes)) {
    test(`deleted: looks before a creation ${what} are no proof that it made nothing`, async () => {
      const scene = new Scene({ forProvider: { size: 1 } }, {}, { confirmAbsenceMs: 5_000 });
      befall(scene);
      scene.external.gate = (method) => {
        if (method === 'create') pass(scene, 10_000);
      };
      scene.external.isBlind = true; // what is made shows a while later
      await scene.run();
      assert.equal(scene.external.made, 1);
      leave(scene);
      assert.deepEqual(await scene.run(), unsettled(5_000));
      pass(scene, 1_000);
      scene.external.isBlind = false;
      assert.deepEqual(await scene.run(), done);
      assert.deepEqual([scene.object, scene.external.things.size], [undefined, 0]);
    });
  }

  test('deleted: once the external system took our request one look will do, after a restart too', async () => {
    const scene = await ready();
    leave(scene);
    scene.external.isDeletionSlow = true;
    await scene.run();
    scene.external.things.clear();
    scene.restart();
    assert.deepEqual(await scene.run(), done);
    assert.equal(scene.object, undefined);
  });

  test('deleted: what was found once it was made counts, too: one look that finds nothing is no proof', async () => {
    const scene = await ready();
    pass(scene, 60_000);
    leave(scene);
    scene.external.isBlind = true;
    assert.deepEqual(await scene.run(), unsettled(5_000));
  });

  test('another object of the name does not inherit the doubt', async () => {
    const scene = await ready();
    leave(scene);
    scene.external.isBlind = true;
    await scene.run();
    const { metadata, ...rest } = scene.object ?? assert.fail();
    scene.cluster.put(managedKind, { ...rest, metadata: { ...metadata, uid: 'another-uid' } });
    pass(scene, 60_000);
    assert.deepEqual(await scene.run(), unsettled(5_000));
  });

  const ends: Record<string, (scene: Scene) => Promise<unknown>> = {
    'somebody else removed': async (scene) => {
      scene.cluster.edit(managedKind, { name: 'db' }, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, finalizers: [] },
      }));
      await scene.run();
    },
    'that goes, since what it stands for is to be kept': async (scene) => {
      scene.cluster.edit<Managed>(managedKind, { name: 'db' }, ({ spec, ...rest }) => ({
        ...rest,
        spec: { ...spec, deletionPolicy: 'Orphan' },
      }));
      await scene.run();
    },
  };
  for (const [what, end] of Object.entries(ends)) {
    test(`the doubt about a resource ${what} is forgotten with it`, async () => {
      const scene = await ready();
      leave(scene);
      scene.external.isBlind = true;
      await scene.run();
      const former = scene.object ?? assert.fail();
      await end(scene);
      assert.equal(scene.object, undefined);
      scene.cluster.put(managedKind, former); // as nothing but its UID could tell it from the former
      pass(scene, 60_000);
      assert.deepEqual(await scene.run(), unsettled(5_000));
    });
  }
});

describe('what was there is not created again on one look', () => {
  test('it shows again: nothing was done, nothing is said', async () => {
    const scene = await ready();
    scene.external.isBlind = true;
    assert.deepEqual(await scene.run(), unsettled(5_000));
    pass(scene, 5_000);
    scene.external.isBlind = false;
    assert.deepEqual(await scene.run(), poll);
    assert.deepEqual([scene.external.made, scene.events, scene.cluster.takeWrites()], [1, [], []]);
    assert.equal(scene.external.count('observe'), 2 + 1 + 1, 'one for each run, and one after creation');
  });

  test('it does not for 5 s: that is said, and it is created again', async () => {
    const scene = await ready();
    scene.external.things.clear();
    await scene.run();
    assert.equal(scene.external.made, 1);
    pass(scene, 5_000);
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.external.made, 2);
    assert.deepEqual(scene.events, ['Warning LostExternalResource', 'Normal CreatedExternalResource']);
    assert.equal(
      scene.process.events[0]?.message,
      'external resource does not exist any more (db); it is created again',
    );
  });

  test('where the external system gives the names, it never is, until somebody takes the name away', async () => {
    const scene = await ready({ externalNames: 'assigned' });
    pass(scene, 60_000);
    scene.external.things.clear();
    await scene.run();
    pass(scene, 5_000);
    for (let runs = 0; runs < 3; runs += 1) {
      assert.deepEqual(await scene.run(), poll);
      pass(scene, 60_000);
    }
    const message =
      'external resource does not exist any more (assigned-1); to have another created, remove the annotation crossplane.io/external-name';
    assert.equal(scene.condition('Ready'), `False/Unavailable: ${message}`);
    assert.equal(scene.condition('Synced'), `False/ReconcileError: ${message}`);
    assert.equal(scene.external.made, 1);
    assert.deepEqual(new Set(scene.events), new Set(['Warning LostExternalResource']));

    const { metadata, ...rest } = scene.object ?? assert.fail();
    const { 'crossplane.io/external-name': _name, ...annotations } = metadata.annotations ?? {};
    scene.cluster.put(managedKind, { ...rest, metadata: { ...metadata, annotations } });
    for (let runs = 0; runs < 3; runs += 1) {
      await scene.run();
      pass(scene, 5_000);
    }
    assert.equal(scene.external.made, 2);
    assert.equal(scene.annotations['crossplane.io/external-name'], 'assigned-2');
    assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
  });

  test('a creation that failed is tried again at once', async () => {
    const scene = new Scene({}, {}, { confirmAbsenceMs: 5_000 });
    scene.external.gate = (method) => {
      if (method === 'create') throw new Error('no room');
    };
    await scene.run();
    scene.external.gate = () => {};
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.external.made, 1);
  });

  test('a creation that goes on failing is tried less and less often, however often it must be sure', async () => {
    const cluster = new FakeCluster();
    const external = new FakeExternal();
    const process = startStack(cluster, external);
    cluster.put(managedKind, managed());
    await process.settle(60_000);
    external.things.clear();
    external.gate = (method) => {
      if (method === 'create') throw new Error('no room');
    };
    const before = external.count('create');
    await process.settle(1_200_000);
    const attempts = external.count('create') - before;
    assert.ok(attempts > 10 && attempts <= 25, `${attempts} in 20 minutes`);
    external.gate = () => {};
    await process.settle(70_000);
    assert.equal(external.made, 2);
  });
});
