import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import { after, done, requeue, unsettled } from '../../../runtime/controller/reconcile.ts';
import { parseDuration } from '../../../runtime/time/duration.ts';
import { isOngoing } from '../recording/operation-conditions.ts';

/**
 * When the next run of a managed resource starts. A change of the resource, its connection Secret, its provider or its
 * references may start a run earlier.
 * - `event`: only after such a change.
 * - `poll`: after the poll interval.
 * - `progress`: at first soon, and then after longer and longer delays, until the operation, creation or deletion ends.
 * - `backOff`: after the back-off, which grows with each attempt.
 * - a number: after so many milliseconds. The back-off is not reset.
 */
export type Next = 'event' | 'poll' | 'progress' | 'backOff' | number;

type PollEnvironment = Pick<Environment, 'clock' | 'random' | 'pollIntervalMs'>;

export function resultOf(next: Next, stored: Managed, env: PollEnvironment): Result {
  switch (next) {
    case 'event':
      return done;
    case 'backOff':
      return requeue;
    case 'poll':
      return after(pollDelayMs(stored, env));
    case 'progress': {
      const delayMs = progressDelayMs(beginOf(stored), env.pollIntervalMs, env.clock.now());
      // An operation may still fail, so the back-off is not reset.
      return stored.status?.operation === undefined ? after(delayMs) : unsettled(delayMs);
    }
    default:
      return unsettled(next);
  }
}

/** When the operation, deletion or creation began that the run waits for. */
function beginOf({ metadata, status }: Managed): string | undefined {
  const ongoing = status?.conditions?.find(isOngoing)?.lastTransitionTime;
  return status?.operation?.startedAt ?? metadata.deletionTimestamp ?? ongoing ?? metadata.creationTimestamp;
}

const soonestMs = 500;

/** The delay until the next poll, in ms: from the annotation `poll-interval` or the flag `--poll-interval`, ± 10 %. */
export const pollDelayMs = (managed: Managed, env: PollEnvironment): number =>
  untilFullSecond(varied(managed, env), env.clock.now());

/** The delay until the first poll in this process, in ms: any time within the poll interval, so that polls are spread. */
export const firstPollDelayMs = (managed: Managed, env: PollEnvironment): number =>
  untilFullSecond(varied(managed, env) * env.random(), env.clock.now());

function varied({ metadata }: Managed, { pollIntervalMs, random }: PollEnvironment): number {
  const own = parseDuration(metadata.annotations?.[annotationKeys.pollInterval] ?? '');
  return (own ?? pollIntervalMs) * (0.9 + random() * 0.2);
}

/**
 * A delay of at least 10 s, extended to the next full second. So an idle process wakes up once a second, and not for each
 * resource. With 1,000 resources and a poll interval of a minute, this saves a third of its CPU (docs/performance.md).
 */
function untilFullSecond(delayMs: number, now: Date): number {
  if (delayMs < 10_000) return Math.round(delayMs);
  const nowMs = now.getTime();
  return Math.ceil((nowMs + delayMs) / 1_000) * 1_000 - nowMs;
}

/** The delay until the next run, in ms: a quarter of the time that has passed since `since`, within limits. */
export function progressDelayMs(since: string | undefined, pollIntervalMs: number, now: Date): number {
  // `since` is later than `now` if the clock was set back.
  const elapsedMs = Math.abs(now.getTime() - Date.parse(since ?? ''));
  const quarter = Number.isNaN(elapsedMs) ? soonestMs : elapsedMs / 4;
  return Math.min(Math.max(quarter, soonestMs), Math.max(pollIntervalMs, soonestMs));
}
