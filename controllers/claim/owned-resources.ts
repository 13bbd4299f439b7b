import sortBy from 'lodash/sortBy.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { ClaimService } from '../claim-service.ts';
import { indexManaged, managedWithClaimUid } from '../indexes.ts';

/** Finds the managed resources of every kind whose `claimRef` has the UID of a claim. Bound ones come first. */
export function ownedResources(
  env: Pick<Environment, 'resource'>,
  services: readonly ClaimService[],
): (claim: Claim) => readonly Managed[] {
  const stores = [...new Set(services.map(({ managed }) => env.resource(managed).store))];
  for (const store of stores) indexManaged(store);
  return ({ metadata: { uid } }) => {
    const owned = uid === undefined ? [] : stores.flatMap((store) => managedWithClaimUid(store, uid));
    return boundFirst(owned);
  };
}

export const boundFirst = (owned: readonly Managed[]): readonly Managed[] =>
  owned.length < 2 ? owned : sortBy(owned, ({ status }) => status?.bindingPhase !== 'Bound');
