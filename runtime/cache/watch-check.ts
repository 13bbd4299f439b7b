import type { Observable } from 'rxjs';
import {
  catchError,
  concatMap,
  defer,
  filter,
  map,
  of,
  repeat,
  take,
  throwError,
  timeout,
  timer,
} from 'rxjs';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { abortable } from '../abortable.ts';
import { ApiError, isTransient } from '../client/errors.ts';
import type { KubernetesClient, Selection } from '../client/kubernetes-client.ts';
import type { Clock } from '../time/clock.ts';
import { compareResourceVersions } from './resource-version.ts';

/** A name that no object can have: the answer is small, however many objects exist. */
const impossibleName = '-';

/**
 * How far the API server is with a kind: the resourceVersion of the kind's last change, or a later one. Costs one request
 * that is answered with an empty list. Emits once; errors with ApiError; unsubscribing aborts.
 *
 * `resourceVersion=0` makes the API server answer from its watch cache, whose version is the kind's own. Without a watch
 * cache the version is that of the last change of any object.
 */
export const latestVersion = <T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'list'>,
  kind: Kind<T>,
  selection: Selection,
): Observable<string> => abortable((signal) => latestFromServer(client, kind, selection, signal));

async function latestFromServer<T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'list'>,
  kind: Kind<T>,
  selection: Selection,
  signal: AbortSignal,
): Promise<string> {
  const fieldSelector = namedAlone(selection, impossibleName);
  const list = await client.list(kind, { ...selection, fieldSelector, resourceVersion: '0' }, signal);
  return list.resourceVersion;
}

const namedAlone = ({ fieldSelector }: Selection, name: string): string =>
  [fieldSelector, `metadata.name=${name}`].filter(Boolean).join(',');

/**
 * The current resourceVersion of an object; undefined if no object has that name. Uses a list, because a watch needs the
 * same permission; the API server answers it with one read of etcd.
 */
async function versionOf<T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'list'>,
  kind: Kind<T>,
  selection: Selection,
  { namespace, name }: ObjectKey,
  signal: AbortSignal,
): Promise<string | undefined> {
  const place = { ...selection, ...(namespace !== undefined && { namespace }) };
  const list = await client.list(kind, { ...place, fieldSelector: namedAlone(selection, name) }, signal);
  return list.items[0]?.metadata.resourceVersion;
}

/** The position of a watch. */
export interface WatchPosition {
  /** The resourceVersion at which the next watch is to start. */
  readonly position: string;
  /** The greatest resourceVersion of an object that the watch has delivered; '': none. */
  readonly newest: string;
  /** The key of that object; undefined if it was deleted. */
  readonly newestKey: ObjectKey | undefined;
}

/**
 * Whether the API server still has the history that it delivered. After a restore from a backup it has lost the newest part
 * and assigns the same versions to other changes; a watch from there would miss those changes. Two checks: the newest
 * object still has its version, because new versions may already be past ours; and the server's version is not older than
 * ours. If that object was changed or deleted, the answer is also false, and the kind is listed. Emits once; errors with
 * ApiError; unsubscribing aborts.
 */
export function isSameHistory<T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'list'>,
  kind: Kind<T>,
  selection: Selection,
  { position, newest, newestKey }: WatchPosition,
): Observable<boolean> {
  const isAsDelivered = async (signal: AbortSignal): Promise<boolean> => {
    if (newestKey === undefined) return newest === '';
    try {
      return (await versionOf(client, kind, selection, newestKey, signal)) === newest;
    } catch (error) {
      // If the API server refuses the request permanently, the position is unknown: list the kind.
      if (isTransient(error)) throw error;
      return false;
    }
  };
  return abortable(async (signal) => {
    if (!(await isAsDelivered(signal))) return false;
    return compareResourceVersions(await latestFromServer(client, kind, selection, signal), position) >= 0;
  });
}

export interface WatchCheckTiming {
  /**
   * After this long without an event or bookmark, the API server is asked whether the watch is up to date; milliseconds,
   * default 70 000. Bookmarks come at most 62 s apart, on servers that send them.
   */
  readonly silenceMs?: number;
  /** How long a watch that seems to be behind may take to catch up; milliseconds, default 2000. */
  readonly graceMs?: number;
  /** How long the request for the API server's version may take; milliseconds, default 10 000. */
  readonly checkTimeoutMs?: number;
}

export interface WatchCheckOptions extends WatchCheckTiming {
  readonly silenceMs: number;
  /** The API server's latest version, requested at each subscription. */
  readonly latest$: Observable<string>;
  /** The watch's position. */
  readonly position: () => string;
  /** The greatest resourceVersion of an object that a list or watch has delivered. */
  readonly newest: () => string;
  /** When it was last known that no change was missed, in elapsed milliseconds. */
  readonly confirmedAtMs: () => number;
  /** Called when it is known now that no change was missed. */
  readonly confirm: () => void;
  readonly clock: Clock;
}

/**
 * Emits and completes when the open watch has missed something: it was silent, the API server has a newer version, and no
 * event arrives in time. Errors if that cannot be found out now.
 */
export function watchCheck(options: WatchCheckOptions): Observable<true> {
  const { latest$, position, newest, confirmedAtMs, confirm, clock } = options;
  const { silenceMs, graceMs = 2000, checkTimeoutMs = 10_000 } = options;

  const isBehind$ = defer(() => {
    const requestedAtMs = clock.elapsedMs();
    return latest$.pipe(
      timeout({
        first: checkTimeoutMs,
        scheduler: clock.scheduler,
        with: () => throwError(() => noAnswer(checkTimeoutMs)),
      }),
      concatMap((version) => {
        const isAhead = compareResourceVersions(version, position()) > 0;
        // The server's version is older than one that it delivered: it was restored from a backup.
        const isRewound = compareResourceVersions(version, newest()) < 0;
        if (isAhead || isRewound)
          return timer(graceMs, clock.scheduler).pipe(map(() => confirmedAtMs() < requestedAtMs));
        confirm();
        return of(false);
      }),
    );
  }).pipe(
    // If the API server refuses the request permanently, the watch counts as behind: list the kind.
    catchError((error: unknown) => (isTransient(error) ? throwError(() => error) : of(true))),
  );

  /** Rounded up to whole ms: a shorter wait than the clock can measure would end too early, again and again. */
  const leftMs = (): number => Math.max(0, Math.ceil(confirmedAtMs() + silenceMs - clock.elapsedMs()));

  return defer(() => timer(leftMs(), clock.scheduler)).pipe(
    concatMap(() => (leftMs() > 0 ? of(false) : isBehind$)),
    repeat(),
    filter((isBehind) => isBehind),
    take(1),
    map(() => true as const),
  );
}

const noAnswer = (afterMs: number): ApiError =>
  new ApiError(`the API server did not answer within ${afterMs / 1000} s`, { code: 0, reason: 'Timeout' });
