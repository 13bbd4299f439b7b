import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SchedulerLike } from 'rxjs';
import type { Later } from './scheduler.ts';
import { schedulerBy, sleepBy } from './scheduler.ts';
import type { Turns } from './turns.ts';
import { createTurns } from './turns.ts';

/**
 * The only door through which time comes in. `main.ts` makes the real one and hands it to whoever waits, measures or
 * dates; tests hand over one that they move by hand.
 *
 *     await clock.sleep(500, signal);
 *     source$.pipe(debounceTime(500, clock.scheduler));
 */
export interface Clock {
  /** What the clock on the wall says. It may be set, forwards and back: for dates, never for durations. */
  now(): Date;
  /** Milliseconds since a moment that is nobody's business; never 0, never goes back. For durations. */
  elapsedMs(): number;
  /**
   * Resolves after so many milliseconds; rejects with the signal's reason as soon as that aborts. Any length will do.
   */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** The same time for RxJS. */
  readonly scheduler: SchedulerLike;
  /** Resolves once whatever else waits for its turn of the event loop has had it. */
  nextTurn(): Promise<void>;
  /** Divides what can be done at once, so that no turn lasts long: everything that has this clock shares its turns. */
  readonly turns: Turns;
}

/** Longer timers fire at once in node. */
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
