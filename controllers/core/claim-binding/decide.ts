import type { BindingPhase } from '../../../apis/core/v1alpha1/binding.ts';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import {
  available,
  availableWithTrouble,
  binding,
  creating,
  getCondition,
  notReady,
  reconcileError,
  reconcileSuccess,
} from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import {
  controllerOf,
  describeReference,
  referenceIsOfKind,
  referenceTo,
} from '../../../apis/core/v1alpha1/reference.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import { asRecorded } from '../claim/claim-record.ts';
import type { ClaimFacts } from '../claim/claim-status.ts';
import { wasBound } from '../claim/claim-status.ts';
import { isSomeoneElses, refersToClaim } from '../claim/holdings.ts';
import type { ClaimNamespace } from '../claim/may-claim.ts';
import { whyNotFor } from '../claim/may-claim.ts';
import { misfitOfManaged } from '../claim/misfit.ts';
import { isProvisionedName } from '../claim/provisioned-name.ts';
import { isReservedFor } from '../claim/reservation.ts';
import { isOnRecordFor } from '../claim/rightful-claim.ts';
import { consideredKinds, isToldElsewhere } from '../claim/told-elsewhere.ts';
import { isReoffered, offerWaitsFor, wasTakenAway } from '../claim-marks.ts';
import type { ClaimService } from '../claim-service.ts';
import { nameInUse } from '../external-identity.ts';
import { isNeverChanged } from '../management-policies.ts';
import { howToOffer, howToReturn, wasTakenFrom } from './claim-reference.ts';
import type { DeletedDecision } from './decide-deleted.ts';
import { decideDeleted } from './decide-deleted.ts';
import { toldToClaim } from './told-to-claim.ts';

/** What is known when a claim is looked at. `managed` and `resourceClass` are what its references name. */
export interface BindingInput {
  readonly service: ClaimService;
  /** Every service of the claim kind that works in this process, in a fixed order. */
  readonly peers: readonly ClaimService[];
  readonly claim: Claim | undefined;
  readonly managed: Managed | undefined;
  readonly resourceClass: Class | undefined;
  /** The managed resource that names this claim, UID included: what was recorded first, whatever was edited since. */
  readonly held: Managed | undefined;
  /** Another claim that is there, for which `managed` is on record, and not for this one. */
  readonly rightful?: Claim | undefined;
  /** Another claim that is there, and was bound, names `managed`, too. */
  readonly isDisputed?: boolean;
  /** The claim has a connection secret. */
  readonly isHandedOver: boolean;
  /** The claim's namespace; absent: it is not known, which matters only where class or resource select namespaces. */
  readonly namespace?: ClaimNamespace | undefined;
}

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const bindingDecisions = [
  'ClaimGone',
  'RemoveFinalizer',
  'OtherKind',
  'UnknownKind',
  'ReportedElsewhere',
  'RestoreReferences',
  'ClassMissing',
  'ClassForbidden',
  'RecordName',
  'Create',
  'ResourceMissing',
  'ResourceLost',
  'ClassRefEdited',
  'ResourceForbidden',
  'OwnedByOther',
  'ClaimedByOther',
  'ClaimedByFormerClaim',
  'NameTaken',
  'ControlledByOther',
  'KeepBound',
  'NotOffered',
  'Incompatible',
  'ResourceDeleted',
  'CredentialNotApplied',
  'Released',
  'ReleasedWhileBound',
  'Bind',
  'NotReady',
  'Provisioning',
  'AwaitFirstReport',
] as const;

type ReportName =
  | 'UnknownKind'
  | 'ClassMissing'
  | 'ClassForbidden'
  | 'ResourceMissing'
  | 'ResourceLost'
  | 'ClassRefEdited'
  | 'ResourceForbidden'
  | 'ClaimedByOther'
  | 'OwnedByOther'
  | 'ClaimedByFormerClaim'
  | 'NameTaken'
  | 'ControlledByOther'
  | 'NotOffered'
  | 'Incompatible'
  | 'ResourceDeleted'
  | 'CredentialNotApplied'
  | 'Released'
  | 'ReleasedWhileBound'
  | 'NotReady'
  | 'Provisioning'
  | 'AwaitFirstReport';

