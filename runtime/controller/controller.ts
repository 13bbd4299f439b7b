/*
 *   triggers.ts ──key, because──▶ work-queue.ts ──one run at a time per key──▶ reconcile ──▶ outcome: log,
 *                                     ▲                                            │            metrics
 *                                     └───── done, after, requeue, conflict ───────┘
 */

import { defer, merge, Observable, retry, timer } from 'rxjs';
import { apiErrorIn, isConflict, isInterrupted, messageOf } from '../client/errors.ts';
import { bugIn } from '../log/bug.ts';
import type { Logger } from '../log/log.ts';
import { createBackoff } from '../time/backoff.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import { randomUuid } from '../time/random.ts';
import type { ControllerSpec } from './controller-spec.ts';
import type { KnownFailures } from './known-failures.ts';
import { createKnownFailures, textOfBug } from './known-failures.ts';
import type { Reconciler, Request, Result } from './reconcile.ts';
import type { Delays, Next, Run, Wake, WorkQueueObserver } from './work-queue.ts';
import { workQueue } from './work-queue.ts';

/** How one run ended. */
export interface Outcome {
  readonly controller: string;
  readonly request: Request;
  /** What asked for it, each once: the sentences of triggers, or why it came back by itself. */
  readonly because: readonly string[];
  /** The decision that it took, if it said so. */
  readonly decision?: string;
  readonly result: 'success' | 'error' | 'requeue' | 'requeue_after' | 'conflict' | 'interrupted';
  readonly durationMs: number;
  /** After how many milliseconds its key comes back by itself, if nothing wakes it before; absent: it does not. */
  readonly againInMs?: number;
  /** The run was told to stop because it took longer than allowed. */
  readonly isTimedOut: boolean;
  /** What a run with result `error`, `conflict` or `interrupted` threw. */
  readonly error?: unknown;
  /** What one with result `error` says on the object. */
  readonly failure?: string;
  /** A programming error that it met, whether it threw that or not. */
  readonly bug?: Error;
}

export interface ControllerOptions extends ControllerSpec {
  /** Runs at a time. */
  readonly concurrency: number;
  /** After an error or `requeue`; default 5 ms to 30 s. */
  readonly backoff?: Delays;
  /** After this long a run's signal aborts; milliseconds, default 90 000. */
  readonly timeoutMs?: number;
  readonly log: Logger;
  readonly clock: Clock;
  /** Names each run in the log. */
  readonly random: Random;
  /** Once it emits: no new run starts, the running ones end in their own time, and the outcomes complete. */
  readonly drain$?: Observable<unknown>;
  readonly observer?: WorkQueueObserver;
}

/**
 * Joins triggers, a work queue and a reconciler; runs while subscribed to. Emits the outcome of every run, logs
 * each failure once and puts its key back: nothing a reconciler throws ends the stream. A trigger that fails is
 * logged and subscribed to again. Completes only through `drain$`; unsubscribing aborts running reconciles at
 * once. A run past its time is told to stop through its signal; its key and its worker stay taken until it
 * does, so that no key ever runs twice at a time.
 */
export function controller(options: ControllerOptions): Observable<Outcome> {
  const { name, triggers, reconcile, about = () => ({}), timeoutMs = 90_000, clock, random } = options;
  const { concurrency, backoff, drain$, observer, stageOf } = options;
  const kind = options.objects?.kind.kind;
  const log = options.log.child({ controller: name, ...(kind !== undefined && { kind }) });
  const failures = createKnownFailures(clock);
  const run = (request: Request, because: readonly string[]): Observable<Run<Outcome>> => {
    const reconcileID = randomUuid(random);
    const ofRun = log.child(() => ({ ...about(request), ...request, reconcileID, because }));
    return runOnce({ name, reconcile, timeoutMs, log: ofRun, clock, because, failures }, request);
  };

  return defer(() => merge(...triggers.map(({ wakes$ }) => sturdy(wakes$, { log, clock })))).pipe(
    workQueue(run, {
      concurrency,
      clock,
      comingBack: (outcome, againInMs) => ({ ...outcome, againInMs }),
      ...(backoff && { backoff }),
      ...(drain$ && { drain$ }),
      ...(observer && { observer }),
      ...(stageOf && { stageOf }),
    }),
  );
}

/** A trigger that survives a fault of its mapping; the store replays what it holds to the next subscriber. */
const sturdy = (
  trigger$: Observable<Wake>,
  { log, clock }: Pick<RunOptions, 'log' | 'clock'>,
): Observable<Wake> =>
  defer(() => {
    const repairs = createBackoff(clock, { baseMs: 1000, maxMs: 60_000, resetAfterMs: 120_000 });
    return trigger$.pipe(
      retry({
        delay(error: unknown) {
          log.error('trigger failed, subscribing to it again', { error });
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
}

/** One run as a stream of one value, never an error. Unsubscribing aborts it. */
function runOnce(options: RunOptions, request: Request): Observable<Run<Outcome>> {
  const { name, reconcile, timeoutMs, log, clock, because, failures } = options;
  return new Observable((subscriber) => {
    const abort = new AbortController();
    const startedAtMs = clock.elapsedMs();
    let isTimedOut = false;
    let isEnded = false;

    const deadline = clock.scheduler.schedule(() => {
      isTimedOut = true;
      log.warn('reconcile takes too long, aborting it', { timeoutMs });
      abort.abort(new Error(`reconcile took longer than ${timeoutMs / 1000} s`));
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
      if (subscriber.closed) return; // what an aborted run leads to is no news
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
      report(log, outcome, failures);
      subscriber.next({ value: outcome, next });
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
        ? new Error(`reconcile took longer than ${timeoutMs / 1000} s: ${messageOf(thrown)}`, {
            cause: thrown,
          })
        : (thrown ?? new Error('the reconciler threw nothing'));
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

/** What is said of a run that nobody has failed in. */
const silences = {
  conflict: 'object changed since it was read, trying again',
  interrupted: 'the leadership was interrupted, trying again',
} as const;

/** Reconcilers of other authors may be plain JavaScript, and a delay that is no number would be none. */
const isResult = (result: Result | undefined): result is Result =>
  Object.hasOwn(resultNames, result?.type ?? '') &&
  (result?.type !== 'after' || Number.isFinite(result.delayMs));

/**
 * Tells how a run went: what it did it has told itself, so that one which went well is for level debug. What fails is told
 * once, again when it fails otherwise, and at growing intervals while it stays as it is, with how often that was.
 */
function report(log: Logger, outcome: Outcome, failures: KnownFailures): void {
  const { request, decision, result, durationMs, error, failure, bug } = outcome;
  const facts = { ...(decision !== undefined && { decision }), durationMs: Math.round(durationMs), result };
  if (result === 'conflict' || result === 'interrupted') {
    log.debug(silences[result], facts);
    return;
  }
  const what =
    bug === undefined ? (failure ?? (error === undefined ? undefined : messageOf(error))) : textOfBug(bug);
  if (what === undefined) {
    failures.over(request);
    log.debug('reconciled', facts);
    return;
  }
  const times = failures.met(request, what);
  if (times === undefined) {
    log.debug('reconcile failed as before', facts);
    return;
  }
  const told = { ...facts, ...(times > 1 && { times }) };
  if (error !== undefined) log.error('reconcile failed', { ...told, error });
  else if (bug !== undefined) log.error('reconcile met a bug', { ...told, error: bug });
  // Nobody's mistake here, as far as we know: what the object says of it is all there is to say.
  else log.warn('reconcile failed', { ...told, error: { message: failure } });
}
