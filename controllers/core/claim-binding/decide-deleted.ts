import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { wasBound } from '../claim/claim-status.ts';
import { holdsClaim, isSomeoneElses, refersToClaim } from '../claim/holdings.ts';
import { wasProvisionedForClaim } from '../claim/provisioned-name.ts';
import { isReserved } from '../claim/reservation.ts';

/** The rows of this decision in docs/decision-tables.md, in their order. */
export const deletedRows = [
  'K6 finalised',
  'H3',
  'H2',
  'H6',
  'K6 going',
  'K6',
  'K6 begun',
  'K6 provisioned',
  'K6 reserved',
  'K6 unclear',
] as const;

/** How a claim that goes, or is gone, parts from a managed resource; `row` is its line in docs/decision-tables.md. */
export type Parting<Freed = string, Released = string> =
  | { readonly row: Freed; readonly act: 'free'; readonly managed: Managed }
  | {
      readonly row: Released;
      readonly act: 'release';
      readonly managed: Managed;
      readonly reclaim: 'Delete' | 'Retain';
    };

export type DeletedDecision =
  | { readonly row: 'K6 finalised'; readonly act: 'nothing' }
  | { readonly row: 'H3' | 'H2' | 'H6' | 'K6 going'; readonly act: 'finalise' }
  | Parting<'K6 reserved', 'K6' | 'K6 begun' | 'K6 provisioned' | 'K6 unclear'>;

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
  if (!hasFinalizer(claim, finalizerNames.claim)) return { row: 'K6 finalised', act: 'nothing' };
  if (managed === undefined) return { row: 'H3', act: 'finalise' };
  // H6: not ours to touch. Without a UID the claimRef was never written by a claim.
  if (!refersToClaim(managed, claim) || managed.spec.claimRef?.uid === undefined) {
    return { row: 'H2', act: 'finalise' };
  }
  if (isSomeoneElses(managed, claim)) return { row: 'H6', act: 'finalise' };
  if (wasDeleted(managed)) return { row: 'K6 going', act: 'finalise' };
  const reclaim = managed.spec.reclaimPolicy === 'Delete' ? 'Delete' : 'Retain';
  const phase = managed.status?.bindingPhase;
  if (phase === 'Bound') return { row: 'K6', act: 'release', managed, reclaim };
  if (phase === 'Released') return { row: 'K6 begun', act: 'release', managed, reclaim: 'Retain' };
  if (wasProvisionedForClaim(managed)) return { row: 'K6 provisioned', act: 'release', managed, reclaim };
  const isUnused = !isHandedOver && !wasBound(claim);
  return isUnused && holdsClaim(managed, claim) && isReserved(managed)
    ? { row: 'K6 reserved', act: 'free', managed }
    : { row: 'K6 unclear', act: 'release', managed, reclaim: 'Retain' };
}
