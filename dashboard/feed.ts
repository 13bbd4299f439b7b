/*
 *   stores: changes$ ──▶ nodes.ts ──▶ what waits for a reader, the newest of each object ──tick──▶ a batch ──▶ serve.ts
 *   Events as they are told ──▶ memory.ts ──────────────────┘              ▲
 *                                                                          └─ only while the reader keeps up
 */

import type { Observable } from 'rxjs';
import { defer, filter, ignoreElements, interval, map, merge, tap } from 'rxjs';
import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import type { Store } from '../runtime/cache/store.ts';
import type { Clock } from '../runtime/time/clock.ts';
import type { Catalogue, KnownKind } from '../trace/catalogue.ts';
import type { Memory } from './memory.ts';
import { nodeId, nodeOf } from './nodes.ts';
import type { Batch, GraphNode, ToldEvent } from './page/wire.ts';

/** How often a reader is told of what has changed meanwhile. */
export const tickMs = 200;
/** So many objects are told of at a time, so that neither end is busy for long. */
export const mostPerBatch = 500;

export interface FeedOptions {
  readonly catalogue: Catalogue;
  readonly storeOf: (kind: Kind) => Store<KubernetesObject>;
  readonly memory: Pick<Memory, 'told$' | 'recent'>;
  readonly clock: Pick<Clock, 'scheduler'>;
}

/**
 * All that one reader is to be told: everything there is, then what changes, in batches. While `isFull` says that he does
 * not keep up, nothing is sent, and of each object only its newest state waits: what a slow reader costs is bounded by how
 * many objects there are. Never completes.
 */
export function feed$(
  { catalogue, storeOf, memory, clock }: FeedOptions,
  isFull: () => boolean,
): Observable<Batch> {
  return defer(() => {
    const waiting = new Map<string, GraphNode | undefined>();
    let told: ToldEvent[] = [...memory.recent()];
    const changes$ = catalogue.kinds.map((known: KnownKind) =>
      storeOf(known.kind).changes$.pipe(
        tap(({ type, object }) =>
          waiting.set(
            nodeId(known.kind, object.metadata),
            type === 'deleted' ? undefined : nodeOf(object, known, catalogue),
          ),
        ),
      ),
    );
    const told$ = memory.told$.pipe(
      tap((event) => {
        told = [...told, event].slice(-mostPerBatch);
      }),
    );
    const take = (): Batch => {
      const some = [...waiting.entries()].slice(0, mostPerBatch);
      for (const [id] of some) waiting.delete(id);
      const batch = {
        nodes: some.flatMap(([, node]) => (node === undefined ? [] : [node])),
        gone: some.flatMap(([id, node]) => (node === undefined ? [id] : [])),
        told,
      };
      told = [];
      return batch;
    };
    const batches$ = interval(tickMs, clock.scheduler).pipe(
      filter(() => !isFull() && (waiting.size > 0 || told.length > 0)),
      map(take),
    );
    return merge(merge(...changes$, told$).pipe(ignoreElements()), batches$);
  });
}
