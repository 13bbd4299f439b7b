import type { ConditionFacts } from '../../apis/core/v1alpha1/condition.ts';
import { isConflict, isInterrupted, messageOf } from '../../runtime/client/errors.ts';
import type { Result } from '../../runtime/controller/reconcile.ts';
import { bugIn } from '../../runtime/log/bug.ts';
import type { ConditionError } from './error-class.ts';
import { conditionErrorOf } from './error-class.ts';
import { describeBug } from './stack-bug.ts';

/** How a step's failure is told. `Known` is what a run of the reconciler carries along. */
export interface FailureFacts<Known = unknown> {
  /** The reason of the Event; absent: no Event. */
  readonly reason?: string;
  /** Absent: Ready stays as it is. */
  readonly ready?: ((message: string) => ConditionFacts) | undefined;
  /** Default: through the back-off. */
  readonly result?: Result;
  /** The advice to the reader, after the cause. */
  readonly hint?: string;
  /**
   * A conflict is told as well. By default it is put back silently: somebody changed the object since it was read, and
   * the next run reads it anew. So is always what an interruption of the leadership has kept back.
   */
  readonly areConflictsTold?: boolean;
  /** The step asks an external system, or connects to it. Its error has a class; the Event leaves out the step: its reason says so. */
  readonly external?: 'connect' | 'call';
  /** What the run knew by then, for its ending. */
  readonly known?: Known;
}

/** A step that failed as steps may: it ends the run, is told on the object, and tried again. */
export class StepFailure<Known = unknown> extends Error {
  /** Names the step in the message, before the cause; empty where the cause says enough. */
  readonly what: string;
  readonly facts: FailureFacts<Known>;
  /** The programming error that it comes from, if it does. */
  readonly bug: Error | undefined;
  readonly error: ConditionError | undefined;
  /** What the Event says; the message is for the condition. */
  readonly eventMessage: string;

  constructor(what: string, cause: unknown, facts: FailureFacts<Known>) {
    const bug = bugIn(cause);
    const happened = bug === undefined ? messageOf(cause) : describeBug(bug);
    const why = facts.hint === undefined ? happened : `${happened}; ${facts.hint}`;
    super(what === '' ? why : `${what}: ${why}`, { cause });
    this.what = what;
    this.bug = bug;
    this.error = conditionErrorOf(cause, facts.external);
    this.facts = facts;
    this.eventMessage = facts.external !== undefined ? why : this.message;
  }

  /** The same failure, of a run that knows more by now. */
  knowing(known: Known): StepFailure<Known> {
    return new StepFailure(this.what, this.cause, { ...this.facts, known });
  }

  /** Whether it ends the run without a word. */
  get isSilent(): boolean {
    if (isInterrupted(this.cause)) return true;
    return isConflict(this.cause) && this.facts.areConflictsTold !== true;
  }
}

/** Awaits a step; its failure is `what: cause`, told as `facts` say. Conflicts and interruptions stay what they are. */
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
