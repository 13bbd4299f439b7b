import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { creating, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerReference } from '../../../apis/core/v1alpha1/reference.ts';
import { encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { CredentialNote } from '../../../controllers/credential.ts';
import { credentialAnnotation, encodeNote, generatedPassword } from '../../../controllers/credential.ts';
import type { OperationType, Progress } from '../../../controllers/managed/connecting/external-client.ts';
import {
  accessDecisions,
  credentialDecisions,
  firstDecisions,
  nextDecisions,
  operationDecisions,
} from '../../../controllers/managed/run/decision.ts';
import {
  ApiError,
  isConflict,
  isInterrupted,
  isOutage,
  leaseExpired,
} from '../../../runtime/client/errors.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import { after, done, requeue, unsettled } from '../../../runtime/controller/reconcile.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import type { ApiCall, Verb } from '../cluster-fake.ts';
import { broken, conflict } from '../cluster-fake.ts';
import { decisionIn } from '../every-decision.ts';
import type { ExternalMethod } from '../external-fake.ts';
import { finalizers, Scene, secretKey } from '../managed-scene.ts';
import { claimRef, deletionTimestamp, managed, managedKind, secretOf, undetermined } from '../objects.ts';

/** Refuses each update of the managed resource after the first. */
function refuseAfterFirst(): (call: ApiCall) => void {
  let updates = 0;
  return ({ verb, kind: of }) => {
    if (verb !== 'update' || of !== kind) return;
    updates += 1;
    if (updates > 1) throw broken();
  };
}

/** A clock whose waits take no time. */
const withoutWaiting = { ...testClock(), sleep: async () => {} };
const leaving = { deletionTimestamp, finalizers };
const name = { 'crossplane.io/external-name': 'db' };
const { kind } = managedKind;
const poll = after(60_000);
const sentence = 'Successfully requested';
const assigned = { externalNames: 'assigned' } as const;
const orphan = { deletionPolicy: 'Orphan' } as const;
const begun = { annotations: { 'crossplane.io/external-create-pending': '2026-01-02T03:00:00Z' } };
const justCreated = { ...name, 'crossplane.io/external-create-succeeded': '2026-01-02T03:04:00Z' };
const key = 'a2V5';
const rotated = { ...generatedPassword, rotationOf: () => 'requested' };

/** A resource with its finalizer. Its kind generates no credential: credentials.test.ts is about those that do. */
function sceneOf(...[spec, metadata, options]: ConstructorParameters<typeof Scene>): Scene {
  return new Scene(spec, { finalizers, ...metadata }, { secretDetails: {}, ...options });
}

/** A resource whose external resource exists and is as wanted. */
function settled(...[spec, metadata, options]: ConstructorParameters<typeof Scene>): Scene {
  const scene = sceneOf({ forProvider: { size: 1 }, ...spec }, { annotations: name, ...metadata }, options);
  scene.external.put('db', { size: 1 });
  return scene;
}

/** The same resource, of a kind that generates a credential. */
const withGeneratedCredential = (...[spec, metadata, options]: ConstructorParameters<typeof Scene>): Scene =>
  settled(spec, metadata, { secretDetails: { credential: generatedPassword }, ...options });

/** The same resource, changed in the external system. */
function drifted(...given: ConstructorParameters<typeof Scene>): Scene {
  const scene = settled(...given);
  scene.external.put('db', { size: 2 });
  return scene;
}

function having(scene: Scene, change: (scene: Scene) => void): Scene {
  change(scene);
  return scene;
}
const failing = (scene: Scene, at: ExternalMethod, error?: Error): Scene =>
  having(scene, ({ external }) => external.failAt(at, error));
/** The observation after that call fails. */
const failingAfter = (scene: Scene, call: ExternalMethod): Scene =>
  having(scene, ({ external }) => {
    external.after(call, () => external.failAt('observe'));
  });
const refusing = (scene: Scene, verb: Verb, of: Kind = managedKind, error: Error = broken()): Scene =>
  having(scene, ({ cluster }) => cluster.refuse(verb, of, error, Number.POSITIVE_INFINITY));
/** Refuses the first of these writes. */
const refusingOnce = (scene: Scene, verb: Verb): Scene =>
  having(scene, ({ cluster }) => cluster.refuse(verb, managedKind, broken()));
const absent = (scene: Scene): Scene => having(scene, ({ external }) => external.resources.clear());
/** The cloud has chosen a version. */
const late = (scene: Scene): Scene =>
  having(scene, ({ external }) => {
    external.observation = { isUpToDate: true, lateInitialized: { version: '8.0' } };
  });

/** A resource that was created, and whose provider leads to another system now. */
async function movedTo(system: string): Promise<Scene> {
  const scene = sceneOf();
  scene.external.system = 'https://a.example';
  await scene.run();
  scene.external.system = system;
  return scene;
}

/** A resource that was created, and whose external resource does not exist any more. */
async function lost(options: ConstructorParameters<typeof Scene>[2] = {}): Promise<Scene> {
  const marks = { immutable: ['region'], identity: ['region'] };
  const scene = sceneOf({ forProvider: { region: 'us' } }, {}, { marks, ...options });
  await scene.run();
  scene.cluster.clockMs += 60_000;
  return absent(scene);
}

/** A resource whose external system has begun an operation. */
function underWay(progress: Progress, type: OperationType = 'create'): Scene {
  const operation = { type, name: 'op-1', startedAt: '2026-01-02T03:00:00Z' } as const;
  const scene = sceneOf({ forProvider: { size: 1 } }, { annotations: name, status: { operation } });
  scene.external.progress = () => progress;
  return scene;
}

/** The Secret of a resource, with a password. */
function withSecret(scene: Scene, note?: CredentialNote): Scene {
  const ownerReferences = [controllerReference(scene.object ?? assert.fail())];
  const annotations = note === undefined ? {} : { [credentialAnnotation]: encodeNote(note) };
  const rest = { type: connectionSecretType, data: encodeDetails({ password: 'hunter2x' }) };
  scene.cluster.put(SecretKind, secretOf({ ...secretKey, ownerReferences, annotations }, rest));
  return scene;
}

interface Reported {
  readonly next: Result;
  /** Absent: the managed resource does not exist any more. */
  readonly ready?: string;
  readonly synced?: string;
  readonly events: readonly string[];
}
const gone: Reported = { next: done, events: [] };
const reports = (next: Result, ready: string, synced: string, ...events: readonly string[]): Reported => ({
  next,
  ready,
  synced,
  events,
});
const works = (...events: readonly string[]): Reported =>
  reports(poll, 'True/Available', 'True/ReconcileSuccess', ...events);
/** The condition and the Event have the same message. */
const fails = (ready: string, reason: string, message: string, next = requeue): Reported =>
  reports(next, ready, `False/ReconcileError: ${message}`, `Warning ${reason}: ${message}`);
/** The Secret cannot be written. The run goes on, and a resource that never published its details is not Ready. */
const unpublished = (verb: 'create' | 'update', ...events: readonly string[]): Reported => {
  const message = `cannot ${verb} connection secret: etcd is unavailable`;
  const reported = `Warning CannotPublishConnectionDetails: ${message}`;
  const synced = `False/ReconcileError: ${message}`;
  return reports(requeue, `False/Unavailable: ${message}`, synced, ...events, reported);
};
const cannotUpdate = (what: string, ready = 'Unknown/Pending'): Reported =>
  fails(ready, 'CannotUpdateManagedResource', `cannot update ${what}: etcd is unavailable`);
const pauses = (ready: string, by: string): Reported => {
  const message = `reconciliation is paused by ${by}`;
  const event = `Normal ReconciliationPaused: ${message}`;
  return reports(done, ready, `False/ReconcilePaused: ${message}`, event);
};
const waits = (ready: string, reason: string, message: string): Reported =>
  fails(ready, reason, message, poll);
/** The message is the cause alone: the reason of the Event names the call. */
const callFails = (ready: string, reason: string, cause = 'no route to cloud'): Reported =>
  reports(requeue, ready, `False/ReconcileError: ${cause}`, `Warning ${reason}: ${cause}`);
/** The observation after a call fails. */
const unobserved = (ready: string, event: string): Reported => {
  const { synced = '', events } = callFails(ready, 'CannotObserveExternalResource');
  return reports(requeue, ready, synced, event, ...events);
};
const created = `Normal CreatedExternalResource: ${sentence} creation of external resource`;
const updated = `Normal UpdatedExternalResource: ${sentence} update of external resource`;
const notVisible =
  'True/UpdateAccepted: the external system accepted the update, and does not show its effect';
const deleted = `Normal DeletedExternalResource: ${sentence} deletion of external resource`;

const deletedScene = (): Scene => having(sceneOf({}, { finalizers: [] }), (scene) => scene.remove());

/** All that a run does beside its report. */
interface Done {
  /** Default: the first word of the title. */
  readonly decision?: string | undefined;
  readonly writes?: readonly string[];
  readonly secret?: Readonly<Record<string, string>> | undefined;
  /** Each further run reports it again, and writes nothing. */
  readonly isLasting?: true;
}
/** `calls` are those of the external client between connect and disconnect. */
const run = (scene: Scene | Promise<Scene>, want: Reported, calls = 'observe', more: Done = {}) => ({
  scene,
  want,
  calls,
  ...more,
});
type Begun = ReturnType<typeof run>;
const [objectWrite, statusWrite] = ['update FavouriteDBInstance db', 'updateStatus FavouriteDBInstance db'];
const secretCreated = 'create Secret infra/db-connection';
const secretWrite = 'update Secret infra/db-connection';
const isLasting = { isLasting: true } as const;
const unwritten = { writes: [] };
const published = { secret: { endpoint: 'db.example' } };
const withoutUpdate = { managementPolicies: ['Observe', 'Create', 'Delete'] } as const;
const onlyObserved = { managementPolicies: ['Observe'] } as const;
const noUpdate = { decision: 'NoUpdate' };
const unresolvable = (error: Error) => ({ resolveReferences: () => Promise.reject(error) });
const observing = (scene: Scene, observation: Scene['external']['observation']): Scene =>
  having(scene, ({ external }) => Object.assign(external, { observation }));
const forFormer = { key, for: 'FancySQLInstance team/former' };
const invalidPolicies =
  'spec.managementPolicies has an unsupported value: [Create]; use ["*"] alone. Or use Observe and Create, with any others. Or use Observe without Create: alone, or with Delete, Update, LateInitialize, or both of Update and LateInitialize';
const otherSystem =
  'the provider connects to https://b.example, but external resource "db" is in https://a.example; correct the provider. If both are the same system, set the annotation crossplane.io/adopt-identity to true';
const lostName =
  'external resource does not exist any more (assigned-1); to have another created, remove the annotation crossplane.io/external-name';
const lostOwn = 'external resource does not exist any more (db); it is created again';
const notApplied =
  'not applied, because spec.managementPolicies do not allow Update: spec.forProvider.size, spec.forProvider.net.mtu, spec.forProvider.version from "5" to "8", spec.forProvider.region, which is "eu" there and "us" here; add Update, or undo the edit, or create a new resource';
const notCreated =
  'external resource does not exist, and spec.managementPolicies do not allow Create; add Create';

const decisions = [
  ...firstDecisions,
  ...accessDecisions,
  ...credentialDecisions,
  ...operationDecisions,
  ...nextDecisions,
];
const runs: Readonly<Record<string, () => Begun | Promise<Begun>>> = {
  'ResourceGone: a deleted managed resource needs nothing': () => run(deletedScene(), gone, ''),
  'ResourceGone: if nothing was created, the finalizer is removed without a call, a status write or an Event':
    () => {
      const scene = settled({}, { deletionTimestamp, finalizers: ['example.org/hold'] });
      return run(scene, reports(done, 'Unknown/-', 'Unknown/-'), '', unwritten);
    },
  'Paused: empty policies pause deletion too, and the condition reports both': () => {
    const by = 'empty spec.managementPolicies; deletion waits until it resumes';
    return run(settled({ managementPolicies: [] }, leaving), pauses('Unknown/Pending', by), '');
  },
  'Paused: the annotation pauses: Synced reports it, Ready stays, nothing else is written': async () => {
    const scene = settled();
    await scene.run();
    scene.annotate('crossplane.io/paused', 'true');
    const want = pauses('True/Available', 'the crossplane.io/paused annotation');
    return run(scene, want, '', { writes: [statusWrite] });
  },
  'UnsupportedPolicies: invalid policies are refused until they are edited': () => {
    const want = fails('Unknown/Pending', 'CannotUseInvalidManagementPolicy', invalidPolicies, done);
    return run(settled({ managementPolicies: ['Create'] }), want, '', isLasting);
  },
  'OrphanExternal: the external resource is kept without a call to it, and without a status write': () =>
    run(settled(orphan, leaving), gone, '', { writes: [objectWrite] }),
  'CreationIncomplete: a creation without a result waits for an administrator': () => {
    const want = waits('False/Creating', 'CannotInitializeManagedResource', undetermined);
    return run(sceneOf({}, begun, assigned), want, '', isLasting);
  },
  'a reference that does not resolve': () => {
    const message = 'Network main does not exist';
    const scene = settled({}, {}, unresolvable(new Error('Network main does not exist')));
    return run(scene, fails('Unknown/Pending', 'CannotResolveResourceReferences', message), '', isLasting);
  },
  'the provider cannot be reached': () => {
    const want = callFails('Unknown/Pending', 'CannotConnectToProvider');
    return run(failing(settled(), 'connect'), want, '', isLasting);
  },
  'OtherSystem: a provider that leads to another system stops the run': () => {
    const want = waits(`Unknown/OtherSystem: ${otherSystem}`, 'CannotConnectToProvider', otherSystem);
    return run(movedTo('https://b.example'), want, '', isLasting);
  },
  'at the end of a run: a disconnect that fails is reported and changes nothing': () => {
    const want = works('Warning CannotDisconnectFromProvider: already closed');
    return run(failing(settled(), 'disconnect', new Error('already closed')), want, 'observe', noUpdate);
  },
  'observing fails': () => {
    const want = callFails('Unknown/Pending', 'CannotObserveExternalResource');
    return run(failing(settled(), 'observe'), want, 'observe', isLasting);
  },
  'ExternalMissing: an observed-only resource that does not exist is reported, and observed again at the poll':
    () => {
      const missing = 'external resource does not exist';
      const event = `Warning CannotObserveExternalResource: ${missing} (db)`;
      const synced = `False/ReconcileError: ${missing} (db)`;
      const want = reports(poll, `False/Unavailable: ${missing} (db)`, synced, event);
      return run(sceneOf(onlyObserved, { annotations: name }), want, 'observe', isLasting);
    },
  'AwaitExternal: a resource that was just created is awaited without a status write': () => {
    const message = 'Waiting for external resource existence to be confirmed';
    const event = `Normal PendingExternalResource: ${message}`;
    const scene = sceneOf({}, { annotations: justCreated }, assigned);
    return run(scene, reports(requeue, 'Unknown/-', 'Unknown/-', event), 'observe', unwritten);
  },
  'DeleteExternal: a deletion that fails is reported': () => {
    const want = callFails('False/Deleting', 'CannotDeleteExternalResource');
    return run(failing(settled({}, leaving), 'delete'), want, 'observe delete', isLasting);
  },
  'DeleteExternal: a conflict of the external system is reported': () => {
    const cause = 'the object has been modified';
    const want = callFails('False/Deleting', 'CannotDeleteExternalResource', cause);
    return run(failing(settled({}, leaving), 'delete', conflict()), want, 'observe delete');
  },
  'DeleteExternal: after the deletion request the resource is observed soon, and keeps its finalizer until it is absent':
    () => {
      const scene = having(settled({}, leaving), ({ external }) => (external.isDeletionSlow = true));
      const visible = 'the external system accepted the deletion, and still shows the external resource';
      const want = reports(poll, 'False/Deleting', `True/DeletionAccepted: ${visible}`, deleted);
      return run(scene, want, 'observe delete observe');
    },
  'AwaitDeletion: the external system is already deleting the resource': () => {
    const scene = observing(settled({}, leaving), { operation: 'delete' });
    return run(scene, reports(poll, 'False/Deleting', 'True/ReconcileSuccess'));
  },
  'RemoveFinalizer: the external resource is absent, and its Secret cannot be deleted': () => {
    const message = 'cannot delete connection secret: etcd is unavailable';
    const scene = refusing(withSecret(absent(settled({}, leaving))), 'delete', SecretKind);
    return run(scene, fails('False/Deleting', 'CannotUnpublishConnectionDetails', message));
  },
  'RemoveFinalizer: the external resource is absent, and the finalizer cannot be removed': () => {
    const synced = 'False/ReconcileError: cannot update managed resource: etcd is unavailable';
    const scene = refusing(absent(settled({}, leaving)), 'update');
    return run(scene, reports(requeue, 'False/Deleting', synced));
  },
  'RemoveFinalizer: the Secret and the finalizer are removed without a status write': () =>
    run(absent(settled({}, leaving)), gone, 'observe', { writes: [objectWrite] }),
  'RemoveFinalizer: an absent resource is not deleted by its name, because the name may have another owner':
    () => {
      const scene = having(settled({}, leaving), ({ external }) => (external.isBlind = true));
      return run(scene, gone);
    },
  'CreateExternal: nothing is created if the mark cannot be written': () =>
    run(refusing(sceneOf({}, {}, assigned), 'update'), cannotUpdate('managed resource', 'False/Creating')),
  'CreateExternal: a creation that fails is reported': () => {
    const want = callFails('False/Creating', 'CannotCreateExternalResource');
    return run(failing(sceneOf(), 'create'), want, 'observe create', isLasting);
  },
  'CreateExternal: returned details that cannot be published are reported': () => {
    const scene = refusing(sceneOf(), 'update', SecretKind);
    return run(scene, unpublished('update', created), 'observe create observe');
  },
  'CreateExternal: if the observation after a creation fails, the returned details are published': () => {
    const want = unobserved('False/Creating', created);
    return run(failingAfter(sceneOf(), 'create'), want, 'observe create observe', published);
  },
  'CreateExternal: a deterministic name takes four writes: the Secret, preparation, details, status': () => {
    const writes = [secretCreated, objectWrite, secretWrite, statusWrite];
    return run(sceneOf(), works(created), 'observe create observe', { writes, ...published });
  },
  'CreationRefused: a resource that the external client refuses is not created': () => {
    const why = 'there is no "db"';
    const scene = having(sceneOf(), ({ external }) => (external.uncreatable = why));
    const want = callFails('False/Creating', 'CannotCreateExternalResource', why);
    return run(scene, want, 'observe', isLasting);
  },
  'CreateNotAllowed: an absent resource whose policies do not allow Create reports it': () => {
    const scene = sceneOf({ managementPolicies: ['Observe', 'Delete'] });
    return run(scene, reports(poll, `False/Unavailable: ${notCreated}`, 'True/ReconcileSuccess'));
  },
  'ConfirmAbsence: one observation does not prove the absence': () => {
    const want = reports(unsettled(5_000), 'True/Available', 'True/ReconcileSuccess');
    return run(lost({ confirmAbsenceMs: 5_000 }), want);
  },
  'IdentityEdited: an edit takes effect once the recorded resource does not exist': async () => {
    const scene = await lost();
    scene.edit({ spec: { forProvider: { region: 'eu' } } });
    const want = reports(unsettled(0), 'True/Available', 'True/ReconcileSuccess');
    return run(scene, want);
  },
  'ExternalLost: a lost resource with an assigned name is reported': () =>
    run(lost(assigned), waits(`False/Unavailable: ${lostName}`, 'LostExternalResource', lostName)),
  'RemoveFinalizer: an Event names the parts that stay in the external system': () => {
    const remains = 'role "db", which lost its mark';
    const scene = having(
      settled({}, leaving),
      ({ external }) => (external.observation = { exists: false, remains }),
    );
    const event = `Warning KeptExternalResource: not deleted, and still in the external system: ${remains}`;
    return run(scene, { ...gone, events: [event] });
  },
  'ExternalRenamed: a renamed resource is reported, and no second one is created': () => {
    const renamed = 'database "db" was renamed to "old"';
    const scene = having(settled(), ({ external }) => (external.observation = { exists: false, renamed }));
    return run(scene, waits(`False/Unavailable: ${renamed}`, 'LostExternalResource', renamed));
  },
  'ExternalLost: a lost resource whose name another one has is not ready, and none is created': () => {
    const taken = 'role "db" is of another resource now';
    const scene = having(settled(), ({ external }) => (external.observation = { exists: false, taken }));
    return run(scene, waits(`False/Unavailable: ${taken}`, 'LostExternalResource', taken));
  },
  'Recreate: a lost resource with a name of its own is created again': () =>
    run(lost(), works(`Warning LostExternalResource: ${lostOwn}`, created), 'observe create observe'),
  'NoUpdate: values of the cloud are filled in': () =>
    run(late(settled()), works(), 'observe', { writes: [objectWrite, secretCreated, statusWrite] }),
  'NoUpdate: a write of the values of the cloud that fails is reported': () =>
    run(refusing(late(settled()), 'update'), cannotUpdate('managed resource')),
  'NoUpdate: a finalizer that a user removed is added again': () => {
    // The second write is the identity that was found.
    const writes = [objectWrite, objectWrite, secretCreated, statusWrite];
    return run(settled({}, { finalizers: [] }), works(), 'observe', { writes });
  },
  'AddFinalizer: a finalizer that cannot be added is reported, also for an observed-only resource': () =>
    run(refusing(settled(onlyObserved, { finalizers: [] }), 'update'), cannotUpdate('managed resource'), ''),
  'NoUpdate: observed details that cannot be published are reported': () =>
    run(refusing(settled(), 'create', SecretKind), unpublished('create')),
  'NoUpdate: details of an observed-only resource are published too': () =>
    run(settled(onlyObserved), works(), 'observe', published),
  'NoUpdate: a resource with work in progress is observed before the poll': () => {
    const scene = settled({}, { creationTimestamp: '2026-01-02T03:04:01Z' });
    scene.external.ready = unavailable('restarting');
    return run(scene, reports(after(1_000), 'False/Unavailable: restarting', 'True/ReconcileSuccess'));
  },
  'NoUpdate: drift is left alone where policies do not allow Update': () =>
    run(drifted(withoutUpdate), works()),
  'NoUpdate: without Update, Synced names the fields that differ and are not applied': () => {
    const scene = observing(drifted(withoutUpdate), {
      differing: ['spec.forProvider.size', 'spec.forProvider.net.mtu'],
      refused: ['spec.forProvider.version from "5" to "8"'],
      drifted: ['spec.forProvider.region, which is "eu" there and "us" here'],
    });
    return run(scene, reports(poll, 'True/Available', `True/ReconcileSuccess: ${notApplied}`));
  },
  'without connection details the Secret is empty': () =>
    run(observing(settled(), { details: {} }), works(), 'observe', { ...noUpdate, secret: {} }),
  'Update: an update that fails is reported': () => {
    const want = callFails('True/Available', 'CannotUpdateExternalResource');
    return run(failing(drifted(), 'update'), want, 'observe update', isLasting);
  },
  'Update: a conflict of the external system is reported': () => {
    const cause = 'the object has been modified';
    const want = callFails('True/Available', 'CannotUpdateExternalResource', cause);
    return run(failing(drifted(), 'update', conflict()), want, 'observe update');
  },
  'Update: details that the update returned and that cannot be published are reported': () => {
    const scene = having(drifted(), ({ external }) => (external.change = { details: { certificate: 'c' } }));
    const want = unpublished('update', updated);
    return run(refusing(scene, 'update', SecretKind), want, 'observe update observe');
  },
  'Update: if the observation after an update fails, the returned details are published': () => {
    const want = unobserved('Unknown/Pending', updated);
    return run(failingAfter(drifted(), 'update'), want, 'observe update observe', published);
  },
  'Update: drift is reverted, and the new details are published': () =>
    run(drifted(), works(updated), 'observe update observe', published),
  'Update: a resource that does not show right after its update keeps its state': () => {
    const scene = drifted();
    scene.external.after('update', () => (scene.external.isBlind = true));
    const want = reports(poll, 'True/Available', notVisible, updated);
    return run(scene, want, 'observe update observe', published);
  },
  'OperationFailed: an operation that failed is reported with its reason': () => {
    const scene = underWay({ state: 'failed', error: new Error('quota exceeded') });
    const want = callFails('False/Creating', 'CannotCreateExternalResource', 'quota exceeded');
    return run(scene, want, 'poll');
  },
  'AwaitOperation: a creation that runs is awaited': () => {
    const want = reports(unsettled(60_000), 'False/Creating', 'True/ReconcileSuccess');
    return run(underWay({ state: 'running' }), want, 'poll observe');
  },
  'AwaitEffect: the result of an operation does not show yet': () => {
    const scene = underWay({ state: 'done' }, 'update');
    scene.external.put('db', { size: 2 });
    return run(scene, reports(requeue, 'True/Available', notVisible), 'poll observe');
  },
  'ResetStatus: a status from a backup that cannot be reset is reported': () => {
    const scene = withGeneratedCredential({}, { status: { bindingPhase: 'Bound', boundUID: 'another' } });
    return run(refusingOnce(scene, 'updateStatus'), cannotUpdate('managed resource status'), '');
  },
  'KeepReleased: a claimRef that cannot be written is reported': () => {
    const scene = withSecret(withGeneratedCredential({}, { status: { bindingPhase: 'Released' } }));
    return run(refusing(scene, 'update'), cannotUpdate('managed resource'), '');
  },
  'MakeAvailable: a phase that cannot be written is reported': () => {
    const scene = withGeneratedCredential(
      {},
      { status: { bindingPhase: 'Released', boundUID: 'managed-uid' } },
    );
    return run(refusingOnce(scene, 'updateStatus'), cannotUpdate('managed resource status'), '');
  },
  'GenerateCredential: a Secret that cannot be created is reported': () =>
    run(
      refusing(withGeneratedCredential(), 'create', SecretKind),
      unpublished('create'),
      'observe',
      noUpdate,
    ),
  'AdoptSecret: a Secret that cannot be adopted is reported': () =>
    run(
      refusing(withSecret(withGeneratedCredential()), 'update', SecretKind),
      unpublished('update'),
      'observe',
      noUpdate,
    ),
  'RotateCredential: a rotation that cannot be written is reported': () => {
    const scene = withGeneratedCredential({}, {}, { secretDetails: { credential: rotated } });
    const noted = withSecret(scene, { key, rotation: 'before' });
    return run(refusing(noted, 'update', SecretKind), unpublished('update'), 'observe', noUpdate);
  },
  'ReplaceCredential: a credential for the next claim that cannot be written is reported': () => {
    const noted = withSecret(withGeneratedCredential({ claimRef: claimRef() }), forFormer);
    return run(refusing(noted, 'update', SecretKind), unpublished('update'), 'observe', noUpdate);
  },
  'NameClaim: a claim that cannot be named is reported': () => {
    const noted = withSecret(withGeneratedCredential({ claimRef: claimRef() }), { key });
    return run(refusing(noted, 'update', SecretKind), unpublished('update'), 'observe', noUpdate);
  },
};

describe('a run reports its decision, its conditions and its Events', () => {
  for (const [title, begin] of Object.entries(runs)) {
    test(title, async () => {
      const { scene: made, want, calls, ...given } = await begin();
      const scene = await made;
      scene.process.events.length = 0;
      scene.process.recordings.length = 0;
      scene.external.calls.length = 0;
      scene.cluster.takeWrites();
      const next = await scene.run();
      const writes = scene.cluster.takeWrites();
      const recorded = scene.process.events.map((event) => `${event.type} ${event.reason}: ${event.message}`);
      const conditions = { ready: scene.condition('Ready'), synced: scene.condition('Synced') };
      const reported = { next, ...(scene.object && conditions), events: recorded };
      assert.deepEqual(reported, want);
      assert.equal(scene.decision, 'decision' in given ? given.decision : decisionIn(title, decisions));
      const isCall = (call: ExternalMethod) => call !== 'connect' && call !== 'disconnect';
      assert.equal(scene.external.calls.filter(isCall).join(' '), calls);
      if (given.writes !== undefined) assert.deepEqual(writes, given.writes);
      if ('secret' in given) assert.deepEqual(scene.secret, given.secret);
      if (!given.isLasting) return;
      await scene.run();
      await scene.run();
      assert.deepEqual(scene.cluster.takeWrites(), []);
      const { events, recordings } = scene.process;
      assert.deepEqual([events.length, recordings], [1, [events[0], events[0], events[0]]]);
    });
  }

  test('every decision has a run', () => {
    const taken = Object.keys(runs).map((title) => decisionIn(title, decisions));
    const missing = decisions.filter((decision) => !taken.includes(decision));
    assert.deepEqual(missing, []);
  });
});

/** A conflict ends the run; the next one reads again. */
const silent: Readonly<Record<string, () => Scene>> = {
  'a conflict of resolving references is silent': () =>
    settled({}, {}, { resolveReferences: () => Promise.reject(conflict()) }),
  'a conflict of an observation is silent': () => failing(settled(), 'observe', conflict()),
  'RemoveFinalizer: a conflict of unpublishing is silent': () =>
    refusing(withSecret(absent(settled({}, leaving))), 'delete', SecretKind, conflict()),
  'RemoveFinalizer: a conflict of removing the finalizer is silent': () =>
    refusing(absent(settled({}, leaving)), 'update', managedKind, conflict()),
  'NoUpdate: a conflict of publishing is silent': () =>
    refusing(settled({}, { finalizers: [] }), 'create', SecretKind, conflict()),
  'NoUpdate: a conflict of adding the finalizer is silent': () =>
    refusing(settled({}, { finalizers: [] }), 'update', managedKind, conflict()),
  'NoUpdate: a conflict of the write of these values is silent': () =>
    refusing(late(settled()), 'update', managedKind, conflict()),
  'any decision: a conflict of the status write is silent': () =>
    refusing(settled(), 'updateStatus', managedKind, conflict()),
};

async function assertSilent(scene: Scene, isAsExpected = isConflict): Promise<void> {
  await assert.rejects(scene.run(), isAsExpected);
  assert.deepEqual(scene.events, []);
  assert.equal(scene.object?.status, undefined);
}

describe('a conflict has no condition and no Event', () => {
  for (const [title, make] of Object.entries(silent)) test(title, () => assertSilent(make()));
});

describe('before the external system is asked', () => {
  test('Paused: a paused resource has one Event and one write', async () => {
    const scene = settled({ managementPolicies: [] });
    await scene.run();
    const writes = scene.cluster.writes.length;
    await scene.run();
    assert.deepEqual([scene.cluster.writes.length, scene.events.length], [writes, 1]);
  });

  test('Paused: a failing status write while paused is returned', async () => {
    const scene = settled({ managementPolicies: [] });
    scene.cluster.refuse('updateStatus', managedKind, broken());
    await assert.rejects(scene.run(), /cannot update managed resource status: etcd is unavailable/);
  });

  test('references are not resolved while deleting', async () => {
    const scene = settled({}, leaving, { resolveReferences: () => Promise.reject(new Error('gone')) });
    assert.deepEqual(await scene.run(), done);
    assert.equal(scene.object, undefined);
  });
});

describe('the external resource is observed', () => {
  test('RemoveFinalizer: an object that is deleted during the run is no error', async () => {
    const scene = settled({}, leaving);
    scene.cluster.before('update', managedKind, () => {
      scene.edit({ metadata: { finalizers: [] } });
      scene.remove();
    });
    assert.deepEqual(await scene.run(), done);
  });
});

describe('creation', () => {
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
    scene.external.failAt('create', new Error('quota exceeded'));
    assert.deepEqual(await scene.run(), requeue);
    scene.external.gate = () => {};
    scene.process.hold(managedKind);
    scene.edit({ spec: { managementPolicies: ['Observe'] as const } });
    scene.cluster.clockMs += 6_000; // an answer that is younger than 5 s counts as a read
    await assert.rejects(scene.run(), isConflict);
    assert.equal(scene.external.made, 0);
  });

  test('CreateExternal: a new resource that differs from its spec is updated at once', async () => {
    const scene = sceneOf();
    scene.external.after('create', () => (scene.external.observation = { isUpToDate: false }));
    assert.deepEqual(await scene.run(), unsettled(0));
  });

  test('Recreate: a loss is reported even if the mark of the creation meets a conflict', async () => {
    const scene = await lost();
    scene.process.events.length = 0;
    scene.cluster.refuse('update', managedKind, conflict());
    await assert.rejects(scene.run(), isConflict);
    assert.deepEqual(scene.events, ['Warning LostExternalResource']);
  });

  test('GenerateCredential: with --observe-only the API server is not read', async () => {
    const scene = new Scene({}, { finalizers }, { env: { isObserveOnly: true } });
    await scene.run();
    const reads = scene.cluster.calls.filter(({ verb, kind: of }) => verb === 'get' && of === kind);
    assert.deepEqual(reads, []);
  });

  test('CreateExternal: with --observe-only no creation is recorded', async () => {
    const scene = new Scene({}, { finalizers }, { ...assigned, env: { isObserveOnly: true } });
    await scene.run();
    assert.equal(scene.decision, 'CreateExternal');
    assert.deepEqual(scene.annotations, {});
  });

  test('CreateExternal: a conflict of the external system is recorded and reported', async () => {
    const scene = sceneOf({}, {}, assigned);
    scene.external.failAt('create', conflict());
    assert.deepEqual(await scene.run(), requeue);
    assert.deepEqual(scene.events, ['Warning CannotCreateExternalResource']);
    assert.ok(scene.annotations['crossplane.io/external-create-failed']);
    assert.match(scene.condition('Synced'), /False/);
  });

  test('CreateExternal: if the record of the failure cannot be written, the next run waits for an administrator', async () => {
    const scene = sceneOf({}, {}, { ...assigned, env: { clock: withoutWaiting } });
    scene.external.failAt('create', new Error('quota exceeded'));
    scene.cluster.gate = refuseAfterFirst();
    assert.deepEqual(await scene.run(), requeue);
    const events = ['Warning CannotUpdateManagedResource', 'Warning CannotCreateExternalResource'];
    assert.deepEqual(scene.events, events);
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
    const refusing = refuseAfterFirst();
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
    const why =
      /cannot update managed resource annotations: cannot update critical annotations: etcd is unavailable/;
    assert.match(scene.condition('Synced'), why);
    assert.deepEqual(scene.events, ['Warning CannotUpdateManagedResource']);
    scene.cluster.gate = () => {};
    await scene.run();
    assert.match(scene.condition('Synced'), /cannot determine creation result/);
    assert.equal(scene.external.made, 1);
  });

  test('CreateExternal: an edit during the creation is kept, with the assigned name added', async () => {
    const scene = sceneOf({}, {}, { ...assigned, env: { clock: withoutWaiting } });
    scene.external.after('create', () => scene.edit({ metadata: { labels: { team: 'shop' } } }));
    await scene.run();
    assert.equal(scene.annotations['crossplane.io/external-name'], 'assigned-1');
    assert.deepEqual(scene.object?.metadata.labels, { team: 'shop' });
    assert.equal(scene.external.made, 1);
  });

  test('CreateExternal: UpdateConflictGetError: the conflict is reported if the object cannot be read after it', async () => {
    const scene = sceneOf({}, {}, { ...assigned, env: { clock: withoutWaiting } });
    scene.external.after('create', () => {
      scene.cluster.refuse('update', managedKind, conflict(), 5);
      scene.cluster.refuse('get', managedKind, broken(), 5);
    });
    await assert.rejects(scene.run(), isConflict);
    assert.deepEqual(scene.events, []);
    await scene.run();
    assert.match(scene.condition('Synced'), /cannot determine creation result/);
    assert.equal(scene.external.made, 1);
  });

  test('CreateExternal: if another object has controlled the Secret since it is created, Ready reports it', async () => {
    const scene = sceneOf({ forProvider: { size: 1 } });
    const rival = controllerReference(managed({}, { name: 'rival', uid: 'rival-uid' }));
    const foreign = secretOf({ ...secretKey, ownerReferences: [rival] });
    scene.external.after('create', () => scene.cluster.put(SecretKind, foreign));
    const why =
      /^False\/SecretConflict: .*the secret belongs to FavouriteDBInstance rival, not to FavouriteDBInstance db \(infra\/db-connection\); name another in spec\.writeConnectionSecretToRef of FavouriteDBInstance db$/;
    for (let times = 1; times <= 2; times += 1) {
      await scene.run();
      assert.match(scene.condition('Ready'), why);
      assert.match(scene.condition('Synced'), /^False\/ReconcileError: /);
    }
    assert.equal(scene.object?.status?.bindingPhase, undefined);
    assert.equal(scene.external.made, 1);
    assert.equal(scene.external.count('update'), 0, 'and no password after another is set');
  });

  test('CreateExternal: a Secret that changes in between loses no detail', async () => {
    const scene = sceneOf();
    scene.external.after('create', () => scene.cluster.refuse('update', SecretKind, conflict(), 2));
    await scene.run();
    const writes = scene.cluster.calls.filter(({ verb, kind: of }) => verb === 'update' && of === 'Secret');
    assert.equal(writes.length, 3);
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
    assert.deepEqual(scene.conditions, ['False/Creating', 'True/ReconcileSuccess']);
    assert.deepEqual(scene.secret, { endpoint: 'assigned-1.example' });
    const event = { type: 'Normal', reason: 'CreatedExternalResource' };
    const message = `${sentence} creation of external resource`;
    assert.deepEqual(scene.process.events, [{ object: 'FavouriteDBInstance db', ...event, message }]);
  });

  test('CreateExternal: the external name stays if the system returns none', async () => {
    const scene = sceneOf({}, { annotations: { 'crossplane.io/external-name': 'legacy' } }, assigned);
    scene.external.creation = { externalName: undefined as never };
    await scene.run();
    assert.equal(scene.annotations['crossplane.io/external-name'], 'legacy');
    assert.ok(scene.annotations['crossplane.io/external-create-succeeded']);
  });
});

