import { advice } from '../apis/core/v1alpha1/advice.ts';
import type { ConditionFacts } from '../apis/core/v1alpha1/condition.ts';
import type { AdviceKind } from '../clients/external-error.ts';
import { isConflict, isInterrupted, isOutage, messageOf } from '../runtime/client/errors.ts';
import type { Result } from '../runtime/controller/reconcile.ts';
import { bugIn } from '../runtime/log/bug.ts';
import type { ConditionError, ConditionErrorClass } from './error-class.ts';
import { conditionErrorOf } from './error-class.ts';
import { describeBug } from './stack-bug.ts';

/** How the failure of a step is reported. */
export interface FailureFacts {
  /** The reason of the Event. Absent if no Event is recorded. */
  readonly reason?: string;
  /** Makes the Ready condition from the message. Absent if Ready does not change. */
  readonly ready?: ((message: string) => ConditionFacts) | undefined;
  /** When the next run starts. Default: after the back-off. */
  readonly result?: Result;
  /** The advice that follows the cause in the message. It is left out if the cause is a programming error. */
  readonly hint?: string;
  /** The only class of errors that `hint` helps with. Absent: any error of the step. */
  readonly hintFor?: ConditionErrorClass;
  /** The advice if the API server refuses the write (class RequestRefused). Default: `advice.allowRequest`. */
  readonly hintIfRefused?: string;
  /** The kind of advice that `hint` is, for the field `error` of the condition. It replaces that of the error. */
  readonly hintKind?: AdviceKind;
  /**
   * Whether conflicts (409) are reported. By default the run is requeued without a report, because the next run reads
   * the changed object. Never reported: a call that was not sent because the leader lease expired, and an outage of
   * the API server.
   */
  readonly reportsConflicts?: boolean;
  /**
   * Set if the step connects to an external system or calls it. Then the error has a class. The message does not name
   * the step: it begins with the cause, and the reason of the Event names the step.
   */
  readonly external?: 'connect' | 'call';
}

/** The failure of a step. `facts` decides how the failure is reported on the object, and when the next run starts. */
export class StepFailure extends Error {
  /** Names the step in the message, before the cause. Empty if the cause is clear enough. */
  readonly what: string;
  readonly facts: FailureFacts;
  /** The programming error that caused the failure. */
  readonly bug: Error | undefined;
  readonly error: ConditionError | undefined;

  constructor(what: string, cause: unknown, facts: FailureFacts) {
    const bug = bugIn(cause);
    const happened = bug === undefined ? messageOf(cause) : describeBug(bug);
    const error = conditionErrorOf(cause, facts.external);
    const isHelpful = facts.hintFor === undefined || facts.hintFor === error?.class;
    const hint =
      error?.class === 'RequestRefused'
        ? (facts.hintIfRefused ?? advice.allowRequest)
        : isHelpful && facts.hint;
    const why = !hint || bug !== undefined ? happened : `${happened}; ${hint}`;
    super(what === '' ? why : `${what}: ${why}`, { cause });
    this.what = what;
    this.bug = bug;
    this.error =
      error && isHelpful && facts.hintKind ? { class: error.class, advice: [facts.hintKind] } : error;
    this.facts = facts;
  }

  /** Whether the run ends without reporting this failure. */
  get isSilent(): boolean {
    if (isInterrupted(this.cause) || isOutage(this.cause)) return true;
    return isConflict(this.cause) && this.facts.reportsConflicts !== true;
  }
}

/** Awaits a step. If it fails, throws a StepFailure with the message `what: cause`. `facts`: how to report it. */
export async function failing<T>(what: string, step: Promise<T>, facts: FailureFacts): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new StepFailure(what, error, facts);
  }
}
