import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { creating, getCondition, unavailable } from '../../../../apis/core/v1alpha1/condition.ts';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import { SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import type {
  ConnectionEntry,
  ConnectionPlace,
} from '../../../../controllers/core/connection/connection-place.ts';
import type { KeptCredential } from '../../../../controllers/core/credential.ts';
import { generatedPassword } from '../../../../controllers/core/credential.ts';
import { UncertainCreationError } from '../../../../controllers/core/managed/connecting/external-client.ts';
import { isConflict, isInterrupted, leaseExpired } from '../../../../runtime/client/errors.ts';
import { after, done, requeue, unsettled } from '../../../../runtime/controller/reconcile.ts';
import { testClock } from '../../../../testing/test-clock.ts';
import { recordedLog } from '../../../fakes/recorded-log.ts';
import type { ApiCall, Verb } from '../cluster-fake.ts';
import { broken, conflict } from '../cluster-fake.ts';
import type { ExternalMethod } from '../external-fake.ts';
import { finalizers, Scene, secretKey } from '../managed-scene.ts';
import { deletionTimestamp, managed, managedKind, undetermined } from '../objects.ts';

/** Refuses the writes of one sort, the n-th and those after it. */
const refuse =
  (verb: Verb, kind: string, error: Error, from = 1) =>
  (call: ApiCall) => {
    if (call.verb !== verb || call.kind !== kind) return;
    seen.set(error, (seen.get(error) ?? 0) + 1);
    if ((seen.get(error) ?? 0) >= from) throw error;
  };
const seen = new WeakMap<Error, number>();

const failAt =
  (at: ExternalMethod, error: Error = new Error('no route to cloud')) =>
  (method: ExternalMethod) => {
    if (method === at) throw error;
  };

const leaving = { deletionTimestamp, finalizers };
const name = { 'crossplane.io/external-name': 'db' };
const { kind } = managedKind;
const poll = after(60_000);
const sentence = 'Successfully requested';

/** A place that keeps what it is given, and fails at one step. */
function placeFailingAt(step: 'write' | 'remove', error: Error): ConnectionPlace {
  let kept: ConnectionEntry | undefined;
  const keep = (desired: KeptCredential): ConnectionEntry => {
    if (step === 'write') throw error;
    kept = {
      ...desired,
      isOwned: true,
      write: async (_managed, next) => keep(next),
      confirm: async () => undefined,
    };
    return kept;
  };
  return {
    isNamed: () => true,
    read: async () => kept,
    create: async (_managed, desired) => keep(desired),
    removeFormer: async () => undefined,
    remove: async () => {
      if (step === 'remove') throw error;
    },
  };
}

/** A resource with its finalizer. Its kind generates no credential: credentials.test.ts is about those that do. */
function sceneOf(...[spec, metadata, options]: ConstructorParameters<typeof Scene>): Scene {
  return new Scene(spec, { finalizers, ...metadata }, { secretDetails: {}, ...options });
}

/** A resource whose external resource exists and is as wanted. */
function settled(spec = {}, metadata = {}, options = {}): Scene {
  const scene = sceneOf({ forProvider: { size: 1 }, ...spec }, { annotations: name, ...metadata }, options);
  scene.external.put('db', { size: 1 });
  return scene;
}

/** The same resource, changed in the external system. */
function drifted(spec = {}, metadata = {}, options = {}): Scene {
  const scene = settled(spec, metadata, options);
  scene.external.put('db', { size: 2 });
  return scene;
}

async function assertSilent(scene: Scene, isAsExpected = isConflict): Promise<void> {
  await assert.rejects(scene.run(), isAsExpected);
  assert.deepEqual(scene.events, []);
  assert.equal(scene.object?.status, undefined);
}

describe('before the external system is asked', () => {
  test('ResourceGone: a deleted managed resource needs nothing', async () => {
    const scene = sceneOf({}, { finalizers: [] });
    scene.cluster.delete(managedKind, { name: 'db' }, deletionTimestamp);
    assert.deepEqual(await scene.run(), done);
    assert.deepEqual(scene.cluster.calls, []);
    assert.deepEqual(scene.external.calls, []);
  });

  test('Paused: the annotation pauses: Synced reports it, Ready stays, nothing else is written', async () => {
    const scene = settled();
    await scene.run();
    const before = scene.condition('Ready');
    scene.cluster.put(managedKind, {
      ...scene.object!,
      metadata: { ...scene.object!.metadata, annotations: { ...name, 'crossplane.io/paused': 'true' } },
    });
    const calls = scene.external.calls.length;
    assert.deepEqual(await scene.run(), done);
    assert.match(scene.condition('Synced'), /^False\/ReconcilePaused: .*crossplane\.io\/paused/);
    assert.equal(scene.condition('Ready'), before);
    assert.equal(scene.external.calls.length, calls);
    assert.deepEqual(scene.events, ['Normal ReconciliationPaused']);
  });

  test('Paused: empty policies pause deletion too, and the condition reports both', async () => {
    const scene = settled({ managementPolicies: [] }, leaving);
    assert.deepEqual(await scene.run(), done);
    assert.match(scene.condition('Synced'), /^False\/ReconcilePaused: .*managementPolicies; deletion waits/);
    assert.deepEqual(scene.events, ['Normal ReconciliationPaused']);
    assert.deepEqual(scene.external.calls, []);
    assert.ok(scene.object !== undefined);
  });

  test('Paused: a paused resource has one Event and one write', async () => {
    const scene = settled({ managementPolicies: [] });
    await scene.run();
    const writes = scene.cluster.writes.length;
    await scene.run();
    assert.equal(scene.cluster.writes.length, writes);
    assert.equal(scene.events.length, 1);
  });

  test('Paused: a failing status write while paused is returned', async () => {
    const scene = settled({ managementPolicies: [] });
    scene.cluster.gate = refuse('updateStatus', kind, broken());
    await assert.rejects(scene.run(), /cannot update managed resource status: etcd is unavailable/);
  });

  test('UnsupportedPolicies: invalid policies are refused until they are edited', async () => {
    const scene = settled({ managementPolicies: ['Create'] });
    assert.deepEqual(await scene.run(), done);
    assert.match(scene.condition('Synced'), /^False\/ReconcileError: spec\.managementPolicies .*\[Create\]/);
    assert.deepEqual(scene.events, ['Warning CannotUseInvalidManagementPolicy']);
    assert.deepEqual(scene.external.calls, []);
  });

  test('RemoveFinalizer: if nothing was created, the finalizer is removed without a call, a status write or an Event', async () => {
    const scene = settled({}, { deletionTimestamp, finalizers: ['example.org/hold'] });
    assert.equal((await scene.run()).type, 'done');
    assert.deepEqual([scene.external.calls, scene.cluster.calls, scene.events], [[], [], []]);
  });

  test('OrphanExternal: a Secret that cannot be deleted is reported', async () => {
    const scene = settled({ deletionPolicy: 'Orphan' }, leaving);
    scene.place = placeFailingAt('remove', new Error('vault is sealed'));
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.condition('Ready'), 'False/Deleting');
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: vault is sealed');
    assert.deepEqual(scene.events, ['Warning CannotUnpublishConnectionDetails']);
  });

  test("OrphanExternal: a conflict of the Secret's deletion is silent", async () => {
    const scene = settled({ deletionPolicy: 'Orphan' }, leaving);
    scene.place = placeFailingAt('remove', conflict());
    await assertSilent(scene);
  });

  test('OrphanExternal: a finalizer that cannot be removed is reported', async () => {
    const scene = settled({ deletionPolicy: 'Orphan' }, leaving);
    scene.cluster.gate = refuse('update', kind, broken());
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.condition('Ready'), 'False/Deleting');
    assert.equal(
      scene.condition('Synced'),
      'False/ReconcileError: cannot update managed resource: etcd is unavailable',
    );
    assert.deepEqual(scene.events, []);
  });

  test('OrphanExternal: a conflict of removing the finalizer is silent', async () => {
    const scene = settled({ deletionPolicy: 'Orphan' }, leaving);
    scene.cluster.gate = refuse('update', kind, conflict());
    await assertSilent(scene);
  });

  test('OrphanExternal: the external resource is kept without a call to it, and without a status write', async () => {
    const scene = settled({ deletionPolicy: 'Orphan' }, leaving);
    assert.deepEqual(await scene.run(), done);
    assert.equal(scene.object, undefined);
    assert.deepEqual(scene.external.calls, []);
    assert.deepEqual(scene.cluster.writeNames, [`update ${kind} db`]);
    assert.ok(scene.external.things.has('db'));
  });

  test('CreateExternal: the external name is defaulted to the object name, in the write that adds the finalizer', async () => {
    const scene = sceneOf();
    await scene.run();
    assert.equal(scene.annotations['crossplane.io/external-name'], 'db');
    assert.deepEqual(scene.object?.metadata.finalizers, finalizers);
    assert.equal(scene.cluster.writeNames.filter((write) => write === `update ${kind} db`).length, 1);
  });

  test('CreateExternal: a name in forProvider is its initial value, and a given annotation wins', async () => {
    const wanted = sceneOf({ forProvider: { name: 'orders' } });
    await wanted.run();
    assert.ok(wanted.external.things.has('orders'));
    const given = sceneOf(
      { forProvider: { name: 'orders' } },
      { annotations: { 'crossplane.io/external-name': 'legacy' } },
    );
    await given.run();
    assert.deepEqual([...given.external.things.keys()], ['legacy']);
  });

  const pendingOnly = { annotations: { 'crossplane.io/external-create-pending': '2026-01-02T03:00:00Z' } };
  for (const [when, metadata] of Object.entries({
    normally: pendingOnly,
    'while deleting': { ...pendingOnly, ...leaving },
  })) {
    test(`CreationIncomplete: a creation without a result waits for an administrator, ${when}`, async () => {
      const scene = sceneOf({}, metadata, { externalNames: 'assigned' });
      assert.deepEqual(await scene.run(), after(60_000));
      assert.equal(scene.condition('Synced'), `False/ReconcileError: ${undetermined}`);
      assert.equal(scene.condition('Ready'), 'False/Creating');
      assert.deepEqual(scene.events, ['Warning CannotInitializeManagedResource']);
      assert.deepEqual(scene.external.calls, []);
    });
  }

  test('a reference that does not resolve', async () => {
    const scene = settled(
      {},
      {},
      {
        resolveReferences: async () => {
          throw new Error('Network main does not exist');
        },
      },
    );
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(
      scene.condition('Synced'),
      'False/ReconcileError: cannot resolve references: Network main does not exist',
    );
    assert.deepEqual(scene.events, ['Warning CannotResolveResourceReferences']);
    assert.deepEqual(scene.external.calls, []);
  });

  test('a conflict of resolving references is silent', async () => {
    await assertSilent(settled({}, {}, { resolveReferences: () => Promise.reject(conflict()) }));
  });

  test('references are not resolved while deleting', async () => {
    const scene = settled({}, leaving, { resolveReferences: () => Promise.reject(new Error('gone')) });
    assert.deepEqual(await scene.run(), done);
    assert.equal(scene.object, undefined);
  });

  test('the provider cannot be reached', async () => {
    const scene = settled();
    scene.external.gate = failAt('connect', new Error('ProviderConfig default does not exist'));
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(
      scene.condition('Synced'),
      'False/ReconcileError: connect failed: ProviderConfig default does not exist',
    );
    assert.equal(scene.condition('Ready'), 'Unknown/Pending');
    assert.deepEqual(scene.events, ['Warning CannotConnectToProvider']);
  });

  test('at the end of a run: a disconnect that fails is reported and changes nothing', async () => {
    const scene = settled();
    scene.external.gate = failAt('disconnect', new Error('already closed'));
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
    assert.deepEqual(scene.events, ['Warning CannotDisconnectFromProvider']);
  });
});

