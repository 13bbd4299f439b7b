import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import {
  available,
  availableWithTrouble,
  notReady,
  reconcileError,
  reconcileSuccess,
} from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import { decideBinding } from '../../../../controllers/core/claim-binding/decide.ts';
import { claimEndDecisions } from '../../../../controllers/core/claim-binding/decide-claim-end.ts';
import type {
  BindingDecision,
  BindingFacts,
  BindingWait,
} from '../../../../controllers/core/claim-binding/decision.ts';
import { bindingDecisions, isCall } from '../../../../controllers/core/claim-binding/decision.ts';
import type { Report } from '../../../../controllers/core/claim-binding/report.ts';
import { reportOf } from '../../../../controllers/core/claim-binding/report.ts';
import { StepFailure } from '../../../../controllers/core/step-failure.ts';
import {
  claim,
  claimRef,
  classRef,
  deletionTimestamp,
  managed,
  resourceClass,
  resourceRef,
  secretOf,
  service,
} from '../objects.ts';

const finalizers = ['finalizer.resourceclaim.crossplane.io'];
const small = resourceClass('small');
const conn = { writeConnectionSecretToRef: { name: 'conn' } };
const src = { writeConnectionSecretToRef: { namespace: 'system', name: 'src' } };

/** A claim that has its finalizer and names its resource. */
const named = claim({ ...conn, resourceRef: resourceRef('db') }, { finalizers });
const boundClaim = claim(named.spec, { finalizers, status: { bindingPhase: 'Bound' } });
const endingClaim = claim(named.spec, { finalizers, deletionTimestamp });
const unbound = managed(src, { status: { bindingPhase: 'Unbound' } });
const reserved = managed({ ...src, claimRef: claimRef() }, { status: { bindingPhase: 'Unbound' } });
const boundHere = { bindingPhase: 'Bound', boundUID: 'managed-uid' } as const;
const bound = managed({ ...src, claimRef: claimRef() }, { status: boundHere });
const deletable = managed({ claimRef: claimRef(), reclaimPolicy: 'Delete' }, { status: boundHere });
const provisioned = managed({ claimRef: claimRef(), classRef: classRef('small'), reclaimPolicy: 'Delete' });
const boundElsewhere = managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Bound' } });
const released = managed(
  { ...src, claimRef: claimRef({ uid: 'previous-uid' }) },
  { status: { bindingPhase: 'Released', boundUID: 'managed-uid' } },
);
const restored = { claimRef: claimRef({ uid: 'uid-before-the-restore' }) };

const { uid: _none, ...preset } = claimRef();
const presetFor = managed({ claimRef: preset }, { status: { bindingPhase: 'Unbound' } });

const observed = (spec: Managed['spec']) =>
  managed({ ...spec, managementPolicies: ['Observe'] }, { status: { bindingPhase: 'Unbound' } });

const secret = (name: string, over: Partial<Secret['metadata']> = {}): Secret =>
  secretOf({ namespace: 'team', name, uid: `${name}-uid`, ...over });
const noSecrets: BindingFacts['secrets'] = { isWanted: false, hasCopy: false, stale: [], controlled: [] };
const copied: BindingFacts['secrets'] = { ...noSecrets, isWanted: true, hasCopy: true };
const inOrder = ['claimSecret', 'namespace', 'claim'] as const;

type Given = Partial<BindingFacts> & { readonly claim?: Claim | undefined };

/** Facts about a claim whose resource is `managed`: owned if its `claimRef` has the claim's UID, else named. */
function factsOf({ managed: resource, ...given }: Given): BindingFacts {
  const { uid = 'claim-uid' } = given.claim?.metadata ?? {};
  const isOwned = resource?.spec.claimRef?.uid === uid;
  return {
    claim: undefined,
    responsibility: 'this',
    owned: resource && isOwned ? [resource] : [],
    named: resource && !isOwned ? resource : undefined,
    managed: resource,
    secrets: noSecrets,
    ...given,
  };
}

const normal = (reason: string, message: string) => ({ type: 'Normal', reason, message }) as const;
const warning = (reason: string, message: string) => ({ type: 'Warning', reason, message }) as const;
/** Waiting, which no error explains. `event`: the reason of the Event; undefined: there is none. */
const waits = (
  event: string | undefined,
  message: string,
  phase?: 'Unbound',
  reason = 'Binding',
): Report => ({
  facts: {
    conditions: [notReady(reason, message), reconcileSuccess()],
    ...(phase && { bindingPhase: phase }),
  },
  events: event === undefined ? [] : [normal(event, message)],
});
const refuses = (event: string, message: string, reason: string): Report => ({
  facts: { conditions: [notReady(reason, message), reconcileError(message)], bindingPhase: 'Unbound' },
  events: [warning(event, message)],
});
const cannotBind = (reason: string, why: string): Report =>
  refuses('CannotBindManagedResource', `refusing to bind to FavouriteDBInstance db: ${why}`, reason);
