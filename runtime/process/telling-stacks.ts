import isEqual from 'lodash/isEqual.js';
import type { Observable } from 'rxjs';
import {
  debounceTime,
  defer,
  filter,
  ignoreElements,
  interval,
  merge,
  startWith,
  take,
  takeUntil,
  tap,
} from 'rxjs';
import type { InformerState } from '../cache/informer-state.ts';
import type { Informers } from '../cache/informers.ts';
import type { ControllerSpec } from '../controller/controller-spec.ts';
import type { StackState } from '../controller/stack-needs.ts';
import { installAdvice, stackStates } from '../controller/stack-needs.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';

export interface TellingStacksOptions {
  readonly informers: Pick<Informers, 'states'>;
  /** Their states, whenever one has become synced or missing, or is there again. */
  readonly states$: Observable<readonly InformerState[]>;
  readonly controllers: readonly ControllerSpec[];
  readonly log: Logger;
  readonly clock: Pick<Clock, 'scheduler'>;
}

/** So often it is looked whether a list takes long. */
const everyMs = 10_000;
/** Kinds of one stack are not found one after the other: they are told of together. */
const togetherMs = 6_000;

/**
 * Logs what stacks wait for, and when they wait no longer: each thing once, when it changes. Never emits, completes or
 * errors.
 */
export function tellingStacks({
  informers,
  states$,
  controllers,
  log,
  clock,
}: TellingStacksOptions): Observable<never> {
  return defer(() => {
    /** By stack, the kinds that were told of last. */
    const told = new Map<string, readonly string[]>();
    let toldAwaited: readonly string[] = [];

    const tellStack = ({ name: stack, isComplete, missing: kinds }: StackState): void => {
      // What is there and not yet listed is no news.
      if (isEqual(told.get(stack) ?? [], kinds) || (kinds.length === 0 && !isComplete)) return;
      told.set(stack, kinds);
      if (kinds.length === 0) log.info('the API server has all kinds of this stack', { stack });
      else if (isComplete) {
        log.warn(
          `the API server has these kinds of a stack no more; what is known of them is kept; ${installAdvice}`,
          {
            stack,
            kinds,
          },
        );
      } else {
        log.warn(
          `this stack waits, the others work: the API server does not have these kinds of it; ${installAdvice}`,
          {
            stack,
            kinds,
          },
        );
      }
    };
    const isWorthTelling = (states: readonly InformerState[]): boolean =>
      told.size > 0 ||
      (states.some(({ isMissing }) => isMissing) &&
        stackStates(controllers, states).some(({ missing }) => missing.length > 0));

    const tellAwaited = (): void => {
      const awaited = informers
        .states()
        .flatMap(({ kind, isSynced, isMissing }) => (isSynced || isMissing ? [] : [kind]));
      if (awaited.length === 0 || isEqual(awaited, toldAwaited)) return;
      toldAwaited = awaited;
      log.warn('still waiting for the API server to list these kinds; are their definitions installed?', {
        kinds: awaited,
      });
    };

    const told$ = defer(() => states$.pipe(startWith(informers.states())));
    const areSynced$ = told$.pipe(
      filter((states) => states.every(({ isSynced }) => isSynced)),
      take(1),
    );
    return merge(
      areSynced$.pipe(tap(() => log.info('stores are synced', { kinds: informers.states().length }))),
      told$.pipe(
        filter(isWorthTelling),
        debounceTime(togetherMs, clock.scheduler),
        tap(() => {
          for (const state of stackStates(controllers, informers.states())) tellStack(state);
        }),
      ),
      interval(everyMs, clock.scheduler).pipe(takeUntil(areSynced$), tap(tellAwaited)),
    ).pipe(ignoreElements());
  });
}
