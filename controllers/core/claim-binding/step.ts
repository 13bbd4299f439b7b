import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { binding, creating, deleting } from '../../../apis/core/v1alpha1/condition.ts';
import { annotate, messageOf } from '../../../runtime/client/errors.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import { requeue } from '../../../runtime/controller/reconcile.ts';

/** How a step's failure is told. */
export interface FailureFacts {
  /** The reason of the Event. */
  readonly reason: string;
  /** Absent: Ready stays as it is. */
  readonly ready?: (message: string) => ConditionFacts;
  /** Default: through the back-off. */
  readonly result?: Result;
}

/** A step that failed as steps may: reported on the claim, then tried again as `result` says. */
export class StepFailure extends Error {
  readonly reason: string;
  readonly ready: FailureFacts['ready'] | undefined;
  readonly result: Result;
  constructor(message: string, cause: unknown, { reason, ready, result = requeue }: FailureFacts) {
    super(message, { cause });
    this.reason = reason;
    this.ready = ready;
    this.result = result;
  }
}

/** Awaits a step; its failure is `what: cause`. Conflicts stay conflicts. */
export async function failing<T>(what: string, step: Promise<T>, facts: FailureFacts): Promise<T> {
  try {
    return await annotate(what, step);
  } catch (error) {
    throw new StepFailure(messageOf(error), error, facts);
  }
}

export const cannotBind: FailureFacts = { reason: 'CannotBindManagedResource', ready: binding };
export const cannotRefresh: FailureFacts = { reason: 'CannotBindManagedResource' };
export const cannotUnbind: FailureFacts = { reason: 'CannotUnbindManagedResource', ready: deleting };
export const cannotCreate: FailureFacts = { reason: 'CannotCreateManagedResource', ready: creating };
