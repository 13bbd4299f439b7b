import type { ConditionFacts } from '../../apis/core/v1alpha1/condition.ts';
import { isConflict, isInterrupted, messageOf } from '../../runtime/client/errors.ts';
import type { Result } from '../../runtime/controller/reconcile.ts';
import { bugIn } from '../../runtime/log/bug.ts';
import type { ConditionError } from './error-class.ts';
import { conditionErrorOf } from './error-class.ts';
import { describeBug } from './stack-bug.ts';

/** How the failure of a step is reported. `Known`: the type of the facts that the run has learned. */
export interface FailureFacts<Known = unknown> {
  /** Absent: no Event. */
  readonly reason?: string;
  /** Absent: Ready stays as it is. */
  readonly ready?: ((message: string) => ConditionFacts) | undefined;
  /** When the next run starts. Default: after the back-off. */
  readonly result?: Result;
  /** The advice to the reader, after the cause. Is left out if the cause is a programming error. */
  readonly hint?: string;
  /**
   * Whether conflicts (409) are reported. By default a conflict is requeued silently, because the next run reads the
   * changed object. A call that was not sent because the leader lease expired is never reported.
   */
  readonly reportsConflicts?: boolean;
  /**
   * The step connects to or calls an external system. Its error has a class. The reason of the Event names the
   * step, so its message does not.
   */
  readonly external?: 'connect' | 'call';
  /** The facts that the run had learned before the failure. */
  readonly known?: Known;
}

/** A failure that ends the run, is reported on the object, and is retried. */
export class StepFailure<Known = unknown> extends Error {
  /** Names the step in the message, before the cause. Empty if the cause is clear enough. */
  readonly what: string;
  readonly facts: FailureFacts<Known>;
  /** The programming error that caused it. */
  readonly bug: Error | undefined;
  readonly error: ConditionError | undefined;
  /** The message of the Event. `message` is for the condition. */
  readonly eventMessage: string;

  constructor(what: string, cause: unknown, facts: FailureFacts<Known>) {
    const bug = bugIn(cause);
    const happened = bug === undefined ? messageOf(cause) : describeBug(bug);
    const why = facts.hint === undefined || bug !== undefined ? happened : `${happened}; ${facts.hint}`;
    super(what === '' ? why : `${what}: ${why}`, { cause });
    this.what = what;
    this.bug = bug;
    this.error = conditionErrorOf(cause, facts.external);
    this.facts = facts;
    this.eventMessage = facts.external !== undefined ? why : this.message;
  }

  knowing(known: Known): StepFailure<Known> {
    return new StepFailure(this.what, this.cause, { ...this.facts, known });
  }

  /** Whether the run ends without a report. */
  get isSilent(): boolean {
    if (isInterrupted(this.cause)) return true;
    return isConflict(this.cause) && this.facts.reportsConflicts !== true;
  }
}

/** Awaits a step. If it fails, throws a StepFailure with the message `what: cause`. `facts`: how to report it. */
export async function failing<T, Known = unknown>(
  what: string,
  step: Promise<T>,
  facts: FailureFacts<Known>,
): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new StepFailure(what, error, facts);
  }
}
