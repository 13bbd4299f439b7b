import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../../apis/core/v1alpha1/class.ts';
import {
  reconcileError,
  reconcileSuccess,
  setConditions,
  unavailable,
} from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import type { ClaimNamespace } from '../../../../controllers/core/claim/may-claim.ts';
import { provisionedNames } from '../../../../controllers/core/claim/provisioned-name.ts';
import type { BindingDecision, BindingInput } from '../../../../controllers/core/claim-binding/decide.ts';
import {
  bindingRows,
  boundConditions,
  decideBinding,
  describeUnserved,
  troubleOf,
} from '../../../../controllers/core/claim-binding/decide.ts';
import type { ClaimService } from '../../../../controllers/core/claim-service.ts';
import { nameProblem } from '../../../../controllers/core/name-limits.ts';
import { assertEveryRow } from '../every-row.ts';
import {
  claim,
  claimRef,
  classRef,
  deletionTimestamp,
  managed,
  otherClassKind,
  otherManagedKind,
  otherService,
  resourceClass,
  resourceRef,
  service,
} from '../objects.ts';

const small = resourceClass('small');
const finalizers = ['finalizer.resourceclaim.crossplane.io'];
const deleted = { deletionTimestamp, finalizers };
const ownName = provisionedNames(claim())[0] ?? '';
const dynamic = { classRef: classRef('small'), resourceRef: resourceRef(ownName) };
const condition = (type: string, status: 'True' | 'False', reason: string, message?: string) => ({
  type,
  status,
  reason,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...(message === undefined ? {} : { message }),
});

const classKinds = [
  'ambivalentdbinstanceclasses.v1alpha1.database.ocp.crossplane.io',
  'favouritedbinstanceclasses.v1alpha3.database.fcp.crossplane.io',
];

const managedKinds = [
  'ambivalentdbinstances.v1alpha1.database.ocp.crossplane.io',
  'favouritedbinstances.v1alpha3.database.fcp.crossplane.io',
];

const unknownTo = (kind: string) => ({
  conditions: [{ ...condition('Ready', 'False', 'UnknownKind', 'in whatever words'), observedGeneration: 3 }],
  consideredKinds: [kind],
});

const namespaceSelector = { matchLabels: { stage: 'live' } };
const ofTest: ClaimNamespace = { name: 'team', labels: { stage: 'test' } };
const ofLive: ClaimNamespace = { name: 'team', labels: { stage: 'live' } };
const forLive = resourceClass('small', {}, { specTemplate: { namespaceSelector } });

const holding = managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Bound' } });
const provisioned = managed(
  { claimRef: claimRef(), classRef: classRef('small') },
  { name: ownName, status: { bindingPhase: 'Bound' } },
);

interface Case {
  readonly claim?: Claim | undefined;
  readonly managed?: Managed;
  readonly resourceClass?: Class;
  /** What names the claim, UID included, whatever the claim names. */
  readonly held?: Managed;
  readonly rightful?: Claim;
  readonly isDisputed?: true;
  readonly service?: ClaimService;
  readonly namespace?: ClaimNamespace;
  readonly row: string;
  readonly act: BindingDecision['act'];
  /** Of a report: the reason of Ready, which is False. */
  readonly ready?: string;
  /** Of a report; default True. */
  readonly synced?: 'False';
  /** Of a report; default Unbound. */
  readonly phase?: 'Released' | 'as before';
  /** Of a report: the reason of its Event. */
  readonly event?: string;
  /** Of a report whose Synced is True: somebody has to do something all the same. */
  readonly isWarning?: true;
  /** Of a report: what Ready, the Event and a failed Synced say alike. */
  readonly message?: RegExp;
  /** Of a report: what its managed resource is told besides. */
  readonly ofManaged?: RegExp;
  readonly notBeforeMs?: number;
  /** Of a report: the kinds that were looked at. */
  readonly considered?: readonly string[];
}

/** A resource from which somebody removed its claim. */
const takenAway = (
  annotations: Readonly<Record<string, string>>,
  bindingPhase: 'Unbound' | 'Bound' = 'Unbound',
): Case => ({
  claim: claim({ resourceRef: resourceRef('db') }),
  managed: managed({}, { annotations, status: { bindingPhase } }),
  row: 'K10 released',
  act: 'report',
  event: 'WaitingToBind',
  isWarning: true,
  ready: 'Binding',
  message:
    /^FavouriteDBInstance db was given to a claim, .*; an administrator can offer it to this claim: kubectl patch /,
});

/** A resource that was another claim's and is offered again. */
const onOffer = (
  rule: string,
  spec: object,
  bindingPhase: 'Unbound' | 'Bound' | 'Released',
): Record<string, Case> => ({
  [rule]: {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(spec, {
      annotations: { 'crossplane.io/reoffer': 'true', 'crossplane.io/claim-parameters': '{}' },
      status: { bindingPhase, boundUID: 'managed-uid', boundClaimUID: 'gone' },
    }),
    row: 'K10 offered',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message:
      /^waiting for FavouriteDBInstance db, which is offered again and is given new credentials first$/,
  },
});

const waitsForAdministrator =
  'it is offered again, and none can be set from here, or take the annotation crossplane.io/reoffer away';
const waitsForSomebody: Record<string, Case> = {
  'K10 offered: what its resource says that only somebody can do is said': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      {},
      {
        annotations: { 'crossplane.io/reoffer': 'true', 'crossplane.io/claim-parameters': '{}' },
        status: {
          bindingPhase: 'Released',
          conditions: setConditions([], [unavailable(waitsForAdministrator)], { now: new Date() }),
        },
      },
    ),
    row: 'K10 offered',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: new RegExp(`^waiting for FavouriteDBInstance db: ${waitsForAdministrator}$`),
  },
};

/** It is refused because nobody knows, or may say here, whose it is. */
const notOffered = {
  row: 'K10 taken',
  act: 'report',
  event: 'CannotBindManagedResource',
  ready: 'Binding',
  synced: 'False',
} as const;
const whoKnows =
  /^refusing to bind to FavouriteDBInstance db: it was given to a claim, which its spec\.claimRef does not name any more; an administrator who knows which one it was writes that there again$/;
/** Another claim that is there. */
const owner = claim({ resourceRef: resourceRef('db') }, { namespace: 'others', uid: 'others-uid' });
const keptByAnother = {
  ...notOffered,
  row: 'H1 kept',
  message: /^refusing to bind to FavouriteDBInstance db: it is FancySQLInstance others\/orders's$/,
} as const;

