import { merge } from 'rxjs';
import type { KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { namespaceOf } from '../../apis/core/v1alpha1/namespace.ts';
import type { Store } from './store.ts';

/**
 * One store over those of several namespaces, by their names: each object lies in that of its namespace, and those of other
 * namespaces are not kept. A Namespace is in itself. Each is filled by a stream of its own. A single one, of whatever
 * namespaces, is taken as it is.
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
    record: (object, options) => partOf(object.metadata)?.record(object, options),
  };
}
