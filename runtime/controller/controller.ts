/*
 *   triggers.ts ──key, because──▶ work-queue.ts ──one run at a time per key──▶ reconcile ──▶ outcome: log,
 *                                     ▲                                            │            metrics
 *                                     └───── done, after, requeue, conflict ───────┘
 */

import { defer, merge, Observable, retry, timer } from 'rxjs';
import { versionsWrittenWith } from '../cache/written-versions.ts';
import type { KnownCauses } from '../client/errors.ts';
import {
  apiErrorIn,
  causeOf,
  createKnownCauses,
  isConflict,
  isInterrupted,
  isOutage,
  messageOf,
} from '../client/errors.ts';
import { bugIn } from '../log/bug.ts';
import type { Logger } from '../log/log.ts';
import type { BackoffOptions } from '../time/backoff.ts';
import { createBackoff } from '../time/backoff.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import { randomUuid } from '../time/random.ts';
import type { ControllerSpec } from './controller-spec.ts';
import type { KnownFailures } from './known-failures.ts';
import { createKnownFailures, textOfBug } from './known-failures.ts';
import type { Reconciler, Request, Result } from './reconcile.ts';
import type { Next, Wake } from './wake.ts';
import type { Run, WorkQueueObserver } from './work-queue.ts';
import { workQueue } from './work-queue.ts';

/** The outcome of one run. */
export interface Outcome {
  readonly controller: string;
  readonly request: Request;
  /** The reasons for the run, each once: the sentences of triggers, or why the key came back without one. */
  readonly because: readonly string[];
  /** The decision of the run, if the reconciler returned one. */
  readonly decision?: string;
  readonly result: 'success' | 'error' | 'requeue' | 'requeue_after' | 'conflict' | 'interrupted';
  readonly durationMs: number;
  /** The milliseconds until the key runs again without an event; absent: it does not. */
  readonly againInMs?: number;
  /** The run was aborted because it took longer than allowed. */
  readonly isTimedOut: boolean;
  /** The thrown value of a run with result `error`, `conflict` or `interrupted`. */
  readonly error?: unknown;
  /** The message that a run with result `error` wrote to the object. */
  readonly failure?: string;
  /** A programming error in the run, thrown or reported. */
  readonly bug?: Error;
}

export interface ControllerOptions extends ControllerSpec {
  /** How many runs at a time. */
  readonly concurrency: number;
  /** Delays after an error or `requeue`; default 5 ms to 30 s. */
  readonly backoff?: BackoffOptions;
  readonly log: Logger;
  readonly clock: Clock;
  /** For the id of each run in the log. */
  readonly random: Random;
  /** Once it emits, no new run starts; the outcomes complete when the running ones have ended. */
  readonly drain$?: Observable<unknown>;
  readonly observer?: WorkQueueObserver;
  /** The known causes of all controllers, so that an outage of the API server is one line of the log. Default: its own. */
  readonly causes?: KnownCauses;
}

/**
 * Joins triggers, a work queue and a reconciler; runs while subscribed to. Emits the outcome of every run, logs each
 * failure and requeues its key: no error of a reconciler ends the stream. A trigger that fails is logged and subscribed to
 * again. Completes only through `drain$`. Unsubscribing aborts running reconciles at once.
 *
 * A run that takes too long is aborted through its signal. Its key and its worker stay busy until it ends, so that no key
 * runs twice at a time.
 */
export function controller(options: ControllerOptions): Observable<Outcome> {
  const { name, triggers, reconcile, about = () => ({}), timeoutMs = 90_000, clock, random } = options;
  const { concurrency, backoff, drain$, observer, stageOf, groupOf, restMsOf } = options;
  const { causes = createKnownCauses(clock) } = options;
  const kind = options.objects?.kind.kind;
  const log = options.log.child({ controller: name, ...(kind !== undefined && { kind }) });
  const failures = createKnownFailures(clock);
  const run = (request: Request, because: readonly string[]): Observable<Run<Outcome>> => {
    const reconcileID = randomUuid(random);
    const runLog = log.child(() => ({ ...about(request), ...request, reconcileID, because }));
    return runOnce({ name, reconcile, timeoutMs, log: runLog, clock, because, failures, causes }, request);
  };

  return defer(() => merge(...triggers.map(({ wakes$ }) => resubscribing(wakes$, { log, clock })))).pipe(
    workQueue(run, {
      concurrency,
      clock,
      withReturn: (outcome, againInMs) => ({ ...outcome, againInMs }),
      ...(backoff && { backoff }),
      ...(drain$ && { drain$ }),
      ...(observer && { observer }),
      ...(stageOf && { stageOf }),
      ...(groupOf && { groupOf }),
      ...(restMsOf && { restMsOf }),
    }),
  );
}

/** A trigger that survives a bug in its mapping. The store replays its objects to the next subscriber. */
const resubscribing = (
  trigger$: Observable<Wake>,
  { log, clock }: Pick<RunOptions, 'log' | 'clock'>,
): Observable<Wake> =>
  defer(() => {
    const repairs = createBackoff(clock, { baseMs: 1000, maxMs: 60_000, resetAfterMs: 120_000 });
    return trigger$.pipe(
      retry({
        delay(error: unknown) {
          log.error('a bug stopped a trigger: subscribing to it again', { error });
          return timer(repairs.next(), clock.scheduler);
        },
      }),
    );
  });

