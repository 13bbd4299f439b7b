import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { referenceIsOfKind } from '../../apis/core/v1alpha1/reference.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { ClaimService } from '../claim-service.ts';

/** The class that a claim names, from the cache. */
export function classOf(
  env: Pick<Environment, 'resource'>,
  services: readonly ClaimService[],
  { spec: { classRef } }: Claim,
): Class | undefined {
  const service = services.find((each) => referenceIsOfKind(classRef, each.class));
  return service && env.resource(service.class).get({ name: classRef?.name ?? '' });
}
