import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available, creating } from '../../../apis/core/v1alpha1/condition.ts';
import type { ExternalOperation } from '../../../apis/core/v1alpha1/managed.ts';
import type { Progress } from '../../../controllers/managed/connecting/external-client.ts';
import { createProcessMemory } from '../../../controllers/managed/recording/process-memory.ts';
import { unsettled } from '../../../runtime/controller/reconcile.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { broken, conflict } from '../cluster-fake.ts';
import { finalizers, Scene } from '../managed-scene.ts';
import { managed, managedKind } from '../objects.ts';

const startedAt = '2026-01-02T03:04:05Z';
const named = { 'crossplane.io/external-name': 'db' };
const running: Progress = { state: 'running' };
const ended: Progress = { state: 'done' };
const forgotten: Progress = { state: 'unknown' };
const failed: Progress = { state: 'failed', error: new Error('quota exceeded') };

/** A resource whose external system sees through what it is asked for; the calls themselves change nothing yet. */
function slow(options: ConstructorParameters<typeof Scene>[2] = {}) {
  const scene = new Scene({ forProvider: { size: 1 } }, {}, options);
  scene.external.creation = { operation: 'op-create' };
  scene.external.change = { operation: 'op-update' };
  scene.external.deletion = { operation: 'op-delete' };
  scene.external.progress = () => running;
  return scene;
}

const onRecord = (scene: Scene): ExternalOperation | undefined => scene.object?.status?.operation;
const idOf = ({ object }: Scene): unknown => (object?.status as { readonly id?: number } | undefined)?.id;
const calls = (scene: Scene): readonly number[] =>
  (['create', 'update', 'delete'] as const).map((method) => scene.external.count(method));

/** One whose creation is under way, and does not show. */
async function beingCreated(options: ConstructorParameters<typeof Scene>[2] = {}): Promise<Scene> {
  const scene = slow(options);
  await scene.run();
  scene.external.isBlind = true;
  return scene;
}

/** One that is there, and whose update is under way. */
async function beingUpdated(): Promise<Scene> {
  const scene = new Scene({ forProvider: { size: 2 } }, { finalizers, annotations: named });
  scene.external.put('db', { size: 2 });
  await scene.run(); // sets the credential
  const { password } = scene.secret ?? assert.fail();
  scene.external.put('db', { size: 1 }, password);
  scene.external.change = { operation: 'op-update', status: { size: 2 } };
  scene.external.progress = () => ({ state: 'running', message: 'half of it' });
  scene.external.calls.length = 0;
  await scene.run();
  scene.external.put('db', { size: 1 }, password); // not yet
  return scene;
}

/** One that is there, and whose deletion is under way. */
async function beingDeleted(): Promise<Scene> {
  const scene = slow();
  scene.external.creation = {};
  scene.external.isDeletionSlow = true;
  await scene.run();
  scene.remove();
  await scene.run();
  return scene;
}

describe('a creation whose resource does not show during the operation', () => {
  test('a deleted resource is observed again after its creation has ended', async () => {
    const scene = await beingCreated({ confirmAbsenceMs: 5_000 });
    scene.remove();
    await scene.run();
    scene.cluster.clockMs += 60_000;
    await scene.run();
    scene.external.progress = () => ended;
    assert.deepEqual(await scene.run(), unsettled(5_000));
    assert.deepEqual(scene.object?.metadata.finalizers, finalizers);
    scene.external.isBlind = false; // it shows a moment later
    scene.external.deletion = {};
    await scene.run();
    assert.deepEqual([scene.object, scene.external.resources.size], [undefined, 0]);
  });
});

