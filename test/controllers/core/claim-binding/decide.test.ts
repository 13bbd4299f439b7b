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
  bindingDecisions,
  boundConditions,
  decideBinding,
  describeUnserved,
  troubleOf,
} from '../../../../controllers/core/claim-binding/decide.ts';
import type { ClaimService } from '../../../../controllers/core/claim-service.ts';
import { nameProblem } from '../../../../controllers/core/name-limits.ts';
import { assertEveryDecision } from '../every-decision.ts';
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
  readonly name: string;
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
  name: 'Released',
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
    name: 'CredentialNotApplied',
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
  'CredentialNotApplied: what its resource says that only somebody can do is said': {
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
    name: 'CredentialNotApplied',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: new RegExp(`^waiting for FavouriteDBInstance db: ${waitsForAdministrator}$`),
  },
};

/** It is refused because nobody knows, or may say here, whose it is. */
const notOffered = {
  name: 'ReleasedWhileBound',
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
  name: 'OwnedByOther',
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
  name: 'Incompatible',
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
  name: 'UnknownKind',
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
  'ClaimGone: a claim that is gone needs nothing': { claim: undefined, name: 'ClaimGone', act: 'nothing' },
  'ResourceMissing: ManagedNotFound: a static claim waits for its resource': {
    claim: claim({ resourceRef: resourceRef('db') }),
    name: 'ResourceMissing',
    act: 'report',
    ready: 'Binding',
    event: 'ManagedResourceNotFound',
    message: /FavouriteDBInstance db, which does not exist/,
  },
  'ResourceLost: a bound claim whose resource vanished is Released, not provisioned again': {
    claim: claim(dynamic, { status: { bindingPhase: 'Bound' } }),
    resourceClass: small,
    name: 'ResourceLost',
    act: 'report',
    event: 'ManagedResourceNotFound',
    ready: 'Binding',
    phase: 'Released',
    message:
      /no longer exists; for another make another claim, and delete this one once nobody needs its secret$/,
  },
  'ResourceLost: nor one that names no resource any more, nor is named by one': {
    claim: claim({ classRef: classRef('small') }, { status: { bindingPhase: 'Released' } }),
    resourceClass: small,
    name: 'ResourceLost',
    act: 'report',
    event: 'ManagedResourceNotFound',
    ready: 'Binding',
    phase: 'Released',
    message:
      /^was bound to a managed resource, and neither names the other any more; for another make another claim/,
  },
  'RemoveFinalizer: a deleted claim that names nothing any more is finalised by the first service': {
    claim: claim({}, deleted),
    service: otherService,
    name: 'RemoveFinalizer',
    act: 'finalise',
  },
  'OtherKind: and left alone by the others': { claim: claim({}, deleted), name: 'OtherKind', act: 'nothing' },
  'OtherKind: without our finalizer there is nothing to finalise': {
    claim: claim({}, { deletionTimestamp }),
    service: otherService,
    name: 'OtherKind',
    act: 'nothing',
  },
  'ClassMissing: GetResourceClassError: a missing class is named, and its appearance wakes the claim': {
    claim: claim({ classRef: classRef('small') }),
    name: 'ClassMissing',
    act: 'report',
    ready: 'Creating',
    synced: 'False',
    event: 'CannotGetResourceClass',
    message: /FavouriteDBInstanceClass small does not exist/,
  },
  'RecordName: the name is recorded before anything is created': {
    claim: claim({ classRef: classRef('small') }),
    resourceClass: small,
    name: 'RecordName',
    act: 'record',
  },
  'Create: after a crash between record and create the recorded resource is created': {
    claim: claim(dynamic, { finalizers }),
    resourceClass: small,
    name: 'Create',
    act: 'create',
  },
  'RecordName: somebody took the finalizer away after the name was recorded: it is recorded again first': {
    claim: claim(dynamic),
    resourceClass: small,
    name: 'RecordName',
    act: 'record',
  },
  'ResourceMissing: a name this claim did not derive is never created': {
    claim: claim({ ...dynamic, resourceRef: resourceRef('team-orders-aaaaa') }),
    resourceClass: small,
    name: 'ResourceMissing',
    act: 'report',
    event: 'ManagedResourceNotFound',
    ready: 'Binding',
    message: /^waiting for FavouriteDBInstance team-orders-aaaaa, which does not exist$/,
  },
  'NameTaken: a resource that took the recorded name meanwhile is not bound': {
    claim: claim(dynamic),
    managed: managed({}, { name: ownName, status: { bindingPhase: 'Unbound' } }),
    name: 'NameTaken',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /: what the claim makes names the claim in spec\.claimRef, and this does not$/,
  },
  'OtherKind: ClassReferenceNotSet: a claim without any reference is for the schedulers': {
    claim: claim(),
    name: 'OtherKind',
    act: 'nothing',
  },
  'NotReady: a static resource that is not ready yet': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { status: { bindingPhase: 'Unbindable' } }),
    name: 'NotReady',
    act: 'report',
    ready: 'Binding',
    event: 'WaitingToBind',
    message: /^waiting for FavouriteDBInstance db$/,
  },
  'Released: a released resource says how it is offered again': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { status: { bindingPhase: 'Released' } }),
    name: 'Released',
    act: 'report',
    event: 'WaitingToBind',
    isWarning: true,
    ready: 'Binding',
    message:
      /an administrator can offer it to this claim: kubectl patch favouritedbinstances\.database\.fcp\.crossplane\.io db --type=merge -p '{"metadata":{"annotations":{"crossplane\.io\/reoffer":"claim"}},"spec":{"claimRef":{.*"name":"orders","uid":null}}}'$/,
  },
  'Released: a resource that was taken away from another claim may be known to that': takenAway({
    'crossplane.io/reserved-for': 'other-uid/managed-uid',
    'crossplane.io/claim-parameters': '{}',
  }),
  'Released: so may one that was taken away from this claim before both came out of a backup': takenAway({
    'crossplane.io/reserved-for': 'claim-uid/before-restore',
    'crossplane.io/claim-parameters': '{}',
  }),
  'Released: so may one that was provisioned for another claim and taken away from it': takenAway({
    'crossplane.io/claim-parameters': '{}',
  }),
  'ReleasedWhileBound: one that was Bound is nobody’s, and who had it is told how to have it back': {
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
  'ReleasedWhileBound: nor is anybody told to offer one that was replaced with its first manifest, of which nobody can tell whose it was':
    {
      claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Released' } }),
      managed: managed({}, { status: { bindingPhase: 'Bound' } }),
      ...notOffered,
      message: whoKnows,
    },
  'ReleasedWhileBound: nor is another claim, as long as one that was bound names it, too': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { status: { bindingPhase: 'Bound' } }),
    isDisputed: true,
    ...notOffered,
    message: whoKnows,
  },
  'Bind: who took it may have it again once it is offered, as nobody else may': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      {},
      {
        annotations: { 'crossplane.io/reserved-for': 'claim-uid/managed-uid' },
        status: { bindingPhase: 'Unbound' },
      },
    ),
    name: 'Bind',
    act: 'bind',
  },
  'OwnedByOther: another that is there took it, whatever its claimRef does not say': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { status: { bindingPhase: 'Unbound' } }),
    rightful: owner,
    ...keptByAnother,
  },
  'OwnedByOther: another that is there took it, though it names this very claim and is Bound': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Bound' } }),
    rightful: owner,
    ...keptByAnother,
  },
  'Released: nor is one bound that names it by now, and was bound to another that has gone': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef() },
      { status: { bindingPhase: 'Bound', boundUID: 'managed-uid', boundClaimUID: 'gone' } },
    ),
    name: 'Released',
    act: 'report',
    event: 'WaitingToBind',
    isWarning: true,
    ready: 'Binding',
    message:
      /^FavouriteDBInstance db was bound to another claim, and may hold the data of that; an administrator can offer it to this claim: kubectl patch /,
  },
  ...waitsForSomebody,
  ...onOffer(
    'CredentialNotApplied: an offered one gets new credentials before whoever wants it is bound',
    {},
    'Released',
  ),
  ...onOffer(
    'CredentialNotApplied: so does one that is offered to this claim by its name',
    { claimRef: byName },
    'Released',
  ),
  ...onOffer(
    'CredentialNotApplied: so does one that was bound to another, and is offered to this claim by its name',
    { claimRef: byName },
    'Bound',
  ),
  ...onOffer(
    'CredentialNotApplied: so does one that came out of a backup without its status',
    { claimRef: byName },
    'Unbound',
  ),
  'ClaimedByOther: what is offered to another claim by its name is not this one’s': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: { ...byName, name: 'other' } },
      { annotations: { 'crossplane.io/reoffer': 'true' }, status: { bindingPhase: 'Released' } },
    ),
    name: 'ClaimedByOther',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /it is claimed by FancySQLInstance team\/other$/,
  },
  'Released: what came out of a backup without its status, and names this claim by its name alone, is not bound unoffered':
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
  'KeepBound: a claim whose own resource bears an offer of old, and names it by its name alone, keeps it': {
    claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Bound' } }),
    managed: managed(
      { claimRef: byName },
      {
        annotations: { 'crossplane.io/reoffer': 'true' },
        status: { bindingPhase: 'Bound', boundUID: 'managed-uid', boundClaimUID: 'claim-uid' },
      },
    ),
    name: 'KeepBound',
    act: 'refresh',
  },
  'KeepBound: what came out of a backup with another UID was bound before, whoever had it': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef() },
      { status: { bindingPhase: 'Bound', boundUID: 'before', boundClaimUID: 'before' } },
    ),
    name: 'KeepBound',
    act: 'refresh',
  },
  'ClaimedByFormerClaim: who took it is told so where only the UID was edited': {
    claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Released' } }),
    managed: managed(
      { claimRef: claimRef({ uid: 'typo' }) },
      {
        annotations: { 'crossplane.io/reserved-for': 'claim-uid/managed-uid' },
        status: { bindingPhase: 'Bound' },
      },
    ),
    ...notOffered,
    name: 'ClaimedByFormerClaim',
    message:
      /its spec\.claimRef names another claim of this name, by its UID; to give it back: kubectl patch /,
    ofManaged:
      /^spec\.claimRef names FancySQLInstance team\/orders, but by another UID, and it is FancySQLInstance team\/orders's, so that nothing is done while that one is there; to give it back: kubectl patch /,
  },
  'Bind: a resource that was taken away from this very claim is bound': {
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
    name: 'Bind',
    act: 'bind',
  },
  'Released: a resource that shows Bound and names no claim is not taken for bound to this one': takenAway(
    {},
    'Bound',
  ),
  'Released: a resource that was released and still names this claim is not bound again': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Released' } }),
    name: 'Released',
    act: 'report',
    event: 'WaitingToBind',
    isWarning: true,
    ready: 'Binding',
    message: /^FavouriteDBInstance db was released by a former claim, and may hold the data of that; /,
  },
  'ResourceDeleted: a resource being deleted that never was bound is not bound, though it names the claim': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef() }, { deletionTimestamp, status: { bindingPhase: 'Unbound' } }),
    name: 'ResourceDeleted',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /^FavouriteDBInstance db is being deleted$/,
  },
  'ResourceDeleted: a resource being deleted is not bound': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { deletionTimestamp, status: { bindingPhase: 'Unbound' } }),
    name: 'ResourceDeleted',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /is being deleted/,
  },
  'Provisioning: ManagedIsInUnknownBindingPhase': {
    claim: claim(dynamic),
    managed: managed({ claimRef: claimRef() }),
    name: 'Provisioning',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /^waiting for FavouriteDBInstance db$/,
  },
  'Provisioning: ManagedIsInUnbindableBindingPhase': {
    claim: claim(dynamic),
    managed: managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Unbindable' } }),
    name: 'Provisioning',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /^waiting for FavouriteDBInstance db$/,
  },
  "Provisioning: the wait carries the managed resource's error and external name": {
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
    name: 'Provisioning',
    act: 'report',
    event: 'ManagedResourceTrouble',
    isWarning: true,
    ready: 'Binding',
    message: /external name cloud-db\): create failed: quota exceeded/,
  },
  'AwaitFirstReport: a resource just created may say nothing for two seconds': {
    claim: claim(dynamic),
    managed: managed({ claimRef: claimRef() }, { creationTimestamp: '2026-01-02T03:04:05Z' }),
    name: 'AwaitFirstReport',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /^waiting for FavouriteDBInstance db$/,
    notBeforeMs: Date.parse('2026-01-02T03:04:07Z'),
  },
  'Bind: a ready resource of this claim is bound': {
    claim: claim(dynamic),
    managed: managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Unbound' } }),
    name: 'Bind',
    act: 'bind',
  },
  'Bind: a ready resource of no claim is bound (static)': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { status: { bindingPhase: 'Unbound' } }),
    name: 'Bind',
    act: 'bind',
  },
  'ControlledByOther: ControlledError: a resource that something else controls is refused': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      {},
      {
        status: { bindingPhase: 'Unbound' },
        ownerReferences: [{ apiVersion: 'x/v1', kind: 'Composite', name: 'c', uid: 'u', controller: true }],
      },
    ),
    name: 'ControlledByOther',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /controlled by Composite c/,
  },
  'Incompatible: a resource of no claim that cannot serve this one is refused': {
    ...unfit,
    managed: wrong(),
  },
  'Incompatible: …so is one that an administrator has given to it by name alone': {
    ...unfit,
    managed: wrong({ claimRef: byName }),
  },
  'Incompatible: …and one that is not ready yet: it will not do then either': {
    ...unfit,
    managed: wrong({}, {}),
  },
  'Incompatible: …by what initProvider says, where forProvider is silent': {
    ...unfit,
    managed: managed({ initProvider: { engine: 'wrong' } }),
  },
  'Incompatible: …by what the external system tells, where the spec is silent': {
    ...unfit,
    managed: managed({}, { status: { atProvider: { engine: 'wrong' } } as object }),
  },
  'Bind: what a claim took once is bound to the end, whatever has become of it since': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: wrong({ claimRef: claimRef() }),
    name: 'Bind',
    act: 'bind',
  },
  'Incompatible: what was made for a claim that was never bound, and was edited so that it cannot serve it, is refused':
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
  'Bind: …nor is it refused where only the claim was edited: that has no effect': {
    ...madeForEngine('a'),
    claim: claim({ ...dynamic, engine: 'b' } as object),
    name: 'Bind',
    act: 'bind',
  },
  'Bind: …nor where the claim was edited to the same: they agree': {
    ...madeForEngine('b'),
    claim: claim({ ...dynamic, engine: 'b' } as object),
    name: 'Bind',
    act: 'bind',
  },
  'Incompatible: …but where both were edited, to different things': {
    ...unfit,
    ...madeForEngine('c'),
    claim: claim({ ...dynamic, engine: 'b' } as object),
    message:
      /: it has engine c, unlike when it was made for the claim; set it back, or make another claim that asks for that$/,
  },
  'Bind: …and is bound if the claim had been bound before': {
    claim: claim(dynamic, { status: { bindingPhase: 'Bound' } }),
    managed: {
      ...provisioned,
      spec: { ...provisioned.spec, forProvider: { engine: 'wrong' } },
      status: { bindingPhase: 'Unbound' },
    },
    name: 'Bind',
    act: 'bind',
  },
  'KeepBound: what is bound stays so, whatever has become of it since': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: wrong({ claimRef: claimRef() }, { bindingPhase: 'Bound' }),
    name: 'KeepBound',
    act: 'refresh',
  },
  'KeepBound: Successful: already bound': {
    claim: claim(dynamic),
    managed: provisioned,
    name: 'KeepBound',
    act: 'refresh',
  },
  'KeepBound: a restored claim (new UID) whose own status says Bound stays bound': {
    claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Bound' } }),
    managed: managed(
      { claimRef: claimRef({ uid: 'before-restore' }) },
      { status: { bindingPhase: 'Bound' } },
    ),
    name: 'KeepBound',
    act: 'refresh',
  },
  'Bind: a restored claim and resource (new UIDs, no status) bind again': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef({ uid: 'before-restore' }) },
      { status: { bindingPhase: 'Unbound' } },
    ),
    name: 'Bind',
    act: 'bind',
  },
  'Bind: also one that was reserved before it was restored': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef({ uid: 'before-restore' }) },
      {
        annotations: { 'crossplane.io/reserved-for': 'before-restore/before-restore' },
        status: { bindingPhase: 'Unbound' },
      },
    ),
    name: 'Bind',
    act: 'bind',
  },
  'ClaimedByOther: a resource bound to another claim is not bindable, and the claim is not Ready': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef({ namespace: 'rivals' }) }, { status: { bindingPhase: 'Bound' } }),
    name: 'ClaimedByOther',
    act: 'report',
    ready: 'Binding',
    synced: 'False',
    event: 'CannotBindManagedResource',
    message: /claimed by FancySQLInstance rivals\/orders/,
  },
  "ClaimedByFormerClaim: a former claim's resource is not handed to a new claim of that name": {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef({ uid: 'former' }) }, { status: { bindingPhase: 'Bound' } }),
    name: 'ClaimedByFormerClaim',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message:
      /^refusing to bind to FavouriteDBInstance db: it belonged to a former FancySQLInstance team\/orders with another UID$/,
  },
  'ClaimedByFormerClaim: nor one that its former claim was released from, while it still names that': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef({ uid: 'former' }) }, { status: { bindingPhase: 'Released' } }),
    name: 'ClaimedByFormerClaim',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /it belonged to a former FancySQLInstance team\/orders with another UID$/,
  },
  'ClaimedByFormerClaim: nor one that a former claim has reserved, and was not let go of yet': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef({ uid: 'former' }) },
      {
        annotations: { 'crossplane.io/reserved-for': 'former/managed-uid' },
        status: { bindingPhase: 'Unbound' },
      },
    ),
    name: 'ClaimedByFormerClaim',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /it belonged to a former FancySQLInstance team\/orders with another UID$/,
  },
  'ClaimedByOther: a claimRef of another kind with the same name is another claim': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef({ kind: 'PlainSQLInstance' }) },
      { status: { bindingPhase: 'Unbound' } },
    ),
    name: 'ClaimedByOther',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /claimed by PlainSQLInstance team\/orders/,
  },
  'OtherKind: where classRef and resourceRef are of different kinds the resource decides who acts': {
    claim: claim({ classRef: classRef('small'), resourceRef: resourceRef('db', otherManagedKind) }),
    resourceClass: small,
    name: 'OtherKind',
    act: 'nothing',
  },
  "OtherKind: a peer's class is left to the peer": {
    claim: claim({ classRef: classRef('other', otherClassKind) }),
    name: 'OtherKind',
    act: 'nothing',
  },
  'UnknownKind: a class of no known kind is named, with the kinds that are known': {
    claim: claim({ classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } }),
    service: otherService,
    name: 'UnknownKind',
    act: 'report',
    considered: classKinds,
    event: 'UnknownKind',
    ready: 'UnknownKind',
    synced: 'False',
    message:
      /spec\.classRef names a NoSuchClass \(x\.io\/v1\).*AmbivalentDBInstanceClass.*FavouriteDBInstanceClass/,
  },
  'ReportedElsewhere: what a process with other stacks said of an unknown kind is left to stand': {
    claim: claim(
      { classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } },
      { status: unknownTo('thirdclasses.v1.third.io') },
    ),
    service: otherService,
    name: 'ReportedElsewhere',
    act: 'nothing',
  },
  'UnknownKind: a resource of no known kind is named, with the kinds that are known': {
    claim: claim({ classRef: classRef('small'), resourceRef: { kind: '', name: 'db' } }),
    service: otherService,
    name: 'UnknownKind',
    act: 'report',
    considered: managedKinds,
    event: 'UnknownKind',
    ready: 'UnknownKind',
    synced: 'False',
    message:
      /^spec\.resourceRef names a \(no kind\) \(no apiVersion\), .* known: AmbivalentDBInstance \(.*\), FavouriteDBInstance \(/,
  },
  'OtherKind: what is of no known kind is not spoken of where something else is said already': {
    claim: claim(
      { classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } },
      { status: { conditions: [condition('Ready', 'True', 'Available')] } },
    ),
    service: otherService,
    name: 'OtherKind',
    act: 'nothing',
  },
  'UnknownKind: what was said of an earlier generation is replaced': {
    claim: claim(
      { classRef: classRef('small'), resourceRef: { kind: '', name: 'db' } },
      { status: { conditions: [{ ...condition('Ready', 'False', 'Creating'), observedGeneration: 2 }] } },
    ),
    service: otherService,
    name: 'UnknownKind',
    act: 'report',
    considered: managedKinds,
    event: 'UnknownKind',
    ready: 'UnknownKind',
    synced: 'False',
    message: /^spec\.resourceRef names a \(no kind\)/,
  },
  'OtherKind: but not of a claim that is bound: that of another process, which has yet to look at the edit': {
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
    name: 'OtherKind',
    act: 'nothing',
  },
  'OtherKind: nor of this generation': {
    claim: claim(
      { resourceRef: { kind: '', name: 'db' } },
      { status: { conditions: [{ ...condition('Ready', 'False', 'Binding'), observedGeneration: 3 }] } },
    ),
    service: otherService,
    name: 'OtherKind',
    act: 'nothing',
  },
  'OtherKind: nor by any but the first service': {
    claim: claim({ classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } }),
    name: 'OtherKind',
    act: 'nothing',
  },
  'OtherKind: nor of a claim that is being deleted and not ours to let go of': {
    claim: claim({ classRef: noSuchClass }, { deletionTimestamp }),
    service: otherService,
    name: 'OtherKind',
    act: 'nothing',
  },
  'OtherKind: what keeps a deleted claim is told, unless who knows the kind lets go of it within a moment': {
    ...stuck,
    claim: claim({ classRef: noSuchClass }, deleted),
  },
  'OtherKind: also one that was bound, and stays so': {
    ...stuck,
    claim: claim({ classRef: noSuchClass }, { ...deleted, status: saidBefore }),
  },
  'OtherKind: but not what somebody has spoken of since it was deleted': {
    claim: claim({ classRef: noSuchClass }, { ...deleted, generation: 2, status: saidBefore }),
    service: otherService,
    name: 'OtherKind',
    act: 'nothing',
  },
  ...Object.fromEntries(
    ['NoMatchingClass', 'NoDefaultClass', 'InvalidClassSelector'].map((reason): [string, Case] => [
      `UnknownKind: what was said before it had a class is replaced: ${reason}`,
      {
        claim: claim(
          { classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } },
          { status: { conditions: [condition('Ready', 'False', reason)] } },
        ),
        service: otherService,
        name: 'UnknownKind',
        act: 'report',
        considered: classKinds,
        event: 'UnknownKind',
        ready: 'UnknownKind',
        synced: 'False',
        message: /^spec\.classRef names a NoSuchClass \(x\.io\/v1\)/,
      },
    ]),
  ),
  'UnknownKind: who knows more kinds replaces what was said': {
    claim: claim(
      { classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } },
      { status: unknownTo('favouritedbinstanceclasses.v1alpha3.database.fcp.crossplane.io') },
    ),
    service: otherService,
    name: 'UnknownKind',
    act: 'report',
    considered: classKinds,
    synced: 'False',
    event: 'UnknownKind',
    ready: 'UnknownKind',
    message: /; known: AmbivalentDBInstanceClass .*, FavouriteDBInstanceClass /,
  },
  'KeepBound: another resource is named: what the claim has is kept': {
    claim: claim({ resourceRef: resourceRef('other') }, { status: { bindingPhase: 'Bound' } }),
    managed: managed({}, { name: 'other', status: { bindingPhase: 'Unbound' } }),
    held: holding,
    name: 'KeepBound',
    act: 'refresh',
  },
  'KeepBound: a resource of another kind is named: it stays with the controller of what the claim has': {
    claim: claim({ resourceRef: resourceRef('other', otherManagedKind) }),
    held: holding,
    name: 'KeepBound',
    act: 'refresh',
  },
  'OtherKind: another kind is named than the claim has: its controller leaves it alone': {
    claim: claim({ resourceRef: resourceRef('other', otherManagedKind) }),
    service: otherService,
    held: holding,
    name: 'OtherKind',
    act: 'nothing',
  },
  'OtherKind: deleted, and its references edited away: what a peer has of it, the peer lets go of first': {
    claim: claim({}, deleted),
    service: otherService,
    held: holding,
    name: 'OtherKind',
    act: 'nothing',
  },
  'KeepBound: another class is named than the resource was made from': {
    claim: claim({ ...dynamic, classRef: classRef('large') }),
    held: provisioned,
    name: 'KeepBound',
    act: 'refresh',
  },
  'ClassRefEdited: a class of another kind is named before anything is created': {
    claim: claim({ ...dynamic, classRef: classRef('small', otherClassKind) }),
    name: 'ClassRefEdited',
    act: 'report',
    ready: 'Binding',
    synced: 'False',
    event: 'CannotApplyEdit',
    message:
      /^spec\.classRef names AmbivalentDBInstanceClass small, but FavouriteDBInstance team-orders-\w{5} was to be made from a FavouriteDBInstanceClass; take the edit back/,
  },
  'ClassRefEdited: no class is named any more before anything is created': {
    claim: claim({ resourceRef: resourceRef(ownName) }),
    name: 'ClassRefEdited',
    act: 'report',
    ready: 'Binding',
    synced: 'False',
    event: 'CannotApplyEdit',
    message: /^spec\.classRef names nothing, but /,
  },
  'RestoreReferences: the reference was removed: it is written again, and nothing provisioned': {
    claim: claim({ classRef: classRef('small') }),
    resourceClass: small,
    held: provisioned,
    name: 'RestoreReferences',
    act: 'recall',
  },
  'RestoreReferences: somebody took the finalizer away while its resource is made: it is written again': {
    claim: claim(dynamic),
    held: managed({ claimRef: claimRef() }, { name: ownName }),
    name: 'RestoreReferences',
    act: 'recall',
  },
  'Provisioning: with its finalizer it waits': {
    claim: claim(dynamic, { finalizers }),
    held: managed({ claimRef: claimRef() }, { name: ownName }),
    name: 'Provisioning',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /^waiting for FavouriteDBInstance team-orders-\w{5}$/,
  },
  'ClassForbidden: a class whose namespaceSelector does not select the namespace is not provisioned from': {
    claim: claim({ classRef: classRef('small') }),
    resourceClass: forLive,
    namespace: ofTest,
    name: 'ClassForbidden',
    act: 'report',
    event: 'NamespaceNotAllowed',
    ready: 'Creating',
    synced: 'False',
    message: /^FavouriteDBInstanceClass small may not be claimed from namespace team: /,
  },
  'ClassForbidden: nor for a claim that has recorded the name by then': {
    claim: claim(dynamic, { finalizers }),
    resourceClass: forLive,
    namespace: ofTest,
    name: 'ClassForbidden',
    act: 'report',
    event: 'NamespaceNotAllowed',
    ready: 'Creating',
    synced: 'False',
    message: /may not be claimed from namespace team/,
  },
  'RecordName: one that selects it is': {
    claim: claim({ classRef: classRef('small') }),
    resourceClass: forLive,
    namespace: ofLive,
    name: 'RecordName',
    act: 'record',
  },
  'ResourceForbidden: before who has it is told': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ namespaceSelector, claimRef: claimRef({ namespace: 'rivals' }) }),
    namespace: ofTest,
    name: 'ResourceForbidden',
    act: 'report',
    event: 'NamespaceNotAllowed',
    ready: 'Binding',
    synced: 'False',
    message: /^refusing to bind to FavouriteDBInstance db: it may not be claimed from namespace team/,
  },
  'ResourceForbidden: a claimRef narrows what the selector says, and does not widen it': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { namespaceSelector, claimRef: { ...claimRef(), uid: undefined } as object },
      { status: { bindingPhase: 'Unbound' } },
    ),
    namespace: ofTest,
    name: 'ResourceForbidden',
    act: 'report',
    event: 'NamespaceNotAllowed',
    ready: 'Binding',
    synced: 'False',
    message: /may not be claimed from namespace team/,
  },
  'Bind: a resource that the claim has taken is bound, whatever labels its namespace has by then': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { namespaceSelector, claimRef: claimRef() },
      {
        annotations: { 'crossplane.io/reserved-for': 'claim-uid/managed-uid' },
        status: { bindingPhase: 'Unbound' },
      },
    ),
    namespace: ofTest,
    name: 'Bind',
    act: 'bind',
  },
  'KeepBound: what is bound stays bound': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ namespaceSelector, claimRef: claimRef() }, { status: { bindingPhase: 'Bound' } }),
    namespace: ofTest,
    name: 'KeepBound',
    act: 'refresh',
  },
  'NotOffered: what is only observed is for nobody who is not named': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ managementPolicies: ['Observe', 'Delete'] }, { status: { bindingPhase: 'Unbound' } }),
    name: 'NotOffered',
    act: 'report',
    event: 'CannotBindManagedResource',
    ready: 'Binding',
    synced: 'False',
    message: /it is only observed, and offered to nobody/,
  },
  'NotReady: what is paused is not what is only observed': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ managementPolicies: [] }),
    name: 'NotReady',
    act: 'report',
    event: 'WaitingToBind',
    ready: 'Binding',
    message: /^waiting for/,
  },
  'KeepBound: a bound resource that is being deleted shows as Released and is bound until it is gone': {
    claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Bound' } }),
    managed: managed({ claimRef: claimRef() }, { deletionTimestamp, status: { bindingPhase: 'Released' } }),
    name: 'KeepBound',
    act: 'refresh',
  },
};

