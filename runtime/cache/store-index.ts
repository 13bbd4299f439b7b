/** Objects by the values that an index function returns for them. */
export interface StoreIndex<T> {
  get(value: string): readonly T[];
  /** Removes `before` and adds `after`; both are the object with this key. */
  replace(key: string, before: T | undefined, after: T | undefined): void;
}

/** The objects that share a value. */
interface Bucket<T> {
  readonly objects: Map<string, T>;
  /** The objects as an array; undefined after a change. */
  array: readonly T[] | undefined;
}

/** An empty index. `valuesOf` must be pure: the values of an object are computed again to remove it. */
export function createStoreIndex<T>(valuesOf: (object: T) => readonly string[]): StoreIndex<T> {
  /** The values with one object, which are most: a bucket for each would need three times the memory. */
  const singles = new Map<string, { readonly key: string; readonly object: T }>();
  const buckets = new Map<string, Bucket<T>>();

  function remove(key: string, value: string): void {
    if (singles.get(value)?.key === key) singles.delete(value);
    const bucket = buckets.get(value);
    if (bucket === undefined) return;
    bucket.objects.delete(key);
    bucket.array = undefined;
    if (bucket.objects.size === 0) buckets.delete(value);
  }

  function add(key: string, value: string, object: T): void {
    const single = singles.get(value);
    let bucket = buckets.get(value);
    if (bucket === undefined && (single === undefined || single.key === key)) {
      singles.set(value, { key, object });
      return;
    }
    if (bucket === undefined) {
      bucket = { objects: new Map(single && [[single.key, single.object]]), array: undefined };
      buckets.set(value, bucket);
      singles.delete(value);
    }
    bucket.objects.set(key, object);
    bucket.array = undefined;
  }

  return {
    get(value) {
      const single = singles.get(value);
      if (single !== undefined) return [single.object];
      const bucket = buckets.get(value);
      if (bucket === undefined) return [];
      bucket.array ??= [...bucket.objects.values()];
      return bucket.array;
    },
    replace(key, before, after) {
      const wanted = after === undefined ? [] : valuesOf(after);
      for (const value of before === undefined ? [] : valuesOf(before)) {
        if (!wanted.includes(value)) remove(key, value);
      }
      for (const value of wanted) add(key, value, after!);
    },
  };
}
