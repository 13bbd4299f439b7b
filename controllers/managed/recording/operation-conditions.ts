import type { Condition, ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import type { OperationType } from '../connecting/external-client.ts';

/** The condition reasons for a failed operation, from Crossplane's guide of managed resources (docs/decisions/0007). */
const failureReasons = { create: 'ApplyFailure', update: 'ApplyFailure', delete: 'DestroyFailure' } as const;

/** The conditions of an ongoing operation, with its name and progress. */
export function operationOngoing(
  type: OperationType,
  { name, message }: { readonly name?: string; readonly message?: string | undefined } = {},
): readonly ConditionFacts[] {
  const which = name === undefined ? '' : ` (${name})`;
  const howFar = message === undefined ? '' : `: ${message}`;
  const text = `${type} is under way${which}${howFar}`;
  return [{ type: 'AsyncOperation', status: 'False', reason: 'Ongoing', message: text }];
}

const finished: ConditionFacts = { type: 'AsyncOperation', status: 'True', reason: 'Finished' };

/** The conditions of an operation without a result: a deletion replaced it, or the external system forgot it. */
export const operationEnded: readonly ConditionFacts[] = [finished];

export const operationSucceeded: readonly ConditionFacts[] = [
  finished,
  { type: 'LastAsyncOperation', status: 'True', reason: 'Success' },
];

/** The conditions after a failed operation. `why` contains no secrets. */
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

/** The present operation conditions. They are written again with the current generation, which `kubectl wait` needs. */
export const standingOperations = (conditions: readonly Condition[] = []): readonly ConditionFacts[] =>
  conditions.filter(({ type }) => operationTypes.includes(type));

export const isOngoing = ({ type, reason }: Condition): boolean =>
  type === 'AsyncOperation' && reason === 'Ongoing';
