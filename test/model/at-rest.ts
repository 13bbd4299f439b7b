/** The rules of a state at rest: no controller, no watch and no garbage collector has anything left to do. */
import type { ClaimWaits } from './decision.ts';
import type { Invariant } from './invariants.ts';
import { fail, parameterInUse } from './invariants.ts';
import { runOf } from './moves.ts';
import type { Claim, ClaimRef, Resource } from './objects.ts';
import {
  claimKey,
  claimSecretKey,
  isClaimKey,
  isClaimSecretKey,
  isResourceKey,
  isReturnable,
  objectOf,
  passwordRecorded,
  recordOf,
  resourceKey,
  resourceSecretKey,
  wasTakenBack,
} from './objects.ts';
import type { Obstacle } from './scenario.ts';
import type { State, World } from './state.ts';
import { namespaceUid, ownerOf, resourcesOf, viewOf } from './state.ts';

export function checkRest(state: State, world: World): void {
  const { objects, external } = state;
  const { scenario } = world;
  for (const name of Object.keys(scenario.claims)) {
    const claim = objectOf(objects, claimKey(name));
    if (claim) checkClaimAtRest(state, world, name, claim);
  }
  for (const name of Object.keys(external)) {
    const mayStay = scenario.restriction === 'onlyObserve';
    if (!objects[resourceKey(name)] && !mayStay)
      fail('DatabaseHasResource', `the database of ${name} exists without a resource`);
  }
  for (const resource of resourcesOf(state)) {
    checkResourceAtRest(state, world, resource);
    checkRetainedAtRest(state, world, resource);
  }
  checkSecretsHaveOwners(state);
}

/** The controllers delete Secrets themselves: a cluster may have no garbage collector. */
function checkSecretsHaveOwners({ objects }: State): void {
  for (const [key, object] of Object.entries(objects)) {
    if (!('owner' in object) || object.owner === '') continue;
    const isOwnerKind = isClaimSecretKey(key) ? isClaimKey : isResourceKey;
    const hasOwner = Object.entries(objects).some(
      ([other, owner]) => isOwnerKind(other) && 'uid' in owner && owner.uid === object.owner,
    );
    if (!hasOwner) fail('SecretHasOwner', `the Secret ${key} exists without its owner`);
  }
}

// ── A claim ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A claim has a working Secret, or a condition that names a true reason to wait. */
function checkClaimAtRest(state: State, world: World, name: string, claim: Claim): void {
  const { scenario, controllers } = world;
  if (claim.deleting) {
    const mayWait =
      claim.isProtected ||
      (claim.isHeld && !claim.finalizer) ||
      obstacleOf(state, world, claimKey(name)) === 'NoService';
    if (!mayWait) fail('DeletionOfClaimEnds', `the deletion of claim ${name} never ends`);
    return;
  }
  const { name: reason } = controllers.bindClaim(viewOf(state, scenario), name);
  const expected = reasonOfObstacle(state, world, name, claim) ?? reasonOfResource(state, claim);
  if (expected !== undefined) {
    if (reason !== expected) failToEnd(name, 'ClaimWaitsForTrueReason', `${reason} instead of ${expected}`);
    return;
  }
  const resource = objectOf(state.objects, resourceKey(claim.resourceRef));
  switch (reason) {
    case 'KeepBound':
      checkClaimHasResource(state, name, claim);
      return;
    case 'ResourceMissing':
    case 'ResourceLost':
      if (resource) failToEnd(name, 'MissingResourceIsMissing', `${reason}, but ${resource.name} exists`);
      if (claim.bound !== (reason === 'ResourceLost'))
        failToEnd(
          name,
          'ClaimWaitsForTrueReason',
          `${reason}, and it was ${claim.bound ? '' : 'never '}Bound`,
        );
      if (!claim.bound && scenario.claims[name]?.class && !scenario.acts.includes('createFromCopy'))
        failToEnd(name, 'ClaimWaitsForTrueReason', `${reason}, and it has a class`);
      return;
    case 'SecretNotOwned':
      if (objectOf(state.objects, claimSecretKey(name))?.owner) {
        failToEnd(name, 'ForeignSecretIsForeign', 'its Secret belongs to a claim that does not exist');
      }
      return;
    case 'ClaimedByOther':
    case 'Released':
      checkClaimedByOther(state, world, name, reason, resource);
      return;
    case 'ResourceDeleted':
      if (!resource?.deleting || !obstacleOf(state, world, resourceKey(resource.name)))
        failToEnd(name, 'ClaimWaitsForTrueReason', reason);
      return;
    case 'Incompatible':
      if (resource && parameterInUse(state, resource) === claim.parameter)
        failToEnd(name, 'ClaimWaitsForTrueReason', reason);
      return;
    case 'AwaitGiveBack':
      checkNotGivenBack(state, name, claim);
      return;
    case 'NotReady':
    case 'CredentialNotApplied':
    case 'StatusFromBackup':
      if (!mayBeUnusable(state, world, name, claim)) failToEnd(name, 'ClaimWaitsForTrueReason', reason);
      return;
    default:
      failToEnd(name, 'ClaimWaitsForTrueReason', reason);
  }
}

