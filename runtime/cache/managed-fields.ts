import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { fieldManager } from '../client/http-request.ts';

/** Who has written which fields of an object, and how: an entry of `metadata.managedFields`, as far as it is read. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
}

/** Without their managedFields: objects that said by them that nobody but this program has ever written them. */
const writtenByUsAlone = new WeakSet<object>();

/**
 * An object without `metadata.managedFields`, which outweigh the rest. What they say of it is remembered of the very object
 * that is returned, and not of copies.
 */
export function withoutManagedFields<T extends KubernetesObject>(object: T): T {
  if (!('managedFields' in object.metadata)) return object;
  const { managedFields, ...metadata } = object.metadata;
  const stripped = { ...object, metadata };
  if (isOurs(managedFields)) writtenByUsAlone.add(stripped);
  return stripped;
}

/** An entry of Apply is somebody's who goes on applying, whatever name it has. */
const isOurs = (entries: unknown): boolean =>
  Array.isArray(entries) &&
  entries.length > 0 &&
  entries.every(
    ({ manager, operation }: ManagedFields) => manager === fieldManager && operation === 'Update',
  );

/**
 * Whether the API server tracks the fields of an object, and for us alone. Of one without managedFields it does not: they
 * were cleared, or never there.
 */
export const isTrackedForUsAlone = (object: KubernetesObject): boolean => writtenByUsAlone.has(object);

/** In a write outside `status`: the API server forgets who wrote what, and tracks it again once somebody applies. */
export const untracked = [{}] as const;
