/*
 *   informers ──▶ the stores of a stack are complete ──▶ leader-election.ts: leading ──▶ its controllers ──▶ outcomes
 *                                                                                           ▲
 *   stop$ ──▶ drain: running reconciles may end, nothing new begins ────────────────────────┘
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
import type { Outcome } from '../controller/controller.ts';
import { controller } from '../controller/controller.ts';
import type { ControllerSpec } from '../controller/controller-spec.ts';
import type { Request } from '../controller/reconcile.ts';
import type { StackNeeds } from '../controller/stack-needs.ts';
import { stackState } from '../controller/stack-needs.ts';
import { triggerBy } from '../controller/triggers.ts';
import type { WorkQueueObserver } from '../controller/work-queue.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import type { LeaderElection } from './leader-election.ts';
import { tellingStacks } from './telling-stacks.ts';

export interface RunOptions {
  readonly informers: Pick<Informers, 'run$' | 'told$' | 'states'>;
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
 * Runs informers, and the controllers of each stack once its stores hold complete lists and, where asked for, the lease is
 * held: a kind that the API server does not have keeps its own stack waiting, and no other (docs/decisions/0033). The lease
 * is asked for when the first stack may run. Emits the outcome of every reconcile. Completes when `stop$` has emitted and
 * every running reconcile has ended or its time is up. Errors only with LeadershipLost, LeaseNamespaceMissing or an error
 * of the background.
 */
export function run(options: RunOptions): Observable<Outcome> {
  const { informers, background, election, drainTimeoutMs, log, clock } = options;
  return defer(() => {
    const drain$ = options.stop$.pipe(share());
    // Each kind tells, and every stack asks about all kinds: they are looked at once.
    const states$ = informers.told$.pipe(map(informers.states), share());
    const ended$ = new Subject<void>();

    const running = (spec: ControllerSpec): Observable<Outcome> => {
      const resync$ = periodically(options, spec);
      const observer = options.observe?.(spec.name);
      return controller({
        ...spec,
        triggers: [...spec.triggers, triggerBy(looksAgain, resync$, 'sync period')],
        concurrency: options.concurrency,
        log,
        clock,
        random: options.random,
        drain$,
        ...(observer && { observer }),
      });
    };
    const stacks = [...Map.groupBy(options.controllers, ({ stack }) => stack)].map(([needs, specs]) => ({
      complete$: whenComplete(needs, informers.states, states$).pipe(takeUntil(drain$)),
      controllers$: merge(...specs.map(running)),
    }));
    const controllers$ = merge(
      ...stacks.map(({ complete$, controllers$ }) => complete$.pipe(switchMap(() => controllers$))),
    ).pipe(takeUntil(drain$.pipe(delay(drainTimeoutMs, clock.scheduler))));

    const work$ = merge(...stacks.map(({ complete$ }) => complete$)).pipe(
      take(1),
      switchMap(() => (election === undefined ? controllers$ : whileLeading(election, controllers$, drain$))),
      tap({ complete: () => ended$.next() }),
    );
    const others$ = merge(informers.run$, tellingStacks({ ...options, states$ }), ...background).pipe(
      ignoreElements(),
      takeUntil(ended$),
    );
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

/** Emits once what a stack needs is there, and completes; without needs: every kind that was asked for. */
function whenComplete(
  needs: StackNeeds | undefined,
  statesNow: Informers['states'],
  states$: Observable<readonly InformerState[]>,
): Observable<void> {
  const isComplete = (states: readonly InformerState[]): boolean =>
    needs === undefined ? states.every(({ isSynced }) => isSynced) : stackState(needs, states).isComplete;
  return defer(() => {
    if (isComplete(statesNow())) return of(undefined);
    // Whoever tells of it is in the middle of a list: it is ended first.
    return states$.pipe(
      filter(isComplete),
      take(1),
      switchMap(() => Promise.resolve()),
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
