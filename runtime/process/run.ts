/*
 *   informers ──▶ every store is synced ──▶ leader-election.ts: leading ──▶ controllers ──▶ outcomes
 *                                                                              ▲
 *   stop$ ──▶ drain: running reconciles may end, nothing new begins ───────────┘
 */

import type { Observable } from 'rxjs';
import {
  defer,
  delay,
  EMPTY,
  filter,
  from,
  ignoreElements,
  interval,
  merge,
  mergeMap,
  Subject,
  share,
  switchMap,
  takeUntil,
  tap,
} from 'rxjs';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Informers } from '../cache/informers.ts';
import type { Outcome } from '../controller/controller.ts';
import { controller } from '../controller/controller.ts';
import type { ControllerSpec } from '../controller/controller-spec.ts';
import type { Request } from '../controller/reconcile.ts';
import type { WorkQueueObserver } from '../controller/work-queue.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import type { LeaderElection } from './leader-election.ts';

export interface RunOptions {
  readonly informers: Pick<Informers, 'run$' | 'synced' | 'states'>;
  readonly controllers: readonly ControllerSpec[];
  /** What else runs as long as the controllers do: the event recorder, servers. */
  readonly background: readonly Observable<unknown>[];
  /** Runs at a time, per controller. */
  readonly concurrency: number;
  /** How often every object is reconciled, whatever happens, in ms. */
  readonly syncPeriodMs: number;
  /** Controllers run only while it leads; absent: at once. */
  readonly election?: Pick<LeaderElection, 'leadership$'>;
  /** Its first value begins the drain. */
  readonly stop$: Observable<unknown>;
  /** How long running reconciles may take to finish, in ms. */
  readonly drainTimeoutMs: number;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly observe?: (controller: string) => WorkQueueObserver;
}

/** Why an object is reconciled without an event: its sync period is over. */
export const looksAgain = 'its sync period is over';

/** The lease went to another process: this one must end at once. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
}

/**
 * Runs informers, and controllers once every store holds a complete list and, where asked for, the lease is
 * held. Emits the outcome of every reconcile. Completes when `stop$` has emitted and every running reconcile
 * has ended or its time is up. Errors only with LeadershipLost or an error of the background.
 */
export function run(options: RunOptions): Observable<Outcome> {
  const { informers, controllers, background, election, drainTimeoutMs, log, clock } = options;
  return defer(() => {
    const drain$ = options.stop$.pipe(share());
    const ended$ = new Subject<void>();

    const controllers$ = merge(
      ...controllers.map((spec) => {
        const resync$ = periodically(options, spec);
        const observer = options.observe?.(spec.name);
        return controller({
          ...spec,
          triggers: [...spec.triggers, { because: looksAgain, requests$: resync$ }],
          concurrency: options.concurrency,
          log,
          clock,
          random: options.random,
          drain$,
          ...(observer && { observer }),
        });
      }),
    ).pipe(takeUntil(drain$.pipe(delay(drainTimeoutMs, clock.scheduler))));

    const work$ = synced(options).pipe(
      takeUntil(drain$),
      switchMap(() => (election === undefined ? controllers$ : whileLeading(election, controllers$, drain$))),
      tap({ complete: () => ended$.next() }),
    );
    const others$ = merge(informers.run$, ...background).pipe(ignoreElements(), takeUntil(ended$));
    return merge(others$, work$);
  });
}

/** Runs `work$` under the lease, which is kept until the work has been drained. */
function whileLeading<T>(
  { leadership$ }: Pick<LeaderElection, 'leadership$'>,
  work$: Observable<T>,
  drain$: Observable<unknown>,
): Observable<T> {
  return defer(() => {
    const finished$ = new Subject<void>();
    let isLeading = false;
    return leadership$.pipe(
      switchMap((state) => {
        if (state === 'lost') throw new LeadershipLost('another process holds the lease now');
        isLeading = true;
        return work$.pipe(tap({ complete: () => finished$.next() }));
      }),
      takeUntil(merge(finished$, drain$.pipe(filter(() => !isLeading)))),
    );
  });
}

/** Emits once every store is synced; says what is missing while that takes long. */
function synced({ informers, log, clock }: RunOptions): Observable<void> {
  return defer(() => {
    const abort = new AbortController();
    const missing = () => informers.states().flatMap(({ kind, isSynced }) => (isSynced ? [] : [kind]));
    const complain$ = interval(10_000, clock.scheduler).pipe(
      tap(() => {
        log.warn('still waiting for the API server to list these kinds; are their definitions installed?', {
          kinds: missing(),
        });
      }),
      ignoreElements(),
    );
    const synced$ = from(informers.synced(abort.signal)).pipe(share());
    return merge(synced$, complain$.pipe(takeUntil(synced$))).pipe(
      tap({
        next: () => log.info('stores are synced', { kinds: informers.states().length }),
        unsubscribe: () => abort.abort(),
      }),
    );
  });
}

/**
 * A period of its own for each controller, shorter by up to a tenth, so that they do not all wake together, and that what
 * stands still says why before its Event of an hour ago is forgotten.
 */
const periodically = (
  { syncPeriodMs, clock, random }: Pick<RunOptions, 'syncPeriodMs' | 'clock' | 'random'>,
  { objects }: ControllerSpec,
): Observable<Request> =>
  objects === undefined
    ? EMPTY
    : defer(() => interval(Math.round(syncPeriodMs * (1 - random() / 10)), clock.scheduler)).pipe(
        mergeMap(() => objects.all().map(({ metadata }) => objectKey(metadata))),
      );
