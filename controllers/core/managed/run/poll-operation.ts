import type { ExternalOperation } from '../../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../../apis/core/v1alpha1/meta.ts';
import { printable } from '../../../../apis/core/v1alpha1/printable.ts';
import { timestamp } from '../../../../apis/core/v1alpha1/timestamp.ts';
import { messageOf } from '../../../../runtime/client/errors.ts';
import { attributed } from '../../stack-bug.ts';
import type { FailureFacts } from '../../step-failure.ts';
import { StepFailure } from '../../step-failure.ts';
import type { Created, OperationType, Progress } from '../connecting/external-client.ts';
import { failedCreation, recordCreation } from '../recording/creation-record.ts';
import { isCreationIncomplete } from '../recording/creation-tracking.ts';
import {
  operationFailed,
  operationForgotten,
  operationOngoing,
  operationSucceeded,
} from '../recording/operation-conditions.ts';
import { cannot } from './failures.ts';
import type { Run } from './outcome.ts';
import { reporting, withoutOperation } from './outcome.ts';
import type { ExternalContext } from './steps.ts';
import { publish, step, withoutPending } from './steps.ts';

/**
 * Remembers a started operation until the status records it. Throws if the client has no `poll`, or if the name of the
 * operation is empty or not printable. Both are bugs of the stack.
 */
export function begin(
  { env, underWay, external, stack }: ExternalContext,
  run: Run,
  { type, name }: Pick<ExternalOperation, 'type' | 'name'>,
  facts: FailureFacts<Run>,
): Run {
  const problem = problemOf(name) ?? (external.poll === undefined ? unasked(run, type, name) : undefined);
  if (problem !== undefined) {
    const error = new TypeError(`${type} of the external client returned ${problem}`);
    error.stack = ''; // its stack trace would show this file, not the client
    throw new StepFailure('', attributed(error, stack), { ...facts, known: run });
  }
  const operation = { type, name, startedAt: timestamp(env.clock.now()) };
  underWay.note(run.current, operation); // guard: an operation is lost if the status is not written
  return { ...run, underWay: operation, operation: operationOngoing(type, { name }) };
}

function problemOf(name: string): string | undefined {
  if (name === '') return 'an empty name of an operation';
  return printable(name) === name ? undefined : `a name of an operation that is not printable, "${name}"`;
}

const unasked = ({ current: { kind } }: Run, type: OperationType, name: string): string =>
  `the name of an operation, "${name}", but has no poll. Beside ${type} in the external client of ${kind}, ` +
  `add \`async poll(name, signal)\`, which returns { state: 'running' }, { state: 'done' }, { state: 'failed', error } or { state: 'unknown' }`;

/** Polls the ongoing operation, and records its result. Throws the error of a failed operation. */
export async function pollOperation(context: ExternalContext, run: Run): Promise<Run> {
  const { external, signal, underWay } = context;
  const operation = run.underWay;
  if (operation === undefined) return run;
  const { type, name } = operation;
  const asking: Promise<Progress> = external.poll?.(name, signal) ?? Promise.resolve({ state: 'unknown' });
  const progress = await step(run, '', asking, cannot.observe);
  switch (progress.state) {
    case 'running':
      return { ...run, operation: operationOngoing(type, { name, message: progress.message }) };
    case 'done': {
      const recorded = await recordEnd(context, run, type, progress); // guard(run): the result of an operation is lost
      underWay.note(recorded.current, undefined);
      return { ...withoutOperation(recorded), operation: operationSucceeded, ended: type };
    }
    case 'unknown':
      underWay.note(run.current, undefined);
      return { ...withoutOperation(run), operation: operationForgotten(type, name), ended: type };
    case 'failed':
      underWay.note(run.current, undefined);
      return operationFails(context, run, type, progress.error);
    default:
      throw new StepFailure('', unknownState(), { ...cannot.observe, known: run });
  }
}

const unknownState = (): Error => new TypeError('poll of the external client returned an unknown state');

/** Records the failure and throws it. While the object is being deleted, throws only the failure of a deletion. */
async function operationFails(
  context: ExternalContext,
  run: Run,
  type: OperationType,
  error: Error,
): Promise<Run> {
  const operation = operationFailed(type, messageOf(error));
  const failed: Run = { ...withoutOperation(run), decision: 'OperationFailed', operation };
  const known = type === 'update' ? await withoutPending(context, failed) : failed;
  const facts = { ...(type === 'update' ? cannot.update : cannot.delete), known };
  const failure =
    type === 'create' ? await failedCreation(context, known, error) : new StepFailure('', error, facts);
  if (wasDeleted(run.current) && type !== 'delete') return failure.facts.known ?? known;
  throw failure;
}

async function recordEnd(
  context: ExternalContext,
  run: Run,
  type: OperationType,
  result: Created,
): Promise<Run> {
  const isToRecord = type === 'create' && isCreationIncomplete(run.current);
  const recorded = isToRecord ? await recordCreation(context, run, result) : run;
  const known = reporting(recorded, result.status);
  // An object that is being deleted needs no details, and a failed write of the Secret must not block the deletion.
  return wasDeleted(known.current) ? known : publish(context, known, result.details);
}
