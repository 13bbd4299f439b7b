/*
 * Decides the next call for one claim. The lists of checks below are the table in docs/decision-tables.md: the first check that
 * matches decides. A decision has at most one call to the API server; the reconciler observes again after each call. A
 * decision without a call ends the run, and the claim's conditions show it (report.ts).
 */

import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  externalName as externalNameOf,
  finalizerNames,
  hasFinalizer,
  wasDeleted,
} from '../../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../../apis/core/v1alpha1/reference.ts';
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
import { decideClaimEnd } from './decide-claim-end.ts';
import type { BindingDecision, BindingFacts, BindingWait } from './decision.ts';

type Facts = BindingFacts & { readonly claim: Claim };
type ResourceFacts = Facts & { readonly managed: Managed };

const wait = (name: BindingWait['name']): BindingWait => ({ name });

/** Reads the claim before its UID is written to a `claimRef`. */
const confirmed = { readFirst: ['claim'] } as const;
/** Reads the claim, its namespace and its Secret from the API server right before the claim gets a resource. */
const confirmedTaking = { readFirst: ['claimSecret', 'namespace', 'claim'] } as const;

const isBound = ({ status }: Managed): boolean => status?.bindingPhase === 'Bound';

/** Pure. Checks everything itself, because requests are not filtered. */
export function decideBinding(facts: BindingFacts): BindingDecision {
  const { claim, managed } = facts;
  if (claim === undefined) return wait('ClaimGone');
  const ofClaim = firstMatch({ ...facts, claim }, claimChecks);
  if (ofClaim !== undefined) return ofClaim;
  if (managed === undefined) return wait('ResourceMissing');
  return firstMatch({ ...facts, claim, managed }, resourceChecks) ?? wait('KeepBound');
}

const claimChecks = [
  notResponsible,
  unknownKind,
  correctClaimRef,
  decideClaimEnd,
  resourceLost,
  classMissing,
  classNotAllowed,
  classIncompatible,
  recordName,
  create,
];

const resourceChecks = [
  resourceDeleted,
  freeFormerResource,
  resourceNotAllowed,
  released,
  claimRefIncomplete,
  claimedByOther,
  controlledByOther,
  notOffered,
  resourceIncompatible,
  secretNotOwned,
  notReady,
  setClaimRef,
  credentialNotApplied,
  bind,
  statusFromBackup,
  copyMissing,
  copySecret,
  deleteStaleSecret,
  recordExternalName,
];

/**
 * A claim's resource: the one whose `claimRef` has the claim's UID. `resourceRef` counts only while there is none. `owned`
 * has the resources that are Bound first.
 */
export const resourceOf = (owned: readonly Managed[], named: Managed | undefined): Managed | undefined =>
  owned.find((one) => !wasDeleted(one)) ?? owned[0] ?? named;

// ── Checks of the claim ─────────────────────────────────────────────────────────────────────────────────────────

/** Another controller of this process, or another process, binds this claim. */
function notResponsible({ responsibility }: Facts) {
  return responsibility === 'others' ? wait('OtherKind') : undefined;
}

/** No controller of this process knows the kind that the claim names. */
function unknownKind({ responsibility }: Facts) {
  return typeof responsibility === 'object' ? wait('UnknownKind') : undefined;
}

/**
 * After a restore all UIDs are new. Claim and resource still name each other, and no status of this cluster says Bound.
 * A claim that is being deleted corrects the UID as well, so that it releases its resource.
 */
function correctClaimRef({ claim, named }: Facts): BindingDecision | undefined {
  if (!hasFinalizer(claim, finalizerNames.claim) || named === undefined || wasDeleted(named))
    return undefined;
  const isRestored =
    named.spec.claimRef?.uid !== undefined && !isOwnedBy(named, claim) && namesClaim(named, claim);
  if (!isRestored || wasBoundHere(named)) return undefined;
  const isStatusKept = named.status?.bindingPhase !== undefined && named.status.boundUID !== undefined;
  if (isStatusKept) return wait('StatusFromBackup'); // the resource's controller empties the status first
  return { name: 'CorrectClaimRef', managed: named, ...confirmed };
}

/** The claim was Bound, and its resource does not exist. The claim does not get another one: that would lose data. */
function resourceLost({ claim, managed }: Facts) {
  return managed === undefined && wasBound(claim) ? wait('ResourceLost') : undefined;
}

/** An event of the class wakes the claim. */
function classMissing({ provisioning }: Facts) {
  return provisioning !== undefined && provisioning.resourceClass === undefined
    ? wait('ClassMissing')
    : undefined;
}

/** An event of the class or of the namespace wakes the claim. */
function classNotAllowed({ provisioning, forbidden }: Facts) {
  return provisioning !== undefined && forbidden !== undefined ? wait('ClassForbidden') : undefined;
}

/** The claim does not have a resource yet, so that its author can still change it. */
function classIncompatible({ provisioning }: Facts) {
  return provisioning?.plan instanceof Error ? wait('Incompatible') : undefined;
}

/** The claim names its resource before that is created or taken: a crash leaves nothing that cannot be found. */
function recordName({ claim, managed }: Facts): BindingDecision | undefined {
  const isRecorded = hasFinalizer(claim, finalizerNames.claim) && claim.spec.resourceRef !== undefined;
  if (isRecorded) return undefined;
  const own = managed !== undefined && isOwnedBy(managed, claim) ? managed : undefined;
  return { name: 'RecordName', managed: own };
}

function create({ provisioning: { resourceClass, plan } = { resourceClass: undefined } }: Facts) {
  if (resourceClass === undefined || plan === undefined || plan instanceof Error) return undefined;
  return { name: 'Create', managed: plan.managed, resourceClass, ...confirmed } as const;
}

