import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import type { ConditionFacts } from '../../../../../apis/core/v1alpha1/condition.ts';
import {
  available,
  creating,
  deleting,
  reconcileError,
  reconcileSuccess,
  setConditions,
} from '../../../../../apis/core/v1alpha1/condition.ts';
import type { ExternalOperation, ManagedSpec } from '../../../../../apis/core/v1alpha1/managed.ts';
import type { Identity } from '../../../../../controllers/core/external-identity.ts';
import type {
  Observation,
  OperationType,
} from '../../../../../controllers/core/managed/connecting/external-client.ts';
import type { AccessDecision } from '../../../../../controllers/core/managed/run/decide.ts';
import {
  accessDecisions,
  decideAccess,
  decideFirst,
  decideNext,
  firstDecisions,
  nextDecisions,
} from '../../../../../controllers/core/managed/run/decide.ts';
import {
  howToAllowUpdate,
  invalidPolicies,
  isPausedByPolicies,
  shouldCreate,
  shouldDelete,
  shouldLateInitialize,
  shouldOnlyObserve,
  shouldUpdate,
} from '../../../../../controllers/core/management-policies.ts';
import { assertEveryDecision, decisionIn } from '../../every-decision.ts';
import {
  claimRef,
  classRef,
  deletionTimestamp,
  managed,
  now,
  undetermined,
  undeterminedNamed,
} from '../../objects.ts';

type Policies = NonNullable<ManagedSpec['managementPolicies']>;
const actions = {
  O: 'Observe',
  C: 'Create',
  U: 'Update',
  D: 'Delete',
  L: 'LateInitialize',
  '*': '*',
} as const;
const policies = (initials: string): Policies =>
  [...initials].map((initial) => actions[initial as keyof typeof actions]);

// set: create, update, late-initialise, only observe, paused; deletion when the set decides it
const sets: Record<string, readonly [boolean, boolean, boolean, boolean, boolean, boolean]> = {
  '*': [true, true, true, false, false, true],
  OCUDL: [true, true, true, false, false, true],
  OCUD: [true, true, false, false, false, true],
  OCUL: [true, true, true, false, false, false],
  OCU: [true, true, false, false, false, false],
  OCDL: [true, false, true, false, false, true],
  OCD: [true, false, false, false, false, true],
  OCL: [true, false, true, false, false, false],
  OC: [true, false, false, false, false, false],
  OD: [false, false, false, false, false, true],
  O: [false, false, false, true, false, false],
  OU: [false, true, false, false, false, false],
  OL: [false, false, true, false, false, false],
  OUL: [false, true, true, false, false, false],
  '': [false, false, false, false, true, false],
};

/** Every set of actions, as initials. */
const allSets = Array.from({ length: 64 }, (_, bits) =>
  [...'*OCUDL'].filter((_initial, index) => bits & (1 << index)).join(''),
);

describe('management policies', () => {
  for (const [initials, wanted] of Object.entries(sets)) {
    test(`[${initials}] is supported`, () => {
      for (const order of [initials, [...initials].toReversed().join(''), initials + initials]) {
        const spec = { managementPolicies: policies(order) };
        assert.equal(invalidPolicies(spec), undefined);
        assert.deepEqual(
          [
            shouldCreate(spec),
            shouldUpdate(spec),
            shouldLateInitialize(spec),
            shouldOnlyObserve(spec),
            isPausedByPolicies(spec),
            shouldDelete(spec),
          ],
          wanted,
        );
      }
    });
  }
  const withoutUpdate = Object.keys(sets).filter((set) => set !== '' && !/[U*]/.test(set));
  for (const initials of withoutUpdate) {
    test(`[${initials}] is supported, and allows Update, once what is advised is added`, () => {
      const advised = initials === 'OD' ? ['Create', 'Update'] : ['Update'];
      const spec = { managementPolicies: [...policies(initials), ...advised] as Policies };
      assert.equal(
        howToAllowUpdate({ managementPolicies: policies(initials) }),
        `add ${advised.join(' and ')}`,
      );
      assert.deepEqual([invalidPolicies(spec), shouldUpdate(spec)], [undefined, true]);
    });
  }
  const refused = allSets.filter((set) => !(set in sets));
  test('49 of the 64 sets are refused', () => assert.equal(refused.length, 49));
  for (const initials of refused) {
    test(`[${initials}] is refused and named`, () => {
      const message = invalidPolicies({ managementPolicies: policies(initials) });
      const given = policies(initials).toSorted().join(', ');
      assert.ok(message?.startsWith(`spec.managementPolicies has an unsupported value: [${given}]`));
    });
  }
  test('an unknown policy action is refused, whatever its initial', () => {
    const unknown = ['Orphan'] as unknown as Policies;
    assert.match(invalidPolicies({ managementPolicies: unknown }) ?? '', /\[Orphan\]/);
  });
  test('absent policies are the default', () => {
    assert.equal(invalidPolicies({}), undefined);
    assert.ok(shouldCreate({}) && shouldDelete({}));
  });
});