const { uid: _uid, ...byName } = claimRef();
/** A resource that cannot serve the claim. */
const wrong = (
  spec: Managed['spec'] = {},
  status: NonNullable<Managed['status']> = { bindingPhase: 'Unbound' },
): Managed => managed({ ...spec, forProvider: { engine: 'wrong' } }, { status });
const unfit: Case = {
  claim: claim({ resourceRef: resourceRef('db') }),
  row: 'K14 unfit',
  act: 'report',
  event: 'CannotBindManagedResource',
  ready: 'Binding',
  synced: 'False',
  message:
    /^refusing to bind to FavouriteDBInstance db: it has engine "wrong"; make another claim that names another resource$/,
};

/** What was made for a claim that asked for engine `a`, and has this one by now; and a stack that compares them. */
const madeForEngine = (engine: string): Pick<Case, 'service' | 'managed'> => ({
  service: {
    ...service,
    misfit: ({ spec }, offered) => {
      const [asked, has] = [spec, offered].map((each) => (each as { readonly engine?: string }).engine);
      return asked === has ? undefined : `has engine ${has}`;
    },
  },
  managed: {
    ...provisioned,
    metadata: {
      ...provisioned.metadata,
      annotations: { 'crossplane.io/claim-parameters': JSON.stringify({ engine: 'a' }) },
    },
    spec: { ...provisioned.spec, forProvider: { engine } },
    status: { bindingPhase: 'Unbound' },
  },
});

