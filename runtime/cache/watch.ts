import pick from 'lodash/pick.js';
import type { Observable } from 'rxjs';
import {
  concat,
  defer,
  distinctUntilChanged,
  filter,
  from,
  ignoreElements,
  map,
  merge,
  of,
  repeat,
  retry,
  switchMap,
  takeUntil,
  tap,
  timer,
} from 'rxjs';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey, objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { abortable } from '../abortable.ts';
import type { KnownCauses } from '../client/errors.ts';
import {
  apiErrorIn,
  causeOf,
  createKnownCauses,
  isExpired,
  isOutage,
  messageOf,
  outdatedCode,
} from '../client/errors.ts';
import type { KubernetesClient, Selection, WatchEvent } from '../client/kubernetes-client.ts';
import type { Logger } from '../log/log.ts';
import type { Backoff } from '../time/backoff.ts';
import { createBackoff } from '../time/backoff.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import { listPages } from './list-pages.ts';
import { compareResourceVersions } from './resource-version.ts';
import type { StreamEvent } from './stream-event.ts';
import type { WatchCheckTiming } from './watch-check.ts';
import { isSameHistory, latestVersion, watchCheck } from './watch-check.ts';

/** The current step of a watch stream. */
export type StreamState =
  | { readonly phase: 'listing' | 'watching' }
  /** A request failed, and since then no list was begun and no watch was accepted. `code` as in ApiError. */
  | { readonly phase: 'waiting'; readonly code: number; readonly message: string; readonly delayMs: number };