describe('an asynchronous operation', () => {
  test('is recorded by its name in the one status write of the run, with the status that the call returned', async () => {
    const scene = slow();
    scene.external.creation = { operation: 'op-create', status: { id: 7 } };
    await scene.run();
    assert.deepEqual(onRecord(scene), { type: 'create', name: 'op-create', startedAt });
    assert.equal(idOf(scene), 7);
    assert.equal(scene.condition('AsyncOperation'), 'False/Ongoing: create is under way (op-create)');
    assert.deepEqual(scene.conditions, ['False/Creating', 'True/ReconcileSuccess']);
    assert.deepEqual(scene.cluster.takeWrites(), [
      'update FavouriteDBInstance db', // the finalizer
      'create Secret infra/db-connection',
      'update FavouriteDBInstance db',
      'update Secret infra/db-connection', // what the call returned
      'updateStatus FavouriteDBInstance db',
    ]);
  });

  test('is polled at each observation, less and less often, without a write', async () => {
    const scene = await beingCreated();
    await scene.run();
    scene.cluster.takeWrites();
    const delays: number[] = [];
    for (const elapsedMs of [0, 4_000, 40_000, 4_000_000]) {
      scene.cluster.clockMs += elapsedMs;
      scene.restart();
      const result = await scene.run();
      assert.ok(result.type === 'after' && result.keepsBackOff, 'a back-off goes on growing');
      delays.push(result.delayMs);
    }
    assert.deepEqual(delays, [500, 1_000, 11_000, 60_000]);
    assert.deepEqual([scene.cluster.takeWrites(), calls(scene)], [[], [1, 0, 0]]);
  });

  test('does not stop the status: Ready is the observed state, and the resource is not updated', async () => {
    const scene = await beingUpdated();
    const observation = { isUpToDate: false, status: { phase: 'RESIZING' } };
    for (const ready of [available(), creating()]) {
      scene.external.observation = { ...observation, ready };
      await scene.run();
      assert.equal(scene.condition('Ready'), ready.status === 'True' ? 'True/Available' : 'False/Creating');
      assert.equal(scene.decision, 'NoUpdate');
    }
    assert.deepEqual(scene.object?.status, { ...scene.object?.status, phase: 'RESIZING', size: 2 });
    assert.deepEqual(calls(scene), [0, 1, 0]);
  });

  test('is recorded once it is done, with its result, in one run', async () => {
    const scene = await beingCreated();
    scene.external.isBlind = false;
    const details = { certificate: 'reported at the end' };
    scene.external.progress = () => ({ state: 'done', details, status: { id: 7 } });
    await scene.run();
    assert.equal(onRecord(scene), undefined);
    assert.equal(scene.secret?.certificate, 'reported at the end');
    assert.equal(idOf(scene), 7);
    assert.equal(scene.condition('AsyncOperation'), 'True/Finished');
    assert.equal(scene.condition('LastAsyncOperation'), 'True/Success');
    assert.equal(scene.condition('Ready'), 'True/Available');
    scene.cluster.takeWrites();
    await scene.run();
    assert.deepEqual(scene.cluster.takeWrites(), []);
    assert.equal(scene.external.count('poll'), 1);
  });

  test('is reported with the reason of the external system if it failed, and is repeated later', async () => {
    const scene = await beingCreated();
    scene.external.progress = () => failed;
    assert.deepEqual(await scene.run(), { type: 'requeue' });
    assert.equal(onRecord(scene), undefined);
    const failure = 'False/ApplyFailure: create failed: quota exceeded';
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: quota exceeded');
    assert.equal(scene.condition('AsyncOperation'), 'True/Finished');
    assert.equal(scene.condition('LastAsyncOperation'), failure);
    assert.deepEqual(scene.process.events.at(-1)?.message, 'quota exceeded');
    assert.equal(scene.events.at(-1), 'Warning CannotCreateExternalResource');
    scene.external.progress = () => running;
    const again = await scene.run();
    assert.ok(again.type === 'after' && again.keepsBackOff);
    assert.deepEqual([onRecord(scene)?.name, calls(scene)], ['op-create', [2, 0, 0]]);
    assert.equal(scene.condition('LastAsyncOperation'), failure, 'as long as the next has not ended');
  });

  test('counts as ended if the external system does not know it any more', async () => {
    const scene = await beingCreated();
    scene.external.isBlind = false;
    scene.external.progress = () => forgotten;
    await scene.run();
    assert.equal(onRecord(scene), undefined);
    assert.equal(scene.condition('LastAsyncOperation'), 'Unknown/-');
    assert.deepEqual([scene.condition('Ready'), calls(scene)], ['True/Available', [1, 0, 0]]);
  });

  for (const state of ['done', 'unknown'] as const) {
    test(`is repeated with a growing back-off if its end (${state}) changes nothing visible`, async () => {
      const scene = await beingUpdated();
      for (const updates of [1, 2, 3]) {
        scene.external.progress = () => ({ state });
        const waits = await scene.run();
        const waiting = [scene.decision, waits, calls(scene), onRecord(scene)];
        assert.deepEqual(waiting, ['AwaitEffect', { type: 'requeue' }, [0, updates, 0], undefined]);
        assert.deepEqual(scene.conditions, [
          'True/Available',
          'True/UpdateAccepted: the external system accepted the update, and does not show its effect',
        ]);
        const again = await scene.run();
        assert.deepEqual([scene.decision, calls(scene)], ['Update', [0, updates + 1, 0]]);
        assert.ok(again.type === 'after' && again.keepsBackOff);
        scene.external.put('db', { size: 1 }); // what the call has changed does not show
      }
    });
  }

  test('stays recorded while its state cannot be read', async () => {
    const scene = await beingCreated();
    scene.external.failAt('poll');
    assert.deepEqual(await scene.run(), { type: 'requeue' });
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: no route to cloud');
    assert.deepEqual([onRecord(scene)?.name, calls(scene)], ['op-create', [1, 0, 0]]);
  });

  test('is known to the process although the status could not be written', async () => {
    const scene = slow();
    scene.cluster.refuse('updateStatus', managedKind, conflict());
    await assert.rejects(scene.run());
    scene.external.isBlind = true;
    await scene.run();
    assert.deepEqual(onRecord(scene), { type: 'create', name: 'op-create', startedAt });
    assert.deepEqual(calls(scene), [1, 0, 0]);
  });
});

