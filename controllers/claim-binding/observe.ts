/* Reads the facts for decide.ts from the informer caches, or from the API server if a cache may lack the object. */

import compact from 'lodash/compact.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { publishesToStoreAlone } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { isControlledBy } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import { classFinder } from '../claim/class-finder.ts';
import { whyResourceIncompatible } from '../claim/incompatible.ts';
import { restrictsNamespaces, whyNotFor } from '../claim/may-claim.ts';
import { isOwnedBy, wasBound, wasCreatedFor } from '../claim/ownership.ts';
import type { NamespaceUid } from '../claim/previous-resources.ts';
import { returnableFor, whyNotGivenBack } from '../claim/previous-resources.ts';
import type { ClaimService } from '../claim-service.ts';
import type { StoredCredential } from '../credential.ts';
import { storedIn } from '../credential.ts';
import { nameInUse } from '../external-identity.ts';
import { secretsOfClaim } from '../indexes.ts';
import { hasRetention, isReleased } from '../retention.ts';
import { failing, StepFailure } from '../step-failure.ts';
import type { BindingContext, RunMemory } from './context.ts';
import { resourceOf } from './decide.ts';
import { hasEnded } from './decide-claim-end.ts';
import type { BindingFacts } from './decision.ts';
import { secretFacts, secretKeyOfClaim } from './observe-secrets.ts';
import { cannotBind, cannotCopy, cannotCopyAgain, cannotRead, cannotRefresh } from './outcome.ts';
import { editOf, provisioningOf } from './provision.ts';
import { serviceOf } from './service-of.ts';

const cannotGetNamespace = 'cannot get the namespace of the claim';

const nothingObserved = {
  isWanted: false,
  hasCopy: false,
  isCopyUsable: false,
  stale: [],
  controlled: [],
} as const;

/** The claim that is observed, and where it is read from. */
interface Reading extends Omit<BindingContext, 'claim'> {
  readonly claim: Claim;
  readonly run: RunMemory;
  readonly signal: AbortSignal;
}

export async function observe(
  context: BindingContext,
  claim: Claim,
  run: RunMemory,
  signal: AbortSignal,
): Promise<BindingFacts> {
  const { env, services, secrets, ownedBy, previousResources } = context;
  const reading: Reading = { ...context, claim, run, signal };
  const isNotDeleted = ({ metadata }: KubernetesObject) => !run.deleted.has(metadata.uid);
  const owned = ownedBy(claim).filter(isNotDeleted);
  const ready = services.ready();
  const service = run.service ?? serviceOf(ready, claim, owned);
  const created = owned.filter((one) => wasCreatedFor(one, claim));
  const named = service && (await namedBy(reading, service, owned));
  const { previous, returnable: allReturnable } = previousResources(claim);
  const returnable = service && returnableFor(service, claim, owned, allReturnable);
  const managed = service && resourceOf(owned, named, returnable);
  const controlled = secretsOfClaim(secrets.store, claim.metadata).filter(isNotDeleted);
  const of = { claim, services: ready, service, owned, created, named, managed };
  const base = { ...of, secrets: { ...nothingObserved, controlled } };
  if (service === undefined) return base;
  if (wasDeleted(claim)) return { ...base, ...(await releaseFacts(reading, owned, named)) };
  const resourceClass = env.resource(service.class).get({ name: claim.spec.classRef?.name ?? '' });
  const managedResources = env.resource(service.managed);
  const isFree = (name: string): boolean => managedResources.get({ name }) === undefined;
  const provisioning =
    managed === undefined ? provisioningOf(service, claim, resourceClass, isFree) : undefined;
  const own = owned.find((one) => one === managed);
  return {
    ...base,
    resourceClass,
    provisioning,
    externalName: managed && nameInUse(managed),
    forbidden: await whyForbidden(reading, managed ?? provisioning?.resourceClass),
    incompatible: managed && whyIncompatible(service, claim, managed),
    ...(own && editOf(service, claim, own, resourceClass)),
    previous,
    ...(returnable === undefined
      ? { otherReturnable: owned.length === 0 ? allReturnable[0] : undefined }
      : { returnable, notGivenBack: whyNotGivenBack(returnable, claim, await namespaceUidOf(reading)) }),
    secrets: await secretsOf(reading, service, managed, controlled),
  };
}

/** The resource that `resourceRef` names. If the cache lacks the resource of a bound claim, asks the API server. */
async function namedBy(
  { env, claim, run, signal }: Reading,
  service: ClaimService,
  owned: readonly Managed[],
): Promise<Managed | undefined> {
  const name = claim.spec.resourceRef?.name;
  if (name === undefined || serviceOf([service], claim, []) === undefined) return undefined;
  const managedResources = env.resource(service.managed);
  const isMissed = wasBound(claim) && owned.length === 0 && !wasDeleted(claim);
  const found = isMissed
    ? await failing('cannot get managed resource', managedResources.find({ name }, signal), cannotRead)
    : managedResources.get({ name });
  return found !== undefined && run.deleted.has(found.metadata.uid) ? undefined : found;
}

