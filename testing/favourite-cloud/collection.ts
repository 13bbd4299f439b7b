import { conflict, notFound } from './problem.ts';

/** An item, with its history. It is JSON except that `changedAtMs` may be infinite. */
interface Entry<T> {
  item: T;
  /** The place in the list. */
  readonly sequence: number;
  readonly createdAtMs: number;
  deletedAtMs: number | undefined;
  /** The item before the last change, as readers saw it. Undefined: readers saw none. */
  before: Snapshot<T> | undefined;
  changedAtMs: number;
}

type Phase = 'creating' | 'online' | 'deleting';

export interface Snapshot<T> {
  readonly item: T;
  readonly phase: Phase;
}

export interface CollectionOptions {
  /** For messages: `instance`. */
  readonly noun: string;
  /** Clock in milliseconds. */
  readonly now: () => number;
  /** How long creation takes. */
  readonly provisioningMs: number;
  /** How long deletion takes. */
  readonly deletionMs: number;
  /** How long readers still see the state before a change. */
  readonly readDelayMs: number;
}

/** A whole collection, as JSON. */
export type SavedCollection<T> = readonly (readonly [name: string, entry: Entry<T>])[];

/**
 * Items by name. Creation and deletion take time. There are no timers: each call computes the phase of an item from the
 * clock. Writers see a change at once. Readers see it after the read delay, such as in a cloud that reads from replicas.
 */
export interface Collection<T> {
  /** The item as readers see it now. Throws 404. */
  read(name: string): Snapshot<T>;
  /** At most `limit` items as readers see them now. `after` is the `next` of the previous page; first 0. */
  page(after: number, limit: number): { readonly items: readonly Snapshot<T>[]; readonly next?: number };
  /** The current item. Throws 404. */
  require(name: string): Snapshot<T>;
  /** All current items. */
  all(): readonly Snapshot<T>[];
  /** Throws 409 if an item has the name, even one that is being deleted. */
  add(name: string, item: T): Snapshot<T>;
  /** Throws 404, and 409 unless it is online. */
  change(name: string, change: (item: T) => T): Snapshot<T>;
  /** Changes an item outside of the API, in any phase. Readers see the change at once. */
  drift(name: string, change: (item: T) => T): void;
  /** Throws 404. Does nothing if the item is being deleted. */
  remove(name: string): Snapshot<T>;
  /** The whole collection, for a later process. */
  saved(): SavedCollection<T>;
  /** Removes an item outside of the API, at once and for all readers. */
  lose(name: string): void;
}

/** An empty collection, or a saved one. */
export function createCollection<T>(
  options: CollectionOptions,
  saved: SavedCollection<T> = [],
): Collection<T> {
  const { noun, now } = options;
  const entries = entriesOf(options, saved);
  const { find, visible, truth, phaseOf } = entries;
  const existing = (name: string): Entry<T> => {
    const entry = find(name);
    if (entry === undefined) throw notFound(noun, name);
    return entry;
  };
  const touch = (entry: Entry<T>, act: () => void): Snapshot<T> => {
    entry.before = visible(entry);
    entry.changedAtMs = now();
    act();
    return truth(entry);
  };

  return {
    read(name) {
      const snapshot = entries.readByName(name);
      if (snapshot === undefined) throw notFound(noun, name);
      return snapshot;
    },
    page: entries.page,
    require: (name) => truth(existing(name)),
    all: () =>
      entries
        .names()
        .flatMap((name) => find(name) ?? [])
        .map(truth),
    add(name, item) {
      if (find(name) !== undefined) throw conflict('AlreadyExists', `${noun} "${name}" exists already`);
      return truth(entries.append(name, item));
    },
    change(name, change) {
      const entry = existing(name);
      const phase = phaseOf(entry);
      if (phase !== 'online') throw conflict('NotReady', `${noun} "${name}" is ${phase}`);
      return touch(entry, () => {
        entry.item = change(entry.item);
      });
    },
    drift(name, change) {
      const entry = existing(name);
      entry.item = change(entry.item);
      entry.changedAtMs = Number.NEGATIVE_INFINITY;
    },
    remove(name) {
      const entry = existing(name);
      if (entry.deletedAtMs !== undefined) return truth(entry);
      return touch(entry, () => {
        entry.deletedAtMs = now();
      });
    },
    saved: entries.saved,
    lose: entries.lose,
  };
}

/** The entries of a collection, and how readers see them at this moment. */
function entriesOf<T>(
  { now, provisioningMs, deletionMs, readDelayMs }: CollectionOptions,
  saved: SavedCollection<T>,
) {
  // JSON has no infinity. `drift` sets it, so that all readers see the current item.
  const restored = (entry: Entry<T>): Entry<T> => ({
    ...entry,
    changedAtMs: entry.changedAtMs ?? Number.NEGATIVE_INFINITY,
  });
  const entries = new Map(saved.map(([name, entry]) => [name, restored(entry)]));
  let sequence = Math.max(0, ...saved.map(([, entry]) => entry.sequence));

  const isGone = ({ deletedAtMs }: Entry<T>): boolean =>
    deletedAtMs !== undefined && now() >= deletedAtMs + deletionMs;
  const phaseOf = ({ createdAtMs, deletedAtMs }: Entry<T>): Phase => {
    if (deletedAtMs !== undefined) return 'deleting';
    return now() >= createdAtMs + provisioningMs ? 'online' : 'creating';
  };
  const truth = (entry: Entry<T>): Snapshot<T> => ({ item: entry.item, phase: phaseOf(entry) });
  const visible = (entry: Entry<T>): Snapshot<T> | undefined => {
    if (now() < entry.changedAtMs + readDelayMs) return entry.before;
    return isGone(entry) ? undefined : truth(entry);
  };
  /** The current entry. Forgets an entry that was deleted and that no reader sees any more. */
  const find = (name: string): Entry<T> | undefined => {
    const entry = entries.get(name);
    if (entry === undefined || !isGone(entry)) return entry;
    if (now() >= entry.changedAtMs + readDelayMs) entries.delete(name);
    return undefined;
  };
  const readByName = (name: string): Snapshot<T> | undefined => {
    const entry = entries.get(name);
    const snapshot = entry && visible(entry);
    if (snapshot === undefined) find(name);
    return snapshot;
  };

  return {
    find,
    visible,
    truth,
    phaseOf,
    readByName,
    names: () => [...entries.keys()],
    /** Adds an entry at the end of the list. */
    append(name: string, item: T): Entry<T> {
      entries.delete(name);
      const atMs = now();
      const entry: Entry<T> = {
        item,
        sequence: ++sequence,
        createdAtMs: atMs,
        deletedAtMs: undefined,
        before: undefined,
        changedAtMs: atMs,
      };
      entries.set(name, entry);
      return entry;
    },
    page(after: number, limit: number): ReturnType<Collection<T>['page']> {
      const items: Snapshot<T>[] = [];
      let next = after;
      for (const [name, entry] of entries) {
        if (entry.sequence <= after) continue;
        const snapshot = readByName(name);
        if (snapshot === undefined) continue;
        if (items.length === limit) return { items, next };
        items.push(snapshot);
        next = entry.sequence;
      }
      return { items };
    },
    saved: (): SavedCollection<T> => [...entries].filter(([name]) => find(name) !== undefined),
    lose: (name: string): void => void entries.delete(name),
  };
}
