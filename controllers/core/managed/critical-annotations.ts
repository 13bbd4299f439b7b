import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { isConflict, messageOf } from '../../../runtime/errors.ts';
import { requestFor } from '../../../runtime/reconcile.ts';
import type { Resource } from '../../../runtime/resource.ts';

const attempts = 5;

/**
 * Writes annotations whose loss would leak an external resource: up to five attempts on any error; after a
 * conflict the annotations are laid over the object as it is now (crossplane-runtime v1.16,
 * RetryingCriticalAnnotationUpdater). Returns the stored object; throws the last error.
 */
export async function updateCriticalAnnotations<M extends Managed>(
  managed: Resource<M>,
  object: M,
  annotations: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<M> {
  let current = object;
  let last: unknown;
  for (let attempt = 0; attempt < attempts && !signal.aborted; attempt += 1) {
    try {
      const desired = {
        ...current,
        metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, ...annotations } },
      };
      return await managed.update(current, desired, signal);
    } catch (error) {
      last = error;
      if (isConflict(error)) current = (await managed.fetch(requestFor(object.metadata), signal)) ?? current;
    }
  }
  throw new Error(`cannot update critical annotations: ${messageOf(last)}`, { cause: last });
}
