import type { Collection, Delays, SavedCollection } from './collection.ts';
import { createCollection } from './collection.ts';

/** Everything that the cloud holds: collections by account, region and sort. */
export interface Estate {
  /** The things of one sort (`ec2/vpc`) in one place. Made when it is first asked for. */
  collection<T>(place: Place, sort: string, delays: Delays): Collection<T>;
  /** The things of one sort in all places, with these. */
  everywhere<T>(sort: string): readonly (readonly [place: Place, things: Collection<T>])[];
  saved(): SavedEstate;
}

export interface Place {
  /** The number of the account. */
  readonly account: string;
  readonly region: string;
}

/** All there is of an estate, as JSON can hold it: by account, region and sort, parted by spaces. */
export type SavedEstate = Readonly<
  Record<string, { readonly delays: Delays; readonly things: SavedCollection }>
>;

/** An empty estate, or one that goes on from what was saved. `now` is a clock in milliseconds. */
export function createEstate(now: () => number, saved: SavedEstate = {}): Estate {
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
