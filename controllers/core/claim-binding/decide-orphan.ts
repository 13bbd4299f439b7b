import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { describeReference, referenceIsOfKind, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import { isRestored } from '../claim/holdings.ts';
import { wasProvisionedForClaim } from '../claim/provisioned-name.ts';
import { isReserved } from '../claim/reservation.ts';
import { isOnRecordForAnother } from '../claim/rightful-claim.ts';
import type { ClaimService } from '../claim-service.ts';
import { howToDispose, howToReturn } from './claim-reference.ts';
import type { Parting } from './decide-deleted.ts';

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const orphanDecisions = [
  'NotClaimed',
  'HasClaim',
  'NamedByClaim',
  'ClaimRefEdited',
  'OwnedByOther',
  'Reclaim',
  'FinishRelease',
  'RemoveClaimRef',
  'Release',
  'ReclaimLateCreation',
  'NotBoundHere',
] as const;

/** What to do about a managed resource that names a claim; `name` is its line in docs/decision-tables.md. */
export type OrphanDecision =
  | { readonly name: 'NotClaimed' | 'HasClaim' | 'NamedByClaim' | 'ClaimRefEdited'; readonly act: 'nothing' }
  | {
      readonly name: 'ClaimRefEdited' | 'OwnedByOther' | 'NotBoundHere';
      readonly act: 'tell';
      readonly message: string;
    }
  | (Parting<'RemoveClaimRef', 'Reclaim' | 'FinishRelease' | 'Release' | 'ReclaimLateCreation'> & {
      readonly message: string;
    });

/** What is known of the claim that is gone. */
export interface Former {
  /** It has left a connection secret, or may have had one. */
  readonly isHandedOver: boolean;
  /** This process let it go while a creation for it was unanswered. */
  readonly isLate: boolean;
  /** The claim that has it, whatever its claimRef says by now. */
  readonly holder?: Claim | undefined;
}

/**
 * What becomes of a managed resource whose claim is gone though nobody let go of it: somebody removed the claim's
 * finalizer, or a former release was cut short. In a cluster restored from a backup a resource may come first and its
 * claim much later, so that nothing is done to one unless it bears the mark of having been bound or reserved here:
 * its own UID, which no backup brings along; or this process knows itself what it is.
 *
 * `claim` is whatever has the name by now.
 */
export function decideOrphan(
  service: ClaimService,
  managed: Managed,
  claim: Claim | undefined,
  { isHandedOver, isLate, holder }: Former,
): OrphanDecision {
  const { claimRef, reclaimPolicy } = managed.spec;
  const isOurs = claimRef?.uid !== undefined && referenceIsOfKind(claimRef, service.claim);
  if (!isOurs || wasDeleted(managed)) return { name: 'NotClaimed', act: 'nothing' };
  const { bindingPhase, boundUID } = managed.status ?? {};
  const wasNeverBound = bindingPhase !== 'Bound' && bindingPhase !== 'Released';
  const isOnlyReserved = wasNeverBound && isReserved(managed);
  if (claim?.metadata.uid === claimRef.uid) return { name: 'HasClaim', act: 'nothing' };
  if (claim !== undefined && namesManaged(service, claim, managed) && !isOnlyReserved)
    return { name: 'NamedByClaim', act: 'nothing' };

  if (holder !== undefined) {
    if (wasDeleted(holder)) return { name: 'ClaimRefEdited', act: 'nothing' };
    const [named, its] = [describeReference(claimRef), describeReference(referenceTo(holder))];
    const message = `spec.claimRef names ${named}, but it is ${its}'s, so that nothing is done while that one is there; ${howToReturn(service.managed, managed, holder)}`;
    return { name: 'ClaimRefEdited', act: 'tell', message };
  }
  const gone = `${describeReference(claimRef)} (UID ${claimRef.uid})`;
  if (isOnRecordForAnother(managed, claimRef.uid)) {
    const message = `${gone}, which it names, does not exist, and it was another claim's, which is gone, so that nothing is done; ${howToDispose}`;
    return { name: 'OwnedByOther', act: 'tell', message };
  }
  const reclaim = reclaimPolicy === 'Delete' ? 'Delete' : 'Retain';
  if (bindingPhase === 'Bound' && (boundUID === managed.metadata.uid || isReserved(managed))) {
    const message = `${gone}, to which it was bound, no longer exists: reclaimed by its policy, ${reclaim}`;
    return { name: 'Reclaim', act: 'release', managed, reclaim, message };
  }
  const released = `${gone}, whose connection secret it gave, no longer exists: Released`;
  if (bindingPhase === 'Released' && !isRestored(managed)) {
    return { name: 'FinishRelease', act: 'release', managed, reclaim: 'Retain', message: released };
  }
  if (isOnlyReserved) {
    return isHandedOver
      ? { name: 'Release', act: 'release', managed, reclaim: 'Retain', message: released }
      : {
          name: 'RemoveClaimRef',
          act: 'free',
          managed,
          message: `${gone}, for which it was reserved, no longer exists: offered to others`,
        };
  }
  if (isLate && wasNeverBound && wasProvisionedForClaim(managed)) {
    const message = `${gone}, for which it was made, was let go before it was there: reclaimed by its policy, ${reclaim}`;
    return { name: 'ReclaimLateCreation', act: 'release', managed, reclaim, message };
  }
  const message = `${gone}, which it names, does not exist. It may come back out of a backup, so that nothing is done; if it will, wait; else delete this resource`;
  return { name: 'NotBoundHere', act: 'tell', message };
}

const namesManaged = (
  service: ClaimService,
  { spec: { resourceRef } }: Claim,
  { metadata }: Managed,
): boolean => referenceIsOfKind(resourceRef, service.managed) && resourceRef?.name === metadata.name;
