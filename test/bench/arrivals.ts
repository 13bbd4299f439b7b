import { filter, lastValueFrom, map, scan, takeWhile, throwError, timeout } from 'rxjs';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Change, Store } from '../../runtime/cache/store.ts';

/**
 * When each of `count` things happened first, by key, in the milliseconds of `performance.now`, as a store sees it
 * from now on; what it holds already counts as added now. `keyOf` says which thing a change is, if any. Rejects when
 * nothing new happens for a minute, with what was waited for.
 */
export function arrivals<T extends KubernetesObject>(
  store: Store<T>,
  what: string,
  count: number,
  keyOf: (change: Change<T>) => string | undefined,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  return lastValueFrom(
    store.changes$.pipe(
      map(keyOf),
      filter((key) => key !== undefined && !times.has(key)),
      scan((all, key) => all.set(key!, performance.now()), times),
      takeWhile(({ size }) => size < count, true),
      timeout({
        each: 60_000,
        with: () => throwError(() => new Error(`${what}: only ${times.size} of ${count} in time`)),
      }),
    ),
  );
}