describe('the external resource is observed', () => {
  test('observing fails', async () => {
    const scene = settled();
    scene.external.gate = failAt('observe');
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: observe failed: no route to cloud');
    assert.deepEqual(scene.events, ['Warning CannotObserveExternalResource']);
    assert.equal(scene.external.calls.at(-1), 'disconnect');
  });

  test('a conflict of an observation is silent', async () => {
    const scene = settled();
    scene.external.gate = failAt('observe', conflict());
    await assertSilent(scene);
  });

  test('ExternalMissing: an observed-only resource that does not exist is reported, and observed again at the poll', async () => {
    const scene = sceneOf({ managementPolicies: ['Observe'] });
    assert.deepEqual(await scene.run(), poll);
    assert.equal(
      scene.condition('Synced'),
      'False/ReconcileError: observe failed: external resource does not exist',
    );
    assert.deepEqual(scene.events, ['Warning CannotObserveExternalResource']);
    assert.equal(scene.external.count('create'), 0);
  });

  test('ExternalMissing: a resource that was ready is not ready after five seconds of absence', async () => {
    const clock = testClock();
    const scene = settled(
      { managementPolicies: ['Observe'] },
      {},
      { confirmAbsenceMs: 5_000, env: { clock } },
    );
    await scene.run();
    assert.equal(scene.condition('Ready'), 'True/Available');
    scene.external.things.clear();
    assert.deepEqual(await scene.run(), unsettled(5_000));
    assert.equal(scene.condition('Ready'), 'True/Available');
    await clock.advance(5_000);
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.condition('Ready'), 'False/Unavailable: external resource does not exist (db)');
  });

  const justCreated = { ...name, 'crossplane.io/external-create-succeeded': '2026-01-02T03:04:00Z' };
  for (const [when, metadata] of Object.entries({ normally: {}, 'while deleting': leaving })) {
    test(`AwaitExternal: a resource that was just created is awaited without a status write, ${when}`, async () => {
      const scene = sceneOf({}, { annotations: justCreated, ...metadata }, { externalNames: 'assigned' });
      assert.deepEqual(await scene.run(), requeue);
      assert.deepEqual(scene.events, ['Normal PendingExternalResource']);
      assert.deepEqual(scene.cluster.writes, []);
      assert.ok(scene.object !== undefined);
    });
  }

  test('DeleteExternal: a deletion that fails is reported', async () => {
    const scene = settled({}, leaving);
    scene.external.gate = failAt('delete');
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.condition('Ready'), 'False/Deleting');
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: delete failed: no route to cloud');
    assert.deepEqual(scene.events, ['Warning CannotDeleteExternalResource']);
  });

  test('DeleteExternal: a conflict of the external system is reported', async () => {
    const scene = settled({}, leaving);
    scene.external.gate = failAt('delete', conflict());
    assert.deepEqual(await scene.run(), requeue);
    assert.match(scene.condition('Synced'), /delete failed: the object has been modified/);
  });

  test('NoUpdate: a finalizer that a user removed is added again', async () => {
    const scene = settled({}, { finalizers: [] });
    await scene.run();
    assert.equal(scene.decision, 'NoUpdate');
    assert.deepEqual(scene.object?.metadata.finalizers, finalizers);
  });

  test('DeleteExternal: after the deletion request the resource is observed soon, and keeps its finalizer until it is absent', async () => {
    const scene = settled({}, leaving);
    scene.external.isDeletionSlow = true;
    assert.deepEqual(await scene.run(), after(60_000));
    assert.equal(scene.condition('Ready'), 'False/Deleting');
    assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
    assert.deepEqual(scene.events, ['Normal DeletedExternalResource']);
    assert.deepEqual(scene.object?.metadata.finalizers, finalizers);
  });

  test('RemoveFinalizer: the external resource is absent, and its Secret cannot be deleted', async () => {
    const scene = settled({}, leaving);
    scene.external.things.clear();
    scene.place = placeFailingAt('remove', new Error('vault is sealed'));
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.condition('Ready'), 'False/Deleting');
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: vault is sealed');
    assert.deepEqual(scene.events, ['Warning CannotUnpublishConnectionDetails']);
  });

  test('RemoveFinalizer: the external resource is absent, and the finalizer cannot be removed', async () => {
    const scene = settled({}, leaving);
    scene.external.things.clear();
    scene.cluster.gate = refuse('update', kind, broken());
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.condition('Ready'), 'False/Deleting');
    assert.match(scene.condition('Synced'), /cannot update managed resource: etcd is unavailable/);
    assert.deepEqual(scene.events, []);
  });

  for (const step of ['unpublishing', 'removing the finalizer'] as const) {
    test(`RemoveFinalizer: a conflict of ${step} is silent`, async () => {
      const scene = settled({}, leaving);
      scene.external.things.clear();
      if (step === 'unpublishing') scene.place = placeFailingAt('remove', conflict());
      else scene.cluster.gate = refuse('update', kind, conflict());
      await assertSilent(scene);
    });
  }

  test('RemoveFinalizer: the Secret and the finalizer are removed without a status write', async () => {
    const scene = settled({}, leaving);
    scene.external.things.clear();
    assert.deepEqual(await scene.run(), done);
    assert.equal(scene.object, undefined);
    assert.deepEqual(scene.cluster.writeNames, [`update ${kind} db`]);
  });

  test('RemoveFinalizer: an absent resource is not deleted by its name, because the name may have another owner', async () => {
    const scene = settled({}, leaving);
    scene.external.isBlind = true;
    assert.deepEqual(await scene.run(), done);
    assert.equal(scene.external.count('delete'), 0);
  });

  test('AwaitExternal: deterministic names: with a grace period, deletion waits until the new resource shows', async () => {
    const scene = sceneOf(
      {},
      { ...leaving, creationTimestamp: '2026-01-02T03:04:00Z' },
      { creationGraceMs: 10_000 },
    );
    scene.external.put('db');
    scene.external.isBlind = true;
    assert.deepEqual(await scene.run(), requeue);
    scene.external.isBlind = false;
    assert.deepEqual(await scene.run(), done);
    assert.equal(scene.external.things.size, 0);
  });

  test('AwaitExternal: deterministic names: without a grace period, or once the resource was seen, deletion does not wait', async () => {
    const young = { ...leaving, creationTimestamp: '2026-01-02T03:04:00Z' };
    const impatient = sceneOf({}, young);
    assert.deepEqual(await impatient.run(), done);
    const seen = settled({}, { creationTimestamp: '2026-01-02T03:04:00Z' }, { creationGraceMs: 10_000 });
    await seen.run();
    seen.external.things.clear();
    seen.cluster.delete(managedKind, { name: 'db' }, deletionTimestamp);
    assert.deepEqual(await seen.run(), done);
  });

  test('RemoveFinalizer: a resource that is absent after its deletion request is not deleted again', async () => {
    const scene = settled({}, leaving);
    scene.external.isDeletionSlow = true;
    await scene.run();
    scene.external.things.clear();
    assert.deepEqual(await scene.run(), done);
    assert.equal(scene.external.count('delete'), 1);
  });

  test('RemoveFinalizer: an object that is deleted during the run is no error', async () => {
    const scene = settled({}, leaving);
    scene.cluster.gate = ({ verb }) => {
      if (verb !== 'update') return;
      scene.cluster.gate = () => {};
      const { metadata, ...rest } = scene.object!;
      scene.cluster.put(managedKind, { ...rest, metadata: { ...metadata, finalizers: [] } });
      scene.cluster.delete(managedKind, { name: 'db' }, deletionTimestamp);
    };
    assert.deepEqual(await scene.run(), done);
  });

  test('NoUpdate: observed details that cannot be published are reported', async () => {
    const scene = settled();
    scene.place = placeFailingAt('write', new Error('refusing to modify uncontrolled secret'));
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: refusing to modify uncontrolled secret');
    assert.equal(scene.condition('Ready'), 'Unknown/Pending');
    assert.deepEqual(scene.events, ['Warning CannotPublishConnectionDetails']);
  });

  test('NoUpdate: details of an observed-only resource are published too', async () => {
    const scene = settled({ managementPolicies: ['Observe'] });
    await scene.run();
    assert.deepEqual(scene.secret, { endpoint: 'db.example' });
  });

  test('NoUpdate: a finalizer that cannot be added is reported, also for an observed-only resource', async () => {
    const scene = settled({ managementPolicies: ['Observe'] }, { finalizers: [] });
    scene.cluster.gate = refuse('update', kind, broken());
    assert.deepEqual(await scene.run(), requeue);
    assert.match(scene.condition('Synced'), /cannot update managed resource: etcd is unavailable/);
    assert.deepEqual(scene.events, ['Warning CannotUpdateManagedResource']);
    assert.equal(scene.external.count('observe'), 0);
  });

  for (const step of ['publishing', 'adding the finalizer'] as const) {
    test(`NoUpdate: a conflict of ${step} is silent`, async () => {
      const scene = settled({}, { finalizers: [] });
      if (step === 'publishing') scene.place = placeFailingAt('write', conflict());
      else scene.cluster.gate = refuse('update', kind, conflict());
      await assertSilent(scene);
    });
  }
});