/** What to do about one claim; `name` is its line in docs/decision-tables.md. */
export type BindingDecision =
  | DeletedDecision
  | { readonly name: 'ClaimGone' | 'OtherKind' | 'ReportedElsewhere'; readonly act: 'nothing' }
  | { readonly name: 'RemoveFinalizer'; readonly act: 'finalise' }
  | { readonly name: 'RestoreReferences'; readonly act: 'recall'; readonly managed: Managed }
  | { readonly name: 'RecordName'; readonly act: 'record'; readonly resourceClass: Class }
  | { readonly name: 'Create'; readonly act: 'create'; readonly resourceClass: Class }
  | { readonly name: 'Bind'; readonly act: 'bind'; readonly managed: Managed }
  | { readonly name: 'KeepBound'; readonly act: 'refresh'; readonly managed: Managed }
  | {
      readonly name: ReportName;
      readonly act: 'report';
      readonly facts: ClaimFacts;
      readonly event: EventFacts;
      /** What its managed resource is told besides. */
      readonly ofManaged?: EventFacts;
      /** Epoch ms; there is probably nothing to report any more by then. */
      readonly notBeforeMs?: number;
    };
export type BindingDecisionName = BindingDecision['name'];

type Report = Extract<BindingDecision, { readonly act: 'report' }>;

/** How long the controller of a just created managed resource may take to say something about it. */
export const quietMs = 2_000;

/**
 * What to do next about a claim. Pure; checks every predicate itself, because requests are not filtered. Throws what the
 * stack's `misfit` throws.
 */
export function decideBinding(input: BindingInput): BindingDecision {
  const { service, claim, held } = input;
  if (claim === undefined) return { name: 'ClaimGone', act: 'nothing' };
  if (!isConcerned(service, claim, held)) return decideUnknown(input, claim);
  const managed = held ?? input.managed;
  if (wasDeleted(claim)) {
    const its = input.rightful === undefined ? managed : undefined;
    return decideDeleted(claim, its, input.isHandedOver);
  }
  if (claim.spec.resourceRef === undefined) {
    if (held !== undefined) return { name: 'RestoreReferences', act: 'recall', managed: held }; // it was edited away
    if (wasBound(claim)) return lost('a managed resource, and neither names the other any more');
    return decideUnprovisioned(input, claim, 'record');
  }
  if (managed === undefined) return decideMissing(input, claim);
  const decision = decideExisting(input, claim, managed);
  // Whoever took the finalizer away: without it a claim could go, and leave behind what it has.
  const isLoose = held !== undefined && !hasFinalizer(claim, finalizerNames.claim);
  return isLoose && decision.act === 'report'
    ? { name: 'RestoreReferences', act: 'recall', managed: held }
    : decision;
}

/**
 * Whether a claim is this controller's: by the kind of the resource it has; while it has none by that of the one it
 * names, and while it names none by its class's.
 */
export function isConcerned(service: ClaimService, claim: Claim, held: Managed | undefined): boolean {
  const { resourceRef, classRef } = claim.spec;
  if (held !== undefined) return referenceIsOfKind(referenceTo(held), service.managed);
  return resourceRef === undefined
    ? referenceIsOfKind(classRef, service.class)
    : referenceIsOfKind(resourceRef, service.managed);
}

/** Whether the claim provisioned this managed resource itself: the name is derived from its UID. */
const isDynamic = (service: ClaimService, claim: Claim): boolean =>
  referenceIsOfKind(claim.spec.classRef, service.class) &&
  isProvisionedName(claim, claim.spec.resourceRef?.name);

