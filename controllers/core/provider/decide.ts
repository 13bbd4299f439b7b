import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { setConditions } from '../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';

/** The rows of this decision in docs/decision-tables.md, in their order. */
export const providerConfigRows = ['P1', 'P2', 'P3', 'P4'] as const;

/** What to do about one ProviderConfig; `row` is its line in docs/decision-tables.md. */
export type Decision =
  | { readonly row: 'P1'; readonly act: 'protect' }
  | { readonly row: 'P2'; readonly act: 'report'; readonly message?: undefined }
  /** Deletion waits for the users. */
  | { readonly row: 'P3'; readonly act: 'report'; readonly message: string }
  /** Nothing of ours holds it, or is to hold it any longer. */
  | { readonly row: 'P4'; readonly act: 'release' };

/** How many users a message names. */
const named = 5;

/** `users` are the managed resources that name it. */
export function decideProviderConfig(config: ProviderConfig, users: readonly KubernetesObject[]): Decision {
  const isProtected = hasFinalizer(config, finalizerNames.providerConfig);
  if (!wasDeleted(config)) return isProtected ? { row: 'P2', act: 'report' } : { row: 'P1', act: 'protect' };
  return isProtected && users.length > 0
    ? { row: 'P3', act: 'report', message: inUse(users) }
    : { row: 'P4', act: 'release' };
}

/** `in use by 2 managed resources: FavouriteDBInstance cart, FavouriteDBInstance search; …`, always in one order. */
function inUse(users: readonly KubernetesObject[]): string {
  const names = users.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
  const more = names.length > named ? ` and ${names.length - named} more` : '';
  const count = `${names.length} managed resource${names.length === 1 ? '' : 's'}`;
  return `in use by ${count}: ${names.slice(0, named).join(', ')}${more}; it is deleted once they are deleted or use another ProviderConfig`;
}

/** The ProviderConfig with the status its use gives it. */
export function withUsers<C extends ProviderConfig>(
  config: C,
  users: number,
  message: string | undefined,
  now: Date,
): C {
  const { generation } = config.metadata;
  const blocked: readonly ConditionFacts[] =
    message === undefined ? [] : [{ type: 'Terminating', status: 'True', reason: 'InUse', message }];
  const conditions = setConditions(config.status?.conditions, blocked, { now, generation });
  return {
    ...config,
    status: {
      ...config.status,
      users,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  };
}
