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
  /** The condition stays. */
  | { readonly name: 'Unchanged'; readonly ready?: undefined }
  /** The failure may be short: check again after `waitMs`. */
  | { readonly name: 'FailsBriefly'; readonly ready?: undefined; readonly waitMs: number };

export interface ReadyInput {
  /** The present Ready condition. */
  readonly before: Condition | undefined;
  readonly generation: number | undefined;
  readonly users: number;
  readonly evidence: Evidence | undefined;
  /** Why the credentials of an unused provider cannot be read. Undefined: they can. */
  readonly unreadable: string | undefined;
  /** Ready was False recently. */
  readonly isUnsteady: boolean;
  /** Each user makes at least one call in this time. */
  readonly pollIntervalMs: number;
  readonly nowMs: number;
}

/** How long calls must fail without a success before Ready becomes False. */
const faults: Readonly<Record<Fault, { readonly reason: string; readonly patienceMs: number }>> = {
  CredentialsUnreadable: { reason: 'CannotReadCredentials', patienceMs: 5_000 },
  CredentialsRefused: { reason: 'CredentialsRefused', patienceMs: 5_000 },
  Unreachable: { reason: 'NoAnswer', patienceMs: 20_000 },
};
/** Polls, but at least this time: if only some calls fail, another call succeeds before. */
const unsteadyPatience = { polls: 2, leastMs: 120_000 };

const unknown = (reason: string, message: string) =>
  ({ type: 'Ready', status: 'Unknown', reason, message }) as const;
const unused = unknown('Unused', 'no managed resource uses it, so that no call has tried it');
const untried = unknown('Pending', 'no call has used it yet');

/** Pure. Decides from the results of this process's calls. */
export function decideProviderReady(input: ReadyInput): ReadyDecision {
  const { before, generation, users, evidence, unreadable, isUnsteady, pollIntervalMs, nowMs } = input;
  const isCurrent = before !== undefined && before.observedGeneration === generation;
  if (users === 0) {
    if (unreadable !== undefined) {
      return {
        name: 'CannotReadCredentials',
        ready: notReady(faults.CredentialsUnreadable.reason, unreadable),
      };
    }
    // It worked, and no change is known.
    if (isCurrent && before.status === 'True') return { name: 'Unchanged' };
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
  if (isCurrent && before.reason !== 'Unused') return { name: 'Unchanged' };
  return { name: 'Untried', ready: untried };
}
