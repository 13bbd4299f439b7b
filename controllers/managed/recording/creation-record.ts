import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { withAnnotations } from '../../../apis/core/v1alpha1/meta.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isConflict, isInterrupted, isNotFound, messageOf } from '../../../runtime/client/errors.ts';
import type { Clock } from '../../../runtime/time/clock.ts';

const attempts = 5;
const pauseMs = 10;
/** The pause between two attempts to write, in ms, while this process does not hold the leader lease. */
const leasePauseMs = 500;

interface RecordContext {
  readonly managedResources: Resource<Managed>;
  readonly env: { readonly clock: Pick<Clock, 'now' | 'sleep'> };
}

/**
 * Writes the annotations about the result of a creation. Without them the controller would lose the external resource
 * (crossplane-runtime v1.16, RetryingCriticalAnnotationUpdater). So it writes up to five times, not counting attempts while
 * this process does not hold the leader lease, and reads the object again after a conflict. Throws an error with the last
 * cause.
 */
export async function recordCreation(
  { managedResources, env: { clock } }: RecordContext,
  managed: Managed,
  annotations: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Managed> {
  let current = managed;
  let last: unknown;
  for (let attempt = 0; attempt < attempts && !signal.aborted; ) {
    try {
      return await managedResources.update(current, withAnnotations(current, annotations), signal);
    } catch (error) {
      last = error;
      if (isNotFound(error)) break;
      const isPaused = isInterrupted(error);
      if (!isPaused) attempt += 1;
      if (attempt < attempts) await clock.sleep(isPaused ? leasePauseMs : pauseMs, signal);
      if (isConflict(error)) {
        const now = managedResources.fetch(objectKey(current.metadata), signal);
        current = (await now.catch(() => undefined)) ?? current;
      }
      // The object was deleted, and another object has its name now.
      if (current.metadata.uid !== managed.metadata.uid) break;
    }
  }
  throw new Error(`cannot update critical annotations: ${messageOf(last)}`, { cause: last });
}
