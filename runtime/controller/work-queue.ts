import type { Observable, OperatorFunction, Subscription } from 'rxjs';
import { defer, filter, finalize, map, merge, NEVER, Subject, tap } from 'rxjs';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { boundedCache } from '../bounded-cache.ts';
import { backoffDelayMs } from '../time/backoff.ts';
import type { Clock } from '../time/clock.ts';
import type { TokenBucket, TokenRate } from '../time/token-bucket.ts';
import { fullBucket, refilled } from '../time/token-bucket.ts';
import { mergeMapByKey } from './merge-map-by-key.ts';
import type { Request, Result } from './reconcile.ts';
import type { Asking, Stage } from './urgency.ts';
import { urgencyOf } from './urgency.ts';

/** What to do with a key after a run: a reconciler's result; or a conflict or an interruption, which share a back-off. */
export type Next =
  | Exclude<Result, { readonly type: 'requeue' }>
  /** `atLeastMs`: a wait somebody asked for. */
  | { readonly type: 'requeue'; readonly atLeastMs?: number }
  | { readonly type: 'conflict' }
  | { readonly type: 'interrupted' };

/** A request, and what asks for it: completes "reconciled because …". */
export interface Wake {
  readonly request: Request;
  readonly because: string;
  readonly asking: Asking;
}

/** Why a key comes back by itself. */
export const comesBack = {
  after: 'it was to be looked at again by now',
  requeue: 'the last attempt failed',
  conflict: 'it changed while it was reconciled',
  interrupted: 'the leadership was interrupted',
} as const;

/** A run that has ended: what to tell, and when the key runs again. */
export interface Run<R> {
  readonly value: R;
  readonly next: Next;
}

