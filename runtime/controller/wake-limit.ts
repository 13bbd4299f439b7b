import type { Subscription } from 'rxjs';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { boundedCache } from '../bounded-cache.ts';
import type { Clock } from '../time/clock.ts';
import type { TokenBucket, TokenRate } from '../time/token-bucket.ts';
import { fullBucket, refilled } from '../time/token-bucket.ts';
import type { Wake } from './wake.ts';

/**
 * How often events may wake one key. Two controllers that undo each other's writes, one of them perhaps not ours, would run
 * as fast as watches deliver. No user edits one object that often for long.
 */
const wakesOfKey: TokenRate = { perSecond: 1 / 3, burst: 30 };
/** How many keys that events have woken are remembered; the least recent ones start again with a full bucket. */
const maxWoken = 10_000;

interface WakeLimitOptions {
  readonly clock: Pick<Clock, 'scheduler'>;
  /** Whether a key still has a reason to run. Otherwise its own run has done its work. */
  readonly hasReason: (key: string) => boolean;
  readonly onAdmitted: (key: string, wake: Wake) => void;
  /** Wakes a key that was held back. */
  readonly wake: (wake: Wake) => void;
}

/** Limits how often events wake each key. */
export function createWakeLimit({ clock, hasReason, onAdmitted, wake: wakeNow }: WakeLimitOptions) {
  /** The remaining event-driven runs of each key. */
  const buckets = boundedCache<TokenBucket>(maxWoken);
  /** Keys that an event has woken and that have not run yet. */
  const woken = new Set<string>();
  /** The woken keys that must wait. */
  const heldBack = new Map<string, Subscription>();

  const bucketOf = (key: string): TokenBucket => {
    const nowMs = clock.scheduler.now();
    return refilled(buckets.get(key) ?? fullBucket(wakesOfKey, nowMs), wakesOfKey, nowMs);
  };

  function admit(key: string, wake: Wake): void {
    onAdmitted(key, wake);
    woken.add(key);
  }

  return {
    /** Whether an event wakes its key now. Otherwise the key runs later, once for all events during that time. */
    admits(wake: Wake): boolean {
      const key = objectKeyText(wake.request);
      const { tokens } = bucketOf(key);
      if (woken.has(key) || tokens >= 1) {
        admit(key, wake);
        return true;
      }
      if (heldBack.has(key)) return false;
      const release = (): void => {
        heldBack.delete(key);
        if (!hasReason(key)) return;
        admit(key, wake);
        wakeNow(wake);
      };
      const waitMs = Math.ceil(((1 - tokens) / wakesOfKey.perSecond) * 1_000);
      heldBack.set(key, clock.scheduler.schedule(release, waitMs));
      return false;
    },
    /** The key runs. */
    started(key: string): void {
      heldBack.get(key)?.unsubscribe();
      heldBack.delete(key);
      if (!woken.delete(key)) return;
      const { tokens, atMs } = bucketOf(key);
      buckets.set(key, { tokens: tokens - 1, atMs });
    },
    /** The key does not run. */
    dropped: (key: string): void => void woken.delete(key),
    clear(): void {
      for (const timer of heldBack.values()) timer.unsubscribe();
      heldBack.clear();
    },
  };
}
