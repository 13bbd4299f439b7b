import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Condition } from '../../../../apis/core/v1alpha1/condition.ts';
import { notReady } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { provisionedNames } from '../../../../controllers/core/claim/provisioned-name.ts';
import type { BindingInput } from '../../../../controllers/core/claim-binding/decide.ts';
import { bindingDecisions, decideBinding } from '../../../../controllers/core/claim-binding/decide.ts';
import { deletedDecisions } from '../../../../controllers/core/claim-binding/decide-deleted.ts';
import type { Ending, Happened } from '../../../../controllers/core/claim-binding/ending.ts';
import {
  cannotBind,
  cannotConfigure,
  cannotCreate,
  cannotPropagate,
  cannotRead,
  cannotRefresh,
  cannotUnbind,
  createdEvent,
  failed,
  newlyBound,
  quiet,
  reported,
  stillBound,
  told,
  unboundEvent,
} from '../../../../controllers/core/claim-binding/ending.ts';
import type { FailureFacts } from '../../../../controllers/core/step-failure.ts';
import { StepFailure } from '../../../../controllers/core/step-failure.ts';
import { isConflict } from '../../../../runtime/client/errors.ts';
import type { Result } from '../../../../runtime/controller/reconcile.ts';
import { after, done, requeue } from '../../../../runtime/controller/reconcile.ts';
import { conflict } from '../cluster-fake.ts';
import {
  claim,
  claimRef,
  classRef,
  deletionTimestamp,
  managed,
  now,
  otherClassKind,
  otherService,
  resourceClass,
  resourceRef,
  service,
} from '../objects.ts';

const condition = (type: string, status: 'True' | 'False', reason: string, message?: string): Condition => ({
  type,
  status,
  reason,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...(message !== undefined && { message }),
});
const ownName = provisionedNames(claim())[0] ?? '';
const own = claim({ classRef: classRef('small'), resourceRef: resourceRef(ownName) });
const byName = claim({ resourceRef: resourceRef('db') });
const wanting = claim({ resourceRef: resourceRef('db'), writeConnectionSecretToRef: { name: 'conn' } });
const ready = { conditions: [condition('Ready', 'True', 'Available')] };
const bound = managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Bound', ...ready } });
const failing = managed(
  { claimRef: claimRef() },
  {
    status: { bindingPhase: 'Bound', conditions: [condition('Ready', 'False', 'Unavailable', 'restarting')] },
  },
);
const statusOf = (conditions: readonly Condition[], bindingPhase: 'Bound' | 'Unbound' = 'Bound') => ({
  status: { bindingPhase, conditions },
});

/** How a claim ends that is decided to be reported on. */
function decided(facts: Partial<BindingInput>): Ending {
  const rest = { managed: undefined, resourceClass: undefined, held: undefined, isHandedOver: false };
  const input = { service, peers: [otherService, service], claim: byName, ...rest, ...facts };
  const decision = decideBinding(input);
  assert.ok(decision.act === 'report' && input.claim !== undefined);
  return { decision: decision.name, ...reported(input.claim, decision, now) };
}
const cut = (
  of: Claim,
  what: string,
  facts: FailureFacts<Happened>,
  cause: unknown = new Error('boom'),
): Ending => failed(of, new StepFailure(what, cause, facts));
const parted = (
  act: 'free' | 'release',
  reclaim: 'Delete' | 'Retain' = 'Retain',
  found: 'there' | 'gone' = 'there',
): Happened => [
  unboundEvent(
    act === 'free'
      ? { name: 'RemoveClaimRef', act, managed: bound }
      : { name: 'Reclaim', act, managed: bound, reclaim },
    found,
  ),
];

const lost =
  'was bound to FavouriteDBInstance db, which no longer exists; for another make another claim, and delete this one once nobody needs its secret';
const refusing = 'refusing to bind to FavouriteDBInstance';
const whoKnows =
  'refusing to bind to FavouriteDBInstance db: it was given to a claim, which its spec.claimRef does not name any more; an administrator who knows which one it was writes that there again';
