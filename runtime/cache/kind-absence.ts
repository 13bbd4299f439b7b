import type { Observable } from 'rxjs';
import { catchError, EMPTY, exhaustMap, ignoreElements, Subject, tap } from 'rxjs';
import { abortable } from '../abortable.ts';
import type { Clock } from '../time/clock.ts';
import type { StreamState } from './watch.ts';

export interface KindAbsenceOptions {
  /** Asks the API server whether it serves the kind, by its own lists of what there is. */
  readonly isServed: (signal: AbortSignal) => Promise<boolean>;
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** For how long every attempt must have been answered with 404 before it is asked; milliseconds. */
  readonly afterMs: number;
  /** Told of each change of `isMissing`. */
  readonly onChange: () => void;
}

/** Whether there is no such kind in the API server. */
export interface KindAbsence {
  readonly isMissing: boolean;
  /** Takes each state of the kind's watch stream. */
  heed(state: StreamState): void;
  /** Asks the API server when it is time. Runs as long as the stream does; never emits, completes or errors. */
  readonly run$: Observable<never>;
}

/**
 * A kind is missing when the API server has answered each attempt with 404 for a while, and then says in its own lists that
 * it does not serve it. Neither alone is believed: a page that is not found may be a proxy's, and a server that has just
 * started does not know all of its kinds yet. A list or watch that is accepted ends it.
 */
export function kindAbsence({ isServed, clock, afterMs, onChange }: KindAbsenceOptions): KindAbsence {
  const due$ = new Subject<void>();
  let isMissing = false;
  /** When the first of the attempts was that have all been answered with 404 since. */
  let sinceMs: number | undefined;

  const become = (is: boolean): void => {
    if (isMissing === is) return;
    isMissing = is;
    onChange();
  };

  const ask$ = abortable(isServed).pipe(
    tap((is) => {
      if (is) sinceMs = undefined;
      else if (sinceMs !== undefined) become(true);
    }),
    catchError(() => EMPTY), // after the next attempt it is asked again
  );

  return {
    get isMissing() {
      return isMissing;
    },
    heed(state) {
      // An attempt says nothing until it is answered.
      if (state.phase === 'listing') return;
      if (state.phase !== 'waiting' || state.code !== 404) sinceMs = undefined;
      if (state.phase === 'watching') become(false);
      if (state.phase !== 'waiting' || state.code !== 404) return;
      sinceMs ??= clock.elapsedMs();
      if (!isMissing && clock.elapsedMs() - sinceMs >= afterMs) due$.next();
    },
    run$: due$.pipe(
      exhaustMap(() => ask$),
      ignoreElements(),
    ),
  };
}