export interface WatchStreamOptions extends WatchCheckTiming {
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Delays after failures. Default as in client-go: 0.8 s doubling to 30 s, with jitter, reset after 2 min without failure. */
  readonly backoff?: Backoff;
  /** Objects per page of a list; default 500. */
  readonly pageSize?: number;
  /** Least and greatest number of seconds after which the server ends a watch; default 290 and 590. */
  readonly watchSeconds?: readonly [number, number];
  /** A watch that lives this much longer than agreed is dead, even if TCP does not notice; milliseconds, default 10 000. */
  readonly idleMarginMs?: number;
  /** A watch that ends sooner counts as a failure, and the next delay is no shorter; milliseconds, default 1000. */
  readonly shortWatchMs?: number;
  /** The longest delay while the kind is not installed; milliseconds, default 5000. */
  readonly notInstalledDelayMs?: number;
  /** The known causes of all streams, so that an outage of the API server is one line of the log. Default: its own. */
  readonly causes?: KnownCauses;
  /** Rejects while the kind must not be read. Called before each list and watch. Default: it may be read. */
  readonly admit?: (kind: Kind, signal: AbortSignal) => Promise<void>;
  /** Called at each change of state. */
  readonly onState?: (state: StreamState) => void;
  /** Called when it is known that no change was missed so far, with the source of that knowledge. */
  readonly onConfirmed?: (by: 'watch' | 'list' | 'check') => void;
  /** Called when a list has shown changes that the open watch did not deliver. */
  readonly onSilence?: () => void;
}

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
  const { log, random, clock, pageSize = 500, onState = () => {} } = options;
  const { watchSeconds = [290, 590], idleMarginMs = 10_000, shortWatchMs = 1000 } = options;
  const { notInstalledDelayMs = 5000, admit } = options;
  const { silenceMs = 70_000 } = options;
  const timing = { silenceMs, ...pick(options, ['graceMs', 'checkTimeoutMs'] as const) };
  const { onConfirmed = () => {}, onSilence = () => {}, causes = createKnownCauses(clock) } = options;
  const {
    backoff = createBackoff(clock, { baseMs: 800, maxMs: 30_000, jitter: 1, resetAfterMs: 120_000, random }),
  } = options;
  const facts = { kind: kindKey(kind) };

  return defer(() => {
    /** Where the next watch starts; undefined: list first. */
    let resumeFrom: string | undefined;
    let expiredLists = 0;
    let openedAtMs = 0;
    /** A 410 was answered, and no watch has delivered an event since. */
    let hasExpired = false;
    const ownCauses = createKnownCauses(clock);
    /** The greatest resourceVersion of an object that a list or watch has delivered. */
    let newest = '';
    /** The key of that object; undefined: it was deleted. */
    let newestKey: ObjectKey | undefined;
    /** A request failed since the last list: the API server may have been restored from a backup. */
    let mustCheckHistory = false;
    /** When it was last known that no change was missed. */
    let confirmedAtMs = clock.elapsedMs();
    /** The position of a watch that probably missed a change. */
    let suspectedAt: string | undefined;
    let phase: StreamState['phase'] | undefined;

    const enter = (state: StreamState): void => {
      // Report each failure, but other phases only when they change.
      if (state.phase === phase && state.phase !== 'waiting') return;
      phase = state.phase;
      onState(state);
    };
    const confirm = (by: 'watch' | 'list' | 'check'): void => {
      ownCauses.clear();
      causes.clear();
      if (by === 'watch') hasExpired = false;
      confirmedAtMs = clock.elapsedMs();
      onConfirmed(by);
    };
    const advanceNewest = ({ metadata }: KubernetesObject, isThere = true): void => {
      const { resourceVersion = '' } = metadata;
      if (compareResourceVersions(resourceVersion, newest) <= 0) return;
      newest = resourceVersion;
      newestKey = isThere ? objectKey(metadata) : undefined;
    };
    /** After a suspicion, decides by the new list whether the watch had missed a change. */
    const judge = (): void => {
      const wasSilent = suspectedAt !== undefined && compareResourceVersions(newest, suspectedAt) > 0;
      suspectedAt = undefined;
      if (!wasSilent) return;
      log.warn(
        'an open watch did not deliver changes that a list has shown; a proxy or load balancer may hold it',
        facts,
      );
      onSilence();
    };

    const list$ = defer(() => {
      enter({ phase: 'listing' });
      // After two lists that expired half-way, request the list without pages, as client-go does.
      return listPages(client, kind, selection, expiredLists > 1 ? undefined : pageSize, clock);
    }).pipe(
      tap((event) => {
        if (event.type === 'restart') newest = '';
        if (event.type === 'listed') {
          for (const object of event.objects) advanceNewest(object);
        }
        if (event.type !== 'synced') return;
        resumeFrom = event.resourceVersion;
        mustCheckHistory = false;
        expiredLists = 0;
        enter({ phase: 'watching' });
        confirm('list');
        judge();
      }),
    );

    const isBehind$ = watchCheck({
      latest$: latestVersion(client, kind, selection),
      position: () => resumeFrom ?? '',
      newest: () => newest,
      confirmedAtMs: () => confirmedAtMs,
      confirm: () => confirm('check'),
      clock,
      ...timing,
    }).pipe(
      tap(() => {
        suspectedAt = resumeFrom;
        resumeFrom = undefined;
      }),
    );

    const watch$ = defer(() => {
      openedAtMs = clock.elapsedMs();
      const [least, greatest] = watchSeconds;
      const timeoutSeconds = least + Math.floor(random() * (greatest - least + 1));
      const overdue$ = timer(timeoutSeconds * 1000 + idleMarginMs, clock.scheduler).pipe(
        tap(() => log.info('the API server did not end this watch in time: opening another', facts)),
      );
      const resourceVersion = resumeFrom!;
      const onOpen = (): void => {
        openedAtMs = clock.elapsedMs();
        enter({ phase: 'watching' });
      };
      return client.watch(kind, { ...selection, resourceVersion, timeoutSeconds, onOpen }).pipe(
        tap((event) => {
          resumeFrom = versionIn(event) ?? resumeFrom;
          if (event.type !== 'BOOKMARK') advanceNewest(event.object, event.type !== 'DELETED');
          enter({ phase: 'watching' });
          confirm('watch');
        }),
        map(streamEvent<T>),
        filter((event) => event !== undefined),
        takeUntil(merge(overdue$, isBehind$)), // guard(takeUntil(overdue$)): a watch that keeps events back
      );
    });

    /** Waits, but at most until `silenceMs` after the last confirmation. Then the kind is listed instead of watched. */
    const pause = (delayMs: number, leastMs: number): Observable<unknown> => {
      const leftMs = confirmedAtMs + silenceMs - clock.elapsedMs();
      if (delayMs < leftMs) return timer(delayMs, clock.scheduler);
      resumeFrom = undefined;
      return timer(leftMs > 0 ? Math.max(leftMs, leastMs) : delayMs, clock.scheduler);
    };

    /** The server ended a watch without an error. */
    const afterEnd = (): Observable<unknown> => {
      const isShort = clock.elapsedMs() - openedAtMs < shortWatchMs;
      return isShort
        ? pause(Math.max(shortWatchMs, backoff.next()), shortWatchMs)
        : timer(0, clock.scheduler);
    };

    const backoffMs = (code: number): number =>
      code === 404 ? Math.min(notInstalledDelayMs, backoff.next()) : backoff.next();

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

    const afterFailure = (error: unknown): Observable<unknown> => {
      mustCheckHistory = true;
      const failure = apiErrorIn(error);
      const code = failure?.code ?? 0;
      // It is not known which object an unreadable event was about, and resuming would deliver the same event again.
      const isUnreadable = failure?.reason === 'InvalidWatchEvent';
      // A list can succeed at once: the delay of an outage that has ended does not count.
      const isFirstExpiry = isExpired(error) && resumeFrom !== undefined && !hasExpired;
      hasExpired ||= isExpired(error);
      // guard(code === 404 || isUnreadable): an expired watch is resumed for ever
      if (isExpired(error) || code === 404 || isUnreadable) {
        // A kind that was removed may be served again without its objects. A 404 without a Status may come from a proxy; then
        // a list does no harm, because only a list that succeeds changes the store.
        if (resumeFrom === undefined && isExpired(error)) expiredLists += 1;
        resumeFrom = undefined;
      }
      const delayMs = Math.max(isFirstExpiry ? 0 : backoffMs(code), failure?.retryAfterMs ?? 0);
      log[isNews(error) && !isExpired(error) ? 'warn' : 'debug'](advice(code, isExpired(error)), {
        ...facts,
        ...(selection.namespace !== undefined && { namespace: selection.namespace }),
        error,
        delayMs: Math.round(delayMs),
      });
      enter({ phase: 'waiting', code, message: messageOf(error), delayMs });
      return pause(delayMs, failure?.retryAfterMs ?? 0);
    };

    /** Resumes if the API server still has the history that it delivered; lists if a restore has replaced it. */
    const resumed$ = defer(() =>
      isSameHistory(client, kind, selection, { position: resumeFrom!, newest, newestKey }),
    ).pipe(
      switchMap((isSame) => {
        mustCheckHistory = false;
        if (isSame) return watch$;
        resumeFrom = undefined;
        return concat(list$, watch$);
      }),
    );

    const stream$ = defer(() => {
      if (resumeFrom === undefined) return concat(list$, watch$);
      return mustCheckHistory ? resumed$ : watch$; // guard: a restored API server uses versions again
    });
    const admitted$ = admit && abortable((signal) => admit(kind, signal)).pipe(ignoreElements());
    return (admitted$ === undefined ? stream$ : concat(admitted$, stream$)).pipe(
      repeat({ delay: afterEnd }),
      retry({ delay: afterFailure }),
    );
  });
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

