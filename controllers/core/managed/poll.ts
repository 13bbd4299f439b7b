import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { parseDuration } from '../../../runtime/time/duration.ts';

export { parseDuration };

const soonestMs = 500;

/**
 * When to look at an external resource again, in ms: the poll interval (the resource's annotation over the
 * process's) with 10 % jitter either way, so that many resources do not poll in step.
 */
export function pollDelayMs(managed: Managed, pollIntervalMs: number, random: () => number): number {
  const own = parseDuration(managed.metadata.annotations?.[annotationKeys.pollInterval] ?? '');
  return Math.round((own ?? pollIntervalMs) * (0.9 + random() * 0.2));
}

/**
 * When to look again at a resource that is on its way, in ms: often at first, then after a quarter of the time
 * it has already taken, never later than a poll. `since` is when it set out (RFC 3339).
 */
export function progressDelayMs(since: string | undefined, pollIntervalMs: number, now: Date): number {
  const elapsedMs = now.getTime() - Date.parse(since ?? '');
  const quarter = Number.isNaN(elapsedMs) ? soonestMs : elapsedMs / 4;
  return Math.min(Math.max(quarter, soonestMs), Math.max(pollIntervalMs, soonestMs));
}
