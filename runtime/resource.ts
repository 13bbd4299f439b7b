import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import type { Request } from './reconcile.ts';
import type { Store } from './store.ts';

/**
 * Reads and writes objects of one kind: reads come from the store, writes go to the API server and their
 * answers into the store. No method writes when nothing changes. Throws ApiError.
 */
export interface Resource<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly store: Store<T>;
  /** From the store. */
  get(key: Request): T | undefined;
  /** From the API server; undefined if it does not exist. */
  fetch(key: Request, signal?: AbortSignal): Promise<T | undefined>;
  create(object: T, signal?: AbortSignal): Promise<T>;
  /**
   * Writes what differs between the two outside `status`, as one merge patch with `current`'s
   * resourceVersion as precondition. Returns the stored object (`current` if nothing differs).
   */
  update(current: T, desired: T, signal?: AbortSignal): Promise<T>;
  /** The same for `status`, through the status subresource. */
  updateStatus(current: T, desired: T, signal?: AbortSignal): Promise<T>;
  /** Deletes `current` if it is still that object (uid and resourceVersion). Not found is success. */
  delete(current: T, signal?: AbortSignal): Promise<void>;
}
