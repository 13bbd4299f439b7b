import type { ConditionFacts } from '../../apis/core/v1alpha1/condition.ts';
import { setConditions } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { firstNames } from '../../apis/core/v1alpha1/printable.ts';
import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { StoreConfig } from '../../apis/core/v1alpha1/store-config.ts';

/** The decisions about an object that is in use, in the order of docs/decision-tables.md. */
export const inUseDecisions = ['InUse', 'RemoveFinalizer', 'AddFinalizer', 'CountUsers'] as const;

/** The decision about one Provider, ProviderConfig or StoreConfig; `name` is its name in docs/decision-tables.md. */
export type InUseDecision =
  | { readonly name: 'RemoveFinalizer' | 'AddFinalizer' | 'CountUsers'; readonly message?: undefined }
  /** The deletion waits until no managed resource uses the object. */
  | { readonly name: 'InUse'; readonly message: string };

export type UsedObject = Provider | ProviderConfig | StoreConfig;

/** Pure. An object has the finalizer only while it has users. Without the finalizer, a deletion does not wait. */
export function decideInUse(used: UsedObject, users: readonly KubernetesObject[]): InUseDecision {
  const [isUsed, isProtected] = [users.length > 0, hasFinalizer(used, finalizerNames.inUse)];
  if (wasDeleted(used)) {
    return isUsed && isProtected
      ? { name: 'InUse', message: inUse(used, users) }
      : { name: 'RemoveFinalizer' };
  }
  if (isUsed === isProtected) return { name: 'CountUsers' };
  return { name: isUsed ? 'AddFinalizer' : 'RemoveFinalizer' };
}

const maxNamed = 5;

/** `in use by 2 managed resources: FavouriteDBInstance cart, FavouriteDBInstance search; …`, with sorted names. */
function inUse({ kind }: KubernetesObject, users: readonly KubernetesObject[]): string {
  const names = users.map((user) => `${user.kind} ${user.metadata.name}`).toSorted();
  const count = `${names.length} managed resource${names.length === 1 ? '' : 's'}`;
  return `in use by ${count}: ${firstNames(names, maxNamed).join(', ')}; it is deleted once they are deleted or use another ${kind}`;
}

export const terminating = (message: string): ConditionFacts => ({
  type: 'Terminating',
  status: 'True',
  reason: 'InUse',
  message,
});

/** The object with the number of its users and these conditions in its status. */
export function withUsers<U extends UsedObject>(
  used: U,
  users: number,
  facts: readonly ConditionFacts[],
  now: Date,
): U {
  const { generation } = used.metadata;
  const conditions = setConditions(used.status?.conditions, facts, { now, generation });
  return {
    ...used,
    status: {
      ...used.status,
      users,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  };
}
