import type { SchedulerAction, SchedulerLike } from 'rxjs';
import { Subscription } from 'rxjs';

/** Has something done in so many milliseconds; answers with what calls it off. */
export type Later = (delayMs: number, act: () => void) => () => void;

/** A scheduler for RxJS over any kind of timer, and `now` in milliseconds since the epoch. */
export const schedulerBy = (later: Later, now: () => number): SchedulerLike => ({
  now,
  schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delayMs?: number, state?: T) =>
    new Action(work, later).schedule(state, delayMs),
});

/** It may be scheduled again, from within its own work. */
class Action<T> extends Subscription implements SchedulerAction<T> {
  readonly #work: (this: SchedulerAction<T>, state?: T) => void;
  readonly #later: Later;
  #callOff: (() => void) | undefined;

  constructor(work: (this: SchedulerAction<T>, state?: T) => void, later: Later) {
    super(() => this.#callOff?.());
    this.#work = work;
    this.#later = later;
  }

  schedule(state?: T, delayMs = 0): Subscription {
    if (this.closed) return this;
    this.#callOff?.();
    this.#callOff = this.#later(Math.max(0, delayMs), () => {
      this.#callOff = undefined;
      this.#work.call(this, state);
    });
    return this;
  }
}

/** See `Clock.sleep`. */
export const sleepBy =
  (later: Later) =>
  (delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        callOff();
        reject(signal?.reason);
      };
      const callOff = later(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
