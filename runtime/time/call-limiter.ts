import type { Clock } from './clock.ts';
import type { TokenBucket, TokenRate } from './token-bucket.ts';
import { fullBucket, refilled } from './token-bucket.ts';

/** Limits the rate of calls for each key. */
export interface CallLimiter {
  /** Resolves when the caller may start its call, in the order of the requests. Rejects if the signal aborts. */
  admit(key: string, signal: AbortSignal): Promise<void>;
  /** The number of keys in memory: those that were used recently. */
  readonly size: number;
}

export interface CallLimiterOptions {
  /** The average number of calls for each key. */
  readonly perSecond: number;
  /** How many calls may start without delay after a pause. Default: the calls of one second. */
  readonly burst?: number;
  readonly clock: Pick<Clock, 'elapsedMs' | 'sleep'>;
}

/**
 * A token bucket for each key. A caller takes a token at once, even if the bucket is empty, and then waits until the
 * bucket has refilled that token. So callers keep their order without polling. An aborted caller returns its token.
 */
export function createCallLimiter(options: CallLimiterOptions): CallLimiter {
  const { perSecond, burst = Math.max(1, perSecond), clock } = options;
  const rate: TokenRate = { perSecond, burst };
  const buckets = new Map<string, TokenBucket>(); // in the order of their last use, oldest first

  /** Returns the refilled bucket of a key. Removes full buckets of other keys, because a new bucket is full too. */
  function bucketOf(key: string): TokenBucket {
    const nowMs = clock.elapsedMs();
    const bucket = refilled(buckets.get(key) ?? fullBucket(rate, nowMs), rate, nowMs);
    buckets.delete(key);
    for (const [idle, candidate] of buckets) {
      if (refilled(candidate, rate, nowMs).tokens < burst) break;
      buckets.delete(idle);
    }
    return bucket;
  }

  return {
    get size() {
      return buckets.size;
    },
    async admit(key, signal) {
      signal.throwIfAborted();
      const { tokens, atMs } = bucketOf(key);
      buckets.set(key, { tokens: tokens - 1, atMs });
      if (tokens >= 1) return;
      try {
        await clock.sleep(((1 - tokens) * 1_000) / perSecond, signal);
      } catch (error) {
        const now = bucketOf(key);
        buckets.set(key, { ...now, tokens: now.tokens + 1 });
        throw error;
      }
    },
  };
}
