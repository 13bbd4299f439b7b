import isEmpty from 'lodash/isEmpty.js';
import omit from 'lodash/omit.js';
import pickBy from 'lodash/pickBy.js';
import sum from 'lodash/sum.js';
import type { ConditionFacts } from '../../apis/core/v1alpha1/condition.ts';
import { getCondition, setConditions } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { crdName } from '../../apis/core/v1alpha1/kind.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { firstNames } from '../../apis/core/v1alpha1/printable.ts';
import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { StoreConfig } from '../../apis/core/v1alpha1/store-config.ts';

/** The decisions about an object that is in use, in the order of docs/decision-tables.md. */
export const inUseDecisions = ['InUse', 'RemoveFinalizer', 'AddFinalizer', 'CountUsers'] as const;

/** The decision about one Provider, ProviderConfig or StoreConfig; `name` is its name in docs/decision-tables.md. */
export type InUseDecision =
  | { readonly name: 'RemoveFinalizer' | 'AddFinalizer' | 'CountUsers'; readonly message?: undefined }
  /** The deletion waits until no managed resource uses the object. Without a message, another process reports it. */
  | { readonly name: 'InUse'; readonly message: string | undefined };

export type UsedObject = Provider | ProviderConfig | StoreConfig;

/** The managed resources of one kind of this process that use an object. */
export interface UsersOfKind<M extends KubernetesObject = KubernetesObject> {
  readonly kind: Pick<Kind, 'plural' | 'group'>;
  readonly users: readonly M[];
}

/** Numbers of users, by the names of definitions. */
export type UserCounts = Readonly<Record<string, number>>;

/**
 * Pure. The users of an object, after this process has counted those of its kinds. Other processes count other kinds: their
 * numbers stay.
 */
export function userCounts({ status }: UsedObject, own: readonly UsersOfKind[]): UserCounts {
  const counted = Object.fromEntries(own.map(({ kind, users }) => [crdName(kind), users.length]));
  return pickBy({ ...status?.usersByKind, ...counted }, (count) => count > 0);
}

/**
 * Pure. An object has the finalizer only while it has users. Without the finalizer, a deletion does not wait. `counts`: those of
 * `userCounts`.
 */
export function decideInUse(
  used: UsedObject,
  counts: UserCounts,
  own: readonly UsersOfKind[],
): InUseDecision {
  const [isUsed, isProtected] = [!isEmpty(counts), hasFinalizer(used, finalizerNames.inUse)];
  if (wasDeleted(used)) {
    return isUsed && isProtected
      ? { name: 'InUse', message: inUse(used, counts, own) }
      : { name: 'RemoveFinalizer' };
  }
  if (isUsed === isProtected) return { name: 'CountUsers' };
  return { name: isUsed ? 'AddFinalizer' : 'RemoveFinalizer' };
}

const maxNamed = 5;

/**
 * `in use by 2 managed resources: FavouriteDBInstance cart, FavouriteDBInstance search; …`, with sorted names. If other
 * processes count users, too, all write the same message, with the number of each kind: `2 queues.sqs.aws.crossplane.io`. A
 * process without users leaves the message of another one.
 */
function inUse(used: UsedObject, counts: UserCounts, own: readonly UsersOfKind[]): string | undefined {
  const users = own.flatMap((each) => each.users.map((user) => `${user.kind} ${user.metadata.name}`));
  const total = sum(Object.values(counts));
  const isReported = getCondition(used.status?.conditions, 'Terminating').status === 'True';
  if (users.length === 0 && isReported) return undefined;
  const numbers = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  const names = users.length === total ? users : numbers;
  const all = `${total} managed resource${total === 1 ? '' : 's'}: ${firstNames(names.toSorted(), maxNamed).join(', ')}`;
  return `in use by ${all}; it is deleted once they are deleted or use another ${used.kind}`;
}

export const terminating = (message: string): ConditionFacts => ({
  type: 'Terminating',
  status: 'True',
  reason: 'InUse',
  message,
});

/** The object with the numbers of its users and these conditions in its status. */
export function withUsers<U extends UsedObject>(
  used: U,
  counts: UserCounts,
  facts: readonly ConditionFacts[],
  now: Date,
): U {
  const { generation } = used.metadata;
  const conditions = setConditions(used.status?.conditions, facts, { now, generation });
  return {
    ...used,
    status: {
      ...omit(used.status, 'usersByKind'),
      users: sum(Object.values(counts)),
      ...(isEmpty(counts) ? {} : { usersByKind: counts }),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  };
}
