/*
 * Processes with different stacks can serve one claim kind, and none knows the kinds of another. So a process reports that
 * it cannot serve a claim only if no other process serves the claim, or reports the same, within two seconds.
 */

import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../../apis/core/v1alpha1/kind.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { boundedCache } from '../../../runtime/bounded-cache.ts';
import type { Clock } from '../../../runtime/time/clock.ts';

/** The value of `status.consideredKinds`: the kinds that a process knew when it found no class or service. */
export const consideredKinds = (kinds: readonly Kind[]): readonly string[] => kinds.map(kindKey).toSorted();

type NotServed = 'UnknownKind' | 'NoMatchingClass' | 'NoDefaultClass' | 'ClassNotFound' | 'AmbiguousClass';

/**
 * Whether another process serves the claim, or has reported `reason` on this generation of it. Without this check, two
 * processes would overwrite each other's report forever. `known`: the kinds that this process considers.
 */
export function isOfOtherProcess(claim: Claim, reason: NotServed, known: readonly string[]): boolean {
  const { metadata, status } = claim;
  const ready = getCondition(status?.conditions, 'Ready');
  const isCurrent = (ready.observedGeneration ?? metadata.generation) === metadata.generation;
  if (isCurrent && ready.reason === reason)
    return status?.consideredKinds?.some((kind) => !known.includes(kind)) === true;
  // A claim that names no kind has no service, so only its class is reported.
  if (reason !== 'UnknownKind') return false;
  const isAlive = !wasDeleted(claim);
  if (isAlive && status?.bindingPhase === 'Bound') return true;
  // A process that serves the claim writes the finalizer before its first report.
  const hasReport = ready.reason !== undefined && !withoutClass.includes(ready.reason);
  return hasReport ? isCurrent : isAlive && hasFinalizer(claim, finalizerNames.claim);
}

/** The reasons of a claim that does not name a kind yet. */
const withoutClass: readonly string[] = ['NoMatchingClass', 'NoDefaultClass', 'InvalidClassSelector'];

const patienceMs = 2_000;
/** How many claims are remembered. A claim that was forgotten waits once more. */
const maxClaims = 10_000;

/**
 * Returns a function for the milliseconds that remain until this process may report that it cannot serve a claim. They
 * begin when it asks for the first time about this generation of the claim.
 */
export function otherProcessPatience({ elapsedMs }: Pick<Clock, 'elapsedMs'>): (claim: Claim) => number {
  const firstAtMs = boundedCache<{ readonly ms: number }>(maxClaims);
  return ({ metadata: { uid, generation } }) => {
    const key = `${uid}/${generation}`;
    const first = firstAtMs.get(key) ?? { ms: elapsedMs() };
    firstAtMs.set(key, first);
    return Math.max(0, first.ms + patienceMs - elapsedMs());
  };
}
