import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { referenceIsOfKind } from '../../apis/core/v1alpha1/reference.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { ClaimService } from '../claim-service.ts';

/** Returns the class that a claim names, from the cache. Undefined if it names none, or if that does not exist. */
export type ClassFinder = (claim: Claim) => Class | undefined;

/** A {@link ClassFinder} for the claims of these services. */
export const classFinder =
  (env: Pick<Environment, 'resource'>, services: readonly ClaimService[]): ClassFinder =>
  ({ spec: { classRef } }) => {
    const service = services.find((each) => referenceIsOfKind(classRef, each.class));
    return service && env.resource(service.class).get({ name: classRef?.name ?? '' });
  };
