import { forkJoin, map, merge } from 'rxjs';
import type { KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { namespaceOf } from '../../apis/core/v1alpha1/namespace.ts';
import type { Store } from './store.ts';

/**
 * One store over the stores of several namespaces, by namespace name. An object is read from its namespace's store; a
 * Namespace is read from its own. Objects of other namespaces are not kept. A single store is returned unchanged.
 */
export function jointStore<T extends KubernetesObject>(
  parts: ReadonlyMap<string | undefined, Store<T>>,
): Store<T> {
  const stores = [...parts.values()];
  const [first, ...others] = stores;
  if (first === undefined) throw new Error('there is no store to join');
  if (others.length === 0) return first;
  const partOf = (key: ObjectKey): Store<T> | undefined => parts.get(namespaceOf(first.kind, key));
  return {
    kind: first.kind,
    get: (key) => partOf(key)?.get(key),
    all: () => stores.flatMap((store) => store.all()),
    byIndex: (index, value) => stores.flatMap((store) => store.byIndex(index, value)),
    addIndex(index, valuesOf) {
      for (const store of stores) store.addIndex(index, valuesOf);
    },
    changes$: merge(...stores.map(({ changes$ }) => changes$)),
    get isSynced() {
      return stores.every(({ isSynced }) => isSynced);
    },
    synced$: forkJoin(stores.map(({ synced$ }) => synced$)).pipe(map(() => undefined)),
    record: (object) => partOf(object.metadata)?.record(object),
  };
}
