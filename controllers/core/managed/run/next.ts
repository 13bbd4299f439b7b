import { getCondition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../../apis/core/v1alpha1/meta.ts';
import type { Environment } from '../../../../runtime/controller/environment.ts';
import type { Result } from '../../../../runtime/controller/reconcile.ts';
import { after, done, requeue, unsettled } from '../../../../runtime/controller/reconcile.ts';
import { parseDuration } from '../../../../runtime/time/duration.ts';
import type { Random } from '../../../../runtime/time/random.ts';

/**
 * What brings a managed resource back. Its own edits, and changes of its connection secret, provider and references, do
 * so in any case. Besides:
 * - `event`: nothing does.
 * - `poll`: the poll interval, about.
 * - `progress since …`: soon, and then less and less often, because it is on its way.
 * - `backOff`: the back-off, which grows.
 * - a number: so many milliseconds, after which more is known; until then a back-off goes on growing.
 */
export type Next =
  | 'event'
  | 'poll'
  | 'progress since creation'
  | 'progress since deletion'
  | 'progress since operation'
  | 'backOff'
  | number;

/** What a run returns for what brings `stored` back. */
export function resultOf(
  next: Next,
  stored: Managed,
  { clock, random, pollIntervalMs }: Pick<Environment, 'clock' | 'random' | 'pollIntervalMs'>,
): Result {
  const { metadata, status } = stored;
  const { startedAt } = status?.operation ?? {};
  const soon = (since: string | undefined): Result =>
    after(progressDelayMs(since, pollIntervalMs, clock.now()));
  switch (next) {
    case 'event':
      return done;
    case 'backOff':
      return requeue;
    case 'poll':
      return after(pollDelayMs(stored, pollIntervalMs, random));
    case 'progress since creation':
      return soon(metadata.creationTimestamp);
    case 'progress since deletion':
      return soon(metadata.deletionTimestamp);
    case 'progress since operation':
      // Until it has ended nobody knows whether the attempt was any better than those before it.
      if (startedAt !== undefined) return unsettled(progressDelayMs(startedAt, pollIntervalMs, clock.now()));
      return soon(getCondition(status?.conditions, 'AsyncOperation').lastTransitionTime);
    default:
      return unsettled(next);
  }
}

const soonestMs = 500;

/** The poll interval in ms, of the resource's annotation or the process, with 10 % jitter either way. */
export function pollDelayMs(managed: Managed, pollIntervalMs: number, random: Random): number {
  const own = parseDuration(managed.metadata.annotations?.[annotationKeys.pollInterval] ?? '');
  return Math.round((own ?? pollIntervalMs) * (0.9 + random() * 0.2));
}

/** When to observe a resource that is not ready again, in ms: after a quarter of the time that it took so far. */
export function progressDelayMs(since: string | undefined, pollIntervalMs: number, now: Date): number {
  // A time that is ahead was written before the clock was set back.
  const elapsedMs = Math.abs(now.getTime() - Date.parse(since ?? ''));
  const quarter = Number.isNaN(elapsedMs) ? soonestMs : elapsedMs / 4;
  return Math.min(Math.max(quarter, soonestMs), Math.max(pollIntervalMs, soonestMs));
}
