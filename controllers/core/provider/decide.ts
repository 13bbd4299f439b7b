import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { setConditions } from '../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const providerConfigDecisions = ['AddFinalizer', 'CountUsers', 'InUse', 'RemoveFinalizer'] as const;

/** A decision about one ProviderConfig; `name` is its line in docs/decision-tables.md. */
export type Decision =
  | { readonly name: 'AddFinalizer'; readonly act: 'protect' }
  | { readonly name: 'CountUsers'; readonly act: 'report'; readonly message?: undefined }
  /** The deletion waits for the users. */
  | { readonly name: 'InUse'; readonly act: 'report'; readonly message: string }
  | { readonly name: 'RemoveFinalizer'; readonly act: 'release' };

const named = 5;

export function decideProviderConfig(config: ProviderConfig, users: readonly KubernetesObject[]): Decision {
  const isProtected = hasFinalizer(config, finalizerNames.providerConfig);
  if (!wasDeleted(config))
    return isProtected ? { name: 'CountUsers', act: 'report' } : { name: 'AddFinalizer', act: 'protect' };
  return isProtected && users.length > 0
    ? { name: 'InUse', act: 'report', message: inUse(users) }
    : { name: 'RemoveFinalizer', act: 'release' };
}

/** `in use by 2 managed resources: FavouriteDBInstance cart, FavouriteDBInstance search; …`, always in one order. */
function inUse(users: readonly KubernetesObject[]): string {
  const names = users.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
  const more = names.length > named ? ` and ${names.length - named} more` : '';
  const count = `${names.length} managed resource${names.length === 1 ? '' : 's'}`;
  return `in use by ${count}: ${names.slice(0, named).join(', ')}${more}; it is deleted once they are deleted or use another ProviderConfig`;
}

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
