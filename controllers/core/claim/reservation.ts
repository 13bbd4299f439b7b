import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { claimMarks } from '../claim-marks.ts';

/** On a managed resource made by hand: the UIDs of the claim that took it, and of the resource itself. */
export const reservationKey = claimMarks.reservation;

/**
 * The annotation that goes with a claimRef written into a resource that had none. Until the resource is Bound, it is
 * reserved and no more, and goes back as it was if the claim goes. Both UIDs are recorded, because a backup brings
 * annotations into a new cluster but no statuses: there, what may have been Bound must not pass for reserved.
 */
export const reservation = (managed: Managed, { metadata }: Claim): Readonly<Record<string, string>> => ({
  [reservationKey]: `${metadata.uid}/${managed.metadata.uid}`,
});

/** The UID of the claim that took this very resource, in this cluster. */
export function reservedFor({ metadata }: Managed): string | undefined {
  const taker = metadata.annotations?.[reservationKey];
  const own = `/${metadata.uid}`;
  return taker?.endsWith(own) === true ? taker.slice(0, -own.length) : undefined;
}

/** Whether the claim that this very resource names took it, in this cluster, as a resource made by hand. */
export const isReserved = (managed: Managed): boolean => isReservedFor(managed, managed.spec.claimRef?.uid);

/** Whether the claim with this UID took this very resource, in this cluster, whatever the resource names by now. */
export const isReservedFor = (managed: Managed, claimUid: string | undefined): boolean =>
  claimUid !== undefined && reservedFor(managed) === claimUid;
