import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { Stage } from '../../../runtime/controller/urgency.ts';

/**
 * How far a claim has come that names this managed resource, should there be one. One that is gone may have left something
 * behind. Until its resource can be bound nothing is done for a claim but to say what it waits for.
 */
export function stageOfClaim(claim: Claim | undefined, managed: Managed | undefined): Stage {
  if (claim === undefined || wasDeleted(claim)) return 'begun';
  if (claim.status?.bindingPhase === 'Bound') return 'settled';
  if (claim.spec.resourceRef === undefined) return 'new';
  return managed !== undefined && managed.status?.bindingPhase === undefined ? 'waiting' : 'begun';
}