const condition = (type: string, status: 'True' | 'False', reason: string, message?: string) => ({
  type,
  status,
  reason,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...(message === undefined ? {} : { message }),
});
const isReady = { ...boundHere, conditions: [condition('Ready', 'True', 'Available')] };
const makeAvailable = `kubectl patch favouritedbinstances.database.fcp.crossplane.io db --type=merge -p '{"spec":{"claimRef":{"apiVersion":"database.crossplane.io/v1alpha1","kind":"FancySQLInstance","namespace":"team","name":"orders","uid":null}}}'`;

/** Waiting for a person, whom a warning tells what to do. */
const waitsFor = (
  event: string,
  message: string,
  reason: string,
  facts: Partial<Report['facts']>,
): Report => ({
  facts: { conditions: [notReady(reason, message), reconcileSuccess()], ...facts },
  events: [warning(event, message)],
});
const reportOfReleased = waitsFor(
  'WaitingToBind',
  `FavouriteDBInstance db is Released: its spec.claimRef has the UID of a claim that does not exist any more; an administrator can make it available to this claim: ${makeAvailable}`,
  'Released',
  { bindingPhase: 'Unbound' },
);
/** Bound, whatever the resource is like. */
const staysBound = (
  ready: Report['facts']['conditions'][0],
  hasSecret: boolean,
  ...events: Report['events']
): Report => ({
  facts: { conditions: [ready, reconcileSuccess()], bindingPhase: 'Bound', hasSecret },
  events,
});

const writesNoSecret =
  'no connection secret is written: FavouriteDBInstance db has no spec.writeConnectionSecretToRef, which an administrator may set';

type Waiting = Exclude<BindingWait['name'], 'SecretNotOwned'>;

/** A decision with all that it calls. Without a call: with all that the claim and its Events report. */
interface Case {
  readonly given: Given;
  readonly want: BindingDecision;
  /** Undefined: nothing is reported. Absent: it is not asked. */
  readonly report?: Report | undefined;
}

