import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import type { BindingPhase } from '../../../../apis/core/v1alpha1/binding.ts';
import type { ConditionFacts } from '../../../../apis/core/v1alpha1/condition.ts';
import {
  available,
  creating,
  deleting,
  reconcileError,
  reconcileSuccess,
  setConditions,
} from '../../../../apis/core/v1alpha1/condition.ts';
import type { ManagedSpec } from '../../../../apis/core/v1alpha1/managed.ts';
import { generatedPassword } from '../../../../controllers/credential.ts';
import type { Identity } from '../../../../controllers/external-identity.ts';
import type {
  Observation,
  OperationType,
} from '../../../../controllers/managed/connecting/external-client.ts';
import { decideManaged } from '../../../../controllers/managed/run/decide.ts';
import { decideFirst } from '../../../../controllers/managed/run/decide-first.ts';
import { decideObserved, isIdentityGone } from '../../../../controllers/managed/run/decide-observed.ts';
import {
  accessDecisions,
  firstDecisions,
  nextDecisions,
} from '../../../../controllers/managed/run/decision.ts';
import type { ObservedFacts, OperationFacts } from '../../../../controllers/managed/run/facts.ts';
import { isToFillIn } from '../../../../controllers/managed/run/steps.ts';
import {
  howToAllowUpdate,
  invalidPolicies,
  isPausedByPolicies,
  shouldCreate,
  shouldDelete,
  shouldLateInitialize,
  shouldOnlyObserve,
  shouldUpdate,
} from '../../../../controllers/management-policies.ts';
import { assertEveryDecision, decisionIn } from '../../every-decision.ts';
import { entryOf, kindFacts, observedFacts } from '../../managed-facts.ts';
import { secretKey } from '../../managed-scene.ts';
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
const allowing = (initials: string): ManagedSpec => ({ managementPolicies: policies(initials) });

