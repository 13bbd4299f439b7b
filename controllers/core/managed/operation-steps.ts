import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { creating, deleting, reconcileSuccess } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import { after } from '../../../runtime/controller/reconcile.ts';
import type { TrackedOperation } from './async-operations.ts';
import { operationFinished, operationOngoing } from './async-operations.ts';
import type { OperationType } from './external-client.ts';
import { publish } from './external-steps.ts';
import type { Pass } from './pass.ts';
import { PassFailure } from './pass.ts';
import type { PassContext } from './pass-context.ts';

/** Hands an operation to the tracker and says that it is under way; its end wakes the resource. */
export async function trackOperation<M extends Managed>(
  { env, operations, reporter }: PassContext<M>,
  pass: Pass<M>,
  type: OperationType,
  operation: Promise<unknown>,
  ready?: ConditionFacts,
): Promise<Result> {
  operations.track(pass.current, type, operation);
  pass.operation = operationOngoing(type);
  await reporter.report(pass, reconcileSuccess(), ready);
  return after(env.pollIntervalMs);
}

/** An operation of an earlier pass is under way: it is only told of. */
export async function awaitOperation<M extends Managed>(
  { env, reporter }: PassContext<M>,
  pass: Pass<M>,
  type: OperationType,
): Promise<Result> {
  pass.operation = operationOngoing(type);
  const isLeaving = wasDeleted(pass.current);
  const ready = isLeaving
    ? deleting(type === 'delete' ? undefined : `waiting for its ${type} to end`)
    : undefined;
  await reporter.report(pass, reconcileSuccess(), type === 'create' && !isLeaving ? creating() : ready);
  return after(env.pollIntervalMs);
}

/** What an operation brought, put on record before anything else is done. */
export async function recordOutcome<M extends Managed>(
  context: PassContext<M>,
  pass: Pass<M>,
  { type, outcome }: TrackedOperation,
): Promise<void> {
  const { isAssigned, recorder } = context;
  if (outcome.state === 'succeeded') {
    const { result } = outcome;
    if (type === 'create' && isAssigned) await recorder.recordSuccess(pass, result.externalName);
    await publish(context, pass, result.details, type === 'create' ? creating() : undefined);
    pass.operation = operationFinished(type);
    pass.isSettledRecorded = true;
  } else if (outcome.state === 'failed') {
    pass.operation = operationFinished(type, messageOf(outcome.error));
    pass.isSettledRecorded = true;
    if (type === 'create') await recorder.failCreation(pass, outcome.error);
    const verb = type === 'update' ? 'Update' : 'Delete';
    throw new PassFailure(outcome.error, {
      step: type,
      eventReason: `Cannot${verb}ExternalResource`,
      ...(type === 'delete' ? { ready: deleting() } : {}),
      areConflictsTold: true,
    });
  }
}