const assigned = { externalNames: 'assigned' } as const;

describe('creation', () => {
  test('CreateExternal: nothing is created if the mark cannot be written', async () => {
    const scene = sceneOf({}, {}, assigned);
    scene.cluster.gate = refuse('update', kind, broken());
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.external.count('create'), 0);
    assert.equal(scene.condition('Ready'), 'False/Creating');
    assert.equal(
      scene.condition('Synced'),
      'False/ReconcileError: cannot update managed resource: etcd is unavailable',
    );
    assert.deepEqual(scene.events, ['Warning CannotUpdateManagedResource']);
  });

  test('CreateExternal: a stale read creates nothing, silently', async () => {
    const scene = sceneOf({}, {}, assigned);
    scene.process.env.resource(managedKind);
    scene.process.hold(managedKind);
    scene.cluster.put(managedKind, scene.object!);
    await assertSilent(scene);
    assert.equal(scene.external.count('create'), 0);
  });

  test('CreateExternal: a second attempt without a write reads from the API server instead', async () => {
    const scene = sceneOf();
    scene.external.gate = failAt('create', new Error('quota exceeded'));
    assert.deepEqual(await scene.run(), requeue);
    scene.external.gate = () => {};
    scene.process.hold(managedKind);
    scene.cluster.edit(managedKind, { name: 'db' }, (object) => ({
      ...object,
      spec: { ...object.spec, managementPolicies: ['Observe'] as const },
    }));
    scene.cluster.clockMs += 6_000; // an answer that is younger than 5 s counts as a read
    await assert.rejects(scene.run(), isConflict);
    assert.equal(scene.external.made, 0);
  });

  test('CreateExternal: a creation that fails is recorded, reported and tried again', async () => {
    const scene = sceneOf({}, {}, assigned);
    scene.external.gate = failAt('create', new Error('quota exceeded'));
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.condition('Ready'), 'False/Creating');
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: create failed: quota exceeded');
    assert.deepEqual(scene.events, ['Warning CannotCreateExternalResource']);
    assert.ok(scene.annotations['crossplane.io/external-create-failed']);
    scene.external.gate = () => {};
    await scene.run();
    assert.equal(scene.external.made, 1);
  });

  test('CreateExternal: a conflict has the record and the condition, but no Event', async () => {
    const scene = sceneOf({}, {}, assigned);
    scene.external.gate = failAt('create', conflict());
    assert.deepEqual(await scene.run(), requeue);
    assert.deepEqual(scene.events, []);
    assert.ok(scene.annotations['crossplane.io/external-create-failed']);
    assert.match(scene.condition('Synced'), /create failed/);
  });

  test('CreateExternal: a creation that may have taken effect is not recorded as failed', async () => {
    const scene = sceneOf({}, {}, assigned);
    const cause = new UncertainCreationError('no answer came');
    scene.external.gate = failAt('create', new Error('the request failed', { cause }));
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.annotations['crossplane.io/external-create-failed'], undefined);
    assert.deepEqual(await scene.run(), after(60_000));
    assert.match(scene.condition('Synced'), /cannot determine creation result/);
  });

  test('CreateExternal: if the record of the failure cannot be written, the next run waits for an administrator', async () => {
    const scene = sceneOf({}, {}, { ...assigned, env: { clock: { ...testClock(), sleep: async () => {} } } });
    scene.external.gate = failAt('create', new Error('quota exceeded'));
    scene.cluster.gate = refuse('update', kind, broken(), 2);
    assert.deepEqual(await scene.run(), requeue);
    assert.deepEqual(scene.events, [
      'Warning CannotUpdateManagedResource',
      'Warning CannotCreateExternalResource',
    ]);
    scene.cluster.gate = () => {};
    await scene.run();
    assert.match(scene.condition('Synced'), /cannot determine creation result/);
    assert.equal(scene.external.count('create'), 1);
  });

  test('CreateExternal: if five attempts to record the success fail, the next run waits for an administrator', async () => {
    const clock = testClock();
    const scene = sceneOf({}, {}, { ...assigned, env: { clock } });
    const beganMs = clock.elapsedMs();
    const afterMs: number[] = [];
    const refusing = refuse('update', kind, broken(), 2);
    scene.cluster.gate = (call) => {
      if (call.verb === 'update') afterMs.push(clock.elapsedMs() - beganMs);
      return refusing(call);
    };
    const run = scene.run();
    await clock.advance(40); // four waits
    assert.deepEqual(await run, requeue);
    assert.deepEqual(afterMs, [0, 0, 10, 20, 30, 40], 'the mark, and five attempts');
    const looks = scene.cluster.calls.filter(({ verb, kind: of }) => verb === 'get' && of === kind);
    assert.deepEqual(looks, [], 'nobody has changed it: there is nothing to read');
    assert.equal(scene.condition('Ready'), 'False/Creating');
    assert.match(
      scene.condition('Synced'),
      /cannot update managed resource annotations: cannot update critical annotations: etcd is unavailable/,
    );
    assert.deepEqual(scene.events, ['Warning CannotUpdateManagedResource']);
    scene.cluster.gate = () => {};
    await scene.run();
    assert.match(scene.condition('Synced'), /cannot determine creation result/);
    assert.equal(scene.external.made, 1);
  });

  test('CreateExternal: an edit during the creation is kept, with the assigned name added', async () => {
    const scene = sceneOf({}, {}, { ...assigned, env: { clock: { ...testClock(), sleep: async () => {} } } });
    scene.external.afterCall = (method) => {
      if (method !== 'create') return;
      const { metadata, ...rest } = scene.object!;
      scene.cluster.put(managedKind, { ...rest, metadata: { ...metadata, labels: { team: 'shop' } } });
    };
    await scene.run();
    assert.equal(scene.annotations['crossplane.io/external-name'], 'assigned-1');
    assert.deepEqual(scene.object?.metadata.labels, { team: 'shop' });
    assert.equal(scene.external.made, 1);
  });

  test('CreateExternal: UpdateConflictGetError: the conflict is reported if the object cannot be read after it', async () => {
    const scene = sceneOf({}, {}, { ...assigned, env: { clock: { ...testClock(), sleep: async () => {} } } });
    scene.external.afterCall = (method) => {
      if (method !== 'create') return;
      scene.cluster.gate = ({ verb, kind: of }) => {
        if (of !== kind) return;
        if (verb === 'update') throw conflict();
        if (verb === 'get') throw broken();
      };
    };
    await assert.rejects(scene.run(), isConflict);
    assert.deepEqual(scene.events, []);
    scene.cluster.gate = () => {};
    await scene.run();
    assert.match(scene.condition('Synced'), /cannot determine creation result/);
    assert.equal(scene.external.made, 1);
  });

  for (const wasThere of [true, false]) {
    const since = wasThere ? 'before it is created' : 'it is created';
    test(`CreateExternal: if another object has controlled the Secret since ${since}, Ready reports it`, async () => {
      const scene = sceneOf({ forProvider: { size: 1 } });
      const rival = managed({}, { name: 'rival', uid: 'rival-uid' });
      const take = (): void => {
        const ownerReferences = [controllerReference(rival)];
        const metadata = { ...secretKey, ownerReferences };
        scene.cluster.put(SecretKind, { apiVersion: 'v1', kind: 'Secret', metadata });
      };
      if (wasThere) take();
      else scene.external.afterCall = (method) => (method === 'create' ? take() : undefined);
      const why =
        /^False\/Unavailable: .*existing secret is controlled by FavouriteDBInstance rival, not by FavouriteDBInstance db \(infra\/db-connection\); name another in spec\.writeConnectionSecretToRef of FavouriteDBInstance db$/;
      for (let times = 1; times <= 2; times += 1) {
        await scene.run();
        assert.match(scene.condition('Ready'), why);
        assert.match(scene.condition('Synced'), /^False\/ReconcileError: /);
      }
      assert.equal(scene.object?.status?.bindingPhase, undefined);
      assert.equal(scene.external.made, wasThere ? 0 : 1);
      assert.equal(scene.external.count('update'), 0, 'and no password after another is set');
    });
  }

  test('CreateExternal: returned details that cannot be published are reported', async () => {
    const scene = sceneOf();
    scene.place = placeFailingAt('write', new Error('vault is sealed'));
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.condition('Ready'), 'False/Creating');
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: vault is sealed');
    assert.deepEqual(scene.events, ['Warning CannotPublishConnectionDetails']);
  });

  test('CreateExternal: if the observation after a creation fails, the returned details are published', async () => {
    const scene = sceneOf();
    scene.external.afterCall = (method) => {
      if (method === 'create') scene.external.gate = failAt('observe');
    };
    assert.deepEqual(await scene.run(), requeue);
    assert.deepEqual(scene.secret, { endpoint: 'db.example' });
    assert.equal(scene.condition('Ready'), 'False/Creating');
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: observe failed: no route to cloud');
    assert.deepEqual(scene.events, [
      'Normal CreatedExternalResource',
      'Warning CannotObserveExternalResource',
    ]);
  });

  test('CreateExternal: a Secret that changes in between loses no detail', async () => {
    const scene = sceneOf();
    let conflicts = 0;
    scene.external.afterCall = (method) => {
      if (method === 'create') {
        scene.cluster.gate = ({ kind: of, verb }) => {
          if (of === 'Secret' && verb === 'create' && conflicts < 2) {
            conflicts += 1;
            throw conflict();
          }
        };
      }
    };
    await scene.run();
    assert.equal(conflicts, 2);
    assert.equal(scene.secret?.endpoint, 'db.example');
  });

  test('CreateExternal: a creation is announced, recorded, published and reported', async () => {
    const scene = sceneOf({}, {}, assigned);
    scene.external.ready = creating();
    await scene.run();
    const { annotations } = scene;
    assert.ok(annotations['crossplane.io/external-create-pending']);
    assert.ok(annotations['crossplane.io/external-create-succeeded']);
    assert.equal(annotations['crossplane.io/external-name'], 'assigned-1');
    assert.equal(scene.condition('Ready'), 'False/Creating');
    assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
    assert.deepEqual(scene.secret, { endpoint: 'assigned-1.example' });
    assert.deepEqual(scene.process.events, [
      {
        object: 'FavouriteDBInstance db',
        type: 'Normal',
        reason: 'CreatedExternalResource',
        message: `${sentence} creation of external resource`,
      },
    ]);
  });

  test('CreateExternal: the external name stays if the system returns none', async () => {
    const scene = sceneOf({}, { annotations: { 'crossplane.io/external-name': 'legacy' } }, assigned);
    scene.external.creation = { externalName: undefined as never };
    await scene.run();
    assert.equal(scene.annotations['crossplane.io/external-name'], 'legacy');
    assert.ok(scene.annotations['crossplane.io/external-create-succeeded']);
  });

  test('CreateExternal: a resource that does not show at once is observed again, and not created twice', async () => {
    const scene = sceneOf({}, {}, assigned);
    scene.external.isBlind = true;
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.condition('Ready'), 'False/Creating');
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.external.made, 1);
    scene.external.isBlind = false;
    await scene.run();
    assert.equal(scene.condition('Ready'), 'True/Available');
  });

  test('CreateExternal: a deterministic name takes three writes: preparation, secret, status', async () => {
    const scene = sceneOf();
    assert.deepEqual(await scene.run(), poll);
    assert.deepEqual(scene.cluster.writeNames, [
      `update ${kind} db`,
      `create Secret ${secretKey.namespace}/${secretKey.name}`,
      `updateStatus ${kind} db`,
    ]);
    assert.equal(scene.object?.status?.bindingPhase, 'Unbound');
  });
});

