import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { boundConditions, decideBinding } from '../../controllers/core/claim-binding/decide.ts';
import { provisionedNames } from '../../controllers/core/claim-binding/provisioned-name.ts';
import type { ClaimService } from '../../controllers/core/managed-service.ts';
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
} from './objects.ts';

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

const unknownTo = (known: string) => ({
  ...condition('Ready', 'False', 'UnknownKind', `… no controller here handles; known: ${known}`),
  observedGeneration: 3,
});

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
  readonly service?: ClaimService;
  readonly row: string;
  readonly act: string;
  readonly reclaim?: 'Delete' | 'Retain';
  /** Ready and Synced of a report: reasons. */
  readonly ready?: string;
  readonly synced?: 'True' | 'False';
  readonly phase?: string;
  readonly event?: string;
  readonly eventType?: 'Normal' | 'Warning';
  readonly message?: RegExp;
  /** What a refresh says has no effect. */
  readonly edits?: readonly RegExp[];
}

const cases: Record<string, Case> = {
  'K1 a claim that is gone needs nothing': { claim: undefined, row: 'K1', act: 'nothing' },
  'K2 ManagedNotFound: a static claim waits for its resource': {
    claim: claim({ resourceRef: resourceRef('db') }),
    row: 'K2',
    act: 'report',
    ready: 'Binding',
    synced: 'True',
    phase: 'Unbound',
    event: 'ManagedResourceNotFound',
    message: /FavouriteDBInstance db, which does not exist/,
  },
  'K2 a bound claim whose resource vanished is Released, not provisioned again': {
    claim: claim(dynamic, { status: { bindingPhase: 'Bound' } }),
    resourceClass: small,
    row: 'K2 lost',
    act: 'report',
    ready: 'Binding',
    phase: 'Released',
    message: /no longer exists; delete the claim and create it anew/,
    eventType: 'Warning',
  },
  'K6 UnbindSuccess: reclaim policy Delete': {
    claim: claim(dynamic, deleted),
    managed: managed(
      { claimRef: claimRef(), reclaimPolicy: 'Delete' },
      { status: { bindingPhase: 'Bound' } },
    ),
    row: 'K6',
    act: 'release',
    reclaim: 'Delete',
  },
  'K6 reclaim policy Retain': {
    claim: claim(dynamic, deleted),
    managed: managed(
      { claimRef: claimRef(), reclaimPolicy: 'Retain' },
      { status: { bindingPhase: 'Bound' } },
    ),
    row: 'K6',
    act: 'release',
    reclaim: 'Retain',
  },
  'K6 no reclaim policy retains': {
    claim: claim({ resourceRef: resourceRef('db') }, deleted),
    managed: managed({ claimRef: claimRef() }),
    row: 'K6',
    act: 'release',
    reclaim: 'Retain',
  },
  'K6 SuccessfulDelete: without our finalizer there is nothing left to do': {
    claim: claim(dynamic, { deletionTimestamp }),
    managed: managed({ claimRef: claimRef(), reclaimPolicy: 'Delete' }),
    row: 'K6',
    act: 'nothing',
  },
  'H3 a deleted claim whose resource is gone is finalised': {
    claim: claim(dynamic, deleted),
    row: 'H3',
    act: 'finalise',
  },
  'H2 a deleted claim that never bound its resource is finalised': {
    claim: claim({ resourceRef: resourceRef('db') }, deleted),
    managed: managed({}, { status: { bindingPhase: 'Unbound' } }),
    row: 'H2',
    act: 'finalise',
  },
  'H2 a deleted claim that names nothing is finalised': {
    claim: claim({ classRef: classRef('small') }, deleted),
    row: 'H3',
    act: 'finalise',
  },
  "H6 a deleted claim never touches another claim's resource": {
    claim: claim({ resourceRef: resourceRef('db') }, deleted),
    managed: managed({ claimRef: claimRef({ name: 'billing' }), reclaimPolicy: 'Delete' }),
    row: 'H2',
    act: 'finalise',
  },
  'H6 nor that of a former claim of the same name': {
    claim: claim({ resourceRef: resourceRef('db') }, deleted),
    managed: managed(
      { claimRef: claimRef({ uid: 'former' }), reclaimPolicy: 'Delete' },
      { status: { bindingPhase: 'Bound' } },
    ),
    row: 'H6',
    act: 'finalise',
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
  'H4 a name this claim did not derive is never created': {
    claim: claim({ ...dynamic, resourceRef: resourceRef('team-orders-aaaaa') }),
    resourceClass: small,
    row: 'K2',
    act: 'report',
    ready: 'Binding',
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
    synced: 'True',
    event: 'WaitingToBind',
  },
  'K10 a released resource says how it is offered again': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { status: { bindingPhase: 'Released' } }),
    row: 'K10 released',
    act: 'report',
    ready: 'Binding',
    message:
      /kubectl annotate favouritedbinstances\.database\.fcp\.crossplane\.io db crossplane\.io\/reoffer=true/,
  },
  'K10 a resource being deleted is not bound': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({}, { deletionTimestamp, status: { bindingPhase: 'Unbound' } }),
    row: 'K10 deleted',
    act: 'report',
    ready: 'Binding',
    message: /is being deleted/,
  },
  'K11 ManagedIsInUnknownBindingPhase': {
    claim: claim(dynamic),
    managed: managed({ claimRef: claimRef() }),
    row: 'K11',
    act: 'report',
    ready: 'Binding',
    synced: 'True',
  },
  'K11 ManagedIsInUnbindableBindingPhase': {
    claim: claim(dynamic),
    managed: managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Unbindable' } }),
    row: 'K11',
    act: 'report',
    ready: 'Binding',
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
    ready: 'Binding',
    message: /external name cloud-db\): create failed: quota exceeded/,
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
    synced: 'False',
    message: /controlled by Composite c/,
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
  'H1 a resource bound to another claim is not bindable, and the claim is not Ready': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef({ namespace: 'rivals' }) }, { status: { bindingPhase: 'Bound' } }),
    row: 'H1',
    act: 'report',
    ready: 'Binding',
    synced: 'False',
    phase: 'Unbound',
    event: 'CannotBindManagedResource',
    message: /claimed by FancySQLInstance rivals\/orders/,
  },
  "H1 a former claim's resource is not handed to a new claim of that name": {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed({ claimRef: claimRef({ uid: 'former' }) }, { status: { bindingPhase: 'Bound' } }),
    row: 'H1 former',
    act: 'report',
    synced: 'False',
  },
  'H7 a claimRef of another kind with the same name is another claim': {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: managed(
      { claimRef: claimRef({ kind: 'PlainSQLInstance' }) },
      { status: { bindingPhase: 'Unbound' } },
    ),
    row: 'H1',
    act: 'report',
    synced: 'False',
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
    ready: 'UnknownKind',
    synced: 'False',
    message:
      /spec\.classRef names a NoSuchClass \(x\.io\/v1\).*AmbivalentDBInstanceClass.*FavouriteDBInstanceClass/,
  },
  'H7 told: what a process with other stacks said of an unknown kind is left to stand': {
    claim: claim(
      { classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } },
      { status: { conditions: [unknownTo('ThirdClass (third.io/v1)')] } },
    ),
    service: otherService,
    row: 'H7 told',
    act: 'nothing',
  },
  'H7 who knows more kinds replaces what was said': {
    claim: claim(
      { classRef: { apiVersion: 'x.io/v1', kind: 'NoSuchClass', name: 'c' } },
      {
        status: { conditions: [unknownTo('FavouriteDBInstanceClass (database.fcp.crossplane.io/v1alpha3)')] },
      },
    ),
    service: otherService,
    row: 'H7 unknown',
    act: 'report',
  },
  'K15 edited: another resource is named: what the claim has is kept, and it is said': {
    claim: claim({ resourceRef: resourceRef('other') }, { status: { bindingPhase: 'Bound' } }),
    managed: managed({}, { name: 'other', status: { bindingPhase: 'Unbound' } }),
    held: holding,
    row: 'K15 edited',
    act: 'refresh',
    edits: [/^spec\.resourceRef names FavouriteDBInstance other, .* bound to FavouriteDBInstance db$/],
  },
  'K15 edited: a resource of another kind is named: it stays with the controller of what the claim has': {
    claim: claim({ resourceRef: resourceRef('other', otherManagedKind) }),
    held: holding,
    row: 'K15 edited',
    act: 'refresh',
    edits: [/^spec\.resourceRef names AmbivalentDBInstance other/],
  },
  'H7 another kind is named than the claim has: its controller leaves it alone': {
    claim: claim({ resourceRef: resourceRef('other', otherManagedKind) }),
    service: otherService,
    held: holding,
    row: 'H7',
    act: 'nothing',
  },
  'K15 edited: another class is named than the resource was made from': {
    claim: claim({ ...dynamic, classRef: classRef('large') }),
    held: provisioned,
    row: 'K15 edited',
    act: 'refresh',
    edits: [
      /^spec\.classRef names FavouriteDBInstanceClass large, .* made from FavouriteDBInstanceClass small$/,
    ],
  },
  'K15 edited: another selector is given than the class was chosen by': {
    claim: claim({ ...dynamic, classSelector: { matchLabels: { size: 'large' } } }),
    held: managed(provisioned.spec, {
      name: ownName,
      annotations: { 'crossplane.io/class-selector': 'size=small' },
      status: { bindingPhase: 'Bound' },
    }),
    row: 'K15 edited',
    act: 'refresh',
    edits: [/^spec\.classSelector is size=large, but was size=small for the class$/],
  },
  'K15 the class of a resource that the claim did not provision is not its own': {
    claim: claim({ resourceRef: resourceRef('db') }),
    held: managed(
      { claimRef: claimRef(), classRef: classRef('of-a-former-claim') },
      { status: { bindingPhase: 'Bound' } },
    ),
    row: 'K15',
    act: 'refresh',
  },
  'K9 again: the reference was removed: it is written again, and nothing provisioned': {
    claim: claim({ classRef: classRef('small') }),
    resourceClass: small,
    held: provisioned,
    row: 'K9 again',
    act: 'recall',
  },
  'K6 what a deleted claim has is released, whatever it names by now': {
    claim: claim({ resourceRef: resourceRef('other') }, deleted),
    held: managed({ claimRef: claimRef(), reclaimPolicy: 'Delete' }, { status: { bindingPhase: 'Bound' } }),
    row: 'K6',
    act: 'release',
    reclaim: 'Delete',
  },
  'K15 a bound resource that is being deleted shows as Released and is bound until it is gone': {
    claim: claim({ resourceRef: resourceRef('db') }, { status: { bindingPhase: 'Bound' } }),
    managed: managed({ claimRef: claimRef() }, { deletionTimestamp, status: { bindingPhase: 'Released' } }),
    row: 'K15',
    act: 'refresh',
  },
};

