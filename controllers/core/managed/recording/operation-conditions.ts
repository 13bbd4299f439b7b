import type { Condition, ConditionFacts } from '../../../../apis/core/v1alpha1/condition.ts';
import { getCondition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { OperationType } from '../connecting/external-client.ts';

/** The reasons that the guide of managed resources prints (docs/decisions/0007). */
const failureReasons = { create: 'ApplyFailure', update: 'ApplyFailure', delete: 'DestroyFailure' } as const;

/** The conditions of an operation under way: its name in the external system, and its progress. */
export function operationOngoing(
  type: OperationType,
  { name, message }: { readonly name?: string; readonly message?: string | undefined } = {},
): readonly ConditionFacts[] {
  const which = name === undefined ? '' : ` (${name})`;
  const howFar = message === undefined ? '' : `: ${message}`;
  const told = `${type} is under way${which}${howFar}`;
  return [{ type: 'AsyncOperation', status: 'False', reason: 'Ongoing', message: told }];
}

const finished: ConditionFacts = { type: 'AsyncOperation', status: 'True', reason: 'Finished' };

/** The conditions of an operation that a deletion replaced. */
export const operationSuperseded: readonly ConditionFacts[] = [finished];

/** The conditions of an operation that the external system does not know any more. */
export const operationForgotten = (type: OperationType, name: string): readonly ConditionFacts[] => [
  finished,
  {
    type: 'LastAsyncOperation',
    status: 'Unknown',
    reason: 'Forgotten',
    message: `the external system does not know how ${type} (${name}) went`,
  },
];

/** The conditions of an operation that succeeded. */
export const operationSucceeded: readonly ConditionFacts[] = [
  finished,
  { type: 'LastAsyncOperation', status: 'True', reason: 'Success' },
];

/** The conditions of an operation that failed; `why` holds no secrets. */
export const operationFailed = (type: OperationType, why: string): readonly ConditionFacts[] => [
  finished,
  {
    type: 'LastAsyncOperation',
    status: 'False',
    reason: failureReasons[type],
    message: `${type} failed: ${why}`,
  },
];

const operationTypes = ['AsyncOperation', 'LastAsyncOperation'];

/** The conditions of operations, to be written for the present generation: `kubectl wait` waits for that. */
export const standingOperations = (conditions: readonly Condition[] = []): readonly ConditionFacts[] =>
  conditions.filter(({ type }) => operationTypes.includes(type));

/** Whether the conditions show an operation under way: its end is still to be reported. */
export const isOperationOngoing = (conditions: readonly Condition[] | undefined): boolean =>
  getCondition(conditions, 'AsyncOperation').reason === 'Ongoing';
