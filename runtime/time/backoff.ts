import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

/** Delays that double from `baseMs`; times are in milliseconds. */
export interface BackoffOptions {
  readonly baseMs: number;
  /** No delay is longer, jitter included. */
  readonly maxMs: number;
  /** The first delay is between `baseMs` and `baseMs * (1 + jitter)`; later delays vary alike. Default 0. */
  readonly jitter?: number;
  /** Required with jitter. */
  readonly random?: Random;
}

/** The delay before attempt `failures` + 1, in milliseconds; `failures` counts from 0. */
export function backoffDelayMs(failures: number, options: BackoffOptions): number {
  const { baseMs, maxMs, jitter = 0, random = () => 0 } = options;
  const spread = 1 + jitter;
  // The limit is applied before the jitter, so that clients that fail together do not retry together at the limit.
  const delayMs = Math.min(baseMs * 2 ** Math.min(failures, 52), Math.max(baseMs, maxMs / spread));
  return Math.min(maxMs, delayMs * (1 + jitter * random()));
}

/** Backoff for a long-running activity that fails from time to time. */
export interface Backoff {
  /** The next delay, in milliseconds. */
  next(): number;
}

/** A backoff that starts again after `resetAfterMs` without a call of `next`, as client-go's BackoffManager does. */
export function createBackoff(
  clock: Pick<Clock, 'elapsedMs'>,
  options: BackoffOptions & { readonly resetAfterMs: number },
): Backoff {
  const { resetAfterMs } = options;
  let failures = 0;
  let healthyAtMs = Number.POSITIVE_INFINITY;
  return {
    next() {
      const nowMs = clock.elapsedMs();
      if (nowMs > healthyAtMs) failures = 0;
      const delayMs = backoffDelayMs(failures, options);
      failures += 1;
      // The delay itself does not count as healthy time.
      healthyAtMs = nowMs + delayMs + resetAfterMs;
      return delayMs;
    },
  };
}
