import type { ExternalOperation, Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { printable } from '../../../apis/core/v1alpha1/printable.ts';
import { timestamp } from '../../../apis/core/v1alpha1/timestamp.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import { blamed } from '../stack-bug.ts';
import type { FailureFacts } from '../step-failure.ts';
import { failing, StepFailure } from '../step-failure.ts';
import {
  operationFailed,
  operationForgotten,
  operationOngoing,
  operationSucceeded,
} from './async-operations.ts';
import { failedCreation, recordCreation } from './creation-record.ts';
import { isCreationIncomplete } from './creation-tracking.ts';
import { decideOperation } from './decide.ts';
import type { Run } from './ending.ts';
import { over, reporting } from './ending.ts';
import type { Created, OperationType, Progress } from './external-client.ts';
import type { ExternalContext, RunContext } from './steps.ts';
import { cannotDelete, cannotUpdate, publish, withoutPending } from './steps.ts';

export const cannotPoll: FailureFacts<Run> = { reason: 'CannotObserveExternalResource', isEventBrief: true };

/** A run whose call has begun an operation: this process knows of it from here on, and the status once the run ends. */
export function begin(
  { env, underWay }: RunContext,
  run: Run,
  { type, name }: Pick<ExternalOperation, 'type' | 'name'>,
): Run {
  const operation = { type, name, startedAt: timestamp(env.clock.now()) };
  underWay.note(run.current, operation);
  return { ...run, underWay: operation, operation: operationOngoing(type, { name }) };
}

/** Why a call must not have returned the name of an operation: a mistake of the stack; undefined: it may. */
export function unpollable(
  { external, stack }: ExternalContext,
  { kind }: Managed,
  type: OperationType,
  name: string,
): Error | undefined {
  const problem = problemOf(name) ?? (external.poll === undefined ? unasked(kind, type, name) : undefined);
  if (problem === undefined) return undefined;
  const error = new TypeError(`${type} of the external client returned ${problem}`);
  error.stack = ''; // it has returned, and left no trace
  return blamed(error, stack);
}

function problemOf(name: string): string | undefined {
  if (name === '') return 'an empty name of an operation';
  // The status is shown to people as it is.
  return printable(name) === name ? undefined : `a name of an operation that is not printable, "${name}"`;
}

const unasked = (kind: string, type: OperationType, name: string): string =>
  `the name of an operation, "${name}", and cannot be asked how that is going: beside ${type} in the external client of ${kind}, ` +
  `add \`async poll(name, signal)\`, which returns { state: 'running' }, { state: 'done' }, { state: 'failed', error } or { state: 'unknown' }`;

/**
 * Asks how the operation is going that is on record, and puts on record what it brought. Returns what is known then; the
 * external resource is to be looked at in any case. Throws what an operation failed with.
 */
export async function followUp(context: ExternalContext, run: Run): Promise<Run> {
  const { external, signal, underWay } = context;
  const operation = run.underWay;
  if (operation === undefined) return run;
  const { type, name } = operation;
  const known: Run = { ...run, decision: 'OperationUnderWay' }; // as far as anybody knows
  const asking: Promise<Progress> = external.poll?.(name, signal) ?? Promise.resolve({ state: 'unknown' });
  const deciding = asking.then(decideOperation);
  const decision = await failing('poll failed', deciding, { ...cannotPoll, known });
  const at: Run = { ...run, decision: decision.name };
  switch (decision.act) {
    case 'await':
      return { ...at, operation: operationOngoing(type, { name, message: decision.message }) };
    case 'record': {
      const recorded = await recordEnd(context, at, type, decision.result);
      underWay.note(recorded.current, undefined);
      return { ...over(recorded), operation: operationSucceeded, ended: type };
    }
    case 'lookAfter':
      underWay.note(at.current, undefined);
      return { ...over(at), operation: operationForgotten(type, name), ended: type };
    case 'report': {
      const { error } = decision;
      underWay.note(at.current, undefined);
      const ended = { ...over(at), operation: operationFailed(type, messageOf(error)) };
      const known = type === 'update' ? await withoutPending(context, ended) : ended;
      const failure = await failureOf(context, known, type, error);
      // What was to be there is not wanted any more.
      if (wasDeleted(run.current) && type !== 'delete') return failure.facts.known ?? known;
      throw failure;
    }
  }
}

async function failureOf(
  context: RunContext,
  known: Run,
  type: OperationType,
  error: Error,
): Promise<StepFailure<Run>> {
  if (type === 'create') return failedCreation(context, known, error);
  const facts = type === 'update' ? cannotUpdate : cannotDelete;
  return new StepFailure(`${type} failed`, error, { ...facts, known });
}

/** What an operation brought is put on record before it is forgotten. */
async function recordEnd(
  context: ExternalContext,
  run: Run,
  type: OperationType,
  result: Created,
): Promise<Run> {
  const isToRecord = type === 'create' && isCreationIncomplete(run.current);
  const recorded = isToRecord ? await recordCreation(context, run, result) : run;
  // Where nobody may have it any more, no secret stands in the way.
  if (wasDeleted(recorded.current)) return reporting(recorded, result.status);
  return publish(context, reporting(recorded, result.status), result.details);
}
