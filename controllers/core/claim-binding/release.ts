import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  finalizerNames,
  wasDeleted,
  withFinalizer,
  withoutFinalizer,
} from '../../../apis/core/v1alpha1/meta.ts';
import type { ObjectReference } from '../../../apis/core/v1alpha1/reference.ts';
import { isControlledBy } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { controlOf } from '../../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isNotFound } from '../../../runtime/client/errors.ts';
import { secretsControlledBy, secretsOfClaim } from '../indexes.ts';
import type { FailureFacts } from '../step-failure.ts';
import { failing } from '../step-failure.ts';
import { withoutClaim, withReleased } from './bind.ts';
import { isOfKey, withdrawConsent } from './consent.ts';
import type { Parting } from './decide-deleted.ts';
import type { Happened } from './ending.ts';
import { cannotUnbind } from './ending.ts';
import type { HandOvers } from './hand-overs.ts';

/** Where a claim that goes has left something. */
export interface ReleaseOptions {
  readonly claims: Resource<Claim>;
  readonly managedResources: Resource<Managed>;
  readonly secrets: Resource<Secret>;
}

/**
 * Parts from a managed resource. Delete: it goes; its own controller shows it Released while that lasts. Retain: it
 * is marked Released. Free: it stays as it is, Unbound. Both keep naming the claim until everything else is done, so
 * that a crash in between leaves work that is found again. A resource that is gone by then needs nothing. Says whether it was
 * there still.
 */
export async function part(
  { managedResources, secrets }: Omit<ReleaseOptions, 'claims'>,
  parting: Parting,
  signal: AbortSignal,
): Promise<'there' | 'gone'> {
  const resource = parting.managed;
  if (parting.act === 'release' && parting.reclaim === 'Delete') {
    const holding = unlessGone(managedResources.update(resource, heldUp(resource), signal));
    const held = await failing('cannot update managed resource', holding, cannotUnbind);
    if (held === undefined) return 'gone';
    await failing('cannot delete managed resource', managedResources.delete(held, signal), cannotUnbind);
    return 'there';
  }
  const phased = parting.act === 'free' ? resource : withReleased(resource);
  const told = unlessGone(managedResources.updateStatus(resource, phased, signal));
  const kept = await failing('cannot update managed resource status', told, cannotUnbind);
  if (kept === undefined) return 'gone';
  const finding = sourcesOf(secrets, kept, signal);
  const sources = await failing('cannot get connection secret', finding, cannotUnbind);
  const isUnused = parting.act === 'free';
  const withdrawn = withdrawConsent(secrets, sources, kept, signal, { isUnused });
  await failing('cannot update connection secret', withdrawn, cannotUnbind);
  const left = withoutClaim(kept, { isKnown: parting.act === 'release' });
  const freed = unlessGone(managedResources.update(kept, left, signal));
  await failing('cannot update managed resource', freed, cannotUnbind);
  return 'there';
}

/**
 * The managed resource with the finalizer that it had when it was made, if it was: who takes that away while nobody runs
 * who would put it back has not said that what it stands for may stay behind, and cost.
 */
function heldUp(resource: Managed): Managed {
  const { metadata, status } = resource;
  const isMade =
    metadata.annotations?.[annotationKeys.externalIdentity] !== undefined ||
    status?.bindingPhase !== undefined;
  if (!isMade || wasDeleted(resource)) return resource;
  return {
    ...resource,
    metadata: { ...metadata, finalizers: withFinalizer(resource, finalizerNames.managed) },
  };
}

/** The secrets that a managed resource publishes to, or has published to before. */
async function sourcesOf(
  secrets: Resource<Secret>,
  resource: Managed,
  signal: AbortSignal,
): Promise<readonly Secret[]> {
  const published = secretsControlledBy(secrets.store, resource.metadata.uid);
  const key = resource.spec.writeConnectionSecretToRef;
  if (key === undefined || published.some((secret) => isOfKey(secret, key))) return published;
  // One of another type than connection secrets have is not in the store.
  const named = await secrets.find(key, signal);
  return named === undefined || typeof controlOf(named, resource) === 'object'
    ? published
    : [...published, named];
}

/** The claim's secrets go with it, also where no garbage collector runs. */
export async function deleteSecrets(
  secrets: Resource<Secret>,
  claim: Pick<ObjectReference, 'namespace' | 'uid'>,
  facts: FailureFacts<Happened>,
  signal: AbortSignal,
): Promise<void> {
  for (const secret of secretsOfClaim(secrets.store, claim)) {
    if (wasDeleted(secret)) continue; // somebody else's finalizer holds it
    await failing('cannot delete connection secret', secrets.delete(secret, signal), facts);
  }
}

/** The secret that a claim was given, and that the store has not seen yet, however long ago that was. */
async function deleteUnseen(
  secrets: Resource<Secret>,
  claim: Claim,
  facts: FailureFacts<Happened>,
  signal: AbortSignal,
): Promise<void> {
  const { metadata, spec } = claim;
  const name = spec.writeConnectionSecretToRef?.name;
  if (name === undefined || secretsOfClaim(secrets.store, metadata).length > 0) return;
  const finding = secrets.fetch({ namespace: metadata.namespace ?? '', name }, signal);
  const secret = await failing('cannot get connection secret', finding, facts);
  if (secret === undefined || !isControlledBy(secret, claim) || wasDeleted(secret)) return;
  await failing('cannot delete connection secret', secrets.delete(secret, signal), facts);
}

/** The last that is done for a claim: then it may go. */
export async function finalise(
  {
    claims,
    secrets,
    handOvers,
  }: Omit<ReleaseOptions, 'managedResources'> & { readonly handOvers: HandOvers },
  claim: Claim,
  facts: FailureFacts<Happened>,
  signal: AbortSignal,
): Promise<void> {
  await deleteSecrets(secrets, claim.metadata, facts, signal);
  const wasGivenOne = handOvers.of(claim.metadata.uid) === 'given' || claim.status?.binding !== undefined;
  if (wasGivenOne) await deleteUnseen(secrets, claim, facts, signal);
  const finalizers = withoutFinalizer(claim, finalizerNames.claim);
  const finalised = { ...claim, metadata: { ...claim.metadata, finalizers } };
  await failing('cannot update resource claim', unlessGone(claims.update(claim, finalised, signal)), facts);
}

/** What a write yields; undefined if, as the API server itself says, its object does not exist. */
async function unlessGone<T>(written: Promise<T>): Promise<T | undefined> {
  try {
    return await written;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
