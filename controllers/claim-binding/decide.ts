/*
 * Decides the next step for one claim. The lists of checks below are the table in docs/decision-tables.md: the first
 * check that matches decides. A decision requires at most one API call. After the call, the reconciler reads the facts
 * and decides again. A decision without a call ends the run, and the claim's conditions show it (report.ts).
 */

import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import {
  externalName as externalNameOf,
  finalizerNames,
  hasFinalizer,
  wasDeleted,
} from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../apis/core/v1alpha1/reference.ts';
import { secretNameProblem } from '../../apis/core/v1alpha1/secret.ts';
import { consideredKinds, isOfOtherProcess } from '../claim/other-processes.ts';
import {
  isOwnedBy,
  namesClaim,
  namesResource,
  wasBound,
  wasBoundHere,
  wasProvisioned,
} from '../claim/ownership.ts';
import { unknownClaim } from '../credential.ts';
import { firstMatch } from '../first-match.ts';
import { isNeverChanged } from '../management-policies.ts';
import { isReleased, isTakenBack } from '../retention.ts';
import { decideClaimEnd, hasEnded } from './decide-claim-end.ts';
import type { BindingDecision, BindingFacts, BindingWait } from './decision.ts';
import { kindsFor, namesNoKind } from './service-of.ts';

type ResourceFacts = BindingFacts & { readonly managed: Managed };

const wait = (name: BindingWait['name']): BindingWait => ({ name });

/** For calls that write the claim's UID to a `claimRef`: the claim is first read from the API server. */
const confirmed = { readFirst: ['claim'] } as const;
/** For calls that bind a resource: the claim and its namespace are first read from the API server. */
const confirmedToBind = { readFirst: ['namespace', 'claim'] } as const;
/**
 * For the call that takes a resource: so is the Secret that the claim names. If the resource was created for the claim, an
 * existing Secret is met when the copy is created.
 */
const confirmedToTake = { readFirst: ['claimSecret', ...confirmedToBind.readFirst] } as const;

const isBound = ({ status }: Managed): boolean => status?.bindingPhase === 'Bound';

/** Pure. Checks every condition again, because the objects may have changed since the trigger. */
export function decideBinding(facts: BindingFacts): BindingDecision {
  const claimDecision = firstMatch(facts, claimChecks);
  if (claimDecision !== undefined) return claimDecision;
  const { managed } = facts;
  if (managed === undefined) return wait('ResourceMissing');
  return firstMatch({ ...facts, managed }, resourceChecks) ?? wait('KeepBound');
}

const claimChecks = [
  needsClass,
  stackNotReady,
  reportedElsewhere,
  unknownKind,
  correctClaimRef,
  decideClaimEnd,
  resourceLost,
  secretNameInvalid,
  classMissing,
  classNotAllowed,
  externalNameNotAllowed,
  classIncompatible,
  awaitRelease,
  recordName,
  create,
];

const resourceChecks = [
  resourceDeleted,
  freePreviousResource,
  resourceNotAllowed,
  awaitGiveBack,
  addFinalizer,
  takeBack,
  released,
  claimRefIncomplete,
  claimedByOther,
  controlledByOther,
  notOffered,
  correctResource,
  parametersEdited,
  resourceIncompatible,
  secretNotOwned,
  notReady,
  setClaimRef,
  credentialNotApplied,
  bind,
  copyMissing,
  copySecret,
  deleteStaleSecret,
  recordExternalName,
];

/**
 * The claim's resource: the first one that the claim owns and that is not being deleted, else any that it owns, else
 * the one that `resourceRef` names, else the one that it can take back. `owned` lists Bound resources first.
 */
export const resourceOf = (
  owned: readonly Managed[],
  named: Managed | undefined,
  returnable?: Managed,
): Managed | undefined => owned.find((one) => !wasDeleted(one)) ?? owned[0] ?? named ?? returnable;

// ── Checks of the claim ─────────────────────────────────────────────────────────────────────────────────────────

/** Scheduling or defaulting writes its class first. */
function needsClass({ claim, owned }: BindingFacts) {
  return namesNoKind(claim, owned) && !wasDeleted(claim) ? wait('NeedsClass') : undefined;
}

