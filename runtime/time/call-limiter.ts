import type { Clock } from './clock.ts';
import type { TokenBucket, TokenRate } from './token-bucket.ts';
import { fullBucket, refilled } from './token-bucket.ts';
import type { TurnsByGroup } from './turns-by-group.ts';
import { firstInFirstOut, turnsByGroup } from './turns-by-group.ts';

/** Limits the rate of calls for each key. */
export interface CallLimiter {
  /**
   * Resolves when the caller may start its call. Callers of different groups take turns, and those of one group keep their
   * order. Rejects if the signal aborts.
   */
  admit(key: string, signal: AbortSignal, group?: string): Promise<void>;
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

/** The waiting callers of one key. */
interface Waiting {
  readonly turns: TurnsByGroup<Caller>;
  /** Those in `turns` that have not given up. */
  readonly callers: Set<Caller>;
  /** Aborts when all callers have given up. */
  readonly abandoned: AbortController;
}

type Caller = () => void;

/** Rounding may leave a bucket this far from a whole token when the delay for the token is over. */
const rounding = 1e-6;

/**
 * A token bucket for each key. While it is empty, callers wait, and each new token goes to the group whose turn it is. A
 * caller that gives up uses no token.
 */
export function createCallLimiter(options: CallLimiterOptions): CallLimiter {
  const { perSecond, burst = Math.max(1, perSecond), clock } = options;
  const rate: TokenRate = { perSecond, burst };
  const buckets = new Map<string, TokenBucket>(); // in the order of their last use, oldest first
  const waitingFor = new Map<string, Waiting>();

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

  /** Takes a token. Otherwise returns the milliseconds until there is one. */
  function spend(key: string): number | undefined {
    const { tokens, atMs } = bucketOf(key);
    const hasToken = tokens >= 1 - rounding;
    buckets.set(key, { tokens: hasToken ? tokens - 1 : tokens, atMs });
    return hasToken ? undefined : ((1 - tokens) * 1_000) / perSecond;
  }

  /** Gives each new token to a waiting caller, until no caller waits. */
  async function serve(key: string, waiting: Waiting): Promise<void> {
    const { turns, callers, abandoned } = waiting;
    while (callers.size > 0) {
      const delayMs = spend(key);
      if (delayMs === undefined) turns.take()?.();
      else await clock.sleep(delayMs, abandoned.signal).catch(() => {});
    }
    if (waitingFor.get(key) === waiting) waitingFor.delete(key);
  }

  function begin(key: string): Waiting {
    const callers = new Set<Caller>();
    const inOrder = () => firstInFirstOut<Caller>((caller) => callers.has(caller));
    const waiting = { turns: turnsByGroup(inOrder), callers, abandoned: new AbortController() };
    waitingFor.set(key, waiting);
    return waiting;
  }

  return {
    get size() {
      return buckets.size;
    },
    async admit(key, signal, group = '') {
      signal.throwIfAborted();
      const known = waitingFor.get(key);
      if (known === undefined && spend(key) === undefined) return;
      const waiting = known ?? begin(key);
      const { turns, callers, abandoned } = waiting;
      await new Promise<void>((resolve, reject) => {
        const leave = (caller: Caller): void => {
          signal.removeEventListener('abort', giveUp);
          callers.delete(caller);
        };
        const caller = (): void => {
          leave(caller);
          resolve();
        };
        const giveUp = (): void => {
          leave(caller);
          if (callers.size === 0) {
            waitingFor.delete(key);
            abandoned.abort();
          }
          reject(signal.reason);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        callers.add(caller);
        turns.add(group, caller);
        if (known === undefined) void serve(key, waiting);
      });
    },
  };
}
