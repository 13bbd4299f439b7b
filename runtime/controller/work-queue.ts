import uniq from 'lodash/uniq.js';
import type { Observable, OperatorFunction, Subscription } from 'rxjs';
import { defer, EMPTY, filter, finalize, map, merge, NEVER, Subject, tap } from 'rxjs';
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

/** The end of a run of a key: the reconciler's result, or a conflict or interruption, which share a back-off. */
export type Next =
  | Exclude<Result, { readonly type: 'requeue' }>
  /** `atLeastMs`: a minimum delay, for example from Retry-After. */
  | { readonly type: 'requeue'; readonly atLeastMs?: number }
  | { readonly type: 'conflict' }
  | { readonly type: 'interrupted' };

/** A request and its reason, which completes "reconciled because …". */
export interface Wake {
  readonly request: Request;
  readonly because: string;
  readonly asking: Asking;
  /** The version of an object that was written. If the key's own run wrote it, no other run is needed. */
  readonly version?: string;
}

/** Why a key runs again without an event. */
export const returnReasons = {
  after: 'the delay that its last run asked for is over',
  requeue: 'the last attempt failed',
  conflict: 'it changed while it was reconciled',
  interrupted: 'the leadership was interrupted',
} as const;

/** A run that has ended: its value, when the key runs again, and the versions of objects that it wrote. */
export interface Run<R> {
  readonly value: R;
  readonly next: Next;
  readonly wrote?: ReadonlySet<string>;
}