const noSuchClass = { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' };
const saidBefore = {
  bindingPhase: 'Bound',
  conditions: [{ ...condition('Ready', 'True', 'Available'), observedGeneration: 2 }],
} as const;
/** A deleted claim that nobody here can let go of. */
const stuck: Case = {
  service: otherService,
  row: 'H7 unknown',
  act: 'report',
  considered: classKinds,
  phase: 'as before',
  event: 'UnknownKind',
  ready: 'UnknownKind',
  synced: 'False',
  message:
    /^spec\.classRef names a NoSuchClass \(x\.io\/v1\), which no .*, so that nobody lets go of it; .* known: /,
  notBeforeMs: Date.parse(deletionTimestamp) + 2_000,
};

const cases: Record<string, Case> = {
  'K1 a claim that is gone needs nothing': { claim: undefined, row: 'K1', act: 'nothing' },
  'K2 ManagedNotFound: a static claim waits for its resource': {
    claim: claim({ resourceRef: resourceRef('db') }),
    row: 'K2',
    act: 'report',
    ready: 'Binding',
    event: 'ManagedResourceNotFound',
    message: /FavouriteDBInstance db, which does not exist/,
  },
  'K2 a bound claim whose resource vanished is Released, not provisioned again': {
    claim: claim(dynamic, { status: { bindingPhase: 'Bound' } }),
    resourceClass: small,
    row: 'K2 lost',
    act: 'report',
    event: 'ManagedResourceNotFound',
    ready: 'Binding',
    phase: 'Released',
    message:
      /no longer exists; for another make another claim, and delete this one once nobody needs its secret$/,
  },
  'K2 lost: nor one that names no resource any more, nor is named by one': {
    claim: claim({ classRef: classRef('small') }, { status: { bindingPhase: 'Released' } }),
    resourceClass: small,
    row: 'K2 lost',
    act: 'report',
    event: 'ManagedResourceNotFound',
    ready: 'Binding',
    phase: 'Released',
    message:
      /^was bound to a managed resource, and neither names the other any more; for another make another claim/,
  },
  'H2 a deleted claim that names nothing any more is finalised by the first service': {
    claim: claim({}, deleted),
    service: otherService,
    row: 'H2 unnamed',
    act: 'finalise',
  },
  'H7 and left alone by the others': { claim: claim({}, deleted), row: 'H7', act: 'nothing' },
  'H7 without our finalizer there is nothing to finalise': {
    claim: claim({}, { deletionTimestamp }),
    service: otherService,
    row: 'H7',
    act: 'nothing',
  },
  'K7 GetResourceClassError: a missing class is named, and its appearance wakes the claim': {
    claim: claim({ classRef: classRef('small') }),
    row: 'K7',
    act: 'report',
    ready: 'Creating',
    synced: 'False',
    event: 'CannotGetResourceClass',
    message: /FavouriteDBInstanceClass small does not exist/,
  },
  'H4 the name is recorded before anything is created': {
    claim: claim({ classRef: classRef('small') }),
    resourceClass: small,
    row: 'K9 record',
    act: 'record',
  },
  'H4 after a crash between record and create the recorded resource is created': {
    claim: claim(dynamic, { finalizers }),
    resourceClass: small,
    row: 'K9',
    act: 'create',
  },
  'H4 somebody took the finalizer away after the name was recorded: it is recorded again first': {
    claim: claim(dynamic),
    resourceClass: small,
    row: 'K9 record',
    act: 'record',
  },
  'H4 a name this claim did not derive is never created': {
    claim: claim({ ...dynamic, resourceRef: resourceRef('team-orders-aaaaa') }),
    resourceClass: small,
    row: 'K2',
    act: 'report',
    event: 'ManagedResourceNotFound',
    ready: 'Binding',
    message: /^waiting for FavouriteDBInstance team-orders-aaaaa, which does not exist$/,
  },
  'H4 a resource that took the recorded name meanwhile is not bound': {
    claim: claim(dynamic),
    managed: managed({}, { name: ownName, status: { bindingPhase: 'Unbound' } }),
    row: 'H4 taken',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /: what the claim makes names the claim in spec\.claimRef, and this does not$/,
  },
  'K10 ClassReferenceNotSet: a claim without any reference is for the schedulers': {
    claim: claim(),
    row: 'H7',
    act: 'nothing',
  },
  'K10 a static resource that is not ready yet': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { status: { bindingPhase: 'Unbindable' } }),
    row: 'K10',
    act: 'report',
    ready: 'Binding',
    event: 'WaitingToBind',
    message: /^waiting for FavouriteDBInstance db$/,
  },
  'K10 a released resource says how it is offered again': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { status: { bindingPhase: 'Released' } }),
    row: 'K10 released',
    act: 'report',
    event: 'WaitingToBind',
    isWarning: true,
    ready: 'Binding',
    message:
      /an administrator can offer it to this claim: kubectl patch favouritedbinstances\.database\.fcp\.crossplane\.io db --type=merge -p '{"metadata":{"annotations":{"crossplane\.io\/reoffer":"claim"}},"spec":{"claimRef":{.*"name":"orders","uid":null}}}'$/,
  },
  'K10 a resource that was taken away from another claim may be known to that': takenAway({
    'crossplane.io/reserved-for': 'other-uid/managed-uid',
    'crossplane.io/claim-parameters': '{}',
  }),
  'K10 so may one that was taken away from this claim before both came out of a backup': takenAway({
    'crossplane.io/reserved-for': 'claim-uid/before-restore',
    'crossplane.io/claim-parameters': '{}',
  }),
  'K10 so may one that was provisioned for another claim and taken away from it': takenAway({
    'crossplane.io/claim-parameters': '{}',
  }),
  'K10 taken: one that was Bound is nobody’s, and who had it is told how to have it back': {
    claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Released' } }),
    managed: managed(
      {},
      {
        annotations: { 'crossplane.io/reserved-for': 'claim-uid/managed-uid' },
        status: { bindingPhase: 'Bound' },
      },
    ),
    ...notOffered,
    message:
      /^refusing to bind to FavouriteDBInstance db: it was given to a claim, which its spec\.claimRef does not name any more; to give it back: kubectl patch favouritedbinstances\.database\.fcp\.crossplane\.io db --type=merge -p '{"spec":{"claimRef":{.*"uid":"claim-uid"}}}'$/,
    ofManaged:
      /^spec\.claimRef names nobody, and it is FancySQLInstance team\/orders's, so that nothing is done while that one is there; to give it back: kubectl patch /,
  },
  'K10 taken: nor is anybody told to offer one that was replaced with its first manifest, of which nobody can tell whose it was':
    {
      claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Released' } }),
      managed: managed({}, { status: { bindingPhase: 'Bound' } }),
      ...notOffered,
      message: whoKnows,
    },
  'K10 taken: nor is another claim, as long as one that was bound names it, too': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { status: { bindingPhase: 'Bound' } }),
    isDisputed: true,
    ...notOffered,
    message: whoKnows,
  },
  'K14 who took it may have it again once it is offered, as nobody else may': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      {},
      {
        annotations: { 'crossplane.io/reserved-for': 'claim-uid/managed-uid' },
        status: { bindingPhase: 'Unbound' },
      },
    ),
    row: 'K14',
    act: 'bind',
  },
  'H1 kept: another that is there took it, whatever its claimRef does not say': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { status: { bindingPhase: 'Unbound' } }),
    rightful: owner,
    ...keptByAnother,
  },
  'H1 kept: another that is there took it, though it names this very claim and is Bound': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Bound' } }),
    rightful: owner,
    ...keptByAnother,
  },
  'K10 nor is one bound that names it by now, and was bound to another that has gone': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef() },
      { status: { bindingPhase: 'Bound', boundUID: 'managed-uid', boundClaimUID: 'gone' } },
    ),
    row: 'K10 released',
    act: 'report',
    event: 'WaitingToBind',
    isWarning: true,
    ready: 'Binding',
    message:
      /^FavouriteDBInstance db was bound to another claim, and may hold the data of that; an administrator can offer it to this claim: kubectl patch /,
  },
  ...waitsForSomebody,
  ...onOffer('K10 an offered one gets new credentials before whoever wants it is bound', {}, 'Released'),
  ...onOffer('K10 so does one that is offered to this claim by its name', { claimRef: byName }, 'Released'),
  ...onOffer(
    'K10 so does one that was bound to another, and is offered to this claim by its name',
    { claimRef: byName },
    'Bound',
  ),
  ...onOffer('K10 so does one that came out of a backup without its status', { claimRef: byName }, 'Unbound'),
  'H1: what is offered to another claim by its name is not this one’s': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: { ...byName, name: 'other' } },
      { annotations: { 'crossplane.io/reoffer': 'true' }, status: { bindingPhase: 'Released' } },
    ),
    row: 'H1',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /it is claimed by FancySQLInstance team\/other$/,
  },
  'K10 what came out of a backup without its status, and names this claim by its name alone, is not bound unoffered':
    {
      ...takenAway({ 'crossplane.io/claim-parameters': '{}' }),
      managed: managed(
        { claimRef: byName },
        {
          annotations: { 'crossplane.io/claim-parameters': '{}' },
          status: { bindingPhase: 'Unbound' },
        },
      ),
    },
  'K15 a claim whose own resource bears an offer of old, and names it by its name alone, keeps it': {
    claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Bound' } }),
    managed: managed(
      { claimRef: byName },
      {
        annotations: { 'crossplane.io/reoffer': 'true' },
        status: { bindingPhase: 'Bound', boundUID: 'managed-uid', boundClaimUID: 'claim-uid' },
      },
    ),
    row: 'K15',
    act: 'refresh',
  },
  'K15 what came out of a backup with another UID was bound before, whoever had it': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef() },
      { status: { bindingPhase: 'Bound', boundUID: 'before', boundClaimUID: 'before' } },
    ),
    row: 'K15',
    act: 'refresh',
  },
  'H1 former: who took it is told so where only the UID was edited': {
    claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Released' } }),
    managed: managed(
      { claimRef: claimRef({ uid: 'typo' }) },
      {
        annotations: { 'crossplane.io/reserved-for': 'claim-uid/managed-uid' },
        status: { bindingPhase: 'Bound' },
      },
    ),
    ...notOffered,
    row: 'H1 former',
    message:
      /its spec\.claimRef names another claim of this name, by its UID; to give it back: kubectl patch /,
    ofManaged:
      /^spec\.claimRef names FancySQLInstance team\/orders, but by another UID, and it is FancySQLInstance team\/orders's, so that nothing is done while that one is there; to give it back: kubectl patch /,
  },
  'K14 a resource that was taken away from this very claim is bound': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      {},
      {
        annotations: {
          'crossplane.io/reserved-for': 'claim-uid/managed-uid',
          'crossplane.io/claim-parameters': '{}',
        },
        status: { bindingPhase: 'Unbound' },
      },
    ),
    row: 'K14',
    act: 'bind',
  },
  'K10 a resource that shows Bound and names no claim is not taken for bound to this one': takenAway(
    {},
    'Bound',
  ),
  'K10 a resource that was released and still names this claim is not bound again': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Released' } }),
    row: 'K10 released',
    act: 'report',
    event: 'WaitingToBind',
    isWarning: true,
    ready: 'Binding',
    message: /^FavouriteDBInstance db was released by a former claim, and may hold the data of that; /,
  },
  'K10 a resource being deleted that never was bound is not bound, though it names the claim': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef() }, { deletionTimestamp, status: { bindingPhase: 'Unbound' } }),
    row: 'K10 deleted',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /^FavouriteDBInstance db is being deleted$/,
  },
  'K10 a resource being deleted is not bound': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { deletionTimestamp, status: { bindingPhase: 'Unbound' } }),
    row: 'K10 deleted',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /is being deleted/,
  },
  'K11 ManagedIsInUnknownBindingPhase': {
    claim: claim(dynamic),
    managed: managed({ claimRef: claimRef() }),
    row: 'K11',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /^waiting for FavouriteDBInstance db$/,
  },
  'K11 ManagedIsInUnbindableBindingPhase': {
    claim: claim(dynamic),
    managed: managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Unbindable' } }),
    row: 'K11',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /^waiting for FavouriteDBInstance db$/,
  },
  "K11 the wait carries the managed resource's error and external name": {
    claim: claim(dynamic),
    managed: managed(
      { claimRef: claimRef() },
      {
        annotations: { 'crossplane.io/external-name': 'cloud-db' },
        status: {
          conditions: [condition('Synced', 'False', 'ReconcileError', 'create failed: quota exceeded')],
        },
      },
    ),
    row: 'K11',
    act: 'report',
    event: 'ManagedResourceTrouble',
    isWarning: true,
    ready: 'Binding',
    message: /external name cloud-db\): create failed: quota exceeded/,
  },
  'K11 a resource just created may say nothing for two seconds': {
    claim: claim(dynamic),
    managed: managed({ claimRef: claimRef() }, { creationTimestamp: '2026-01-02T03:04:05Z' }),
    row: 'K11 quiet',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /^waiting for FavouriteDBInstance db$/,
    notBeforeMs: Date.parse('2026-01-02T03:04:07Z'),
  },
  'K14 a ready resource of this claim is bound': {
    claim: claim(dynamic),
    managed: managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Unbound' } }),
    row: 'K14',
    act: 'bind',
  },
  'K14 a ready resource of no claim is bound (static)': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { status: { bindingPhase: 'Unbound' } }),
    row: 'K14',
    act: 'bind',
  },
  'K14 ControlledError: a resource that something else controls is refused': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      {},
      {
        status: { bindingPhase: 'Unbound' },
        ownerReferences: [{ apiVersion: 'x/v1', kind: 'Composite', name: 'c', uid: 'u', controller: true }],
      },
    ),
    row: 'K14 controlled',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /controlled by Composite c/,
  },
  'K14 a resource of no claim that cannot serve this one is refused': { ...unfit, managed: wrong() },
  'K14 …so is one that an administrator has given to it by name alone': {
    ...unfit,
    managed: wrong({ claimRef: byName }),
  },
  'K14 …and one that is not ready yet: it will not do then either': { ...unfit, managed: wrong({}, {}) },
  'K14 …by what initProvider says, where forProvider is silent': {
    ...unfit,
    managed: managed({ initProvider: { engine: 'wrong' } }),
  },
  'K14 …by what the external system tells, where the spec is silent': {
    ...unfit,
    managed: managed({}, { status: { atProvider: { engine: 'wrong' } } as object }),
  },
  'K14 what a claim took once is bound to the end, whatever has become of it since': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: wrong({ claimRef: claimRef() }),
    row: 'K14',
    act: 'bind',
  },
  'K14 what was made for a claim that was never bound, and was edited so that it cannot serve it, is refused':
    {
      ...unfit,
      claim: claim(dynamic),
      managed: {
        ...provisioned,
        spec: { ...provisioned.spec, forProvider: { engine: 'wrong' } },
        status: { bindingPhase: 'Unbound' },
      },
      message:
        /^refusing to bind to FavouriteDBInstance team-orders-\S+: it has engine "wrong", unlike when it was made for the claim; set it back, or make another claim that asks for that$/,
    },
  'K14 …nor is it refused where only the claim was edited: that has no effect': {
    ...madeForEngine('a'),
    claim: claim({ ...dynamic, engine: 'b' } as object),
    row: 'K14',
    act: 'bind',
  },
  'K14 …nor where the claim was edited to the same: they agree': {
    ...madeForEngine('b'),
    claim: claim({ ...dynamic, engine: 'b' } as object),
    row: 'K14',
    act: 'bind',
  },
  'K14 …but where both were edited, to different things': {
    ...unfit,
    ...madeForEngine('c'),
    claim: claim({ ...dynamic, engine: 'b' } as object),
    message:
      /: it has engine c, unlike when it was made for the claim; set it back, or make another claim that asks for that$/,
  },
  'K14 …and is bound if the claim had been bound before': {
    claim: claim(dynamic, { status: { bindingPhase: 'Bound' } }),
    managed: {
      ...provisioned,
      spec: { ...provisioned.spec, forProvider: { engine: 'wrong' } },
      status: { bindingPhase: 'Unbound' },
    },
    row: 'K14',
    act: 'bind',
  },
  'K15 what is bound stays so, whatever has become of it since': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: wrong({ claimRef: claimRef() }, { bindingPhase: 'Bound' }),
    row: 'K15',
    act: 'refresh',
  },
  'K15 Successful: already bound': {
    claim: claim(dynamic),
    managed: provisioned,
    row: 'K15',
    act: 'refresh',
  },
  'K15 a restored claim (new UID) whose own status says Bound stays bound': {
    claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Bound' } }),
    managed: managed(
      { claimRef: claimRef({ uid: 'before-restore' }) },
      { status: { bindingPhase: 'Bound' } },
    ),
    row: 'K15',
    act: 'refresh',
  },
  'K14 a restored claim and resource (new UIDs, no status) bind again': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef({ uid: 'before-restore' }) },
      { status: { bindingPhase: 'Unbound' } },
    ),
    row: 'K14',
    act: 'bind',
  },
  'K14 also one that was reserved before it was restored': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef({ uid: 'before-restore' }) },
      {
        annotations: { 'crossplane.io/reserved-for': 'before-restore/before-restore' },
        status: { bindingPhase: 'Unbound' },
      },
    ),
    row: 'K14',
    act: 'bind',
  },
  'H1 a resource bound to another claim is not bindable, and the claim is not Ready': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef({ namespace: 'rivals' }) }, { status: { bindingPhase: 'Bound' } }),
    row: 'H1',
    act: 'report',
    ready: 'Binding',
    synced: 'False',
    event: 'CannotBindManagedResource',
    message: /claimed by FancySQLInstance rivals\/orders/,
  },
  "H1 a former claim's resource is not handed to a new claim of that name": {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef({ uid: 'former' }) }, { status: { bindingPhase: 'Bound' } }),
    row: 'H1 former',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message:
      /^refusing to bind to FavouriteDBInstance db: it belonged to a former FancySQLInstance team\/orders with another UID$/,
  },
  'H1 former: nor one that its former claim was released from, while it still names that': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef({ uid: 'former' }) }, { status: { bindingPhase: 'Released' } }),
    row: 'H1 former',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /it belonged to a former FancySQLInstance team\/orders with another UID$/,
  },
  'H1 former: nor one that a former claim has reserved, and was not let go of yet': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef({ uid: 'former' }) },
      {
        annotations: { 'crossplane.io/reserved-for': 'former/managed-uid' },
        status: { bindingPhase: 'Unbound' },
      },
    ),
    row: 'H1 former',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /it belonged to a former FancySQLInstance team\/orders with another UID$/,
  },
  'H7 a claimRef of another kind with the same name is another claim': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef({ kind: 'PlainSQLInstance' }) },
      { status: { bindingPhase: 'Unbound' } },
    ),
    row: 'H1',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /claimed by PlainSQLInstance team\/orders/,
  },
  'H7 where classRef and resourceRef are of different kinds the resource decides who acts': {
    claim: claim({ classRef: classRef('small'), resourceRef: resourceRef('db', otherManagedKind) }),
    resourceClass: small,
    row: 'H7',
    act: 'nothing',
  },
  "H7 a peer's class is left to the peer": {
    claim: claim({ classRef: classRef('other', otherClassKind) }),
    row: 'H7',
    act: 'nothing',
  },
  'H7 a class of no known kind is named, with the kinds that are known': {
    claim: claim({ classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } }),
    service: otherService,
    row: 'H7 unknown',
    act: 'report',
    considered: classKinds,
    event: 'UnknownKind',
    ready: 'UnknownKind',
    synced: 'False',
    message:
      /spec\.classRef names a NoSuchClass \(x\.io\/v1\).*AmbivalentDBInstanceClass.*FavouriteDBInstanceClass/,
  },
  'H7 told: what a process with other stacks said of an unknown kind is left to stand': {
    claim: claim(
      { classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } },
      { status: unknownTo('thirdclasses.v1.third.io') },
    ),
    service: otherService,
    row: 'H7 told',
    act: 'nothing',
  },
  'H7 a resource of no known kind is named, with the kinds that are known': {
    claim: claim({ classRef: classRef('small'), resourceRef: { kind: '', name: 'db' } }),
    service: otherService,
    row: 'H7 unknown',
    act: 'report',
    considered: managedKinds,
    event: 'UnknownKind',
    ready: 'UnknownKind',
    synced: 'False',
    message:
      /^spec\.resourceRef names a \(no kind\) \(no apiVersion\), .* known: AmbivalentDBInstance \(.*\), FavouriteDBInstance \(/,
  },
  'H7 what is of no known kind is not spoken of where something else is said already': {
    claim: claim(
      { classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } },
      { status: { conditions: [condition('Ready', 'True', 'Available')] } },
    ),
    service: otherService,
    row: 'H7',
    act: 'nothing',
  },
  'H7 what was said of an earlier generation is replaced': {
    claim: claim(
      { classRef: classRef('small'), resourceRef: { kind: '', name: 'db' } },
      { status: { conditions: [{ ...condition('Ready', 'False', 'Creating'), observedGeneration: 2 }] } },
    ),
    service: otherService,
    row: 'H7 unknown',
    act: 'report',
    considered: managedKinds,
    event: 'UnknownKind',
    ready: 'UnknownKind',
    synced: 'False',
    message: /^spec\.resourceRef names a \(no kind\)/,
  },
  'H7 but not of a claim that is bound: that of another process, which has yet to look at the edit': {
    claim: claim(
      { resourceRef: { kind: '', name: 'db' } },
      {
        status: {
          bindingPhase: 'Bound',
          conditions: [{ ...condition('Ready', 'True', 'Available'), observedGeneration: 2 }],
        },
      },
    ),
    service: otherService,
    row: 'H7',
    act: 'nothing',
  },
  'H7 nor of this generation': {
    claim: claim(
      { resourceRef: { kind: '', name: 'db' } },
      { status: { conditions: [{ ...condition('Ready', 'False', 'Binding'), observedGeneration: 3 }] } },
    ),
    service: otherService,
    row: 'H7',
    act: 'nothing',
  },
  'H7 nor by any but the first service': {
    claim: claim({ classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } }),
    row: 'H7',
    act: 'nothing',
  },
  'H7 nor of a claim that is being deleted and not ours to let go of': {
    claim: claim({ classRef: noSuchClass }, { deletionTimestamp }),
    service: otherService,
    row: 'H7',
    act: 'nothing',
  },
  'H7 what keeps a deleted claim is told, unless who knows the kind lets go of it within a moment': {
    ...stuck,
    claim: claim({ classRef: noSuchClass }, deleted),
  },
  'H7 also one that was bound, and stays so': {
    ...stuck,
    claim: claim({ classRef: noSuchClass }, { ...deleted, status: saidBefore }),
  },
  'H7 but not what somebody has spoken of since it was deleted': {
    claim: claim({ classRef: noSuchClass }, { ...deleted, generation: 2, status: saidBefore }),
    service: otherService,
    row: 'H7',
    act: 'nothing',
  },
  ...Object.fromEntries(
    ['NoMatchingClass', 'NoDefaultClass', 'InvalidClassSelector'].map((reason): [string, Case] => [
      `H7 what was said before it had a class is replaced: ${reason}`,
      {
        claim: claim(
          { classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } },
          { status: { conditions: [condition('Ready', 'False', reason)] } },
        ),
        service: otherService,
        row: 'H7 unknown',
        act: 'report',
        considered: classKinds,
        event: 'UnknownKind',
        ready: 'UnknownKind',
        synced: 'False',
        message: /^spec\.classRef names a NoSuchClass \(x\.io\/v1\)/,
      },
    ]),
  ),
  'H7 who knows more kinds replaces what was said': {
    claim: claim(
      { classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } },
      { status: unknownTo('favouritedbinstanceclasses.v1alpha3.database.fcp.crossplane.io') },
    ),
    service: otherService,
    row: 'H7 unknown',
    act: 'report',
    considered: classKinds,
    synced: 'False',
    event: 'UnknownKind',
    ready: 'UnknownKind',
    message: /; known: AmbivalentDBInstanceClass .*, FavouriteDBInstanceClass /,
  },
  'K15 another resource is named: what the claim has is kept': {
    claim: claim({ resourceRef: resourceRef('other') }, { status: { bindingPhase: 'Bound' } }),
    managed: managed({}, { name: 'other', status: { bindingPhase: 'Unbound' } }),
    held: holding,
    row: 'K15',
    act: 'refresh',
  },
  'K15 a resource of another kind is named: it stays with the controller of what the claim has': {
    claim: claim({ resourceRef: resourceRef('other', otherManagedKind) }),
    held: holding,
    row: 'K15',
    act: 'refresh',
  },
  'H7 another kind is named than the claim has: its controller leaves it alone': {
    claim: claim({ resourceRef: resourceRef('other', otherManagedKind) }),
    service: otherService,
    held: holding,
    row: 'H7',
    act: 'nothing',
  },
  'H7 deleted, and its references edited away: what a peer has of it, the peer lets go of first': {
    claim: claim({}, deleted),
    service: otherService,
    held: holding,
    row: 'H7',
    act: 'nothing',
  },
  'K15 another class is named than the resource was made from': {
    claim: claim({ ...dynamic, classRef: classRef('large') }),
    held: provisioned,
    row: 'K15',
    act: 'refresh',
  },
  'K2 edited: a class of another kind is named before anything is created': {
    claim: claim({ ...dynamic, classRef: classRef('small', otherClassKind) }),
    row: 'K2 edited',
    act: 'report',
    ready: 'Binding',
    synced: 'False',
    event: 'CannotApplyEdit',
    message:
      /^spec\.classRef names AmbivalentDBInstanceClass small, but FavouriteDBInstance team-orders-\w{5} was to be made from a FavouriteDBInstanceClass; take the edit back/,
  },
  'K2 edited: no class is named any more before anything is created': {
    claim: claim({ resourceRef: resourceRef(ownName) }),
    row: 'K2 edited',
    act: 'report',
    ready: 'Binding',
    synced: 'False',
    event: 'CannotApplyEdit',
    message: /^spec\.classRef names nothing, but /,
  },
  'K9 again: the reference was removed: it is written again, and nothing provisioned': {
    claim: claim({ classRef: classRef('small') }),
    resourceClass: small,
    held: provisioned,
    row: 'K9 again',
    act: 'recall',
  },
  'K9 again: somebody took the finalizer away while its resource is made: it is written again': {
    claim: claim(dynamic),
    held: managed({ claimRef: claimRef() }, { name: ownName }),
    row: 'K9 again',
    act: 'recall',
  },
  'K11 with its finalizer it waits': {
    claim: claim(dynamic, { finalizers }),
    held: managed({ claimRef: claimRef() }, { name: ownName }),
    row: 'K11',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /^waiting for FavouriteDBInstance team-orders-\w{5}$/,
  },
  'K7 forbidden: a class whose namespaceSelector does not select the namespace is not provisioned from': {
    claim: claim({ classRef: classRef('small') }),
    resourceClass: forLive,
    namespace: ofTest,
    row: 'K7 forbidden',
    act: 'report',
    event: 'NamespaceNotAllowed',
    ready: 'Creating',
    synced: 'False',
    message: /^FavouriteDBInstanceClass small may not be claimed from namespace team: /,
  },
  'K7 forbidden: nor for a claim that has recorded the name by then': {
    claim: claim(dynamic, { finalizers }),
    resourceClass: forLive,
    namespace: ofTest,
    row: 'K7 forbidden',
    act: 'report',
    event: 'NamespaceNotAllowed',
    ready: 'Creating',
    synced: 'False',
    message: /may not be claimed from namespace team/,
  },
  'K9 record: one that selects it is': {
    claim: claim({ classRef: classRef('small') }),
    resourceClass: forLive,
    namespace: ofLive,
    row: 'K9 record',
    act: 'record',
  },
  'K14 forbidden: before who has it is told': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ namespaceSelector, claimRef: claimRef({ namespace: 'rivals' }) }),
    namespace: ofTest,
    row: 'K14 forbidden',
    act: 'report',
    event: 'NamespaceNotAllowed',
    ready: 'Binding',
    synced: 'False',
    message: /^refusing to bind to FavouriteDBInstance db: it may not be claimed from namespace team/,
  },
  'K14 forbidden: a claimRef narrows what the selector says, and does not widen it': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { namespaceSelector, claimRef: { ...claimRef(), uid: undefined } as object },
      { status: { bindingPhase: 'Unbound' } },
    ),
    namespace: ofTest,
    row: 'K14 forbidden',
    act: 'report',
    event: 'NamespaceNotAllowed',
    ready: 'Binding',
    synced: 'False',
    message: /may not be claimed from namespace team/,
  },
  'K14 a resource that the claim has taken is bound, whatever labels its namespace has by then': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { namespaceSelector, claimRef: claimRef() },
      {
        annotations: { 'crossplane.io/reserved-for': 'claim-uid/managed-uid' },
        status: { bindingPhase: 'Unbound' },
      },
    ),
    namespace: ofTest,
    row: 'K14',
    act: 'bind',
  },
  'K15 what is bound stays bound': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ namespaceSelector, claimRef: claimRef() }, { status: { bindingPhase: 'Bound' } }),
    namespace: ofTest,
    row: 'K15',
    act: 'refresh',
  },
  'K14 unoffered: what is only observed is for nobody who is not named': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ managementPolicies: ['Observe', 'Delete'] }, { status: { bindingPhase: 'Unbound' } }),
    row: 'K14 unoffered',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /it is only observed, and offered to nobody/,
  },
  'K10 what is paused is not what is only observed': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ managementPolicies: [] }),
    row: 'K10',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /^waiting for/,
  },
  'K15 a bound resource that is being deleted shows as Released and is bound until it is gone': {
    claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Bound' } }),
    managed: managed({ claimRef: claimRef() }, { deletionTimestamp, status: { bindingPhase: 'Released' } }),
    row: 'K15',
    act: 'refresh',
  },
};