describe('an operation for a resource with an assigned name', () => {
  const assigned = { externalNames: 'assigned' } as const;

  test('records the name that its end returns', async () => {
    const scene = slow(assigned);
    scene.external.assignsLate = true;
    await scene.run();
    assert.equal(scene.annotations['crossplane.io/external-name'], undefined);
    await scene.run();
    assert.deepEqual([scene.decision, calls(scene)], ['AwaitOperation', [1, 0, 0]]);
    scene.external.progress = () => ({ state: 'done', externalName: 'assigned-1' });
    await scene.run();
    assert.equal(scene.annotations['crossplane.io/external-name'], 'assigned-1');
    assert.ok('crossplane.io/external-create-succeeded' in scene.annotations);
    assert.equal(onRecord(scene), undefined);
  });

  /** One whose creation has ended, and returns a name that no observation returns. */
  async function created(refuse: (scene: Scene) => void): Promise<Scene> {
    const scene = slow({ ...assigned, env: { clock: { ...testClock(), sleep: async () => {} } } });
    scene.external.assignsLate = true;
    refuse(scene);
    await scene.run().catch(() => undefined);
    scene.external.progress = () => ({ state: 'done', externalName: 'assigned-1' });
    return scene;
  }

  test('is polled again if the name that its end returns cannot be recorded', async () => {
    const scene = await created(() => {});
    scene.cluster.refuse('update', managedKind, broken(), 5);
    await scene.run();
    assert.match(scene.condition('Synced'), /cannot update critical annotations/);
    assert.equal(onRecord(scene)?.name, 'op-create');
    await scene.run();
    assert.equal(scene.annotations['crossplane.io/external-name'], 'assigned-1');
    assert.deepEqual([scene.condition('Synced'), onRecord(scene)], ['True/ReconcileSuccess', undefined]);
  });

  test('is not polled after the name is recorded, also if no status named it', async () => {
    const scene = await created(({ cluster }) => cluster.refuse('updateStatus', managedKind, conflict()));
    scene.external.change = {};
    assert.equal(onRecord(scene), undefined);
    await scene.run();
    assert.equal(scene.annotations['crossplane.io/external-name'], 'assigned-1');
    await scene.run();
    assert.deepEqual([scene.external.count('poll'), onRecord(scene)], [1, undefined]);
  });

  test('records a name that is returned at once, and the success only at its end', async () => {
    const scene = slow(assigned);
    await scene.run();
    assert.equal(scene.annotations['crossplane.io/external-name'], 'assigned-1');
    assert.equal('crossplane.io/external-create-succeeded' in scene.annotations, false);
  });

  test('waits for an administrator if the external system forgot it and it returned no name', async () => {
    const scene = slow(assigned);
    scene.external.assignsLate = true;
    await scene.run();
    scene.external.progress = () => forgotten;
    await scene.run();
    await scene.run();
    assert.match(scene.condition('Synced'), /cannot determine creation result/);
    assert.deepEqual(calls(scene), [1, 0, 0]);
  });

  test('is recorded as succeeded if the external system forgot it and the named resource exists', async () => {
    const scene = slow(assigned);
    await scene.run();
    scene.external.progress = () => forgotten;
    await scene.run();
    assert.ok('crossplane.io/external-create-succeeded' in scene.annotations);
    await scene.run();
    assert.deepEqual([scene.condition('Synced'), calls(scene)], ['True/ReconcileSuccess', [1, 0, 0]]);
  });

  test('is recorded as failed, and another one is started although the first had a name', async () => {
    const scene = slow(assigned);
    await scene.run();
    await scene.run();
    scene.external.progress = () => failed;
    scene.external.resources.clear();
    await scene.run();
    assert.ok('crossplane.io/external-create-failed' in scene.annotations);
    await scene.run();
    assert.deepEqual([scene.decision, calls(scene)], ['Recreate', [2, 0, 0]]);
  });
});