describe('an existing external resource is kept', () => {
  test('LateInitialize: a write of the values of the cloud that fails is reported', async () => {
    const scene = settled();
    scene.external.observation = { lateInitialized: { version: '8.0' } };
    scene.cluster.gate = refuse('update', kind, broken());
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(
      scene.condition('Synced'),
      'False/ReconcileError: cannot update managed resource: etcd is unavailable',
    );
    assert.deepEqual(scene.events, ['Warning CannotUpdateManagedResource']);
  });

  test('LateInitialize: a conflict of the write is silent', async () => {
    const scene = settled();
    scene.external.observation = { lateInitialized: { version: '8.0' } };
    scene.cluster.gate = refuse('update', kind, conflict());
    await assertSilent(scene);
  });

  test('LateInitialize: late initialisation is one write, once', async () => {
    const scene = settled();
    scene.external.observation = { isUpToDate: true, lateInitialized: { version: '8.0', size: 9 } };
    assert.deepEqual(await scene.run(), poll);
    assert.deepEqual(scene.object?.spec.forProvider, { size: 1, version: '8.0' });
    const writes = scene.cluster.writes.length;
    await scene.run();
    assert.equal(scene.cluster.writes.length, writes);
    assert.equal(scene.external.count('update'), 0);
  });

  test('LateInitialize: values are filled in first, then drift is updated', async () => {
    const scene = drifted();
    scene.external.observation = { lateInitialized: { version: '8.0' } };
    await scene.run();
    assert.deepEqual(scene.external.things.get('db')?.values, { size: 1, version: '8.0' });
  });

  test('NoUpdate: an up-to-date resource is written once, and observed again at the poll', async () => {
    const scene = settled();
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
    assert.equal(scene.condition('Ready'), 'True/Available');
    const writes = scene.cluster.writes.length;
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.cluster.writes.length, writes);
    assert.deepEqual(scene.events, []);
    scene.restart();
    await scene.run();
    assert.equal(scene.cluster.writes.length, writes);
  });

  test('NoUpdate: a resource with work in progress is observed before the poll', async () => {
    const scene = settled({}, { creationTimestamp: '2026-01-02T03:04:01Z' });
    scene.external.ready = unavailable('restarting');
    assert.deepEqual(await scene.run(), after(1_000));
    assert.equal(scene.condition('Ready'), 'False/Unavailable: restarting');
  });

  test('NoUpdate: drift is left alone where policies do not allow Update', async () => {
    const scene = drifted({ managementPolicies: ['Observe', 'Create', 'Delete'] });
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.external.count('update'), 0);
    assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
  });

  test('CreateNotAllowed: an absent resource whose policies do not allow Create reports it', async () => {
    const scene = sceneOf({ managementPolicies: ['Observe', 'Delete'] });
    assert.deepEqual(await scene.run(), poll);
    assert.match(scene.condition('Ready'), /^False\/Unavailable: external resource does not exist/);
    assert.equal(scene.external.count('create'), 0);
  });

  test('Update: an update that fails is reported', async () => {
    const scene = drifted();
    scene.external.gate = failAt('update', new Error('size cannot be changed'));
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: update failed: size cannot be changed');
    assert.deepEqual(scene.events, ['Warning CannotUpdateExternalResource']);
    assert.equal(scene.external.count('delete') + scene.external.count('create'), 0);
  });

  test('Update: a value that cannot change is reported from the first observation on, and the resource stays usable', async () => {
    const scene = sceneOf({ forProvider: { size: 1 } }, { finalizers });
    scene.external.put('db', { size: 2 });
    scene.external.observation = { status: { state: 'ONLINE' } };
    scene.external.gate = failAt('update', new Error('size cannot be changed'));
    await scene.run();
    assert.equal(scene.condition('Ready'), 'True/Available');
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: update failed: size cannot be changed');
    assert.partialDeepStrictEqual(scene.object?.status, { bindingPhase: 'Unbound', state: 'ONLINE' });
  });

  test('Update: a conflict of the external system is reported', async () => {
    const scene = drifted();
    scene.external.gate = failAt('update', conflict());
    assert.deepEqual(await scene.run(), requeue);
    assert.match(scene.condition('Synced'), /update failed/);
  });

  test('Update: details that the update returned and that cannot be published are reported', async () => {
    const scene = drifted();
    scene.external.change = { details: { certificate: 'c' } };
    scene.cluster.gate = ({ verb, kind: of }) => {
      if (verb === 'update' && of === 'Secret') throw broken();
    };
    assert.deepEqual(await scene.run(), requeue);
    assert.equal(
      scene.condition('Synced'),
      'False/ReconcileError: cannot update connection secret: etcd is unavailable',
    );
    assert.deepEqual(scene.events, ['Warning CannotPublishConnectionDetails']);
  });

  test('Update: if the observation after an update fails, the returned details are published', async () => {
    const scene = drifted();
    scene.external.afterCall = (method) => {
      if (method === 'update') scene.external.gate = failAt('observe');
    };
    assert.deepEqual(await scene.run(), requeue);
    assert.deepEqual(scene.secret, { endpoint: 'db.example' });
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: observe failed: no route to cloud');
    assert.deepEqual(scene.events, [
      'Normal UpdatedExternalResource',
      'Warning CannotObserveExternalResource',
    ]);
  });

  test('Update: drift is reverted, and the new details are published', async () => {
    const scene = drifted();
    assert.deepEqual(await scene.run(), poll);
    assert.deepEqual(scene.external.things.get('db')?.values, { size: 1 });
    assert.deepEqual(scene.secret, { endpoint: 'db.example' });
    assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
    assert.deepEqual(scene.process.events, [
      {
        object: 'FavouriteDBInstance db',
        type: 'Normal',
        reason: 'UpdatedExternalResource',
        message: `${sentence} update of external resource`,
      },
    ]);
  });

  test('Update: a resource that does not show right after its update keeps its state', async () => {
    const scene = drifted();
    scene.external.afterCall = (method) => {
      if (method === 'update') scene.external.isBlind = true;
    };
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.condition('Ready'), 'True/Available');
    assert.deepEqual(scene.secret, { endpoint: 'db.example' });
  });

  test('Update: the debug log has the differences, without secrets', async () => {
    const log = recordedLog();
    const scene = drifted({}, {}, { env: { log }, secretDetails: { credential: generatedPassword } });
    scene.external.observation = { difference: 'size: 2, not 1' };
    await scene.run();
    const { password = assert.fail() } = scene.secret ?? {};
    scene.external.put('db', { size: 3 }, password);
    scene.external.observation = { difference: `password: not ${password}` };
    await scene.run();
    scene.external.put('db', { size: 4 }, password);
    scene.external.observation = {};
    await scene.run();
    const told = log.lines.filter(({ message }) => message === 'external resource differs');
    assert.deepEqual(
      told.map(({ level, fields }) => [level, fields.difference]),
      [
        ['debug', 'size: 2, not 1'],
        ['debug', 'password: not ***'],
        ['debug', undefined],
      ],
    );
  });

  test('without connection details there is no Secret', async () => {
    const scene = settled();
    scene.external.observation = { details: {} };
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.secret, undefined);
  });

  test('any decision: a conflict of the status write is silent', async () => {
    const scene = settled();
    scene.cluster.gate = refuse('updateStatus', kind, conflict());
    await assert.rejects(scene.run(), isConflict);
    assert.deepEqual(scene.events, []);
  });

  test('any decision: a status of a deleted object is not written', async () => {
    const scene = settled({}, { finalizers: [] });
    scene.cluster.before('updateStatus', managedKind, () => {
      scene.cluster.edit(managedKind, { name: 'db' }, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, finalizers: [] },
      }));
      scene.cluster.delete(managedKind, { name: 'db' });
    });
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.object, undefined);
    assert.deepEqual(scene.events, []);
  });

  const lasting: Record<string, { scene: () => Scene; reason: string; message: string }> = {
    UnsupportedPolicies: {
      scene: () => settled({ managementPolicies: ['Create'] }),
      reason: 'CannotUseInvalidManagementPolicy',
      message:
        'spec.managementPolicies has an unsupported value: [Create]; use ["*"] alone, or a supported set that includes Observe',
    },
    CreationIncomplete: {
      scene: () =>
        sceneOf(
          {},
          { annotations: { 'crossplane.io/external-create-pending': '2026-01-02T03:00:00Z' } },
          { externalNames: 'assigned' },
        ),
      reason: 'CannotInitializeManagedResource',
      message: undetermined,
    },
    'Connect, without what it refers to': {
      scene: () =>
        settled({}, {}, { resolveReferences: () => Promise.reject(new Error('no route to cloud')) }),
      reason: 'CannotResolveResourceReferences',
      message: 'cannot resolve references: no route to cloud',
    },
    Connect: {
      scene: () => failingScene(settled(), 'connect'),
      reason: 'CannotConnectToProvider',
      message: 'no route to cloud',
    },
    Observe: {
      scene: () => failingScene(settled(), 'observe'),
      reason: 'CannotObserveExternalResource',
      message: 'no route to cloud',
    },
    ExternalMissing: {
      scene: () => sceneOf({ managementPolicies: ['Observe'] }, { annotations: name }),
      reason: 'CannotObserveExternalResource',
      message: 'external resource does not exist (db)',
    },
    DeleteExternal: {
      scene: () => failingScene(settled({}, leaving), 'delete'),
      reason: 'CannotDeleteExternalResource',
      message: 'no route to cloud',
    },
    CreateExternal: {
      scene: () => failingScene(sceneOf(), 'create'),
      reason: 'CannotCreateExternalResource',
      message: 'no route to cloud',
    },
    Update: {
      scene: () => failingScene(drifted(), 'update'),
      reason: 'CannotUpdateExternalResource',
      message: 'no route to cloud',
    },
  };
  function failingScene(scene: Scene, method: ExternalMethod): Scene {
    scene.external.gate = failAt(method);
    return scene;
  }
  for (const [failure, { scene: make, reason, message }] of Object.entries(lasting)) {
    test(`${failure}: a lasting failure is written once, and reported by each run in the words of the cause`, async () => {
      const scene = make();
      await scene.run();
      const writes = scene.cluster.writes.length;
      await scene.run();
      await scene.run();
      assert.equal(scene.cluster.writes.length, writes);
      const event = { object: 'FavouriteDBInstance db', type: 'Warning', reason, message };
      assert.deepEqual(scene.process.recordings, [event, event, event]);
      assert.deepEqual(scene.process.events, [event]);
    });
  }

  test('any decision: no condition or Event has a secret', async () => {
    const scene = sceneOf({}, {}, { secretDetails: { credential: generatedPassword } });
    await scene.run();
    scene.external.gate = failAt('observe', new Error(`login with ${scene.secret?.password} refused`));
    await scene.run();
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: observe failed: login with *** refused');
    assert.deepEqual(
      scene.process.events.map(({ message }) => message),
      [`${sentence} creation of external resource`, 'login with *** refused'],
    );
  });

  test('any decision: the readiness message of the external client has no secret, also not in a URL', async () => {
    const scene = sceneOf();
    scene.external.creation = { details: { password: 'p@ss word', apiKey: 'k-123456', endpoint: 'db' } };
    await scene.run();
    const text = 'db: p@ss word, postgres://u:p%40ss%20word@db, k-123456';
    scene.external.observation = { ready: unavailable(text), isUpToDate: true };
    await scene.run();
    assert.equal(scene.condition('Ready'), 'False/Unavailable: db: ***, postgres://u:***@db, ***');
  });

  test('any decision: a long message is cut', async () => {
    const scene = settled();
    scene.external.gate = failAt('observe', new Error('x'.repeat(1_000_000)));
    await scene.run();
    const { message = '' } = getCondition(scene.object?.status?.conditions, 'Synced');
    assert.equal(message.length, 1_024);
    assert.match(message, /^observe failed: x+…$/);
  });

  test('a connection Secret that was deleted or edited is written by the next run', async () => {
    const scene = sceneOf();
    await scene.run();
    const secret = scene.cluster.get(SecretKind, secretKey)!;
    scene.cluster.put(SecretKind, { ...secret, data: { ...secret.data, endpoint: 'eA==' } });
    await scene.run();
    assert.equal(scene.secret?.endpoint, 'db.example');
  });
});

