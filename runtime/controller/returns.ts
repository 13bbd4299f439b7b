import type { Subscription } from 'rxjs';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { BackoffOptions } from '../time/backoff.ts';
import { backoffDelayMs } from '../time/backoff.ts';
import type { Clock } from '../time/clock.ts';
import type { Request } from './reconcile.ts';
import type { Next, Wake } from './wake.ts';
import { returnReasons } from './wake.ts';

/** BackoffOptions after `conflict`. First short: the cache soon has the change. Then longer: the watch may be silent. */
const conflictBackoff: BackoffOptions = { baseMs: 10, maxMs: 5000 };

interface ReturnsOptions {
  readonly clock: Pick<Clock, 'scheduler'>;
  /** BackoffOptions after `requeue`. */
  readonly backoff: BackoffOptions;
  /** Runs a key again. */
  readonly wake: (wake: Wake) => void;
  /** `due`: the delay of a key is over. `retried`: a key is requeued through a back-off. */
  readonly observer: { due(key: string): void; retried(): void } | undefined;
}

/** When keys run again without an event. Each has at most one timer, and back-offs of its own. */
export function createReturns({ clock, backoff, wake, observer }: ReturnsOptions) {
  const timers = new Map<string, Subscription>();
  const failures = new Map<string, number>();
  const conflicts = new Map<string, number>();

  function schedule(request: Request, why: keyof typeof returnReasons, delayMs: number): number {
    const key = objectKeyText(request);
    const fire = (): void => {
      timers.delete(key);
      if (why === 'after') observer?.due(key);
      // A conflict means that another process changed the object.
      wake({ request, because: returnReasons[why], asking: why === 'conflict' ? 'change' : 'return' });
    };
    const delay = Math.max(Math.ceil(delayMs) || 0, 0);
    timers.set(key, clock.scheduler.schedule(fire, delay));
    return delay;
  }

  function delayAfter(counts: Map<string, number>, key: string, delays: BackoffOptions): number {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    observer?.retried();
    return backoffDelayMs(count, delays);
  }

  function forget(key: string): void {
    failures.delete(key);
    conflicts.delete(key);
  }

  return {
    schedule,
    isScheduled: (key: string): boolean => timers.has(key),
    forgetFailures: (key: string): void => void failures.delete(key),
    cancel(key: string): void {
      timers.get(key)?.unsubscribe();
      timers.delete(key);
    },
    clear(): void {
      for (const timer of timers.values()) timer.unsubscribe();
      timers.clear();
    },
    /** Plans the next run after one that ended. Returns the milliseconds until then; undefined: there is none without an event. */
    settle(request: Request, next: Next): number | undefined {
      const key = objectKeyText(request);
      switch (next.type) {
        case 'done':
          forget(key);
          return undefined;
        case 'after':
          if (next.keepsBackOff !== true) forget(key);
          return schedule(request, 'after', next.delayMs); // guard: otherwise no later run follows
        case 'requeue': {
          const delayMs = Math.max(delayAfter(failures, key, backoff), next.atLeastMs ?? 0);
          return schedule(request, 'requeue', delayMs); // guard: otherwise it retries without a back-off
        }
        case 'conflict':
        case 'interrupted':
          // guard: otherwise a run that ended with a conflict is not repeated
          return schedule(request, next.type, delayAfter(conflicts, key, conflictBackoff));
      }
    },
  };
}
