import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import mapValues from 'lodash/mapValues.js';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { provisionedNames } from '../../../../controllers/core/claim/provisioned-name.ts';
import type { DeletedDecision } from '../../../../controllers/core/claim-binding/decide-deleted.ts';
import {
  decideDeleted,
  deletedDecisions,
} from '../../../../controllers/core/claim-binding/decide-deleted.ts';
import { assertEveryDecision } from '../every-decision.ts';
import { claim, claimRef, classRef, deletionTimestamp, managed, resourceRef } from '../objects.ts';

const deleted = { deletionTimestamp, finalizers: ['finalizer.resourceclaim.crossplane.io'] };
const ownName = provisionedNames(claim())[0] ?? '';
const byName = claim({ resourceRef: resourceRef('db') }, deleted);
const byClass = claim({ classRef: classRef('small'), resourceRef: resourceRef(ownName) }, deleted);
const bound = { status: { bindingPhase: 'Bound' } } as const;
const unbound = { status: { bindingPhase: 'Unbound' } } as const;
const released = { status: { bindingPhase: 'Released' } } as const;
const reservedFor = (uids: string) => ({ annotations: { 'crossplane.io/reserved-for': uids } });
const reserved = reservedFor('claim-uid/managed-uid');
const policy = { claimRef: claimRef(), reclaimPolicy: 'Delete' } as const;
const former = { ...policy, claimRef: claimRef({ uid: 'former' }) };
const wasBound = claim(byName.spec, { ...deleted, ...bound });

interface Row {
  readonly claim?: Claim;
  readonly managed?: Managed;
  readonly isHandedOver?: boolean;
  readonly want: Omit<DeletedDecision, 'managed'> & { readonly reclaim?: 'Delete' | 'Retain' };
}