describe('the external resource is deleted or kept', () => {
  // Full cross product of the three policies; the first that speaks decides.
  const managementPolicies = [undefined, ...Object.keys(sets)];
  const deletionPolicies = [undefined, 'Delete', 'Orphan'] as const;
  const reclaimPolicies = [undefined, 'Delete', 'Retain'] as const;
  for (const set of managementPolicies) {
    for (const deletionPolicy of deletionPolicies) {
      for (const reclaimPolicy of reclaimPolicies) {
        const isDefault = set === undefined || set === '*';
        const wanted = isDefault
          ? {
              Delete: true,
              Orphan: false,
              unset: { Delete: true, Retain: false, unset: true }[reclaimPolicy ?? 'unset'],
            }[deletionPolicy ?? 'unset']
          : set.includes('D');
        const name = `managementPolicies ${set ?? 'unset'}, deletionPolicy ${deletionPolicy ?? 'unset'}, reclaimPolicy ${reclaimPolicy ?? 'unset'}`;
        test(`${name}: ${wanted ? 'deleted' : 'kept'}`, () => {
          const spec: ManagedSpec = {
            ...(set === undefined ? {} : { managementPolicies: policies(set) }),
            ...(deletionPolicy === undefined ? {} : { deletionPolicy }),
            ...(reclaimPolicy === undefined ? {} : { reclaimPolicy }),
          };
          assert.equal(shouldDelete(spec), wanted);
        });
      }
    }
  }
});

type Metadata = Parameters<typeof managed>[1];
const finalizers = ['finalizer.managedresource.crossplane.io'];
const leaving = { deletionTimestamp, finalizers };
const paused = { 'crossplane.io/paused': 'true' };
const pending = { 'crossplane.io/external-create-pending': '2026-01-02T03:04:05Z' };