const cases: Readonly<Record<string, Case>> = {
  'a claim with a class names its resource before that is created': {
    given: { claim: claim({ classRef: classRef('small') }), provisioning: { resourceClass: small } },
    want: { name: 'RecordName', managed: undefined },
  },
  'a claim that names a resource gets its finalizer before that resource is taken': {
    given: { claim: claim(named.spec), managed: unbound },
    want: { name: 'RecordName', managed: undefined },
  },
  'a claim whose resourceRef was removed gets it back': {
    given: { claim: claim({}, { finalizers }), managed: bound },
    want: { name: 'RecordName', managed: bound },
  },
  'a claim shows the external name of its resource': {
    given: { claim: boundClaim, managed: bound, secrets: copied, externalName: 'orders-1' },
    want: { name: 'RecordName', managed: bound },
  },
  'a claim with a recorded name gets its resource': {
    given: {
      claim: claim({ classRef: classRef('small'), resourceRef: resourceRef('db') }, { finalizers }),
      provisioning: { resourceClass: small, plan: { claim: named, managed: reserved } },
    },
    want: { name: 'Create', managed: reserved, resourceClass: small, readFirst: ['claim'] },
  },
  'a claim takes the resource that it names': {
    given: { claim: named, managed: unbound },
    want: { name: 'SetClaimRef', managed: unbound, readFirst: inOrder },
  },
  'a claim takes a resource that an administrator reserved for its name': {
    given: { claim: named, managed: presetFor },
    want: { name: 'SetClaimRef', managed: presetFor, readFirst: inOrder },
  },
  'a claim takes an observed-only resource that an administrator reserved for its name': {
    given: { claim: named, managed: observed(presetFor.spec) },
    want: { name: 'SetClaimRef', managed: observed(presetFor.spec), readFirst: inOrder },
  },
  'a claim takes an observed-only resource that has a namespace selector': {
    given: { claim: named, managed: observed({ namespaceSelector: {} }) },
    want: { name: 'SetClaimRef', managed: observed({ namespaceSelector: {} }), readFirst: inOrder },
  },
  'a claim that was restored with its resource corrects the UID': {
    given: { claim: named, managed: managed(restored) },
    want: { name: 'CorrectClaimRef', managed: managed(restored), readFirst: ['claim'] },
  },
  'a restored claim that is being deleted corrects the UID as well': {
    given: { claim: endingClaim, managed: managed(restored) },
    want: { name: 'CorrectClaimRef', managed: managed(restored), readFirst: ['claim'] },
  },
  'a claim that names another resource before it is Bound releases the previous resource': {
    given: { claim: claim({ resourceRef: resourceRef('other') }, { finalizers }), managed: reserved },
    want: { name: 'RemoveClaimRef', managed: reserved },
  },
  'a resource whose credential is for the claim and applied is bound': {
    given: { claim: named, managed: reserved },
    want: { name: 'Bind', managed: reserved, readFirst: inOrder },
  },
  'a resource that another version bound to this claim gets boundUID': {
    given: { claim: boundClaim, managed: boundElsewhere },
    want: { name: 'Bind', managed: boundElsewhere },
  },
  'a Bound claim gets its Secret': {
    given: { claim: named, managed: bound, secrets: { ...copied, write: { desired: secret('conn') } } },
    want: { name: 'CopySecret', write: { desired: secret('conn') } },
  },
  'the previous Secret of a claim is deleted once the new one is written': {
    given: { claim: boundClaim, managed: bound, secrets: { ...copied, stale: [secret('old')] } },
    want: { name: 'DeleteSecret', secret: secret('old') },
  },
  'the Secret of a claim that names none any more is deleted': {
    given: {
      claim: claim({ resourceRef: resourceRef('db') }, { finalizers, status: { bindingPhase: 'Bound' } }),
      managed: bound,
      secrets: { ...noSecrets, stale: [secret('old')] },
    },
    want: { name: 'DeleteSecret', secret: secret('old') },
  },
  'a Bound resource with policy Delete is deleted with its claim': {
    given: { claim: endingClaim, managed: deletable },
    want: { name: 'DeleteResource', managed: deletable },
  },
  'a Bound resource with policy Retain is Released': {
    given: { claim: endingClaim, managed: bound },
    want: { name: 'Release', managed: bound },
  },
  'a provisioned resource follows its policy before it is Bound': {
    given: { claim: endingClaim, managed: provisioned },
    want: { name: 'DeleteResource', managed: provisioned },
  },
  'a resource that a user created is available again if it was never Bound': {
    given: { claim: endingClaim, managed: reserved },
    want: { name: 'RemoveClaimRef', managed: reserved },
  },
  'the Secret of a claim is deleted after its resource is released': {
    given: { claim: endingClaim, secrets: { ...noSecrets, controlled: [secret('conn')] } },
    want: { name: 'DeleteSecret', secret: secret('conn') },
  },
  'the finalizer is removed last, and the named resource is read before': {
    given: {
      claim: endingClaim,
      secrets: { ...noSecrets, controlled: [secret('conn', { deletionTimestamp })] },
    },
    want: { name: 'RemoveFinalizer', readFirst: ['namedResource'] },
  },
  'a deleted claim does not touch a resource of another claim': {
    given: { claim: endingClaim, managed: managed({ claimRef: claimRef({ name: 'other', uid: 'other' }) }) },
    want: { name: 'RemoveFinalizer', readFirst: ['namedResource'] },
  },
  'a deleted claim does not touch a resource that is Released or being deleted': {
    given: {
      claim: endingClaim,
      owned: [
        managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Released' } }),
        managed({ claimRef: claimRef() }, { deletionTimestamp, status: boundHere }),
      ],
    },
    want: { name: 'RemoveFinalizer', readFirst: ['namedResource'] },
  },
  'a claim with the finalizer of another controller is not finished yet': {
    given: { claim: claim(named.spec, { finalizers: ['x'], deletionTimestamp }), managed: bound },
    want: { name: 'ClaimGone' },
  },
  'a claim that was deleted needs nothing': { given: {}, want: { name: 'ClaimGone' } },
  'a claim that another controller binds is left alone': {
    given: { claim: named, responsibility: 'others', managed: bound },
    want: { name: 'OtherKind' },
    report: undefined,
  },
  'a claim that names an unknown kind reports it': {
    given: { claim: named, responsibility: { message: 'unknown', consideredKinds: ['a', 'b'] } },
    want: { name: 'UnknownKind' },
    report: {
      facts: {
        conditions: [notReady('UnknownKind', 'unknown'), reconcileError('unknown')],
        bindingPhase: 'Unbound',
        consideredKinds: ['a', 'b'],
      },
      events: [warning('UnknownKind', 'unknown')],
    },
  },
  'a claim waits until a status from a backup is emptied': {
    given: {
      claim: named,
      managed: managed(restored, { status: { bindingPhase: 'Bound', boundUID: 'uid-before-the-restore' } }),
    },
    want: { name: 'StatusFromBackup' },
    report: waits(
      undefined,
      'waiting for FavouriteDBInstance db: its binding status is from a backup, and its controller resets it first',
    ),
  },
  'a Bound claim whose resource was deleted gets no other one': {
    given: { claim: boundClaim, provisioning: { resourceClass: small } },
    want: { name: 'ResourceLost' },
    report: waitsFor(
      'ManagedResourceNotFound',
      'was bound to FavouriteDBInstance db, which no longer exists; restore it from a backup, or create another claim. Delete this one once its Secret is not needed',
      'ResourceNotFound',
      { bindingPhase: 'Released' },
    ),
  },
  'a claim whose class does not exist waits for it': {
    given: { claim: claim({ classRef: classRef('small') }), provisioning: { resourceClass: undefined } },
    want: { name: 'ClassMissing' },
    report: refuses(
      'CannotGetResourceClass',
      'FavouriteDBInstanceClass small does not exist; correct spec.classRef, or create the class',
      'ClassNotFound',
    ),
  },
  'a claim whose namespace may not have the class waits': {
    given: {
      claim: claim({ classRef: classRef('small') }),
      provisioning: { resourceClass: small },
      forbidden: 'may not be claimed',
    },
    want: { name: 'ClassForbidden' },
    report: refuses(
      'NamespaceNotAllowed',
      'FavouriteDBInstanceClass small may not be claimed',
      'NamespaceNotAllowed',
    ),
  },
  'a claim whose namespace may not have the resource does not take it': {
    given: { claim: named, managed: unbound, forbidden: 'may not be claimed' },
    want: { name: 'ResourceForbidden' },
    report: refuses(
      'NamespaceNotAllowed',
      'refusing to bind to FavouriteDBInstance db: it may not be claimed',
      'NamespaceNotAllowed',
    ),
  },
  'a claim does not take a resource that cannot serve it': {
    given: { claim: named, managed: unbound, incompatible: 'has engine "wrong"' },
    want: { name: 'Incompatible' },
    report: cannotBind('Incompatible', 'it has engine "wrong"; name another resource'),
  },
  'a claim waits for the resource that it names': {
    given: { claim: named },
    want: { name: 'ResourceMissing' },
    report: waits(
      'ManagedResourceNotFound',
      'FavouriteDBInstance db does not exist; create it, or correct spec.resourceRef',
      'Unbound',
      'ResourceNotFound',
    ),
  },
  'a claim does not take a resource that is being deleted': {
    given: { claim: named, managed: managed({}, { deletionTimestamp }) },
    want: { name: 'ResourceDeleted' },
    report: waits(undefined, 'FavouriteDBInstance db is being deleted', 'Unbound', 'Deleting'),
  },
  'a Bound claim shows that its resource is being deleted, and keeps its Secret': {
    given: {
      claim: boundClaim,
      managed: managed({ ...src, claimRef: claimRef() }, { deletionTimestamp, status: boundHere }),
      secrets: copied,
    },
    want: { name: 'ResourceDeleted' },
    report: staysBound(notReady('Deleting', 'FavouriteDBInstance db'), true),
  },
  'a claimRef without a namespace names no claim': {
    given: {
      claim: named,
      managed: managed(
        { claimRef: { ...classRef('x'), name: 'orders' } },
        { status: { bindingPhase: 'Unbound' } },
      ),
    },
    want: { name: 'ClaimRefIncomplete' },
    report: cannotBind(
      'ClaimRefIncomplete',
      'its spec.claimRef lacks namespace; an administrator has to add that',
    ),
  },
  'a claim does not take a resource of another claim': {
    given: { claim: named, managed: managed({ claimRef: claimRef({ name: 'other', uid: 'other' }) }) },
    want: { name: 'ClaimedByOther' },
    report: cannotBind(
      'ClaimedByOther',
      'it is claimed by FancySQLInstance team/other; name another resource',
    ),
  },
  'a claim does not take the resource of a previous claim of its name': {
    given: { claim: claim(named.spec, { finalizers, uid: 'new-uid' }), managed: bound },
    want: { name: 'ClaimedByOther' },
    report: cannotBind(
      'ClaimedByOther',
      'it belongs to a previous FancySQLInstance team/orders with another UID; name another resource',
    ),
  },
  'a claim does not take a resource that another object controls': {
    given: {
      claim: named,
      managed: managed(
        {},
        {
          ownerReferences: [{ apiVersion: 'x/v1', kind: 'Composite', name: 'c', uid: 'u', controller: true }],
        },
      ),
    },
    want: { name: 'ControlledByOther' },
    report: cannotBind('ControlledByOther', 'it is controlled by Composite c'),
  },
  'a claim does not take a resource that is only observed': {
    given: { claim: named, managed: managed({ managementPolicies: ['Observe'] }) },
    want: { name: 'NotOffered' },
    report: cannotBind(
      'NotOffered',
      'it is only observed, and not available to claims; an administrator can name this claim in its spec.claimRef, or set its spec.namespaceSelector',
    ),
  },
  'a claim does not take a Released resource': {
    given: { claim: named, managed: released },
    want: { name: 'Released' },
    report: reportOfReleased,
  },
  'a claim does not take what another version released': {
    given: {
      claim: claim(named.spec, { finalizers, status: { bindingPhase: 'Released' } }),
      managed: managed({ claimRef: { uid: 'unknown' } }, { status: { bindingPhase: 'Released' } }),
    },
    want: { name: 'Released' },
    report: reportOfReleased,
  },
  'a claim waits until the resource that it names is ready': {
    given: { claim: named, managed: managed() },
    want: { name: 'NotReady' },
    report: waits(undefined, 'waiting for FavouriteDBInstance db'),
  },
  'a claim waits for a resource that is Unbindable': {
    given: { claim: named, managed: managed({}, { status: { bindingPhase: 'Unbindable' } }) },
    want: { name: 'NotReady' },
    report: waits(undefined, 'waiting for FavouriteDBInstance db'),
  },
  'a claim shows what its resource fails at': {
    given: {
      claim: named,
      managed: managed(
        { claimRef: claimRef() },
        { status: { conditions: [condition('Synced', 'False', 'ReconcileError', 'quota')] } },
      ),
    },
    want: { name: 'NotReady' },
    report: waitsFor(
      'ManagedResourceTrouble',
      'waiting for FavouriteDBInstance db: quota',
      'ResourceFailing',
      {},
    ),
  },
  'a resource that was just created may stay silent for two seconds': {
    given: {
      claim: named,
      managed: managed(
        { claimRef: claimRef(), classRef: classRef('small') },
        { creationTimestamp: '2026-01-02T03:00:00Z' },
      ),
    },
    want: { name: 'NotReady' },
    report: {
      ...waits(undefined, 'waiting for FavouriteDBInstance db'),
      notBeforeMs: Date.parse('2026-01-02T03:00:02Z'),
    },
  },
  'a resource that is being created may take two seconds before its claim reports it': {
    given: {
      claim: named,
      managed: managed(
        { claimRef: claimRef(), classRef: classRef('small') },
        {
          creationTimestamp: '2026-01-02T03:00:00Z',
          status: { conditions: [condition('Ready', 'False', 'Creating')] },
        },
      ),
    },
    want: { name: 'NotReady' },
    report: {
      ...waits(undefined, 'waiting for FavouriteDBInstance db: Creating'),
      notBeforeMs: Date.parse('2026-01-02T03:00:02Z'),
    },
  },
  'a claim reports at once that the creation of its resource fails, and that a person must act': {
    given: {
      claim: named,
      managed: managed(
        { claimRef: claimRef(), classRef: classRef('small') },
        {
          creationTimestamp: '2026-01-02T03:00:00Z',
          status: {
            conditions: [
              condition('Ready', 'False', 'Creating'),
              condition('Synced', 'False', 'ReconcileError', 'no quota'),
              condition('Stalled', 'True', 'QuotaExceeded', 'no quota'),
            ],
          },
        },
      ),
    },
    want: { name: 'NotReady' },
    report: waitsFor(
      'ManagedResourceTrouble',
      'waiting for FavouriteDBInstance db: no quota',
      'ResourceFailing',
      { isStuck: true },
    ),
  },
  'a claim waits until the credential is its own': {
    given: {
      claim: named,
      managed: reserved,
      secrets: { ...noSecrets, isWanted: true, notUsable: 'CredentialOfAnotherClaim' },
    },
    want: { name: 'CredentialNotApplied' },
    report: waits(
      undefined,
      'waiting for FavouriteDBInstance db: it still has the credential of another claim, and gets a new one first',
    ),
  },
  'a claim waits until the Secret of a resource that a user created names the claim': {
    given: {
      claim: named,
      managed: reserved,
      secrets: { ...noSecrets, isWanted: true, notUsable: 'CredentialForNoClaim' },
    },
    want: { name: 'CredentialNotApplied' },
    report: waits(
      undefined,
      'waiting for FavouriteDBInstance db: its connection secret does not name this claim yet',
    ),
  },
  'a Bound claim whose Secret was deleted waits while another credential is applied': {
    given: {
      claim: boundClaim,
      managed: bound,
      secrets: { ...noSecrets, isWanted: true, notUsable: 'CredentialNotApplied' },
    },
    want: { name: 'CredentialNotApplied' },
    report: waits(
      undefined,
      'waiting for FavouriteDBInstance db: the external system does not use its new credential yet',
    ),
  },
  'a claim is Bound and Ready with its resource': {
    given: {
      claim: named,
      managed: managed({ ...src, claimRef: claimRef() }, { status: isReady }),
      secrets: copied,
    },
    want: { name: 'KeepBound' },
    report: staysBound(available(), true, normal('BoundManagedResource', 'bound to FavouriteDBInstance db')),
  },
  'a Bound claim keeps its copy while another credential is applied': {
    given: {
      claim: boundClaim,
      managed: managed({ ...src, claimRef: claimRef() }, { status: isReady }),
      secrets: {
        ...copied,
        notUsable: 'CredentialNotApplied',
        stale: [secret('old')],
        write: { current: secret('conn'), desired: secret('conn', { annotations: { a: 'b' } }) },
      },
    },
    want: { name: 'KeepBound' },
    report: staysBound(available(), true),
  },
  'a Bound claim shows that its resource fails, and stays usable': {
    given: {
      claim: boundClaim,
      managed: managed(
        { ...src, claimRef: claimRef() },
        {
          status: {
            ...boundHere,
            conditions: [
              condition('Ready', 'True', 'Available'),
              condition('Synced', 'False', 'ReconcileError', 'cannot observe'),
            ],
          },
        },
      ),
      secrets: copied,
    },
    want: { name: 'KeepBound' },
    report: staysBound(
      availableWithTrouble('FavouriteDBInstance db: cannot observe'),
      true,
      warning('ManagedResourceTrouble', 'FavouriteDBInstance db: cannot observe'),
    ),
  },
  'a Bound claim whose resource publishes no Secret names the field to change': {
    given: { claim: boundClaim, managed: managed({ claimRef: claimRef() }, { status: isReady }) },
    want: { name: 'KeepBound' },
    report: staysBound(
      { ...available(), message: writesNoSecret },
      false,
      warning('CannotPropagateConnectionDetails', writesNoSecret),
    ),
  },
  'a claim whose Secret belongs to another owner is not bound': {
    given: {
      claim: named,
      managed: unbound,
      secrets: { ...noSecrets, obstacle: 'the Secret is controlled by another claim' },
    },
    want: { name: 'SecretNotOwned' },
  },
  'a claim that its class cannot serve stays editable': {
    given: {
      claim: claim({ classRef: classRef('small') }),
      provisioning: { resourceClass: small, plan: new StepFailure('', 'has engine "wrong"', {}) },
    },
    want: { name: 'Incompatible' },
  },
};

describe('binding decides', () => {
  for (const [rule, { given, want, ...more }] of Object.entries(cases)) {
    test(rule, () => {
      const facts = factsOf(given);
      assert.deepEqual(decideBinding(facts), want);
      const { name, ...call } = want;
      assert.equal(isCall(want), Object.keys(call).length > 0);
      if (!('report' in more) || facts.claim === undefined) return;
      const observed = { ...facts, claim: facts.claim, service };
      assert.deepEqual(reportOf(name as Waiting, observed, new Date(0)), more.report);
    });
  }

  test('every decision has a case, and every case a decision of the list', () => {
    const decided = new Set(Object.values(cases).map(({ want }) => want.name));
    assert.deepEqual(
      [...decided].toSorted(),
      [...new Set([...bindingDecisions, ...claimEndDecisions])].toSorted(),
    );
  });
});
