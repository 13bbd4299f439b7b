/* Decides the next step of the deletion of a claim: first its resources, then its Secret, then its finalizer. */

import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { wasProvisioned } from '../claim/ownership.ts';
import { firstMatch } from '../first-match.ts';
import { hasRetention, isReleased, isTakenBack } from '../retention.ts';
import type { BindingCall, BindingDecision, BindingFacts } from './decision.ts';

/** The decisions for a claim that is being deleted, in the order of docs/decision-tables.md. */
export const claimEndDecisions = [
  'ClaimGone',
  'DeletionProtected',
  'DeleteResource',
  'Release',
  'RemoveClaimRef',
  'DeleteSecret',
  'RemoveFinalizer',
] as const;

/** Returns undefined if the claim is not being deleted. */
export function decideClaimEnd(facts: BindingFacts): BindingDecision | undefined {
  if (!wasDeleted(facts.claim)) return undefined;
  return (
    firstMatch(facts, claimEndChecks) ?? {
      name: 'RemoveFinalizer',
      readFirst: ['namedResource'],
    }
  );
}

/** The call by which the end of a claim gives up a resource. */
export type ResourceEnd = Extract<
  BindingCall,
  { readonly name: 'DeleteResource' | 'Release' | 'RemoveClaimRef' }
>;

const claimEndChecks = [claimGone, deletionProtected, releaseResource, deleteSecret];

/** This controller has removed its finalizer, so it has nothing to do. Other finalizers may still keep the claim. */
function claimGone({ claim }: BindingFacts): BindingDecision | undefined {
  return hasEnded(claim) ? { name: 'ClaimGone' } : undefined;
}

export const hasEnded = (claim: Claim): boolean =>
  wasDeleted(claim) && !hasFinalizer(claim, finalizerNames.claim);

/** The claim keeps its resource and its Secret until its author ends the protection. An edit of the claim triggers the next run. */
function deletionProtected({ claim }: BindingFacts): BindingDecision | undefined {
  return claim.spec.deletionProtection === true ? { name: 'DeletionProtected' } : undefined;
}

/**
 * The end of a claim decides about each of its resources:
 * - Bound, created for this claim or taken back by it: its reclaim policy decides. With `retainFor` it is Released and
 *   retained until a date, even if it was not Bound yet: after a restore it has data. If it never had an external
 *   resource, it is deleted instead.
 * - Created for a claim of a backup, and not Bound again yet: Released. The garbage collector may delete a restored claim
 *   whose owner had another UID.
 * - Any other: available again, because no claim knows its credential.
 */
export function releaseResource({ owned, created }: BindingFacts): ResourceEnd | undefined {
  const managed = owned.find((one) => !wasDeleted(one) && !isReleased(one));
  if (managed === undefined) return undefined;
  const isItsOwn = managed.status?.bindingPhase === 'Bound' || isTakenBack(managed);
  const followsPolicy = isItsOwn || created.includes(managed);
  if (followsPolicy && managed.spec.reclaimPolicy === 'Delete' && !hasRetention(managed))
    return { name: 'DeleteResource', managed };
  return { name: followsPolicy || wasProvisioned(managed) ? 'Release' : 'RemoveClaimRef', managed };
}

/** Deletes the Secrets of the claim, because a cluster may run without the garbage collector. */
function deleteSecret({ secrets: { controlled } }: BindingFacts): BindingDecision | undefined {
  const secret = controlled.find((one) => !wasDeleted(one));
  return secret && { name: 'DeleteSecret', secret };
}
