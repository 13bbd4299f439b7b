import type { Condition, ReadyFacts } from '../../apis/core/v1alpha1/condition.ts';
import { notReady } from '../../apis/core/v1alpha1/condition.ts';
import { haveCredentialsWorked, providerErrorClasses, providerReasonOf } from '../error-class.ts';
import type { CallResult } from './provider-health.ts';

/** The decisions about Ready of a provider, in the order of docs/decision-tables.md. */
export const providerReadyDecisions = ['Working', 'Failing', 'Unchanged', 'Unused', 'Untried'] as const;

/** The new Ready condition of a Provider or ProviderConfig. `name`: the decision in docs/decision-tables.md. */
export type ReadyDecision =
  | { readonly name: 'Working' | 'Failing' | 'Unused' | 'Untried'; readonly ready: ReadyFacts }
  | { readonly name: 'Unchanged'; readonly ready?: undefined };

export interface ReadyInput {
  /** The Ready condition in the present status. */
  readonly before: Condition | undefined;
  /** Whether `before` was written for the present generation. */
  readonly isCurrent: boolean;
  readonly isUsed: boolean;
  /** The last result of each resource that uses the provider, or the result of the check if no resource uses it. */
  readonly results: readonly CallResult[];
}

const unknown = (reason: string, message: string) =>
  ({ type: 'Ready', status: 'Unknown', reason, message }) as const;
const unused = unknown('Unused', 'no managed resource uses it, and no call has shown whether it works');
const untried = unknown('Pending', 'no call has shown yet whether it works');
const working: ReadyDecision = {
  name: 'Working',
  ready: { type: 'Ready', status: 'True', reason: 'CredentialsAccepted' },
};

/**
 * Pure. Ready is False if the last call of every user (managed resource) failed. If they failed with different classes
 * of errors, Ready shows the class that comes last in {@link providerErrorClasses}. But if that class proves that the
 * external system accepted the credentials, Ready is True.
 */
export function decideProviderReady(input: ReadyInput): ReadyDecision {
  const results = input.results.filter((result) => result !== 'unknown');
  const failures = results.filter((result) => result !== 'works');
  const [furthest] = providerErrorClasses
    .toReversed()
    .flatMap((errorClass) => failures.filter((failure) => failure.errorClass === errorClass));
  if (furthest === undefined || failures.length < results.length) {
    return results.length > 0 ? working : withoutCalls(input);
  }
  const { errorClass, message } = furthest;
  const isShared = failures.every((failure) => failure.errorClass === errorClass);
  if (haveCredentialsWorked(errorClass) && !isShared) return working;
  return { name: 'Failing', ready: notReady(providerReasonOf(errorClass), message) };
}

function withoutCalls({ before, isCurrent, isUsed, results }: ReadyInput): ReadyDecision {
  // A failure is retained until a run ends: the process may have started since.
  const hasNoRun = isUsed && results.length === 0 && before?.reason !== 'Unused';
  const isRetained = isCurrent && (before?.status === 'True' || hasNoRun);
  if (isRetained && before !== undefined) return { name: 'Unchanged' };
  return isUsed ? { name: 'Untried', ready: untried } : { name: 'Unused', ready: unused };
}
