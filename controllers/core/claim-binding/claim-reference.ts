import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
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

/**
 * What offers a managed resource that was another claim's to this one, and to no other: a merge patch of the resource.
 * By its name alone, so that it is not taken for one that was given to it before.
 */
export function offering(claim: Claim): object {
  const { apiVersion, kind, namespace, name } = referenceTo(claim);
  return {
    metadata: { annotations: { [annotationKeys.reoffer]: 'claim' } },
    spec: { claimRef: { apiVersion, kind, namespace, name, uid: null } },
  };
}

/** How a managed resource is given back to its claim, as messages say it. */
export const howToReturn = (kind: Kind<Managed>, managed: Managed, claim: Claim): string =>
  `to give it back: ${patching(kind, managed, returning(claim))}`;

/** How a managed resource is offered to a claim, as messages say it. */
export const howToOffer = (kind: Kind<Managed>, managed: Managed, claim: Claim): string =>
  `an administrator can offer it to this claim: ${patching(kind, managed, offering(claim))}`;

/** What an administrator can do about what a claim that is gone has left, as messages say it. */
export const howToDispose = `delete this resource, and with it, unless its policies keep that, what it stands for; or offer it again, with what it may hold of that claim: write the claim that is to have it into its spec.claimRef, without a uid, and the annotation ${annotationKeys.reoffer}=claim`;

const patching = ({ plural, group }: Kind<Managed>, { metadata }: Managed, patch: object): string =>
  `kubectl patch ${plural}.${group} ${metadata.name} --type=merge -p '${JSON.stringify(patch)}'`;
