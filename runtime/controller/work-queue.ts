import type { Observable, OperatorFunction } from 'rxjs';
import { defer, EMPTY, filter, finalize, map, merge, NEVER, Subject, tap } from 'rxjs';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { BackoffOptions } from '../time/backoff.ts';
import type { Clock } from '../time/clock.ts';
import { mergeMapByKey } from './merge-map-by-key.ts';
import { createReasons } from './reasons.ts';
import type { Request } from './reconcile.ts';
import { createReturns } from './returns.ts';
import type { Stage } from './urgency.ts';
import { urgencyOf } from './urgency.ts';
import type { Next, Wake } from './wake.ts';
import { createWakeLimit } from './wake-limit.ts';

/** A run that has ended: its value, when the key runs again, and the versions of objects that it wrote. */
export interface Run<R> {
  readonly value: R;
  readonly next: Next;
  readonly wrote?: ReadonlySet<string>;
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

export interface WorkQueueOptions {
  readonly concurrency: number;
  readonly clock: Pick<Clock, 'scheduler'>;
  /** Delays after `requeue`; default 5 ms to 30 s. */
  readonly backoff?: BackoffOptions;
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
      const running = new Set<string>();
      const reasons = createReasons(running);
      const returns = createReturns({ clock, observer, backoff, wake: (wake) => due$.next(wake) });
      const limit = createWakeLimit({
        clock,
        hasReason: reasons.has,
        onAdmitted(key, { asking, version }) {
          const mayBeOwn = version !== undefined && running.has(key);
          // guard: otherwise a short failure right after a correction delays the next attempt by up to a minute
          if (asking === 'change' && !mayBeOwn) returns.forgetFailures(key);
        },
        wake: (wake) => due$.next(wake),
      });

      /** Whether a key stays at rest although an object has appeared. */
      function staysAtRest({ request, asking }: Wake): boolean {
        const key = objectKeyText(request);
        const isAwake = running.has(key) || reasons.has(key);
        const restMs = asking === 'appearance' && !isAwake ? rest(request) : undefined;
        if (restMs === undefined) return false;
        // guard: otherwise an object at rest is never observed again
        if (!returns.isScheduled(key)) returns.schedule(request, 'after', restMs);
        return true;
      }

      const runOnce = ({ request }: Wake): Observable<R> => {
        const key = objectKeyText(request);
        const because = reasons.take(key);
        if (because.length === 0) {
          limit.dropped(key);
          observer?.dropped(key);
          return EMPTY;
        }
        running.add(key);
        returns.cancel(key);
        limit.started(key);
        observer?.started(key);
        // `finalize` would be called after the key's next run has begun.
        const finished = (): void => observer?.finished(key);
        return run(request, because).pipe(
          map((ended) => {
            const { value, next } = ended;
            running.delete(key);
            if (ended.wrote !== undefined) reasons.forgetOwn(key, ended.wrote);
            const againInMs = returns.settle(request, next);
            return againInMs === undefined ? value : withReturn(value, againInMs);
          }),
          tap({ complete: finished, error: finished, unsubscribe: finished }),
        );
      };

      const clearTimers = (): void => {
        returns.clear();
        limit.clear();
      };

      const events$ = source.pipe(
        filter((wake) => !staysAtRest(wake)),
        tap(reasons.note),
        filter(limit.admits),
      );
      return merge(events$, due$.pipe(tap(reasons.note))).pipe(
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
