import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../apis/core/v1alpha1/reference.ts';
import { holdsClaim, refersToClaim } from '../../controllers/core/claim/holdings.ts';
import { isOnRecordForAnother } from '../../controllers/core/claim/rightful-claim.ts';
import { isReoffered, wasTakenAway } from '../../controllers/core/claim-marks.ts';
import { isNeverChanged } from '../../controllers/core/management-policies.ts';

/** Whether a managed resource is nobody's, or meant for this claim, whatever namespaces it is for. */
export function mayBeTaken(managed: Managed, claim: Claim): boolean {
  const { claimRef, namespaceSelector } = managed.spec;
  const isForIt = claimRef !== undefined && refersToClaim(managed, claim);
  if (wasDeleted(managed) || controllerOf(managed) !== undefined) return false;
  if (holdsClaim(managed, claim)) return true;
  if (claimRef !== undefined && (!isForIt || claimRef.uid !== undefined)) return false;
  // What is only observed is for whoever it is offered to.
  if (isNeverChanged(managed.spec) && namespaceSelector === undefined && !isForIt) return false;
  if (isReoffered(managed)) return true;
  const phase = managed.status?.bindingPhase;
  const wasHad = wasTakenAway(managed) || phase === 'Bound' || phase === 'Released';
  return !wasHad && !isOnRecordForAnother(managed, claim.metadata.uid ?? '');
}