function decideUnprovisioned(input: BindingInput, claim: Claim, act: 'record' | 'create'): BindingDecision {
  const { resourceClass } = input;
  if (resourceClass !== undefined) {
    const why = whyNotFor(input.namespace, resourceClass);
    if (why !== undefined) {
      const told = `${resourceClass.kind} ${resourceClass.metadata.name} ${why}`;
      // An event of the class, or of the namespace, wakes us.
      return report('ClassForbidden', 'NamespaceNotAllowed', [creating(told), reconcileError(told)]);
    }
    return act === 'record'
      ? { name: 'RecordName', act, resourceClass }
      : { name: 'Create', act, resourceClass };
  }
  const message = `${describeReference(claim.spec.classRef ?? {})} does not exist`;
  return report('ClassMissing', 'CannotGetResourceClass', [creating(message), reconcileError(message)]); // a class event wakes us
}

function lost(what: string): BindingDecision {
  const message = `was bound to ${what}; for another make another claim, and delete this one once nobody needs its secret`;
  return report(
    'ResourceLost',
    'ManagedResourceNotFound',
    [binding(message), reconcileSuccess()],
    'Released',
  );
}

function decideMissing(input: BindingInput, claim: Claim): BindingDecision {
  const what = describeReference(claim.spec.resourceRef ?? {});
  if (wasBound(claim)) return lost(`${what}, which no longer exists`);
  if (isDynamic(input.service, claim)) {
    const isOnRecord = hasFinalizer(claim, finalizerNames.claim);
    return decideUnprovisioned(input, claim, isOnRecord ? 'create' : 'record');
  }
  if (isProvisionedName(claim, claim.spec.resourceRef?.name)) {
    const { classRef } = claim.spec;
    const named = classRef === undefined ? 'nothing' : describeReference(classRef);
    const message = `spec.classRef names ${named}, but ${what} was to be made from a ${input.service.class.kind}; take the edit back, or make another claim`;
    return report('ClassRefEdited', 'CannotApplyEdit', [binding(message), reconcileError(message)]);
  }
  const message = `waiting for ${what}, which does not exist`;
  return report('ResourceMissing', 'ManagedResourceNotFound', [binding(message), reconcileSuccess()]); // the index wakes us
}