const failToEnd = (claim: string, invariant: Invariant, why: string): never =>
  fail(invariant, `claim ${claim} waits forever: ${why}`);

function obstacleOf({ hasObstacle }: State, { scenario }: World, key: string): Obstacle | undefined {
  const { obstacle } = scenario;
  return hasObstacle && obstacle?.of === key ? obstacle.name : undefined;
}

/** The reasons of a claim that meets an obstacle from the start. */
const reasonsOfClaim: Partial<Readonly<Record<Obstacle, ClaimWaits['name']>>> = {
  NoClass: 'NeedsClass',
  ClassMissing: 'ClassMissing',
  SecretNameInvalid: 'SecretNameInvalid',
  ClassForbidden: 'ClassForbidden',
  NameForbidden: 'ExternalNameForbidden',
  ClassIncompatible: 'Incompatible',
  ResourceForbidden: 'ResourceForbidden',
  ResourceIncompatible: 'Incompatible',
  ControlledByOther: 'ControlledByOther',
  ClaimRefIncomplete: 'ClaimRefIncomplete',
};

function reasonOfObstacle(
  state: State,
  world: World,
  name: string,
  claim: Claim,
): ClaimWaits['name'] | undefined {
  const owned = resourcesOf(state).find(({ claimRef }) => claimRef?.uid === claim.uid);
  const claimObstacle = obstacleOf(state, world, claimKey(name));
  if (claimObstacle === 'NoService') return owned ? 'StackNotReady' : 'UnknownKind';
  const obstacle = claimObstacle ?? obstacleOf(state, world, resourceKey(claim.resourceRef));
  return obstacle && reasonsOfClaim[obstacle];
}

/** A resource that is never changed serves no claim until an administrator names one. */
function reasonOfResource({ objects }: State, { resourceRef }: Claim): ClaimWaits['name'] | undefined {
  const { restriction, claimRef, phase } = objectOf(objects, resourceKey(resourceRef)) ?? {};
  const isNeverChanged = restriction === 'noChange' || restriction === 'onlyObserve';
  return isNeverChanged && claimRef === null && phase !== 'Released' ? 'NotOffered' : undefined;
}

function checkClaimedByOther(
  state: State,
  { scenario }: World,
  name: string,
  reason: string,
  resource: Resource | undefined,
): void {
  const isReleasedToIt = resource?.phase === 'Released' && resource.claimRef?.claim === name;
  if (isReleasedToIt !== (reason === 'Released')) failToEnd(name, 'ClaimWaitsForTrueReason', reason);
  if (!resource?.claimRef?.uid || resource.phase === 'Released' || scenario.mayStayReserved) return;
  if (!ownerOf(state, resource)) {
    failToEnd(name, 'OtherOwnerExists', `${resource.name} is reserved for a claim that does not exist`);
  }
}

