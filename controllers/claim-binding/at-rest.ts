import compact from 'lodash/compact.js';
import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition, isConditionTrue } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { isOwnedBy, wasBoundHere } from '../claim/ownership.ts';

interface RestFacts {
  readonly claim: Claim;
  /** The resource that the claim names. Undefined: it does not exist. */
  readonly managed: Managed | undefined;
  /** The Secrets that the claim controls. */
  readonly controlled: readonly Secret[];
}

/**
 * Whether a claim needs no run at the start of a process: by the cache, it is Bound and Ready, and its status reports that.
 * Secret propagation compares its Secret with the source.
 */
export const isAtRest = (facts: RestFacts): boolean =>
  isReported(facts) && hasResource(facts) && hasItsSecretOnly(facts);

/** Whether the last run saw the present spec, and reported that the claim is Bound and works. */
function isReported({ claim }: RestFacts): boolean {
  const { metadata, status } = claim;
  const isBound = status?.bindingPhase === 'Bound' && !wasDeleted(claim);
  const isAvailable = getCondition(status?.conditions, 'Ready').reason === 'Available';
  const isSynced = isConditionTrue(status?.conditions, 'Synced');
  return isBound && isAvailable && isSynced && status?.observedGeneration === metadata.generation;
}

/** Whether its resource is Bound to it in this cluster, and works. */
function hasResource({ claim, managed }: RestFacts): boolean {
  if (managed === undefined || wasDeleted(managed)) return false;
  const conditions = managed.status?.conditions;
  const isWorking = isConditionTrue(conditions, 'Ready') && isConditionTrue(conditions, 'Synced');
  const isBound = managed.status?.bindingPhase === 'Bound' && wasBoundHere(managed);
  return isWorking && isBound && isOwnedBy(managed, claim);
}

/** Whether it controls the Secret that it names, and no other one. */
const hasItsSecretOnly = ({ claim, controlled }: RestFacts): boolean =>
  isEqual(
    controlled.map(({ metadata }) => metadata.name),
    compact([claim.spec.writeConnectionSecretToRef?.name]),
  );
