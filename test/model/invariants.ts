/**
 * The rules: of each call, of each state, and of each step from a state to the next. Those of the rest are in at-rest.ts.
 */

import { unknownClaim } from '../../controllers/credential.ts';
import type { DeleteCall, ExternalCall, PatchCall } from './decision.ts';
import type { AnyObject, Resource } from './objects.ts';
import {
  claimKey,
  generated,
  isClaimSecretKey,
  isResourceSecretKey,
  isReturnable,
  nameOf,
  objectOf,
  resourceKey,
  resourceSecretKey,
  wasTakenBack,
} from './objects.ts';
import type { Scenario } from './scenario.ts';
import type { State } from './state.ts';
import { hasLivingOwner, isOutdated, namespaceUid, ownerOf, resourcesOf } from './state.ts';

/** `invariants.test.ts` has a violating history for each. */
export type Invariant =
  | 'AvailableWhenOffered'
  | 'BoundAsRequested'
  | 'BoundStays'
  | 'CallChangesSomething'
  | 'ClaimCanLogIn'
  | 'ClaimHasNamedResource'
  | 'ClaimHasResource'
  | 'ClaimOwnsOneResource'
  | 'ClaimRefStays'
  | 'ClaimWaitsForTrueReason'
  | 'ClaimsFreeResourceOnly'
  | 'ComesToRest'
  | 'CreatedOnce'
  | 'CredentialAgrees'
  | 'CredentialInUseStays'
  | 'DataStaysUntilDate'
  | 'DatabaseHasResource'
  | 'DatabaseOfResourceStays'
  | 'DecisionIsMade'
  | 'DeletionOfClaimEnds'
  | 'DeletionOfResourceEnds'
  | 'ForeignReleaseStays'
  | 'ForeignSecretIsForeign'
  | 'ForeignSecretStays'
  | 'MissingResourceIsMissing'
  | 'NamedResourceStays'
  | 'NothingIsDeleted'
  | 'OneBoundResource'
  | 'OtherOwnerExists'
  | 'PasswordIsKnownToOwnerOnly'
  | 'ProvisionedFollowsPolicy'
  | 'ParameterIsApplied'
  | 'ReservingClaimExists'
  | 'ResourceIsAvailable'
  | 'ResourceReportsTrueReason'
  | 'ResourceInUseStays'
  | 'RestoredResourceStays'
  | 'RestrictionIsObeyed'
  | 'RotationIsCarriedOut'
  | 'RetainedEndsAtDate'
  | 'RetainedIsTakenBack'
  | 'RetainedLossStays'
  | 'RetainedWasThere'
  | 'SecretHasOwner'
  | 'TakenBackAsAllowed'
  | 'UnwantedCopyGoes';

export class Violation extends Error {
  readonly invariant: Invariant;

  constructor(invariant: Invariant, why: string) {
    super(why);
    this.invariant = invariant;
  }
}

export function fail(invariant: Invariant, why: string): never {
  throw new Violation(invariant, why);
}

// ── Of a call ────────────────────────────────────────────────────────────────────────────────────────────────────

/** A claim claims no resource whose `claimRef` names another claim. */
export function checkClaimsFreeResourceOnly(object: AnyObject, { set: { claimRef } }: PatchCall): void {
  if (!claimRef || !('claimRef' in object) || !object.claimRef) return;
  const { name, claimRef: previous } = object;
  if (claimRef.claim !== previous.claim) {
    fail(
      'ClaimsFreeResourceOnly',
      `claim ${claimRef.claim} claims ${name}, which names claim ${previous.claim}`,
    );
  }
}

/** A claim takes a resource only while it is available, and is Bound to one only after that. */
export function checkResourceIsAvailable(object: AnyObject, { set }: PatchCall): void {
  if (!('phase' in object)) return;
  const { name, phase, deleting, claimRef, restriction } = object;
  const isTaken = set.claimRef?.uid && !claimRef?.uid;
  const isBound = set.phase === 'Bound' && phase !== 'Bound';
  if (!(isTaken || isBound) || set.claimRef?.uid === unknownClaim) return;
  if (deleting) fail('ResourceIsAvailable', `a claim takes ${name}, which is being deleted`);
  if (phase !== 'Unbound' && !wasTakenBack(object))
    fail('ResourceIsAvailable', `a claim takes ${name}, which is not available`);
  const isNeverChanged = restriction === 'noChange' || restriction === 'onlyObserve';
  if (isNeverChanged && claimRef === null)
    fail('ResourceIsAvailable', `a claim takes ${name}, which is only observed, and for no claim`);
}