/** A claim waits for an administrator only while there is a resource that it does not take back by itself. */
function checkNotGivenBack(state: State, name: string, { startsEmpty }: Claim): void {
  const current = namespaceUid(state);
  const isAwaited = resourcesOf(state).some(
    (one) => isReturnable(one) && one.claimRef?.claim === name && one.isGivenBackTo !== current,
  );
  if (startsEmpty || !isAwaited) failToEnd(name, 'ClaimWaitsForTrueReason', 'AwaitGiveBack');
}

/** Whether the resource of the claim may lack a credential for the claim that is in force. */
function mayBeUnusable(state: State, world: World, name: string, { resourceRef }: Claim): boolean {
  const resource = objectOf(state.objects, resourceKey(resourceRef));
  const secret = objectOf(state.objects, resourceSecretKey(resourceRef));
  if (secret?.isRefused || obstacleOf(state, world, resourceKey(resourceRef))) return true;
  const password = state.external[resourceRef];
  if (resource && isLossReported(state, resource)) return true;
  if (!resource?.restriction) return false;
  const isRecorded = secret !== undefined && resource.applied === recordOf(secret.password, secret.key);
  // After a change of the policies, a password may have been set that nothing records.
  const isKnown = isRecorded || !world.scenario.acts.includes('restrict');
  const isInForce = secret?.isGiven || (secret?.password === password && isKnown);
  return password === undefined || secret?.for !== name || !isInForce;
}

/** A Bound claim has the resource that it names, and can log in. */
function checkClaimHasResource(state: State, name: string, claim: Claim): void {
  const resource = resourcesOf(state).find(
    ({ claimRef, phase }) => claimRef?.uid === claim.uid && phase === 'Bound',
  );
  if (!resource) fail('ClaimHasResource', `claim ${name} is at rest without a resource`);
  if (!claim.isEditedLate) {
    if (resource.name !== claim.resourceRef)
      fail(
        'ClaimHasNamedResource',
        `claim ${name} names ${claim.resourceRef}, and is Bound to ${resource.name}`,
      );
    if (resource.provisioned && parameterInUse(state, resource) !== claim.parameter)
      fail('ParameterIsApplied', `${resource.name} has another parameter than claim ${name}`);
  }
  checkClaimCanLogIn(state, name, claim, resource);
}

/** The password in the Secret of a bound claim is the database's. (After a refused edit, a condition explains the fix.) */
function checkClaimCanLogIn(state: State, name: string, claim: Claim, resource: Resource): void {
  const copy = objectOf(state.objects, claimSecretKey(name));
  if (claim.wantsNoSecret) {
    if (copy?.owner === claim.uid)
      fail('UnwantedCopyGoes', `the Secret of claim ${name} exists, and the claim names none`);
    return;
  }
  const secret = objectOf(state.objects, resourceSecretKey(resource.name));
  const password = state.external[resource.name];
  if (secret?.isRefused || secret?.isGiven) return;
  if ((resource.restriction || resource.reportsLoss) && password === undefined) return;
  if (resource.restriction && secret?.password === '' && resource.applied === '') return; // no user gave one
  if (copy?.password !== password) {
    fail(
      'ClaimCanLogIn',
      `claim ${name} cannot log in: its Secret has ${copy?.password}, the database has ${password}`,
    );
  }
}

// ── A managed resource ──────────────────────────────────────────────────────────────────────────────────────────

