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

/** A name that no object may have, so that the answer is small however many there are. */
const nobody = '-';

/**
 * How far the API server is with a kind, by what it holds in memory: the resourceVersion of the kind's last change, or
 * a later one. One request with an empty list for an answer. Emits once; errors with ApiError; unsubscribing aborts.
 *
 * `resourceVersion=0` makes the API server answer from its watch cache, whose version is the kind's own; without a
 * watch cache it is that of the last change of anything.
 */
export const latestVersion = <T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'list'>,
  kind: Kind<T>,
  selection: Selection,
): Observable<string> => abortable((signal) => askedLatest(client, kind, selection, signal));

async function askedLatest<T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'list'>,
  kind: Kind<T>,
  selection: Selection,
  signal: AbortSignal,
): Promise<string> {
  const fieldSelector = namedAlone(selection, nobody);
  const list = await client.list(kind, { ...selection, fieldSelector, resourceVersion: '0' }, signal);
  return list.resourceVersion;
}

const namedAlone = ({ fieldSelector }: Selection, name: string): string =>
  [fieldSelector, `metadata.name=${name}`].filter(Boolean).join(',');

/**
 * The version that an object has now; undefined: there is none of that name. As a list, which whoever watches may ask for,
 * and which the API server answers with one look at etcd.
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

/** How far a watch has come. */
export interface WatchPosition {
  /** Where the next one is to begin. */
  readonly position: string;
  /** The greatest version of an object that it told of; '': of none. */
  readonly newest: string;
  /** That object, if it is there. */
  readonly newestKey: ObjectKey | undefined;
}

/**
 * Whether the API server goes on from what it has told. Restored from a backup it has forgotten the last of that, and gives
 * the versions out again, to other changes: a watch from there would never tell of those. The newest object is to be as it
 * was told, for what is given out again may have overtaken us by now; and no version lies in its future. A change of that
 * object, or its deletion, says as little, so that the kind is listed. Emits once; errors with ApiError; unsubscribing aborts.
 */
export function isSameHistory<T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'list'>,
  kind: Kind<T>,
  selection: Selection,
  { position, newest, newestKey }: WatchPosition,
): Observable<boolean> {
  const isAsTold = async (signal: AbortSignal): Promise<boolean> => {
    if (newestKey === undefined) return newest === '';
    try {
      return (await versionOf(client, kind, selection, newestKey, signal)) === newest;
    } catch (error) {
      // To refuse the question, for good and not for now, is no answer.
      if (isTransient(error)) throw error;
      return false;
    }
  };
  return abortable(async (signal) => {
    if (!(await isAsTold(signal))) return false;
    return compareResourceVersions(await askedLatest(client, kind, selection, signal), position) >= 0;
  });
}

export interface WatchCheckTiming {
  /**
   * After so long without a word, bookmarks included, the API server is asked whether there was something to tell;
   * milliseconds, default 70 000: bookmarks come at most 62 s apart, where they come.
   */
  readonly silenceMs?: number;
  /** How long a watch that seems to be behind may take to catch up; milliseconds, default 2000. */
  readonly graceMs?: number;
  /** How long that question may take; milliseconds, default 10 000. */
  readonly checkTimeoutMs?: number;
}

export interface WatchCheckOptions extends WatchCheckTiming {
  readonly silenceMs: number;
  /** How far the API server is, asked at each subscription. */
  readonly latest$: Observable<string>;
  /** How far the watch is. */
  readonly position: () => string;
  /** The greatest version of an object that was listed or told of. */
  readonly newest: () => string;
  /** When it was last known that nothing had been missed. */
  readonly confirmedAtMs: () => number;
  /** Called when that is known now. */
  readonly confirm: () => void;
  readonly clock: Clock;
}

/**
 * Emits, and completes, when the open watch is not to be believed: it has been silent, the API server has something to
 * tell, and it does not arrive. Errors where that cannot be found out now.
 */
export function watchCheck(options: WatchCheckOptions): Observable<true> {
  const { latest$, position, newest, confirmedAtMs, confirm, clock } = options;
  const { silenceMs, graceMs = 2000, checkTimeoutMs = 10_000 } = options;

  const isBehind$ = defer(() => {
    const askedAtMs = clock.elapsedMs();
    return latest$.pipe(
      timeout({
        first: checkTimeoutMs,
        scheduler: clock.scheduler,
        with: () => throwError(() => noAnswer(checkTimeoutMs)),
      }),
      concatMap((version) => {
        const isAhead = compareResourceVersions(version, position()) > 0;
        // Older than what it has told already: it was restored from a backup, and our version lies in its future.
        const isRewound = compareResourceVersions(version, newest()) < 0;
        if (isAhead || isRewound)
          return timer(graceMs, clock.scheduler).pipe(map(() => confirmedAtMs() < askedAtMs));
        confirm();
        return of(false);
      }),
    );
  }).pipe(
    // To refuse the question, for good and not for now, is no answer: the kind is listed.
    catchError((error: unknown) => (isTransient(error) ? throwError(() => error) : of(true))),
  );

  /** Whole: a wait of less than the clock can tell would be over before it had begun, again and again. */
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
  new ApiError(`the API server did not answer in ${afterMs / 1000} s`, { code: 0, reason: 'Timeout' });
