import pick from 'lodash/pick.js';
import type { Observable } from 'rxjs';
import { concat, defer, filter, map, merge, repeat, retry, switchMap, takeUntil, tap, timer } from 'rxjs';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey, objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { apiErrorIn, isExpired, messageOf } from '../client/errors.ts';
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

/** What a watch stream is doing. */
export type StreamState =
  | { readonly phase: 'listing' | 'watching' }
  /** A failure, not yet followed by a list or an accepted watch; `code` as in ApiError. */
  | { readonly phase: 'waiting'; readonly code: number; readonly message: string; readonly delayMs: number };

export interface WatchStreamOptions extends WatchCheckTiming {
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Delays after failures; default client-go's: 0.8 s doubling to 30 s, jittered, anew after 2 min of health. */
  readonly backoff?: Backoff;
  /** Objects per page of a list; default 500. */
  readonly pageSize?: number;
  /** Least and greatest number of seconds after which the server ends a watch; default 290 and 590. */
  readonly watchSeconds?: readonly [number, number];
  /** A watch that lives this much longer than agreed is dead, whatever TCP says; milliseconds, default 10 000. */
  readonly idleMarginMs?: number;
  /** A watch that ends sooner is a failure; milliseconds, default 1000, which is also the least delay then. */
  readonly shortWatchMs?: number;
  /** Longest delay while the kind is not installed; milliseconds, default 5000. */
  readonly notInstalledDelayMs?: number;
  /** Told of each change of state. */
  readonly onState?: (state: StreamState) => void;
  /** Told whenever no change until now can have been missed, and by what that is known. */
  readonly onConfirmed?: (by: 'watch' | 'list' | 'check') => void;
  /** Told when an open watch has kept changes from us, which a list brought. */
  readonly onSilence?: () => void;
}

/**
 * The objects of a kind, forever: lists them in pages, watches from there, resumes where a watch ended, lists
 * again when that point is too old (410). Cold, one connection per subscription, retries whatever fails, never
 * completes and never errors. A quiet watch is no failure: the server is told to end it after a random time, and
 * a watch that outlives that is given up. Nor is it believed for long: after `silenceMs` without a word the API
 * server is asked how far it is, and if that is further than the watch has told, the kind is listed, as it is where no
 * watch can be had (docs/decisions/0008). After a failure it resumes only where the API server still knows what it has
 * told, and lists where that was restored from a backup. The behaviour is client-go's reflector's otherwise; the markers are
 * kube-rs's watcher's.
 */