describe('an existing external resource is kept', () => {
  test('Update: values are filled in first, then drift is updated', async () => {
    const scene = drifted();
    scene.external.observation = { lateInitialized: { version: '8.0' } };
    await scene.run();
    assert.deepEqual(scene.external.resources.get('db')?.values, { size: 1, version: '8.0' });
  });

  test('NoUpdate: an up-to-date resource is written once, and observed again at the poll', async () => {
    const scene = settled();
    assert.deepEqual(await scene.run(), poll);
    assert.deepEqual(scene.conditions, ['True/Available', 'True/ReconcileSuccess']);
    const writes = scene.cluster.writes.length;
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.cluster.writes.length, writes);
    assert.deepEqual(scene.events, []);
    scene.restart();
    await scene.run();
    assert.equal(scene.cluster.writes.length, writes);
  });

  test('Update: a value that cannot change is reported from the first observation on, and the resource stays usable', async () => {
    const scene = sceneOf({ forProvider: { size: 1 } }, { finalizers });
    scene.external.put('db', { size: 2 });
    scene.external.observation = { status: { state: 'ONLINE' } };
    scene.external.failAt('update', new Error('size cannot be changed'));
    await scene.run();
    assert.equal(scene.condition('Ready'), 'True/Available');
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: size cannot be changed');
    assert.partialDeepStrictEqual(scene.object?.status, { bindingPhase: 'Unbound', state: 'ONLINE' });
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
    const reported = log.lines.filter(({ message }) => message === 'external resource differs');
    const differences = reported.map(({ fields }) => fields.difference);
    assert.deepEqual(differences, ['size: 2, not 1', 'password: not ***', undefined]);
    assert.ok(reported.every(({ level }) => level === 'debug'));
  });

  test('any decision: a status of a deleted object is not written', async () => {
    const scene = settled({}, { finalizers: [] });
    scene.cluster.before('updateStatus', managedKind, () => {
      scene.edit({ metadata: { finalizers: [] } });
      scene.cluster.delete(managedKind, { name: 'db' });
    });
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.object, undefined);
    assert.deepEqual(scene.events, []);
  });

  test('any decision: no condition or Event has a secret', async () => {
    const scene = sceneOf({}, {}, { secretDetails: { credential: generatedPassword } });
    await scene.run();
    scene.external.failAt('observe', new Error(`login with ${scene.secret?.password} refused`));
    await scene.run();
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: login with *** refused');
    const messages = scene.process.events.map(({ message }) => message);
    assert.deepEqual(messages, [`${sentence} creation of external resource`, 'login with *** refused']);
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
});

