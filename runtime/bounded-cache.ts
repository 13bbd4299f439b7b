import { LRUCache } from 'lru-cache';

/** How long entries are valid, and by which clock. */
export type Freshness = Required<
  Pick<LRUCache.OptionsTTLLimit<string, object, unknown>, 'ttl' | 'ttlResolution' | 'perf'>
>;

/**
 * A cache with at most `most` entries; the least recently used entry is removed first. It grows with use. lru-cache's own
 * `max` would allocate memory for all entries at creation.
 */
export const boundedCache = <V extends object>(most: number, freshness?: Freshness): LRUCache<string, V> =>
  new LRUCache<string, V>({ ...freshness, maxSize: most, sizeCalculation: () => 1 });
