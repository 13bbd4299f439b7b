import { advice } from '../apis/core/v1alpha1/advice.ts';
import { ControllerError } from '../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import { wasDeleted } from '../apis/core/v1alpha1/meta.ts';

/** Whether an object that uses `used` was created after the deletion of `used`. If so, the deletion ignores it. */
export const isNewUser = ({ metadata }: KubernetesObject, used: KubernetesObject): boolean =>
  used.metadata.deletionTimestamp !== undefined &&
  metadata.creationTimestamp !== undefined &&
  metadata.creationTimestamp > used.metadata.deletionTimestamp;

/** Throws a ControllerError if `used` is being deleted, and `user` was created after the deletion. */
export function refuseNewUser(user: KubernetesObject, used: KubernetesObject): void {
  if (wasDeleted(user) || !isNewUser(user, used)) return;
  throw new ControllerError(
    'DependencyDeleting',
    `${used.kind} ${used.metadata.name} is being deleted and takes no new users; ${advice.useAnother}`,
  );
}
