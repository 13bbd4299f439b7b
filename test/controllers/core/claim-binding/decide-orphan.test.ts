import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import mapValues from 'lodash/mapValues.js';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { provisionedNames } from '../../../../controllers/core/claim/provisioned-name.ts';
import type { OrphanDecision } from '../../../../controllers/core/claim-binding/decide-orphan.ts';
import { decideOrphan, orphanDecisions } from '../../../../controllers/core/claim-binding/decide-orphan.ts';
import { assertEveryDecision } from '../every-decision.ts';
import {
  claim,
  claimRef,
  deletionTimestamp,
  managed,
  otherManagedKind,
  resourceRef,
  service,
} from '../objects.ts';

const ownName = provisionedNames(claim())[0] ?? '';
const spec = { claimRef: claimRef(), reclaimPolicy: 'Delete' } as const;
const boundHere = { status: { bindingPhase: 'Bound', boundUID: 'managed-uid' } } as const;
const boundBefore = { status: { bindingPhase: 'Bound', boundUID: 'before-restore' } } as const;
const unbound = { status: { bindingPhase: 'Unbound' } } as const;
const reservedFor = (uids: string) => ({ annotations: { 'crossplane.io/reserved-for': uids } });
const reserved = reservedFor('claim-uid/managed-uid');
const secondLife = claim({ resourceRef: resourceRef('db') }, { uid: 'second-life' });
const gone = 'FancySQLInstance team/orders (UID claim-uid)';
const tell = {
  name: 'NotBoundHere',
  act: 'tell',
  message: `${gone}, which it names, does not exist. It may come back out of a backup, so that nothing is done; if it will, wait; else delete this resource`,
} as const;

interface Row {
  readonly managed: Managed;
  /** Whatever has the name by now. */
  readonly claim?: Claim;
  readonly isHandedOver?: boolean;
  readonly isLate?: boolean;
  readonly holder?: Claim;
  readonly want: Omit<OrphanDecision, 'managed'> & {
    readonly reclaim?: 'Delete' | 'Retain';
    message?: string;
  };
}

