import compact from 'lodash/compact.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Store } from '../../../runtime/cache/store.ts';
import { claimsIn } from '../indexes.ts';
import { isProvisionedName, possibleProvisioners } from './provisioned-name.ts';
import { reservedFor } from './reservation.ts';

/*
 * A claimRef is an administrator's to write, and he may mistype it, or take it away. Whose a managed resource is stands
 * on record elsewhere, too, where no tenant can write: in its name, which follows from the UID of the claim that it was
 * made for, in the annotation of the claim that took it, or in the status of what was bound (docs/decisions/0052).
 */

/** The UIDs of the claims that this very resource was bound to last, or taken by, in this cluster. */
const recordedUids = (managed: Managed): readonly string[] =>
  compact([boundClaimOf(managed), reservedFor(managed)]);

/** The UID of the claim that this very resource was bound to last, in this cluster. */
export const boundClaimOf = ({ metadata, status }: Managed): string | undefined =>
  status?.boundUID !== undefined && status.boundUID === metadata.uid ? status.boundClaimUID : undefined;

/**
 * Whether a managed resource was bound to a claim last, or, if that is not known, taken by it or made for it, as its UID
 * tells: whatever its claimRef says.
 */
export const isOnRecordFor = (managed: Managed, claim: Claim): boolean =>
  recordedUids(managed).includes(claim.metadata.uid ?? '') || isProvisionedName(claim, managed.metadata.name);

/** Whether it is on record that another claim than the one with this UID had a managed resource last. */
export function isOnRecordForAnother(managed: Managed, claimUid: string): boolean {
  const recorded = recordedUids(managed);
  return recorded.length > 0 && !recorded.includes(claimUid);
}

/**
 * The claim that a managed resource is on record for, if it is there: nobody else is given that, or parts from it.
 * `claims` has the indexes of `indexClaims`.
 */
export function rightfulClaim(claims: Store<Claim>, managed: Managed): Claim | undefined {
  const recorded = recordedUids(managed);
  const { name } = managed.metadata;
  const provisioners = possibleProvisioners(name).flatMap((one) =>
    one.isCut
      ? claimsIn(claims, one.namespace).filter(({ metadata }) => metadata.name.startsWith(one.name))
      : compact([claims.get(one)]),
  );
  return (
    (recorded.length === 0
      ? undefined
      : claims.all().find(({ metadata }) => recorded.includes(metadata.uid ?? ''))) ??
    provisioners.find((claim) => isProvisionedName(claim, name))
  );
}

/** Another claim that is there, for which a managed resource is on record, and not for this one. */
export const rightfulOther = (claims: Store<Claim>, managed: Managed, claim: Claim): Claim | undefined =>
  isOnRecordFor(managed, claim) ? undefined : rightfulClaim(claims, managed);