describe('binding decides', () => {
  test('every row has a case', () => assertEveryRow(bindingRows, cases));
  for (const [name, wanted] of Object.entries(cases)) {
    test(name, () => {
      const decision = decideBinding({
        service: wanted.service ?? service,
        peers: [otherService, service],
        claim: wanted.claim,
        managed: wanted.managed,
        resourceClass: wanted.resourceClass,
        held: wanted.held,
        rightful: wanted.rightful,
        isDisputed: wanted.isDisputed ?? false,
        isHandedOver: false,
        namespace: wanted.namespace,
      });
      assert.deepEqual(decision, payloadOf(wanted, decision));
    });
  }
});

test('K6 what a deleted claim has is released, whatever it names by now', () => {
  const held = managed(
    { claimRef: claimRef(), reclaimPolicy: 'Delete' },
    { status: { bindingPhase: 'Bound' } },
  );
  const decision = decideBinding({
    service,
    peers: [service],
    claim: claim({ resourceRef: resourceRef('other') }, deleted),
    managed: undefined,
    resourceClass: undefined,
    held,
    isHandedOver: true,
  });
  assert.deepEqual(decision, { row: 'K6', act: 'release', managed: held, reclaim: 'Delete' });
});

test('H3 who goes leaves alone what is on record for another that is there, though it names him', () => {
  const named = { claimRef: claimRef(), reclaimPolicy: 'Delete' } as const;
  const decision = decideBinding({
    service,
    peers: [service],
    claim: claim({ resourceRef: resourceRef('db') }, deleted),
    managed: managed(named, { status: { bindingPhase: 'Bound' } }),
    resourceClass: undefined,
    held: undefined,
    rightful: owner,
    isHandedOver: true,
  });
  assert.deepEqual(decision, { row: 'H3', act: 'finalise' });
});