const questions = [
  shouldCreate,
  shouldUpdate,
  shouldLateInitialize,
  shouldOnlyObserve,
  isPausedByPolicies,
  shouldDelete,
];
/** For each set the answers to the questions; deletion when the set decides it. */
const sets: Record<string, readonly boolean[]> = {
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
        const spec = allowing(order);
        assert.equal(invalidPolicies(spec), undefined);
        assert.deepEqual(
          questions.map((question) => question(spec)),
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
      const advice = howToAllowUpdate(allowing(initials));
      assert.equal(advice, `add ${advised.join(' and ')}`);
      assert.deepEqual([invalidPolicies(spec), shouldUpdate(spec)], [undefined, true]);
    });
  }
  const refused = allSets.filter((set) => !(set in sets));
  test('49 of the 64 sets are refused', () => assert.equal(refused.length, 49));
  for (const initials of refused) {
    test(`[${initials}] is refused and named`, () => {
      const message = invalidPolicies(allowing(initials));
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
  const deletionPolicies = [undefined, 'Delete', 'Orphan'] as const;
  const reclaimPolicies = [undefined, 'Delete', 'Retain'] as const;
  const given = [undefined, ...Object.keys(sets)].flatMap((set) =>
    deletionPolicies.flatMap((deletionPolicy) =>
      reclaimPolicies.map((reclaimPolicy) => ({ set, deletionPolicy, reclaimPolicy })),
    ),
  );
  for (const { set, deletionPolicy, reclaimPolicy } of given) {
    const byDefault = deletionPolicy ? deletionPolicy === 'Delete' : reclaimPolicy !== 'Retain';
    const wanted = set === undefined || set === '*' ? byDefault : set.includes('D');
    const name = `managementPolicies ${set ?? 'unset'}, deletionPolicy ${deletionPolicy ?? 'unset'}, reclaimPolicy ${reclaimPolicy ?? 'unset'}`;
    test(`${name}: ${wanted ? 'deleted' : 'kept'}`, () => {
      const policies = { ...(deletionPolicy && { deletionPolicy }), ...(reclaimPolicy && { reclaimPolicy }) };
      const spec = { ...(set !== undefined && allowing(set)), ...policies };
      assert.equal(shouldDelete(spec), wanted);
    });
  }
});

type Metadata = Parameters<typeof managed>[1];
const finalizers = ['finalizer.managedresource.crossplane.io'];
const leaving = { deletionTimestamp, finalizers };
const paused = { 'crossplane.io/paused': 'true' };
const pending = { 'crossplane.io/external-create-pending': '2026-01-02T03:04:05Z' };

type Row = () => { readonly decided: object | undefined; readonly message: string | undefined };
/** Each rule begins with the name of its decision, unless the run continues. */
function testDecisions(names: readonly string[], rows: Readonly<Record<string, Row>>): void {
  test('every decision has a case', () =>
    assertEveryDecision(
      names,
      Object.keys(rows).map((rule) => decisionIn(rule, names)),
    ));
  for (const [rule, decides] of Object.entries(rows)) {
    test(rule, () => {
      const { decided, message } = decides();
      const name = decisionIn(rule, names);
      assert.deepEqual(decided, name && { name, ...(message !== undefined && { message }) });
    });
  }
}

describe('the managed reconciler decides first', () => {
  type Given = Pick<OperationFacts, 'underWay'> & {
    readonly spec?: ManagedSpec;
    readonly metadata?: Metadata;
  };
  const first = ({ spec, metadata, underWay }: Given = {}, message?: string) => ({
    decided: decideFirst({ managed: managed(spec, metadata), operation: { underWay } }),
    message,
  });
  const namedOrders = { ...pending, 'crossplane.io/external-name': 'orders' };
  const byAnnotation = 'reconciliation is paused by the crossplane.io/paused annotation';
  const byPolicies = 'reconciliation is paused by empty spec.managementPolicies';
  const waits = '; deletion waits until it resumes';
  const creation = { type: 'create', name: 'op-1', startedAt: '2026-01-02T03:00:00Z' } as const;
  const rows: Record<string, Row> = {
    'ResourceGone: without the finalizer nothing was created, so deletion needs nothing': () =>
      first({ metadata: { deletionTimestamp } }),
    'ResourceGone: also where policies are unsupported, or reconciliation is paused': () =>
      first({ spec: allowing('C'), metadata: { annotations: paused, deletionTimestamp } }),
    'Paused: ReconciliationPausedSuccessful': () =>
      first({ metadata: { annotations: paused } }, byAnnotation),
    'Paused: ManagementPolicyReconciliationPausedSuccessful': () => first({ spec: allowing('') }, byPolicies),
    'Paused: a deletion waits while paused, and the condition reports it': () =>
      first({ metadata: { ...leaving, annotations: paused } }, byAnnotation + waits),
    'Paused: empty policies: a deletion waits, and the condition reports it': () =>
      first({ spec: allowing(''), metadata: leaving }, byPolicies + waits),
    'a run continues: ReconciliationResumes: only exactly "true" pauses': () =>
      first({ metadata: { annotations: { 'crossplane.io/paused': 'false' } } }),
    'UnsupportedPolicies: ManagementPolicyNotSupported': () =>
      first(
        { spec: allowing('C') },
        'spec.managementPolicies has an unsupported value: [Create]; use ["*"] alone. Or use Observe and Create, with any others. Or use Observe without Create: alone, or with Delete, Update, LateInitialize, or both of Update and LateInitialize',
      ),
    'UnsupportedPolicies: a definition without the field admits any onLoss': () =>
      first(
        { spec: { onLoss: 'report' } as object },
        'spec.onLoss has an unsupported value: "report". Recreate and Report are supported',
      ),
    'a run continues: an unsupported onLoss does not prevent a deletion': () =>
      first({ spec: { onLoss: 'report' } as object, metadata: leaving }),
    'OrphanExternal: DeleteSuccessfulDeletionPolicyOrphan: no provider is needed to orphan': () =>
      first({ spec: { deletionPolicy: 'Orphan' }, metadata: leaving }),
    'OrphanExternal: reclaim policy Retain keeps the external resource': () =>
      first({ spec: { reclaimPolicy: 'Retain' }, metadata: leaving }),
    'CreationIncomplete: ExternalCreatePending waits for an administrator': () =>
      first({ metadata: { annotations: pending } }, undetermined),
    'CreationIncomplete: a recorded name is not overwritten': () =>
      first({ metadata: { annotations: namedOrders } }, undeterminedNamed('orders')),
    'CreationIncomplete: an incomplete creation blocks deletion too': () =>
      first({ metadata: { annotations: pending, deletionTimestamp, finalizers } }, undetermined),
    'a run continues to poll an operation, whatever the annotations have': () =>
      first({ metadata: { annotations: pending }, underWay: creation }),
    'OrphanExternal: policies that keep the external resource do not wait for an operation': () =>
      first({ spec: { deletionPolicy: 'Orphan' }, metadata: leaving, underWay: creation }),
    'a run continues to delete the external resource': () => first({ metadata: leaving }),
    'a run continues without an objection': () => first(),
  };
  testDecisions(firstDecisions, rows);
});

describe('the managed reconciler decides whether its provider leads to the same system', () => {
  const recorded = { name: 'db', system: 'https://a.example', fields: {} };
  const same = recorded.system;
  const unreported = { name: 'db', fields: {} };
  const rows: Record<string, [Identity | undefined, string | undefined]> = {
    'a run continues if no system is recorded yet': [undefined, same],
    'a run continues in the same system': [recorded, same],
    'a run continues in a system that does not report its identity': [recorded, undefined],
    'a run continues if the recorded system did not report its identity': [unreported, same],
  };
  function decides(identity: Identity | undefined, system: string | undefined) {
    const status = identity && { externalIdentity: JSON.stringify(identity) };
    const { access, ...facts } = observedFacts(managed({}, status && { status }), absent);
    return decideManaged({ ...facts, access: { ...access!, system } });
  }
  const absent = { exists: false, isUpToDate: false };
  for (const [title, given] of Object.entries(rows))
    test(title, () => assert.notEqual(decides(...given).name, 'OtherSystem'));
  test('OtherSystem: a provider that leads to another system stops the run', () => {
    const message =
      'the provider connects to https://b.example, but external resource "db" is in https://a.example; correct the provider. If both are the same system, set the annotation crossplane.io/adopt-identity to true';
    assert.deepEqual(decides(recorded, 'https://b.example'), {
      name: 'OtherSystem',
      message,
      call: undefined,
    });
    assert.deepEqual(accessDecisions, ['OtherSystem']);
  });
});

describe('the managed reconciler decides by the observation', () => {
  const absent: Observation = { exists: false, isUpToDate: false };
  const same: Observation = { exists: true, isUpToDate: true };
  const drifted: Observation = { exists: true, isUpToDate: false };
  const changing: Observation = { ...same, operation: 'update' };
  const filled = { lateInitialized: { version: '1' } };
  const incomplete: Observation = { ...same, ...filled };
  const refused: Observation = { ...absent, uncreatable: 'there is no "db"' };
  const onlyObserved: ManagedSpec = allowing('O');
  const withoutCreate: ManagedSpec = allowing('OU');
  const withoutUpdate: ManagedSpec = allowing('OCD');
  const named = { 'crossplane.io/external-name': 'db' };
  const created = { ...named, 'crossplane.io/external-create-succeeded': '2026-01-01T00:00:00Z' };
  const begun = { ...named, 'crossplane.io/external-identity': '{"fields":{}}' };
  const wasRefused = { ...begun, 'crossplane.io/external-creation': 'u1/refused/1' };
  const createFailed = { ...named, 'crossplane.io/external-create-failed': '2026-01-02T03:00:00Z' };
  const replaceable = { ...named, 'crossplane.io/adopt-identity': 'or-create' };
  const edited = { ...named, 'crossplane.io/external-identity': '{}' };
  const moved = { ...named, 'crossplane.io/adopt-identity': 'true' };
  const observed = { externalIdentity: '{}' };
  const inPhase = (bindingPhase: BindingPhase): Metadata => ({ status: { bindingPhase } });
  const wasReady: Metadata = { annotations: named, ...inPhase('Unbound') };
  const wasBound: Metadata = { annotations: named, ...inPhase('Bound') };
  const claimed = { claimRef: claimRef() };
  const provisioned = { ...claimed, classRef: classRef('small') };
  const uncreatable = 'spec.initProvider.networkRef is not resolved';
  const waitsForCreate = deleting('waiting for its create to end');
  const conditioned = (...facts: readonly ConditionFacts[]): Metadata => ({
    status: { conditions: setConditions([], facts, { now }) },
  });
  const leavingAs = (...facts: readonly ConditionFacts[]) => ({ ...leaving, ...conditioned(...facts) });
  interface Given {
    readonly spec?: ManagedSpec;
    readonly metadata?: Metadata;
    readonly observed?: Observation;
    readonly absentForMs?: number;
    readonly isNameKnown?: boolean;
    readonly isEdited?: boolean;
    readonly isCredentialDue?: boolean;
    readonly uncreatable?: string;
    readonly underWay?: OperationType;
    readonly ended?: OperationType;
  }
  const secretDetails = { credential: generatedPassword };
  /** A Secret with a password that is not set in the external system. */
  const place = { entry: entryOf({ details: { password: 'secret' }, note: { key: 'a2V5' } }) };
  /** Default: a resource that was not created lately, and that 60 s of observations did not find. */
  function factsFor({ spec, metadata, ...given }: Given = {}): ObservedFacts {
    const { observed = absent, absentForMs = 60_000, isNameKnown = false, uncreatable, ended } = given;
    const kind = {
      ...kindFacts,
      identity: { ...kindFacts.identity, isAssigned: !isNameKnown },
      creationGraceMs: 30_000,
      uncreatable: () => uncreatable,
    };
    const underWay = given.underWay && {
      type: given.underWay,
      name: 'op-1',
      startedAt: '2026-01-02T03:00:00Z',
    };
    const renamed = { ...named, 'crossplane.io/external-identity': '{"name":"former","fields":{}}' };
    const annotations = { ...metadata?.annotations, ...(given.isEdited && renamed) };
    const publishing = given.isCredentialDue && { writeConnectionSecretToRef: secretKey };
    const object = managed({ ...publishing, ...spec }, { ...metadata, annotations });
    return observedFacts(object, observed, {
      absentForMs,
      kind: given.isCredentialDue ? { ...kind, secretDetails } : kind,
      ...(given.isCredentialDue && { place }),
      operation: { underWay, ...(ended && { ended }) },
    });
  }
  const reportsLoss = { spec: { onLoss: 'Report' }, isNameKnown: true, absentForMs: 5_000 } as const;
  const noted = '2026-01-02T03:00:00Z';
  const taken = 'role "db" is of another resource';
  const takenName = { exists: false, isUpToDate: false, taken } as const;
  const takenElsewhere = { ...takenName, renamed: taken } as const;
  const elsewhere = { exists: false, isUpToDate: false, renamed: 'database "old" has the mark' } as const;
  function next(given?: Given, wanted?: string) {
    const { name, message = undefined, failure } = decideObserved(factsFor(given));
    const text = message ?? failure?.message;
    return { decided: { name, ...(text !== undefined && { message: text }) }, message: wanted };
  }
  const rows: Record<string, Row> = {
    'AwaitOperation: a resource in an operation that does not show yet is not created twice': () =>
      next({ underWay: 'create' }),
    'AwaitOperation: a deleted resource waits for its operation too': () =>
      next({ metadata: leaving, underWay: 'create' }),
    'AwaitOperation: a deletion that runs may still fail': () =>
      next({ metadata: leaving, underWay: 'delete' }),
    'CreationIncomplete: a resource may exist if the result of its creation is unknown': () =>
      next({ metadata: { annotations: pending } }, undetermined),
    'CreationIncomplete: a deleted resource with an unknown creation waits too': () =>
      next({ metadata: { ...leaving, annotations: pending } }, undetermined),
    'AwaitOperation: a resource cannot be deleted during its creation': () =>
      next({ metadata: leaving, observed: same, underWay: 'create' }),
    'DeleteExternal: an update that runs does not prevent the deletion': () =>
      next({ metadata: leaving, observed: same, underWay: 'update' }),
    'AwaitDeletion: a resource whose deletion runs is awaited, whatever it reports': () =>
      next({ metadata: leaving, observed: changing, underWay: 'delete' }),
    'NoUpdate: a resource is not updated during an operation': () =>
      next({ observed: drifted, underWay: 'update' }),
    'Recreate: a named resource whose creation failed is created again': () =>
      next({ metadata: { annotations: createFailed, status: observed }, absentForMs: 5_000 }),
    'ExternalMissing: ObserveOnlyResourceDoesNotExist': () => next({ spec: onlyObserved, absentForMs: 0 }),
    'ConfirmAbsence: one observation does not prove that an observed-only resource is gone': () =>
      next({ spec: onlyObserved, metadata: wasReady, absentForMs: 4_999 }),
    'ExternalMissing: an observed-only resource is gone': () =>
      next({ spec: onlyObserved, metadata: wasReady, absentForMs: 5_000 }),
    'AwaitExternal: CreationGracePeriod': () =>
      next({ metadata: { annotations: created }, absentForMs: 29_999 }),
    'AwaitExternal: a new resource is awaited during deletion too': () =>
      next({ metadata: { ...leaving, annotations: created }, absentForMs: 29_999 }),
    'ExternalLost: a created resource with an assigned name that does not show for the grace period is lost':
      () => next({ metadata: { annotations: created }, absentForMs: 30_000 }),
    'CreateExternal: a resource that a user named was not created by us, and is not hidden': () =>
      next({ metadata: { annotations: named }, absentForMs: 0 }),
    'CreateExternal: a resource with a deterministic name that was never seen is created at once': () =>
      next({ metadata: { annotations: created }, isNameKnown: true, absentForMs: 0 }),
    'CreateExternal: a resource whose name was removed is created at once': () =>
      next({ metadata: { annotations: omit(created, 'crossplane.io/external-name') }, absentForMs: 0 }),
    'ConfirmAbsence: a resource that was seen after its creation is not hidden any more': () =>
      next({ metadata: { annotations: created, status: observed }, absentForMs: 0 }),
    'DeleteExternal: ExternalDeleteSuccessful': () => next({ metadata: leaving, observed: same }),
    'RemoveFinalizer: DeleteSuccessfulDeletionPolicyDelete': () => next({ metadata: leaving }),
    'IdentityEdited: the recorded resource is absent, and the spec names another': () =>
      next({ metadata: { status: observed }, isEdited: true }),
    'IdentityEdited: the edit is reported although policies do not allow Create': () =>
      next({ spec: withoutCreate, isEdited: true }),
    'ConfirmAbsence: one observation is not enough to apply an edit, even of a resource that was never seen':
      () => next({ isEdited: true, absentForMs: 0 }),
    'RemoveFinalizer: an edit does not prevent the deletion of an absent resource': () =>
      next({ metadata: leaving, isEdited: true }),
    'ConfirmAbsence: a resource that was seen and never ready needs confirmation': () =>
      next({ metadata: { status: observed }, absentForMs: 0 }),
    'ConfirmAbsence: one observation does not prove the absence of a resource whose deletion was not requested':
      () => next({ metadata: leaving, absentForMs: 0 }),
    'ConfirmAbsence: observations for less than 5 s prove nothing': () =>
      next({ metadata: leaving, absentForMs: 4_999 }),
    'RemoveFinalizer: observations for 5 s prove the absence': () =>
      next({ metadata: leaving, absentForMs: 5_000 }),
    'RemoveFinalizer: one observation is enough after the external system accepted the deletion': () =>
      next({ metadata: { ...leaving, status: { deletionAccepted: true } }, absentForMs: 0 }),
    'ConfirmAbsence: an earlier version recorded no accepted deletion': () =>
      next({ metadata: leavingAs(deleting(), reconcileSuccess()), absentForMs: 0 }),
    'ConfirmAbsence: a refused deletion needs confirmation': () =>
      next({ metadata: leavingAs(deleting(), reconcileError('delete failed')), absentForMs: 0 }),
    'ConfirmAbsence: a resource that was ready when it was deleted needs confirmation': () =>
      next({ metadata: leavingAs(available(), reconcileSuccess()), absentForMs: 0 }),
    'ConfirmAbsence: a deletion that waits for another operation needs confirmation': () =>
      next({ metadata: leavingAs(waitsForCreate, reconcileSuccess()), absentForMs: 0 }),
    'CreateExternal: a resource that was never ready is created at once': () =>
      next({ metadata: { annotations: named, ...conditioned(creating()) }, absentForMs: 0 }),
    'CreateExternal: a resource with an edited identity that was never seen is created at once': () =>
      next({
        metadata: { annotations: edited, ...inPhase('Unbound') },
        isNameKnown: true,
        absentForMs: 0,
      }),
    'CreationRefused: the external client refuses the creation': () =>
      next({ metadata: { annotations: named }, observed: refused }, 'there is no "db"'),
    'CreationRefused: an unresolved reference that only a creation needs is reported first': () =>
      next({ metadata: { annotations: named }, observed: refused, uncreatable }, uncreatable),
    'RemoveFinalizer: a resource that cannot be created is deleted all the same': () =>
      next({ metadata: { ...leaving, annotations: named }, observed: refused, absentForMs: 5_000 }),
    'ConfirmAbsence: one observation does not prove the absence of a resource that was ready': () =>
      next({ metadata: wasBound, isNameKnown: true, absentForMs: 0 }),
    'Recreate: observations for 5 s prove the absence': () =>
      next({ metadata: wasReady, isNameKnown: true, absentForMs: 5_000 }),
    'ExternalLost: an absent resource with an assigned name is not created again': () =>
      next({ metadata: wasReady, absentForMs: 5_000 }),
    'ExternalLost: a resource that an administrator moved is not created again, even if its status was not restored':
      () => next({ metadata: { annotations: moved }, isNameKnown: true, absentForMs: 5_000 }),
    'ConfirmAbsence: one observation does not prove that a moved resource is missing': () =>
      next({ metadata: { annotations: moved }, isNameKnown: true, absentForMs: 4_999 }),
    'Recreate: an administrator may allow that an empty resource replaces a moved one': () =>
      next({
        metadata: { annotations: replaceable, status: observed },
        isNameKnown: true,
        absentForMs: 5_000,
      }),
    'ExternalLost: a lost resource with onLoss: Report is not created again': () =>
      next({ ...reportsLoss, metadata: wasReady }),
    'ExternalLost: a noted loss is not created again, even if the status was not restored': () =>
      next({ ...reportsLoss, metadata: { annotations: { 'crossplane.io/external-lost': noted } } }),
    'ConfirmAbsence: one observation does not prove a loss': () =>
      next({ ...reportsLoss, metadata: wasReady, absentForMs: 0 }),
    'Recreate: an administrator may allow an empty resource instead of a lost one': () =>
      next({
        ...reportsLoss,
        metadata: {
          annotations: {
            'crossplane.io/external-lost': noted,
            'crossplane.io/adopt-identity': 'or-create',
          },
        },
      }),
    'CreateExternal: onLoss: Report does not prevent the first creation': () =>
      next({ spec: { onLoss: 'Report' }, isNameKnown: true, absentForMs: 0 }),
    'Recreate: a resource whose creation failed was never lost': () =>
      next({ ...reportsLoss, metadata: { annotations: createFailed, status: observed } }),
    'ExternalRenamed: a renamed resource gets no second one beside it': () =>
      next({ metadata: wasReady, isNameKnown: true, observed: elsewhere, absentForMs: 0 }, elsewhere.renamed),
    'ExternalLost: a lost resource whose name another one has is not created again': () =>
      next({ metadata: wasReady, isNameKnown: true, observed: takenName, absentForMs: 0 }),
    'ExternalRenamed: no annotation creates one under the name of another resource': () =>
      next(
        {
          metadata: { annotations: { 'crossplane.io/adopt-identity': 'or-create' } },
          isNameKnown: true,
          observed: takenElsewhere,
        },
        taken,
      ),
    'IdentityEdited: an edit may name another resource than the one whose name is taken': () =>
      next({ metadata: wasReady, isNameKnown: true, observed: takenName, isEdited: true }),
    'IdentityEdited: an edit may name the renamed resource': () =>
      next({
        metadata: wasReady,
        isNameKnown: true,
        observed: { ...elsewhere, newName: 'db' },
        isEdited: true,
      }),
    'ExternalRenamed: no edit that names another one is followed while the resource is renamed': () =>
      next(
        { metadata: wasReady, isNameKnown: true, observed: { ...elsewhere, newName: 'old' }, isEdited: true },
        `cannot change annotation crossplane.io/external-name from "former" to "db": the external resource keeps the value of its creation; undo the edit, or create a new resource; ${elsewhere.renamed}`,
      ),
    'RemoveFinalizer: a renamed resource does not prevent a deletion': () =>
      next({ metadata: leaving, observed: elsewhere, absentForMs: 5_000 }),
    'Recreate: an absent resource is created again after a user removed the assigned name': () =>
      next({ metadata: inPhase('Unbound'), absentForMs: 5_000 }),
    'CreateNotAllowed: a resource that was ready is not created if policies do not allow Create': () =>
      next({ spec: withoutCreate, metadata: wasBound, absentForMs: 0 }),
    'CreateExternal: ManagementPolicyAllCreateSuccessful': () => next(),
    'CreateExternal: ManagementPolicyCreateCreateSuccessful: {O,C}': () => next({ spec: allowing('OC') }),
    'CreateNotAllowed: {O,D} and absent: reported, not created': () => next({ spec: allowing('OD') }),
    'AwaitExternal: a resource with a known name that may still appear is awaited when it is deleted': () =>
      next({ metadata: { ...leaving, annotations: begun }, isNameKnown: true, absentForMs: 29_999 }),
    'RemoveFinalizer: a resource with a known name that did not appear in the grace period is absent': () =>
      next({ metadata: { ...leaving, annotations: begun }, isNameKnown: true, absentForMs: 30_000 }),
    'RemoveFinalizer: a resource whose creation was refused cannot appear': () =>
      next({ metadata: { ...leaving, annotations: wasRefused }, isNameKnown: true, absentForMs: 5_000 }),
    'RemoveFinalizer: a resource that was never created cannot appear': () =>
      next({ metadata: leaving, isNameKnown: true, absentForMs: 5_000 }),
    'RemoveFinalizer: a resource that was found after its creation is not hidden any more': () =>
      next({
        metadata: { ...leaving, annotations: begun, status: observed },
        isNameKnown: true,
        absentForMs: 5_000,
      }),
    'RemoveFinalizer: an observed-only resource is deleted without a message': () =>
      next({ spec: onlyObserved, metadata: leaving }),
    'AwaitDeletion: the external system is already deleting the resource': () =>
      next({ metadata: leaving, observed: { ...same, operation: 'delete' } }),
    'DeleteExternal: a resource is deleted during its update': () =>
      next({ metadata: leaving, observed: changing }),
    'NoUpdate: a resource that the external system is changing is not updated again': () =>
      next({ observed: { ...drifted, operation: 'update' } }),
    'NoUpdate: ExternalResourceUpToDate': () => next({ observed: same }),
    'NoUpdate: ObserveOnlySuccessfulObserve: drift is left alone': () =>
      next({ spec: onlyObserved, observed: drifted }),
    'NoUpdate: ManagementPolicyImmutable {O,L,C,D}': () =>
      next({ spec: allowing('OLCD'), observed: drifted }),
    'Update: ManagementPolicyAllUpdateSuccessful': () => next({ observed: drifted }),
    'Update: a resource that lacks the credential of its Secret is updated': () =>
      next({ observed: same, isCredentialDue: true }),
    'NoUpdate: {O,C,D}: a pending credential is not set': () =>
      next({ spec: withoutUpdate, observed: same, isCredentialDue: true }),
    'NoUpdate: a pending credential waits until the external system is done': () =>
      next({ observed: changing, isCredentialDue: true }),
    'AwaitEffect: a pending credential is not set a second time before the first shows': () =>
      next({ observed: same, isCredentialDue: true, ended: 'update' }),
    'CreateExternal: a pending credential is set by the creation': () => next({ isCredentialDue: true }),
    'DeleteExternal: a resource that is deleted needs no credential': () =>
      next({ metadata: leaving, observed: same, isCredentialDue: true }),
    'AwaitEffect: the result of an operation may not show yet': () =>
      next({ observed: drifted, ended: 'update' }),
    'NoUpdate: the result of an operation shows': () => next({ observed: same, ended: 'update' }),
    'Update: a resource is updated after the operation of its creation': () =>
      next({ observed: drifted, ended: 'create' }),
    'NoUpdate: {O,C,D}: a resource that must not be updated waits for no effect': () =>
      next({ spec: withoutUpdate, observed: drifted, ended: 'update' }),
    'AwaitDeletion: a resource that an operation deleted may still show': () =>
      next({ metadata: leaving, observed: same, ended: 'delete' }),
    'DeleteExternal: a resource is deleted after another operation': () =>
      next({ metadata: leaving, observed: same, ended: 'update' }),
    'Update: ManagementPolicyUpdateUpdateSuccessful: {O,C,U}': () =>
      next({ spec: allowing('OCU'), observed: drifted }),
  };
  testDecisions(nextDecisions, rows);

  const filling: Record<string, [isToFillIn: boolean, Given]> = {
    'are filled in, also of a resource that differs': [true, { observed: { ...drifted, ...filled } }],
    'are filled in with {O,L}': [true, { spec: allowing('OL') }],
    'of a provisioned resource are filled in once it is Bound': [
      true,
      { spec: provisioned, metadata: inPhase('Bound') },
    ],
    'of a Released resource are filled in while claimRef stays': [
      true,
      { spec: claimed, metadata: inPhase('Released') },
    ],
    'are not filled in while a claim waits for the resource': [
      false,
      { spec: claimed, metadata: inPhase('Unbound') },
    ],
    'are not filled in if the resource is only observed: {O}': [false, { spec: onlyObserved }],
    'are not filled in: ManagementPolicySkipLateInitialize {O,U,C,D}': [false, { spec: allowing('OUCD') }],
    'are not filled in if the resource is being deleted': [false, { metadata: leaving }],
  };
  for (const [title, [want, given]] of Object.entries(filling))
    test(`values that the external system chose ${title}`, () =>
      assert.equal(isToFillIn(factsFor({ observed: incomplete, ...given })), want));

  test('the identity is gone after enough observations of a resource that cannot be hidden', () => {
    const isGone = (given: Given): boolean => {
      const facts = factsFor({ spec: withoutCreate, ...given });
      return isIdentityGone(facts, decideObserved(facts).name);
    };
    const mayExist: readonly Given[] = [
      { observed: same },
      { underWay: 'create' },
      { metadata: { annotations: pending } },
      { metadata: { annotations: created }, absentForMs: 29_999 },
      { absentForMs: 4_999 },
      { observed: takenName },
      { observed: elsewhere },
      { spec: { ...withoutCreate, onLoss: 'Report' }, isNameKnown: true },
    ];
    assert.ok(isGone({ absentForMs: 5_000 }));
    assert.deepEqual(mayExist.map(isGone), Array(8).fill(false));
  });
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
