import type { Clock } from './clock.ts';

export interface DeadlineOptions {
  /** Creates the reason for which the signal aborts when the time is up. */
  readonly reason: () => unknown;
  /** Aborts the signal earlier, with this signal's own reason. */
  readonly outer?: AbortSignal | undefined;
}

/** A signal that aborts when a time is up, and the function that cancels it. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Removes the timer and the listener. Call it when the work has ended, with or without success. */
  cancel(): void;
}

/** A deadline `delayMs` milliseconds from now. */
export function deadlineAfter(
  clock: Pick<Clock, 'scheduler'>,
  delayMs: number,
  { reason, outer }: DeadlineOptions,
): Deadline {
  const abort = new AbortController();
  const onOuter = (): void => {
    cancel();
    abort.abort(outer?.reason);
  };
  const timer = clock.scheduler.schedule(() => {
    cancel();
    abort.abort(reason());
  }, delayMs);
  const cancel = (): void => {
    timer.unsubscribe();
    outer?.removeEventListener('abort', onOuter);
  };
  outer?.addEventListener('abort', onOuter, { once: true });
  if (outer?.aborted) onOuter();
  return { signal: abort.signal, cancel };
}
