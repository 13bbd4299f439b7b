import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import {
  available,
  availableWithTrouble,
  notReady,
  reconcileError,
  reconcileSuccess,
} from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { decideBinding, resourceOf } from '../../../controllers/claim-binding/decide.ts';
import { claimEndDecisions } from '../../../controllers/claim-binding/decide-claim-end.ts';
import type {
  BindingDecision,
  BindingFacts,
  BindingWait,
} from '../../../controllers/claim-binding/decision.ts';
import { bindingDecisions, isCall } from '../../../controllers/claim-binding/decision.ts';
import type { Report } from '../../../controllers/claim-binding/report.ts';
import { reportOf } from '../../../controllers/claim-binding/report.ts';
import { StepFailure } from '../../../controllers/step-failure.ts';
import {
  claim,
  claimRef,
  classRef,
  deletionTimestamp,
  managed,
  otherService,
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
const protectedClaim = claim({ ...named.spec, deletionProtection: true }, { finalizers, deletionTimestamp });
const isUnbound = { status: { bindingPhase: 'Unbound' } } as const;
const unbound = managed(src, isUnbound);
const reserved = managed({ ...src, claimRef: claimRef() }, isUnbound);
const boundHere = { bindingPhase: 'Bound', boundUID: 'managed-uid' } as const;
const bound = managed({ ...src, claimRef: claimRef() }, { status: boundHere });
const deletable = managed({ claimRef: claimRef(), reclaimPolicy: 'Delete' }, { status: boundHere });
const provisioned = managed({ claimRef: claimRef(), classRef: classRef('small'), reclaimPolicy: 'Delete' });
const boundElsewhere = managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Bound' } });
const wasBound = { bindingPhase: 'Released', boundUID: 'managed-uid' } as const;
const released = managed({ ...src, claimRef: claimRef({ uid: 'previous-uid' }) }, { status: wasBound });
const restored = { claimRef: claimRef({ uid: 'uid-before-the-restore' }) };

/** A claim of the same name was deleted, and the resource is kept. */
const retention = { classRef: classRef('small'), reclaimPolicy: 'Delete', retainFor: '7d' } as const;
const releasedFrom = 'previous-uid';
const deleteAt = '2026-01-09T03:04:05Z';
const retainedStatus = { ...wasBound, releasedFrom, deleteAt };
const returnableOne = managed(
  { ...src, ...retention, claimRef: claimRef({ uid: releasedFrom }) },
  { status: retainedStatus },
);
const takenBack = managed({ ...returnableOne.spec, claimRef: claimRef() }, { status: retainedStatus });
const retained = managed({ ...retention, claimRef: claimRef() }, { status: boundHere });
const openClaim = claim({ ...conn, classRef: classRef('small') });
const startedClaim = claim(openClaim.spec, { finalizers });

const { uid: _none, ...preset } = claimRef();
const presetFor = managed({ claimRef: preset }, isUnbound);

const observed = (spec: Managed['spec']) => managed({ ...spec, managementPolicies: ['Observe'] }, isUnbound);

const secret = (name: string, over: Partial<Secret['metadata']> = {}): Secret =>
  secretOf({ namespace: 'team', name, uid: `${name}-uid`, ...over });
const noSecrets: BindingFacts['secrets'] = {
  isWanted: false,
  hasCopy: false,
  isCopyUsable: false,
  stale: [],
  controlled: [],
};
const copied: BindingFacts['secrets'] = {
  ...noSecrets,
  isWanted: true,
  hasCopy: true,
  isCopyUsable: true,
};
const inOrder = ['namespace', 'claim'] as const;
const secretFirst = ['claimSecret', ...inOrder] as const;

type Given = Partial<BindingFacts>;

/** Facts about a claim whose resource is `managed`: owned if its `claimRef` has the claim's UID, else named. */
function factsOf({ managed: resource, ...given }: Given): BindingFacts {
  const of = given.claim ?? claim();
  const { uid = 'claim-uid' } = of.metadata;
  const isOwned = resource?.spec.claimRef?.uid === uid;
  return {
    claim: of,
    services: [service],
    service,
    managed: resource,
    secrets: noSecrets,
    created: [],
    owned: resource && isOwned ? [resource] : [],
    named: resource && !isOwned ? resource : undefined,
    ...given,
  };
}

const normal = (reason: string, message: string) => ({ type: 'Normal', reason, message }) as const;
const warning = (reason: string, message: string) => ({ type: 'Warning', reason, message }) as const;
/** Waiting without an error. */
const waits = (message: string, reason = 'Binding', phase = {}, events: Report['events'] = []): Report => ({
  facts: { conditions: [notReady(reason, message), reconcileSuccess()], ...phase },
  events,
});
const refuses = (event: string, message: string, reason = event): Report => ({
  facts: { conditions: [notReady(reason, message), reconcileError(message)], bindingPhase: 'Unbound' },
  events: [warning(event, message)],
});
const condition = (type: string, status: 'True' | 'False', reason: string, message?: string) => ({
  type,
  status,
  reason,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...(message === undefined ? {} : { message }),
});
const isReady = { ...boundHere, conditions: [condition('Ready', 'True', 'Available')] };
const boundAndReady = managed(bound.spec, { status: isReady });
const makeAvailable = `kubectl patch favouritedbinstances.database.fcp.crossplane.io db --type=merge -p '{"spec":{"claimRef":{"apiVersion":"database.crossplane.io/v1alpha1","kind":"FancySQLInstance","namespace":"team","name":"orders","uid":null}}}'`;

/** The parameters of the claim were edited. */
const wasSmaller =
  'was provisioned with spec.size "small"; give this claim the same, or create another claim';

/** Waiting for a person, whom a warning tells what to do. */
type Facts = Partial<Report['facts']>;
const waitsFor = (event: string, message: string, reason: string, facts: Facts = {}): Report => ({
  facts: { conditions: [notReady(reason, message), reconcileSuccess()], ...facts },
  events: [warning(event, message)],
});
const waitsForTrouble = (why: string, facts: Facts = {}): Report =>
  waitsFor('ManagedResourceTrouble', `${why}; reported by FavouriteDBInstance db`, 'ResourceFailing', facts);
const ownedByOtherClaim = 'belongs to another claim; name another resource';
/** The Event of a Released resource that a claim asks for. */
const requestedBy = (previous: string) => ({
  resourceEvent: warning(
    'Released',
    `FancySQLInstance team/orders asks for this resource, which has the data of ${previous}; with the consent of their owner, kubectl services-stack offer gives them to another claim`,
  ),
});
const administratorActs = `FavouriteDBInstance db is Released, with the data of the previous FancySQLInstance team/orders; an administrator can make it available to this claim: ${makeAvailable}`;
const reportOfReleased = waitsFor('WaitingToBind', administratorActs, 'Released', isUnbound.status);
/** Bound, whatever the resource is like. */
type Ready = Report['facts']['conditions'][0];
const staysBound = (ready: Ready, hasSecret: boolean, ...events: Report['events']): Report => ({
  facts: { conditions: [ready, reconcileSuccess()], bindingPhase: 'Bound', hasSecret },
  events,
});
const writesNoSecret =
  'no connection secret is written: FavouriteDBInstance db has no spec.writeConnectionSecretToRef; an administrator can set that field';

/** The claim names `small`. */
const byClass = { claim: claim({ classRef: classRef('small') }), provisioning: { resourceClass: small } };
/** The resource of a previous claim of the same name, which is not released yet. */
const previous = managed(
  { ...retained.spec, claimRef: claimRef({ uid: releasedFrom }) },
  { status: boundHere },
);
const startEmptyNow = { 'crossplane.io/start-empty': 'TRUE' };
const createdAt = { creationTimestamp: '2026-01-02T03:00:00Z' };
const twoSecondsLater = { notBeforeMs: Date.parse('2026-01-02T03:00:02Z') };
const provisionedFor = { claimRef: claimRef(), classRef: classRef('small') };
const notUsable = (why: BindingFacts['secrets']['notUsable']) => ({
  secrets: { ...noSecrets, isWanted: true, notUsable: why },
});
const otherResource = managed({ claimRef: claimRef({ name: 'other', uid: 'other' }) });
const old = secret('old');
const deletesOld: BindingDecision = { name: 'DeleteSecret', secret: old };
const ends: BindingDecision = { name: 'RemoveFinalizer', readFirst: ['namedResource'] };
const heldByOther = claim(named.spec, { finalizers: ['x'], deletionTimestamp });

type Waiting = Exclude<BindingWait['name'], 'SecretNotOwned'>;
type Decided = Pick<BindingDecision, 'name'>;

/** The decision has a call, with these arguments. */
function calls(given: Given, want: BindingDecision): Decided {
  const decision = decideBinding(factsOf(given));
  const hasCall = want.name === 'AddFinalizer' || Object.keys(want).length > 1;
  assert.deepEqual([decision, isCall(decision)], [want, hasCall]);
  return decision;
}
/** The decision has a call about the resource of the claim. */
const about = (
  name: BindingDecision['name'],
  of: Claim,
  resource: Managed,
  more: { readonly readFirst?: readonly string[] } & Given = {},
): Decided => {
  const { readFirst, ...given } = more;
  const want = { name, managed: resource, ...(readFirst && { readFirst }) };
  return calls({ claim: of, managed: resource, ...given }, want as BindingDecision);
};
/** The decision has no call. It is all that the claim and its Events report, or nothing. */
function reports(name: Waiting, report: Report | undefined, given: Given): Decided {
  const facts = factsOf(given);
  const observed = { ...facts, claim: facts.claim ?? assert.fail(), service };
  assert.deepEqual(reportOf(name, observed, new Date(0)), report);
  return calls(given, { name });
}
/** The report of the protected claim, with what its end does. */
const protectedBy = (end: string): Report =>
  waitsFor(
    'DeletionProtected',
    `this claim is being deleted, and waits because spec.deletionProtection is true. The command that ends the wait ${end}, and deletes the Secret of the claim: kubectl patch fancysqlinstance.database.crossplane.io -n team orders --type=merge -p '{"spec":{"deletionProtection":false}}'`,
    'DeletionProtected',
  );
const protects = (end: string, resource: Managed | undefined): Decided =>
  reports('DeletionProtected', protectedBy(end), { claim: protectedClaim, managed: resource });
/** The claim refuses the resource. */
const refusesTo = (
  name: Waiting,
  why: string,
  resource: Managed,
  given: Given = {},
  more: Pick<Report, 'resourceEvent'> = {},
): Decided => {
  const message = `FavouriteDBInstance db ${why}`;
  const report = { ...refuses('CannotBindManagedResource', message, name), ...more };
  return reports(name, report, { claim: named, managed: resource, ...given });
};

/** The claim is Bound, and stays so without a call. */
const keeps = (given: Given): Decided =>
  calls({ claim: boundClaim, managed: bound, ...given }, { name: 'KeepBound' });
const namesOther = claim({ resourceRef: resourceRef('other') }, { finalizers });
const notCopied = (secrets: Partial<BindingFacts['secrets']>) => ({
  secrets: {
    ...noSecrets,
    isWanted: true,
    notUsable: 'CredentialNotApplied' as const,
    hasCopy: false,
    ...secrets,
  },
});

const cases: Readonly<Record<string, () => Decided>> = {
  'a claim with a class names its resource before that is created': () =>
    calls(byClass, { name: 'RecordName', managed: undefined }),
  'a claim that names a resource gets its finalizer before that resource is taken': () =>
    calls({ claim: claim(named.spec), managed: unbound }, { name: 'RecordName', managed: undefined }),
  'a restored claim gets its finalizer before the UID is corrected': () =>
    calls(
      { claim: claim(named.spec), managed: managed(restored) },
      { name: 'RecordName', managed: undefined },
    ),
  'a claim whose resourceRef was removed gets it back': () =>
    about('RecordName', claim({}, { finalizers }), bound),
  'a claim shows the external name of its resource': () =>
    about('RecordName', boundClaim, bound, { secrets: copied, externalName: 'orders-1' }),
  'a claim gets its finalizer before it takes a kept resource back': () =>
    calls(
      { claim: openClaim, managed: returnableOne, named: undefined, returnable: returnableOne },
      { name: 'AddFinalizer' },
    ),
  'a claim takes a kept resource back before it names it': () =>
    about('TakeBack', startedClaim, returnableOne, {
      named: undefined,
      returnable: returnableOne,
      readFirst: ['claim'],
    }),
  'a claim that was applied from a copy takes the kept resource back that it names': () =>
    about('TakeBack', named, returnableOne, { returnable: returnableOne, readFirst: ['claim'] }),
  'a claim that took a resource back names it': () => about('RecordName', startedClaim, takenBack),
  'a resource that was taken back becomes Bound without Unbound': () =>
    about('Bind', named, takenBack, { readFirst: inOrder }),
  'a resource that was taken back waits for the credential of its claim': () =>
    calls(
      { claim: named, managed: takenBack, ...notUsable('CredentialNotApplied') },
      { name: 'CredentialNotApplied' },
    ),
  'a claim waits until the resource of the previous claim of its name is released': () => {
    const report = waits(
      'FavouriteDBInstance db of a previous claim of this name is not released yet',
      'Binding',
      isUnbound.status,
    );
    return reports('AwaitRelease', report, { ...byClass, previous });
  },
  'a claim that waits reports that its annotation for an empty resource has no effect': () => {
    const claim = { ...byClass.claim, metadata: { ...byClass.claim.metadata, annotations: startEmptyNow } };
    const report = waits(
      'FavouriteDBInstance db of a previous claim of this name is not released yet. The annotation crossplane.io/start-empty of this claim is "TRUE", and has no effect: it must be exactly "true"',
      'Binding',
      isUnbound.status,
    );
    return reports('AwaitRelease', report, { ...byClass, claim, previous });
  },
  'a claim with a resource does not wait for that of a previous claim': () =>
    about('RecordName', startedClaim, reserved, { previous: retained }),
  'a claim waits for an administrator instead of starting empty beside a kept resource': () => {
    const why = 'namespace team was created again since that claim was deleted';
    const message = `FavouriteDBInstance db is kept until ${deleteAt} with the data of a previous FancySQLInstance team/orders; ${why}. If the team of that claim agrees, an administrator can give it back: kubectl services-stack give-back -n team orders. To start empty instead, set the annotation crossplane.io/start-empty=true on this claim. Else, after that date this claim gets an empty resource`;
    const report = waitsFor('WaitingToBind', message, 'KeptResourceExists', isUnbound.status);
    const given = {
      claim: openClaim,
      managed: returnableOne,
      named: undefined,
      returnable: returnableOne,
      notGivenBack: why,
    };
    return reports('AwaitGiveBack', report, given);
  },
  'a claim from an export waits, and does not start empty with its resourceRef': () => {
    const why = 'only an administrator gives it back';
    const message = `FavouriteDBInstance db is kept until ${deleteAt} with the data of a previous FancySQLInstance team/orders; ${why}. If the team of that claim agrees, an administrator can give it back: kubectl services-stack give-back -n team orders. To start empty, delete this claim and create it again without spec.resourceRef, and with the annotation crossplane.io/start-empty=true. Else, after that date spec.resourceRef names no resource`;
    const report = waitsFor('WaitingToBind', message, 'KeptResourceExists', isUnbound.status);
    const given = { claim: named, managed: returnableOne, returnable: returnableOne, notGivenBack: why };
    return reports('AwaitGiveBack', report, given);
  },
  'a claim does not take a kept resource back that its namespace may not have': () => {
    const report = refuses('NamespaceNotAllowed', 'FavouriteDBInstance db may not be claimed');
    const given = { named: undefined, returnable: returnableOne, forbidden: 'may not be claimed' };
    return reports('ResourceForbidden', report, { claim: startedClaim, managed: returnableOne, ...given });
  },
  'a claim with a recorded name gets its resource': () =>
    calls(
      {
        claim: claim({ classRef: classRef('small'), resourceRef: resourceRef('db') }, { finalizers }),
        provisioning: { resourceClass: small, plan: { claim: named, managed: reserved } },
      },
      { name: 'Create', managed: reserved, resourceClass: small, readFirst: ['claim'] },
    ),
  'a claim takes the resource that it names': () =>
    about('SetClaimRef', named, unbound, { readFirst: secretFirst }),
  'a claim takes a resource that an administrator reserved for its name': () =>
    about('SetClaimRef', named, presetFor, { readFirst: secretFirst }),
  'a claim takes an observed-only resource that an administrator reserved for its name': () =>
    about('SetClaimRef', named, observed(presetFor.spec), { readFirst: secretFirst }),
  'a claim takes an observed-only resource that has a namespace selector': () =>
    about('SetClaimRef', named, observed({ namespaceSelector: {} }), { readFirst: secretFirst }),
  'a claim that was restored with its resource corrects the UID': () =>
    about('CorrectClaimRef', named, managed(restored), { readFirst: ['claim'] }),
  'a claim that names another resource before it is Bound releases the previous resource': () =>
    about('RemoveClaimRef', namesOther, reserved),
  'a resource whose credential is for the claim and applied is bound': () =>
    about('Bind', named, reserved, { readFirst: inOrder }),
  'a resource that another version bound to this claim gets boundUID': () =>
    about('Bind', boundClaim, boundElsewhere),
  'a Bound claim gets its Secret': () => {
    const write = { desired: secret('conn') };
    const given = { claim: named, managed: bound, secrets: { ...copied, write } };
    return calls(given, { name: 'CopySecret', write });
  },
  'the previous Secret of a claim is deleted once the new one is written': () =>
    calls({ claim: boundClaim, managed: bound, secrets: { ...copied, stale: [old] } }, deletesOld),
  'the Secret of a claim that names none any more is deleted': () => {
    const wantsNone = { ...boundClaim, spec: { resourceRef: resourceRef('db') } };
    return calls({ claim: wantsNone, managed: bound, secrets: { ...noSecrets, stale: [old] } }, deletesOld);
  },
  'a Bound resource with policy Delete is deleted with its claim': () =>
    about('DeleteResource', endingClaim, deletable),
  'a Bound resource with policy Retain is Released': () => about('Release', endingClaim, bound),
  'a Bound resource with policy Delete and retainFor is Released': () =>
    about('Release', endingClaim, retained),
  'a resource that is to be kept is Released with its claim before it is Bound': () => {
    const early = managed(retained.spec, {
      annotations: { [annotationKeys.externalCreation]: 'managed-uid' },
    });
    return about('Release', endingClaim, early, { created: [early] });
  },
  'a resource that is to be kept is deleted with its claim if nothing was ever created for it': () => {
    const early = managed(retained.spec);
    return about('DeleteResource', endingClaim, early, { created: [early] });
  },
  'a resource whose creation was refused is deleted with its claim, and not kept': () => {
    const annotations = {
      [annotationKeys.externalIdentity]: '{}',
      [annotationKeys.externalCreation]: 'managed-uid/refused/1',
    };
    const early = managed(retained.spec, { annotations });
    return about('DeleteResource', endingClaim, early, { created: [early] });
  },
  'a resource whose restored object records only the identity is kept': () => {
    const early = managed(retained.spec, { annotations: { [annotationKeys.externalIdentity]: '{}' } });
    return about('Release', endingClaim, early, { created: [early] });
  },
  'a resource that was taken back and not Bound yet is Released again': () =>
    about('Release', endingClaim, takenBack),
  'a resource that was made by hand is deleted with its claim, whatever its retainFor is': () =>
    about(
      'DeleteResource',
      endingClaim,
      managed({ ...deletable.spec, retainFor: '7d' }, { status: boundHere }),
    ),
  'a resource that was created for the claim follows its policy before it is Bound': () =>
    calls(
      { claim: endingClaim, managed: provisioned, created: [provisioned] },
      { name: 'DeleteResource', managed: provisioned },
    ),
  'a restored resource is Released with its claim before it is Bound again, whatever its policy is': () =>
    about('Release', endingClaim, provisioned),
  'a claim that is deleted before the UID of its restored resource is corrected releases it': () =>
    about('Release', endingClaim, managed({ ...restored, reclaimPolicy: 'Delete' })),
  'a resource that a user created is available again if it was never Bound': () =>
    about('RemoveClaimRef', endingClaim, reserved),
  'the Secret of a claim is deleted after its resource is released': () =>
    calls({ claim: endingClaim, secrets: { ...noSecrets, controlled: [old] } }, deletesOld),
  'the finalizer is removed last, and the named resource is read before': () => {
    const controlled = [secret('conn', { deletionTimestamp })];
    return calls({ claim: endingClaim, secrets: { ...noSecrets, controlled } }, ends);
  },
  'a deleted claim does not touch a resource of another claim': () =>
    calls({ claim: endingClaim, managed: otherResource }, ends),
  'a deleted claim does not touch a resource that is Released or being deleted': () => {
    const isReleased = managed({ claimRef: claimRef() }, { status: { bindingPhase: 'Released' } });
    const isDeleted = managed({ claimRef: claimRef() }, { deletionTimestamp, status: boundHere });
    return calls({ claim: endingClaim, owned: [isReleased, isDeleted] }, ends);
  },
  'a claim with the finalizer of another controller is not finished yet': () =>
    calls({ claim: heldByOther, managed: bound }, { name: 'ClaimGone' }),
  'a protected claim that is being deleted keeps its Bound resource, and tells what its end deletes': () =>
    protects('deletes FavouriteDBInstance db with all its data', deletable),
  'a protected claim tells that its end keeps the data by the policies of its resource': () => {
    const orphaned = managed({ ...deletable.spec, deletionPolicy: 'Orphan' }, { status: boundHere });
    return protects('deletes FavouriteDBInstance db, whose policies keep the data', orphaned);
  },
  'a protected claim tells for how long its end keeps the resource': () =>
    protects(
      'keeps FavouriteDBInstance db with its data for 7d, and a claim of the same kind, namespace and name gets it back',
      retained,
    ),
  'a protected claim tells that its end keeps the resource without a date': () =>
    protects(
      'keeps FavouriteDBInstance db with its data, and only an administrator can give it to a claim again',
      bound,
    ),
  'a protected claim that was never Bound tells that its end makes the resource available': () =>
    protects('makes FavouriteDBInstance db available to other claims', reserved),
  'a protected claim without a resource waits, too': () =>
    protects('loses no data, because the claim has no resource', undefined),
  'a protected claim keeps its Secret': () =>
    reports('DeletionProtected', protectedBy('loses no data, because the claim has no resource'), {
      claim: protectedClaim,
      secrets: { ...noSecrets, controlled: [old] },
    }),
  'a claim whose protection is false ends': () => {
    const unprotected = claim(
      { ...named.spec, deletionProtection: false },
      { finalizers, deletionTimestamp },
    );
    return about('DeleteResource', unprotected, deletable);
  },
  'the protection has no effect before the claim is deleted': () =>
    about('Bind', claim({ ...named.spec, deletionProtection: true }, { finalizers }), reserved, {
      readFirst: inOrder,
    }),
  'a claim that needs a class is left to scheduling or defaulting': () =>
    reports('NeedsClass', undefined, { claim: claim({ classSelector: {} }), service: undefined }),
  'a claim whose resource is of a stack that is not ready waits for the stack': () =>
    reports('StackNotReady', undefined, { claim: named, service: undefined, managed: bound }),
  'a claim that another process has bound is left to it': () =>
    reports('ReportedElsewhere', undefined, { claim: boundClaim, service: undefined }),
  'a claim that names an unknown kind reports the known kinds': () => {
    const message = `spec.resourceRef names a FavouriteDBInstance (database.fcp.crossplane.io/v1alpha3), and no controller here serves a FancySQLInstance with it; name one of: AmbivalentDBInstance (database.ocp.crossplane.io/v1alpha1); or have an administrator run the stack of FavouriteDBInstance with its definitions`;
    const { facts, events } = refuses('UnknownKind', message);
    const consideredKinds = ['ambivalentdbinstances.v1alpha1.database.ocp.crossplane.io'];
    const report = { facts: { ...facts, consideredKinds }, events };
    const given = { claim: claim({ resourceRef: resourceRef('db') }), service: undefined };
    return reports('UnknownKind', report, { ...given, services: [otherService] });
  },
  'a deleted claim of an unknown kind advises to run its stack, and to name no other kind': () => {
    const message =
      'spec.resourceRef names a FavouriteDBInstance (database.fcp.crossplane.io/v1alpha3), and no controller here serves a FancySQLInstance with it, so that no controller removes the finalizer of this claim; run the stack of that kind with its definitions. If the reference was edited, undo the edit';
    const { facts, events } = refuses('UnknownKind', message);
    const { bindingPhase: _unchanged, ...rest } = facts;
    const consideredKinds = ['ambivalentdbinstances.v1alpha1.database.ocp.crossplane.io'];
    const given = { claim: endingClaim, service: undefined, services: [otherService] };
    return reports('UnknownKind', { facts: { ...rest, consideredKinds }, events }, given);
  },
  'a claim waits until a status from a backup is emptied': () => {
    const status = { bindingPhase: 'Bound', boundUID: 'uid-before-the-restore' } as const;
    const why =
      'the binding status of FavouriteDBInstance db is from a backup, and its controller resets it first';
    const fromBackup = { claim: named, managed: managed(restored, { status }) };
    return reports('StatusFromBackup', waits(why), fromBackup);
  },
  'a Bound claim whose resource was deleted gets no other one': () => {
    const message =
      'FavouriteDBInstance db of this claim does not exist any more; restore it from a backup, or create another claim. Delete this one once its Secret is not needed';
    const phase = { bindingPhase: 'Released' } as const;
    const report = waitsFor('ManagedResourceNotFound', message, 'ResourceNotFound', phase);
    return reports('ResourceLost', report, { ...byClass, claim: boundClaim });
  },
  'a Bound claim whose resource was deleted says where its data may be': () => {
    const message =
      'FavouriteDBInstance db of this claim does not exist any more; if its policies kept external resource orders-1, the data is there; restore it from a backup, or create another claim. Delete this one once its Secret is not needed';
    const phase = { bindingPhase: 'Released' } as const;
    const annotations = { 'crossplane.io/external-name': 'orders-1' };
    const claim = { ...boundClaim, metadata: { ...boundClaim.metadata, annotations } };
    const report = waitsFor('ManagedResourceNotFound', message, 'ResourceNotFound', phase);
    return reports('ResourceLost', report, { ...byClass, claim });
  },
  'a claim whose Secret can have no such name gets no resource, also one that exists': () => {
    const message =
      'no Secret can have the name "Bad_Name": it must consist of at most 253 lowercase letters, digits, "-" and "."; name another in spec.writeConnectionSecretToRef';
    const report = refuses('CannotPropagateConnectionDetails', message, 'InvalidValue');
    const misnamed = claim({ ...named.spec, writeConnectionSecretToRef: { name: 'Bad_Name' } });
    return reports('SecretNameInvalid', report, { claim: misnamed, managed: unbound });
  },
  'a claim whose class does not exist waits for it': () => {
    const message =
      'FavouriteDBInstanceClass small does not exist; correct spec.classRef, or create the class';
    const report = refuses('CannotGetResourceClass', message, 'ClassNotFound');
    return reports('ClassMissing', report, { ...byClass, provisioning: { resourceClass: undefined } });
  },
  'a class that cannot exist is not to be created': () => {
    const message =
      'FavouriteDBInstanceClass Small does not exist; correct spec.classRef: no object can have that name';
    const report = refuses('CannotGetResourceClass', message, 'ClassNotFound');
    const misnamed = claim({ classRef: classRef('Small') });
    return reports('ClassMissing', report, { claim: misnamed, provisioning: { resourceClass: undefined } });
  },
  'a claim whose namespace may not have the class waits': () => {
    const report = refuses('NamespaceNotAllowed', 'FavouriteDBInstanceClass small may not be claimed');
    return reports('ClassForbidden', report, { ...byClass, forbidden: 'may not be claimed' });
  },
  'a claim whose class does not allow its external name waits, and nothing is recorded': () => {
    const nameRefused = 'does not allow it';
    const report = refuses('ExternalNameNotAllowed', 'FavouriteDBInstanceClass small does not allow it');
    const provisioning = { resourceClass: small, nameRefused };
    return reports('ExternalNameForbidden', report, { ...byClass, provisioning });
  },
  'a claim whose namespace may not have the resource does not take it': () => {
    const message = 'FavouriteDBInstance db may not be claimed';
    const given = { claim: named, managed: unbound, forbidden: 'may not be claimed' };
    return reports('ResourceForbidden', refuses('NamespaceNotAllowed', message), given);
  },
  'a claim does not take a resource that cannot serve it': () => {
    const incompatible = 'has engine "wrong"';
    const why = 'has engine "wrong"; name another resource';
    return refusesTo('Incompatible', why, unbound, { incompatible });
  },
  'the resource gets edited parameters of its claim while nothing is created': () => {
    const desired = managed({ ...provisioned.spec, forProvider: { version: '18' } });
    const given = { claim: named, managed: provisioned, edited: wasSmaller, correction: desired };
    return calls(given, {
      name: 'CorrectResource',
      managed: provisioned,
      desired,
      readFirst: ['claim'],
    });
  },
  'a claim whose parameters were edited after the creation does not take its resource': () =>
    refusesTo('Incompatible', wasSmaller, provisioned, { edited: wasSmaller }),
  'a claim waits for the resource that it names': () => {
    const message =
      'FavouriteDBInstance db does not exist; correct spec.resourceRef; if an administrator creates it, this claim gets its data';
    const events = [normal('ManagedResourceNotFound', message)];
    const report = waits(message, 'ResourceNotFound', isUnbound.status, events);
    return reports('ResourceMissing', report, { claim: named });
  },
  'a resource that cannot exist is not to be created': () => {
    const message =
      'FavouriteDBInstance my db does not exist; correct spec.resourceRef: no object can have that name';
    const events = [normal('ManagedResourceNotFound', message)];
    const report = waits(message, 'ResourceNotFound', isUnbound.status, events);
    const misnamed = claim({ ...conn, resourceRef: resourceRef('my db') }, { finalizers });
    return reports('ResourceMissing', report, { claim: misnamed });
  },
  'a claim does not take a resource that is being deleted': () => {
    const report = waits('FavouriteDBInstance db is being deleted', 'Deleting', isUnbound.status);
    return reports('ResourceDeleted', report, { claim: named, managed: managed({}, { deletionTimestamp }) });
  },
  'a Bound claim shows that its resource is being deleted, and keeps its Secret': () => {
    const leaving = managed(bound.spec, { deletionTimestamp, status: boundHere });
    const report = staysBound(notReady('Deleting', 'FavouriteDBInstance db is being deleted'), true);
    return reports('ResourceDeleted', report, { claim: boundClaim, managed: leaving, secrets: copied });
  },
  'a claimRef without a namespace names no claim': () => {
    const spec = { claimRef: { ...classRef('x'), name: 'orders' } };
    const why = 'has a spec.claimRef that lacks namespace; an administrator has to add that';
    return refusesTo('ClaimRefIncomplete', why, managed(spec, { status: { bindingPhase: 'Unbound' } }));
  },
  'a claim does not take a resource of another claim': () => {
    return refusesTo('ClaimedByOther', ownedByOtherClaim, otherResource);
  },
  'a claim with a class is not advised to name another resource': () => {
    const why = 'belongs to another claim; create another claim';
    const withClass = claim({ ...named.spec, classRef: { name: 'small' } }, { finalizers });
    const other = managed(otherResource.spec, { status: wasBound });
    return refusesTo(
      'ClaimedByOther',
      why,
      other,
      { claim: withClass },
      requestedBy('FancySQLInstance team/other'),
    );
  },
  'a claim does not take the resource of a previous claim of its name': () => {
    const recreated = claim(named.spec, { finalizers, uid: 'new-uid' });
    const why =
      'belongs to a previous FancySQLInstance team/orders with another UID, and is not Released yet';
    const report = waits(`FavouriteDBInstance db ${why}`, 'Binding', isUnbound.status);
    return reports('ClaimedByOther', report, { claim: recreated, managed: bound });
  },
  'a claim does not take a resource that another object controls': () => {
    const owner = { apiVersion: 'x/v1', kind: 'Composite', name: 'c', uid: 'u', controller: true };
    const controlled = managed({}, { ownerReferences: [owner] });
    const why = 'is controlled by another object; name another resource';
    return refusesTo('ControlledByOther', why, controlled);
  },
  'a claim does not take a resource that is only observed': () => {
    const why =
      'is only observed, and not available to claims; to give its data away, an administrator can name this claim in its spec.claimRef, or set its spec.namespaceSelector';
    return refusesTo('NotOffered', why, managed({ managementPolicies: ['Observe'] }));
  },
  'a claim does not take a Released resource that the previous claim of its name had': () =>
    reports('Released', reportOfReleased, { claim: named, managed: released }),
  'a claim does not learn how to get the data of another claim': () => {
    const other = managed({ claimRef: { ...claimRef(), name: 'other' } }, { status: wasBound });
    return refusesTo(
      'ClaimedByOther',
      ownedByOtherClaim,
      other,
      {},
      requestedBy('FancySQLInstance team/other'),
    );
  },
  'a claim does not learn how to get the data of a claim of another kind': () => {
    const other = managed({ claimRef: { ...claimRef(), kind: 'PlainSQLInstance' } }, { status: wasBound });
    return refusesTo(
      'ClaimedByOther',
      ownedByOtherClaim,
      other,
      {},
      requestedBy('PlainSQLInstance team/orders'),
    );
  },
  'a claim does not take what another version released': () => {
    const status = { bindingPhase: 'Released' } as const;
    const unknown = managed({ claimRef: { uid: 'unknown' } }, { status });
    return refusesTo(
      'ClaimedByOther',
      ownedByOtherClaim,
      unknown,
      {},
      requestedBy('a claim that is not known'),
    );
  },
  'a claim does not take a resource whose previous claim is unknown': () => {
    const unknown = managed({ claimRef: { uid: 'unknown' } }, isUnbound);
    return refusesTo(
      'ClaimedByOther',
      ownedByOtherClaim,
      unknown,
      {},
      requestedBy('a claim that is not known'),
    );
  },
  'no Event asks for a resource that an administrator has just made available': () =>
    refusesTo('ClaimedByOther', ownedByOtherClaim, managed({}, { status: { bindingPhase: 'Released' } })),
  'a claim waits until the resource that it names is ready': () =>
    reports('NotReady', waits('waiting for FavouriteDBInstance db'), { claim: named, managed: managed() }),
  'a claim waits for a resource that is Unbindable': () => {
    const unbindable = managed({}, { status: { bindingPhase: 'Unbindable' } });
    const report = waits('waiting for FavouriteDBInstance db');
    return reports('NotReady', report, { claim: named, managed: unbindable });
  },
  'a claim shows what its resource fails at': () => {
    const conditions = [condition('Synced', 'False', 'ReconcileError', 'quota')];
    const failing = managed({ claimRef: claimRef() }, { status: { conditions } });
    return reports('NotReady', waitsForTrouble('quota'), { claim: named, managed: failing });
  },
  'a resource that was just created may stay silent for two seconds': () => {
    const report = { ...waits('waiting for FavouriteDBInstance db'), ...twoSecondsLater };
    return reports('NotReady', report, { claim: named, managed: managed(provisionedFor, createdAt) });
  },
  'a resource that is being created may take two seconds before its claim reports it': () => {
    const conditions = [condition('Ready', 'False', 'Creating')];
    const creating = managed(provisionedFor, { ...createdAt, status: { conditions } });
    const report = { ...waits('waiting for FavouriteDBInstance db: Creating'), ...twoSecondsLater };
    return reports('NotReady', report, { claim: named, managed: creating });
  },
  'a claim reports at once that the creation of its resource fails, and that a person must act': () => {
    const conditions = [
      condition('Ready', 'False', 'Creating'),
      condition('Synced', 'False', 'ReconcileError', 'no quota'),
      condition('Stalled', 'True', 'QuotaExceeded', 'no quota'),
    ];
    const failing = managed(provisionedFor, { ...createdAt, status: { conditions } });
    const report = waitsForTrouble('no quota', { isStuck: true });
    return reports('NotReady', report, { claim: named, managed: failing });
  },
  'a claim waits until the credential is its own': () => {
    const why = 'FavouriteDBInstance db still has the credential of another claim, and gets a new one first';
    const given = { claim: named, managed: reserved, ...notUsable('CredentialOfAnotherClaim') };
    return reports('CredentialNotApplied', waits(why), given);
  },
  'a claim waits until the Secret of a resource that a user created names the claim': () => {
    const why = 'the connection secret of FavouriteDBInstance db does not name this claim yet';
    const given = { claim: named, managed: reserved, ...notUsable('CredentialForNoClaim') };
    return reports('CredentialNotApplied', waits(why), given);
  },
  'a Bound claim whose Secret was deleted waits while another credential is applied': () => {
    const why = 'the external system does not use the new credential of FavouriteDBInstance db yet';
    const given = { claim: boundClaim, managed: bound, ...notUsable('CredentialNotApplied') };
    return reports('CredentialNotApplied', waits(why), given);
  },
  'a claim is Bound and Ready with its resource': () => {
    const event = normal('BoundManagedResource', 'bound to FavouriteDBInstance db');
    const given = { claim: named, managed: boundAndReady, secrets: copied };
    return reports('KeepBound', staysBound(available(), true, event), given);
  },
  'a claim that was restored with its resource is not said to have got it from the class': () => {
    const event = normal(
      'BoundManagedResource',
      'bound to FavouriteDBInstance db: ready in 0 s, bound in 0 s',
    );
    const restoredClaim = claim(named.spec, { ...createdAt, finalizers });
    const spec = { ...boundAndReady.spec, classRef: classRef('small') };
    const resource = managed(spec, { ...createdAt, status: boundAndReady.status ?? {} });
    const given = { claim: restoredClaim, managed: resource, secrets: copied };
    return reports('KeepBound', staysBound(available(), true, event), given);
  },
  'a Bound claim keeps its copy while another credential is applied': () => {
    const write = { current: secret('conn'), desired: secret('conn', { annotations: { a: 'b' } }) };
    const secrets = { ...copied, notUsable: 'CredentialNotApplied', stale: [old], write } as const;
    const given = { claim: boundClaim, managed: boundAndReady, secrets };
    return reports('KeepBound', staysBound(available(), true), given);
  },
  'a Bound claim shows that its resource fails, and stays usable': () => {
    const failure = condition('Synced', 'False', 'ReconcileError', 'cannot observe');
    const status = { ...isReady, conditions: [...isReady.conditions, failure] };
    const failing = managed(bound.spec, { status });
    const message = 'cannot observe; reported by FavouriteDBInstance db';
    const event = warning('ManagedResourceTrouble', message);
    const given = { claim: boundClaim, managed: failing, secrets: copied };
    return reports('KeepBound', staysBound(availableWithTrouble(message), true, event), given);
  },
  'a Bound claim shows that its data was lost, until an administrator acknowledges it': () => {
    const annotations = { 'crossplane.io/external-lost': '2026-01-02T03:00:00Z' };
    const error = { class: 'DataLost' };
    const ready = { ...condition('Ready', 'True', 'Available'), error };
    const lost = managed(bound.spec, { status: { ...isReady, conditions: [ready] }, annotations });
    const message =
      'external resource was lost and exists again, perhaps without its data; restore its data from a backup if you need it. An administrator acknowledges the loss: kubectl annotate favouritedbinstance.database.fcp.crossplane.io db crossplane.io/external-lost-; reported by FavouriteDBInstance db';
    const event = warning('ManagedResourceTrouble', message);
    const given = { claim: boundClaim, managed: lost, secrets: copied };
    const shown = { ...availableWithTrouble(message), error };
    return reports('KeepBound', staysBound(shown, true, event), given);
  },
  'a Bound claim does not say that a lost resource exists again before it was observed': () => {
    const annotations = { 'crossplane.io/external-lost': '2026-01-02T03:00:00Z' };
    const synced = { ...condition('Synced', 'True', 'ReconcileSuccess'), message: 'any other message' };
    const lost = managed(bound.spec, {
      status: { ...isReady, conditions: [...isReady.conditions, synced] },
      annotations,
    });
    const given = { claim: boundClaim, managed: lost, secrets: copied };
    return reports('KeepBound', staysBound(available(), true), given);
  },
  'a Bound claim whose resource publishes no Secret names the field to change': () => {
    const ready = notReady('SecretNotPublished', writesNoSecret);
    const event = warning('CannotPropagateConnectionDetails', writesNoSecret);
    const given = { claim: boundClaim, managed: managed({ claimRef: claimRef() }, { status: isReady }) };
    return reports('KeepBound', staysBound(ready, false, event), given);
  },
  'a Bound claim that asks for no Secret learns how to get one': () => {
    const message =
      'no connection secret is written for this claim; to have one written, set spec.writeConnectionSecretToRef';
    const status = { bindingPhase: 'Bound' } as const;
    const withoutSecret = claim({ resourceRef: resourceRef('db') }, { finalizers, status });
    const given = { claim: withoutSecret, managed: boundAndReady };
    return reports('KeepBound', staysBound({ ...available(), message }, false), given);
  },
  'a Bound claim with the credential that was never set waits for one': () =>
    calls(
      { claim: boundClaim, managed: bound, ...notCopied({ hasCopy: true, isCopyUsable: false }) },
      { name: 'CredentialNotApplied' },
    ),
  'a Bound claim with a credential that works keeps it while the Secret has another one': () =>
    keeps(notCopied({ hasCopy: true, isCopyUsable: true })),
  'a Bound claim that names another resource keeps its own': () =>
    keeps({ claim: { ...boundClaim, spec: { ...conn, resourceRef: resourceRef('other') } } }),
  'a Bound claim keeps a resource that its namespace may not have any more': () =>
    keeps({ forbidden: 'may not be claimed' }),
  'a Bound claim keeps a resource that cannot serve it any more': () =>
    keeps({ incompatible: 'has engine "wrong"' }),
  'a Bound claim keeps its resource, whatever its parameters are': () => keeps({ edited: wasSmaller }),
  'a claim with edited parameters does not become Bound to a resource that is': () =>
    calls({ claim: named, managed: bound, edited: wasSmaller }, { name: 'Incompatible' }),
  'a claim that its class cannot serve after an edit does not take its resource': () => {
    const correction = new StepFailure('', 'has engine "wrong"', {});
    const given = { claim: named, managed: provisioned, edited: wasSmaller, correction };
    return calls(given, { name: 'Incompatible' });
  },
  'a Bound claim that wants no Secret waits for none': () => keeps(notCopied({ isWanted: false })),
  'a previous Secret is kept until there is another': () =>
    keeps(notCopied({ stale: [old], notUsable: undefined })),
  'an external name that is shown is not written again': () => {
    const annotations = { 'crossplane.io/external-name': 'orders-1' };
    const shown = claim(named.spec, { finalizers, annotations, status: { bindingPhase: 'Bound' } });
    keeps({ claim: shown });
    return keeps({ claim: shown, externalName: 'orders-1' });
  },
  'a claim that names another resource leaves its Released one alone': () => {
    const status = { bindingPhase: 'Released' } as const;
    const given = { claim: namesOther, managed: managed({ claimRef: claimRef() }, { status }) };
    return calls(given, { name: 'Released' });
  },
  'a claim that names another resource binds the one that was provisioned for it': () =>
    about('Bind', namesOther, managed(provisionedFor, isUnbound), { readFirst: inOrder }),
  'a claim learns nothing about a resource of another namespace that it may not have': () => {
    const spec = { claimRef: claimRef({ namespace: 'others', name: 'theirs', uid: 'other' }) };
    const given = { claim: named, managed: managed(spec, { status: boundHere }), forbidden: 'no' };
    return calls(given, { name: 'ResourceForbidden' });
  },
  'a claim whose namespace may not have the resource is not bound to it': () =>
    calls({ claim: named, managed: reserved, forbidden: 'no' }, { name: 'ResourceForbidden' }),
  'a claim that another version bound keeps its resource after an edit of resourceRef': () =>
    calls({ claim: namesOther, managed: boundElsewhere }, { name: 'KeepBound' }),
  'a resource that is Bound, and whose claimRef has no UID, is not ready': () =>
    calls(
      { claim: named, managed: managed({ claimRef: preset }, { status: boundHere }) },
      { name: 'NotReady' },
    ),
  'a claim whose Secret belongs to another owner is not bound': () => {
    const obstacle = 'the Secret is controlled by another claim';
    const given = { claim: named, managed: unbound, secrets: { ...noSecrets, obstacle } };
    return calls(given, { name: 'SecretNotOwned' });
  },
  'a claim that its class cannot serve stays editable': () => {
    const plan = new StepFailure('', 'has engine "wrong"', {});
    return calls({ ...byClass, provisioning: { resourceClass: small, plan } }, { name: 'Incompatible' });
  },
};

describe('binding decides', () => {
  for (const [rule, check] of Object.entries(cases)) test(rule, () => void check());

  test('every decision has a case, and every case a decision of the list', () => {
    const decided = new Set(Object.values(cases).map((check) => check().name));
    const all = new Set([...bindingDecisions, ...claimEndDecisions]);
    assert.deepEqual([...decided].toSorted(), [...all].toSorted());
  });
});

describe('the resource of a claim', () => {
  const live = managed();
  const deleted = managed({}, { deletionTimestamp });
  const other = managed({}, { name: 'other' });

  test('is the first that it owns and that is not being deleted', () =>
    assert.equal(resourceOf([deleted, live, other], other), live));
  test('is one that it owns, before the one that it names', () =>
    assert.equal(resourceOf([deleted], other), deleted));
  test('is the one that it names, if it owns none', () => assert.equal(resourceOf([], other), other));
});