/** Whatever is waited for here, a change of the claim or of the managed resource ends the wait. */
function decideExisting(
  { service, resourceClass, namespace, rightful, isDisputed = false }: BindingInput,
  claim: Claim,
  managed: Managed,
): BindingDecision {
  const what = `${managed.kind} ${managed.metadata.name}`;
  const its = describeReference(referenceTo(claim));
  const refuse = (name: ReportName, why: string): Report => {
    const message = `refusing to bind to ${what}: ${why}`;
    return report(name, 'CannotBindManagedResource', [binding(message), reconcileError(message)]);
  };
  const { claimRef } = managed.spec;
  const phase = managed.status?.bindingPhase;
  const isOnOffer = isReoffered(managed) && !isOnRecordFor(managed, claim);
  // One that is deleted while it is bound shows as Released.
  const isBound = !isOnOffer && (phase === 'Bound' || (phase === 'Released' && wasDeleted(managed)));
  const isItsOwn = claimRef !== undefined && refersToClaim(managed, claim);
  // Who has it by now was asked then. Before all else, for who may not have it need not know who has.
  const hasConsent = (isItsOwn && isBound) || isReservedFor(managed, claim.metadata.uid);
  const forbidden = hasConsent ? undefined : whyNotFor(namespace, managed);
  if (forbidden !== undefined) {
    const message = `refusing to bind to ${what}: it ${forbidden}`;
    return report('ResourceForbidden', 'NamespaceNotAllowed', [binding(message), reconcileError(message)]);
  }
  /** The same, with how somebody who has edited the claimRef of what is this claim's gives it back: both are told. */
  const refuseOwn = (name: ReportName, why: string): Report => {
    if (!wasTakenFrom(managed, claim)) return refuse(name, why);
    const back = howToReturn(service.managed, managed, claim);
    const names = claimRef === undefined ? 'names nobody' : `names ${describeReference(claimRef)}`;
    const uid = isItsOwn ? ', but by another UID' : '';
    const message = `spec.claimRef ${names}${uid}, and it is ${its}'s, so that nothing is done while that one is there; ${back}`;
    const ofManaged: EventFacts = { type: 'Warning', reason: 'ClaimNotFound', message };
    return { ...refuse(name, `${why}; ${back}`), ofManaged };
  };
  if (rightful !== undefined && !refersToClaim(managed, rightful)) {
    return refuse('OwnedByOther', `it is ${describeReference(referenceTo(rightful))}'s`);
  }
  if (claimRef !== undefined && !isItsOwn) {
    return refuseOwn('ClaimedByOther', `it is claimed by ${describeReference(claimRef)}`);
  }
  const unoffered = (why: string): BindingDecision => {
    const message = `${what} ${why}, and may hold the data of that; ${howToOffer(service.managed, managed, claim)}`;
    const waiting = report('Released', 'WaitingToBind', [binding(message), reconcileSuccess()]);
    return { ...waiting, event: { ...waiting.event, type: 'Warning' } }; // nothing ends it by itself
  };
  if (isSomeoneElses(managed, claim) && !isOnOffer) {
    if (isOnRecordFor(managed, claim)) {
      return refuseOwn(
        'ClaimedByFormerClaim',
        'its spec.claimRef names another claim of this name, by its UID',
      );
    }
    return (claimRef?.uid ?? claim.metadata.uid) === claim.metadata.uid
      ? unoffered('was bound to another claim')
      : refuse(
          'ClaimedByFormerClaim',
          `it belonged to a former ${describeReference(claimRef ?? {})} with another UID`,
        );
  }
  if (isDynamic(service, claim) && claimRef?.uid !== claim.metadata.uid) {
    return refuseOwn('NameTaken', 'what the claim makes names the claim in spec.claimRef, and this does not');
  }
  const controller = controllerOf(managed);
  if (controller !== undefined) {
    return refuse('ControlledByOther', `it is controlled by ${controller.kind} ${controller.name}`);
  }
  if (isItsOwn && isBound) return { name: 'KeepBound', act: 'refresh', managed };
  if (!isOffered(managed) && !hasConsent) {
    return refuse(
      'NotOffered',
      'it is only observed, and offered to nobody; an administrator may name the claim in its spec.claimRef, or let its spec.namespaceSelector say from which namespaces it may be claimed ({}: from all)',
    );
  }
  // What a claim has taken says so by its UID; it was fit then, and may have been upgraded since.
  if (claimRef?.uid === undefined) {
    const misfit = misfitOfManaged(service, claim, managed);
    if (misfit !== undefined) {
      return refuse('Incompatible', `it ${misfit}; make another claim that names another resource`);
    }
  }
  // What was made for it was fit, too; but nobody has used it yet, and whoever edits it makes no other claim of this one.
  if (isDynamic(service, claim) && !wasBound(claim)) {
    // An edit of the claim alone has no effect; one of both, to the same, leaves nothing to refuse.
    const wasFit = misfitOfManaged(service, asRecorded(claim, managed), managed) === undefined;
    const misfit = wasFit ? undefined : misfitOfManaged(service, claim, managed);
    if (misfit !== undefined) {
      return refuse(
        'Incompatible',
        `it ${misfit}, unlike when it was made for the claim; set it back, or make another claim that asks for that`,
      );
    }
  }
  if (wasDeleted(managed)) {
    return report('ResourceDeleted', 'WaitingToBind', [
      binding(`${what} is being deleted`),
      reconcileSuccess(),
    ]);
  }
  if (isOnOffer) {
    const why = offerWaitsFor(managed);
    const message =
      why === undefined
        ? `waiting for ${what}, which is offered again and is given new credentials first`
        : `waiting for ${what}: ${why}`;
    return report('CredentialNotApplied', 'WaitingToBind', [binding(message), reconcileSuccess()]);
  }
  if (phase === 'Released') return unoffered('was released by a former claim');
  const isStillIts = phase !== 'Bound' && isReservedFor(managed, claim.metadata.uid);
  if (wasTakenAway(managed) && !isStillIts) {
    const why = 'was given to a claim, which its spec.claimRef does not name any more';
    if (isOnRecordFor(managed, claim)) return refuseOwn('ReleasedWhileBound', `it ${why}`);
    // Nobody is told to offer it who cannot know whose it is.
    return isDisputed || wasBound(claim)
      ? refuse(
          'ReleasedWhileBound',
          `it ${why}; an administrator who knows which one it was writes that there again`,
        )
      : unoffered(why);
  }
  if (phase === 'Unbound') return { name: 'Bind', act: 'bind', managed };
  const madeFrom = isDynamic(service, claim) ? resourceClass : undefined;
  const state = toldToClaim(service, claim, madeFrom, describeManaged(managed));
  const message = `waiting for ${state}`;
  const facts = [binding(message), reconcileSuccess()] as const;
  const name = claimRef === undefined ? 'NotReady' : 'Provisioning';
  const plain = report(name, 'WaitingToBind', facts); // its events wake us
  const trouble = troubleOf(managed, message);
  const waiting = trouble === undefined ? plain : { ...plain, event: trouble };
  const isSilent = managed.status?.conditions === undefined && isDynamic(service, claim);
  const createdMs = Date.parse(managed.metadata.creationTimestamp ?? '');
  return isSilent && !Number.isNaN(createdMs)
    ? { ...waiting, name: 'AwaitFirstReport', notBeforeMs: createdMs + quietMs }
    : waiting;
}