const rows: Record<string, Row> = {
  'FinalizerRemoved: SuccessfulDelete: without our finalizer there is nothing left to do': {
    claim: claim(byClass.spec, { deletionTimestamp }),
    managed: managed(policy, bound),
    want: { name: 'FinalizerRemoved', act: 'nothing' },
  },
  'ResourceGone: a deleted claim whose resource is gone is finalised': {
    claim: byClass,
    want: { name: 'ResourceGone', act: 'finalise' },
  },
  'ResourceGone: a deleted claim that never named a resource is finalised': {
    claim: claim({ classRef: classRef('small') }, deleted),
    want: { name: 'ResourceGone', act: 'finalise' },
  },
  'NotOwned: a deleted claim that took no resource is finalised': {
    managed: managed({ reclaimPolicy: 'Delete' }, unbound),
    want: { name: 'NotOwned', act: 'finalise' },
  },
  'NotOwned: one whose resource an administrator only meant for it': {
    managed: managed({ ...policy, claimRef: { ...claimRef(), uid: undefined } as object }, unbound),
    want: { name: 'NotOwned', act: 'finalise' },
  },
  "NotOwned: a deleted claim never touches another claim's resource": {
    managed: managed({ ...policy, claimRef: claimRef({ name: 'billing' }) }, bound),
    want: { name: 'NotOwned', act: 'finalise' },
  },
  'OwnedByFormerClaim: nor that of a former claim of the same name': {
    managed: managed(former, bound),
    want: { name: 'OwnedByFormerClaim', act: 'finalise' },
  },
  'OwnedByFormerClaim: nor that of a former claim, in the middle of its release': {
    managed: managed(former, released),
    want: { name: 'OwnedByFormerClaim', act: 'finalise' },
  },
  'OwnedByFormerClaim: nor what a former claim has reserved, and was not let go of yet': {
    managed: managed(former, { ...reservedFor('former/managed-uid'), ...unbound }),
    want: { name: 'OwnedByFormerClaim', act: 'finalise' },
  },
  'Reclaim: UnbindSuccess: what was Bound, policy Delete': {
    claim: wasBound,
    managed: managed(policy, bound),
    want: { name: 'Reclaim', act: 'release', reclaim: 'Delete' },
  },
  'Reclaim: what was Bound, policy Retain': {
    claim: wasBound,
    managed: managed({ ...policy, reclaimPolicy: 'Retain' }, bound),
    want: { name: 'Reclaim', act: 'release', reclaim: 'Retain' },
  },
  'Reclaim: what was Bound, no policy: retained': {
    claim: wasBound,
    managed: managed({ claimRef: claimRef() }, bound),
    want: { name: 'Reclaim', act: 'release', reclaim: 'Retain' },
  },
  'Reclaim: Bound by the record of the resource, before the claim could say so': {
    managed: managed(policy, { ...reserved, ...bound }),
    isHandedOver: true,
    want: { name: 'Reclaim', act: 'release', reclaim: 'Delete' },
  },
  'Reclaim: what a restored claim (new UID) was bound to, as its own status says': {
    claim: wasBound,
    managed: managed(former, bound),
    want: { name: 'Reclaim', act: 'release', reclaim: 'Delete' },
  },
  'Reclaim: what a restored claim was bound to, as the restored status of the resource says': {
    managed: managed(former, { status: { bindingPhase: 'Bound', boundUID: 'before-restore' } }),
    want: { name: 'Reclaim', act: 'release', reclaim: 'Delete' },
  },
  'FinishRelease: a release that was cut off goes on as it began': {
    claim: wasBound,
    managed: managed(policy, { ...reserved, ...released }),
    want: { name: 'FinishRelease', act: 'release', reclaim: 'Retain' },
  },
  'DeletionStarted: what is being deleted already is left to its own controller': {
    claim: wasBound,
    managed: managed(policy, { ...released, deletionTimestamp }),
    want: { name: 'DeletionStarted', act: 'finalise' },
  },
  'ReclaimProvisioned: what the claim made goes with it, though it was never Bound': {
    claim: byClass,
    managed: managed(policy, { name: ownName, ...unbound }),
    want: { name: 'ReclaimProvisioned', act: 'release', reclaim: 'Delete' },
  },
  'ReclaimProvisioned: also before its controller has said a word': {
    claim: byClass,
    managed: managed(policy, { name: ownName }),
    want: { name: 'ReclaimProvisioned', act: 'release', reclaim: 'Delete' },
  },
  'ReclaimProvisioned: also for the claim before a restore': {
    claim: claim(byClass.spec, { ...deleted, uid: 'after-restore' }),
    managed: managed(policy, { name: ownName, ...unbound }),
    want: { name: 'ReclaimProvisioned', act: 'release', reclaim: 'Delete' },
  },
  'RemoveClaimRef: what was made by hand and never Bound goes back as it was': {
    managed: managed(policy, { ...reserved, ...unbound }),
    want: { name: 'RemoveClaimRef', act: 'free' },
  },
  'RemoveClaimRef: also if it has a class, of a former claim': {
    managed: managed({ ...policy, classRef: classRef('small') }, { ...reserved, ...unbound }),
    want: { name: 'RemoveClaimRef', act: 'free' },
  },
  'Release: it was handed over and not yet Bound: the password is known': {
    managed: managed(policy, { ...reserved, ...unbound }),
    isHandedOver: true,
    want: { name: 'Release', act: 'release', reclaim: 'Retain' },
  },
  'Release: the claim says Bound, the resource does not': {
    claim: wasBound,
    managed: managed(policy, { ...reserved, ...unbound }),
    want: { name: 'Release', act: 'release', reclaim: 'Retain' },
  },
  'Release: the claim says that it was bound, the resource does not': {
    claim: claim(byName.spec, { ...deleted, ...released }),
    managed: managed(policy, { ...reserved, ...unbound }),
    want: { name: 'Release', act: 'release', reclaim: 'Retain' },
  },
  'Release: restored, and not bound since: whether it was before is not known': {
    managed: managed(former, { ...reservedFor('former/before-restore'), ...unbound }),
    want: { name: 'Release', act: 'release', reclaim: 'Retain' },
  },
  'Release: restored and healed, and not bound since': {
    managed: managed(policy, { ...reservedFor('former/before-restore'), ...unbound }),
    want: { name: 'Release', act: 'release', reclaim: 'Retain' },
  },
};

describe('binding decides about a deleted claim', () => {
  test('every decision has a case', () => assertEveryDecision(deletedDecisions, mapValues(rows, 'want')));
  for (const [
    name,
    { claim: subject = byName, managed: resource, isHandedOver = false, want },
  ] of Object.entries(rows)) {
    test(name, () => {
      const parts = want.act === 'free' || want.act === 'release';
      assert.deepEqual(
        decideDeleted(subject, resource, isHandedOver),
        parts ? { ...want, managed: resource } : want,
      );
    });
  }
});