/** Its resource is of a stack whose kinds are not all listed yet. The stack triggers the next run. */
function stackNotReady({ owned, service }: BindingFacts) {
  return owned.length > 0 && service === undefined ? wait('StackNotReady') : undefined;
}

function reportedElsewhere(facts: BindingFacts) {
  if (!isUnknown(facts)) return undefined;
  const known = consideredKinds(kindsFor(facts.claim, facts.services));
  return isOfOtherProcess(facts.claim, 'UnknownKind', known) ? wait('ReportedElsewhere') : undefined;
}

function unknownKind(facts: BindingFacts) {
  return isUnknown(facts) ? wait('UnknownKind') : undefined;
}

/** Whether no ready service has the kind that the claim names. The end of some deleted claims needs no service. */
const isUnknown = ({ claim, owned, service }: BindingFacts): boolean =>
  service === undefined && !namesNoKind(claim, owned) && !hasEnded(claim);

/**
 * A restore from a backup gives all objects new UIDs. Corrects the UID in `claimRef` if claim and resource name each
 * other, and the resource was not Bound in this cluster. A claim that is already being deleted releases the resource
 * instead, whatever its policy is: the garbage collector deletes a restored claim if its owner had another UID, and no
 * user asked for that.
 */
function correctClaimRef({ claim, named }: BindingFacts): BindingDecision | undefined {
  if (!hasFinalizer(claim, finalizerNames.claim) || named === undefined || wasDeleted(named))
    return undefined;
  const isRestored =
    named.spec.claimRef?.uid !== undefined && !isOwnedBy(named, claim) && namesClaim(named, claim);
  if (!isRestored || wasBoundHere(named)) return undefined;
  const isStatusRetained = named.status?.bindingPhase !== undefined && named.status.boundUID !== undefined;
  if (isStatusRetained) return wait('StatusFromBackup');
  if (wasDeleted(claim)) return { name: 'Release', managed: named };
  return { name: 'CorrectClaimRef', managed: named, ...confirmed };
}

/** A claim that lost its resource does not get another one: that would hide the loss of data. */
function resourceLost({ claim, managed }: BindingFacts) {
  return managed === undefined && wasBound(claim) ? wait('ResourceLost') : undefined;
}

/**
 * No Secret can have the name that the claim gives. So nothing is created for it, and it binds no resource. A Bound claim
 * keeps its resource, and the Secret that it named before.
 */
function secretNameInvalid({ claim }: BindingFacts) {
  const { name } = claim.spec.writeConnectionSecretToRef ?? {};
  const isInvalid = name !== undefined && secretNameProblem(name) !== undefined;
  return isInvalid ? wait('SecretNameInvalid') : undefined;
}

/** The class of the claim does not exist. The creation of the class triggers the next run. */
function classMissing({ provisioning }: BindingFacts) {
  return provisioning !== undefined && provisioning.resourceClass === undefined
    ? wait('ClassMissing')
    : undefined;
}

/** The claim's namespace may not use the class. A change of the class or the namespace triggers the next run. */
function classNotAllowed({ provisioning, forbidden }: BindingFacts) {
  return provisioning !== undefined && forbidden !== undefined ? wait('ClassForbidden') : undefined;
}

/** The class does not allow the external name that the claim chose. An edit of the claim or class triggers the next run. */
function externalNameNotAllowed({ provisioning }: BindingFacts) {
  return provisioning?.nameRefused === undefined ? undefined : wait('ExternalNameForbidden');
}

/** The class cannot serve the claim. The author can still edit the claim, because it has no resource yet. */
function classIncompatible({ provisioning }: BindingFacts) {
  return provisioning?.plan instanceof Error ? wait('Incompatible') : undefined;
}

/**
 * The end of a previous claim of this name did not release its resource: a user removed its finalizer, or claims were
 * restored alone. The release of that resource triggers the next run, so that this claim does not get an empty one.
 */
function awaitRelease({ claim, owned, previous }: BindingFacts) {
  const isNew = owned.length === 0 && claim.spec.resourceRef === undefined;
  return isNew && previous !== undefined ? wait('AwaitRelease') : undefined;
}