/** What is only looked at was made for somebody else, elsewhere: whose it may be is said, not guessed. */
const isOffered = ({ spec }: Managed): boolean =>
  !isNeverChanged(spec) || spec.claimRef !== undefined || spec.namespaceSelector !== undefined;

/**
 * A claim whose class or resource is of no kind known here. The first service's controller says so, but only
 * while nobody else has: another process may run that kind's stack. One that is deleted is that process's to let go of,
 * within a moment.
 */
function decideUnknown({ service, peers, held }: BindingInput, claim: Claim): BindingDecision {
  if (held !== undefined) return { name: 'OtherKind', act: 'nothing' };
  const { spec } = claim;
  const reference = spec.resourceRef ?? spec.classRef;
  const isReporter = peers[0] === service;
  const isWaiting = wasDeleted(claim) && hasFinalizer(claim, finalizerNames.claim);
  if (reference === undefined && isReporter && isWaiting) {
    return { name: 'RemoveFinalizer', act: 'finalise' }; // its references were edited away
  }
  const isKnown = peers.some((peer) => isConcerned(peer, claim, held));
  const isLeaving = wasDeleted(claim) && !isWaiting;
  if (reference === undefined || isKnown || !isReporter || isLeaving)
    return { name: 'OtherKind', act: 'nothing' };
  if (!isUnspokenOf(claim)) return { name: 'OtherKind', act: 'nothing' };
  const field = spec.resourceRef === undefined ? 'classRef' : 'resourceRef';
  const known = peers.map((peer) => (field === 'classRef' ? peer.class : peer.managed));
  const considered = consideredKinds(known);
  if (isToldElsewhere(claim, 'UnknownKind', considered)) return { name: 'ReportedElsewhere', act: 'nothing' };
  const names = known.map(({ kind, group, version }) => `${kind} (${group}/${version})`).toSorted();
  const given = `${reference.kind || '(no kind)'} (${reference.apiVersion || 'no apiVersion'})`;
  const stuck = isWaiting ? ', so that nobody lets go of it; take the edit back, or run who does' : '';
  const message = `spec.${field} names a ${given}, which no controller here handles${stuck}; known: ${names.join(', ')}`;
  const conditions = [notReady('UnknownKind', message), reconcileError(message)] as const;
  const { facts, ...told } = report('UnknownKind', 'UnknownKind', conditions);
  if (!isWaiting) return { ...told, facts: { ...facts, consideredKinds: considered } };
  const deletedMs = Date.parse(claim.metadata.deletionTimestamp ?? '');
  return { ...told, facts: { conditions, consideredKinds: considered }, notBeforeMs: deletedMs + quietMs };
}

/**
 * Whether nobody has said of the claim as it is now what would be said by who knows the kind. Of one that is bound
 * somebody has: it has yet to look at the last edit, unless that was a deletion. The same goes where no generation is
 * told, as of old.
 */