/** Its reason is true, its credential is in force, and its claim exists, or it is Released or free. */
function checkResourceAtRest(state: State, world: World, resource: Resource): void {
  const { name, deleting, isHeld, finalizer } = resource;
  if (deleting && isHeld && !finalizer) return;
  const reason = reasonOf(state, world, resource);
  if (reason !== undefined) {
    const run = runOf(state, name);
    const shown = world.controllers.reconcileManaged(viewOf(state, world.scenario), name, run).name;
    if (shown !== reason) fail('ResourceReportsTrueReason', `${name} reports ${shown} instead of ${reason}`);
  }
  if (reason !== undefined && obstacleOf(state, world, resourceKey(name))) {
    checkParameterIsApplied(state, resource);
    return;
  }
  if (deleting) fail('DeletionOfResourceEnds', `the deletion of ${name} never ends`);
  if (resource.operation) fail('ResourceReportsTrueReason', `${name} shows an operation that has ended`);
  if (resource.isIdentityEdited)
    fail('ResourceReportsTrueReason', `${name} keeps an identity that does not exist`);
  checkCredentialAgrees(state, resource);
  checkOwnerAtRest(state, world, resource);
}

const reasonsOfResource: Partial<Readonly<Record<Obstacle, string>>> = {
  Paused: 'Paused',
  PoliciesInvalid: 'UnsupportedPolicies',
  CreationIncomplete: 'CreationIncomplete',
  OtherSystem: 'OtherSystem',
  OperationRuns: 'AwaitOperation',
};
const reasonsOfLiving: typeof reasonsOfResource = {
  NameRefused: 'CannotInitializeManagedResource',
  RenamedExternal: 'ExternalRenamed',
  QuotaExceeded: 'CannotCreateExternalResource',
  Uncreatable: 'CannotCreateExternalResource',
};

/** Whether the database existed and does not any more, and is not created again. */
const isLossReported = ({ external }: State, resource: Resource): boolean =>
  (resource.reportsLoss === true || isReturnable(resource)) &&
  resource.phase !== '' &&
  external[resource.name] === undefined;

/** Why a resource cannot be what it should be. */
function reasonOf(state: State, world: World, resource: Resource): string | undefined {
  const { name, deleting, restriction } = resource;
  const obstacle = obstacleOf(state, world, resourceKey(name));
  const exists = state.external[name] !== undefined;
  if (obstacle === 'HiddenExternal' && deleting) return 'AwaitExternal';
  const reason =
    obstacle && (reasonsOfResource[obstacle] ?? (deleting ? undefined : reasonsOfLiving[obstacle]));
  if (reason !== undefined || deleting) return reason;
  if (!exists && restriction === 'onlyObserve') return 'ExternalMissing';
  if (!exists && restriction === 'noChange') return 'CreateNotAllowed';
  if (isLossReported(state, resource)) return 'ExternalLost';
  const secret = objectOf(state.objects, resourceSecretKey(name));
  if (!secret?.isRefused || passwordRecorded(resource) === secret.password || restriction) return undefined;
  return exists ? 'CannotUpdateExternalResource' : 'CannotCreateExternalResource';
}

/** The Secret, the record and the database of a resource agree, unless its policies forbid to change the database. */
function checkCredentialAgrees(state: State, resource: Resource): void {
  const { name, restriction, rotation } = resource;
  const isLost = isLossReported(state, resource);
  const secret = objectOf(state.objects, resourceSecretKey(name));
  const password = state.external[name];
  const recorded = passwordRecorded(resource);
  if (restriction || isLost) {
    if (password !== undefined && recorded !== '' && recorded !== password)
      fail('CredentialAgrees', `${name}: the record has ${recorded}, the database ${password}`);
    return;
  }
  if (!secret?.isRefused && (!password || recorded !== password || secret?.password !== password)) {
    fail(
      'CredentialAgrees',
      `${name}: the Secret has ${secret?.password}, the record ${recorded || 'nothing'}, the database ${password}`,
    );
  }
  if (secret?.rotation !== rotation)
    fail('RotationIsCarriedOut', `rotation ${rotation} of ${name} was requested, and is not carried out`);
}