test('an outage of the API server is no failure of the resource', async () => {
  const scene = settled();
  const cause = new ApiError('the API server did not answer within 30 s', { code: 0, reason: 'Timeout' });
  scene.external.failAt('connect', new Error('cannot get secret team/keys of Provider cloud', { cause }));
  await assertSilent(scene, isOutage);
});

describe('a write that is refused while leadership is interrupted is no failure of the resource', () => {
  const interrupted = leaseExpired('the Lease was not renewed in time: another process may lead');
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
      scene.external.failAt(method, new Error('cannot ask the cloud', { cause: interrupted }));
      await assertSilent(scene, isInterrupted);
    });
  }
  for (const verb of ['update', 'create', 'updateStatus'] as const) {
    const [of, what] = verb === 'create' ? [SecretKind, 'its secret'] : [managedKind, 'the managed resource'];
    test(`${verb} of ${what}: silent`, async () => {
      const scene = settled({ writeConnectionSecretToRef: secretKey }, { finalizers: [] });
      scene.cluster.refuse(verb, of, interrupted);
      await assertSilent(scene, isInterrupted);
    });
  }

  test('disconnecting: no Event, and the rest counts', async () => {
    const scene = settled();
    scene.external.failAt('disconnect', new Error('cannot ask the cloud', { cause: interrupted }));
    assert.deepEqual(await scene.run(), poll);
    assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
    assert.deepEqual(scene.events, []);
  });

  test('a creation that was not sent is recorded as failed once the process leads again', async () => {
    const clock = testClock();
    const scene = sceneOf({}, {}, { ...assigned, env: { clock } });
    const expiresMs = clock.elapsedMs() + 3_000;
    scene.external.failAt('create', interrupted);
    scene.cluster.gate = ({ verb, kind: of }) => {
      const isRecord = verb === 'update' && of === kind && scene.external.count('create') > 0;
      if (isRecord && clock.elapsedMs() < expiresMs) throw interrupted;
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
      if (isRecord && clock.elapsedMs() < expiresMs) throw interrupted;
    };
    const run = scene.run();
    await clock.advance(3_000);
    await run;
    assert.equal(scene.annotations['crossplane.io/external-name'], 'assigned-1');
    assert.ok(scene.annotations['crossplane.io/external-create-succeeded']);
    assert.deepEqual(scene.events, ['Normal CreatedExternalResource']);
  });
});

test('a client is disconnected although its system does not answer', async () => {
  let disconnected = 0;
  const never = () => Promise.reject(new Error('unexpected call'));
  const client = {
    observe: never,
    create: never,
    update: never,
    delete: never,
    system: () => Promise.reject(new Error('no answer')),
    async disconnect() {
      disconnected += 1;
    },
  };
  const scene = new Scene({}, {}, { connector: { connect: async () => client } });
  await scene.run();
  assert.deepEqual([scene.condition('Synced'), disconnected], ['False/ReconcileError: no answer', 1]);
});
