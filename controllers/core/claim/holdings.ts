import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { referencesEqual, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { ClaimService } from '../claim-service.ts';
import { indexClaims, indexManaged, managedNaming } from '../indexes.ts';
import { isReserved } from './reservation.ts';
import { boundClaimOf, rightfulOther } from './rightful-claim.ts';

/** Whether a managed resource's claimRef names this claim, by kind, namespace and name (hazard H7). */
export const refersToClaim = (managed: Managed, claim: Claim): boolean =>
  referencesEqual(managed.spec.claimRef, referenceTo(claim));

/** The same, and this very claim, not a former one of its name. */
export const holdsClaim = (managed: Managed, claim: Claim): boolean =>
  managed.spec.claimRef?.uid === claim.metadata.uid && refersToClaim(managed, claim);

/** Whether a claim's reference leads to that managed resource. */
export const isNamedBy = ({ kind, metadata }: Managed, { spec: { resourceRef } }: Claim): boolean =>
  resourceRef?.kind === kind && resourceRef.name === metadata.name;

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
const knewAnotherUid = (managed: Managed, claim: Claim): boolean =>
  claim.status?.bindingPhase === 'Bound' && isNamedBy(managed, claim);

/** In this cluster, as far as that is on record, and it was not offered again since. */
export function wasBoundToAnother(managed: Managed, claim: Claim): boolean {
  const phase = managed.status?.bindingPhase;
  const former = phase === 'Bound' || phase === 'Released' ? boundClaimOf(managed) : undefined;
  return former !== undefined && former !== claim.metadata.uid;
}

/** What the status says of binding was brought along from a backup. */
export const isRestored = ({ metadata, status }: Managed): boolean =>
  status?.boundUID !== undefined && status.boundUID !== metadata.uid;

/** Of the managed resources that name a claim, UID included, the one that it has: the one that it names itself, if there are several. */
export function heldAmong(naming: readonly Managed[], claim: Claim): Managed | undefined {
  const own = naming.filter((one) => !wasBoundToAnother(one, claim));
  const held = own.length > 0 ? own : naming.filter((one) => knewAnotherUid(one, claim));
  return held.find(({ metadata }) => metadata.name === claim.spec.resourceRef?.name) ?? held[0];
}

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
      .filter((one) => holdsClaim(one, claim))
      .filter((one) => claims === undefined || rightfulOther(claims, one, claim) === undefined);
    return heldAmong(naming, claim);
  };
}
