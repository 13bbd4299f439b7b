import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { isConditionTrue } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerReference, isControlledBy } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret, SecretKey } from '../../../apis/core/v1alpha1/secret.ts';
import {
  allowsPropagationTo,
  annotationsWithoutConsent,
  propagatesFrom,
  propagationSource,
  propagationTargets,
  secretKeyOf,
} from '../../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { annotate, isAlreadyExists } from '../../../runtime/client/errors.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import { propagated, whyNotCopied } from '../claim/propagated-secret.ts';
import { secretsControlledBy, secretsOfClaim } from '../indexes.ts';
import { isOfKey, withdrawConsent } from './consent.ts';
import { handOverMark, isHandedTo } from './handed-to.ts';

/** Around the copy that a claim gets. `wasMarked`: its source said before this run that the claim may have one. */
export type HandingOver = (wasMarked: boolean, copy: () => Promise<void>) => Promise<void>;

/**
 * Gives a claim the connection secret of its managed resource: leave on the source, in the same write as the mark of
 * whom it is given to, then the target with the source's data. Changes only what differs. Where either side wants no
 * secret, or another one than before, it takes back the leave that was given. A bound claim whose source is gone keeps
 * what it was given. Throws an Error whose message names the secret that stands in the way.
 */
export async function propagateConnection(
  secrets: Resource<Secret>,
  claim: Claim,
  managed: Managed,
  signal: AbortSignal,
  handingOver: HandingOver = (_wasMarked, copy) => copy(),
): Promise<void> {
  const wanted = claim.spec.writeConnectionSecretToRef;
  const sourceKey = managed.spec.writeConnectionSecretToRef;
  const published = secretsControlledBy(secrets.store, managed.metadata.uid);
  const stale = published.filter((secret) => wanted === undefined || !isOfKey(secret, sourceKey));
  await annotate('cannot update connection secret', withdrawConsent(secrets, stale, managed, signal));
  if (wanted === undefined || sourceKey === undefined) return;
  const targetKey = targetOf(claim, wanted);

  const cannotGet = "cannot get managed resource's connection secret";
  const source = await annotate(cannotGet, secrets.find(sourceKey, signal));
  if (source === undefined) {
    if (await hasCopy(secrets, claim, { source: sourceKey, target: targetKey }, signal)) return;
    throw new Error(`${cannotGet}: ${sourceKey.namespace}/${sourceKey.name} does not exist`);
  }
  if (!isControlledBy(source, managed)) {
    throw new Error(
      `cannot establish control of existing connection secret ${sourceKey.namespace}/${sourceKey.name}: it is not controlled by ${managed.kind} ${managed.metadata.name}`,
    );
  }
  await annotate(
    'cannot update connection secret',
    secrets.update(
      source,
      allowingOnly(source, targetKey, handOverMark(managed, claim.metadata.uid)),
      signal,
    ),
  );
  const copy = () => writeTarget(secrets, claim, source, targetKey, signal);
  await annotate(
    'cannot create or update connection secret',
    handingOver(isHandedTo(source, claim.metadata.uid), copy),
  );
}

/** The secret that a claim wants, in its own namespace. */
const targetOf = ({ metadata }: Claim, { name }: { readonly name: string }): SecretKey => ({
  namespace: metadata.namespace ?? '',
  name,
});

/**
 * Whether a bound claim has what that source held: it is left with it until the managed resource publishes again, which
 * may have to wait until its provider is reached, and which brings us back. An immutable copy may have been out of step
 * already, and then the claim was not Ready.
 */
async function hasCopy(
  secrets: Resource<Secret>,
  claim: Claim,
  { source, target }: { readonly source: SecretKey; readonly target: SecretKey },
  signal: AbortSignal,
): Promise<boolean> {
  if (claim.status?.bindingPhase !== 'Bound') return false;
  const copy = await annotate('cannot get connection secret', secrets.find(target, signal));
  if (copy === undefined || !isControlledBy(copy, claim)) return false;
  const mayBeFormer = copy.immutable === true && !isConditionTrue(claim.status.conditions, 'Ready');
  return isEqual(propagationSource(copy), source) && !mayBeFormer;
}