describe('a resource that is deleted during an operation', () => {
  test('waits for the end of its creation, and is deleted then', async () => {
    for (const isShown of [true, false]) {
      const scene = await beingCreated();
      scene.external.isBlind = !isShown;
      scene.remove();
      await scene.run();
      assert.deepEqual([scene.decision, calls(scene)], ['AwaitOperation', [1, 0, 0]]);
      assert.equal(scene.condition('Ready'), 'False/Deleting: waiting for its create to end');
      scene.external.isBlind = false;
      scene.external.progress = (name) => ({ state: name === 'op-create' ? 'done' : 'running' });
      await scene.run();
      assert.deepEqual([onRecord(scene)?.name, calls(scene)], ['op-delete', [1, 0, 1]]);
      scene.external.progress = () => ended;
      await scene.run();
      assert.equal(scene.object, undefined);
    }
  });

  test('is deleted at once during an update, and the update is not polled any more', async () => {
    for (const deletion of [{}, { operation: 'op-delete' }]) {
      const scene = await beingUpdated();
      scene.external.deletion = deletion;
      scene.external.isDeletionSlow = true;
      scene.remove();
      await scene.run();
      assert.deepEqual([scene.decision, calls(scene)], ['DeleteExternal', [0, 1, 1]]);
      assert.equal(onRecord(scene)?.name, deletion.operation);
      assert.equal(scene.condition('Ready'), 'False/Deleting');
      assert.equal(scene.condition('LastAsyncOperation'), 'Unknown/-');
    }
  });

  test('is not deleted twice, and stays until the deletion has ended', async () => {
    const scene = await beingDeleted();
    await scene.run();
    assert.equal(scene.decision, 'AwaitDeletion');
    scene.external.resources.clear();
    await scene.run();
    assert.deepEqual([scene.decision, calls(scene)], ['AwaitOperation', [1, 0, 1]]);
    scene.external.progress = () => ended;
    await scene.run();
    assert.equal(scene.object, undefined);
  });

  test('is deleted again if the deletion failed', async () => {
    const scene = await beingDeleted();
    scene.external.progress = () => failed;
    await scene.run();
    const last = scene.condition('LastAsyncOperation');
    assert.equal(last, 'False/DestroyFailure: delete failed: quota exceeded');
    assert.equal(scene.events.at(-1), 'Warning CannotDeleteExternalResource');
    await scene.run();
    assert.deepEqual(calls(scene), [1, 0, 2]);
  });
});

