/**
 * The rules: of each call, of each state, of each step from a state to the next, and at rest, when no
 * controller, no watch and no garbage collector has anything left to do.
 */
import type { ExternalCall, PatchCall } from './decision.ts';
import type { AnyObject, Claim, Resource } from './objects.ts';
import {
  claimKey,
  claimSecretKey,
  generated,
  isResourceSecretKey,
  nameOf,
  objectOf,
  resourceKey,
  resourceSecretKey,
} from './objects.ts';
import type { Scenario } from './scenario.ts';
import type { State, World } from './state.ts';
import { hasLivingOwner, isOutdated, ownerOf, resourcesOf, viewOf } from './state.ts';

/** `invariants.test.ts` has a violating history for each. */
export type Invariant =
  | 'BoundStays'
  | 'ClaimCanLogIn'
  | 'ClaimHasResource'
  | 'ClaimOwnsOneResource'
  | 'ClaimRefStays'
  | 'ClaimWaitsForTrueReason'
  | 'ClaimsFreeResourceOnly'
  | 'ComesToRest'
  | 'CredentialAgrees'
  | 'CredentialInUseStays'
  | 'DatabaseHasResource'
  | 'DatabaseOfResourceStays'
  | 'DeletionOfClaimEnds'
  | 'DeletionOfResourceEnds'
  | 'ForeignSecretIsForeign'
  | 'MissingResourceIsMissing'
  | 'NamedResourceStays'
  | 'NothingIsDeleted'
  | 'OneBoundResource'
  | 'OtherOwnerExists'
  | 'PasswordIsKnownToOwnerOnly'
  | 'ProvisionedFollowsPolicy'
  | 'ReservingClaimExists'
  | 'ResourceInUseStays'
  | 'RestoredResourceStays';

export class Violation extends Error {
  readonly invariant: Invariant;

  constructor(invariant: Invariant, why: string) {
    super(why);
    this.invariant = invariant;
  }
}

function fail(invariant: Invariant, why: string): never {
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
  if (phase === 'Bound' && hasLivingOwner(state, object)) {
    fail('ResourceInUseStays', `${name} is deleted although its claim exists`);
  }
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
    if (resource.phase !== 'Bound') continue;
    const next = objectOf(after.objects, resourceKey(resource.name));
    checkNamedResourceStays(before, resource, next);
    checkBoundStays(before, after, resource, next);
  }
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

// ── At rest ──────────────────────────────────────────────────────────────────────────────────────────────────────

export function checkRest(state: State, world: World): void {
  const { objects, external } = state;
  for (const name of Object.keys(world.scenario.claims)) {
    const claim = objectOf(objects, claimKey(name));
    if (claim) checkClaimAtRest(state, world, name, claim);
  }
  for (const name of Object.keys(external)) {
    if (!objects[resourceKey(name)])
      fail('DatabaseHasResource', `the database of ${name} exists without a resource`);
  }
  for (const resource of resourcesOf(state)) checkResourceAtRest(state, world.scenario, resource);
}

/** A claim has a working Secret, or a condition that names a true reason to wait. */
function checkClaimAtRest(state: State, { scenario, controllers }: World, name: string, claim: Claim): void {
  if (claim.deleting) fail('DeletionOfClaimEnds', `the deletion of claim ${name} never ends`);
  const { name: reason } = controllers.bindClaim(viewOf(state, scenario), name);
  const resource = objectOf(state.objects, resourceKey(claim.resourceRef));
  const isRefused = objectOf(state.objects, resourceSecretKey(claim.resourceRef))?.refused;
  switch (reason) {
    case 'KeepBound':
      checkClaimCanLogIn(state, name, claim);
      return;
    case 'ResourceMissing':
    case 'ResourceLost':
      if (resource) failToEnd(name, 'MissingResourceIsMissing', `${reason}, but ${resource.name} exists`);
      return;
    case 'SecretNotOwned':
      if (objectOf(state.objects, claimSecretKey(name))?.owner) {
        failToEnd(name, 'ForeignSecretIsForeign', 'its Secret belongs to a claim that does not exist');
      }
      return;
    case 'ClaimedByOther':
    case 'Released':
      if (!resource?.claimRef?.uid || resource.phase === 'Released' || scenario.mayStayReserved) return;
      if (!ownerOf(state, resource)) {
        failToEnd(name, 'OtherOwnerExists', `${resource.name} is reserved for a claim that does not exist`);
      }
      return;
    case 'NotReady':
    case 'CredentialNotApplied':
    case 'StatusFromBackup':
      if (!isRefused) failToEnd(name, 'ClaimWaitsForTrueReason', reason);
      return;
    default:
      failToEnd(name, 'ClaimWaitsForTrueReason', reason);
  }
}

const failToEnd = (claim: string, invariant: Invariant, why: string): never =>
  fail(invariant, `claim ${claim} waits forever: ${why}`);

/** The password in the Secret of a bound claim is the database's. (After a refused edit, a condition explains the fix.) */
function checkClaimCanLogIn(state: State, name: string, claim: Claim): void {
  const resource = resourcesOf(state).find(
    ({ claimRef, phase }) => claimRef?.uid === claim.uid && phase === 'Bound',
  );
  if (!resource) fail('ClaimHasResource', `claim ${name} is at rest without a resource`);
  if (objectOf(state.objects, resourceSecretKey(resource.name))?.refused) return;
  const password = objectOf(state.objects, claimSecretKey(name))?.password;
  const applied = state.external[resource.name];
  if (password !== applied) {
    fail(
      'ClaimCanLogIn',
      `claim ${name} cannot log in: its Secret has ${password}, the database has ${applied}`,
    );
  }
}

/** The Secret, the record and the database of a resource agree. Its claim exists, or it is Released or free. */
function checkResourceAtRest(state: State, scenario: Scenario, resource: Resource): void {
  const { name, policy, phase, claimRef, applied } = resource;
  if (resource.deleting) fail('DeletionOfResourceEnds', `the deletion of ${name} never ends`);
  const secret = objectOf(state.objects, resourceSecretKey(name));
  const password = state.external[name];
  if (!secret?.refused && (!password || applied !== password || secret?.password !== password)) {
    fail(
      'CredentialAgrees',
      `${name}: the Secret has ${secret?.password}, the record ${applied || 'nothing'}, the database ${password}`,
    );
  }
  const claim = ownerOf(state, resource);
  const mayStayReserved = phase === 'Released' || (phase !== 'Bound' && scenario.mayStayReserved);
  if (claimRef?.uid && !claim && !mayStayReserved) {
    fail('ReservingClaimExists', `${name} (${phase}, ${policy}) is reserved for a claim that does not exist`);
  }
  if (resource.provisioned && !claimRef && policy === 'Delete' && !scenario.mayBeMadeAvailable) {
    fail('ProvisionedFollowsPolicy', `${name} was provisioned for a claim and is never deleted`);
  }
  if (claim && resourcesOf(state).filter((other) => other.claimRef?.uid === claim.uid).length > 1) {
    fail('ClaimOwnsOneResource', `claim ${claimRef?.claim} owns two resources`);
  }
}
