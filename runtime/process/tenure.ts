import { leaseExpired } from '../client/errors.ts';
import type { Clock } from '../time/clock.ts';

export interface TenureOptions {
  /** How long other processes wait after the Lease was last renewed before they take over; default 15 000. */
  readonly leaseDurationMs?: number;
  /** After this long without a renewal a leader stops, well before another process takes over; default 10 000. */
  readonly renewDeadlineMs?: number;
  readonly clock: Pick<Clock, 'elapsedMs'>;
}

/** How long this process may act as the leader. The election renews it, and each action of a leader checks it. */
export interface Tenure {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  /**
   * The milliseconds that a call which starts now may take; after that another process may lead. Infinity if this process
   * has not led yet. Throws `leaseExpired` if the Lease was not renewed within the renew deadline, because another
   * process may lead. A process that was suspended learns it here. Call it right before each action that only the leader
   * may take.
   */
  check(): number;
  /** The milliseconds since the Lease was last renewed; undefined: this process has not led. */
  sinceMs(): number | undefined;
  /** A request to renew the Lease, which began at this elapsed time, has succeeded. */
  renewed(atMs: number): void;
  /** The Lease is released. */
  end(): void;
}

export function createTenure(options: TenureOptions): Tenure {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, clock } = options;
  let renewedMs: number | undefined;
  let isOver = false;
  const sinceMs = (): number | undefined =>
    renewedMs === undefined ? undefined : clock.elapsedMs() - renewedMs;
  return {
    leaseDurationMs,
    renewDeadlineMs,
    check() {
      const ageMs = sinceMs();
      if (!isOver && ageMs === undefined) return Number.POSITIVE_INFINITY;
      if (!isOver && ageMs !== undefined && ageMs < renewDeadlineMs) return leaseDurationMs - ageMs;
      const why = isOver ? 'the Lease was released' : 'the Lease was not renewed in time';
      throw leaseExpired(`${why}: another process may lead`);
    },
    sinceMs,
    renewed(atMs) {
      renewedMs = atMs;
    },
    end() {
      isOver = true;
    },
  };
}
