/*
 * Processes with different stacks can serve one claim kind, and none knows the kinds of another. So a process reports that
 * it cannot serve a claim only if no other process serves the claim, or reports the same, within two seconds. If the claim
 * has our finalizer, another process may have begun to serve it, and has half a minute.
 */

import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { Clock } from '../../runtime/time/clock.ts';

/** The value of `status.consideredKinds`: the kinds that a process knew when it found no class or service. */
export const consideredKinds = (kinds: readonly Kind[]): readonly string[] => kinds.map(kindKey).toSorted();

/** The reasons why a process does not serve a claim that another process may serve. */
export type NotServed =
  | 'UnknownKind'
  | 'NoMatchingClass'
  | 'NoDefaultClass'
  | 'ClassNotFound'
  | 'AmbiguousClass';

/**
 * Whether another process serves the claim, or has reported `reason` on this generation of it. Without this check, two
 * processes would overwrite each other's report forever. `known`: the kinds that this process considers.
 */
export function isOfOtherProcess(claim: Claim, reason: NotServed, known: readonly string[]): boolean {
  const { status } = claim;
  const { ready, isCurrent } = lastReport(claim);
  if (isCurrent && ready.reason === reason)
    return status?.consideredKinds?.some((kind) => !known.includes(kind)) === true;
  // A claim that names no kind has no service, so only its class is reported.
  if (reason !== 'UnknownKind') return false;
  if (!wasDeleted(claim) && status?.bindingPhase === 'Bound') return true;
  return isCurrent && hasReport(claim);
}

/** Whether a process that serves the claim has written a report, about any generation of it. */
function hasReport(claim: Claim): boolean {
  const { reason } = lastReport(claim).ready;
  return reason !== undefined && !withoutClass.includes(reason);
}

/** The last reported Ready of a claim, and whether it is about the present generation of the claim. */
function lastReport({ metadata, status }: Claim) {
  const ready = getCondition(status?.conditions, 'Ready');
  return { ready, isCurrent: (ready.observedGeneration ?? metadata.generation) === metadata.generation };
}

/** The reasons of a claim that does not name a kind yet. */
const withoutClass: readonly string[] = ['NoMatchingClass', 'NoDefaultClass', 'InvalidClassSelector'];

const patienceMs = 2_000;
/** For a claim with our finalizer and no report. A process that serves it writes both, but a restore only the finalizer. */
const servedPatienceMs = 30_000;
/** How long a time is remembered. A claim that waits longer in a full queue would begin its patience again each time. */
const rememberedMs = 3_600_000;

/**
 * Returns a function that returns the milliseconds until this process may report that it cannot serve a claim. They begin
 * with the first call about this generation of the claim. A report that the status already has does not wait.
 */
export function otherProcessPatience({
  elapsedMs,
}: Pick<Clock, 'elapsedMs'>): (claim: Claim, reason: NotServed) => number {
  /** The oldest first. */
  const firstAtMs = new Map<string, number>();

  function firstTime({ metadata: { uid, generation } }: Claim): number {
    const key = `${uid}/${generation}`;
    const known = firstAtMs.get(key);
    if (known !== undefined) return known;
    const nowMs = elapsedMs();
    for (const [each, ms] of firstAtMs) {
      if (ms + rememberedMs > nowMs) break;
      firstAtMs.delete(each);
    }
    firstAtMs.set(key, nowMs);
    return nowMs;
  }

  return (claim, reason) => {
    const { ready, isCurrent } = lastReport(claim);
    if (isCurrent && ready.reason === reason) return 0;
    const isTaken = !wasDeleted(claim) && hasFinalizer(claim, finalizerNames.claim);
    const isServed = reason === 'UnknownKind' && isTaken && !hasReport(claim);
    return Math.max(0, firstTime(claim) + (isServed ? servedPatienceMs : patienceMs) - elapsedMs());
  };
}