describe('binding decides', () => {
  test('every decision has a case', () => assertEveryDecision(bindingDecisions, cases));
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

test('Reclaim: what a deleted claim has is released, whatever it names by now', () => {
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
  assert.deepEqual(decision, { name: 'Reclaim', act: 'release', managed: held, reclaim: 'Delete' });
});

test('ResourceGone: who goes leaves alone what is on record for another that is there, though it names him', () => {
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
  assert.deepEqual(decision, { name: 'ResourceGone', act: 'finalise' });
});

function toldBesides(decision: BindingDecision, wanted: RegExp): object {
  const { message = '' } = (decision.act === 'report' ? decision.ofManaged : undefined) ?? {};
  assert.match(message, wanted);
  return { type: 'Warning', reason: 'ClaimNotFound', message };
}

/** The whole decision that a case asks for; of the text, which a decision repeats, only that it matches. */
function payloadOf(wanted: Case, decision: BindingDecision): object {
  const { name, act } = wanted;
  const managed = wanted.held ?? wanted.managed;
  switch (act) {
    case 'nothing':
    case 'finalise':
      return { name, act };
    case 'bind':
    case 'refresh':
    case 'recall':
      return { name, act, managed };
    case 'record':
    case 'create':
      return { name, act, resourceClass: wanted.resourceClass };
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
        name,
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
