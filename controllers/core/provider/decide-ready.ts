import type { Condition, ReadyFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { notReady } from '../../../apis/core/v1alpha1/condition.ts';
import type { Fault } from '../error-class.ts';
import type { Evidence } from './provider-health.ts';

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const providerReadyDecisions = [
  'CannotReadCredentials',
  'Unchanged',
  'Unused',
  'FailsBriefly',
  'Failing',
  'Working',
  'Untried',
] as const;

/** The Ready condition of a Provider or ProviderConfig; `name` is the line in docs/decision-tables.md. */
export type ReadyDecision =
  | {
      readonly name: 'Working' | 'Failing' | 'CannotReadCredentials' | 'Unused' | 'Untried';
      readonly ready: ReadyFacts;
    }
  /** What is said stays. */
  | { readonly name: 'Unchanged'; readonly ready?: undefined }
  /** It may be a moment's trouble: looked at again then. */
  | { readonly name: 'FailsBriefly'; readonly ready?: undefined; readonly waitMs: number };

export interface ReadyInput {
  /** The Ready that is there, and of which generation the object is. */
  readonly before: Condition | undefined;
  readonly generation: number | undefined;
  readonly users: number;
  readonly evidence: Evidence | undefined;
  /** Of one that nobody uses: why its credentials cannot be read; undefined: they can. */
  readonly unreadable: string | undefined;
  /** It was False not long ago. */
  readonly isUnsteady: boolean;
  /** How often a call of each user tells something. */
  readonly pollIntervalMs: number;
  readonly nowMs: number;
}

/** How long what worked has to fail, with no success in between, before that is said. */
const faults: Readonly<Record<Fault, { readonly reason: string; readonly patienceMs: number }>> = {
  CredentialsUnreadable: { reason: 'CannotReadCredentials', patienceMs: 5_000 },
  CredentialsRefused: { reason: 'CredentialsRefused', patienceMs: 5_000 },
  Unreachable: { reason: 'NoAnswer', patienceMs: 20_000 },
};
/** Polls, and not less than the time: where some calls succeed and others do not, one of them does meanwhile. */
const unsteadyPatience = { polls: 2, leastMs: 120_000 };

const unknown = (reason: string, message: string) =>
  ({ type: 'Ready', status: 'Unknown', reason, message }) as const;
const unused = unknown('Unused', 'no managed resource uses it, so that nobody has tried it');
const untried = unknown('Pending', 'no call has told yet whether it works');

/** What is to be said, by what the calls of this process told. Pure. */
export function decideProviderReady(input: ReadyInput): ReadyDecision {
  const { before, generation, users, evidence, unreadable, isUnsteady, pollIntervalMs, nowMs } = input;
  const isSaid = before !== undefined && before.observedGeneration === generation;
  if (users === 0) {
    if (unreadable !== undefined) {
      return {
        name: 'CannotReadCredentials',
        ready: notReady(faults.CredentialsUnreadable.reason, unreadable),
      };
    }
    // What worked is not known to have changed.
    if (isSaid && before.status === 'True') return { name: 'Unchanged' };
    return { name: 'Unused', ready: unused };
  }
  const { failing, hasWorked = false } = evidence ?? {};
  if (failing !== undefined) {
    const unsteadyMs = Math.max(unsteadyPatience.leastMs, unsteadyPatience.polls * pollIntervalMs);
    const patience = isUnsteady ? unsteadyMs : faults[failing.fault].patienceMs;
    const waitMs = failing.sinceMs + patience - nowMs;
    if (before?.status === 'True' && waitMs > 0) return { name: 'FailsBriefly', waitMs };
    return { name: 'Failing', ready: notReady(faults[failing.fault].reason, failing.message) };
  }
  if (hasWorked)
    return { name: 'Working', ready: { type: 'Ready', status: 'True', reason: 'CredentialsAccepted' } };
  if (isSaid && before.reason !== 'Unused') return { name: 'Unchanged' };
  return { name: 'Untried', ready: untried };
}
