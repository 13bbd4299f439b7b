import type { Collection, Delays, SavedCollection } from './collection.ts';
import { createCollection } from './collection.ts';

/** All resources of the cloud: a collection for each account, region and sort. */
export interface Inventory {
  /** The resources of one sort (`ec2/vpc`) in one place. The first call creates the collection. */
  collection<T>(place: Place, sort: string, delays: Delays): Collection<T>;
  /** The resources of one sort in all places. */
  everywhere<T>(sort: string): readonly (readonly [place: Place, collection: Collection<T>])[];
  saved(): SavedInventory;
}

export interface Place {
  /** The id of the account. */
  readonly account: string;
  readonly region: string;
}

/** The field of a saved collection. Files of every version have it, so that its name stays. */
export const savedField = 'things';

/** A whole inventory, as JSON. A key is account, region and sort, with spaces between them. */
export type SavedInventory = Readonly<
  Record<string, { readonly delays: Delays; readonly [savedField]: SavedCollection }>
>;

/** An empty inventory, or a saved one. `now` is a clock in milliseconds. */
export function createInventory(now: () => number, saved: SavedInventory = {}): Inventory {
  const held = new Map<string, { readonly delays: Delays; readonly collection: Collection<unknown> }>();
  for (const [key, { delays, [savedField]: collection }] of Object.entries(saved)) {
    held.set(key, { delays, collection: createCollection(delays, now, collection) });
  }
  return {
    collection<T>({ account, region }: Place, sort: string, delays: Delays) {
      const key = `${account} ${region} ${sort}`;
      const found = held.get(key) ?? { delays, collection: createCollection<unknown>(delays, now) };
      held.set(key, found);
      return found.collection as Collection<T>;
    },
    everywhere: <T>(sort: string) =>
      [...held].flatMap(([key, { collection }]) => {
        const [account = '', region = '', of] = key.split(' ');
        return of === sort ? [[{ account, region }, collection as Collection<T>] as const] : [];
      }),
    saved: () =>
      Object.fromEntries(
        [...held].map(([key, { delays, collection }]) => [key, { delays, [savedField]: collection.saved() }]),
      ),
  };
}
