import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SchedulerLike } from 'rxjs';
import type { Later } from './scheduler.ts';
import { schedulerBy, sleepBy } from './scheduler.ts';
import type { Turns } from './turns.ts';
import { createTurns } from './turns.ts';

/**
 * The only source of time. `main.ts` creates the real clock and passes it to all code that waits, measures or writes
 * dates. Tests pass a clock that they move themselves.
 *
 *     await clock.sleep(500, signal);
 *     source$.pipe(debounceTime(500, clock.scheduler));
 */
export interface Clock {
  /** The wall clock. It can be set forwards and backwards: use it for dates, never for durations. */
  now(): Date;
  /** Milliseconds since an arbitrary moment; never 0, never decreases. Use it for durations. */
  elapsedMs(): number;
  /** Resolves after `delayMs` of any length. Rejects with the signal's reason as soon as the signal aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** The same clock for RxJS. */
  readonly scheduler: SchedulerLike;
  /** Resolves after everything else that is queued for the event loop has had one turn. */
  nextTurn(): Promise<void>;
  /** Splits long work so that no turn of the event loop lasts long. All users of one clock share these turns. */
  readonly turns: Turns;
}

/** Node fires longer timers at once. */
const longestTimerMs = 2 ** 31 - 1;

/** A timer of any length. */
const later: Later = (delayMs, act) => {
  let leftMs = delayMs;
  const wait = (): NodeJS.Timeout => {
    const nextMs = Math.min(leftMs, longestTimerMs);
    leftMs -= nextMs;
    return setTimeout(leftMs > 0 ? again : act, nextMs);
  };
  const again = (): void => {
    timer = wait();
  };
  let timer = wait();
  return () => clearTimeout(timer);
};

/** The clock of the machine. */
export function realClock(): Clock {
  const elapsedMs = (): number => performance.now();
  return {
    now: () => new Date(),
    elapsedMs,
    sleep: sleepBy(later),
    scheduler: schedulerBy(later, Date.now),
    nextTurn,
    turns: createTurns({ elapsedMs, nextTurn }),
  };
}