describe('binding decides', () => {
  for (const [name, wanted] of Object.entries(cases)) {
    test(name, () => {
      const decision = decideBinding({
        service: wanted.service ?? service,
        peers: [otherService, service],
        claim: wanted.claim,
        managed: wanted.managed,
        resourceClass: wanted.resourceClass,
        held: wanted.held,
      });
      assert.equal(decision.row, wanted.row);
      assert.equal(decision.act, wanted.act);
      if (decision.act === 'refresh') {
        assert.equal(decision.edits.length, wanted.edits?.length ?? 0);
        for (const [i, text] of (wanted.edits ?? []).entries()) assert.match(decision.edits[i] ?? '', text);
      }
      if (decision.act === 'release') assert.equal(decision.reclaim, wanted.reclaim);
      if (decision.act !== 'report') return;
      const find = (type: string) => decision.facts.conditions.find((fact) => fact.type === type);
      if (wanted.ready !== undefined) assert.equal(find('Ready')?.reason, wanted.ready);
      if (wanted.synced !== undefined) assert.equal(find('Synced')?.status, wanted.synced);
      if (wanted.phase !== undefined) assert.equal(decision.facts.bindingPhase, wanted.phase);
      if (wanted.eventType !== undefined) assert.equal(decision.event.type, wanted.eventType);
      if (wanted.event !== undefined) assert.equal(decision.event.reason, wanted.event);
      if (wanted.message !== undefined) assert.match(decision.event.message, wanted.message);
      assert.equal(find('Ready')?.status, 'False', 'no report of a wait says Ready');
    });
  }
});