/** Writes the resource's name to the claim before the creation, so that the resource can be found after a crash. */
function recordName({ claim, managed, returnable }: BindingFacts): BindingDecision | undefined {
  if (returnable !== undefined) return undefined; // its name follows after the claim took it back
  const isRecorded = hasFinalizer(claim, finalizerNames.claim) && claim.spec.resourceRef !== undefined;
  if (isRecorded) return undefined;
  const own = managed !== undefined && isOwnedBy(managed, claim) ? managed : undefined;
  return { name: 'RecordName', managed: own };
}

function create({ provisioning: { resourceClass, plan } = { resourceClass: undefined } }: BindingFacts) {
  if (resourceClass === undefined || plan === undefined || plan instanceof Error) return undefined;
  return { name: 'Create', managed: plan.managed, resourceClass, ...confirmed } as const;
}

// ── Checks of the claim's resource ──────────────────────────────────────────────────────────────────────────────

function resourceDeleted({ managed }: ResourceFacts) {
  return wasDeleted(managed) ? wait('ResourceDeleted') : undefined;
}

/** Before the claim was Bound, a user changed `resourceRef`. The previous resource becomes available again. */
function freePreviousResource({ claim, managed }: ResourceFacts): BindingDecision | undefined {
  const phase = managed.status?.bindingPhase;
  const isReservedOnly = isOwnedBy(managed, claim) && phase !== 'Bound' && phase !== 'Released';
  if (!isReservedOnly || wasProvisioned(managed) || namesResource(claim, managed)) return undefined;
  return { name: 'RemoveClaimRef', managed };
}

/**
 * This check precedes `claimedByOther`, whose message would show the owner of the resource to a namespace that may not
 * use the resource. A claim that is already bound to the resource passes this check.
 */
function resourceNotAllowed({ claim, managed, forbidden }: ResourceFacts) {
  const isItsOwn = isBound(managed) && isOwnedBy(managed, claim);
  return !isItsOwn && forbidden !== undefined ? wait('ResourceForbidden') : undefined;
}

/**
 * The claim does not take the resource back by itself: an administrator has to give it back. An edit of the resource or
 * of the claim triggers the next run, and so does the deletion of the resource.
 */
function awaitGiveBack({ returnable, notGivenBack }: ResourceFacts) {
  return returnable !== undefined && notGivenBack !== undefined ? wait('AwaitGiveBack') : undefined;
}

/** The claim has its finalizer before it takes a resource back, so that its end releases the resource again. */
function addFinalizer({ claim, returnable }: ResourceFacts): BindingDecision | undefined {
  const isMissing = returnable !== undefined && !hasFinalizer(claim, finalizerNames.claim);
  return isMissing ? { name: 'AddFinalizer' } : undefined;
}

/** Replaces the UID of the previous claim by that of this one, in one write: no other claim can have it in between. */
function takeBack({ returnable }: ResourceFacts): BindingDecision | undefined {
  return returnable === undefined ? undefined : { name: 'TakeBack', managed: returnable, ...confirmed };
}

/**
 * An administrator makes a Released resource available again by removing `claimRef` or its UID. Only the claim that
 * `claimRef` names learns that: the data may be that of another team.
 */
function released({ claim, managed }: ResourceFacts) {
  // The resource's controller writes the UID `unknown` if Crossplane or an older version released the resource.
  if (!isReleased(managed) && managed.spec.claimRef?.uid !== unknownClaim) return undefined;
  return wait(namesClaim(managed, claim) ? 'Released' : 'ClaimedByOther');
}

/** To reserve a resource, an administrator must write the claim's apiVersion, kind, namespace and name to `claimRef`. */
function claimRefIncomplete({ managed }: ResourceFacts) {
  return missingClaimRefFields(managed).length > 0 ? wait('ClaimRefIncomplete') : undefined;
}

/** The fields that are missing in `claimRef`, so that it does not name a claim. */
export const missingClaimRefFields = ({ spec: { claimRef } }: Managed): readonly string[] =>
  claimRef === undefined
    ? []
    : (['apiVersion', 'kind', 'namespace', 'name'] as const).filter((field) => !claimRef[field]);

