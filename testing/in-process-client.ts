import { interval, map, merge, Observable, takeUntil, timer } from 'rxjs';
import type { Kind, KubernetesObject, ObjectKey } from '../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../apis/core/v1alpha1/kind.ts';
import { ApiError } from '../runtime/client/errors.ts';
import type { KubernetesClient, WatchEvent } from '../runtime/client/kubernetes-client.ts';
import type { Clock } from '../runtime/time/clock.ts';
import type { MemoryCluster } from './memory-cluster.ts';

export type Verb = 'get' | 'create' | 'update' | 'updateStatus' | 'apply' | 'delete';

/** A request about one object. */
interface ObjectCall {
  readonly verb: Verb;
  readonly kind: Kind;
  readonly key: ObjectKey;
}

/** Executes a request, or does not: `effect` executes it at once, and throws if the API server refuses it. */
export type CarryOut = (call: ObjectCall, effect: () => unknown) => Promise<unknown>;

/** How often a watch gets a bookmark, as from an API server. */
const bookmarkPeriodMs = 60_000;

/**
 * The client of a cluster in memory, without a network: answers come in a later microtask, watches get changes at once, and
 * the clock decides when bookmarks come and when a watch ends. `carryOut` may add faults between client and cluster.
 */
export function inProcessClient(
  cluster: MemoryCluster,
  { scheduler }: Pick<Clock, 'scheduler'>,
  carryOut: CarryOut = async (_call, effect) => effect(),
): KubernetesClient {
  async function about(
    call: ObjectCall,
    effect: () => KubernetesObject,
    signal?: AbortSignal,
  ): Promise<never> {
    refuseAborted(signal);
    return (await carryOut(call, () => cluster.shown(effect()))) as never; // of the requested kind
  }
  return {
    async serverVersion(signal) {
      refuseAborted(signal);
      return { major: 1, minor: 36 };
    },
    async serves(_kind, signal) {
      refuseAborted(signal);
      return true;
    },
    get: (kind, key, signal) => about({ verb: 'get', kind, key }, () => cluster.get(kind, key), signal),
    async list(kind, options, signal) {
      refuseAborted(signal);
      const page = cluster.list(kind, options);
      return { ...page, items: page.items.map((object) => cluster.shown(object)) };
    },
    create(kind, object, signal) {
      const key = objectKey(object.metadata);
      return about({ verb: 'create', kind, key }, () => cluster.create(kind, object), signal);
    },
    patch(kind, key, patch, { subresource } = {}, signal) {
      const verb = subresource === 'status' ? 'updateStatus' : 'update';
      return about({ verb, kind, key }, () => cluster.patch(kind, key, patch, subresource), signal);
    },
    apply: (kind, key, fields, { fieldManager }, signal) =>
      about({ verb: 'apply', kind, key }, () => cluster.apply(kind, key, fields, fieldManager), signal),
    replace(kind, object, signal) {
      const key = objectKey(object.metadata);
      return about({ verb: 'update', kind, key }, () => cluster.replace(kind, object), signal);
    },
    async delete(kind, key, preconditions, signal) {
      refuseAborted(signal);
      return (await carryOut({ verb: 'delete', kind, key }, () => {
        const left = cluster.delete(kind, key, preconditions);
        return left && cluster.shown(left);
      })) as never; // of the requested kind
    },
    watch(kind, options) {
      const { timeoutSeconds, onOpen } = options;
      const records$ = new Observable<WatchEvent<never>>((subscriber) => {
        const early: WatchEvent<never>[] = [];
        let isOpen = false;
        const end = cluster.watch(kind, options, (record) => {
          const event = { ...record, object: cluster.shown(record.object) } as WatchEvent<never>;
          if (isOpen) subscriber.next(event);
          else early.push(event);
        });
        subscriber.add(end);
        isOpen = true;
        onOpen?.();
        for (const event of early) subscriber.next(event);
      });
      const bookmarks$ = interval(bookmarkPeriodMs, scheduler).pipe(
        map(() => ({ type: 'BOOKMARK' as const, resourceVersion: cluster.resourceVersion })),
      );
      return merge(records$, bookmarks$).pipe(takeUntil(timer(timeoutSeconds * 1000, scheduler)));
    },
  };
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  const { reason: cause } = signal;
  throw new ApiError('the request was aborted', { code: 0, reason: 'Aborted', cause });
}
