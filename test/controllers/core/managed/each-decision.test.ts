import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedSpec, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../../apis/core/v1alpha1/meta.ts';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import { encodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import type { CredentialNote } from '../../../../controllers/core/credential.ts';
import {
  credentialAnnotation,
  encodeNote,
  generatedPassword,
} from '../../../../controllers/core/credential.ts';
import type {
  OperationType,
  Progress,
} from '../../../../controllers/core/managed/connecting/external-client.ts';
import type { ManagedReconcilerOptions } from '../../../../controllers/core/managed/reconciler.ts';
import type { ManagedDecisionName } from '../../../../controllers/core/managed/run/decide.ts';
import { broken } from '../cluster-fake.ts';
import { finalizers, Scene, secretKey } from '../managed-scene.ts';
import { claimRef, deletionTimestamp, managedKind } from '../objects.ts';

type Options = Partial<Omit<ManagedReconcilerOptions<Managed>, 'env'>>;

const named = { 'crossplane.io/external-name': 'db' };
const leaving = { deletionTimestamp, finalizers };
const assigned = { externalNames: 'assigned' } as const;

/** A resource whose external resource is as wanted. */
function settled(
  spec: ManagedSpec = {},
  metadata: Partial<ObjectMeta> & { readonly status?: ManagedStatus } = {},
  options: Options = {},
): Scene {
  const scene = new Scene(
    { forProvider: { size: 1 }, ...spec },
    { finalizers, annotations: named, ...metadata },
    options,
  );
  scene.external.put('db', { size: 1 });
  return scene;
}

/** A resource that was made by the controller, and whose external resource is gone since. */
async function lost(options: Options = {}): Promise<Scene> {
  const scene = new Scene(
    { forProvider: { region: 'us' } },
    {},
    { marks: { immutable: ['region'], identity: ['region'] }, ...options },
  );
  await scene.run();
  scene.cluster.clockMs += 60_000;
  scene.external.things.clear();
  return scene;
}

function having<T>(made: T, change: (made: T) => void): T {
  change(made);
  return made;
}

/** A resource whose creation the external system sees through, and which does not show. */
function handedOver(
  progress: Progress = { state: 'running' },
  metadata: Partial<ObjectMeta> = {},
  options: Options = {},
): Scene {
  const operation = { type: 'create', name: 'op-1', startedAt: '2026-01-02T03:00:00Z' } as const;
  const scene = new Scene(
    {},
    { finalizers, annotations: named, status: { operation }, ...metadata },
    options,
  );
  scene.external.progress = () => progress;
  return scene;
}

/** The external system has another credential than the Secret, and the operation that set it has ended. */
function ended(type: OperationType, metadata: Partial<ObjectMeta> = {}): Scene {
  const operation = { type, name: 'op-1', startedAt: '2026-01-02T03:00:00Z' } as const;
  const scene = new Scene(
    { forProvider: { size: 1 } },
    { finalizers, annotations: named, status: { operation }, ...metadata },
  );
  scene.external.progress = () => ({ state: 'done' });
  scene.external.put('db', { size: 2 });
  return scene;
}

const rotated = { ...generatedPassword, rotationOf: () => 'requested' };
const former = { key: 'a2V5', for: 'FancySQLInstance team/former' };

/** The Secret of a resource, with a password. */
function withSecret(scene: Scene, note?: CredentialNote): Scene {
  const { cluster, object } = scene;
  assert.ok(object);
  cluster.put(SecretKind, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...secretKey,
      ownerReferences: [controllerReference(object)],
      annotations: note === undefined ? {} : { [credentialAnnotation]: encodeNote(note) },
    },
    type: connectionSecretType,
    data: encodeDetails({ password: 'secret' }),
  });
  return scene;
}

/** The API server does not accept the first such write. */
const refusing = (scene: Scene, write: string): Scene =>
  having(scene, ({ cluster }) => {
    cluster.gate = ({ verb, kind }) => {
      if (`${verb} ${kind}` !== write) return;
      cluster.gate = () => {};
      throw broken();
    };
  });

/** A resource that has the credential of its Secret. */
async function applied(): Promise<Scene> {
  const scene = settled();
  await scene.run();
  return scene;
}

