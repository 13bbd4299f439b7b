import type { Collection, Delays, SavedCollection } from './collection.ts';
import { createCollection } from './collection.ts';

/** All resources of the cloud: a collection for each account, region and sort. */
export interface Inventory {
  /** The resources of one sort (`ec2/vpc`) in one place. The first call creates the collection. */
  collection<T>(place: Place, sort: string, delays: Delays): Collection<T>;
  /** The resources of one sort in all places. */
  everywhere<T>(sort: string): readonly (readonly [place: Place, things: Collection<T>])[];
  saved(): SavedInventory;
}

export interface Place {
  /** The id of the account. */
  readonly account: string;
  readonly region: string;
}

/** A whole inventory, as JSON. A key is account, region and sort, with spaces between them. */
export type SavedInventory = Readonly<
  Record<string, { readonly delays: Delays; readonly things: SavedCollection }>
>;

/** An empty inventory, or a saved one. `now` is a clock in milliseconds. */
export function createInventory(now: () => number, saved: SavedInventory = {}): Inventory {
  const held = new Map<string, { readonly delays: Delays; readonly things: Collection<unknown> }>();
  for (const [key, { delays, things }] of Object.entries(saved)) {
    held.set(key, { delays, things: createCollection(delays, now, things) });
  }
  return {
    collection<T>({ account, region }: Place, sort: string, delays: Delays) {
      const key = `${account} ${region} ${sort}`;
      const found = held.get(key) ?? { delays, things: createCollection<unknown>(delays, now) };
      held.set(key, found);
      return found.things as Collection<T>;
    },
    everywhere: <T>(sort: string) =>
      [...held].flatMap(([key, { things }]) => {
        const [account = '', region = '', of] = key.split(' ');
        return of === sort ? [[{ account, region }, things as Collection<T>] as const] : [];
      }),
    saved: () =>
      Object.fromEntries(
        [...held].map(([key, { delays, things }]) => [key, { delays, things: things.saved() }]),
      ),
  };
}