describe('the managed reconciler decides first', () => {
  const rows: Record<
    string,
    { spec?: ManagedSpec; metadata?: Metadata; underWay?: ExternalOperation; message?: string }
  > = {
    'ResourceGone: without the finalizer nothing was created, so deletion needs nothing': {
      metadata: { deletionTimestamp },
    },
    'ResourceGone: also where policies are unsupported, or reconciliation is paused': {
      spec: { managementPolicies: ['Create'] },
      metadata: { annotations: paused, deletionTimestamp },
    },
    'Paused: ReconciliationPausedSuccessful': {
      metadata: { annotations: paused },
      message: 'reconciliation is paused by the crossplane.io/paused annotation',
    },
    'Paused: ManagementPolicyReconciliationPausedSuccessful': {
      spec: { managementPolicies: [] },
      message: 'reconciliation is paused by empty spec.managementPolicies',
    },
    'Paused: a deletion waits while paused, and the condition reports it': {
      metadata: { ...leaving, annotations: paused },
      message:
        'reconciliation is paused by the crossplane.io/paused annotation; deletion waits until it resumes',
    },
    'Paused: empty policies: a deletion waits, and the condition reports it': {
      spec: { managementPolicies: [] },
      metadata: leaving,
      message: 'reconciliation is paused by empty spec.managementPolicies; deletion waits until it resumes',
    },
    'a run continues: ReconciliationResumes: only exactly "true" pauses': {
      metadata: { annotations: { 'crossplane.io/paused': 'false' } },
    },
    'UnsupportedPolicies: ManagementPolicyNotSupported': {
      spec: { managementPolicies: ['Create'] },
      message:
        'spec.managementPolicies has an unsupported value: [Create]; use ["*"] alone, or a supported set that includes Observe',
    },
    'OrphanExternal: DeleteSuccessfulDeletionPolicyOrphan: no provider is needed to orphan': {
      spec: { deletionPolicy: 'Orphan' },
      metadata: leaving,
    },
    'OrphanExternal: reclaim policy Retain keeps the external resource': {
      spec: { reclaimPolicy: 'Retain' },
      metadata: leaving,
    },
    'CreationIncomplete: ExternalCreatePending waits for an administrator': {
      metadata: { annotations: pending },
      message: undetermined,
    },
    'CreationIncomplete: a recorded name is not overwritten': {
      metadata: { annotations: { ...pending, 'crossplane.io/external-name': 'orders' } },
      message: undeterminedNamed('orders'),
    },
    'CreationIncomplete: an incomplete creation blocks deletion too': {
      metadata: { annotations: pending, deletionTimestamp, finalizers },
      message: undetermined,
    },
    'a run continues to poll an operation, whatever the annotations have': {
      metadata: { annotations: pending },
      underWay: { type: 'create', name: 'op-1', startedAt: '2026-01-02T03:00:00Z' },
    },
    'OrphanExternal: policies that keep the external resource do not wait for an operation': {
      spec: { deletionPolicy: 'Orphan' },
      metadata: leaving,
      underWay: { type: 'create', name: 'op-1', startedAt: '2026-01-02T03:00:00Z' },
    },
    'a run continues to delete the external resource': { metadata: leaving },
    'a run continues without an objection': {},
  };
  test('every decision has a case', () =>
    assertEveryDecision(
      firstDecisions,
      Object.keys(rows).map((title) => decisionIn(title, firstDecisions)),
    ));
  for (const [rule, { spec, metadata, underWay, ...decision }] of Object.entries(rows)) {
    test(rule, () => {
      const name = decisionIn(rule, firstDecisions);
      assert.deepEqual(
        decideFirst({ managed: managed(spec, metadata), underWay }),
        name && { name, ...decision },
      );
    });
  }
});

describe('the managed reconciler decides whether its provider leads to the same system', () => {
  const recorded = { name: 'db', system: 'https://a.example', fields: {} };
  const rows: Record<
    string,
    { recorded: Identity | undefined; system: string | undefined } & Partial<Pick<AccessDecision, 'message'>>
  > = {
    'a run continues if no system is recorded yet': { recorded: undefined, system: 'https://a.example' },
    'a run continues in the same system': { recorded, system: 'https://a.example' },
    'a run continues in a system that does not report its identity': { recorded, system: undefined },
    'a run continues if the recorded system did not report its identity': {
      recorded: { name: 'db', fields: {} },
      system: 'https://a.example',
    },
    'OtherSystem: a provider that leads to another system stops the run': {
      recorded,
      system: 'https://b.example',
      message:
        'the provider connects to https://b.example, but external resource "db" is in https://a.example; correct the provider. If both are the same system, set the annotation crossplane.io/adopt-identity to true',
    },
  };
  test('every decision has a case', () =>
    assertEveryDecision(
      accessDecisions,
      Object.keys(rows).map((title) => decisionIn(title, accessDecisions)),
    ));
  for (const [title, { recorded: before, system, ...decision }] of Object.entries(rows)) {
    const name = decisionIn(title, accessDecisions);
    test(title, () => assert.deepEqual(decideAccess(before, system), name && { name, ...decision }));
  }
});