/** For each decision, a resource whose next run takes it. */
const scenes: Readonly<Record<ManagedDecisionName, () => Scene | Promise<Scene>>> = {
  ResourceGone: () =>
    having(new Scene(), ({ cluster }) => cluster.delete(managedKind, { name: 'db' }, deletionTimestamp)),
  Paused: () => settled({ managementPolicies: [] }),
  UnsupportedPolicies: () => settled({ managementPolicies: ['Create'] }),
  OrphanExternal: () => settled({ deletionPolicy: 'Orphan' }, leaving),
  CreationIncomplete: () => {
    const annotations = { 'crossplane.io/external-create-pending': '2026-01-02T03:00:00Z' };
    return new Scene({}, { annotations }, assigned);
  },
  OtherSystem: async () => {
    const scene = new Scene();
    scene.external.system = 'https://a.example';
    await scene.run();
    scene.external.system = 'https://b.example';
    return scene;
  },
  AddFinalizer: () => refusing(new Scene(), `update ${managedKind.kind}`),
  ResetStatus: () => {
    const status = { bindingPhase: 'Bound', boundUID: 'another' } as const;
    return refusing(settled({}, { status }), `updateStatus ${managedKind.kind}`);
  },
  KeepReleased: () => {
    const scene = settled({}, { status: { bindingPhase: 'Released' } });
    return refusing(withSecret(scene), `update ${managedKind.kind}`);
  },
  MakeAvailable: () =>
    refusing(settled({}, { status: { bindingPhase: 'Released' } }), `updateStatus ${managedKind.kind}`),
  GenerateCredential: () => refusing(settled(), 'create Secret'),
  AdoptSecret: () => refusing(withSecret(settled()), 'update Secret'),
  RotateCredential: () => {
    const scene = settled({}, {}, { secretDetails: { credential: rotated } });
    return refusing(withSecret(scene, { key: 'a2V5', rotation: 'before' }), 'update Secret');
  },
  ReplaceCredential: () => refusing(withSecret(settled({ claimRef: claimRef() }), former), 'update Secret'),
  NameClaim: () => refusing(withSecret(settled({ claimRef: claimRef() }), { key: 'a2V5' }), 'update Secret'),
  ClearRecord: () => {
    const status = { credential: { hmac: 'of another', pending: false } };
    return refusing(withSecret(settled({}, { status }), { key: 'a2V5' }), `updateStatus ${managedKind.kind}`);
  },
  OperationFailed: () => handedOver({ state: 'failed', error: new Error('quota exceeded') }),
  AwaitOperation: () => handedOver(),
  ExternalMissing: () => new Scene({ managementPolicies: ['Observe'] }),
  AwaitExternal: () => {
    const annotations = { ...named, 'crossplane.io/external-create-succeeded': '2026-01-02T03:04:00Z' };
    return new Scene({}, { annotations }, assigned);
  },
  DeleteExternal: () => settled({}, leaving),
  AwaitDeletion: () =>
    having(settled({}, leaving), ({ external }) => {
      external.observation = { operation: 'delete' };
    }),
  RemoveFinalizer: () => having(settled({}, leaving), ({ external }) => external.things.clear()),
  IdentityEdited: async () =>
    having(await lost(), ({ cluster }) =>
      cluster.edit<Managed>(managedKind, { name: 'db' }, ({ spec, ...rest }) => ({
        ...rest,
        spec: { ...spec, forProvider: { region: 'eu' } },
      })),
    ),
  CreateExternal: () => new Scene(),
  CreationRefused: () => having(new Scene(), ({ external }) => (external.uncreatable = 'there is no "db"')),
  ConfirmAbsence: () => lost({ confirmAbsenceMs: 5_000 }),
  ExternalLost: () => lost(assigned),
  Recreate: () => lost(),
  LateInitialize: async () =>
    having(await applied(), ({ external }) => {
      external.observation = { isUpToDate: true, lateInitialized: { version: '8.0' } };
    }),
  NoUpdate: applied,
  CreateNotAllowed: () => new Scene({ managementPolicies: ['Observe', 'Delete'] }),
  Update: () => having(settled(), ({ external }) => external.put('db', { size: 2 })),
  AwaitEffect: () => ended('update'),
};

describe('the managed reconciler takes', () => {
  for (const [decision, make] of Object.entries(scenes)) {
    test(decision, async () => {
      const scene = await make();
      await scene.run();
      assert.equal(scene.decision, decision);
    });
  }
});