function toldBesides(decision: BindingDecision, wanted: RegExp): object {
  const { message = '' } = (decision.act === 'report' ? decision.ofManaged : undefined) ?? {};
  assert.match(message, wanted);
  return { type: 'Warning', reason: 'ClaimNotFound', message };
}

/** The whole decision that a row asks for; of the text, which a decision repeats, only that it matches. */
function payloadOf(wanted: Case, decision: BindingDecision): object {
  const { row, act } = wanted;
  const managed = wanted.held ?? wanted.managed;
  switch (act) {
    case 'nothing':
    case 'finalise':
      return { row, act };
    case 'bind':
    case 'refresh':
    case 'recall':
      return { row, act, managed };
    case 'record':
    case 'create':
      return { row, act, resourceClass: wanted.resourceClass };
    case 'free':
    case 'release':
      return assert.fail('these are in decide-deleted.test.ts');
    case 'report': {
      const { ready, event, message, phase = 'Unbound', notBeforeMs, considered } = wanted;
      const isTrouble = wanted.isWarning ?? (wanted.synced === 'False' || phase === 'Released');
      assert.ok(message, 'a report has a message');
      const text = decision.act === 'report' ? decision.event.message : '';
      assert.match(text, message);
      const synced = wanted.synced === 'False' ? reconcileError(text) : reconcileSuccess();
      const conditions = [{ type: 'Ready', status: 'False', reason: ready, message: text }, synced];
      return {
        row,
        act,
        facts: {
          conditions,
          ...(phase !== 'as before' && { bindingPhase: phase }),
          ...(considered && { consideredKinds: considered }),
        },
        event: { type: isTrouble ? 'Warning' : 'Normal', reason: event, message: text },
        ...(notBeforeMs === undefined ? {} : { notBeforeMs }),
        ...(wanted.ofManaged && { ofManaged: toldBesides(decision, wanted.ofManaged) }),
      };
    }
  }
}

