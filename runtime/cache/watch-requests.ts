import pick from 'lodash/pick.js';
import type { Observable } from 'rxjs';
import { concat, defer, filter, map, merge, switchMap, takeUntil, tap, timer } from 'rxjs';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { WatchEvent } from '../client/kubernetes-client.ts';
import { listPages } from './list-pages.ts';
import type { StreamEvent } from './stream-event.ts';
import { isSameHistory, latestVersion, watchCheck } from './watch-check.ts';
import type { Session } from './watch-session.ts';

/** The list or watch that follows from the progress. */
export function nextRequest<T extends KubernetesObject>(session: Session<T>): Observable<StreamEvent<T>> {
  const { client, kind, selection, progress } = session;
  const watch$ = watching(session);
  const fromStart$ = concat(listing(session), watch$);
  /** Resumes if the API server still has the history that it delivered; lists if a restore has replaced it. */
  const resumed$ = defer(() => {
    const { resumeFrom, newest, newestKey } = progress;
    return isSameHistory(client, kind, selection, { position: resumeFrom!, newest, newestKey });
  }).pipe(
    tap(progress.checkedHistory),
    switchMap((isSame) => (isSame ? watch$ : fromStart$)),
  );
  return defer(() => {
    if (progress.resumeFrom === undefined) return fromStart$;
    return progress.mustCheckHistory ? resumed$ : watch$; // guard: otherwise a restored API server uses versions again
  });
}

function listing<T extends KubernetesObject>(session: Session<T>): Observable<StreamEvent<T>> {
  const { client, kind, selection, settings, progress, enter, confirm } = session;
  const { log, clock, pageSize, onSilence } = settings;
  return defer(() => {
    enter({ phase: 'listing' });
    // After two lists that expired half-way, request the list without pages, as client-go does.
    return listPages(client, kind, selection, progress.expiredLists > 1 ? undefined : pageSize, clock);
  }).pipe(
    tap((event) => {
      if (event.type === 'restart') progress.restart();
      if (event.type === 'listed') {
        for (const object of event.objects) progress.delivered(object);
      }
      if (event.type !== 'synced') return;
      progress.listed(event.resourceVersion);
      enter({ phase: 'watching' });
      confirm('list');
      if (!progress.wasSilent()) return;
      log.warn(
        'an open watch did not deliver changes that a list has shown; a proxy or load balancer may hold it',
        { kind: kindKey(kind) },
      );
      onSilence();
    }),
  );
}

function watching<T extends KubernetesObject>(session: Session<T>): Observable<StreamEvent<T>> {
  const { client, kind, selection, settings, progress, enter, confirm } = session;
  const { log, clock, random, watchSeconds, idleMarginMs } = settings;
  return defer(() => {
    session.openedAtMs = clock.elapsedMs();
    const [least, greatest] = watchSeconds;
    const timeoutSeconds = least + Math.floor(random() * (greatest - least + 1));
    const overdue$ = timer(timeoutSeconds * 1000 + idleMarginMs, clock.scheduler).pipe(
      tap(() =>
        log.info('the API server did not end this watch in time: opening another', { kind: kindKey(kind) }),
      ),
    );
    const resourceVersion = progress.resumeFrom!;
    const onOpen = (): void => {
      session.openedAtMs = clock.elapsedMs();
      enter({ phase: 'watching' });
    };
    return client.watch(kind, { ...selection, resourceVersion, timeoutSeconds, onOpen }).pipe(
      tap((event) => {
        progress.watched(versionIn(event));
        if (event.type !== 'BOOKMARK') progress.delivered(event.object, event.type !== 'DELETED');
        enter({ phase: 'watching' });
        confirm('watch');
      }),
      map(streamEvent<T>),
      filter((event) => event !== undefined),
      takeUntil(merge(overdue$, missedChange(session))), // guard: otherwise a watch keeps events back for ever
    );
  });
}

/** Emits when the open watch has missed a change. The kind is listed next. */
function missedChange<T extends KubernetesObject>(session: Session<T>): Observable<unknown> {
  const { client, kind, selection, settings, progress, confirm, confirmedAtMs } = session;
  return watchCheck({
    latest$: latestVersion(client, kind, selection),
    position: () => progress.resumeFrom ?? '',
    newest: () => progress.newest,
    confirmedAtMs,
    confirm: () => confirm('check'),
    clock: settings.clock,
    ...pick(settings, ['silenceMs', 'graceMs', 'checkTimeoutMs'] as const),
  }).pipe(tap(progress.suspect));
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