/** A claim takes back only a kept resource, from its own namespace, or one that an administrator gave back. */
export function checkTakenBackAsAllowed(state: State, object: AnyObject, { set }: PatchCall): void {
  if (!('phase' in object) || object.phase !== 'Released' || !set.claimRef?.uid) return;
  const { name, claimRef, retention, releasedNamespace, isGivenBackTo } = object;
  if (set.claimRef.uid === unknownClaim) return;
  const current = namespaceUid(state);
  const isAutomatic = retention === 'Automatic' && releasedNamespace === current;
  const isAllowed = isReturnable(object) && (isAutomatic || isGivenBackTo === current);
  if (!isAllowed) fail('TakenBackAsAllowed', `claim ${claimRef?.claim} takes ${name} back, and may not`);
}

/** The database of a kept resource that was lost is not created again without its data. */
export function checkRetainedLossStays(
  { objects, external, data }: State,
  { name, cannotRecord }: ExternalCall,
): void {
  const resource = objectOf(objects, resourceKey(name));
  if (cannotRecord) return; // the resource was released while the call was under way
  if (resource && isReturnable(resource) && data[name] && external[name] === undefined)
    fail('RetainedLossStays', `the lost database of ${name}, which is kept, is created again`);
}

/** A claim becomes Bound only to a database with the parameter that the claim has at that time. */
export function checkBoundAsRequested(state: State, object: AnyObject, { key, set }: PatchCall): void {
  if (!set.bound || !('resourceRef' in object)) return;
  const resource = resourcesOf(state).find(
    ({ claimRef, phase }) => claimRef?.uid === object.uid && phase === 'Bound',
  );
  if (resource?.provisioned && parameterInUse(state, resource) !== object.parameter)
    fail('BoundAsRequested', `${key} becomes Bound to ${resource.name}, which has another parameter`);
}

/** The parameter of the database, which never changes. Until it exists, that of its resource. */
export const parameterInUse = ({ parameters }: State, { name, parameter }: Resource): number | undefined =>
  parameters[name] ?? parameter;

/** No second database is created beside one that has another parameter. */
export function checkCreatedOnce({ external, parameters }: State, { name, parameter }: ExternalCall): void {
  if (external[name] !== undefined && parameters[name] !== parameter)
    fail('CreatedOnce', `a second database is created for ${name}`);
}

/** A Secret that a person made is never overwritten. */
export function checkForeignSecretStays(object: AnyObject, { key, set }: PatchCall): void {
  if (isClaimSecretKey(key) && 'owner' in object && object.owner === '' && set.owner !== '') {
    fail('ForeignSecretStays', `the Secret that a person made for claim ${nameOf(key)} is overwritten`);
  }
}

/** A controller writes only what differs. (A copy may differ in annotations, which the model does not have.) */
export function checkCallChangesSomething(
  object: AnyObject,
  changed: AnyObject,
  { key, versioned }: PatchCall,
): void {
  if (!versioned || isClaimSecretKey(key) || JSON.stringify(object) !== JSON.stringify(changed)) return;
  fail('CallChangesSomething', `a controller writes ${key}, and nothing changes`);
}

/** Policies that never change are kept. (While they change, a call may be under way.) */
export function checkRestrictionIsObeyed(
  { objects }: State,
  { verb, name }: ExternalCall,
  { acts }: Scenario,
): void {
  const { restriction } = objectOf(objects, resourceKey(name)) ?? {};
  if (restriction === undefined || acts.includes('restrict')) return;
  const isAllowed =
    (verb === 'DeleteExternal' && restriction !== 'onlyObserve') ||
    (verb === 'CreateExternal' && restriction === 'noUpdate');
  if (!isAllowed) fail('RestrictionIsObeyed', `${verb} of ${name}, which its policies forbid`);
}

export function checkDeletedOnce(object: AnyObject, { key, versioned }: DeleteCall): void {
  if (versioned && 'deleting' in object && object.deleting)
    fail('CallChangesSomething', `a controller deletes ${key}, which is being deleted`);
}

/** A stale watch never causes a new password for a living claim. (Two edits of `claimRef` by an administrator may.) */
export function checkCredentialInUseStays(state: State, object: AnyObject, { key, set }: PatchCall): void {
  if (!isResourceSecretKey(key) || set.password !== generated || !('for' in object)) return;
  const resource = objectOf(state.objects, resourceKey(nameOf(key)));
  if (!resource || !isOutdated(state, resourceKey(resource.name))) return;
  if (resource.phase !== 'Bound' || !hasLivingOwner(state, resource)) return;
  if (resource.rotation === object.rotation && object.for === resource.claimRef?.claim) {
    fail(
      'CredentialInUseStays',
      `the password of ${resource.name} is replaced although a living claim uses it`,
    );
  }
}