const unfit = `${refusing} db: it has engine "wrong"; make another claim that names another resource`;
const namespaceSelector = { matchLabels: { stage: 'live' } };
const namespace = { name: 'team', labels: {} };
const elsewhere = resourceClass('small', {}, { specTemplate: { namespaceSelector } });
const forbiddenClass =
  'FavouriteDBInstanceClass small may not be claimed from namespace team: specTemplate.namespaceSelector does not select it';
const forbiddenResource = `${refusing} db: it may not be claimed from namespace team: spec.namespaceSelector does not select it`;
const unoffered = `${refusing} db: it is only observed, and offered to nobody; an administrator may name the claim in its spec.claimRef, or let its spec.namespaceSelector say from which namespaces it may be claimed ({}: from all)`;
const unserved =
  'no connection secret is written: FavouriteDBInstance db has no spec.writeConnectionSecretToRef, which an administrator may set';
const edit = `spec.classRef names FavouriteDBInstanceClass small`;
const unknown =
  'spec.classRef names a NoSuchClass (x.io/v1), which no controller here handles; known: AmbivalentDBInstanceClass (database.ocp.crossplane.io/v1alpha1), FavouriteDBInstanceClass (database.fcp.crossplane.io/v1alpha3)';
const keptByUnknown = unknown.replace(
  'handles;',
  'handles, so that nobody lets go of it; take the edit back, or run who does;',
);
const stuck = (deletionTimestamp: string) =>
  claim(
    { classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } },
    { deletionTimestamp, finalizers: ['finalizer.resourceclaim.crossplane.io'] },
  );
const misled = `spec.classRef names AmbivalentDBInstanceClass other, but FavouriteDBInstance ${ownName} was to be made from a FavouriteDBInstanceClass; take the edit back, or make another claim`;
const offer = `FavouriteDBInstance db was released by a former claim, and may hold the data of that; an administrator can offer it to this claim: kubectl patch favouritedbinstances.database.fcp.crossplane.io db --type=merge -p '{"metadata":{"annotations":{"crossplane.io/reoffer":"claim"}},"spec":{"claimRef":{"apiVersion":"database.crossplane.io/v1alpha1","kind":"FancySQLInstance","namespace":"team","name":"orders","uid":null}}}'`;
const offered =
  'waiting for FavouriteDBInstance db, which is offered again and is given new credentials first';
const ours = (spec: Managed['spec'], status: Managed['status'], metadata = {}) =>
  managed(spec, { ...metadata, ...(status && { status }) });

const binding = (message: string) => `Ready False Binding: ${message}`;
const synced = 'Synced True ReconcileSuccess';
const error = (message: string) => `Synced False ReconcileError: ${message}`;

/** An ending, what the claim says then, and what brings it back beside the events of what it waits for. */
type Line = readonly [
  ending: () => Ending,
  says: readonly string[],
  events: readonly string[],
  result?: Result,
];

const nothing: Line = [() => quiet(), [], []];
type Name = (typeof bindingDecisions)[number] | (typeof deletedDecisions)[number];