describe('H14 a bound claim is as ready as its managed resource', () => {
  const withConditions = (...conditions: ReturnType<typeof condition>[]) =>
    managed({}, { status: { conditions } });
  const rows: Record<string, { managed: Managed; status: string; reason: string; message?: RegExp }> = {
    ready: {
      managed: withConditions(condition('Ready', 'True', 'Available')),
      status: 'True',
      reason: 'Available',
    },
    'ready though its last pass failed, which it says': {
      managed: withConditions(
        condition('Ready', 'True', 'Available'),
        condition('Synced', 'False', 'ReconcileError', 'observe failed: 503'),
      ),
      status: 'True',
      reason: 'Available',
      message: /observe failed: 503/,
    },
    'unavailable, with its message': {
      managed: withConditions(condition('Ready', 'False', 'Unavailable', 'out of disk')),
      status: 'False',
      reason: 'Unavailable',
      message: /FavouriteDBInstance db: out of disk/,
    },
    'being deleted': {
      managed: managed(
        {},
        { deletionTimestamp, status: { conditions: [condition('Ready', 'True', 'Available')] } },
      ),
      status: 'False',
      reason: 'Deleting',
    },
    silent: { managed: managed(), status: 'False', reason: 'Unavailable' },
  };
  for (const [name, wanted] of Object.entries(rows)) {
    test(name, () => {
      const [ready] = boundConditions(wanted.managed);
      assert.equal(ready?.status, wanted.status);
      assert.equal(ready?.reason, wanted.reason);
      if (wanted.message !== undefined) assert.match(ready?.message ?? '', wanted.message);
    });
  }
});

describe('names of provisioned resources', () => {
  test('namespace, claim and five characters, at most 63 in all', () => {
    assert.match(ownName, /^team-orders-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    const [long = ''] = provisionedNames(claim({}, { name: 'x'.repeat(100) }));
    assert.equal(long.length, 63);
  });
  test('the same for the same claim, and another for a claim of the same name in another namespace or life', () => {
    assert.equal(provisionedNames(claim())[0], ownName);
    assert.notEqual(provisionedNames(claim({}, { namespace: 'other', uid: 'u2' }))[0], ownName);
    assert.notEqual(provisionedNames(claim({}, { uid: 'second-life' }))[0], ownName);
  });
});
