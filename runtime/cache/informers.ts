/*
 *   API server ──▶ watch.ts ──events──▶ store.ts ──▶ get, all, byIndex: what reconcilers read
 *                  list, watch,             ▲   └──▶ changes$: what triggers hear
 *                  resume, list again       │
 *                     ▲                     └─ record: the answers of resource.ts, which writes
 *                     └─ watch-check.ts: asks the API server whether a silent watch is up to date
 *
 * One of each for a kind, for all controllers. If the kind is watched in some namespaces only, one of each for every
 * namespace, behind one store.
 */

import type { Observable } from 'rxjs';
import { defer, from, merge, mergeMap, Subject } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import { isNamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { createKnownCauses } from '../client/errors.ts';
import type { Selection } from '../client/kubernetes-client.ts';
import type { InformerState } from './informer-state.ts';
import { jointState } from './informer-state.ts';
import type { InformerStreamOptions } from './informer-stream.ts';
import { createInformerStream } from './informer-stream.ts';
import { jointStore } from './joint-store.ts';
import type { Resource } from './resource.ts';
import { createResource } from './resource.ts';

/** One store per kind, filled by one watch stream, or by one for each of its namespaces. */
export interface Informers {
  /**
   * The one resource of a kind. The first caller fixes `selection`; a call with another one throws. A kind that is
   * requested while `run$` runs starts at once.
   */
  resource<T extends KubernetesObject>(kind: Kind<T>, selection?: Selection): Resource<T>;
  /** Runs the watch streams while subscribed to. Never completes, never errors. */
  readonly run$: Observable<never>;
  /** Resolves when every requested kind is synced, including kinds requested while it waits. Rejects when the signal aborts. */
  synced(signal: AbortSignal): Promise<void>;
  /** Emits when a kind has become synced, missing or served again. */
  readonly stateChange$: Observable<void>;
  states(): readonly InformerState[];
  /** Every kind requested so far. */
  kinds(): readonly Kind[];
}

export interface InformersOptions extends InformerStreamOptions {
  /**
   * Returns the namespaces in which a kind is watched, each with its own stream. They replace that of the selection. For
   * the kind Namespace: the only Namespaces that are watched. Never empty. Undefined (default): the selection decides.
   */
  readonly namespacesOf?: (kind: Kind) => readonly string[] | undefined;
}

interface Informer {
  readonly resource: Resource<KubernetesObject>;
  readonly selection: string;
  readonly run$: Observable<never>;
  readonly whenSynced: Promise<unknown>;
  state(): InformerState;
}

/** The selection for one namespace: the objects in it, or the Namespace itself by its name. */
const within = (kind: Kind, selection: Selection, namespace: string | undefined): Selection =>
  namespace !== undefined && isNamespaceKind(kind)
    ? { ...selection, fieldSelector: `metadata.name=${namespace}` }
    : { ...selection, namespace };

/** Equal selections have equal texts. */
const selectionKey = ({ namespace, labelSelector, fieldSelector }: Selection): string =>
  JSON.stringify([namespace ?? null, labelSelector ?? null, fieldSelector ?? null]);

/** Creates an empty set of informers. Streams are independent: a failure of one is logged and retried, and affects no other. */
export function createInformers(options: InformersOptions): Informers {
  const { client, namespacesOf = () => undefined, ...streamOptions } = options;
  const { clock, causes = createKnownCauses(clock) } = streamOptions;
  const informers = new Map<string, Informer>();
  const added$ = new Subject<Informer>();
  const stateChange$ = new Subject<void>();

  function createInformer<T extends KubernetesObject>(kind: Kind<T>, selection: Selection): Informer {
    const namespaces = namespacesOf(kind) ?? [selection.namespace];
    const streams = namespaces.map((namespace) =>
      createInformerStream(kind, within(kind, selection, namespace), {
        client,
        ...streamOptions,
        causes,
        onStateChange: () => stateChange$.next(),
      }),
    );
    const store = jointStore(new Map(streams.map(({ store }, i) => [namespaces[i], store])));
    return {
      resource: createResource(client, store, clock) as unknown as Resource<KubernetesObject>,
      selection: selectionKey(selection),
      run$: merge(...streams.map(({ run$ }) => run$)),
      whenSynced: Promise.all(streams.map(({ whenSynced }) => whenSynced)),
      state: () => jointState(streams.map(({ state }) => state())),
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
        throw new Error(`${key} is already watched with another selection: ${informer.selection}`);
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
    stateChange$,
    states: () => [...informers.values()].map((informer) => informer.state()),
    kinds: () => [...informers.values()].map(({ resource }) => resource.kind),
  };
}