/** Each decision's endings; those of steps that fail are with the decision in whose course they may. */
const rows: Readonly<Record<Name, Readonly<Record<string, Line>>>> = {
  ClaimGone: { nothing },
  RemoveFinalizer: { finalised: nothing },
  OtherKind: {
    nothing,
    'before anything is decided, the managed resource cannot be read': [
      () => cut(byName, 'cannot get managed resource', cannotRead),
      ['Unbound', error('cannot get managed resource: boom')],
      ['Warning CannotGetManagedResource: cannot get managed resource: boom'],
      requeue,
    ],
  },
  UnknownKind: {
    told: [
      () =>
        decided({
          service: otherService,
          claim: claim({ classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } }),
        }),
      ['Unbound', `Ready False UnknownKind: ${unknown}`, error(unknown)],
      [`Warning UnknownKind: ${unknown}`],
    ],
    'not of one that was deleted this very moment': [
      () => decided({ service: otherService, claim: stuck('2026-01-02T03:04:04Z') }),
      [],
      [],
      after(1_000),
    ],
    'of one that nobody lets go of': [
      () => decided({ service: otherService, claim: stuck('2026-01-02T03:04:03Z') }),
      ['Unbound', `Ready False UnknownKind: ${keptByUnknown}`, error(keptByUnknown)],
      [`Warning UnknownKind: ${keptByUnknown}`],
    ],
  },
  ReportedElsewhere: { nothing },
  RestoreReferences: {
    'written again': nothing,
    'it cannot be': [
      () => cut(byName, 'cannot update resource claim', cannotRefresh),
      ['Unbound', error('cannot update resource claim: boom')],
      ['Warning CannotBindManagedResource: cannot update resource claim: boom'],
      requeue,
    ],
  },
  ClassMissing: {
    told: [
      () => decided({ claim: claim({ classRef: classRef('small') }) }),
      [
        'Unbound',
        'Ready False Creating: FavouriteDBInstanceClass small does not exist',
        error('FavouriteDBInstanceClass small does not exist'),
      ],
      ['Warning CannotGetResourceClass: FavouriteDBInstanceClass small does not exist'],
    ],
  },
  ClassForbidden: {
    told: [
      () => decided({ claim: claim({ classRef: classRef('small') }), resourceClass: elsewhere, namespace }),
      ['Unbound', `Ready False Creating: ${forbiddenClass}`, error(forbiddenClass)],
      [`Warning NamespaceNotAllowed: ${forbiddenClass}`],
    ],
  },
  RecordName: {
    'the class does not fit: an event of class or claim wakes it': [
      () =>
        cut(own, 'cannot configure managed resource from FavouriteDBInstanceClass small', cannotConfigure),
      [
        'Unbound',
        'Ready False Creating: cannot configure managed resource from FavouriteDBInstanceClass small: boom',
        error('cannot configure managed resource from FavouriteDBInstanceClass small: boom'),
      ],
      [
        'Warning CannotConfigureManagedResource: cannot configure managed resource from FavouriteDBInstanceClass small: boom',
      ],
    ],
    'no name is left': [
      () => cut(own, '', cannotCreate, 'every name is taken'),
      ['Unbound', 'Ready False Creating: every name is taken', error('every name is taken')],
      ['Warning CannotCreateManagedResource: every name is taken'],
      requeue,
    ],
  },
  Create: {
    created: [
      () => quiet(own, [createdEvent(managed(), resourceClass('small'))]),
      [],
      ['Normal CreatedManagedResource: created FavouriteDBInstance db from FavouriteDBInstanceClass small'],
    ],
    'it cannot be': [
      () => cut(own, 'cannot create managed resource', cannotCreate),
      [
        'Unbound',
        'Ready False Creating: cannot create managed resource: boom',
        error('cannot create managed resource: boom'),
      ],
      ['Warning CannotCreateManagedResource: cannot create managed resource: boom'],
      requeue,
    ],
  },
  ResourceMissing: {
    told: [
      () => decided({}),
      ['Unbound', binding('waiting for FavouriteDBInstance db, which does not exist'), synced],
      ['Normal ManagedResourceNotFound: waiting for FavouriteDBInstance db, which does not exist'],
    ],
    'of another Ready than before: it is news': [
      () =>
        decided({
          claim: claim(
            { resourceRef: resourceRef('db') },
            statusOf([condition('Ready', 'False', 'NoMatchingClass')], 'Unbound'),
          ),
        }),
      ['Unbound', binding('waiting for FavouriteDBInstance db, which does not exist'), synced],
      ['Normal ManagedResourceNotFound: waiting for FavouriteDBInstance db, which does not exist'],
    ],
    'told before: it is no news': [
      () =>
        decided({
          claim: claim(
            { resourceRef: resourceRef('db') },
            statusOf(
              [
                condition(
                  'Ready',
                  'False',
                  'Binding',
                  'waiting for FavouriteDBInstance db, which does not exist',
                ),
              ],
              'Unbound',
            ),
          ),
        }),
      ['Unbound', binding('waiting for FavouriteDBInstance db, which does not exist'), synced],
      [],
    ],
  },
  ResourceLost: {
    told: [
      () =>
        decided({ claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Bound' } }) }),
      ['Released', binding(lost), synced],
      [`Warning ManagedResourceNotFound: ${lost}`],
    ],
  },
  ClassRefEdited: {
    told: [
      () => decided({ claim: claim({ ...own.spec, classRef: classRef('other', otherClassKind) }) }),
      ['Unbound', binding(misled), error(misled)],
      [`Warning CannotApplyEdit: ${misled}`],
    ],
  },
  ResourceForbidden: {
    told: [
      () => decided({ managed: ours({ namespaceSelector }, { bindingPhase: 'Unbound' }), namespace }),
      ['Unbound', binding(forbiddenResource), error(forbiddenResource)],
      [`Warning NamespaceNotAllowed: ${forbiddenResource}`],
    ],
  },
  OwnedByOther: {
    told: [
      () => decided({ rightful: claim({}, { namespace: 'rivals', uid: 'rival' }), managed: ours({}, {}) }),
      [
        'Unbound',
        binding(`${refusing} db: it is FancySQLInstance rivals/orders's`),
        error(`${refusing} db: it is FancySQLInstance rivals/orders's`),
      ],
      [`Warning CannotBindManagedResource: ${refusing} db: it is FancySQLInstance rivals/orders's`],
    ],
  },
  ClaimedByOther: {
    told: [
      () =>
        decided({
          managed: ours({ claimRef: claimRef({ namespace: 'rivals' }) }, { bindingPhase: 'Bound' }),
        }),
      [
        'Unbound',
        binding(`${refusing} db: it is claimed by FancySQLInstance rivals/orders`),
        error(`${refusing} db: it is claimed by FancySQLInstance rivals/orders`),
      ],
      [`Warning CannotBindManagedResource: ${refusing} db: it is claimed by FancySQLInstance rivals/orders`],
    ],
  },
  ClaimedByFormerClaim: {
    told: [
      () => decided({ managed: ours({ claimRef: claimRef({ uid: 'former' }) }, { bindingPhase: 'Bound' }) }),
      [
        'Unbound',
        binding(`${refusing} db: it belonged to a former FancySQLInstance team/orders with another UID`),
        error(`${refusing} db: it belonged to a former FancySQLInstance team/orders with another UID`),
      ],
      [
        `Warning CannotBindManagedResource: ${refusing} db: it belonged to a former FancySQLInstance team/orders with another UID`,
      ],
    ],
  },
  NameTaken: {
    told: [
      () => decided({ claim: own, managed: ours({}, { bindingPhase: 'Unbound' }, { name: ownName }) }),
      [
        'Unbound',
        binding(
          `${refusing} ${ownName}: what the claim makes names the claim in spec.claimRef, and this does not`,
        ),
        error(
          `${refusing} ${ownName}: what the claim makes names the claim in spec.claimRef, and this does not`,
        ),
      ],
      [
        `Warning CannotBindManagedResource: ${refusing} ${ownName}: what the claim makes names the claim in spec.claimRef, and this does not`,
      ],
    ],
  },
  ControlledByOther: {
    told: [
      () =>
        decided({
          managed: ours(
            {},
            { bindingPhase: 'Unbound' },
            {
              ownerReferences: [
                { apiVersion: 'x/v1', kind: 'Composite', name: 'c', uid: 'u', controller: true },
              ],
            },
          ),
        }),
      [
        'Unbound',
        binding(`${refusing} db: it is controlled by Composite c`),
        error(`${refusing} db: it is controlled by Composite c`),
      ],
      [`Warning CannotBindManagedResource: ${refusing} db: it is controlled by Composite c`],
    ],
  },
  KeepBound: {
    'as ready as its managed resource': [
      () => stillBound(byName, bound, true),
      ['Bound', 'Ready True Available', synced],
      [],
    ],
    'in its words where it is not': [
      () => stillBound(byName, failing, true),
      ['Bound', 'Ready False Unavailable: FavouriteDBInstance db: restarting', synced],
      ['Warning ManagedResourceTrouble: FavouriteDBInstance db: restarting'],
      after(600_000),
    ],
    'no secret is written': [
      () => stillBound(wanting, bound, true),
      ['Bound', `Ready True Available: ${unserved}`, synced],
      [`Warning CannotPropagateConnectionDetails: ${unserved}`],
    ],
    'a write fails: Ready stays': [
      () =>
        cut(
          claim(byName.spec, statusOf([condition('Ready', 'True', 'Available')])),
          'cannot update managed resource',
          cannotRefresh,
        ),
      ['Bound', 'Ready True Available', error('cannot update managed resource: boom')],
      ['Warning CannotBindManagedResource: cannot update managed resource: boom'],
      requeue,
    ],
    'its secret cannot be handed over': [
      () => cut(claim(byName.spec, statusOf([condition('Ready', 'True', 'Available')])), '', cannotPropagate),
      ['Bound', binding('boom'), error('boom')],
      ['Warning CannotPropagateConnectionDetails: boom'],
      requeue,
    ],
  },
  NotOffered: {
    told: [
      () => decided({ managed: ours({ managementPolicies: ['Observe'] }, { bindingPhase: 'Unbound' }) }),
      ['Unbound', binding(unoffered), error(unoffered)],
      [`Warning CannotBindManagedResource: ${unoffered}`],
    ],
  },
  Incompatible: {
    told: [
      () => decided({ managed: ours({ forProvider: { engine: 'wrong' } }, { bindingPhase: 'Unbound' }) }),
      ['Unbound', binding(unfit), error(unfit)],
      [`Warning CannotBindManagedResource: ${unfit}`],
    ],
    'nobody can tell: the stack has a bug': [
      () => cut(byName, 'cannot tell whether the claim can be served', cannotBind),
      [
        'Unbound',
        binding('cannot tell whether the claim can be served: boom'),
        error('cannot tell whether the claim can be served: boom'),
      ],
      ['Warning CannotBindManagedResource: cannot tell whether the claim can be served: boom'],
      requeue,
    ],
  },
  ResourceDeleted: {
    told: [
      () => decided({ managed: ours({}, { bindingPhase: 'Unbound' }, { deletionTimestamp }) }),
      ['Unbound', binding('FavouriteDBInstance db is being deleted'), synced],
      ['Normal WaitingToBind: FavouriteDBInstance db is being deleted'],
    ],
  },
  CredentialNotApplied: {
    told: [
      () => {
        const annotations = { 'crossplane.io/reoffer': 'true' };
        return decided({ managed: ours({}, { bindingPhase: 'Released' }, { annotations }) });
      },
      ['Unbound', binding(offered), synced],
      [`Normal WaitingToBind: ${offered}`],
    ],
  },
  Released: {
    told: [
      () => decided({ managed: ours({}, { bindingPhase: 'Released' }) }),
      ['Unbound', binding(offer), synced],
      [`Warning WaitingToBind: ${offer}`],
    ],
  },
  ReleasedWhileBound: {
    told: [
      () => decided({ isDisputed: true, managed: ours({}, { bindingPhase: 'Bound' }) }),
      ['Unbound', binding(whoKnows), error(whoKnows)],
      [`Warning CannotBindManagedResource: ${whoKnows}`],
    ],
  },
  Bind: {
    bound: [
      () => newlyBound(byName, bound),
      ['Bound', 'Ready True Available', synced],
      ['Normal BoundManagedResource: bound to FavouriteDBInstance db'],
    ],
    'no secret is written': [
      () => newlyBound(wanting, bound),
      ['Bound', `Ready True Available: ${unserved}`, synced],
      [
        'Normal BoundManagedResource: bound to FavouriteDBInstance db',
        `Warning CannotPropagateConnectionDetails: ${unserved}`,
      ],
    ],
    'of another phase than before, though as ready: it is news': [
      () =>
        newlyBound(claim(byName.spec, statusOf([condition('Ready', 'True', 'Available')], 'Unbound')), bound),
      ['Bound', 'Ready True Available', synced],
      ['Normal BoundManagedResource: bound to FavouriteDBInstance db'],
    ],
    'a failure that has no reason of its own has no Event': [
      () =>
        cut(byName, 'cannot update managed resource status', {
          ready: (message) => notReady('Binding', message),
        }),
      [
        'Unbound',
        binding('cannot update managed resource status: boom'),
        error('cannot update managed resource status: boom'),
      ],
      [],
      requeue,
    ],
    'a write fails': [
      () => cut(byName, 'cannot update managed resource status', cannotBind),
      [
        'Unbound',
        binding('cannot update managed resource status: boom'),
        error('cannot update managed resource status: boom'),
      ],
      ['Warning CannotBindManagedResource: cannot update managed resource status: boom'],
      requeue,
    ],
    'its secret cannot be handed over': [
      () => cut(byName, '', cannotPropagate),
      ['Unbound', binding('boom'), error('boom')],
      ['Warning CannotPropagateConnectionDetails: boom'],
      requeue,
    ],
  },
  NotReady: {
    told: [
      () => decided({ managed: ours({}, { bindingPhase: 'Unbindable' }) }),
      ['Unbound', binding('waiting for FavouriteDBInstance db'), synced],
      ['Normal WaitingToBind: waiting for FavouriteDBInstance db'],
    ],
  },
  Provisioning: {
    told: [
      () => decided({ claim: own, managed: ours({ claimRef: claimRef() }, { bindingPhase: 'Unbindable' }) }),
      ['Unbound', binding('waiting for FavouriteDBInstance db'), synced],
      ['Normal WaitingToBind: waiting for FavouriteDBInstance db'],
    ],
  },
  AwaitFirstReport: {
    'for two seconds at most': [
      () =>
        decided({
          claim: own,
          managed: ours({ claimRef: claimRef() }, undefined, { creationTimestamp: '2026-01-02T03:04:04Z' }),
        }),
      [],
      [],
      after(1_000),
    ],
    'then told': [
      () =>
        decided({
          claim: own,
          managed: ours({ claimRef: claimRef() }, undefined, { creationTimestamp: '2026-01-02T03:04:03Z' }),
        }),
      ['Unbound', binding('waiting for FavouriteDBInstance db'), synced],
      ['Normal WaitingToBind: waiting for FavouriteDBInstance db'],
    ],
    'or at once where the clocks disagree': [
      () =>
        decided({
          claim: own,
          managed: ours({ claimRef: claimRef() }, undefined, { creationTimestamp: '2026-01-02T03:04:06Z' }),
        }),
      ['Unbound', binding('waiting for FavouriteDBInstance db'), synced],
      ['Normal WaitingToBind: waiting for FavouriteDBInstance db'],
    ],
  },
  FinalizerRemoved: { nothing },
  ResourceGone: { finalised: nothing },
  NotOwned: { finalised: nothing },
  OwnedByFormerClaim: { finalised: nothing },
  DeletionStarted: { finalised: nothing },
  Reclaim: {
    deleted: [
      () => quiet(byName, parted('release', 'Delete')),
      [],
      ['Normal UnboundManagedResource: unbound from FavouriteDBInstance db, which is deleted'],
    ],
    retained: [
      () => quiet(byName, parted('release')),
      [],
      ['Normal UnboundManagedResource: unbound from FavouriteDBInstance db, which is Released'],
    ],
    'retained, and gone by then': [
      () => quiet(byName, parted('release', 'Retain', 'gone')),
      [],
      ['Normal UnboundManagedResource: unbound from FavouriteDBInstance db, which is gone'],
    ],
    'unbinding fails': [
      () => cut(byName, 'cannot delete managed resource', cannotUnbind),
      [
        'Unbound',
        'Ready False Deleting: cannot delete managed resource: boom',
        error('cannot delete managed resource: boom'),
      ],
      ['Warning CannotUnbindManagedResource: cannot delete managed resource: boom'],
      requeue,
    ],
    'unbound, and then the finalizer stays': [
      () => cut(byName, 'cannot update resource claim', { ...cannotUnbind, known: parted('release') }),
      [
        'Unbound',
        'Ready False Deleting: cannot update resource claim: boom',
        error('cannot update resource claim: boom'),
      ],
      [
        'Normal UnboundManagedResource: unbound from FavouriteDBInstance db, which is Released',
        'Warning CannotUnbindManagedResource: cannot update resource claim: boom',
      ],
      requeue,
    ],
  },
  FinishRelease: {
    retained: [
      () => quiet(byName, parted('release')),
      [],
      ['Normal UnboundManagedResource: unbound from FavouriteDBInstance db, which is Released'],
    ],
  },
  ReclaimProvisioned: {
    deleted: [
      () => quiet(byName, parted('release', 'Delete')),
      [],
      ['Normal UnboundManagedResource: unbound from FavouriteDBInstance db, which is deleted'],
    ],
  },
  RemoveClaimRef: {
    freed: [
      () => quiet(byName, parted('free')),
      [],
      ['Normal UnboundManagedResource: gave back FavouriteDBInstance db, to which it was never bound'],
    ],
  },
  Release: {
    retained: [
      () => quiet(byName, parted('release')),
      [],
      ['Normal UnboundManagedResource: unbound from FavouriteDBInstance db, which is Released'],
    ],
  },
};

const textOf = ({ message, ...rest }: { readonly message?: string }, ...keys: readonly string[]): string =>
  `${keys.map((key) => rest[key as never]).join(' ')}${message === undefined ? '' : `: ${message}`}`;

/** Everything that an ending tells of. */
function saidOf(ending: Ending, edits: readonly string[] = []) {
  const { claim: before = claim(), happened = [], facts, result } = ending;
  const { reported: after, events } = told(before, ending, edits, now);
  const conditions = (after.status?.conditions ?? []).map((each) => textOf(each, 'type', 'status', 'reason'));
  return {
    says: facts === undefined ? [] : [after.status?.bindingPhase, ...conditions],
    events: [...happened, ...events].map((each) => textOf(each, 'type', 'reason')),
    result,
  };
}

describe('how a run of claim binding ends', () => {
  test('every decision has its endings', () => {
    assert.deepEqual(Object.keys(rows), [...bindingDecisions, ...deletedDecisions]);
  });

  for (const [decision, lines] of Object.entries(rows)) {
    for (const [what, [end, says, events, result = done]] of Object.entries(lines)) {
      test(`${decision}: ${what}`, () => {
        const ending = end();
        assert.ok(ending.decision === undefined || ending.decision === decision, ending.decision);
        assert.deepEqual(saidOf(ending), { says, events, result });
      });
    }
  }

  test('a conflict is thrown in the end, once what happened before it was told', () => {
    const known = parted('release');
    const ending = cut(byName, 'cannot update resource claim', { ...cannotUnbind, known }, conflict());
    assert.ok(isConflict(ending.thrown));
    assert.deepEqual(saidOf(ending), {
      says: [],
      events: ['Normal UnboundManagedResource: unbound from FavouriteDBInstance db, which is Released'],
      result: requeue,
    });
  });

  test('an edit that has no effect is said beside whatever else is, each time', () => {
    const told = `${edit}: once set these are immutable, so that this has no effect; take the edit back, or make another claim`;
    assert.deepEqual(saidOf(stillBound(byName, bound, true), [edit]), {
      says: ['Bound', 'Ready True Available', error(told)],
      events: [`Warning CannotApplyEdit: ${told}`],
      result: done,
    });
  });
});
