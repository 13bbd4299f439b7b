/*
 *   API server ──▶ watch.ts ──events──▶ store.ts ──▶ get, all, byIndex: what reconcilers read
 *                  list, watch,             ▲   └──▶ changes$: what triggers hear
 *                  resume, list again       │
 *                     ▲                     └─ record: the answers of resource.ts, which writes
 *                     └─ watch-check.ts: is it silent because nothing happens?
 *
 * One of each for a kind, however many controllers ask.
 */

import type { Observable } from 'rxjs';
import { defer, from, ignoreElements, merge, mergeMap, retry, Subject, tap, timer } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { KubernetesClient, Selection } from '../client/kubernetes-client.ts';
import { createBackoff } from '../time/backoff.ts';
import { kindAbsence } from './kind-absence.ts';
import type { Resource } from './resource.ts';
import { createResource } from './resource.ts';
import { createStore } from './store.ts';
import type { StreamState, WatchStreamOptions } from './watch.ts';
import { watchStream } from './watch.ts';

/** How the informer of one kind fares, for health checks and metrics. */
export interface InformerState {
  /** `plural.version.group`. */
  readonly kind: string;
  /** Its store holds a complete list. */
  readonly isSynced: boolean;
  readonly objectCount: number;
  /** `stopped` before `run$` is subscribed to and after. */
  readonly stream: StreamState | { readonly phase: 'stopped' };
  /** Since when it is in that phase, in the elapsed milliseconds of the clock. */
  readonly sinceMs: number;
  /** How often it has begun to list. */
  readonly listCount: number;
  /** How often a list or watch has failed. */
  readonly failureCount: number;
  /** When it was last known that no change had been missed, by the same clock; since the start if never. */
  readonly confirmedAtMs: number;
  /** Its watch has kept changes from us and has told nothing since. */
  readonly isSilent: boolean;
  /** How often a watch has kept changes from us. */
  readonly silenceCount: number;
  /** The API server has no such kind, and has said so for a while. What the store holds stays. */
  readonly isMissing: boolean;
}

/** One store per kind, filled by one watch stream. */
export interface Informers {
  /**
   * The one resource of a kind. `selection` is fixed by whoever asks first; asking again with another one
   * throws. A kind asked for while `run$` runs starts at once.
   */
  resource<T extends KubernetesObject>(kind: Kind<T>, selection?: Selection): Resource<T>;
  /** Runs the watch streams while subscribed to. Never completes, never errors. */
  readonly run$: Observable<never>;
  /** Resolves when every kind asked for so far, and meanwhile, is synced; rejects when the signal aborts. */
  synced(signal: AbortSignal): Promise<void>;
  /** Emits whenever a kind has become synced or missing, or is there again. */
  readonly told$: Observable<void>;
  states(): readonly InformerState[];
  /** Every kind asked for so far. */
  kinds(): readonly Kind[];
}

/** Options of every watch stream; callbacks and `backoff` are each stream's own. */
export interface InformersOptions
  extends Omit<WatchStreamOptions, 'onState' | 'onConfirmed' | 'onSilence' | 'backoff'> {
  readonly client: KubernetesClient;
  /** For how long a kind must not be found before the API server is asked whether there is none; milliseconds, default 30 000. */
  readonly missingAfterMs?: number;
  /** Delays of a stream after failures; default: see `watchStream`. */
  readonly createBackoff?: () => NonNullable<WatchStreamOptions['backoff']>;
}

interface Informer {
  readonly resource: Resource<KubernetesObject>;
  readonly selection: string;
  readonly run$: Observable<never>;
  readonly whenSynced: Promise<void>;
  state(): InformerState;
}

/** The same text for the same selection. */
const selectionKey = ({ namespace, labelSelector, fieldSelector }: Selection): string =>
  JSON.stringify([namespace ?? null, labelSelector ?? null, fieldSelector ?? null]);

/** No informers yet. Their streams are independent: what goes wrong with one is logged, retried and its own. */
export function createInformers(options: InformersOptions): Informers {
  const { client, createBackoff: streamBackoff, missingAfterMs = 30_000, ...streamOptions } = options;
  const { log, clock } = options;
  const informers = new Map<string, Informer>();
  const added$ = new Subject<Informer>();
  const told$ = new Subject<void>();

  function createInformer<T extends KubernetesObject>(kind: Kind<T>, selection: Selection): Informer {
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
      onChange: () => told$.next(),
    });
    const onState = (state: InformerState['stream']): void => {
      if (state.phase !== stream.phase) sinceMs = clock.elapsedMs();
      stream = state;
      if (state.phase === 'listing') listCount += 1;
      if (state.phase === 'waiting') failureCount += 1;
      if (state.phase !== 'stopped') absence.heed(state);
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
          told$.next();
        },
        finalize: () => onState({ phase: 'stopped' }),
      }),
      ignoreElements(),
      // A stream retries by itself: this is for a fault of ours, which must not take the other kinds along.
      retry({
        delay(error: unknown) {
          log.error('cannot take a watch event, listing again', { kind: key, error });
          return timer(repairs.next(), clock.scheduler);
        },
      }),
    );
    return {
      resource: createResource(client, store) as unknown as Resource<KubernetesObject>,
      selection: selectionKey(selection),
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

  return {
    resource<T extends KubernetesObject>(kind: Kind<T>, selection: Selection = {}) {
      const key = kindKey(kind);
      let informer = informers.get(key);
      if (informer === undefined) {
        informer = createInformer(kind, selection);
        informers.set(key, informer);
        added$.next(informer);
      } else if (informer.selection !== selectionKey(selection)) {
        throw new Error(`${key} is watched with another selection already: ${informer.selection}`);
      }
      return informer.resource as unknown as Resource<T>;
    },
    run$: merge(
      added$,
      defer(() => from([...informers.values()])),
    ).pipe(mergeMap((informer) => informer.run$)),
    async synced(signal) {
      const aborted = Promise.withResolvers<never>();
      const onAbort = (): void => aborted.reject(signal.reason);
      signal.throwIfAborted();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        for (let awaited = 0; awaited < informers.size; ) {
          const all = [...informers.values()];
          awaited = all.length;
          await Promise.race([Promise.all(all.map(({ whenSynced }) => whenSynced)), aborted.promise]);
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    told$,
    states: () => [...informers.values()].map((informer) => informer.state()),
    kinds: () => [...informers.values()].map(({ resource }) => resource.kind),
  };
}
