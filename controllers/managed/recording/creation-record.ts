import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, withAnnotations } from '../../../apis/core/v1alpha1/meta.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isConflict, isInterrupted, isNotFound, messageOf } from '../../../runtime/client/errors.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import { encodeIdentity } from '../../external-identity.ts';
import { resultTime } from './creation-tracking.ts';
import type { IdentityContext } from './identity.ts';
import { identityToRecord } from './identity.ts';

const attempts = 5;
const pauseMs = 10;
/** The pause between two attempts to write, in ms, while this process does not hold the leader lease. */
const leasePauseMs = 500;

/** The record of a creation, in annotations. Undefined values are not written. */
export interface CreationRecord {
  /** `failed` lets the next run create again, so it must not be recorded if the call may have created the resource. */
  readonly result?: 'succeeded' | 'failed' | undefined;
  /** The name that the external system assigned. */
  readonly name?: string | undefined;
  readonly system?: string | undefined;
  /** The mark of a creation that failed. */
  readonly mark?: Readonly<Record<string, string>>;
}

interface RecordContext {
  readonly identity: IdentityContext;
  readonly managedResources: Resource<Managed>;
  readonly env: { readonly clock: Pick<Clock, 'now' | 'sleep'> };
}

/**
 * Records the mark of a failed creation and, if the external system assigns names, the result and the name. Without them the
 * controller would lose the external resource (crossplane-runtime v1.16, RetryingCriticalAnnotationUpdater). So it writes
 * up to five times, not counting attempts while this process does not hold the leader lease, and reads the object again
 * after a conflict. Throws an error with the last cause.
 */
export async function recordCreation(
  { identity, managedResources, env: { clock } }: RecordContext,
  managed: Managed,
  { result, name, system, mark }: CreationRecord,
  signal: AbortSignal,
): Promise<Managed> {
  if (!identity.isAssigned && mark === undefined) return managed;
  const resultKey =
    result === 'failed' ? annotationKeys.externalCreateFailed : annotationKeys.externalCreateSucceeded;
  const annotations = {
    ...(name !== undefined && {
      [annotationKeys.externalName]: name,
      [annotationKeys.externalIdentity]: encodeIdentity({
        ...identityToRecord(identity, managed, { system }),
        name,
      }),
    }),
    ...(identity.isAssigned && result !== undefined && { [resultKey]: resultTime(managed, clock.now()) }),
    ...mark,
  };
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
