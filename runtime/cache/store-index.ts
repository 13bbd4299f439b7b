/** Objects by the values that an index function returns for them. */
export interface StoreIndex<T> {
  get(value: string): readonly T[];
  /** Removes `before` and adds `after`; both are the object with this key. */
  replace(key: string, before: T | undefined, after: T | undefined): void;
}

interface Bucket<T> {
  readonly objects: Map<string, T>;
  /** The objects as an array; undefined after a change. */
  array: readonly T[] | undefined;
}

/** An empty index. `valuesOf` must be pure: the values of an object are computed again to remove it. */
export function createStoreIndex<T>(valuesOf: (object: T) => readonly string[]): StoreIndex<T> {
  const buckets = new Map<string, Bucket<T>>();
  return {
    get(value) {
      const bucket = buckets.get(value);
      if (bucket === undefined) return [];
      bucket.array ??= [...bucket.objects.values()];
      return bucket.array;
    },
    replace(key, before, after) {
      const wanted = after === undefined ? [] : valuesOf(after);
      for (const value of before === undefined ? [] : valuesOf(before)) {
        const bucket = buckets.get(value);
        if (bucket === undefined || wanted.includes(value)) continue;
        bucket.objects.delete(key);
        bucket.array = undefined;
        if (bucket.objects.size === 0) buckets.delete(value);
      }
      for (const value of wanted) {
        let bucket = buckets.get(value);
        if (bucket === undefined) {
          bucket = { objects: new Map(), array: undefined };
          buckets.set(value, bucket);
        }
        bucket.objects.set(key, after!);
        bucket.array = undefined;
      }
    },
  };
}
