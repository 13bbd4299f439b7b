import type { Observable } from 'rxjs';
import { defer, ignoreElements, merge, retry, tap, timer } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { KubernetesClient, Selection } from '../client/kubernetes-client.ts';
import { createBackoff } from '../time/backoff.ts';
import type { InformerState } from './informer-state.ts';
import { kindAbsence } from './kind-absence.ts';
import type { Store } from './store.ts';
import { createStore } from './store.ts';
import { watchStream } from './watch.ts';
import type { WatchStreamOptions } from './watch-session.ts';

/** Options of a watch stream. Callbacks and `backoff` are not shared between streams. */
export interface InformerStreamOptions
  extends Omit<WatchStreamOptions, 'onState' | 'onConfirmed' | 'onSilence' | 'backoff'> {
  readonly client: KubernetesClient;
  /** After this long without the kind (404), the API server is asked whether it serves it; milliseconds, default 30 000. */
  readonly missingAfterMs?: number;
  /** Creates the delays of a stream after failures; default: see `watchStream`. */
  readonly createBackoff?: () => NonNullable<WatchStreamOptions['backoff']>;
}

/** One watch stream of a kind, and the store that it fills. */
export interface InformerStream<T extends KubernetesObject> {
  readonly store: Store<T>;
  /** Watches while subscribed to. Never completes, never errors. */
  readonly run$: Observable<never>;
  readonly whenSynced: Promise<void>;
  state(): InformerState;
}

/** A stream that is not running. Calls `onStateChange` when the kind has become synced, missing or served again. */
export function createInformerStream<T extends KubernetesObject>(
  kind: Kind<T>,
  selection: Selection,
  options: InformerStreamOptions & { readonly onStateChange: () => void },
): InformerStream<T> {
  const {
    client,
    createBackoff: streamBackoff,
    missingAfterMs = 30_000,
    onStateChange,
    ...streamOptions
  } = options;
  const { log, clock } = options;
  const key = kindKey(kind);
  const store = createStore(kind, { selection, log, clock });
  const synced = Promise.withResolvers<void>();
  let stream: InformerState['stream'] = { phase: 'stopped' };
  let sinceMs = clock.elapsedMs();
  let listCount = 0;
  let failureCount = 0;
  let confirmedAtMs = clock.elapsedMs();
  let isSilent = false;
  let silenceCount = 0;
  const absence = kindAbsence({
    isServed: (signal) => client.serves(kind, signal),
    clock,
    afterMs: missingAfterMs,
    onChange: onStateChange,
  });
  const onState = (state: InformerState['stream']): void => {
    if (state.phase !== stream.phase) sinceMs = clock.elapsedMs();
    stream = state;
    if (state.phase === 'listing') listCount += 1;
    if (state.phase === 'waiting') failureCount += 1;
    if (state.phase !== 'stopped') absence.observe(state);
  };
  const repairs = createBackoff(clock, { baseMs: 1000, maxMs: 30_000, resetAfterMs: 120_000 });
  const run$ = defer(() =>
    watchStream(client, kind, selection, {
      ...streamOptions,
      onState,
      onConfirmed(by) {
        confirmedAtMs = clock.elapsedMs();
        if (by === 'watch') isSilent = false;
      },
      onSilence() {
        isSilent = true;
        silenceCount += 1;
      },
      ...(streamBackoff && { backoff: streamBackoff() }),
    }),
  ).pipe(
    tap({
      next(event) {
        store.apply(event);
        if (event.type !== 'synced') return;
        synced.resolve();
        onStateChange();
      },
      finalize: () => onState({ phase: 'stopped' }),
    }),
    ignoreElements(),
    // A stream retries failures of the API server by itself. This retry is for bugs, which must not stop the other kinds.
    retry({
      delay(error: unknown) {
        log.error('a bug stopped the watch of this kind: listing it again', { kind: key, error });
        return timer(repairs.next(), clock.scheduler);
      },
    }),
  );
  return {
    store,
    run$: merge(run$, absence.run$),
    whenSynced: synced.promise,
    state: () => ({
      kind: key,
      isSynced: store.isSynced,
      objectCount: store.all().length,
      stream,
      sinceMs,
      listCount,
      failureCount,
      confirmedAtMs,
      isSilent,
      silenceCount,
      isMissing: absence.isMissing,
    }),
  };
}
