import { objectKey } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../../apis/core/v1alpha1/meta.ts';
import type { Resource } from '../../../../runtime/cache/resource.ts';
import { isConflict, isInterrupted, isNotFound, messageOf } from '../../../../runtime/client/errors.ts';
import type { Environment } from '../../../../runtime/controller/environment.ts';
import { encodeIdentity } from '../../external-identity.ts';
import { failing, StepFailure } from '../../step-failure.ts';
import { UncertainCreationError } from '../connecting/external-client.ts';
import { cannot } from '../run/failures.ts';
import type { Run } from '../run/outcome.ts';
import { withEvents } from '../run/outcome.ts';
import { resultTime } from './creation-tracking.ts';
import type { IdentityContext } from './identity.ts';
import { identityToRecord, withAnnotations } from './identity.ts';

const attempts = 5;
const pauseMs = 10;
/** The pause between two attempts to write, in ms, while this process does not hold the leader lease. */
const leasePauseMs = 500;

export interface CreationContext {
  readonly env: Pick<Environment, 'clock'>;
  readonly managedResources: Resource<Managed>;
  readonly identity: IdentityContext;
  readonly signal: AbortSignal;
}

/** If the external system assigns names, records the name, and that the creation succeeded. Otherwise does nothing. */
export async function recordCreation(
  context: CreationContext,
  run: Run,
  { externalName: name }: { readonly externalName?: string },
): Promise<Run> {
  const { env, identity } = context;
  if (!identity.isAssigned) return run;
  const succeeded = { [annotationKeys.externalCreateSucceeded]: resultTime(run.current, env.clock.now()) };
  return record(context, run, { ...naming(context, run, name), ...succeeded });
}

/**
 * Records the name that the external system assigned, but not that the creation succeeded: an asynchronous creation may
 * still be ongoing. The creation counts as incomplete until its result is recorded.
 */
export async function recordName(
  context: CreationContext,
  run: Run,
  { externalName: name }: { readonly externalName?: string },
): Promise<Run> {
  const isNamed = context.identity.isAssigned && name !== undefined;
  return isNamed ? record(context, run, naming(context, run, name)) : run;
}

const naming = ({ identity }: CreationContext, run: Run, name: string | undefined): Record<string, string> =>
  name === undefined
    ? {}
    : {
        [annotationKeys.externalName]: name,
        [annotationKeys.externalIdentity]: encodeIdentity({ ...identityToRecord(identity, run), name }),
      };

const record = (
  context: CreationContext,
  run: Run,
  annotations: Readonly<Record<string, string>>,
): Promise<Run> =>
  failing(
    'cannot update managed resource annotations',
    updateCriticalAnnotations(context, run, annotations),
    {
      ...cannot.record,
      known: run,
    },
  );

/**
 * Returns the failure of a creation. If the external system assigns names, also records the failure, so that the next
 * run does not wait for an administrator. If the call may have created the resource, records nothing: the next run must
 * then wait.
 */
export async function failedCreation(
  context: CreationContext,
  run: Run,
  error: unknown,
): Promise<StepFailure<Run>> {
  const { identity, signal } = context;
  const isUncertain =
    signal.aborted || causesOf(error).some((cause) => cause instanceof UncertainCreationError);
  const known = identity.isAssigned && !isUncertain ? await recordFailure(context, run) : run;
  const { reason, ...quietly } = cannot.create;
  return new StepFailure('', error, { ...(isConflict(error) ? quietly : cannot.create), known });
}

async function recordFailure(context: CreationContext, run: Run): Promise<Run> {
  const failedAt = resultTime(run.current, context.env.clock.now());
  try {
    return await updateCriticalAnnotations(context, run, { [annotationKeys.externalCreateFailed]: failedAt });
  } catch (error) {
    const reason = 'CannotUpdateManagedResource';
    return withEvents(run, { type: 'Warning', reason, message: messageOf(error) });
  }
}

function causesOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/**
 * Writes annotations without which the controller would lose an external resource (crossplane-runtime v1.16,
 * RetryingCriticalAnnotationUpdater). Tries five times, not counting attempts while this process does not hold the
 * leader lease. Reads the object again after a conflict. Throws an error with the last cause.
 */
async function updateCriticalAnnotations(
  { env, managedResources, signal }: CreationContext,
  run: Run,
  annotations: Readonly<Record<string, string>>,
): Promise<Run> {
  const { uid } = run.current.metadata;
  let { current } = run;
  let last: unknown;
  for (let attempt = 0; attempt < attempts && !signal.aborted; ) {
    try {
      const desired = withAnnotations(current, annotations);
      return { ...run, current: await managedResources.update(current, desired, signal) };
    } catch (error) {
      last = error;
      if (isNotFound(error)) break;
      const wasKept = isInterrupted(error);
      if (!wasKept) attempt += 1;
      if (attempt < attempts) await env.clock.sleep(wasKept ? leasePauseMs : pauseMs, signal);
      if (isConflict(error)) {
        const now = managedResources.fetch(objectKey(current.metadata), signal);
        current = (await now.catch(() => undefined)) ?? current;
      }
      // The object was deleted, and another object has its name now.
      if (current.metadata.uid !== uid) break;
    }
  }
  throw new Error(`cannot update critical annotations: ${messageOf(last)}`, { cause: last });
}