/** The UID of the claim's namespace, which a release records. It is read only if a resource of the claim is to be kept. */
async function releaseFacts(
  reading: Reading,
  owned: readonly Managed[],
  named: Managed | undefined,
): Promise<Pick<BindingFacts, 'namespaceUid'>> {
  const isToBeReleased = (one: Managed) => hasRetention(one) && !isReleased(one) && !wasDeleted(one);
  if (hasEnded(reading.claim) || !compact([...owned, named]).some(isToBeReleased)) return {};
  const found = await namespaceUidOf(reading);
  return 'uid' in found ? { namespaceUid: found.uid } : {};
}

async function namespaceUidOf({ namespaces, claim, run, signal }: Reading): Promise<NamespaceUid> {
  const { namespace = '' } = claim.metadata;
  run.namespaceUid ??= await failing(cannotGetNamespace, namespaces.uidOf(namespace, signal), cannotRead);
  return run.namespaceUid;
}

async function whyForbidden(
  { namespaces, claim, run, signal }: Reading,
  offered: Class | Managed | undefined,
): Promise<string | undefined> {
  if (offered === undefined || isBoundTo(claim, offered)) return undefined;
  if (!restrictsNamespaces(offered)) return whyNotFor(undefined, offered);
  const { namespace = '' } = claim.metadata;
  const known =
    run.namespace ?? (await failing(cannotGetNamespace, namespaces.of(namespace, signal), cannotRead));
  return whyNotFor(known, offered);
}

function whyIncompatible(service: ClaimService, claim: Claim, managed: Managed): string | undefined {
  if (isBoundTo(claim, managed)) return undefined;
  try {
    return whyResourceIncompatible(service, claim, managed);
  } catch (error) {
    throw new StepFailure('cannot tell whether the resource can serve the claim', error, cannotBind);
  }
}

async function secretsOf(
  reading: Reading,
  service: ClaimService,
  managed: Managed | undefined,
  controlled: readonly Secret[],
): Promise<BindingFacts['secrets']> {
  const { env, services, secrets, claim, run, signal } = reading;
  const source = managed && (await sourceOf(reading, managed));
  const storedCredential = managed && (source ? storedIn(source) : await storedBy(reading, managed));
  const key = secretKeyOfClaim(claim);
  const stored = key && secrets.get(key);
  // The Secret of a Bound claim, and one that blocks a claim, may be of another type. Then the cache does not have it.
  const isBlocked = getCondition(claim.status?.conditions, 'Ready').reason === 'SecretConflict';
  const isSought = stored === undefined && (isBlocked || claim.status?.bindingPhase === 'Bound');
  if (isSought && !run.hasRead.has('claimSecret')) await readClaimSecret(secrets, claim, run, signal);
  return secretFacts({
    claim,
    managed,
    resourceClass: classFinder(env, services.all)(claim),
    secretDetails: service.secretDetails ?? {},
    source,
    stored: storedCredential,
    target: key && (stored ?? run.target),
    isTargetStored: stored !== undefined,
    controlled,
  });
}

/** The resource's Secret. `find` asks the API server, too: the cache lacks Secrets of the type of older releases. */
async function sourceOf({ secrets, claim, signal }: Reading, managed: Managed): Promise<Secret | undefined> {
  const { spec, status } = managed;
  const key = spec.writeConnectionSecretToRef;
  if (key === undefined) return undefined;
  const isExpected = isOwnedBy(managed, claim) && status?.bindingPhase !== undefined;
  const finding = isExpected ? secrets.find(key, signal) : Promise.resolve(secrets.get(key));
  const facts = wasBound(claim) ? cannotCopyAgain : cannotCopy;
  const secret = await failing('cannot get connection secret', finding, facts);
  return secret !== undefined && isControlledBy(secret, managed) ? secret : undefined;
}

async function storedBy(
  { storedConnection, claim, signal }: Reading,
  managed: Managed,
): Promise<StoredCredential | undefined> {
  if (storedConnection === undefined || !publishesToStoreAlone(managed)) return undefined;
  // guard: otherwise a claim reports the place and the failures of the entry of another claim
  if (!isOwnedBy(managed, claim)) return undefined;
  const facts = wasBound(claim) ? cannotCopyAgain : cannotCopy;
  return failing('', storedConnection(managed, signal), facts);
}

export async function readClaimSecret(
  secrets: Resource<Secret>,
  claim: Claim,
  run: RunMemory,
  signal: AbortSignal,
): Promise<void> {
  run.hasRead.add('claimSecret');
  const key = secretKeyOfClaim(claim);
  if (key === undefined) return;
  const facts = wasBound(claim) ? cannotRefresh : cannotBind;
  run.target = await failing('cannot get connection secret', secrets.fetch(key, signal), facts);
}

/** Whether the claim is already Bound to this resource, so that its namespace and fields are not checked again. */
const isBoundTo = (claim: Claim, offered: Class | Managed): boolean =>
  'spec' in offered && offered.status?.bindingPhase === 'Bound' && isOwnedBy(offered, claim);
