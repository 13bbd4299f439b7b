import { creating } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isConflict, messageOf } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import { resultTime } from './creation-tracking.ts';
import { updateCriticalAnnotations } from './critical-annotations.ts';
import { UncertainCreationError } from './external-client.ts';
import type { Identity } from './identity.ts';
import { encodeIdentity } from './identity.ts';
import type { Pass } from './pass.ts';
import { failing, PassFailure } from './pass.ts';
import type { PassReporter } from './pass-reporter.ts';

/** Puts the result of a creation on record, where names are assigned. */
export interface CreationRecorder<M extends Managed> {
  /** Row 23: with the name the external system chose. */
  recordSuccess(pass: Pass<M>, assignedName: string | undefined): Promise<void>;
  /**
   * Row 22: always throws a PassFailure. A creation that may have happened all the same is not recorded as failed: it
   * waits for a human.
   */
  failCreation(pass: Pass<M>, error: unknown): Promise<never>;
}

export function creationRecorder<M extends Managed>({
  env,
  managed,
  isAssigned,
  event,
  identityOf,
}: {
  readonly env: Pick<Environment, 'clock'>;
  readonly managed: Resource<M>;
  readonly isAssigned: boolean;
  readonly event: PassReporter<M>['event'];
  /** What is to be on record of its identity, but for the name. */
  readonly identityOf: (pass: Pass<M>) => Identity;
}): CreationRecorder<M> {
  return { recordSuccess, failCreation };

  function namesAssigned(pass: Pass<M>, name: string): Readonly<Record<string, string>> {
    return {
      [annotationKeys.externalName]: name,
      [annotationKeys.externalIdentity]: encodeIdentity({ ...identityOf(pass), name }),
    };
  }

  async function failCreation(pass: Pass<M>, error: unknown): Promise<never> {
    const isUncertain =
      pass.signal.aborted || causesOf(error).some((cause) => cause instanceof UncertainCreationError);
    if (isAssigned && !isUncertain) await recordFailure(pass);
    throw new PassFailure(error, {
      step: 'create',
      ...(isConflict(error) ? {} : { eventReason: 'CannotCreateExternalResource' }),
      ready: creating(),
      areConflictsTold: true,
    });
  }

  async function recordSuccess(pass: Pass<M>, assignedName: string | undefined): Promise<void> {
    const annotations = {
      ...(assignedName === undefined ? {} : namesAssigned(pass, assignedName)),
      [annotationKeys.externalCreateSucceeded]: resultTime(pass.current, env.clock.now()),
    };
    pass.current = await failing(
      updateCriticalAnnotations(managed, pass.current, annotations, pass.signal, env.clock),
      {
        prefix: 'cannot update managed resource annotations: ',
        eventReason: 'CannotUpdateManagedResource',
        ready: creating(),
      },
    );
  }

  /** Row 22: without this record the next pass must assume a leak and wait for a human. */
  async function recordFailure(pass: Pass<M>): Promise<void> {
    const annotations = { [annotationKeys.externalCreateFailed]: resultTime(pass.current, env.clock.now()) };
    try {
      pass.current = await updateCriticalAnnotations(
        managed,
        pass.current,
        annotations,
        pass.signal,
        env.clock,
      );
    } catch (error) {
      event(pass, 'Warning', 'CannotUpdateManagedResource', messageOf(error));
    }
  }
}

function causesOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}
