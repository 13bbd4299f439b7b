import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { referencesEqual, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { ClaimService } from '../claim-service.ts';
import { indexClaims, indexManaged, managedNaming } from '../indexes.ts';
import { isReserved } from './reservation.ts';
import { isAnothers } from './rightful-claim.ts';

/** Whether a managed resource's claimRef names this claim, by kind, namespace and name (hazard H7). */
export const refersToClaim = (managed: Managed, claim: Claim): boolean =>
  referencesEqual(managed.spec.claimRef, referenceTo(claim));

/** The same, and this very claim, not a former one of its name. */
export const holdsClaim = (managed: Managed, claim: Claim): boolean =>
  managed.spec.claimRef?.uid === claim.metadata.uid && refersToClaim(managed, claim);

/**
 * The claimRef names a claim of this name but of another UID, and the resource is reserved, bound or released already:
 * it was another claim's. In a restored cluster the reference heals: there the statuses are gone, or, where they were
 * brought along, say so of a resource of another UID, as the reservation does. Or it names this very claim by now, and
 * was bound to another: somebody wrote that there.
 */
export function isSomeoneElses(managed: Managed, claim: Claim): boolean {
  if (managed.spec.claimRef === undefined) return false;
  const { uid } = managed.spec.claimRef;
  const isOtherUid = uid !== undefined && uid !== claim.metadata.uid;
  if (!isOtherUid && wasBoundToAnother(managed, claim)) return !knewAnotherUid(managed, claim);
  const phase = managed.status?.bindingPhase;
  const wasBound = (phase === 'Bound' || phase === 'Released') && !isRestored(managed);
  const isTaken = wasBound || isReserved(managed);
  return isOtherUid && isTaken && claim.status?.bindingPhase !== 'Bound';
}

/** Where a claim alone was restored, its status and all, what it had, and names, knows it by its former UID. */
const knewAnotherUid = ({ kind, metadata }: Managed, { spec: { resourceRef }, status }: Claim): boolean =>
  status?.bindingPhase === 'Bound' && resourceRef?.kind === kind && resourceRef.name === metadata.name;

/** In this cluster, as far as that is on record, and it was not offered again since. */
export function wasBoundToAnother({ metadata, status }: Managed, claim: Claim): boolean {
  const { bindingPhase, boundUID, boundClaimUID } = status ?? {};
  const isBoundHere = boundUID === metadata.uid && (bindingPhase === 'Bound' || bindingPhase === 'Released');
  return isBoundHere && boundClaimUID !== undefined && boundClaimUID !== claim.metadata.uid;
}

/** What the status says of binding was brought along from a backup. */
export const isRestored = ({ metadata, status }: Managed): boolean =>
  status?.boundUID !== undefined && status.boundUID !== metadata.uid;

/**
 * Finds the managed resource that a claim has, of whatever kind: the one that names it, UID included. That was
 * recorded when it was provisioned or bound, and whoever may edit the claim need not be able to edit it. Of several,
 * which only an administrator can bring about, the one that the claim names; none that is on record for another claim.
 */
export function holdings(
  env: Environment,
  services: readonly ClaimService[],
): (claim: Claim) => Managed | undefined {
  const stores = [...new Set(services.map(({ managed }) => env.resource(managed).store))];
  for (const store of stores) indexManaged(store);
  const claims = services[0] && env.resource(services[0].claim).store;
  if (claims !== undefined) indexClaims(claims);
  return (claim) => {
    const naming = stores
      .flatMap((store) => managedNaming(store, objectKey(claim.metadata)))
      .filter((one) => holdsClaim(one, claim) && !(claims && isAnothers(claims, one, claim)));
    const own = naming.filter((one) => !wasBoundToAnother(one, claim));
    const held = own.length > 0 ? own : naming.filter((one) => knewAnotherUid(one, claim));
    return held.find(({ metadata }) => metadata.name === claim.spec.resourceRef?.name) ?? held[0];
  };
}