const rows: Record<string, Row> = {
  'NotClaimed: it names nobody': {
    managed: managed({}, boundHere),
    want: { name: 'NotClaimed', act: 'nothing' },
  },
  'NotClaimed: it is only meant for a claim, by an administrator': {
    managed: managed({ claimRef: { ...claimRef(), uid: undefined } as object }, unbound),
    want: { name: 'NotClaimed', act: 'nothing' },
  },
  'NotClaimed: it names a claim of another kind': {
    managed: managed({ ...spec, claimRef: claimRef({ kind: 'PlainSQLInstance' }) }, boundHere),
    want: { name: 'NotClaimed', act: 'nothing' },
  },
  'NotClaimed: it names a claim of another version': {
    managed: managed(
      { ...spec, claimRef: claimRef({ apiVersion: 'database.crossplane.io/v1beta1' }) },
      boundHere,
    ),
    want: { name: 'NotClaimed', act: 'nothing' },
  },
  'NotClaimed: it is being deleted': {
    managed: managed(spec, { ...boundHere, deletionTimestamp }),
    want: { name: 'NotClaimed', act: 'nothing' },
  },
  'HasClaim: its claim lives': {
    managed: managed(spec, boundHere),
    claim: claim(),
    want: { name: 'HasClaim', act: 'nothing' },
  },
  'NamedByClaim: a claim of that name lives and names it: binding heals or refuses': {
    managed: managed(spec, boundHere),
    claim: secondLife,
    want: { name: 'NamedByClaim', act: 'nothing' },
  },
  'ClaimRefEdited: it names another than the claim that has it': {
    managed: managed({ ...spec, claimRef: claimRef({ name: 'typo' }) }, boundHere),
    holder: claim(),
    want: {
      name: 'ClaimRefEdited',
      act: 'tell',
      message:
        "spec.claimRef names FancySQLInstance team/typo, but it is FancySQLInstance team/orders's, so that nothing is done while that one is there; " +
        `to give it back: kubectl patch favouritedbinstances.database.fcp.crossplane.io db --type=merge -p '{"spec":{"claimRef":{"apiVersion":"database.crossplane.io/v1alpha1","kind":"FancySQLInstance","namespace":"team","name":"orders","uid":"claim-uid"}}}'`,
    },
  },
  'OwnedByOther: what it names is gone, and so is the claim that it was bound to': {
    managed: managed(
      { ...spec, claimRef: claimRef({ uid: 'typo' }) },
      {
        status: { bindingPhase: 'Bound', boundUID: 'managed-uid', boundClaimUID: 'claim-uid' },
      },
    ),
    want: {
      name: 'OwnedByOther',
      act: 'tell',
      message:
        "FancySQLInstance team/orders (UID typo), which it names, does not exist, and it was another claim's, which is gone, so that nothing is done; delete this resource, and with it, unless its policies keep that, what it stands for; or offer it again, with what it may hold of that claim: write the claim that is to have it into its spec.claimRef, without a uid, and the annotation crossplane.io/reoffer=claim",
    },
  },
  'Reclaim: the name alone was edited: it was bound to the claim of that UID': {
    managed: managed(
      { ...spec, claimRef: claimRef({ name: 'typo' }) },
      {
        status: { bindingPhase: 'Bound', boundUID: 'managed-uid', boundClaimUID: 'claim-uid' },
      },
    ),
    want: {
      name: 'Reclaim',
      act: 'release',
      reclaim: 'Delete',
      message:
        'FancySQLInstance team/typo (UID claim-uid), to which it was bound, no longer exists: reclaimed by its policy, Delete',
    },
  },
  'ClaimRefEdited: the claim that has it is on its way out': {
    managed: managed({ ...spec, claimRef: claimRef({ name: 'typo' }) }, boundHere),
    holder: claim({}, { deletionTimestamp, finalizers: ['x'] }),
    want: { name: 'ClaimRefEdited', act: 'nothing' },
  },
  'Reclaim: bound here, policy Delete': {
    managed: managed(spec, boundHere),
    want: {
      name: 'Reclaim',
      act: 'release',
      reclaim: 'Delete',
      message: `${gone}, to which it was bound, no longer exists: reclaimed by its policy, Delete`,
    },
  },
  'Reclaim: bound here, no policy': {
    managed: managed({ claimRef: claimRef() }, boundHere),
    want: {
      name: 'Reclaim',
      act: 'release',
      reclaim: 'Retain',
      message: `${gone}, to which it was bound, no longer exists: reclaimed by its policy, Retain`,
    },
  },
  'Reclaim: bound here, and a claim of that name lives that names another': {
    managed: managed({ claimRef: claimRef() }, boundHere),
    claim: claim({ resourceRef: resourceRef('other') }, { uid: 'second-life' }),
    want: {
      name: 'Reclaim',
      act: 'release',
      reclaim: 'Retain',
      message: `${gone}, to which it was bound, no longer exists: reclaimed by its policy, Retain`,
    },
  },
  'Reclaim: bound here, and a claim of that name lives that names one of another kind': {
    managed: managed({ claimRef: claimRef() }, boundHere),
    claim: claim({ resourceRef: resourceRef('db', otherManagedKind) }, { uid: 'second-life' }),
    want: {
      name: 'Reclaim',
      act: 'release',
      reclaim: 'Retain',
      message: `${gone}, to which it was bound, no longer exists: reclaimed by its policy, Retain`,
    },
  },
  'Reclaim: bound here, as the reservation proves where an old definition keeps no boundUID': {
    managed: managed(spec, { ...reserved, status: { bindingPhase: 'Bound' } }),
    want: {
      name: 'Reclaim',
      act: 'release',
      reclaim: 'Delete',
      message: `${gone}, to which it was bound, no longer exists: reclaimed by its policy, Delete`,
    },
  },
  'FinishRelease: a release was cut off, and then the claim vanished': {
    managed: managed(spec, { status: { bindingPhase: 'Released', boundUID: 'managed-uid' } }),
    want: {
      name: 'FinishRelease',
      act: 'release',
      reclaim: 'Retain',
      message: `${gone}, whose connection secret it gave, no longer exists: Released`,
    },
  },
  'RemoveClaimRef: reserved here and never bound: free': {
    managed: managed(spec, { ...reserved, ...unbound }),
    want: {
      name: 'RemoveClaimRef',
      act: 'free',
      message: `${gone}, for which it was reserved, no longer exists: offered to others`,
    },
  },
  'Release: reserved here and handed over': {
    managed: managed(spec, { ...reserved, ...unbound }),
    isHandedOver: true,
    want: {
      name: 'Release',
      act: 'release',
      reclaim: 'Retain',
      message: `${gone}, whose connection secret it gave, no longer exists: Released`,
    },
  },
  'RemoveClaimRef: reserved here, and a claim of that name lives and names it: free, for whoever fits': {
    managed: managed(spec, { ...reserved, ...unbound }),
    claim: secondLife,
    want: {
      name: 'RemoveClaimRef',
      act: 'free',
      message: `${gone}, for which it was reserved, no longer exists: offered to others`,
    },
  },
  'Release: reserved here and handed over, and a claim of that name lives and names it': {
    managed: managed(spec, { ...reserved, ...unbound }),
    claim: secondLife,
    isHandedOver: true,
    want: {
      name: 'Release',
      act: 'release',
      reclaim: 'Retain',
      message: `${gone}, whose connection secret it gave, no longer exists: Released`,
    },
  },
  'NamedByClaim: it was reserved before it was restored': {
    managed: managed(spec, { ...reservedFor('claim-uid/before-restore'), ...unbound }),
    claim: secondLife,
    want: { name: 'NamedByClaim', act: 'nothing' },
  },
  'NamedByClaim: it was reserved and is Bound': {
    managed: managed(spec, { ...reserved, ...boundHere }),
    claim: secondLife,
    want: { name: 'NamedByClaim', act: 'nothing' },
  },
  'ReclaimLateCreation: made after its claim was let go, policy Delete': {
    managed: managed(spec, { name: ownName, ...unbound }),
    isLate: true,
    want: {
      name: 'ReclaimLateCreation',
      act: 'release',
      reclaim: 'Delete',
      message: `${gone}, for which it was made, was let go before it was there: reclaimed by its policy, Delete`,
    },
  },
  'ReclaimLateCreation: policy Retain': {
    managed: managed({ ...spec, reclaimPolicy: 'Retain' }, { name: ownName }),
    isLate: true,
    want: {
      name: 'ReclaimLateCreation',
      act: 'release',
      reclaim: 'Retain',
      message: `${gone}, for which it was made, was let go before it was there: reclaimed by its policy, Retain`,
    },
  },
  'NotBoundHere: late does not count for what was bound before a restore': {
    managed: managed(spec, { name: ownName, ...boundBefore }),
    isLate: true,
    want: tell,
  },
  'NotBoundHere: late does not count for what was not made for a claim': {
    managed: managed(spec, unbound),
    isLate: true,
    want: tell,
  },
  'HasClaim: late does not count while its claim lives': {
    managed: managed(spec, unbound),
    claim: claim(),
    isLate: true,
    want: { name: 'HasClaim', act: 'nothing' },
  },
  'NotBoundHere: restored without its status, reserved before': {
    managed: managed(spec, { ...reservedFor('claim-uid/before-restore'), ...unbound }),
    want: tell,
  },
  'NotBoundHere: restored with its status': { managed: managed(spec, boundBefore), want: tell },
  'NotBoundHere: restored with its status, reserved before': {
    managed: managed(spec, { ...reservedFor('claim-uid/before-restore'), ...boundBefore }),
    want: tell,
  },
  'NotBoundHere: Released before a restore': {
    managed: managed(spec, { status: { bindingPhase: 'Released', boundUID: 'before-restore' } }),
    want: tell,
  },
  'NotBoundHere: Released before a restore, and reserved since: it is not free': {
    managed: managed(spec, {
      ...reserved,
      status: { bindingPhase: 'Released', boundUID: 'before-restore' },
    }),
    want: tell,
  },
  'NotBoundHere: provisioned and never bound, or restored without its status': {
    managed: managed(spec, { name: ownName, ...unbound }),
    want: tell,
  },
};

describe('binding decides about a managed resource whose claim is not there', () => {
  test('every decision has a case', () => assertEveryDecision(orphanDecisions, mapValues(rows, 'want')));
  for (const [name, row] of Object.entries(rows)) {
    test(name, () => {
      const { holder } = row;
      const former = { isHandedOver: row.isHandedOver ?? false, isLate: row.isLate ?? false, holder };
      const parts = row.want.act === 'free' || row.want.act === 'release';
      assert.deepEqual(
        decideOrphan(service, row.managed, row.claim, former),
        parts ? { ...row.want, managed: row.managed } : row.want,
      );
    });
  }
});
