/*
 *   stores: changes$ ──▶ nodes.ts ──▶ the newest state of each object, per reader ──tick──▶ a batch ──▶ serve.ts
 *   recorded Events ──▶ memory.ts ─────────────────────┘                      ▲
 *                                                                             └─ only while the reader keeps up
 */

import type { Observable } from 'rxjs';
import { defer, filter, ignoreElements, interval, map, merge, tap } from 'rxjs';
import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import type { Store } from '../runtime/cache/store.ts';
import type { Clock } from '../runtime/time/clock.ts';
import type { Catalogue, KnownKind } from '../trace/catalogue.ts';
import type { Memory } from './memory.ts';
import { nodeId, nodeOf } from './nodes.ts';
import type { Batch, GraphNode, RecordedEvent } from './page/wire.ts';

/** How often changes are sent to a reader. */
export const tickMs = 200;
/** The maximum number of objects per batch, so that neither end is busy for long. */
export const mostPerBatch = 500;

export interface FeedOptions {
  readonly catalogue: Catalogue;
  readonly storeOf: (kind: Kind) => Store<KubernetesObject>;
  readonly memory: Pick<Memory, 'event$' | 'recent'>;
  readonly clock: Pick<Clock, 'scheduler'>;
}

/**
 * The feed of one reader: all present objects, then the changes, in batches. While `isFull` returns true, the reader does
 * not keep up: nothing is sent, and only the newest state of each object waits. So a slow reader costs at most one entry per
 * object. Never completes.
 */
export function feed$(
  { catalogue, storeOf, memory, clock }: FeedOptions,
  isFull: () => boolean,
): Observable<Batch> {
  return defer(() => {
    const waiting = new Map<string, GraphNode | undefined>();
    let events: RecordedEvent[] = [...memory.recent()];
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
    const events$ = memory.event$.pipe(
      tap((event) => {
        events = [...events, event].slice(-mostPerBatch);
      }),
    );
    const take = (): Batch => {
      const some = [...waiting.entries()].slice(0, mostPerBatch);
      for (const [id] of some) waiting.delete(id);
      const batch = {
        nodes: some.flatMap(([, node]) => (node === undefined ? [] : [node])),
        deleted: some.flatMap(([id, node]) => (node === undefined ? [id] : [])),
        events,
      };
      events = [];
      return batch;
    };
    const batches$ = interval(tickMs, clock.scheduler).pipe(
      filter(() => !isFull() && (waiting.size > 0 || events.length > 0)),
      map(take),
    );
    return merge(merge(...changes$, events$).pipe(ignoreElements()), batches$);
  });
}
