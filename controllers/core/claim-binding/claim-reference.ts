import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import { isReservedFor } from '../claim/reservation.ts';
import type { ClaimService } from '../claim-service.ts';
import { isProvisionedName } from './provisioned-name.ts';

/** Whether a managed resource is this claim's, whatever its claimRef says: made for it, or taken by it, as its UID tells. */
export const isMeantFor = (managed: Managed, claim: Claim): boolean =>
  isReservedFor(managed, claim.metadata.uid) || isProvisionedName(claim, managed.metadata.name);

/** How an administrator gives a managed resource back to its claim, once its claimRef was edited. */
export function howToReturn(
  { managed: { plural, group } }: ClaimService,
  managed: Managed,
  claim: Claim,
): string {
  const { apiVersion, kind, namespace, name, uid } = referenceTo(claim);
  const patch = JSON.stringify({ spec: { claimRef: { apiVersion, kind, namespace, name, uid } } });
  return `to give it back: kubectl patch ${plural}.${group} ${managed.metadata.name} --type=merge -p '${patch}'`;
}
