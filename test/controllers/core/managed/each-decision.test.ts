import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedSpec } from '../../../../apis/core/v1alpha1/managed.ts';
import type { ManagedDecisionName } from '../../../../controllers/core/managed/decide.ts';
import type { OperationType, Progress } from '../../../../controllers/core/managed/external-client.ts';
import type { ManagedReconcilerOptions } from '../../../../controllers/core/managed/reconciler.ts';
import { besideOneThatIsBeingDeleted } from '../deletion-under-way.ts';
import type { ExternalMethod } from '../external-fake.ts';
import { finalizers, Scene } from '../managed-scene.ts';
import { deletionTimestamp, managed, managedKind } from '../objects.ts';

type Options = Partial<Omit<ManagedReconcilerOptions<Managed>, 'env'>>;

const named = { 'crossplane.io/external-name': 'db' };
const leaving = { deletionTimestamp, finalizers };
const assigned = { externalNames: 'assigned' } as const;

/** A resource whose external resource is as wanted. */
function settled(spec: ManagedSpec = {}, metadata: Partial<ObjectMeta> = {}, options: Options = {}): Scene {
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

const failing = (method: ExternalMethod): Scene =>
  having(settled(), ({ external }) => {
    external.gate = (called) => {
      if (called === method) throw new Error('no route to cloud');
    };
  });

const notObserving = (method: ExternalMethod): void => {
  if (method === 'observe') throw new Error('no route to cloud');
};

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

/** One of which another is wanted outside, when an operation that was to see to that has ended. */
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

/** A resource whose deletion overtook its finalizer, after something was made for it. */
async function overtaken(): Promise<Scene> {
  const scene = new Scene();
  const end = scene.cluster.beginDeleting(managedKind, { name: 'db' });
  scene.external.afterCall = (method) => {
    if (method === 'create') end();
  };
  await scene.run();
  scene.external.afterCall = () => {};
  return scene;
}

/** The same, when another of its name has come of which the store does not know yet. */
function unshown(scene: Scene, metadata: Partial<ObjectMeta>): Scene {
  scene.process.hold(managedKind);
  scene.cluster.put(managedKind, managed({}, { uid: 'uid-again', ...metadata }));
  return scene;
}

/** For each decision, a resource whose next run takes it. */
const scenes: Readonly<Record<ManagedDecisionName, () => Scene | Promise<Scene>>> = {
  ResourceGone: () =>
    having(new Scene(), ({ cluster }) => cluster.delete(managedKind, { name: 'db' }, deletionTimestamp)),
  AwaitSuccessor: async () => unshown(await overtaken(), {}),
  StillManaged: async () => unshown(await overtaken(), { finalizers, annotations: named }),
  FinishDeletion: async () => {
    const scene = await overtaken();
    scene.cluster.put(
      managedKind,
      managed({}, { uid: 'uid-again', annotations: { 'crossplane.io/external-name': 'another' } }),
    );
    const end = scene.cluster.beginDeleting(managedKind, { name: 'db' });
    scene.external.gate = (method) => {
      if (method === 'delete') throw new Error('no route to cloud');
    };
    await scene.run();
    end();
    scene.external.gate = () => {};
    return scene;
  },
  Paused: () => settled({ managementPolicies: [] }),
  UnsupportedPolicies: () => settled({ managementPolicies: ['Create'] }),
  AwaitEarlierRun: async () => {
    const scene = new Scene();
    scene.external.creation = { operation: new Promise(() => {}) };
    await scene.run();
    return scene;
  },
  NothingCreated: () => settled({}, { deletionTimestamp, finalizers: ['example.com/other'] }),
  OrphanExternal: () => settled({ deletionPolicy: 'Orphan' }, leaving),
  CreationIncomplete: () => {
    const annotations = { 'crossplane.io/external-create-pending': '2026-01-02T03:00:00Z' };
    return new Scene({}, { annotations }, assigned);
  },
  Connect: () => failing('connect'),
  OtherSystem: async () => {
    const scene = new Scene();
    scene.external.system = 'https://a.example';
    await scene.run();
    scene.external.system = 'https://b.example';
    return scene;
  },
  Observe: () => failing('observe'),
  OperationUnderWay: () =>
    having(handedOver(), ({ external }) => {
      external.gate = notObserving;
    }),
  OperationDone: () =>
    having(handedOver({ state: 'done' }), ({ external }) => {
      external.gate = notObserving;
    }),
  OperationFailed: () => handedOver({ state: 'failed', error: new Error('quota exceeded') }),
  OperationUnknown: () =>
    having(handedOver({ state: 'unknown' }), ({ external }) => {
      external.gate = notObserving;
    }),
  AwaitOperation: () => handedOver(),
  CreationResultLost: () => {
    const annotations = { 'crossplane.io/external-create-pending': '2026-01-02T03:00:00Z' };
    return handedOver({ state: 'unknown' }, { annotations }, assigned);
  },
  AwaitCreation: () =>
    having(handedOver({ state: 'running' }, leaving), ({ external }) => external.put('db', { size: 1 })),
  ExternalMissing: () => new Scene({ managementPolicies: ['Observe'] }),
  AwaitExternal: () => {
    const annotations = { ...named, 'crossplane.io/external-create-succeeded': '2026-01-02T03:04:00Z' };
    return new Scene({}, { annotations }, assigned);
  },
  DeleteExternal: () => settled({}, leaving),
  DeletionDone: () => ended('delete', leaving),
  AwaitDeletion: () =>
    having(settled({}, leaving), ({ external }) => {
      external.observation = { operation: 'delete' };
    }),
  RemoveFinalizer: () => having(settled({}, leaving), ({ external }) => external.things.clear()),
  ConfirmGone: () =>
    having(settled({}, leaving, { confirmAbsenceMs: 5_000 }), ({ external }) => external.things.clear()),
  IdentityEdited: async () =>
    having(await lost(), ({ cluster }) =>
      cluster.edit<Managed>(managedKind, { name: 'db' }, ({ spec, ...rest }) => ({
        ...rest,
        spec: { ...spec, forProvider: { region: 'eu' } },
      })),
    ),
  CreateExternal: () => new Scene(),
  CreationRefused: () => having(new Scene(), ({ external }) => (external.uncreatable = 'there is no "db"')),
  AwaitOtherDeletion: async () => (await besideOneThatIsBeingDeleted()).scene,
  ConfirmAbsent: () => lost({ confirmAbsenceMs: 5_000 }),
  ExternalLost: () => lost(assigned),
  Recreate: () => lost(),
  LateInitialize: () =>
    having(settled(), ({ external }) => {
      external.observation = { isUpToDate: true, lateInitialized: { version: '8.0' } };
    }),
  UpToDate: () => settled(),
  ExternalBusy: () =>
    having(settled(), ({ external }) => {
      external.observation = { operation: 'update' };
    }),
  UpdateNotAllowed: () =>
    having(settled({ managementPolicies: ['Observe', 'Create', 'Delete'] }), ({ external }) =>
      external.put('db', { size: 2 }),
    ),
  CreateNotAllowed: () => new Scene({ managementPolicies: ['Observe', 'Delete'] }),
  Update: () => having(settled(), ({ external }) => external.put('db', { size: 2 })),
  UpdateDone: () => ended('update'),
  CredentialsSetElsewhere: () => {
    const status = { renewingSince: '2026-01-02T03:04:00.000Z' };
    const scene = new Scene({ forProvider: { size: 1 } }, { finalizers, annotations: named, status });
    return having(scene, ({ external }) => external.put('db', { size: 1 }, 'lost'));
  },
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
