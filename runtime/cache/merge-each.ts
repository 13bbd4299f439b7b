import type { OperatorFunction } from 'rxjs';
import { filter, map, mergeMap } from 'rxjs';

/**
 * Emits the items of the list that `listOf` returns for each value. Unlike `mergeMap` alone, it subscribes to nothing for an
 * empty list, which is the usual one: most changes of a store concern few of its listeners.
 */
export const mergeEach =
  <T, R>(listOf: (value: T) => readonly R[]): OperatorFunction<T, R> =>
  (source) =>
    source.pipe(
      map(listOf),
      filter((items) => items.length > 0),
      mergeMap((items) => items),
    );
