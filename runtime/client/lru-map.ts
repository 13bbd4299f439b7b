/** A map that forgets what has not been used for longest. */
export interface LruMap<K, V> {
  readonly size: number;
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
}

/** An empty map that keeps `capacity` entries. */
export function createLruMap<K, V>(capacity: number): LruMap<K, V> {
  // A Map iterates in the order of insertion: the first is the one not used for longest.
  const entries = new Map<K, V>();
  const renew = (key: K, value: V): void => {
    entries.delete(key);
    entries.set(key, value);
  };
  return {
    get size() {
      return entries.size;
    },
    get(key) {
      const value = entries.get(key);
      if (value !== undefined) renew(key, value);
      return value;
    },
    set(key, value) {
      renew(key, value);
      if (entries.size > capacity) entries.delete(entries.keys().next().value!);
    },
    delete(key) {
      entries.delete(key);
    },
  };
}