function checkOwnerAtRest(state: State, world: World, resource: Resource): void {
  const { scenario } = world;
  const { name, policy, phase, claimRef } = resource;
  if (phase === 'Released' && !claimRef?.uid)
    fail('AvailableWhenOffered', `an administrator offered ${name}, and it stays Released`);
  const claim = ownerOf(state, resource);
  const isReleased = phase === 'Released' && !wasTakenBack(resource);
  const mayStayReserved = isReleased || (phase !== 'Bound' && scenario.mayStayReserved);
  if (claimRef?.uid && !claim && !mayStayReserved) {
    fail('ReservingClaimExists', `${name} (${phase}, ${policy}) is reserved for a claim that does not exist`);
  }
  if (claimRef?.uid && !claim && phase !== 'Released')
    checkMissingClaimIsReported(state, world, name, claimRef);
  if (resource.provisioned && !claimRef && policy === 'Delete' && !scenario.mayBeMadeAvailable) {
    fail('ProvisionedFollowsPolicy', `${name} was provisioned for a claim and is never deleted`);
  }
  if (claim && resourcesOf(state).filter((other) => other.claimRef?.uid === claim.uid).length > 1) {
    fail('ClaimOwnsOneResource', `claim ${claimRef?.claim} owns two resources`);
  }
}

/** A kept resource is deleted at its date, and its claim gets it back before. */
function checkRetainedAtRest(state: State, { scenario }: World, resource: Resource): void {
  const { name, retention, policy, claimRef, deleteAt } = resource;
  if (!retention || policy !== 'Delete') return;
  const claim = claimRef ? objectOf(state.objects, claimKey(claimRef.claim)) : undefined;
  const isReleased = resource.phase === 'Released' && !wasTakenBack(resource) && claimRef?.uid;
  const isNamed = claim?.resourceRef === name;
  const mayBeUndated = ['restoreClaimAlone', 'removeDate'].some((name) =>
    scenario.acts.includes(name as never),
  );
  if (isReleased && deleteAt === undefined && !isNamed && !mayBeUndated)
    fail('RetainedEndsAtDate', `${name} is Released without a date`);
  if (!isReturnable(resource)) return;
  if (resource.mark === '' && state.external[name] === undefined)
    fail('RetainedWasThere', `${name} is kept, and no database was ever created for it`);
  const isPaused = state.hasObstacle && scenario.obstacle?.name === 'Paused';
  if (deleteAt !== undefined && deleteAt <= state.clock && !isPaused)
    fail('RetainedEndsAtDate', `${name} still exists after its date`);
  const mayBeBeside = scenario.mayHaveTwo || claim?.startsEmpty || claim?.deleting;
  if (claim?.bound && !mayBeBeside)
    fail('RetainedIsTakenBack', `claim ${claimRef?.claim} has an empty database, although ${name} is kept`);
}

/** An Event of the resource says that the claim in its `claimRef` does not exist. */
function checkMissingClaimIsReported(
  state: State,
  { controllers, scenario }: World,
  name: string,
  { claim }: ClaimRef,
): void {
  const isRestored = objectOf(state.objects, claimKey(claim))?.resourceRef === name;
  const { name: shown } = controllers.releaseOrphan(viewOf(state, scenario), name);
  if (shown !== (isRestored ? 'HasClaim' : 'ClaimMissing'))
    fail('ResourceReportsTrueReason', `${name} reports ${shown} about claim ${claim}, which does not exist`);
}

/** Until something is created for it, a resource gets the parameter of its claim. */
function checkParameterIsApplied(state: State, resource: Resource): void {
  const { name, phase, parameter } = resource;
  const claim = ownerOf(state, resource);
  if (!claim || claim.deleting || phase !== '' || state.external[name] !== undefined) return;
  if (claim.parameter !== parameter)
    fail('ParameterIsApplied', `${name}, which does not exist yet, has another parameter than its claim`);
}
