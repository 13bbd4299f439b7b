import type { Observable } from 'rxjs';
import { concat, defer, ignoreElements, repeat, retry, timer } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { abortable } from '../abortable.ts';
import { apiErrorIn, messageOf } from '../client/errors.ts';
import type { KubernetesClient, Selection } from '../client/kubernetes-client.ts';
import type { StreamEvent } from './stream-event.ts';
import { nextRequest } from './watch-requests.ts';
import type { Session, WatchStreamOptions } from './watch-session.ts';
import { newSession, settingsOf } from './watch-session.ts';

/**
 * The objects of a kind, forever: lists them in pages, watches from there, resumes where a watch ended, and lists again
 * when that point is too old (410). Cold, with one connection per subscription. Retries every failure; never completes and
 * never errors.
 *
 * - A quiet watch is no failure. The server ends it after a random time, and a watch that lives longer is closed.
 * - After `silenceMs` without an event the API server is asked for its latest version. If the watch is behind, the kind is
 *   listed; also if no watch can be opened (docs/decisions/0008).
 * - After a failure it resumes only if the API server still has the history that it delivered. If the server was restored
 *   from a backup, the kind is listed.
 *
 * Otherwise it behaves as client-go's reflector. The list markers are those of kube-rs's watcher.
 */
export function watchStream<T extends KubernetesObject>(
  client: KubernetesClient,
  kind: Kind<T>,
  selection: Selection,
  options: WatchStreamOptions,
): Observable<StreamEvent<T>> {
  const settings = settingsOf(options);
  const { admit } = settings;
  return defer(() => {
    const session = newSession(client, kind, selection, settings);
    const { afterEnd, afterFailure } = delays(session);
    const admitted$ = admit && abortable((signal) => admit(kind, signal)).pipe(ignoreElements());
    const next$ = nextRequest(session);
    return (admitted$ === undefined ? next$ : concat(admitted$, next$)).pipe(
      repeat({ delay: () => afterEnd() }),
      retry({ delay: (error: unknown) => afterFailure(error) }),
    );
  });
}

/** The delays before the next request. */
function delays<T extends KubernetesObject>(session: Session<T>) {
  const { settings, progress, failures, enter, confirmedAtMs } = session;
  const { clock, backoff, silenceMs, shortWatchMs, notInstalledDelayMs } = settings;

  /** Waits, but at most until `silenceMs` after the last confirmation. Then the kind is listed instead of watched. */
  const pause = (delayMs: number, leastMs: number): Observable<unknown> => {
    const leftMs = confirmedAtMs() + silenceMs - clock.elapsedMs();
    if (delayMs < leftMs) return timer(delayMs, clock.scheduler);
    progress.listAgain();
    return timer(leftMs > 0 ? Math.max(leftMs, leastMs) : delayMs, clock.scheduler);
  };
  const backoffMs = (code: number): number =>
    code === 404 ? Math.min(notInstalledDelayMs, backoff.next()) : backoff.next();

  return {
    /** The server ended a watch without an error. */
    afterEnd(): Observable<unknown> {
      const isShort = clock.elapsedMs() - session.openedAtMs < shortWatchMs;
      return isShort
        ? pause(Math.max(shortWatchMs, backoff.next()), shortWatchMs)
        : timer(0, clock.scheduler);
    },
    afterFailure(error: unknown): Observable<unknown> {
      const { code = 0, retryAfterMs = 0 } = apiErrorIn(error) ?? {};
      const { isFirstExpiry } = progress.failed(error);
      const delayMs = Math.max(isFirstExpiry ? 0 : backoffMs(code), retryAfterMs);
      failures.met(error, delayMs);
      enter({ phase: 'waiting', code, message: messageOf(error), delayMs });
      return pause(delayMs, retryAfterMs);
    },
  };
}