interface RunOptions {
  readonly name: string;
  readonly reconcile: Reconciler;
  readonly timeoutMs: number;
  readonly log: Logger;
  readonly clock: Clock;
  readonly because: readonly string[];
  readonly failures: KnownFailures;
  readonly causes: KnownCauses;
}

/** One run as a stream of one value; never errors. Unsubscribing aborts the run. */
function runOnce(options: RunOptions, request: Request): Observable<Run<Outcome>> {
  const { name, reconcile, timeoutMs, log, clock, because } = options;
  return new Observable((subscriber) => {
    const abort = new AbortController();
    const startedAtMs = clock.elapsedMs();
    let isTimedOut = false;
    let isEnded = false;

    const deadline = clock.scheduler.schedule(() => {
      isTimedOut = true;
      log.warn('the reconcile takes too long: aborting it', { timeoutMs });
      abort.abort(new Error(`the reconcile took longer than ${timeoutMs / 1000} s`));
    }, timeoutMs);

    const end = (
      result: Outcome['result'],
      next: Next,
      {
        error,
        failure,
        decision,
        bug = bugIn(error),
      }: Pick<Outcome, 'error' | 'failure' | 'decision' | 'bug'> = {},
    ): void => {
      isEnded = true;
      deadline.unsubscribe();
      if (subscriber.closed) return; // the outcome of an aborted run is not reported
      const durationMs = clock.elapsedMs() - startedAtMs;
      const outcome: Outcome = {
        controller: name,
        request,
        because,
        ...(decision !== undefined && { decision }),
        result,
        durationMs,
        isTimedOut,
        ...(error !== undefined && { error }),
        ...(failure !== undefined && { failure }),
        ...(bug !== undefined && { bug }),
      };
      report(outcome, options);
      subscriber.next({ value: outcome, next, wrote: versionsWrittenWith(abort.signal) });
      subscriber.complete();
    };

    const fail = (thrown: unknown): void => {
      const silent = isConflict(thrown) ? 'conflict' : isInterrupted(thrown) ? 'interrupted' : undefined;
      if (silent !== undefined) {
        end(silent, { type: silent }, { error: thrown });
        return;
      }
      const { retryAfterMs } = apiErrorIn(thrown) ?? {};
      const error = isTimedOut
        ? new Error(`the reconcile took longer than ${timeoutMs / 1000} s: ${messageOf(thrown)}`, {
            cause: thrown,
          })
        : (thrown ?? new Error('the reconciler threw nothing'));
      // guard: otherwise a failed run is not repeated
      end('error', { type: 'requeue', ...(retryAfterMs && { atLeastMs: retryAfterMs }) }, { error });
    };

    const attempt = async (): Promise<Result> => reconcile(request, abort.signal, log);
    const withdraw = clock.turns.run(() => {
      attempt().then((result) => {
        if (isResult(result)) {
          end(result.failure === undefined ? resultNames[result.type] : 'error', result, result);
        } else fail(new Error('the reconciler returned no result'));
      }, fail);
    });

    return () => {
      withdraw();
      deadline.unsubscribe();
      if (!isEnded) abort.abort(new Error('the controller was stopped'));
    };
  });
}

const resultNames = { done: 'success', after: 'requeue_after', requeue: 'requeue' } as const;

/** Log messages for runs that failed although neither a user nor a program made a mistake. */
const expectedFailures = {
  conflict: 'the object changed since it was read: trying again',
  interrupted: 'the leadership was interrupted: trying again',
} as const;

/** Checks the result: a reconciler in plain JavaScript may return anything, and NaN would mean no delay. */
const isResult = (result: Result | undefined): result is Result =>
  Object.hasOwn(resultNames, result?.type ?? '') &&
  (result?.type !== 'after' || Number.isFinite(result.delayMs));

/**
 * Logs the outcome of a run. A run without error is logged at level debug, because the reconciler has logged what it did. A
 * failure is logged once, again when it changes, and at growing intervals with a count while it stays the same. An outage of
 * the API server is logged with the first object that meets it.
 */
function report(
  outcome: Outcome,
  { log, failures, causes }: Pick<RunOptions, 'log' | 'failures' | 'causes'>,
): void {
  const { request, decision, result, durationMs, error, failure, bug } = outcome;
  const facts = { ...(decision !== undefined && { decision }), durationMs: Math.round(durationMs), result };
  if (result === 'conflict' || result === 'interrupted') {
    log.debug(expectedFailures[result], facts);
    return;
  }
  const what =
    bug === undefined ? (failure ?? (error === undefined ? undefined : messageOf(error))) : textOfBug(bug);
  if (what === undefined) {
    failures.over(request);
    log.debug('reconciled', facts);
    return;
  }
  if (bug === undefined && isOutage(error)) {
    const cause = causeOf(error);
    const isKnown = causes.has(cause);
    causes.add(cause);
    if (isKnown) {
      log.debug('reconcile failed because the API server cannot be used', facts);
      return;
    }
  }
  const times = failures.met(request, what);
  if (times === undefined) {
    log.debug('reconcile failed for the same reason again', facts);
    return;
  }
  const shown = { ...facts, ...(times > 1 && { times }) };
  if (error !== undefined) log.error('reconcile failed', { ...shown, error });
  else if (bug !== undefined) log.error('reconcile met a bug', { ...shown, error: bug });
  // As far as this program can tell, the failure is not its own, so it logs only the message on the object.
  else log.warn('reconcile failed', { ...shown, error: { message: failure } });
}
