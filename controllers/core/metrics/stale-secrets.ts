import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { isConditionTrue } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import type { Store } from '../../../runtime/cache/store.ts';
import type { Clock } from '../../../runtime/time/clock.ts';

export interface OutOfStepOptions {
  readonly claims: Store<Claim>;
  /** By kind and group: `FavouriteDBInstance.database.fcp.crossplane.io`. */
  readonly managed: ReadonlyMap<string, Store<Managed>>;
  readonly secrets: Store<Secret>;
  readonly clock: Pick<Clock, 'nextTurn'>;
}

/** So many claims are looked at in one turn of the event loop. */
const slice = 1_000;

/** How many bound claims do not have in their secret what their managed resource publishes. */
export async function outOfStep({ claims, managed, secrets, clock }: OutOfStepOptions): Promise<number> {
  let count = 0;
  const all = claims.all();
  for (let index = 0; index < all.length; index += 1) {
    if (index > 0 && index % slice === 0) await clock.nextTurn();
    if (isOutOfStep(all[index]!, managed, secrets)) count += 1;
  }
  return count;
}

function isOutOfStep(
  { metadata, spec, status }: Claim,
  managed: OutOfStepOptions['managed'],
  secrets: Store<Secret>,
): boolean {
  const { writeConnectionSecretToRef: to, resourceRef } = spec ?? {};
  if (status?.bindingPhase !== 'Bound' || to === undefined || resourceRef?.name === undefined) return false;
  const [group] = resourceRef.apiVersion?.split('/') ?? [];
  const resource = managed.get(`${resourceRef.kind}.${group}`)?.get({ name: resourceRef.name });
  const from = resource?.spec?.writeConnectionSecretToRef;
  if (from === undefined) return false;
  const source = secrets.get(from);
  const target = secrets.get({ namespace: metadata.namespace ?? '', name: to.name });
  if (source !== undefined && target !== undefined) return !isSame(source.data, target.data);
  // One of another type is not in the store; who looks at it by name says in Synced whether it is there.
  return !isConditionTrue(status.conditions, 'Synced');
}

/** Whether two secrets hold the same. */
function isSame(one: Secret['data'] = {}, other: Secret['data'] = {}): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