describe('a write that is refused while leadership is interrupted is no failure of the resource', () => {
  const kept = leaseExpired('the Lease was not renewed in time: another process may lead');
  const cases: Record<string, () => readonly [Scene, ExternalMethod]> = {
    connecting: () => [settled(), 'connect'],
    looking: () => [settled(), 'observe'],
    creating: () => [sceneOf(), 'create'],
    updating: () => [drifted(), 'update'],
    deleting: () => [settled({}, leaving), 'delete'],
  };
  for (const [what, given] of Object.entries(cases)) {
    test(`${what}: silent, whatever wraps the error`, async () => {
      const [scene, method] = given();
      scene.external.gate = failAt(method, new Error('cannot ask the cloud', { cause: kept }));
      await assertSilent(scene, isInterrupted);
    });
  }
  for (const [verb, of] of [
    ['update', kind],
    ['create', SecretKind.kind],
    ['updateStatus', kind],
  ] as const) {
    test(`${verb} of ${of === kind ? 'the managed resource' : 'its secret'}: silent`, async () => {
      const scene = settled({ writeConnectionSecretToRef: secretKey }, { finalizers: [] });
      scene.cluster.gate = refuse(verb, of, kept);
      await assertSilent(scene, isInterrupted);
    });
  }

  test('disconnecting: no Event, and the rest counts', async () => {
    const scene = settled();
    scene.external.gate = failAt('disconnect', new Error('cannot ask the cloud', { cause: kept }));
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
    assert.deepEqual(scene.events, []);
  });

  test('a creation that was not sent is recorded as failed once the process leads again', async () => {
    const clock = testClock();
    const scene = sceneOf({}, {}, { ...assigned, env: { clock } });
    const expiresMs = clock.elapsedMs() + 3_000;
    scene.external.gate = failAt('create', kept);
    scene.cluster.gate = ({ verb, kind: of }) => {
      const isRecord = verb === 'update' && of === kind && scene.external.count('create') > 0;
      if (isRecord && clock.elapsedMs() < expiresMs) throw kept;
    };
    const run = assert.rejects(scene.run(), isInterrupted);
    await clock.advance(3_000);
    await run;
    assert.ok(scene.annotations['crossplane.io/external-create-failed']);
    assert.deepEqual([scene.events, scene.object?.status], [[], undefined]);
    scene.external.gate = () => {};
    await scene.run();
    assert.equal(scene.external.made, 1);
  });

  test('a creation that was sent is recorded once the process leads again', async () => {
    const clock = testClock();
    const scene = sceneOf({}, {}, { ...assigned, env: { clock } });
    const expiresMs = clock.elapsedMs() + 3_000;
    scene.cluster.gate = ({ verb, kind: of }) => {
      const isRecord = verb === 'update' && of === kind && scene.external.made > 0;
      if (isRecord && clock.elapsedMs() < expiresMs) throw kept;
    };
    const run = scene.run();
    await clock.advance(3_000);
    await run;
    assert.equal(scene.annotations['crossplane.io/external-name'], 'assigned-1');
    assert.ok(scene.annotations['crossplane.io/external-create-succeeded']);
    assert.deepEqual(scene.events, ['Normal CreatedExternalResource']);
  });
});
