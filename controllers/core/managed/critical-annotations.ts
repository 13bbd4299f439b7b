import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isConflict, messageOf } from '../../../runtime/client/errors.ts';
import type { Clock } from '../../../runtime/time/clock.ts';

const attempts = 5;
const pauseMs = 10;

/**
 * Writes annotations whose loss would leak an external resource: up to five attempts, a moment apart, on any error; after a
 * conflict the annotations are laid over the object as it is now (crossplane-runtime v1.16,
 * RetryingCriticalAnnotationUpdater). Returns the stored object; throws the last error.
 */
export async function updateCriticalAnnotations<M extends Managed>(
  managed: Resource<M>,
  object: M,
  annotations: Readonly<Record<string, string>>,
  signal: AbortSignal,
  clock: Pick<Clock, 'sleep'>,
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
      if (attempt + 1 < attempts) await clock.sleep(pauseMs, signal);
      if (isConflict(error)) current = await refetched(managed, current, signal);
    }
  }
  throw new Error(`cannot update critical annotations: ${messageOf(last)}`, { cause: last });
}

/** The object as it is now; as it was if that cannot be had, so that the next attempt says why. */
async function refetched<M extends Managed>(
  managed: Resource<M>,
  current: M,
  signal: AbortSignal,
): Promise<M> {
  try {
    return (await managed.fetch(objectKey(current.metadata), signal)) ?? current;
  } catch {
    return current;
  }
}
