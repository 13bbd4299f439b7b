import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import type { LabelSelector } from '../../../../apis/core/v1alpha1/selector.ts';
import { provisionedNames } from '../../../../controllers/core/claim/provisioned-name.ts';
import type { bindingDecisions } from '../../../../controllers/core/claim-binding/decide.ts';
import type { deletedDecisions } from '../../../../controllers/core/claim-binding/decide-deleted.ts';
import { claimBindingController } from '../../../../controllers/core/claim-binding/setup.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  claim,
  claimKind,
  claimRef,
  classKind,
  classRef,
  deletionTimestamp,
  managed,
  managedKind,
  now,
  otherClassKind,
  otherService,
  peersOf,
  resourceClass,
  resourceRef,
  service,
} from '../objects.ts';

/** What there is when the claim is looked at. */
interface World {
  readonly claim?: Claim;
  readonly managed?: Managed;
  /** The class `small`; default: it exists. */
  readonly isClassMissing?: true;
  /** The namespaces that may claim it; absent: all. */
  readonly selects?: LabelSelector;
  /** Another claim that is there. */
  readonly other?: Claim;
  /** It is looked at by the first of all services, which is another kind's; default: by the claim's own. */
  readonly byFirst?: true;
}

const elsewhere = { matchLabels: { stage: 'live' } };
const finalizers = ['finalizer.resourceclaim.crossplane.io'];
const deleted = { deletionTimestamp, finalizers };
const ownName = provisionedNames(claim())[0] ?? '';
const small = { classRef: classRef('small') };
const own = { ...small, resourceRef: resourceRef(ownName) };
const db = { resourceRef: resourceRef('db') };
const noSuch = { classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } };
const claimed = { claimRef: claimRef() };
const controller = { apiVersion: 'x/v1', kind: 'Composite', name: 'c', uid: 'u', controller: true };
const bound = managed(claimed, { status: { bindingPhase: 'Bound' } });
const toldUnknown = {
  conditions: [
    {
      type: 'Ready',
      status: 'False' as const,
      reason: 'UnknownKind',
      lastTransitionTime: deletionTimestamp,
      observedGeneration: 1, // what the cluster gives a new object
    },
  ],
  consideredKinds: ['thirdclasses.v1.third.io'],
};

