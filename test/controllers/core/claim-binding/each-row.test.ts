import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import type { LabelSelector } from '../../../../apis/core/v1alpha1/selector.ts';
import { provisionedNames } from '../../../../controllers/core/claim/provisioned-name.ts';
import type { bindingRows } from '../../../../controllers/core/claim-binding/decide.ts';
import type { deletedRows } from '../../../../controllers/core/claim-binding/decide-deleted.ts';
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

/** For each row, a world in which the claim takes it. */
const worlds: Readonly<Record<(typeof bindingRows)[number] | (typeof deletedRows)[number], World>> = {
  K1: {},
  'H2 unnamed': { claim: claim({}, deleted), byFirst: true },
  H7: { claim: claim() },
  'H7 unknown': { claim: claim(noSuch), byFirst: true },
  'H7 told': { claim: claim(noSuch, { status: toldUnknown }), byFirst: true },
  'K9 again': { claim: claim(small), managed: bound },
  K7: { claim: claim(small), isClassMissing: true },
  'K7 forbidden': { claim: claim(small), selects: elsewhere },
  'K9 record': { claim: claim(small) },
  K9: { claim: claim(own, { finalizers }) },
  K2: { claim: claim(db) },
  'K2 lost': { claim: claim(db, { status: { bindingPhase: 'Bound' } }) },
  'K2 edited': { claim: claim({ ...own, classRef: classRef('other', otherClassKind) }) },
  'K14 forbidden': { claim: claim(db), managed: managed({ namespaceSelector: elsewhere }) },
  H1: { claim: claim(db), managed: managed({ claimRef: claimRef({ namespace: 'rivals' }) }) },
  'H1 kept': {
    claim: claim(db),
    other: claim(db, { namespace: 'rivals', uid: 'rival' }),
    managed: managed({}, { annotations: { 'crossplane.io/reserved-for': 'rival/managed-uid' } }),
  },
  'H1 former': {
    claim: claim(db),
    managed: managed({ claimRef: claimRef({ uid: 'former' }) }, { status: { bindingPhase: 'Bound' } }),
  },
  'H4 taken': { claim: claim(own), managed: managed({}, { name: ownName }) },
  'K14 controlled': { claim: claim(db), managed: managed({}, { ownerReferences: [controller] }) },
  K15: { claim: claim(db), managed: bound },
  'K14 unoffered': { claim: claim(db), managed: managed({ managementPolicies: ['Observe'] }) },
  'K14 unfit': {
    claim: claim(db),
    managed: managed({ forProvider: { engine: 'wrong' } }, { status: { bindingPhase: 'Unbound' } }),
  },
  'K10 deleted': {
    claim: claim(db, { finalizers }),
    managed: managed(claimed, { ...deleted, status: { bindingPhase: 'Unbound' } }),
  },
  K14: { claim: claim(db), managed: managed({}, { status: { bindingPhase: 'Unbound' } }) },
  'K10 offered': {
    claim: claim(db),
    managed: managed(
      {},
      { annotations: { 'crossplane.io/reoffer': 'true' }, status: { bindingPhase: 'Released' } },
    ),
  },
  'K10 released': { claim: claim(db), managed: managed({}, { status: { bindingPhase: 'Released' } }) },
  'K10 taken': {
    claim: claim(db, { status: { bindingPhase: 'Released' } }),
    managed: managed({}, { status: { bindingPhase: 'Bound' } }),
  },
  K10: { claim: claim(db), managed: managed() },
  K11: { claim: claim(db, { finalizers }), managed: managed(claimed) },
  'K11 quiet': {
    claim: claim(own, { finalizers }),
    managed: managed(claimed, { name: ownName, creationTimestamp: now.toISOString() }),
  },
  'K6 finalised': { claim: claim(db, { deletionTimestamp, finalizers: ['example.com/other'] }) },
  H3: { claim: claim(db, deleted) },
  H2: { claim: claim(db, deleted), managed: managed() },
  H6: {
    claim: claim(db, deleted),
    managed: managed({ claimRef: claimRef({ uid: 'former' }) }, { status: { bindingPhase: 'Bound' } }),
  },
  'K6 going': { claim: claim(db, deleted), managed: managed(claimed, deleted) },
  K6: { claim: claim(db, deleted), managed: bound },
  'K6 begun': {
    claim: claim(db, deleted),
    managed: managed(claimed, { status: { bindingPhase: 'Released' } }),
  },
  'K6 provisioned': { claim: claim(own, deleted), managed: managed(claimed, { name: ownName }) },
  'K6 reserved': {
    claim: claim(db, deleted),
    managed: managed(claimed, { annotations: { 'crossplane.io/reserved-for': 'claim-uid/managed-uid' } }),
  },
  'K6 unclear': { claim: claim(db, deleted), managed: managed(claimed) },
};

describe('claim binding takes', () => {
  for (const [row, world] of Object.entries(worlds)) {
    test(`row ${row}`, async () => {
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
      assert.equal(result.row, row);
    });
  }
});
