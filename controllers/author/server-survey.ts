import { isInterrupted, messageOf } from '../../runtime/client/errors.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import { warning } from '../../runtime/events/event-facts.ts';
import type { Clock } from '../../runtime/time/clock.ts';

export interface ServerSurveyOptions {
  /**
   * Reads the whole server, and may change it. Returns the result to report: a Warning is a problem that an
   * administrator has to end. Undefined: there is nothing to report.
   */
  readonly read: (signal: AbortSignal) => Promise<EventFacts | undefined>;
  /** The reason of the Event about a failed reading. */
  readonly failureReason: string;
  /** Receives each result that differs from the one before. */
  readonly report: (event: EventFacts) => void;
  readonly clock: Pick<Clock, 'elapsedMs'>;
}

/**
 * Surveys a server that many tenants share, once per server and process, for problems that concern no managed
 * resource: for example databases to which every user may connect. No method rejects.
 */
export interface ServerSurvey {
  /** Called before anything is created or changed on the server. A failed attempt is repeated. */
  prepare(signal: AbortSignal): Promise<void>;
  /**
   * Called if an account or database of this product exists: another process may have created it without this reading. An attempt that failed or
   * found a problem is repeated half a minute later at the earliest.
   */
  refresh(signal: AbortSignal): Promise<void>;
  /** The problem and what to do. Empty: there is none. Undefined: not known. */
  warning(): string | undefined;
}

/**
 * Shorter than the default poll interval with any jitter. Otherwise half of the observations that should retry would
 * come too early.
 */
const restMs = 30_000;

/** A {@link ServerSurvey}. Failures are reported and block nothing. */
export function serverSurvey({ read, failureReason, report, clock }: ServerSurveyOptions): ServerSurvey {
  let done: Promise<void> | undefined;
  /** The time of the last attempt that failed or found a problem. */
  let unfinishedAtMs = Number.NEGATIVE_INFINITY;
  let lastWarning: string | undefined;
  const attempt = async (signal: AbortSignal): Promise<void> => {
    try {
      const event = await read(signal);
      const before = lastWarning;
      lastWarning = event?.type === 'Warning' ? event.message : '';
      if (lastWarning !== '') unfinishedAtMs = clock.elapsedMs();
      if (event !== undefined && event.message !== before) report(event);
    } catch (error) {
      done = undefined;
      if (isInterrupted(error)) return;
      unfinishedAtMs = clock.elapsedMs();
      if (signal.aborted) return; // other waiting runs have signals of their own
      report(warning(failureReason, messageOf(error)));
    }
  };
  async function prepare(signal: AbortSignal): Promise<void> {
    done ??= attempt(signal);
    await done;
  }
  return {
    prepare,
    async refresh(signal) {
      const isRested = clock.elapsedMs() - unfinishedAtMs >= restMs;
      if (lastWarning && isRested) {
        unfinishedAtMs = clock.elapsedMs();
        done = undefined; // an administrator may have ended it since
      }
      if (done !== undefined || isRested) await prepare(signal);
    },
    warning: () => lastWarning,
  };
}

/** A {@link ServerSurvey} that does nothing. */
export const noSurvey: ServerSurvey = {
  prepare: async () => {},
  refresh: async () => {},
  warning: () => '',
};
