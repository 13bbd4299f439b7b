import type { Condition, ConditionFacts } from '../apis/core/v1alpha1/condition.ts';
import { getCondition, reconcileError } from '../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import type { ReadyReason } from '../apis/core/v1alpha1/ready-reasons.ts';
import type { Resource } from '../runtime/cache/resource.ts';
import { annotate, isNotFound } from '../runtime/client/errors.ts';
import type { Result } from '../runtime/controller/reconcile.ts';
import type { EventFacts } from '../runtime/events/event-facts.ts';
import { warning } from '../runtime/events/event-facts.ts';
import type { Logger } from '../runtime/log/log.ts';
import { reasonOfError } from './error-class.ts';
import { logConditions } from './log-changes.ts';
import type { StepFailure } from './step-failure.ts';

/** The report of a failed step. */
export interface FailureReport {
  readonly synced: ConditionFacts;
  /** Absent: Ready stays as it is. */
  readonly ready?: ConditionFacts | undefined;
  /** The reason that names the class of the error. */
  readonly cause?: ReadyReason | undefined;
  readonly event?: EventFacts | undefined;
}

export const failureReport = ({ message, error, facts: { ready, reason } }: StepFailure): FailureReport => ({
  synced: reconcileError(message, error),
  ready: ready?.(message),
  cause: reasonOfError(error),
  event: reason === undefined ? undefined : warning(reason, message),
});

type WithStatus = KubernetesObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

/** Where a run reports. */
export interface Audience<O extends WithStatus> {
  readonly objects: Resource<O>;
  /** The kind of the object, for messages. */
  readonly what: string;
  readonly record: (object: O, event: EventFacts) => void;
  /** Absent: changed conditions are not logged. */
  readonly log?: Pick<Logger, 'info'>;
  /** An old definition of the kind may have no status. The Events are recorded even then. */
  readonly mayLackStatus?: true;
}

/** The end of a run over one object. */
export interface Conclusion<O extends WithStatus> {
  /** The object with its new status. */
  readonly desired: O;
  readonly events?: readonly EventFacts[] | undefined;
  /** Whether Normal Events are recorded. By default, if the status changed. Warnings are recorded at each run. */
  readonly isNews?: boolean;
  readonly failure?: StepFailure | undefined;
}

/**
 * Writes the status if it changes, and records the Events. A Warning is recorded at each run, because the API server
 * deletes an Event after an hour. The recorder limits the rate of Events. Returns the stored object, and the failure for
 * the log. The object is undefined if the API server does not have it, or its status.
 */
export async function conclude<O extends WithStatus>(
  { objects, what, record, log, mayLackStatus }: Audience<O>,
  before: O,
  { desired, events = [], isNews, failure }: Conclusion<O>,
  signal: AbortSignal,
): Promise<{ readonly stored: O | undefined; readonly runResult: Pick<Result, 'failure' | 'bug'> }> {
  const { message } = getCondition(desired.status?.conditions, 'Synced');
  const runResult = {
    ...(failure && message !== undefined && { failure: message }),
    ...(failure?.bug && { bug: failure.bug }),
  };
  let stored: O | undefined;
  try {
    stored = await annotate(`cannot update ${what} status`, objects.updateStatus(before, desired, signal));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (!mayLackStatus) return { stored: undefined, runResult };
  }
  const conditions = { before: before.status?.conditions, after: stored?.status?.conditions };
  if (log !== undefined) logConditions(log, { ...conditions, failure: runResult.failure });
  for (const event of events) {
    if (event.type === 'Warning' || (isNews ?? stored !== before)) record(stored ?? before, event);
  }
  return { stored, runResult };
}
