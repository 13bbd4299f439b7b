import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { fieldManager } from '../client/http-request.ts';

/** An entry of `metadata.managedFields`: a field manager and its operation. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
}

/** Objects from which managedFields were removed, and only this program had entries there. */
const writtenByUsAlone = new WeakSet<object>();

/**
 * Removes `metadata.managedFields`, which are larger than the rest of an object. `isTrackedForUsAlone` works for the
 * returned object, but not for copies of it.
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

/** A write outside `status` with these managedFields stops the tracking of fields until a client applies the object. */
export const untracked = [{}] as const;
