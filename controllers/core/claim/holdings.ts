import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { referencesEqual, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { ClaimService } from '../claim-service.ts';
import { indexManaged, managedNaming } from '../indexes.ts';
import { isReserved } from './reservation.ts';

/** Whether a managed resource's claimRef names this claim, by kind, namespace and name (hazard H7). */
export const refersToClaim = (managed: Managed, claim: Claim): boolean =>
  referencesEqual(managed.spec.claimRef, referenceTo(claim));

/** The same, and this very claim, not a former one of its name. */
export const holdsClaim = (managed: Managed, claim: Claim): boolean =>
  managed.spec.claimRef?.uid === claim.metadata.uid && refersToClaim(managed, claim);

/**
 * The claimRef names a claim of this name but of another UID, and the resource is reserved, bound or released already:
 * it was another claim's. In a restored cluster the reference heals: there the statuses are gone, or, where they were
 * brought along, say so of a resource of another UID, as the reservation does.
 */
export function isSomeoneElses(managed: Managed, claim: Claim): boolean {
  const uid = managed.spec.claimRef?.uid;
  const isOtherUid = uid !== undefined && uid !== claim.metadata.uid;
  const phase = managed.status?.bindingPhase;
  const wasBound = (phase === 'Bound' || phase === 'Released') && !isRestored(managed);
  const isTaken = wasBound || isReserved(managed);
  return isOtherUid && isTaken && claim.status?.bindingPhase !== 'Bound';
}

/** What the status says of binding was brought along from a backup. */
export const isRestored = ({ metadata, status }: Managed): boolean =>
  status?.boundUID !== undefined && status.boundUID !== metadata.uid;

/**
 * Finds the managed resource that a claim has, of whatever kind: the one that names it, UID included. That was
 * recorded when it was provisioned or bound, and whoever may edit the claim need not be able to edit it. Of several,
 * which only an administrator can bring about, the one that the claim names.
 */
export function holdings(
  env: Environment,
  services: readonly ClaimService[],
): (claim: Claim) => Managed | undefined {
  const stores = [...new Set(services.map(({ managed }) => env.resource(managed).store))];
  for (const store of stores) indexManaged(store);
  return (claim) => {
    const held = stores.flatMap((store) =>
      managedNaming(store, objectKey(claim.metadata)).filter((one) => holdsClaim(one, claim)),
    );
    return held.find(({ metadata }) => metadata.name === claim.spec.resourceRef?.name) ?? held[0];
  };
}