const versionIn = <T extends KubernetesObject>(event: WatchEvent<T>): string | undefined =>
  event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;

function streamEvent<T>(event: WatchEvent<T>): StreamEvent<T> | undefined {
  switch (event.type) {
    case 'BOOKMARK':
      return undefined;
    case 'DELETED':
      return { type: 'deleted', object: event.object };
    default:
      return { type: 'applied', object: event.object };
  }
}

/** The watch of one object: the API server ends it after this long, and the next one follows. */
const oneWatchSeconds = 300;
/** The pauses before the next watch of one object: after the end of a watch, and after a failure, for example a 403. */
const oneAgainMs = 1_000;
const oneRetryMs = 10_000;

/**
 * The resourceVersion of one object, and each later one. Empty while the object does not exist. Cold, with one connection
 * per subscription; it needs no right for other objects. Retries every failure; never completes and never errors.
 */
export function watchOne(
  client: KubernetesClient,
  kind: Kind,
  { namespace, name }: ObjectKey,
  { clock, log }: Pick<WatchStreamOptions, 'clock' | 'log'>,
): Observable<string> {
  const selection = { ...(namespace && { namespace }), fieldSelector: `metadata.name=${name}` };
  return defer(() => from(client.list(kind, selection))).pipe(
    switchMap(({ items: [found], resourceVersion }) =>
      concat(
        of(found?.metadata.resourceVersion ?? ''),
        client.watch(kind, { ...selection, resourceVersion, timeoutSeconds: oneWatchSeconds }).pipe(
          filter((event) => event.type !== 'BOOKMARK'),
          map(({ type, object }) => (type === 'DELETED' ? '' : (object.metadata.resourceVersion ?? ''))),
        ),
      ),
    ),
    repeat({ delay: () => timer(oneAgainMs, clock.scheduler) }),
    retry({
      delay: (error: unknown) => {
        log.debug('cannot watch one object', { kind: kindKey(kind), namespace, name, error });
        return timer(oneRetryMs, clock.scheduler);
      },
    }),
    distinctUntilChanged(),
  );
}
