import type { Clock } from './clock.ts';

export interface DeadlineOptions {
  /** Makes what the signal aborts with when the time is up. */
  readonly reason: () => unknown;
  /** Aborts the signal earlier, with its own reason. */
  readonly outer?: AbortSignal | undefined;
}

/** A signal that aborts when a time is up, and what calls that off. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Nothing waits any more; to be called when the work has ended, however it did. */
  cancel(): void;
}

/** A deadline in so many milliseconds from now. */
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
