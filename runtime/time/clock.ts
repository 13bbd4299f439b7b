import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SchedulerLike } from 'rxjs';
import { asyncScheduler } from 'rxjs';
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

/** Longer timers would fire at once in node. */
const longestTimerMs = 2 ** 31 - 1;

/** The clock of the machine. */
export function realClock(): Clock {
  const elapsedMs = (): number => performance.now();
  return {
    now: () => new Date(),
    elapsedMs,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const dueMs = elapsedMs() + delayMs;
        const isLong = delayMs > longestTimerMs;
        const wake = (): void => {
          const leftMs = isLong ? dueMs - elapsedMs() : 0;
          if (leftMs > 0) {
            timer = setTimeout(wake, Math.min(leftMs, longestTimerMs));
            return;
          }
          signal?.removeEventListener('abort', onAbort);
          resolve();
        };
        const onAbort = (): void => {
          clearTimeout(timer);
          reject(signal?.reason);
        };
        let timer = setTimeout(wake, Math.min(delayMs, longestTimerMs));
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    scheduler: asyncScheduler,
    nextTurn,
    turns: createTurns({ elapsedMs, nextTurn }),
  };
}