// ── Checks of the claim's resource ──────────────────────────────────────────────────────────────────────────────

/** A resource that is being deleted takes no claim, and its credential is not copied any more. */
function resourceDeleted({ managed }: ResourceFacts) {
  return wasDeleted(managed) ? wait('ResourceDeleted') : undefined;
}

/** `resourceRef` was edited before the claim was Bound: the former resource becomes available again. */
function freeFormerResource({ claim, managed }: ResourceFacts): BindingDecision | undefined {
  const phase = managed.status?.bindingPhase;
  const isReservedOnly = isOwnedBy(managed, claim) && phase !== 'Bound' && phase !== 'Released';
  if (!isReservedOnly || wasProvisioned(managed) || namesResource(claim, managed)) return undefined;
  return { name: 'RemoveClaimRef', managed };
}

/** A namespace that may not have the resource does not learn which claim has it. A Bound claim is not checked again. */
function resourceNotAllowed({ claim, managed, forbidden }: ResourceFacts) {
  const isItsOwn = isBound(managed) && isOwnedBy(managed, claim);
  return !isItsOwn && forbidden !== undefined ? wait('ResourceForbidden') : undefined;
}

/** Only an administrator makes a Released resource available again: by removing `claimRef` or its UID. */
function released({ managed }: ResourceFacts) {
  return managed.status?.bindingPhase === 'Released' ? wait('Released') : undefined;
}

/** An administrator reserves a resource with apiVersion, kind, namespace and name of a claim. */
function claimRefIncomplete({ managed }: ResourceFacts) {
  // The mark of a resource that another version released.
  if (managed.spec.claimRef?.uid === unknownClaim) return wait('Released');
  return missingClaimRefFields(managed).length > 0 ? wait('ClaimRefIncomplete') : undefined;
}

/** The fields without which a `claimRef` names no claim. */
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

/** An operator of another product owns the resource. */
function controlledByOther({ managed }: ResourceFacts) {
  return controllerOf(managed) !== undefined ? wait('ControlledByOther') : undefined;
}

/** A resource that is only observed serves no claim until an administrator says which claims may have it. */
function notOffered({ managed: { spec } }: ResourceFacts) {
  const isOffered = spec.claimRef !== undefined || spec.namespaceSelector !== undefined;
  return isNeverChanged(spec) && !isOffered ? wait('NotOffered') : undefined;
}

/** The claim or the resource was edited since the resource was created or taken. */
function resourceIncompatible({ managed, incompatible }: ResourceFacts) {
  return !isBound(managed) && incompatible !== undefined ? wait('Incompatible') : undefined;
}

/** A Secret with that name belongs to another owner, or a user created it by hand. */
function secretNotOwned({ secrets }: ResourceFacts) {
  return secrets.obstacle === undefined ? undefined : wait('SecretNotOwned');
}

function notReady({ managed }: ResourceFacts) {
  const isReserved = managed.spec.claimRef?.uid !== undefined;
  const isReady = managed.status?.bindingPhase === 'Unbound' || (isBound(managed) && isReserved);
  return isReady ? undefined : wait('NotReady');
}

function setClaimRef({ claim, managed }: ResourceFacts): BindingDecision | undefined {
  return isOwnedBy(managed, claim) ? undefined : { name: 'SetClaimRef', managed, ...confirmedTaking };
}

/** The resource's controller applies a credential that is for this claim. */
function credentialNotApplied({ managed, secrets }: ResourceFacts) {
  return !isBound(managed) && secrets.notUsable !== undefined ? wait('CredentialNotApplied') : undefined;
}

/** Also a resource that another version of this product, or Crossplane, bound to this claim: it lacks `boundUID`. */
function bind({ claim, managed }: ResourceFacts): BindingDecision | undefined {
  if (!isBound(managed)) return { name: 'Bind', managed, ...confirmedTaking };
  const isAdopted = managed.status?.boundUID === undefined && namesResource(claim, managed);
  return isAdopted ? { name: 'Bind', managed } : undefined;
}

/** The resource's controller empties a status that a backup brought. */
function statusFromBackup({ managed }: ResourceFacts) {
  return wasBoundHere(managed) ? undefined : wait('StatusFromBackup');
}

/** The claim's Secret is missing, and the credential is not in force: nothing is copied. */
function copyMissing({ secrets }: ResourceFacts) {
  const { isWanted, hasCopy, notUsable } = secrets;
  return isWanted && !hasCopy && notUsable !== undefined ? wait('CredentialNotApplied') : undefined;
}

function copySecret({ secrets: { write, notUsable } }: ResourceFacts): BindingDecision | undefined {
  return write === undefined || notUsable !== undefined ? undefined : { name: 'CopySecret', write };
}

/** The claim names another Secret than before, or none. The former one is deleted once the new one is written. */
function deleteStaleSecret({ claim, secrets }: ResourceFacts): BindingDecision | undefined {
  const { stale, hasCopy, notUsable } = secrets;
  const isReplaced =
    claim.spec.writeConnectionSecretToRef === undefined || (hasCopy && notUsable === undefined);
  return stale[0] !== undefined && isReplaced ? { name: 'DeleteSecret', secret: stale[0] } : undefined;
}

/** The annotation of the claim shows the external name of its resource. */
function recordExternalName({ claim, managed, externalName }: ResourceFacts): BindingDecision | undefined {
  const isShown = externalName === undefined || externalName === externalNameOf(claim);
  return isShown ? undefined : { name: 'RecordName', managed };
}