function claimedByOther({ claim, managed }: ResourceFacts) {
  const { claimRef } = managed.spec;
  if (claimRef === undefined) return undefined;
  const isOthers = !namesClaim(managed, claim) || (claimRef.uid !== undefined && !isOwnedBy(managed, claim));
  return isOthers ? wait('ClaimedByOther') : undefined;
}

function controlledByOther({ managed }: ResourceFacts) {
  return controllerOf(managed) !== undefined ? wait('ControlledByOther') : undefined;
}

/** A resource that is only observed serves no claim until an administrator sets `claimRef` or `namespaceSelector`. */
function notOffered({ managed: { spec } }: ResourceFacts) {
  const isOffered = spec.claimRef !== undefined || spec.namespaceSelector !== undefined;
  return isNeverChanged(spec) && !isOffered ? wait('NotOffered') : undefined;
}

/**
 * A user edited the parameters of the claim, and nothing was created for it: its resource gets them. The write has the
 * resourceVersion that was read, and each creation first writes its intent to the resource.
 */
function correctResource({ managed, correction }: ResourceFacts): BindingDecision | undefined {
  if (correction === undefined || correction instanceof Error) return undefined;
  return { name: 'CorrectResource', managed, desired: correction, ...confirmed };
}

/** The external resource may exist already, or the class cannot serve the edited claim. */
function parametersEdited({ claim, edited }: ResourceFacts) {
  return edited !== undefined && !wasBound(claim) ? wait('Incompatible') : undefined;
}

function resourceIncompatible({ managed, incompatible }: ResourceFacts) {
  return !isBound(managed) && incompatible !== undefined ? wait('Incompatible') : undefined;
}

function secretNotOwned({ secrets }: ResourceFacts) {
  return secrets.obstacle === undefined ? undefined : wait('SecretNotOwned');
}

function notReady({ managed }: ResourceFacts) {
  const isReserved = managed.spec.claimRef?.uid !== undefined;
  const isFree = managed.status?.bindingPhase === 'Unbound' || isTakenBack(managed);
  const isReady = isFree || (isBound(managed) && isReserved);
  return isReady ? undefined : wait('NotReady');
}

function setClaimRef({ claim, managed }: ResourceFacts): BindingDecision | undefined {
  return isOwnedBy(managed, claim) ? undefined : { name: 'SetClaimRef', managed, ...confirmedToTake };
}

/** Waits until the resource's controller has set a credential for this claim in the external system. */
function credentialNotApplied({ managed, secrets }: ResourceFacts) {
  return !isBound(managed) && secrets.notUsable !== undefined ? wait('CredentialNotApplied') : undefined;
}

/** Writes Bound. Writes only `boundUID` if Crossplane or another version of this product already wrote Bound. */
function bind({ claim, managed }: ResourceFacts): BindingDecision | undefined {
  if (!isBound(managed)) return { name: 'Bind', managed, ...confirmedToBind };
  const isAdopted = managed.status?.boundUID === undefined && namesResource(claim, managed);
  return isAdopted ? { name: 'Bind', managed } : undefined;
}

function copyMissing({ secrets }: ResourceFacts) {
  const { isWanted, isCopyUsable, notUsable } = secrets;
  return isWanted && !isCopyUsable && notUsable !== undefined ? wait('CredentialNotApplied') : undefined;
}

function copySecret({ secrets: { write, notUsable } }: ResourceFacts): BindingDecision | undefined {
  return write === undefined || notUsable !== undefined ? undefined : { name: 'CopySecret', write };
}

/** Deletes the previous Secret after the new one was written, or if the claim names no Secret any more. */
function deleteStaleSecret({ claim, secrets }: ResourceFacts): BindingDecision | undefined {
  const { stale, hasCopy, notUsable } = secrets;
  const isReplaced =
    claim.spec.writeConnectionSecretToRef === undefined || (hasCopy && notUsable === undefined);
  return stale[0] !== undefined && isReplaced ? { name: 'DeleteSecret', secret: stale[0] } : undefined;
}

/** Writes the external name of the resource to the claim's annotation. */
function recordExternalName({ claim, managed, externalName }: ResourceFacts): BindingDecision | undefined {
  const isShown = externalName === undefined || externalName === externalNameOf(claim);
  return isShown ? undefined : { name: 'RecordName', managed };
}
