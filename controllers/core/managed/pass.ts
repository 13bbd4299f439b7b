import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { isConflict, messageOf } from '../../../runtime/client/errors.ts';
import type { Logger } from '../../../runtime/log/log.ts';
import type { TrackedOperation } from './async-operations.ts';
import type { Observation, OperationType } from './external-client.ts';

/** One pass over one managed resource: what is known so far. */
export interface Pass<M extends Managed> {
  /** As it is stored, as far as we know. */
  current: M;
  /** The connection details published so far, and those about to be. */
  known: ConnectionDetails;
  /** What had been published when the pass began. */
  before?: ConnectionDetails;
  /** The settled operation whose outcome this pass puts on record. */
  settled?: TrackedOperation;
  /** The outcome is on record: the operation may be forgotten. */
  isSettledRecorded?: boolean;
  /** Annotations that say which provider this pass uses. */
  providerRecord?: Readonly<Record<string, string>>;
  /** What every status written in this pass says of operations. */
  operation?: readonly ConditionFacts[];
  /** The system behind the provider, where it says. */
  system?: string;
  /** What the last look found; absent: nothing. */
  seen?: Observation;
  /** The external resource is what was recorded, and not what has been added to that since. */
  isExact?: boolean;
  /** For how long looks have found no external resource. */
  absentForMs?: number;
  readonly signal: AbortSignal;
  /** Names the pass. */
  readonly log: Pick<Logger, 'debug'>;
}

/** How a step's failure is told. */
export interface FailureReport {
  /** The call of the external system: the condition begins with `<step> failed: `, which an Event's reason says. */
  readonly step?: 'connect' | 'observe' | OperationType;
  /** Names another step, before the cause's own message, in condition and Event. */
  readonly prefix?: string;
  /** Absent: no Event. */
  readonly eventReason?: string;
  /** Absent: Ready stays as it is. */
  readonly ready?: ConditionFacts;
  /**
   * A conflict is told as well. By default it is put back silently: somebody changed the object since it was read,
   * and the next pass reads it anew.
   */
  readonly areConflictsTold?: boolean;
}

/** An expected way for a pass to end early: told on the object, put back through the back-off. */
export class PassFailure extends Error {
  readonly report: FailureReport;
  /** What an Event says; the message is for the condition. */
  readonly eventMessage: string;
  constructor(cause: unknown, report: FailureReport) {
    const { step, prefix = '' } = report;
    const eventMessage = `${prefix}${messageOf(cause)}`;
    super(step === undefined ? eventMessage : `${step} failed: ${eventMessage}`, { cause });
    this.report = report;
    this.eventMessage = eventMessage;
  }
}

/** Whether an error ends a pass without a word. */
export const isSilent = (error: unknown): boolean =>
  isConflict(error) && !(error instanceof PassFailure && error.report.areConflictsTold === true);

/** Awaits a step; its failure ends the pass. */
export async function failing<T>(step: Promise<T>, report: FailureReport): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new PassFailure(error, report);
  }
}
