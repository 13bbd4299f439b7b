import type { Observable } from 'rxjs';
import { catchError, EMPTY, exhaustMap, ignoreElements, Subject, tap } from 'rxjs';
import { abortable } from '../abortable.ts';
import type { Clock } from '../time/clock.ts';
import type { StreamState } from './watch-session.ts';

export interface KindAbsenceOptions {
  /** Asks the API server's discovery lists whether it serves the kind. */
  readonly isServed: (signal: AbortSignal) => Promise<boolean>;
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** For how long every attempt must have been answered with 404 before the API server is asked; milliseconds. */
  readonly afterMs: number;
  /** Called at each change of `isMissing`. */
  readonly onChange: () => void;
}

/** Whether the API server does not have the kind. */
export interface KindAbsence {
  readonly isMissing: boolean;
  /** Receives each state of the kind's watch stream. */
  observe(state: StreamState): void;
  /** Asks the API server when needed, as long as the stream runs. Never emits, completes or errors. */
  readonly run$: Observable<never>;
}

/**
 * A kind is missing when the API server has answered every attempt with 404 for a while and then does not name the kind in
 * its discovery lists. One of the two is not enough: a 404 may come from a proxy, and a server that has just started does
 * not know all of its kinds yet. A list or watch that succeeds ends the absence.
 */
export function kindAbsence({ isServed, clock, afterMs, onChange }: KindAbsenceOptions): KindAbsence {
  const due$ = new Subject<void>();
  let isMissing = false;
  /** When the current series of 404 answers began. */
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
    catchError(() => EMPTY), // the next attempt asks again
  );

  return {
    get isMissing() {
      return isMissing;
    },
    observe(state) {
      // The phase `listing` has no answer yet.
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