describe('the managed reconciler decides next', () => {
  const absent: Observation = { exists: false, isUpToDate: false };
  const same: Observation = { exists: true, isUpToDate: true };
  const drifted: Observation = { exists: true, isUpToDate: false };
  const justCreated = { annotations: { 'crossplane.io/external-create-succeeded': '2026-01-02T03:04:00Z' } };
  const createdLongAgo = { 'crossplane.io/external-create-succeeded': '2026-01-01T00:00:00Z' };
  const named = { 'crossplane.io/external-name': 'db' };
  const conditioned = (...facts: readonly ConditionFacts[]) => ({
    conditions: setConditions([], facts, { now }),
  });
  const rows: Record<
    string,
    {
      /** Default: of one that was just created. */
      spec?: ManagedSpec;
      metadata?: Metadata;
      /** Default: absent. */
      observed?: Observation;
      isNameKnown?: boolean;
      isEdited?: boolean;
      isCredentialDue?: boolean;
      uncreatable?: string;
      message?: string;
      /** For how long looks have found nothing; 5 s are asked for. Absent: for long. */
      absentForMs?: number;
      underWay?: OperationType;
      ended?: OperationType;
    }
  > = {
    'AwaitOperation: a resource in an operation that does not show yet is not created twice': {
      underWay: 'create',
    },
    'AwaitOperation: a deleted resource waits for its operation too': {
      metadata: leaving,
      underWay: 'create',
    },
    'AwaitOperation: a deletion that runs may still fail': { metadata: leaving, underWay: 'delete' },
    'CreationIncomplete: a resource may exist if the result of its creation is unknown': {
      metadata: { annotations: pending },
      message: undetermined,
    },
    'CreationIncomplete: a deleted resource with an unknown creation waits too': {
      metadata: { ...leaving, annotations: pending },
      message: undetermined,
    },
    'AwaitOperation: a resource cannot be deleted during its creation': {
      metadata: leaving,
      observed: same,
      underWay: 'create',
    },
    'DeleteExternal: an update that runs does not prevent the deletion': {
      metadata: leaving,
      observed: same,
      underWay: 'update',
    },
    'AwaitDeletion: a resource whose deletion runs is awaited, whatever it reports': {
      metadata: leaving,
      observed: { ...same, operation: 'update' },
      underWay: 'delete',
    },
    'NoUpdate: a resource is not updated during an operation': { observed: drifted, underWay: 'update' },
    'Recreate: a named resource whose creation failed is created again': {
      metadata: {
        finalizers,
        annotations: { ...named, 'crossplane.io/external-create-failed': '2026-01-02T03:00:00Z' },
        status: { externalIdentity: '{}' },
      },
      absentForMs: 5_000,
    },
    'ExternalMissing: ObserveOnlyResourceDoesNotExist': { spec: { managementPolicies: ['Observe'] } },
    'AwaitExternal: CreationGracePeriod': { metadata: justCreated },
    'AwaitExternal: a new resource is awaited during deletion too': {
      metadata: { ...justCreated, ...leaving },
    },
    'AwaitExternal: observations for less than the grace period are no proof after the clock was set': {
      metadata: { annotations: { ...named, ...createdLongAgo } },
      absentForMs: 29_999,
    },
    'ExternalLost: a created resource with an assigned name that does not show for the grace period is lost':
      { metadata: { annotations: { ...named, ...createdLongAgo } }, absentForMs: 30_000 },
    'CreateExternal: a resource that a user named was not created by us, and is not hidden': {
      metadata: { annotations: named },
      absentForMs: 0,
    },
    'ConfirmAbsence: a resource that was seen after its creation is not hidden any more': {
      metadata: { annotations: { ...named, ...createdLongAgo }, status: { externalIdentity: '{}' } },
      absentForMs: 0,
    },
    'DeleteExternal: ExternalDeleteSuccessful': { metadata: leaving, observed: same },
    'RemoveFinalizer: DeleteSuccessfulDeletionPolicyDelete': { metadata: leaving },
    'IdentityEdited: the recorded resource is absent, and the spec names another': {
      metadata: { finalizers, status: { externalIdentity: '{}' } },
      isEdited: true,
    },
    'IdentityEdited: the edit is reported although policies do not allow Create': {
      spec: { managementPolicies: ['Observe', 'Update'] },
      metadata: { finalizers },
      isEdited: true,
    },
    'ConfirmAbsence: one observation is not enough to apply an edit, even of a resource that was never seen':
      { metadata: { finalizers }, isEdited: true, absentForMs: 0 },
    'RemoveFinalizer: an edit does not prevent the deletion of an absent resource': {
      metadata: leaving,
      isEdited: true,
    },
    'ConfirmAbsence: a resource that was seen and never ready needs confirmation': {
      metadata: { finalizers, status: { externalIdentity: '{}' } },
      absentForMs: 0,
    },
    'ConfirmAbsence: one observation does not prove the absence of a resource whose deletion was not requested':
      { metadata: leaving, absentForMs: 0 },
    'ConfirmAbsence: observations for less than 5 s prove nothing': { metadata: leaving, absentForMs: 4_999 },
    'RemoveFinalizer: observations for 5 s prove the absence': { metadata: leaving, absentForMs: 5_000 },
    'RemoveFinalizer: one observation is enough after the external system accepted the deletion': {
      metadata: { ...leaving, status: conditioned(deleting(), reconcileSuccess()) },
      absentForMs: 0,
    },
    'ConfirmAbsence: a refused deletion needs confirmation': {
      metadata: { ...leaving, status: conditioned(deleting(), reconcileError('delete failed')) },
      absentForMs: 0,
    },
    'ConfirmAbsence: a resource that was ready when it was deleted needs confirmation': {
      metadata: { ...leaving, status: conditioned(available(), reconcileSuccess()) },
      absentForMs: 0,
    },
    'ConfirmAbsence: a deletion that waits for another operation needs confirmation': {
      metadata: {
        ...leaving,
        status: conditioned(deleting('waiting for its create to end'), reconcileSuccess()),
      },
      absentForMs: 0,
    },
    'CreateExternal: a resource that was never ready is created at once': {
      metadata: { finalizers, annotations: named, status: conditioned(creating()) },
      absentForMs: 0,
    },
    'CreateExternal: a resource with an edited identity that was never seen is created at once': {
      metadata: {
        finalizers,
        annotations: { ...named, 'crossplane.io/external-identity': '{}' },
        status: { bindingPhase: 'Unbound' },
      },
      isNameKnown: true,
      absentForMs: 0,
    },
    'CreationRefused: the external client refuses the creation': {
      metadata: { finalizers, annotations: named },
      observed: { ...absent, uncreatable: 'there is no "db"' },
      message: 'there is no "db"',
    },
    'CreationRefused: an unresolved reference that only a creation needs is reported first': {
      metadata: { finalizers, annotations: named },
      observed: { ...absent, uncreatable: 'there is no "db"' },
      uncreatable: 'spec.initProvider.networkRef is not resolved',
      message: 'spec.initProvider.networkRef is not resolved',
    },
    'RemoveFinalizer: a resource that cannot be created is deleted all the same': {
      metadata: { ...leaving, annotations: named },
      observed: { ...absent, uncreatable: 'there is no "db"' },
      isNameKnown: false,
      absentForMs: 5_000,
    },
    'ConfirmAbsence: one observation does not prove the absence of a resource that was ready': {
      metadata: { finalizers, annotations: named, status: { bindingPhase: 'Bound' } },
      isNameKnown: true,
      absentForMs: 0,
    },
    'Recreate: observations for 5 s prove the absence': {
      metadata: { finalizers, annotations: named, status: { bindingPhase: 'Unbound' } },
      isNameKnown: true,
      absentForMs: 5_000,
    },
    'ExternalLost: an absent resource with an assigned name is not created again': {
      metadata: { finalizers, annotations: named, status: { bindingPhase: 'Unbound' } },
      absentForMs: 5_000,
    },
    'ExternalLost: a resource that an administrator moved is not created again, even if its status was not restored':
      {
        metadata: { annotations: { ...named, 'crossplane.io/adopt-identity': 'true' } },
        isNameKnown: true,
        absentForMs: 5_000,
      },
    'ConfirmAbsence: one observation does not prove that a moved resource is missing': {
      metadata: { annotations: { ...named, 'crossplane.io/adopt-identity': 'true' } },
      isNameKnown: true,
      absentForMs: 4_999,
    },
    'Recreate: an administrator may allow that an empty resource replaces a moved one': {
      metadata: {
        annotations: { ...named, 'crossplane.io/adopt-identity': 'or-create' },
        status: { externalIdentity: '{}' },
      },
      isNameKnown: true,
      absentForMs: 5_000,
    },
    'Recreate: an absent resource is created again after a user removed the assigned name': {
      metadata: { finalizers, status: { bindingPhase: 'Unbound' } },
      absentForMs: 5_000,
    },
    'CreateNotAllowed: a resource that was ready is not created if policies do not allow Create': {
      spec: { managementPolicies: ['Observe', 'Update'] },
      metadata: { finalizers, annotations: named, status: { bindingPhase: 'Bound' } },
      absentForMs: 0,
    },
    'CreateExternal: ManagementPolicyAllCreateSuccessful': {},
    'CreateExternal: ManagementPolicyCreateCreateSuccessful: {O,C}': {
      spec: { managementPolicies: ['Observe', 'Create'] },
    },
    'CreateNotAllowed: {O,D} and absent: reported, not created': {
      spec: { managementPolicies: ['Observe', 'Delete'] },
    },
    'AwaitExternal: a resource with a known name that may still appear is awaited when it is deleted': {
      metadata: { ...leaving, creationTimestamp: '2026-01-02T03:04:00Z' },
      isNameKnown: true,
    },
    'RemoveFinalizer: a resource with a known name that did not appear in the grace period is absent': {
      metadata: { ...leaving, creationTimestamp: '2026-01-02T03:03:00Z' },
      isNameKnown: true,
    },
    'RemoveFinalizer: an observed-only resource is deleted without a message': {
      spec: { managementPolicies: ['Observe'] },
      metadata: leaving,
    },
    'AwaitDeletion: the external system is already deleting the resource': {
      metadata: leaving,
      observed: { ...same, operation: 'delete' },
    },
    'DeleteExternal: a resource is deleted during its update': {
      metadata: leaving,
      observed: { ...same, operation: 'update' },
    },
    'NoUpdate: a resource that the external system is changing is not updated again': {
      observed: { ...drifted, operation: 'update' },
    },
    'LateInitialize: values are filled in before the update': {
      observed: { ...drifted, lateInitialized: { version: '1' } },
    },
    'LateInitialize: {O,L}': {
      spec: { managementPolicies: ['Observe', 'LateInitialize'] },
      observed: { ...drifted, lateInitialized: { version: '1' } },
    },
    'LateInitialize: values of a provisioned resource are filled in once it is Bound': {
      spec: { claimRef: claimRef(), classRef: classRef('small') },
      metadata: { status: { bindingPhase: 'Bound' } },
      observed: { ...same, lateInitialized: { version: '1' } },
    },
    'LateInitialize: values of a Released resource are filled in while claimRef stays': {
      spec: { claimRef: claimRef() },
      metadata: { status: { bindingPhase: 'Released' } },
      observed: { ...same, lateInitialized: { version: '1' } },
    },
    'NoUpdate: values are not filled in while a claim waits for the resource': {
      spec: { claimRef: claimRef() },
      metadata: { status: { bindingPhase: 'Unbound' } },
      observed: { ...same, lateInitialized: { version: '1' } },
    },
    'NoUpdate: {O}: a resource that is only observed is not changed': {
      spec: { managementPolicies: ['Observe'] },
      observed: { ...same, lateInitialized: { version: '1' } },
    },
    'NoUpdate: ManagementPolicySkipLateInitialize {O,U,C,D}': {
      spec: { managementPolicies: ['Observe', 'Update', 'Create', 'Delete'] },
      observed: { ...same, lateInitialized: { version: '1' } },
    },
    'NoUpdate: ExternalResourceUpToDate': { observed: same },
    'NoUpdate: ObserveOnlySuccessfulObserve: drift is left alone': {
      spec: { managementPolicies: ['Observe'] },
      observed: drifted,
    },
    'NoUpdate: ManagementPolicyImmutable {O,L,C,D}': {
      spec: { managementPolicies: ['Observe', 'LateInitialize', 'Create', 'Delete'] },
      observed: drifted,
    },
    'Update: ManagementPolicyAllUpdateSuccessful': { observed: drifted },
    'Update: a resource that lacks the credential of its Secret is updated': {
      observed: same,
      isCredentialDue: true,
    },
    'NoUpdate: {O,C,D}: a pending credential is not set': {
      spec: { managementPolicies: ['Observe', 'Create', 'Delete'] },
      observed: same,
      isCredentialDue: true,
    },
    'NoUpdate: a pending credential waits until the external system is done': {
      observed: { ...same, operation: 'update' },
      isCredentialDue: true,
    },
    'LateInitialize: a pending credential waits until the values are filled in': {
      observed: { ...same, lateInitialized: { version: '1' } },
      isCredentialDue: true,
    },
    'AwaitEffect: a pending credential is not set a second time before the first shows': {
      observed: same,
      isCredentialDue: true,
      ended: 'update',
    },
    'CreateExternal: a pending credential is set by the creation': { isCredentialDue: true },
    'DeleteExternal: a resource that is deleted needs no credential': {
      metadata: leaving,
      observed: same,
      isCredentialDue: true,
    },
    'AwaitEffect: the result of an operation may not show yet': { observed: drifted, ended: 'update' },
    'NoUpdate: the result of an operation shows': { observed: same, ended: 'update' },
    'Update: a resource is updated after the operation of its creation': {
      observed: drifted,
      ended: 'create',
    },
    'NoUpdate: {O,C,D}: a resource that must not be updated waits for no effect': {
      spec: { managementPolicies: ['Observe', 'Create', 'Delete'] },
      observed: drifted,
      ended: 'update',
    },
    'AwaitDeletion: a resource that an operation deleted may still show': {
      metadata: leaving,
      observed: same,
      ended: 'delete',
    },
    'DeleteExternal: a resource is deleted after another operation': {
      metadata: leaving,
      observed: same,
      ended: 'update',
    },
    'Update: ManagementPolicyUpdateUpdateSuccessful: {O,C,U}': {
      spec: { managementPolicies: ['Observe', 'Create', 'Update'] },
      observed: drifted,
    },
  };
  test('every decision has a case', () =>
    assertEveryDecision(
      nextDecisions,
      Object.keys(rows).map((title) => decisionIn(title, nextDecisions)),
    ));
  const typical = {
    graceMs: 30_000,
    confirmMs: 5_000,
    observed: absent,
    absentForMs: 60_000,
    now,
    isNameKnown: false,
    isEdited: false,
    isCredentialDue: false,
  };
  for (const [rule, { message, spec, metadata, ...given }] of Object.entries(rows)) {
    test(rule, () => {
      const name = decisionIn(rule, nextDecisions);
      const wanted = { name, ...(message !== undefined && { message }) };
      assert.deepEqual(decideNext({ ...typical, managed: managed(spec, metadata), ...given }), wanted);
    });
  }
});

test('the command for an unknown creation changes nothing until NAME is set', () => {
  const command = undetermined.slice(undetermined.indexOf('kubectl'));
  const pasted = (env: Record<string, string>): string =>
    spawnSync('sh', ['-c', `kubectl() { printf '%s|' "$@"; }; ${command}`], { env, encoding: 'utf8' }).stdout;
  assert.equal(pasted({}), '');
  assert.equal(
    pasted({ NAME: 'net 1' }),
    'annotate|favouritedbinstance.database.fcp.crossplane.io|db|--overwrite|crossplane.io/external-name=net 1|crossplane.io/external-create-pending-|',
  );
});