describe('a credential that an operation sets', () => {
  const edited = 'edited by a user';

  /** One whose credential was edited, and whose external system has begun to set it. */
  async function beingSet(): Promise<Scene> {
    const scene = new Scene({ forProvider: { size: 1 } }, { finalizers, annotations: named });
    await scene.run();
    scene.editSecret({ password: edited });
    scene.external.change = { operation: 'op-update' };
    scene.external.progress = () => running;
    await scene.run();
    return scene;
  }

  const pendingIn = ({ object }: Scene): boolean | undefined => object?.status?.credential?.pending;

  test('is pending during the operation, and in force after it', async () => {
    const scene = await beingSet();
    assert.equal(pendingIn(scene), true);
    await scene.run();
    assert.equal(pendingIn(scene), true);
    scene.external.progress = () => ended;
    await scene.run();
    assert.equal(pendingIn(scene), false);
    await scene.run();
    assert.deepEqual([calls(scene), scene.external.resources.get('db')?.password], [[1, 1, 0], edited]);
  });

  test('is not recorded after a failed operation, so that it is set again', async () => {
    const scene = await beingSet();
    scene.external.progress = () => failed;
    await scene.run();
    assert.equal(pendingIn(scene), undefined);
    scene.external.change = {};
    await scene.run();
    assert.equal(pendingIn(scene), false);
    assert.deepEqual(calls(scene), [1, 2, 0]);
  });
});

describe('a client that cannot be asked about its operations', () => {
  test('does not poll a recorded operation', async () => {
    const scene = await beingCreated();
    scene.external.isBlind = false;
    scene.external.progress = undefined;
    await scene.run();
    assert.deepEqual([onRecord(scene), calls(scene)], [undefined, [1, 0, 0]]);
  });
});

describe('the operation that a run continues', () => {
  const first: ExternalOperation = { type: 'create', name: 'op-1', startedAt };
  const second: ExternalOperation = { type: 'delete', name: 'op-2', startedAt };
  type Of = ExternalOperation | undefined;
  const rows: Record<string, readonly [noted: readonly Of[], reported: Of, is: Of]> = {
    'is that of the status if the process knows none': [[], first, first],
    'is the one that the process began, until the status has it': [[first], undefined, first],
    'is a later one that the process began': [[second], first, second],
    'is none after its end, until the status has the end': [[undefined], first, undefined],
    'is none after the end of all operations': [[first, undefined], undefined, undefined],
  };
  for (const [name, [noted, reported, is]] of Object.entries(rows)) {
    test(name, () => {
      const memory = createProcessMemory({ elapsedMs: () => 0 });
      const object = managed({}, { status: { ...(reported && { operation: reported }) } });
      for (const operation of noted) memory.noteOperation(object, operation);
      assert.deepEqual(memory.operationOf(object), is);
    });
  }

  test('is that of the status once the status has the noted one', () => {
    const memory = createProcessMemory({ elapsedMs: () => 0 });
    memory.noteOperation(managed(), first);
    assert.deepEqual(memory.operationOf(managed({}, { status: { operation: first } })), first);
    assert.equal(memory.operationOf(managed()), undefined);
  });

  test('is forgotten with the object, also if another one has its name', () => {
    const memory = createProcessMemory({ elapsedMs: () => 0 });
    memory.noteOperation(managed(), first);
    assert.equal(memory.operationOf(managed({}, { uid: 'another' })), undefined);
    memory.forget(managed().metadata);
    assert.equal(memory.operationOf(managed()), undefined);
  });
});