describe('what is advised of a field of the managed resource is told to who wrote the claim', () => {
  const versioned: ClaimService = {
    ...service,
    configure: (of) => {
      const { version } = of.spec as { readonly version?: string };
      if (version === 'odd') throw new Error('no such version');
      return {
        forProvider: { size: 3, ...(version !== undefined && { engine: { version: `V_${version}` } }) },
      };
    },
  };
  const advised = (message: string) =>
    managed(
      { claimRef: claimRef() },
      { name: ownName, status: { conditions: [condition('Synced', 'False', 'ReconcileError', message)] } },
    );
  const readyOf = (over: Partial<BindingInput>) => {
    const decision = decideBinding({
      ...{ service: versioned, peers: [versioned], resourceClass: small, held: undefined },
      ...{ claim: claim({ ...dynamic, version: '9' } as object), isHandedOver: false },
      ...{ managed: advised('refused: no; change spec.forProvider.engine.version, and wait') },
      ...over,
    });
    assert.ok(decision.act === 'report');
    return decision.facts.conditions[0]?.message?.replace(/^waiting for FavouriteDBInstance \S+: /, '');
  };
  const asIs = 'refused: no; change spec.forProvider.engine.version, and wait';
  const taken =
    'instance "x" exists and carries no tag of an owner; choose another external name, or observe it with spec.managementPolicies ["Observe"]';
  const cases: Record<string, readonly [Partial<BindingInput>, string]> = {
    'whose value is that of the claim': [
      {},
      'refused: no; make another claim with another spec.version, and wait',
    ],
    'or one of two': [
      { managed: advised('no; change spec.forProvider.size and spec.forProvider.engine') },
      'no; make another claim with another spec.version',
    ],
    'but not where the class decides': [
      { managed: advised('no; change spec.forProvider.size') },
      'no; change spec.forProvider.size',
    ],
    'an external name that does not fit is that of the claim': [
      {
        managed: advised(
          nameProblem('../x', { maxLength: 9, pattern: /\w+/ }, 'crossplane.io/external-name')!,
        ),
      },
      'the name "../x" does not match \\w+, as the external system asks; make another claim with another one in the annotation crossplane.io/external-name',
    ],
    'so is one that is taken; the policies are those of the managed resource': [
      { managed: advised(taken) },
      'instance "x" exists and carries no tag of an owner; make another claim with another external name, or have an administrator observe it with spec.managementPolicies ["Observe"] of the managed resource',
    ],
    'which whoever names a resource is told, too': [
      {
        claim: claim({ resourceRef: resourceRef('db') }),
        managed: managed(
          {},
          { status: { conditions: [condition('Synced', 'False', 'ReconcileError', taken)] } },
        ),
      },
      'instance "x" exists and carries no tag of an owner; choose another external name, or have an administrator observe it with spec.managementPolicies ["Observe"] of the managed resource',
    ],
    'nor where the claim says nothing': [{ claim: claim(dynamic) }, asIs],
    'nor where the class is gone': [{ resourceClass: undefined }, asIs],
    'nor where class and claim no longer go together': [
      { claim: claim({ ...dynamic, version: 'odd' } as object) },
      asIs,
    ],
    'nor of a resource that was made by hand': [
      {
        claim: claim({ resourceRef: resourceRef('db'), version: '9' } as object),
        managed: managed(
          {},
          { status: { conditions: [condition('Synced', 'False', 'ReconcileError', asIs)] } },
        ),
      },
      asIs,
    ],
  };
  for (const [name, [over, want]] of Object.entries(cases)) {
    test(name, () => assert.equal(readyOf(over), want));
  }
});

