import { constants } from 'node:os';
import type { Observable } from 'rxjs';
import { defer, ignoreElements, merge, share, shareReplay, skip, take, tap } from 'rxjs';
import type { Logger } from '../runtime/log/log.ts';
import type { LeaderElection } from '../runtime/process/leader-election.ts';
import { closedOutputs, stopSignals } from '../runtime/process/shutdown.ts';
import type { Clock } from '../runtime/time/clock.ts';
import { deadlineAfter } from '../runtime/time/deadline.ts';
import type { Composition } from './composition.ts';

/** How long the last requests may take after the drain. */
const farewellMs = 3_000;
/** The part of it for the remaining Events. */
const flushMs = 1_000;

/** The first signal stops the process, the second ends it at once. If nothing reads its output any more, it stops, too. */
export function stops(log: Logger): {
  readonly stop$: Observable<unknown>;
  /** Keeps the subscription to closed outputs during the drain, so that its lines of the log do not throw. */
  readonly secondSignal$: Observable<unknown>;
} {
  const signals$ = stopSignals().pipe(share());
  const closed$ = closedOutputs().pipe(share());
  return {
    stop$: merge(signals$, closed$).pipe(
      take(1),
      tap((signal) => log.info('stopping: running reconciles may finish', { signal })),
      shareReplay(1),
    ),
    secondSignal$: merge(signals$.pipe(skip(1)), closed$.pipe(ignoreElements())).pipe(
      tap((signal) => process.exit(128 + constants.signals[signal])),
    ),
  };
}

/** The last requests of the process: it sends the remaining Events and releases the Lease. */
export function farewell({
  events,
  election,
  http,
  clock,
}: Pick<Composition, 'events'> & {
  readonly election: LeaderElection | undefined;
  readonly http: { close(): Promise<void> };
  readonly clock: Clock;
}): Observable<void> {
  return defer(async () => {
    const { signal } = deadlineAfter(clock, farewellMs, {
      reason: () => new Error('the last requests of the process took too long'),
    });
    // Events are sent while the Lease is still held, but only for a short time, because a standby waits for the Lease.
    const flushing = deadlineAfter(clock, flushMs, {
      reason: () => new Error('the remaining Events took too long to send'),
      outer: signal,
    });
    await events.flush(flushing.signal);
    flushing.cancel();
    await election?.release(signal);
    await http.close();
  });
}
