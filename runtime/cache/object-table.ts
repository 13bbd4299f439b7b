import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Logger } from '../log/log.ts';
import type { StoreIndex } from './store-index.ts';
import { createStoreIndex } from './store-index.ts';

/** Objects of one kind by key, with their indexes. */
export interface ObjectTable<T extends KubernetesObject> {
  get(key: string): T | undefined;
  entries(): readonly (readonly [key: string, object: T])[];
  /** The same array until an object changes. */
  all(): readonly T[];
  /** As in Store. */
  byIndex(index: string, value: string): readonly T[];
  /** As in Store. */
  addIndex(index: string, valuesOf: (object: T) => readonly string[]): void;
  /** Replaces the object with this key; undefined removes it. */
  set(key: string, object: T | undefined): void;
}

/** An empty table. `log` gets the errors of index functions. */
export function createObjectTable<T extends KubernetesObject>(
  kind: Kind<T>,
  log?: Pick<Logger, 'error'>,
): ObjectTable<T> {
  const objects = new Map<string, T>();
  const indexes = new Map<string, StoreIndex<T>>();
  let all: readonly T[] | undefined;

  return {
    get: (key) => objects.get(key),
    entries: () => [...objects],
    all: () => (all ??= [...objects.values()]),
    byIndex(name, value) {
      const index = indexes.get(name);
      if (index === undefined) throw new Error(`there is no index "${name}" of ${kind.plural}`);
      return index.get(value);
    },
    addIndex(name, valuesOf) {
      if (indexes.has(name)) return;
      const index = createStoreIndex<T>((object) => {
        try {
          return valuesOf(object);
        } catch (error) {
          // One malformed object must not stop the kind.
          log?.error('a bug in an index: this object is missing from it', {
            index: name,
            kind: kind.plural,
            error,
          });
          return [];
        }
      });
      for (const [key, object] of objects) index.replace(key, undefined, object);
      indexes.set(name, index);
    },
    set(key, object) {
      const previous = objects.get(key);
      if (object === undefined) objects.delete(key);
      else objects.set(key, object);
      all = undefined;
      for (const index of indexes.values()) index.replace(key, previous, object);
    },
  };
}
