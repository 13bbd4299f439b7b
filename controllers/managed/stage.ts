import { isConditionTrue } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { Stage } from '../../runtime/controller/urgency.ts';

/** The progress of a managed resource in the queue. With the finalizer it is `begun`: an external resource may exist. */
export function stageOfManaged(managed: Managed | undefined): Stage {
  if (managed === undefined || wasDeleted(managed)) return 'begun';
  const conditions = managed.status?.conditions;
  if (isConditionTrue(conditions, 'Ready') && isConditionTrue(conditions, 'Synced')) return 'settled';
  return hasFinalizer(managed, finalizerNames.managed) ? 'begun' : 'new';
}
