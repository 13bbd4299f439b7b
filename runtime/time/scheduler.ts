import type { SchedulerAction, SchedulerLike } from 'rxjs';
import { Subscription } from 'rxjs';

/** Calls `act` after `delayMs` milliseconds; returns the function that cancels it. */
export type Later = (delayMs: number, act: () => void) => () => void;

/** A scheduler for RxJS over any kind of timer. `now` returns milliseconds since 1970. */
export const schedulerBy = (later: Later, now: () => number): SchedulerLike => ({
  now,
  schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delayMs?: number, state?: T) =>
    new Action(work, later).schedule(state, delayMs),
});

/** An action that may schedule itself again while it runs. */
class Action<T> extends Subscription implements SchedulerAction<T> {
  readonly #work: (this: SchedulerAction<T>, state?: T) => void;
  readonly #later: Later;
  #cancel: (() => void) | undefined;

  constructor(work: (this: SchedulerAction<T>, state?: T) => void, later: Later) {
    super(() => this.#cancel?.());
    this.#work = work;
    this.#later = later;
  }

  schedule(state?: T, delayMs = 0): Subscription {
    if (this.closed) return this;
    this.#cancel?.();
    this.#cancel = this.#later(Math.max(0, delayMs), () => {
      this.#cancel = undefined;
      this.#work.call(this, state);
    });
    return this;
  }
}

/** Returns the function `sleep` of a clock whose timers are `later`. */
export const sleepBy =
  (later: Later) =>
  (delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = later(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