export function watchStream<T extends KubernetesObject>(
  client: KubernetesClient,
  kind: Kind<T>,
  selection: Selection,
  options: WatchStreamOptions,
): Observable<StreamEvent<T>> {
  const { log, random, clock, pageSize = 500, onState = () => {} } = options;
  const { watchSeconds = [290, 590], idleMarginMs = 10_000, shortWatchMs = 1000 } = options;
  const { notInstalledDelayMs = 5000 } = options;
  const { silenceMs = 70_000 } = options;
  const timing = { silenceMs, ...pick(options, ['graceMs', 'checkTimeoutMs'] as const) };
  const { onConfirmed = () => {}, onSilence = () => {} } = options;
  const {
    backoff = createBackoff(clock, { baseMs: 800, maxMs: 30_000, jitter: 1, resetAfterMs: 120_000, random }),
  } = options;
  const facts = { kind: kindKey(kind) };

  return defer(() => {
    /** Where the next watch starts; undefined: list first. */
    let resumeFrom: string | undefined;
    let expiredLists = 0;
    let openedAtMs = 0;
    let complaint: string | undefined;
    /** The greatest version of an object that was listed or told of. */
    let newest = '';
    /** The object that has it; undefined: it is gone. */
    let newestKey: ObjectKey | undefined;
    /** Something has failed since: the API server may have been restored from a backup meanwhile. */
    let isInDoubt = false;
    /** When it was last known that nothing had been missed. */
    let confirmedAtMs = clock.elapsedMs();
    /** Where a watch stood that is thought to have missed something. */
    let suspectedAt: string | undefined;
    let phase: StreamState['phase'] | undefined;

    const enter = (state: StreamState): void => {
      // Each failure is told, the rest when it changes.
      if (state.phase === phase && state.phase !== 'waiting') return;
      phase = state.phase;
      onState(state);
    };
    const confirm = (by: 'watch' | 'list' | 'check'): void => {
      complaint = undefined;
      confirmedAtMs = clock.elapsedMs();
      onConfirmed(by);
    };
    const advanceNewest = ({ metadata }: KubernetesObject, isThere = true): void => {
      const { resourceVersion = '' } = metadata;
      if (compareResourceVersions(resourceVersion, newest) <= 0) return;
      newest = resourceVersion;
      newestKey = isThere ? objectKey(metadata) : undefined;
    };
    /** A list brought what a silent watch had not. One that brings nothing new was asked for in vain. */
    const judge = (): void => {
      const wasSilent = suspectedAt !== undefined && compareResourceVersions(newest, suspectedAt) > 0;
      suspectedAt = undefined;
      if (!wasSilent) return;
      log.warn('a watch was open and did not tell of changes, which a list has shown', facts);
      onSilence();
    };

    const list$ = defer(() => {
      enter({ phase: 'listing' });
      // A list that expires on the way twice is too long for its pages: it is asked for whole, as client-go does.
      return listPages(client, kind, selection, expiredLists > 1 ? undefined : pageSize, clock);
    }).pipe(
      tap((event) => {
        if (event.type === 'restart') newest = '';
        if (event.type === 'listed') {
          for (const object of event.objects) advanceNewest(object);
        }
        if (event.type !== 'synced') return;
        resumeFrom = event.resourceVersion;
        isInDoubt = false;
        expiredLists = 0;
        enter({ phase: 'watching' });
        confirm('list');
        judge();
      }),
    );

    const disbelief$ = watchCheck({
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
        tap(() => log.info('watch outlived its time, opening another', facts)),
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
        takeUntil(merge(overdue$, disbelief$)),
      );
    });

    /** Waits, but not beyond the time at which something must be known: by then, what no watch tells is listed. */
    const pause = (delayMs: number, leastMs: number): Observable<unknown> => {
      const leftMs = confirmedAtMs + silenceMs - clock.elapsedMs();
      if (delayMs < leftMs) return timer(delayMs, clock.scheduler);
      resumeFrom = undefined;
      return timer(leftMs > 0 ? Math.max(leftMs, leastMs) : delayMs, clock.scheduler);
    };

    /** A watch has ended in order. */
    const afterEnd = (): Observable<unknown> => {
      const isShort = clock.elapsedMs() - openedAtMs < shortWatchMs;
      return isShort
        ? pause(Math.max(shortWatchMs, backoff.next()), shortWatchMs)
        : timer(0, clock.scheduler);
    };

    const afterFailure = (error: unknown): Observable<unknown> => {
      isInDoubt = true;
      const failure = apiErrorIn(error);
      const code = failure?.code ?? 0;
      // What an event that cannot be read was about nobody knows, and to resume would bring the same one again.
      const isUnreadable = failure?.reason === 'InvalidWatchEvent';
      if (isExpired(error) || code === 404 || isUnreadable) {
        // A kind that was gone may be back with none of its objects. The page that says so is no Status; should it be
        // a proxy's, a list does no harm: only one that succeeds changes anything.
        if (resumeFrom === undefined && isExpired(error)) expiredLists += 1;
        resumeFrom = undefined;
      }
      const backoffMs = code === 404 ? Math.min(notInstalledDelayMs, backoff.next()) : backoff.next();
      const delayMs = Math.max(backoffMs, failure?.retryAfterMs ?? 0);
      const message = advice(code, isExpired(error));
      const isNews = complaint !== message;
      complaint = message;
      log[isNews ? (isExpired(error) ? 'info' : 'warn') : 'debug'](message, {
        ...facts,
        ...(selection.namespace !== undefined && { namespace: selection.namespace }),
        error,
        delayMs: Math.round(delayMs),
      });
      enter({ phase: 'waiting', code, message: messageOf(error), delayMs });
      return pause(delayMs, failure?.retryAfterMs ?? 0);
    };

    /** Resumes, if the API server still knows what it has told: versions are given out a second time after a restore. */
    const resumed$ = defer(() =>
      isSameHistory(client, kind, selection, { position: resumeFrom!, newest, newestKey }),
    ).pipe(
      switchMap((isSame) => {
        isInDoubt = false;
        if (isSame) return watch$;
        resumeFrom = undefined;
        return concat(list$, watch$);
      }),
    );

    return defer(() => {
      if (resumeFrom === undefined) return concat(list$, watch$);
      return isInDoubt ? resumed$ : watch$;
    }).pipe(repeat({ delay: afterEnd }), retry({ delay: afterFailure }));
  });
}

/** What the log says of a failure. */
function advice(code: number, isTooOld: boolean): string {
  if (isTooOld) return 'watch is too far behind, listing again';
  switch (code) {
    case 403:
      return 'not allowed to list and watch this kind: grant get, list and watch on it to the account (RBAC, see deploy/)';
    case 404:
      return 'this kind is not installed in the cluster: run "kubectl apply -f crds/" or start with --install-crds';
    default:
      return 'cannot list or watch, trying again';
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
