import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import type { Clock } from '../../../../runtime/time/clock.ts';
import type { TokenBucket, TokenRate } from '../../../../runtime/time/token-bucket.ts';
import { fullBucket, refilled } from '../../../../runtime/time/token-bucket.ts';
import { aroundCalls } from './around-calls.ts';
import type { ExternalConnector } from './external-client.ts';

/** Spreads calls over time, apart for each key. */
export interface CallLimiter {
  /** Resolves when a call of this key may be made, in the order of asking; rejects when the signal aborts. */
  admit(key: string, signal: AbortSignal): Promise<void>;
  /** How many keys it remembers: those used within the last burst's worth of time. */
  readonly size: number;
}

export interface CallLimiterOptions {
  /** Calls per second and key in the long run. */
  readonly perSecond: number;
  /** Calls that may be made at once after a rest; default one second's worth. */
  readonly burst?: number;
  readonly clock: Pick<Clock, 'elapsedMs' | 'sleep'>;
}

/**
 * A token bucket per key. A caller takes its token at once, if need be on credit, and waits until the bucket has
 * earned it: so callers are served in order, and nobody polls. One that gives up hands its token back.
 */
export function createCallLimiter(options: CallLimiterOptions): CallLimiter {
  const { perSecond, burst = Math.max(1, perSecond), clock } = options;
  const rate: TokenRate = { perSecond, burst };
  const buckets = new Map<string, TokenBucket>(); // the one longest unused first

  /** The bucket of a key as it is now, which is last in line from now on. A full one is as good as none. */
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

/** A connector whose clients wait their turn before each external call. `keyOf` names the provider. */
export function limitedConnector<M extends Managed>(
  connector: ExternalConnector<M>,
  limiter: Pick<CallLimiter, 'admit'>,
  keyOf: (managed: M) => string,
): ExternalConnector<M> {
  return {
    async connect(managed, signal) {
      const client = await connector.connect(managed, signal);
      return aroundCalls(client, async (call, callSignal) => {
        if (callSignal !== undefined) await limiter.admit(keyOf(managed), callSignal);
        return call();
      });
    },
  };
}