function isUnspokenOf({ metadata, status }: Claim): boolean {
  const { reason = 'UnknownKind', observedGeneration } = getCondition(status?.conditions, 'Ready');
  const ofNobody = ['UnknownKind', 'NoMatchingClass', 'NoDefaultClass', 'InvalidClassSelector'];
  const isOld = observedGeneration !== undefined && observedGeneration !== metadata.generation;
  const isKept = status?.bindingPhase === 'Bound' && metadata.deletionTimestamp === undefined;
  return ofNobody.includes(reason) || (isOld && !isKept);
}

/** What to tell of a claim that wants a secret from a resource that publishes none. */
export function describeUnserved({ spec }: Claim, managed: Managed): string | undefined {
  const isUnserved =
    spec.writeConnectionSecretToRef !== undefined && managed.spec.writeConnectionSecretToRef === undefined;
  if (!isUnserved) return undefined;
  return `no connection secret is written: ${managed.kind} ${managed.metadata.name} has no spec.writeConnectionSecretToRef, which an administrator may set`;
}

/**
 * Ready and Synced of a bound claim: it can be used if its managed resource is ready; otherwise the claim
 * carries that resource's own words and external name, so that an app team need not look further (H14).
 * `unserved` tells of a secret that there is not.
 */
export function boundConditions(managed: Managed, unserved?: string): readonly ConditionFacts[] {
  const synced = reconcileSuccess();
  const ready = getCondition(managed.status?.conditions, 'Ready');
  if (ready.status === 'True' && !wasDeleted(managed)) {
    const isTold = getCondition(managed.status?.conditions, 'Synced').status === 'False';
    const message = [...(isTold ? [describeManaged(managed)] : []), ...(unserved ? [unserved] : [])].join(
      '; ',
    );
    if (isFailing(managed)) return [availableWithTrouble(message), synced];
    return [{ ...available(), ...(message === '' ? {} : { message }) }, synced];
  }
  const reason = wasDeleted(managed) ? 'Deleting' : (ready.reason ?? 'Unavailable');
  return [notReady(reason, describeManaged(managed)), synced];
}

/** The last attempt at it failed. One that somebody has paused fails at nothing. */
function isFailing({ status }: Managed): boolean {
  const synced = getCondition(status?.conditions, 'Synced');
  return synced.status === 'False' && synced.reason !== 'ReconcilePaused';
}

/** The Event of a claim whose managed resource says that something fails; undefined: nothing does. */
export function troubleOf(managed: Managed, message = describeManaged(managed)): EventFacts | undefined {
  const ready = getCondition(managed.status?.conditions, 'Ready');
  const isOut = ready.status === 'False' && ready.reason === 'Unavailable';
  const isLost = managed.status?.bindingPhase === 'Bound' && ready.status === 'False';
  if (!isFailing(managed) && !isOut && !isLost) return undefined;
  return { type: 'Warning', reason: 'ManagedResourceTrouble', message };
}

/** `Kind name (external name x): what its conditions say`. */
function describeManaged(managed: Managed): string {
  const conditions = managed.status?.conditions;
  const synced = getCondition(conditions, 'Synced');
  const ready = getCondition(conditions, 'Ready');
  const name = nameInUse(managed);
  const who = `${managed.kind} ${managed.metadata.name}${name === undefined ? '' : ` (external name ${name})`}`;
  const problem = synced.status === 'False' ? (synced.message ?? synced.reason) : undefined;
  const state = problem ?? ready.message ?? ready.reason;
  return state === undefined ? who : `${who}: ${state}`;
}

function report(
  name: ReportName,
  reason: string,
  conditions: readonly [ready: ConditionFacts, synced: ConditionFacts],
  bindingPhase: BindingPhase = 'Unbound',
): Report {
  const [{ message = '' }, synced] = conditions;
  const type = synced.status === 'True' && bindingPhase !== 'Released' ? 'Normal' : 'Warning';
  return { name, act: 'report', facts: { conditions, bindingPhase }, event: { type, reason, message } };
}