describe('H14 a bound claim is as ready as its managed resource', () => {
  const withConditions = (...conditions: ReturnType<typeof condition>[]) =>
    managed({}, { status: { conditions } });
  const ready = condition('Ready', 'True', 'Available');
  const troubled = condition('Synced', 'False', 'ReconcileError', 'observe failed: 503');
  const named = { annotations: { 'crossplane.io/external-name': 'cloud-db' } };
  interface Row {
    readonly managed: Managed;
    readonly unserved?: string;
    /** Of Ready: status, reason, message. */
    readonly want: readonly [string, string, string?];
  }
  const rows: Record<string, Row> = {
    ready: { managed: withConditions(ready), want: ['True', 'Available'] },
    'ready, whatever it says beside': {
      managed: withConditions(ready, condition('Synced', 'True', 'ReconcileSuccess', 'all is well')),
      want: ['True', 'Available'],
    },
    'ready though its last pass failed, which it says': {
      managed: withConditions(ready, troubled),
      want: ['True', 'AvailableWithTrouble', 'FavouriteDBInstance db: observe failed: 503'],
    },
    'ready, and there is no secret': {
      managed: withConditions(ready),
      unserved: 'no connection secret is written',
      want: ['True', 'Available', 'no connection secret is written'],
    },
    'ready, its last pass failed, and there is no secret': {
      managed: withConditions(ready, troubled),
      unserved: 'no secret',
      want: ['True', 'AvailableWithTrouble', 'FavouriteDBInstance db: observe failed: 503; no secret'],
    },
    'ready, and somebody has paused it': {
      managed: withConditions(ready, condition('Synced', 'False', 'ReconcilePaused', 'it is paused')),
      want: ['True', 'Available', 'FavouriteDBInstance db: it is paused'],
    },
    'unavailable, with its message': {
      managed: withConditions(
        condition('Ready', 'False', 'Unavailable', 'out of disk'),
        condition('Synced', 'True', 'ReconcileSuccess', 'all is well'),
      ),
      want: ['False', 'Unavailable', 'FavouriteDBInstance db: out of disk'],
    },
    'unavailable and failing: why it fails comes first': {
      managed: withConditions(condition('Ready', 'False', 'Unavailable', 'out of disk'), troubled),
      want: ['False', 'Unavailable', 'FavouriteDBInstance db: observe failed: 503'],
    },
    'without a message its reason says it': {
      managed: managed({}, { ...named, status: { conditions: [condition('Ready', 'False', 'Creating')] } }),
      want: ['False', 'Creating', 'FavouriteDBInstance db (external name cloud-db): Creating'],
    },
    'failing without a message': {
      managed: withConditions(condition('Synced', 'False', 'ReconcilePaused')),
      want: ['False', 'Unavailable', 'FavouriteDBInstance db: ReconcilePaused'],
    },
    'being deleted': {
      managed: managed({}, { deletionTimestamp, status: { conditions: [ready] } }),
      want: ['False', 'Deleting', 'FavouriteDBInstance db: Available'],
    },
    silent: { managed: managed(), want: ['False', 'Unavailable', 'FavouriteDBInstance db'] },
  };
  for (const [name, { managed: resource, unserved, want }] of Object.entries(rows)) {
    test(name, () => {
      const [status, reason, message] = want;
      assert.deepEqual(boundConditions(resource, unserved), [
        { type: 'Ready', status, reason, ...(message === undefined ? {} : { message }) },
        reconcileSuccess(),
      ]);
    });
  }

  const wants = { writeConnectionSecretToRef: { name: 'conn' } };
  const publishes = managed({ writeConnectionSecretToRef: { namespace: 'system', name: 'src' } });
  test('there is no secret where the claim wants one and the resource publishes none', () => {
    assert.match(
      describeUnserved(claim(wants), managed()) ?? '',
      /^no connection secret is written: FavouriteDBInstance db has no spec\.writeConnectionSecretToRef/,
    );
    assert.equal(describeUnserved(claim(wants), publishes), undefined);
    assert.equal(describeUnserved(claim(), managed()), undefined);
    assert.equal(describeUnserved(claim(), publishes), undefined);
  });
});

