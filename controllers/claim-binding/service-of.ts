import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { completeReference, referenceIsOfKind, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import type { ClaimService } from '../claim-service.ts';

/** The service that binds a claim. The kind of its resource decides, else `resourceRef`, else `classRef`. */
export function serviceOf(
  services: readonly ClaimService[],
  { spec: { resourceRef, classRef } }: Claim,
  [resource]: readonly Managed[],
): ClaimService | undefined {
  const reference = resource === undefined ? resourceRef : referenceTo(resource);
  return services.find((service) =>
    reference === undefined
      ? referenceIsOfKind(classRef, service.class)
      : referenceIsOfKind(reference, service.managed),
  );
}

/** Whether the claim has neither a resource nor a complete reference, so that no kind decides about its service. */
export const namesNoKind = ({ spec }: Claim, owned: readonly Managed[]): boolean =>
  owned.length === 0 && spec.resourceRef === undefined && completeReference(spec.classRef) === undefined;

/** The kinds of the services among which the claim names none: of managed resources, or of classes. */
export const kindsFor = ({ spec }: Claim, services: readonly ClaimService[]) =>
  services.map((service) => (spec.resourceRef === undefined ? service.class : service.managed));
