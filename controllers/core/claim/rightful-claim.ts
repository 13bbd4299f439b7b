import compact from 'lodash/compact.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Store } from '../../../runtime/cache/store.ts';
import { claimsIn } from '../indexes.ts';
import { isProvisionedName, possibleProvisioners } from './provisioned-name.ts';
import { isReservedFor, reservedFor } from './reservation.ts';

/*
 * A claimRef is an administrator's to write, and he may mistype it, or take it away. Whose a managed resource is stands
 * on record elsewhere, too, where no tenant can write: in its name, which follows from the UID of the claim that it was
 * made for, or in the annotation of the claim that took it (docs/decisions/0052).
 */

/** Whether a managed resource was made for a claim, or taken by it, as its UID tells: whatever its claimRef says. */
export const isOnRecordFor = (managed: Managed, claim: Claim): boolean =>
  isReservedFor(managed, claim.metadata.uid) || isProvisionedName(claim, managed.metadata.name);

/**
 * The claim that a managed resource is on record for, if it is there: nobody else is given that, or parts from it.
 * `claims` has the indexes of `indexClaims`.
 */
export function rightfulClaim(claims: Store<Claim>, managed: Managed): Claim | undefined {
  const taker = reservedFor(managed);
  const { name } = managed.metadata;
  const provisioners = possibleProvisioners(name).flatMap((one) =>
    one.isCut
      ? claimsIn(claims, one.namespace).filter(({ metadata }) => metadata.name.startsWith(one.name))
      : compact([claims.get(one)]),
  );
  return (
    (taker === undefined ? undefined : claims.all().find(({ metadata }) => metadata.uid === taker)) ??
    provisioners.find((claim) => isProvisionedName(claim, name))
  );
}

/** Whether a managed resource is on record for another claim that is there. */
export function isAnothers(claims: Store<Claim>, managed: Managed, claim: Claim): boolean {
  if (isOnRecordFor(managed, claim)) return false;
  return rightfulClaim(claims, managed) !== undefined;
}