/** Delays in milliseconds, doubling from `baseMs` to `maxMs`. */
export interface Delays {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Receives the events of a queue, for metrics. */
export interface WorkQueueObserver {
  /** A key starts to wait. */
  added(key: string): void;
  /** The delay of a key is over: it waits from now on. */
  due(key: string): void;
  started(key: string): void;
  /** The run ended or was aborted. */
  finished(key: string): void;
  /** A key is requeued through a back-off. */
  retried(): void;
  /** A waiting key is dropped, because the queue is being drained, or because its own run has done its work. */
  dropped(key: string): void;
}

/** Why a key runs. `version`: of a wake during the run of the key, which may have written that version itself. */
interface Reason {
  readonly because: string;
  readonly version: string | undefined;
}

/** The wake of a key that runs again without an event. A conflict means that another process changed the object. */
const comesBack = (request: Request, next: keyof typeof returnReasons): Wake => ({
  request,
  because: returnReasons[next],
  asking: next === 'conflict' ? 'change' : 'return',
});

/** Whether a noted reason makes another one needless. */
const covers = (noted: Reason, { because, version }: Reason): boolean =>
  noted.because === because && (noted.version === undefined || noted.version === version);

export interface WorkQueueOptions {
  readonly concurrency: number;
  readonly clock: Pick<Clock, 'scheduler'>;
  /** Delays after `requeue`; default 5 ms to 30 s. */
  readonly backoff?: Delays;
  /** Once it emits, no new run starts; the result completes when the running ones have ended. */
  readonly drain$?: Observable<unknown>;
  readonly observer?: WorkQueueObserver;
  /** The progress of an object; default: `settled`, so that changes come first and periodic observations last. */
  readonly stageOf?: (request: Request) => Stage;
  /** The namespace that an object counts for. Namespaces take turns. Default: that of the object; '' if it has none. */
  readonly groupOf?: (request: Request) => string;
  /** How long an object at rest may wait for its run after an appearance, in ms. Undefined, the default: it is not at rest. */
  readonly restMsOf?: (request: Request) => number | undefined;
}

/** A function of requests that returns `otherwise` if it throws: objects may hold anything. Absent: it always does. */
const guarded =
  <T>(compute: ((request: Request) => T) | undefined, otherwise: T) =>
  (request: Request): T => {
    try {
      return compute === undefined ? otherwise : compute(request);
    } catch {
      return otherwise;
    }
  };

/** Delays after `conflict`. First short: the cache soon has the change. Then longer: the watch may be silent. */
const conflictBackoff: Delays = { baseMs: 10, maxMs: 5000 };

/**
 * How often events may wake one key. Two controllers that undo each other's writes, one of them perhaps not ours, would run
 * as fast as watches deliver. No user edits one object that often for long.
 */
const wakesOfKey: TokenRate = { perSecond: 1 / 3, burst: 30 };
/** How many keys that events have woken are remembered; the least recent ones start again with a full bucket. */
const maxWoken = 10_000;

/**
 * Runs requests: one run at a time per key and one waiting (see `mergeMapByKey`). Namespaces take turns, each with its most
 * urgent key first (see `urgency.ts`).
 *
 * - A version that a run wrote itself wakes its key for no other run, if the run ended with `done` or `after`. It does not
 *   matter whether the watch or the answer to the write had that version first.
 * - A run receives all reasons since the key's last run began. It emits one value, which says when the key runs again.
 * - A key has at most one timer. Any run of the key replaces it: an event comes before the delay, and leaves no second run.
 * - `done` and `after` reset the back-offs of a key, unless `keepsBackOff` is true. A change of the object, or of one to
 *   which it refers, resets the one of failures: they were failures of its former state.
 * - A key that events have woken 30 times in a burst waits 3 s before each further run.
 * - The appearance of an object wakes no key at rest: it only starts the key's timer, if it has none. So a process that starts
 *   does not run every key at once.
 * - An error of `run` ends the stream. Completes only when drained. Unsubscribing ends runs and timers.
 */
export function workQueue<R>(
  run: (request: Request, because: readonly string[]) => Observable<Run<R>>,
  options: WorkQueueOptions & {
    /** Adds the delay to the value of a run whose key comes back without an event. */
    readonly withReturn?: (value: R, againInMs: number) => R;
  },
): OperatorFunction<Wake, R> {
  const { concurrency, drain$ = NEVER, observer, clock, withReturn = (value: R) => value } = options;
  const { groupOf = ({ namespace = '' }: Request) => namespace } = options;
  const stage = guarded<Stage>(options.stageOf, 'settled');
  const group = guarded(groupOf, '');
  const rest = guarded(options.restMsOf, undefined); // the run of a malformed object reports what is wrong with it
  const backoff = { baseMs: 5, maxMs: 30_000, ...options.backoff };

  return (source) =>
    defer(() => {
      const due$ = new Subject<Wake>();
      /** The reasons for the next run of each key. */
      const reasons = new Map<string, Reason[]>();
      const running = new Set<string>();
      const timers = new Map<string, Subscription>();
      const failures = new Map<string, number>();
      const conflicts = new Map<string, number>();
      /** The remaining event-driven runs of each key. */
      const wakes = boundedCache<TokenBucket>(maxWoken);
      /** Keys that an event has woken and that have not run yet. */
      const woken = new Set<string>();
      /** The woken keys that must wait for the rate limit. */
      const heldBack = new Map<string, Subscription>();

      function forget(key: string): void {
        failures.delete(key);
        conflicts.delete(key);
      }

      function note({ request, because, version }: Wake): void {
        const key = objectKeyText(request);
        const reason: Reason = { because, version: running.has(key) ? version : undefined };
        const noted = reasons.get(key);
        if (noted === undefined) reasons.set(key, [reason]);
        else if (!noted.some((each) => covers(each, reason))) noted.push(reason);
      }

      /** Forgets the reasons that the run itself has caused: it decided again after each of its writes. */
      function forgetOwn(key: string, { wrote }: Run<R>): void {
        const noted = reasons.get(key);
        if (noted === undefined || wrote === undefined) return;
        reasons.set(
          key,
          noted.filter(({ version = '' }) => !wrote.has(version)),
        );
      }

      const bucketOf = (key: string): TokenBucket => {
        const nowMs = clock.scheduler.now();
        return refilled(wakes.get(key) ?? fullBucket(wakesOfKey, nowMs), wakesOfKey, nowMs);
      };

      function admit(key: string, { asking, version }: Wake): void {
        const mayBeOwn = version !== undefined && running.has(key);
        // guard: otherwise a short failure right after a correction delays the next attempt by up to a minute
        if (asking === 'change' && !mayBeOwn) failures.delete(key);
        woken.add(key);
      }

      /** Whether a key stays at rest although an object has appeared. */
      function staysAtRest({ request, asking }: Wake): boolean {
        const key = objectKeyText(request);
        const isAwake = running.has(key) || (reasons.get(key) ?? []).length > 0;
        const restMs = asking === 'appearance' && !isAwake ? rest(request) : undefined;
        if (restMs === undefined) return false;
        // guard: otherwise an object at rest is never observed again
        if (!timers.has(key)) schedule(key, comesBack(request, 'after'), restMs);
        return true;
      }

      /** Whether an event wakes its key now. Otherwise the key runs later, once for all events during that time. */
      function isAdmitted(wake: Wake): boolean {
        const key = objectKeyText(wake.request);
        const { tokens } = bucketOf(key);
        if (woken.has(key) || tokens >= 1) {
          admit(key, wake);
          return true;
        }
        if (heldBack.has(key)) return false;
        const release = (): void => {
          heldBack.delete(key);
          if ((reasons.get(key) ?? []).length === 0) return; // its own run has done its work
          admit(key, wake);
          due$.next(wake);
        };
        const waitMs = Math.ceil(((1 - tokens) / wakesOfKey.perSecond) * 1_000);
        heldBack.set(key, clock.scheduler.schedule(release, waitMs));
        return false;
      }

      function schedule(key: string, wake: Wake, delayMs: number): number {
        const fire = (): void => {
          timers.delete(key);
          if (wake.because === returnReasons.after) observer?.due(key);
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

      /** The milliseconds until the key runs again without an event; undefined: it does not. */
      function settle(key: string, request: Request, next: Next): number | undefined {
        if (next.type === 'done') {
          forget(key);
          return undefined;
        }
        const wake = comesBack(request, next.type);
        switch (next.type) {
          case 'after':
            if (next.keepsBackOff !== true) forget(key);
            return schedule(key, wake, next.delayMs); // guard: otherwise no later run follows
          case 'requeue':
            // guard: otherwise it retries without a back-off
            return schedule(key, wake, Math.max(delayAfter(failures, key, backoff), next.atLeastMs ?? 0));
          case 'conflict':
          case 'interrupted':
            // guard: otherwise a run that ended with a conflict is not repeated
            return schedule(key, wake, delayAfter(conflicts, key, conflictBackoff));
        }
      }

      const runOnce = ({ request }: Wake): Observable<R> => {
        const key = objectKeyText(request);
        const because = uniq((reasons.get(key) ?? []).map((reason) => reason.because));
        reasons.delete(key);
        if (because.length === 0) {
          woken.delete(key);
          observer?.dropped(key);
          return EMPTY;
        }
        running.add(key);
        for (const waiting of [timers, heldBack]) {
          waiting.get(key)?.unsubscribe();
          waiting.delete(key);
        }
        if (woken.delete(key)) {
          const { tokens, atMs } = bucketOf(key);
          wakes.set(key, { tokens: tokens - 1, atMs });
        }
        observer?.started(key);
        // `finalize` would be called after the key's next run has begun.
        const finished = (): void => observer?.finished(key);
        return run(request, because).pipe(
          map((ended) => {
            const { value, next } = ended;
            running.delete(key);
            forgetOwn(key, ended);
            const againInMs = settle(key, request, next);
            return againInMs === undefined ? value : withReturn(value, againInMs);
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

      const events$ = source.pipe(
        filter((wake) => !staysAtRest(wake)),
        tap(note),
        filter(isAdmitted),
      );
      return merge(events$, due$.pipe(tap(note))).pipe(
        mergeMapByKey(runOnce, {
          keyOf: ({ request }) => objectKeyText(request),
          urgencyOf: ({ request, asking }) => urgencyOf(asking, stage(request)),
          groupOf: ({ request }) => group(request),
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
