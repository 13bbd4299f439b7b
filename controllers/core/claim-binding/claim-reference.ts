import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import { wasBound } from '../claim/claim-status.ts';
import { isOnRecordFor } from '../claim/rightful-claim.ts';

/**
 * Whether a managed resource is this claim's, whatever name its claimRef has: made for it, taken by it, or naming it by
 * its UID.
 */
export const isMeantFor = (managed: Managed, claim: Claim): boolean =>
  managed.spec.claimRef?.uid === claim.metadata.uid || isOnRecordFor(managed, claim);

/** The claim had a managed resource, of which somebody has edited the claimRef since. */
export const wasTakenFrom = (managed: Managed, claim: Claim): boolean =>
  wasBound(claim) && isMeantFor(managed, claim);

/** What gives a managed resource back to its claim, once its claimRef was edited: a merge patch of the resource. */
export const returning = (claim: Claim): object => ({ spec: { claimRef: referenceTo(claim) } });

/** The same, as messages say it. */
export const howToReturn = ({ plural, group }: Kind<Managed>, managed: Managed, claim: Claim): string =>
  `to give it back: kubectl patch ${plural}.${group} ${managed.metadata.name} --type=merge -p '${JSON.stringify(returning(claim))}'`;