describe('names of provisioned resources', () => {
  test('namespace, claim and five characters, at most 63 in all', () => {
    assert.match(ownName, /^team-orders-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    const [long = ''] = provisionedNames(claim({}, { name: 'x'.repeat(100) }));
    assert.equal(long.length, 63);
  });
  test('the same for the same claim, and another for a claim of the same name in another namespace or life', () => {
    assert.equal(ownName, 'team-orders-8m5w6', 'what other versions recorded is found again');
    assert.notEqual(provisionedNames(claim({}, { namespace: 'other', uid: 'u2' }))[0], ownName);
    assert.notEqual(provisionedNames(claim({}, { uid: 'second-life' }))[0], ownName);
  });
});

describe('what a claim warns of while it has, or waits for, a managed resource', () => {
  const ready = condition('Ready', 'True', 'Available');
  const synced = condition('Synced', 'True', 'ReconcileSuccess');
  const failing = condition('Synced', 'False', 'ReconcileError', 'observe failed: 503');
  const creating = condition('Ready', 'False', 'Creating');
  const out = condition('Ready', 'False', 'Unavailable', 'out of disk');
  const paused = condition('Synced', 'False', 'ReconcilePaused', 'it is paused');
  type Status = NonNullable<Managed['status']>;
  const cases: Readonly<Record<string, readonly [status: Status, message: string | undefined]>> = {
    'nothing, of one that is well': [{ conditions: [ready, synced] }, undefined],
    'nothing, of one that nobody has looked at': [{}, undefined],
    'nothing, of one that is being created': [{ conditions: [creating, synced] }, undefined],
    'nothing, of one that is paused': [{ conditions: [ready, paused] }, undefined],
    'that an attempt failed': [{ conditions: [ready, failing] }, 'observe failed: 503'],
    'that its creation fails': [{ conditions: [creating, failing] }, 'observe failed: 503'],
    'that it cannot be used': [{ conditions: [out, synced] }, 'out of disk'],
    'that what was bound is made again': [
      { bindingPhase: 'Bound', conditions: [creating, synced] },
      'Creating',
    ],
  };
  for (const [what, [status, said]] of Object.entries(cases)) {
    test(what, () =>
      assert.deepEqual(
        troubleOf(managed({}, { status })),
        said && {
          type: 'Warning',
          reason: 'ManagedResourceTrouble',
          message: `FavouriteDBInstance db: ${said}`,
        },
      ),
    );
  }
});
