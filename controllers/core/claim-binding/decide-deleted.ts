import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { wasBound } from '../claim/claim-status.ts';
import { holdsClaim, isSomeoneElses, refersToClaim } from '../claim/holdings.ts';
import { wasProvisionedForClaim } from '../claim/provisioned-name.ts';
import { isReserved } from '../claim/reservation.ts';

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const deletedDecisions = [
  'FinalizerRemoved',
  'ResourceGone',
  'NotOwned',
  'OwnedByFormerClaim',
  'DeletionStarted',
  'Reclaim',
  'FinishRelease',
  'ReclaimProvisioned',
  'RemoveClaimRef',
  'Release',
] as const;

/** How a claim that goes, or is gone, parts from a managed resource; `name` is its line in docs/decision-tables.md. */
export type Parting<Freed = string, Released = string> =
  | { readonly name: Freed; readonly act: 'free'; readonly managed: Managed }
  | {
      readonly name: Released;
      readonly act: 'release';
      readonly managed: Managed;
      readonly reclaim: 'Delete' | 'Retain';
    };

export type DeletedDecision =
  | { readonly name: 'FinalizerRemoved'; readonly act: 'nothing' }
  | {
      readonly name: 'ResourceGone' | 'NotOwned' | 'OwnedByFormerClaim' | 'DeletionStarted';
      readonly act: 'finalise';
    }
  | Parting<'RemoveClaimRef', 'Reclaim' | 'FinishRelease' | 'ReclaimProvisioned' | 'Release'>;

/**
 * What becomes of a deleted claim and its resource. Only what was Bound is reclaimed, and what the claim provisioned
 * itself. The record that counts is the resource's phase: it is written before the claim's, after the secret was
 * handed over, and who may write a claim need not be able to write it. Where records contradict each other the
 * resource is neither deleted nor offered to the next claim, which would find a stranger's data in it.
 *
 * `isHandedOver`: the claim has a connection secret, or may have had one.
 */
export function decideDeleted(
  claim: Claim,
  managed: Managed | undefined,
  isHandedOver: boolean,
): DeletedDecision {
  if (!hasFinalizer(claim, finalizerNames.claim)) return { name: 'FinalizerRemoved', act: 'nothing' };
  if (managed === undefined) return { name: 'ResourceGone', act: 'finalise' };
  // Not ours to touch. Without a UID the claimRef was never written by a claim.
  if (!refersToClaim(managed, claim) || managed.spec.claimRef?.uid === undefined) {
    return { name: 'NotOwned', act: 'finalise' };
  }
  if (isSomeoneElses(managed, claim)) return { name: 'OwnedByFormerClaim', act: 'finalise' };
  if (wasDeleted(managed)) return { name: 'DeletionStarted', act: 'finalise' };
  const reclaim = managed.spec.reclaimPolicy === 'Delete' ? 'Delete' : 'Retain';
  const phase = managed.status?.bindingPhase;
  if (phase === 'Bound') return { name: 'Reclaim', act: 'release', managed, reclaim };
  if (phase === 'Released') return { name: 'FinishRelease', act: 'release', managed, reclaim: 'Retain' };
  if (wasProvisionedForClaim(managed))
    return { name: 'ReclaimProvisioned', act: 'release', managed, reclaim };
  const isUnused = !isHandedOver && !wasBound(claim);
  return isUnused && holdsClaim(managed, claim) && isReserved(managed)
    ? { name: 'RemoveClaimRef', act: 'free', managed }
    : { name: 'Release', act: 'release', managed, reclaim: 'Retain' };
}