/** No controller deletes the resource of a living claim, or of a restored one that the garbage collector deleted. */
export function checkResourceInUseStays(state: State, object: AnyObject, scenario: Scenario): void {
  if (!('phase' in object)) return;
  const { name, phase, claimRef } = object;
  if (claimRef && objectOf(state.objects, claimKey(claimRef.claim))?.isCollected) {
    fail('RestoredResourceStays', `${name} is deleted although no user deleted claim ${claimRef.claim}`);
  }
  if ((phase === 'Bound' || wasTakenBack(object)) && hasLivingOwner(state, object)) {
    fail('ResourceInUseStays', `${name} is deleted although its claim exists`);
  }
  const isPast = object.deleteAt !== undefined && object.deleteAt <= state.clock;
  const isOver = isReturnable(object) && object.policy === 'Delete' && isPast;
  const isPaused = state.hasObstacle && scenario.obstacle?.name === 'Paused';
  if (object.retention && state.data[name] && (!isOver || isPaused))
    fail('DataStaysUntilDate', `the data of ${name} is deleted before its date`);
  if (scenario.nothingIsDeleted)
    fail('NothingIsDeleted', `${name} is deleted although no user deleted anything`);
}

/** A database is deleted only after its resource. */
export function checkDatabaseOfResourceStays({ objects, external }: State, { name }: ExternalCall): void {
  const resource = objectOf(objects, resourceKey(name));
  if (resource && !resource.deleting && external[name]) {
    fail(
      'DatabaseOfResourceStays',
      `the database of ${name} is deleted although ${name} is not being deleted`,
    );
  }
}

// ── Of each state ────────────────────────────────────────────────────────────────────────────────────────────────

export function checkState(state: State): void {
  const bound = resourcesOf(state).filter((each) => each.phase === 'Bound' && ownerOf(state, each));
  for (const resource of bound) {
    checkOneBoundResource(bound, resource);
    checkPasswordIsKnownToOwnerOnly(state, resource);
  }
}

/** A claim is Bound to one resource at most. */
function checkOneBoundResource(bound: readonly Resource[], resource: Resource): void {
  const claim = resource.claimRef?.claim;
  if (bound.some((other) => other !== resource && other.claimRef?.claim === claim)) {
    fail('OneBoundResource', `claim ${claim} is Bound to two resources`);
  }
}

/** The current password of a Bound resource was never in the Secret of another claim. */
function checkPasswordIsKnownToOwnerOnly({ knows, external }: State, { name, claimRef }: Resource): void {
  for (const [claim, passwords] of Object.entries(knows)) {
    if (claim === claimRef?.claim || !passwords.includes(external[name] ?? '')) continue;
    fail(
      'PasswordIsKnownToOwnerOnly',
      `team ${claim} knows the password of ${name}, which is Bound to claim ${claimRef?.claim}`,
    );
  }
}

// ── Of each step ─────────────────────────────────────────────────────────────────────────────────────────────────

export function checkStep(before: State, after: State): void {
  for (const resource of resourcesOf(before)) {
    checkForeignReleaseStays(before, after, resource);
    if (resource.phase !== 'Bound') continue;
    const next = objectOf(after.objects, resourceKey(resource.name));
    checkNamedResourceStays(before, resource, next);
    checkBoundStays(before, after, resource, next);
  }
}

/** A resource that another version released stays Released until an administrator makes it available. */
function checkForeignReleaseStays(before: State, after: State, { name, phase }: Resource): void {
  if (phase !== 'Released' || !objectOf(before.objects, resourceSecretKey(name))?.isUnnoted) return;
  if (objectOf(after.objects, resourceKey(name))?.phase === 'Unbound')
    fail('ForeignReleaseStays', `${name} becomes available without an act of an administrator`);
}

/** A resource that a living claim names is not deleted, even if the UIDs differ (claims were restored alone). */
function checkNamedResourceStays({ objects }: State, resource: Resource, next: Resource | undefined): void {
  const { name, policy, claimRef, deleting } = resource;
  const claim = claimRef && objectOf(objects, claimKey(claimRef.claim));
  if (!claim || claim.deleting || claim.uid === claimRef.uid || claim.resourceRef !== name) return;
  if (policy === 'Delete' && !deleting && (!next || next.deleting)) {
    fail('NamedResourceStays', `${name} is deleted although claim ${claimRef.claim} names it`);
  }
}

/** While its claim lives, a Bound resource keeps its `claimRef` and its phase. (A status from a backup may be reset.) */
function checkBoundStays(before: State, after: State, resource: Resource, next: Resource | undefined): void {
  if (!next || !hasLivingOwner(before, resource) || !ownerOf(after, resource)) return;
  const { name, uid, claimRef, boundUID } = resource;
  if (next.claimRef?.claim !== claimRef?.claim || next.claimRef?.uid !== claimRef?.uid) {
    fail('ClaimRefStays', `claimRef of ${name} changes while its claim exists`);
  }
  if (next.phase !== 'Bound' && boundUID === uid)
    fail('BoundStays', `${name} is no longer Bound while its claim exists`);
}
