/*
 *   informers ──▶ the stores of a stack are complete ──▶ leader-election.ts: leading ──▶ its controllers ──▶ outcomes
 *                                                                                           ▲
 *   stop$ ──▶ drain: running reconciles may finish, no new one starts ──────────────────────┘
 */

import type { Observable } from 'rxjs';
import {
  defer,
  delay,
  EMPTY,
  filter,
  ignoreElements,
  interval,
  map,
  merge,
  mergeMap,
  of,
  Subject,
  share,
  switchMap,
  take,
  takeUntil,
  tap,
} from 'rxjs';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { InformerState } from '../cache/informer-state.ts';
import type { Informers } from '../cache/informers.ts';
import { createKnownCauses } from '../client/errors.ts';
import type { Backlog } from '../controller/backlog.ts';
import type { Outcome } from '../controller/controller.ts';
import { controller } from '../controller/controller.ts';
import type { ControllerSpec } from '../controller/controller-spec.ts';
import type { Request } from '../controller/reconcile.ts';
import type { ControllerNeeds } from '../controller/stack-needs.ts';
import { mayStart } from '../controller/stack-needs.ts';
import { triggerBy } from '../controller/triggers.ts';
import type { WorkQueueObserver } from '../controller/work-queue.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import type { LeaderElection } from './leader-election.ts';
import { logStackStates } from './log-stack-states.ts';

export interface RunOptions {
  readonly informers: Pick<Informers, 'run$' | 'stateChange$' | 'states'>;
  readonly controllers: readonly ControllerSpec[];
  /** Streams that run as long as the controllers do: the event recorder, servers. */
  readonly background: readonly Observable<unknown>[];
  /** Runs at a time, per controller, unless its `mostWorkers` are fewer. */
  readonly concurrency: number;
  /** How often every object is reconciled without an event, in ms. */
  readonly syncPeriodMs: number;
  /** Controllers run only while this process leads; absent: at once. */
  readonly election?: Pick<LeaderElection, 'leadership$'>;
  /** Its first value starts the drain. */
  readonly stop$: Observable<unknown>;
  /** How long running reconciles may take to finish after `stop$`, in ms. */
  readonly drainTimeoutMs: number;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Counts the keys that wait. */
  readonly backlog: Backlog;
  /** `concurrency`: the runs at a time of this controller. */
  readonly observe?: (controller: string, concurrency: number) => WorkQueueObserver;
}

/** The reason for a reconcile without an event: the sync period of the object is over. */
export const syncPeriodOver = 'its sync period is over';

/** This process does not hold the Lease for certain: it must end at once. The leader election has logged why. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
}

/**
 * Runs the informers, and each controller when the stores that it needs hold complete lists and, with an election, this
 * process leads. A kind that the API server does not have delays its own stack only (docs/decisions/0033). The election
 * starts when the first controller may start. Emits the outcome of every reconcile. Completes after `stop$`, when every
 * running reconcile has ended or the drain timeout is over. Errors only with LeadershipLost, LeaseNamespaceMissing or an
 * error of a background stream.
 */
export function run(options: RunOptions): Observable<Outcome> {
  const { informers, background, election, drainTimeoutMs, log, clock } = options;
  return defer(() => {
    const drain$ = options.stop$.pipe(share());
    // Every controller needs the states of all kinds: they are read once per change.
    const states$ = informers.stateChange$.pipe(map(informers.states), share());
    const ended$ = new Subject<void>();
    const causes = createKnownCauses(clock);

    const running = (spec: ControllerSpec): Observable<Outcome> => {
      const resync$ = periodically(options, spec);
      const concurrency = Math.min(options.concurrency, spec.mostWorkers ?? options.concurrency);
      const observer = options.backlog.observing(options.observe?.(spec.name, concurrency));
      return controller({
        ...spec,
        triggers: [...spec.triggers, triggerBy(syncPeriodOver, resync$, 'sync period')],
        concurrency,
        log,
        clock,
        random: options.random,
        drain$,
        causes,
        observer,
      });
    };
    const groups = [...Map.groupBy(options.controllers, ({ needs }) => needs)].map(([needs, specs]) => ({
      mayStart$: whenListed(needs, informers.states, states$).pipe(takeUntil(drain$)),
      outcomes$: merge(...specs.map(running)),
    }));
    const controllers$ = merge(
      ...groups.map(({ mayStart$, outcomes$ }) => mayStart$.pipe(switchMap(() => outcomes$))),
    ).pipe(takeUntil(drain$.pipe(delay(drainTimeoutMs, clock.scheduler))));

    const work$ = merge(...groups.map(({ mayStart$ }) => mayStart$)).pipe(
      take(1),
      switchMap(() => (election === undefined ? controllers$ : whileLeading(election, controllers$, drain$))),
      tap({ complete: () => ended$.next() }),
    );
    const others$ = merge(informers.run$, logStackStates({ ...options, states$ }), ...background).pipe(
      ignoreElements(),
      takeUntil(ended$),
    );
    return merge(others$, work$);
  });
}

/** Runs `work$` while this process leads. The Lease is held until the work has been drained. */
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
        if (state === 'lost') throw new LeadershipLost('this process no longer leads');
        isLeading = true;
        return work$.pipe(tap({ complete: () => finished$.next() }));
      }),
      takeUntil(merge(finished$, drain$.pipe(filter(() => !isLeading)))),
    );
  });
}

/** Emits once when controllers with these needs may start, and completes. Without needs: when every kind is listed. */
function whenListed(
  needs: ControllerNeeds | undefined,
  statesNow: Informers['states'],
  states$: Observable<readonly InformerState[]>,
): Observable<void> {
  const isListed = (states: readonly InformerState[]): boolean =>
    needs === undefined ? states.every(({ isSynced }) => isSynced) : mayStart(needs, states);
  return defer(() => {
    if (isListed(statesNow())) return of(undefined);
    // The state changes in the middle of a list event: let that event end first.
    return states$.pipe(
      filter(isListed),
      take(1),
      switchMap(() => Promise.resolve()),
    );
  });
}

/**
 * A period for each controller, shorter by up to a tenth, so that the controllers do not all start together. A condition
 * that lasts is then recorded as an Event again before the API server deletes the Event, after an hour.
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