/** For each decision, a world in which the claim takes it. */
const worlds: Readonly<Record<(typeof bindingDecisions)[number] | (typeof deletedDecisions)[number], World>> =
  {
    ClaimGone: {},
    RemoveFinalizer: { claim: claim({}, deleted), byFirst: true },
    OtherKind: { claim: claim() },
    UnknownKind: { claim: claim(noSuch), byFirst: true },
    ReportedElsewhere: { claim: claim(noSuch, { status: toldUnknown }), byFirst: true },
    RestoreReferences: { claim: claim(small), managed: bound },
    ClassMissing: { claim: claim(small), isClassMissing: true },
    ClassForbidden: { claim: claim(small), selects: elsewhere },
    RecordName: { claim: claim(small) },
    Create: { claim: claim(own, { finalizers }) },
    ResourceMissing: { claim: claim(db) },
    ResourceLost: { claim: claim(db, { status: { bindingPhase: 'Bound' } }) },
    ClassRefEdited: { claim: claim({ ...own, classRef: classRef('other', otherClassKind) }) },
    ResourceForbidden: { claim: claim(db), managed: managed({ namespaceSelector: elsewhere }) },
    ClaimedByOther: { claim: claim(db), managed: managed({ claimRef: claimRef({ namespace: 'rivals' }) }) },
    OwnedByOther: {
      claim: claim(db),
      other: claim(db, { namespace: 'rivals', uid: 'rival' }),
      managed: managed({}, { annotations: { 'crossplane.io/reserved-for': 'rival/managed-uid' } }),
    },
    ClaimedByFormerClaim: {
      claim: claim(db),
      managed: managed({ claimRef: claimRef({ uid: 'former' }) }, { status: { bindingPhase: 'Bound' } }),
    },
    NameTaken: { claim: claim(own), managed: managed({}, { name: ownName }) },
    ControlledByOther: { claim: claim(db), managed: managed({}, { ownerReferences: [controller] }) },
    KeepBound: { claim: claim(db), managed: bound },
    NotOffered: { claim: claim(db), managed: managed({ managementPolicies: ['Observe'] }) },
    Incompatible: {
      claim: claim(db),
      managed: managed({ forProvider: { engine: 'wrong' } }, { status: { bindingPhase: 'Unbound' } }),
    },
    ResourceDeleted: {
      claim: claim(db, { finalizers }),
      managed: managed(claimed, { ...deleted, status: { bindingPhase: 'Unbound' } }),
    },
    Bind: { claim: claim(db), managed: managed({}, { status: { bindingPhase: 'Unbound' } }) },
    CredentialNotApplied: {
      claim: claim(db),
      managed: managed(
        {},
        { annotations: { 'crossplane.io/reoffer': 'true' }, status: { bindingPhase: 'Released' } },
      ),
    },
    Released: { claim: claim(db), managed: managed({}, { status: { bindingPhase: 'Released' } }) },
    ReleasedWhileBound: {
      claim: claim(db, { status: { bindingPhase: 'Released' } }),
      managed: managed({}, { status: { bindingPhase: 'Bound' } }),
    },
    NotReady: { claim: claim(db), managed: managed() },
    Provisioning: { claim: claim(db, { finalizers }), managed: managed(claimed) },
    AwaitFirstReport: {
      claim: claim(own, { finalizers }),
      managed: managed(claimed, { name: ownName, creationTimestamp: now.toISOString() }),
    },
    FinalizerRemoved: { claim: claim(db, { deletionTimestamp, finalizers: ['example.com/other'] }) },
    ResourceGone: { claim: claim(db, deleted) },
    NotOwned: { claim: claim(db, deleted), managed: managed() },
    OwnedByFormerClaim: {
      claim: claim(db, deleted),
      managed: managed({ claimRef: claimRef({ uid: 'former' }) }, { status: { bindingPhase: 'Bound' } }),
    },
    DeletionStarted: { claim: claim(db, deleted), managed: managed(claimed, deleted) },
    Reclaim: { claim: claim(db, deleted), managed: bound },
    FinishRelease: {
      claim: claim(db, deleted),
      managed: managed(claimed, { status: { bindingPhase: 'Released' } }),
    },
    ReclaimProvisioned: { claim: claim(own, deleted), managed: managed(claimed, { name: ownName }) },
    RemoveClaimRef: {
      claim: claim(db, deleted),
      managed: managed(claimed, { annotations: { 'crossplane.io/reserved-for': 'claim-uid/managed-uid' } }),
    },
    Release: { claim: claim(db, deleted), managed: managed(claimed) },
  };

describe('claim binding takes', () => {
  for (const [decision, world] of Object.entries(worlds)) {
    test(decision, async () => {
      const cluster = new FakeCluster();
      if (world.isClassMissing === undefined) {
        const specTemplate = world.selects && { namespaceSelector: world.selects };
        cluster.put(classKind, resourceClass('small', {}, { ...(specTemplate && { specTemplate }) }));
      }
      if (world.claim !== undefined) cluster.put(claimKind, world.claim);
      if (world.other !== undefined) cluster.put(claimKind, world.other);
      if (world.managed !== undefined) cluster.put(managedKind, world.managed);
      const who = world.byFirst === undefined ? service : otherService;
      const process = new FakeProcess(cluster, (env) => [
        claimBindingController(env, who, peersOf(otherService, service)),
      ]);
      const result = await process.reconcile({ namespace: 'team', name: 'orders' });
      assert.equal(result.decision, decision);
    });
  }
});