/** Delays in milliseconds, doubling from `baseMs` to `maxMs`. */
export interface Delays {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Told what happens in a queue, for metrics. */
export interface WorkQueueObserver {
  /** A key waits for its turn that did not before. */
  added(key: string): void;
  /** The delay is over after which a key was to come back: it waits for its turn from here on. */
  due(key: string): void;
  started(key: string): void;
  /** The run ended, or was abandoned. */
  finished(key: string): void;
  /** A key is put back through a back-off. */
  retried(): void;
  /** A key will not have its turn: the queue is being drained. */
  dropped(key: string): void;
}

export interface WorkQueueOptions {
  readonly concurrency: number;
  readonly clock: Pick<Clock, 'scheduler'>;
  /** After `requeue`; default 5 ms to 30 s. */
  readonly backoff?: Delays;
  /** Once it emits: nothing new is started, and the result completes when the running have ended. */
  readonly drain$?: Observable<unknown>;
  readonly observer?: WorkQueueObserver;
  /** How far an object has come; default: `settled`, so that changes come first and looks last. */
  readonly stageOf?: (request: Request) => Stage;
}

/** After `conflict`: the cache is usually up to date in a moment; where a watch is silent, attempts must not be many. */
const conflictBackoff: Delays = { baseMs: 10, maxMs: 5000 };

/**
 * How often events may bring one key back. Two that write in turn what the other one takes back, of which one may not be
 * ours, would do so as fast as watches are; nobody edits one object that often for long.
 */
const wakesOfKey: TokenRate = { perSecond: 1 / 3, burst: 30 };
/** Keys that events have brought back of late: of more than so many the least recent ones begin anew. */
const maxWoken = 10_000;

/**
 * Runs requests, one run at a time per key and one waiting: see `mergeMapByKey`. What is more urgent goes first: see
 * `urgency.ts`. A run is told of everything that asked for it since the last one began. It emits one value, which says when
 * the key comes back. A key has at most one timer; any run of the key, whatever woke it, replaces it, so an event overtakes
 * a delay and leaves no second run behind. `done` and `after` forget the back-offs of a key, unless `keepsBackOff` says
 * otherwise. A key that events have brought back 30 times waits for 3 s before each further one does. An error of `run` ends
 * the stream. Completes only when drained. Unsubscribing ends runs and timers.
 */
export function workQueue<R>(
  run: (request: Request, because: readonly string[]) => Observable<Run<R>>,
  options: WorkQueueOptions & {
    /** What becomes of the value of a run whose key comes back by itself, given after how long. */
    readonly comingBack?: (value: R, againInMs: number) => R;
  },
): OperatorFunction<Wake, R> {
  const { concurrency, drain$ = NEVER, observer, clock, stageOf = () => 'settled' } = options;
  const { comingBack = (value: R) => value } = options;
  const backoff = { baseMs: 5, maxMs: 30_000, ...options.backoff };

  return (source) =>
    defer(() => {
      const due$ = new Subject<Wake>();
      /** What the run of a key that is to come was asked for by. */
      const reasons = new Map<string, string[]>();
      const timers = new Map<string, Subscription>();
      const failures = new Map<string, number>();
      const conflicts = new Map<string, number>();
      /** Of each key, the runs that events may still bring it. */
      const wakes = boundedCache<TokenBucket>(maxWoken);
      /** Keys that an event has asked for, and whose run is to come. */
      const woken = new Set<string>();
      /** Of those, the ones that have to wait for it. */
      const heldBack = new Map<string, Subscription>();

      /** What an object holds is somebody else's: of one that is not in shape, nobody knows how far it has come. */
      function stage(request: Request): Stage {
        try {
          return stageOf(request);
        } catch {
          return 'settled';
        }
      }

      function forget(key: string): void {
        failures.delete(key);
        conflicts.delete(key);
      }

      function note({ request, because }: Wake): void {
        const key = objectKeyText(request);
        const noted = reasons.get(key);
        if (noted === undefined) reasons.set(key, [because]);
        else if (!noted.includes(because)) noted.push(because);
      }

      const bucketOf = (key: string): TokenBucket => {
        const nowMs = clock.scheduler.now();
        return refilled(wakes.get(key) ?? fullBucket(wakesOfKey, nowMs), wakesOfKey, nowMs);
      };

      /** Whether an event brings its key back now; else it does so later, once for all that come meanwhile. */
      function isAdmitted(wake: Wake): boolean {
        const key = objectKeyText(wake.request);
        const { tokens } = bucketOf(key);
        if (woken.has(key) || tokens >= 1) {
          woken.add(key);
          return true;
        }
        if (heldBack.has(key)) return false;
        const admit = (): void => {
          heldBack.delete(key);
          woken.add(key);
          due$.next(wake);
        };
        const waitMs = Math.ceil(((1 - tokens) / wakesOfKey.perSecond) * 1_000);
        heldBack.set(key, clock.scheduler.schedule(admit, waitMs));
        return false;
      }

      function schedule(key: string, wake: Wake, delayMs: number): number {
        const fire = (): void => {
          timers.delete(key);
          if (wake.because === comesBack.after) observer?.due(key);
          due$.next(wake);
        };
        const delay = Math.max(Math.ceil(delayMs) || 0, 0);
        timers.set(key, clock.scheduler.schedule(fire, delay));
        return delay;
      }

      function delayAfter(counts: Map<string, number>, key: string, delays: Delays): number {
        const count = counts.get(key) ?? 0;
        counts.set(key, count + 1);
        observer?.retried();
        return backoffDelayMs(count, delays);
      }

      /** After how many milliseconds the key comes back by itself; undefined: it does not. */
      function settle(key: string, request: Request, next: Next): number | undefined {
        if (next.type === 'done') {
          forget(key);
          return undefined;
        }
        const wake: Wake = {
          request,
          because: comesBack[next.type],
          // A conflict is a change that the run did not know of.
          asking: next.type === 'conflict' ? 'change' : 'return',
        };
        switch (next.type) {
          case 'after':
            if (next.keepsBackOff !== true) forget(key);
            return schedule(key, wake, next.delayMs);
          case 'requeue':
            return schedule(key, wake, Math.max(delayAfter(failures, key, backoff), next.atLeastMs ?? 0));
          case 'conflict':
          case 'interrupted':
            return schedule(key, wake, delayAfter(conflicts, key, conflictBackoff));
        }
      }

      const runOnce = ({ request }: Wake): Observable<R> => {
        const key = objectKeyText(request);
        const because = reasons.get(key) ?? [];
        reasons.delete(key);
        for (const waiting of [timers, heldBack]) {
          waiting.get(key)?.unsubscribe();
          waiting.delete(key);
        }
        if (woken.delete(key)) {
          const { tokens, atMs } = bucketOf(key);
          wakes.set(key, { tokens: tokens - 1, atMs });
        }
        observer?.started(key);
        // Not `finalize`, which comes after the key's next run has begun.
        const finished = (): void => observer?.finished(key);
        return run(request, because).pipe(
          map(({ value, next }) => {
            const againInMs = settle(key, request, next);
            return againInMs === undefined ? value : comingBack(value, againInMs);
          }),
          tap({ complete: finished, error: finished, unsubscribe: finished }),
        );
      };

      const clearTimers = (): void => {
        for (const waiting of [timers, heldBack]) {
          for (const timer of waiting.values()) timer.unsubscribe();
          waiting.clear();
        }
      };

      return merge(source.pipe(tap(note), filter(isAdmitted)), due$.pipe(tap(note))).pipe(
        mergeMapByKey(runOnce, {
          keyOf: ({ request }) => objectKeyText(request),
          urgencyOf: ({ request, asking }) => urgencyOf(asking, stage(request)),
          concurrency,
          drain$: drain$.pipe(tap(clearTimers)),
          ...(observer && {
            onWaiting: (key) => observer.added(key),
            onDropped: (key) => observer.dropped(key),
          }),
        }),
        finalize(clearTimers),
      );
    });
}
