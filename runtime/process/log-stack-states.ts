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

export interface LogStackStatesOptions {
  readonly informers: Pick<Informers, 'states'>;
  /** The states of the informers, each time one has become synced, missing or served again. */
  readonly states$: Observable<readonly InformerState[]>;
  readonly controllers: readonly ControllerSpec[];
  readonly log: Logger;
  readonly clock: Pick<Clock, 'scheduler'>;
}

/** How often lists that have not ended are logged. */
const everyMs = 10_000;
/** The kinds of a stack are found missing one after the other: wait this long to log them together. */
const togetherMs = 6_000;

/**
 * Logs what stacks wait for, and when they have it: each state once, when it changes. Never emits, completes or errors.
 */
export function logStackStates({
  informers,
  states$,
  controllers,
  log,
  clock,
}: LogStackStatesOptions): Observable<never> {
  return defer(() => {
    /** The missing kinds that were last logged, by stack. */
    const logged = new Map<string, readonly string[]>();
    let loggedAwaited: readonly string[] = [];

    const logStack = ({ name: stack, isComplete, missing: kinds }: StackState): void => {
      // Kinds that are served and not listed yet are no news.
      if (isEqual(logged.get(stack) ?? [], kinds) || (kinds.length === 0 && !isComplete)) return;
      logged.set(stack, kinds);
      if (kinds.length === 0) log.info('the API server has all kinds of this stack', { stack });
      else if (isComplete) {
        log.warn(
          `the API server no longer has these kinds; the stack works with the objects read before: ${installAdvice}`,
          { stack, kinds },
        );
      } else {
        log.warn(`this stack waits: the API server does not have these kinds of it: ${installAdvice}`, {
          stack,
          kinds,
        });
      }
    };
    const mayBeNews = (states: readonly InformerState[]): boolean =>
      logged.size > 0 ||
      (states.some(({ isMissing }) => isMissing) &&
        stackStates(controllers, states).some(({ missing }) => missing.length > 0));

    const logAwaited = (): void => {
      const awaited = informers
        .states()
        .flatMap(({ kind, isSynced, isMissing }) => (isSynced || isMissing ? [] : [kind]));
      if (awaited.length === 0 || isEqual(awaited, loggedAwaited)) return;
      loggedAwaited = awaited;
      log.warn(
        'still waiting for the API server to list these kinds; check that it answers, and that this process may list them',
        {
          kinds: awaited,
        },
      );
    };

    const current$ = defer(() => states$.pipe(startWith(informers.states())));
    const areSynced$ = current$.pipe(
      filter((states) => states.every(({ isSynced }) => isSynced)),
      take(1),
    );
    return merge(
      areSynced$.pipe(tap(() => log.info('stores are synced', { kinds: informers.states().length }))),
      current$.pipe(
        filter(mayBeNews),
        debounceTime(togetherMs, clock.scheduler),
        tap(() => {
          for (const state of stackStates(controllers, informers.states())) logStack(state);
        }),
      ),
      interval(everyMs, clock.scheduler).pipe(takeUntil(areSynced$), tap(logAwaited)),
    ).pipe(ignoreElements());
  });
}
