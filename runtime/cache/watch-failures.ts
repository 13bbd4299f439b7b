import type { KnownCauses } from '../client/errors.ts';
import {
  apiErrorIn,
  causeOf,
  createKnownCauses,
  isExpired,
  isOutage,
  outdatedCode,
} from '../client/errors.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';

export interface WatchFailuresOptions {
  readonly log: Logger;
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** The known causes of all streams. */
  readonly causes: KnownCauses;
  /** Logged with each failure: the kind and the namespace. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Logs the failures of one watch stream, each cause once. */
export interface WatchFailures {
  met(error: unknown, delayMs: number): void;
  /** A request succeeded: each cause is news again. */
  over(): void;
}

export function createWatchFailures({ log, clock, causes, facts }: WatchFailuresOptions): WatchFailures {
  const ownCauses = createKnownCauses(clock);

  /**
   * Whether the cause of a failure was not logged yet. An outage concerns all kinds, and one stream logs it. If that
   * stream recovers and this one does not, this stream logs the cause.
   */
  const isNews = (error: unknown): boolean => {
    const { code = 0 } = apiErrorIn(error) ?? {};
    const isShared = isOutage(error) || code === 429 || code >= 500;
    const cause = causeOf(error);
    const isOwn = ownCauses.has(cause);
    const isKnown = isOwn || (isShared && causes.has(cause));
    if (isOwn || !isKnown) ownCauses.add(cause);
    if (isShared) causes.add(cause);
    return !isKnown;
  };

  return {
    met(error, delayMs) {
      const { code = 0 } = apiErrorIn(error) ?? {};
      const level = isNews(error) && !isExpired(error) ? 'warn' : 'debug';
      log[level](advice(code, isExpired(error)), { ...facts, error, delayMs: Math.round(delayMs) });
    },
    over() {
      ownCauses.clear();
      causes.clear();
    },
  };
}

/** The log message for a failure. */
function advice(code: number, isTooOld: boolean): string {
  if (isTooOld) return 'the watch is too far behind: listing again';
  switch (code) {
    case 403:
      return 'not allowed to list and watch this kind: grant get, list and watch to the account of this process (RBAC, see deploy/)';
    case 404:
      return 'this kind is not installed in the cluster: run "kubectl apply -f crds/" or start with --install-crds';
    case outdatedCode:
      return 'not acting on this kind: an older version of the product installed its definition; run "kubectl apply -f crds/" or start with --install-crds';
    default:
      return 'cannot list or watch this kind: trying again';
  }
}
