import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { fieldManager } from '../client/http-request.ts';

/** An entry of `metadata.managedFields`: a field manager and its operation. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
}

/** Objects without managedFields, whose removed managedFields named this program only. */
const writtenByUsAlone = new WeakSet<object>();

/**
 * An object without `metadata.managedFields`, which are larger than the rest. `isTrackedForUsAlone` works for the returned
 * object, but not for copies of it.
 */
export function withoutManagedFields<T extends KubernetesObject>(object: T): T {
  if (!('managedFields' in object.metadata)) return object;
  const { managedFields, ...metadata } = object.metadata;
  const stripped = { ...object, metadata };
  if (isOurs(managedFields)) writtenByUsAlone.add(stripped);
  return stripped;
}

/** An entry with operation Apply belongs to a client that will apply again, whatever its name. */
const isOurs = (entries: unknown): boolean =>
  Array.isArray(entries) &&
  entries.length > 0 &&
  entries.every(
    ({ manager, operation }: ManagedFields) => manager === fieldManager && operation === 'Update',
  );

/**
 * Whether the API server tracks the fields of an object, and for this program only. False for an object that had no
 * managedFields.
 */
export const isTrackedForUsAlone = (object: KubernetesObject): boolean => writtenByUsAlone.has(object);

/** As managedFields in a write outside `status`: the API server stops tracking fields until a client applies. */
export const untracked = [{}] as const;
