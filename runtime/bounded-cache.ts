import { LRUCache } from 'lru-cache';

/** How long entries are good, and by which clock. */
export type Freshness = Required<
  Pick<LRUCache.OptionsTTLLimit<string, object, unknown>, 'ttl' | 'ttlResolution' | 'perf'>
>;

/**
 * A cache of so many entries at most: then the one that was used least recently makes room. It grows as it is used, while
 * with lru-cache's own `max` room for all of them is set aside when it is made.
 */
export const boundedCache = <V extends object>(most: number, freshness?: Freshness): LRUCache<string, V> =>
  new LRUCache<string, V>({ ...freshness, maxSize: most, sizeCalculation: () => 1 });