async function writeTarget(
  secrets: Resource<Secret>,
  claim: Claim,
  source: Secret,
  key: SecretKey,
  signal: AbortSignal,
): Promise<void> {
  // One of another type, which only a claim that was bound before has, is not in the store.
  const isFirst = claim.status?.bindingPhase !== 'Bound';
  const existing = isFirst ? secrets.get(key) : await secrets.find(key, signal);
  if (existing === undefined) {
    const fresh: Secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        ...key,
        ownerReferences: [controllerReference(claim)],
        annotations: propagatesFrom(secretKeyOf(source)),
      },
      type: connectionSecretType,
      data: source.data ?? {},
    };
    try {
      await secrets.create(fresh, signal);
      return;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error; // else one that the store has not seen, or does not hold
    }
  }
  const current = existing ?? (await secrets.fetch(key, signal));
  if (current === undefined) throw new Error(`secret ${key.namespace}/${key.name} came and went`);
  const obstacle = whyNotCopied(current, claim, source);
  if (obstacle !== undefined) throw new Error(obstacle);
  await secrets.update(current, propagated(current, claim, source), signal);
}

/** Whether a claim cannot be given the secret that it wants: what has that name stays, or there is nothing to copy. */
async function isInTheWay(
  secrets: Resource<Secret>,
  claim: Claim,
  managed: Managed,
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = claim.spec.writeConnectionSecretToRef;
  const sourceKey = managed.spec.writeConnectionSecretToRef;
  if (wanted === undefined || sourceKey === undefined) return false;
  const target = await secrets.find(targetOf(claim, wanted), signal);
  const source = await secrets.find(sourceKey, signal);
  if (source === undefined) return true;
  return target !== undefined && whyNotCopied(target, claim, source) !== undefined;
}

/** Whether the secret that a claim wants is the one that it was given, and still there. */
export async function keepsItsSecret(
  secrets: Resource<Secret>,
  claim: Claim,
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = claim.spec.writeConnectionSecretToRef;
  if (wanted === undefined || claim.status?.binding?.name !== wanted.name) return false;
  const target = await secrets.find(targetOf(claim, wanted), signal);
  return target !== undefined && isControlledBy(target, claim);
}

/** The source as it should be: of the target's namespace it allows this target and no other, and says whose that is. */
function allowingOnly(source: Secret, target: SecretKey, mark: Readonly<Record<string, string>>): Secret {
  const isAllowed = propagationTargets(source).some(
    ({ namespace, name }) => namespace === target.namespace && name === target.name,
  );
  const annotations = annotationsWithoutConsent(source, target.namespace, target.name);
  return {
    ...source,
    metadata: {
      ...source.metadata,
      annotations: { ...annotations, ...(isAllowed ? {} : allowsPropagationTo(target)), ...mark },
    },
  };
}

/**
 * A claim that names another secret than before, or none any more, leaves none behind; but while it cannot be given the
 * new one, what it has may be the only copy of a password that works. Returns what tells of it.
 */
export async function removeStaleTargets(
  secrets: Resource<Secret>,
  claim: Claim,
  managed: Managed,
  signal: AbortSignal,
): Promise<readonly EventFacts[]> {
  const wanted = claim.spec.writeConnectionSecretToRef?.name;
  const stale = secretsOfClaim(secrets.store, claim.metadata).filter(
    (secret) => secret.metadata.name !== wanted && !wasDeleted(secret),
  );
  if (stale.length === 0) return [];
  const looking = isInTheWay(secrets, claim, managed, signal);
  if (await annotate('cannot get connection secret', looking)) return [];
  for (const secret of stale) await secrets.delete(secret, signal);
  const instead = wanted === undefined ? 'none' : `secret ${wanted}`;
  return stale.map(({ metadata: { name } }) => ({
    type: 'Normal',
    reason: 'RemovedConnectionSecret',
    message: `connection secret ${name} is controlled by the claim, which wants ${instead}`,
  }));
}
