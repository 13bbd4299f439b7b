import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import mapValues from 'lodash/mapValues.js';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { provisionedNames } from '../../../../controllers/core/claim/provisioned-name.ts';
import type { DeletedDecision } from '../../../../controllers/core/claim-binding/decide-deleted.ts';
import { decideDeleted, deletedRows } from '../../../../controllers/core/claim-binding/decide-deleted.ts';
import { assertEveryRow } from '../every-row.ts';
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
  'K6 SuccessfulDelete: without our finalizer there is nothing left to do': {
    claim: claim(byClass.spec, { deletionTimestamp }),
    managed: managed(policy, bound),
    want: { row: 'K6 finalised', act: 'nothing' },
  },
  'H3 a deleted claim whose resource is gone is finalised': {
    claim: byClass,
    want: { row: 'H3', act: 'finalise' },
  },
  'H2 a deleted claim that never named a resource is finalised': {
    claim: claim({ classRef: classRef('small') }, deleted),
    want: { row: 'H3', act: 'finalise' },
  },
  'H2 a deleted claim that took no resource is finalised': {
    managed: managed({ reclaimPolicy: 'Delete' }, unbound),
    want: { row: 'H2', act: 'finalise' },
  },
  'H2 one whose resource an administrator only meant for it': {
    managed: managed({ ...policy, claimRef: { ...claimRef(), uid: undefined } as object }, unbound),
    want: { row: 'H2', act: 'finalise' },
  },
  "H6 a deleted claim never touches another claim's resource": {
    managed: managed({ ...policy, claimRef: claimRef({ name: 'billing' }) }, bound),
    want: { row: 'H2', act: 'finalise' },
  },
  'H6 nor that of a former claim of the same name': {
    managed: managed(former, bound),
    want: { row: 'H6', act: 'finalise' },
  },
  'H6 nor that of a former claim, in the middle of its release': {
    managed: managed(former, released),
    want: { row: 'H6', act: 'finalise' },
  },
  'H6 nor what a former claim has reserved, and was not let go of yet': {
    managed: managed(former, { ...reservedFor('former/managed-uid'), ...unbound }),
    want: { row: 'H6', act: 'finalise' },
  },
  'K6 UnbindSuccess: what was Bound, policy Delete': {
    claim: wasBound,
    managed: managed(policy, bound),
    want: { row: 'K6', act: 'release', reclaim: 'Delete' },
  },
  'K6 what was Bound, policy Retain': {
    claim: wasBound,
    managed: managed({ ...policy, reclaimPolicy: 'Retain' }, bound),
    want: { row: 'K6', act: 'release', reclaim: 'Retain' },
  },
  'K6 what was Bound, no policy: retained': {
    claim: wasBound,
    managed: managed({ claimRef: claimRef() }, bound),
    want: { row: 'K6', act: 'release', reclaim: 'Retain' },
  },
  'K6 Bound by the record of the resource, before the claim could say so': {
    managed: managed(policy, { ...reserved, ...bound }),
    isHandedOver: true,
    want: { row: 'K6', act: 'release', reclaim: 'Delete' },
  },
  'K6 what a restored claim (new UID) was bound to, as its own status says': {
    claim: wasBound,
    managed: managed(former, bound),
    want: { row: 'K6', act: 'release', reclaim: 'Delete' },
  },
  'K6 what a restored claim was bound to, as the restored status of the resource says': {
    managed: managed(former, { status: { bindingPhase: 'Bound', boundUID: 'before-restore' } }),
    want: { row: 'K6', act: 'release', reclaim: 'Delete' },
  },
  'K6 begun: a release that was cut off goes on as it began': {
    claim: wasBound,
    managed: managed(policy, { ...reserved, ...released }),
    want: { row: 'K6 begun', act: 'release', reclaim: 'Retain' },
  },
  'K6 going: what is being deleted already is left to its own controller': {
    claim: wasBound,
    managed: managed(policy, { ...released, deletionTimestamp }),
    want: { row: 'K6 going', act: 'finalise' },
  },
  'K6 provisioned: what the claim made goes with it, though it was never Bound': {
    claim: byClass,
    managed: managed(policy, { name: ownName, ...unbound }),
    want: { row: 'K6 provisioned', act: 'release', reclaim: 'Delete' },
  },
  'K6 provisioned: also before its controller has said a word': {
    claim: byClass,
    managed: managed(policy, { name: ownName }),
    want: { row: 'K6 provisioned', act: 'release', reclaim: 'Delete' },
  },
  'K6 provisioned: also for the claim before a restore': {
    claim: claim(byClass.spec, { ...deleted, uid: 'after-restore' }),
    managed: managed(policy, { name: ownName, ...unbound }),
    want: { row: 'K6 provisioned', act: 'release', reclaim: 'Delete' },
  },
  'K6 reserved: what was made by hand and never Bound goes back as it was': {
    managed: managed(policy, { ...reserved, ...unbound }),
    want: { row: 'K6 reserved', act: 'free' },
  },
  'K6 reserved: also if it has a class, of a former claim': {
    managed: managed({ ...policy, classRef: classRef('small') }, { ...reserved, ...unbound }),
    want: { row: 'K6 reserved', act: 'free' },
  },
  'K6 unclear: it was handed over and not yet Bound: the password is known': {
    managed: managed(policy, { ...reserved, ...unbound }),
    isHandedOver: true,
    want: { row: 'K6 unclear', act: 'release', reclaim: 'Retain' },
  },
  'K6 unclear: the claim says Bound, the resource does not': {
    claim: wasBound,
    managed: managed(policy, { ...reserved, ...unbound }),
    want: { row: 'K6 unclear', act: 'release', reclaim: 'Retain' },
  },
  'K6 unclear: the claim says that it was bound, the resource does not': {
    claim: claim(byName.spec, { ...deleted, ...released }),
    managed: managed(policy, { ...reserved, ...unbound }),
    want: { row: 'K6 unclear', act: 'release', reclaim: 'Retain' },
  },
  'K6 unclear: restored, and not bound since: whether it was before is not known': {
    managed: managed(former, { ...reservedFor('former/before-restore'), ...unbound }),
    want: { row: 'K6 unclear', act: 'release', reclaim: 'Retain' },
  },
  'K6 unclear: restored and healed, and not bound since': {
    managed: managed(policy, { ...reservedFor('former/before-restore'), ...unbound }),
    want: { row: 'K6 unclear', act: 'release', reclaim: 'Retain' },
  },
};

describe('binding decides about a deleted claim', () => {
  test('every row has a case', () => assertEveryRow(deletedRows, mapValues(rows, 'want')));
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
