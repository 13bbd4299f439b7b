import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { isConditionTrue } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { copyFor } from '../../controllers/claim-secret.ts';
import type { Store } from '../../runtime/cache/store.ts';

export interface SecretStoresOfKinds {
  /** By kind and group: `FavouriteDBInstance.database.fcp.crossplane.io`. */
  readonly managed: ReadonlyMap<string, Store<Managed>>;
  readonly secrets: Store<Secret>;
  classOf(claim: Claim): Class | undefined;
}

/** Whether the Secret of a Bound claim lacks the data that follows from the Secret of its managed resource. */
export function hasStaleSecret(claim: Claim, { managed, secrets, classOf }: SecretStoresOfKinds): boolean {
  const { metadata, spec, status } = claim;
  const { writeConnectionSecretToRef: to, resourceRef } = spec ?? {};
  if (status?.bindingPhase !== 'Bound' || to === undefined || resourceRef?.name === undefined) return false;
  const [group] = resourceRef.apiVersion?.split('/') ?? [];
  const resource = managed.get(`${resourceRef.kind}.${group}`)?.get({ name: resourceRef.name });
  const from = resource?.spec?.writeConnectionSecretToRef;
  if (from === undefined) return false;
  const source = secrets.get(from);
  const target = secrets.get({ namespace: metadata.namespace ?? '', name: to.name });
  if (source !== undefined && target !== undefined) {
    const { secret } = copyFor({ target, source, claim, resourceClass: classOf(claim) });
    return !isEqual(secret.data, target.data ?? {});
  }
  // The store does not have Secrets of another type. Binding reads them, and reports in Synced whether they exist.
  return !isConditionTrue(status.conditions, 'Synced');
}
