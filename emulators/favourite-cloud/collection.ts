import { conflict, notFound } from './problem.ts';

/** What a collection knows of each of its items, beside what the item is; JSON but for an infinite number. */
export interface Entry<T> {
  item: T;
  /** Where it stands in the list. */
  readonly sequence: number;
  readonly createdAtMs: number;
  deletedAtMs: number | undefined;
  /** What readers saw before the last change; undefined: nothing. */
  before: Snapshot<T> | undefined;
  changedAtMs: number;
}

export type Phase = 'creating' | 'online' | 'deleting';

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
  /** How long readers go on seeing what was before a change. */
  readonly readDelayMs: number;
}

/** All there is of a collection, as JSON can hold it. */
export type SavedCollection<T> = readonly (readonly [name: string, entry: Entry<T>])[];

/**
 * Things by name whose creation and deletion take time. Nothing ticks: the phase of an item follows from the
 * clock whenever somebody looks. Writes see the truth at once, reads only after the read delay, as in a cloud
 * whose reads go to replicas.
 */
export interface Collection<T> {
  /** As readers see it now; throws 404. */
  read(name: string): Snapshot<T>;
  /** As readers see them now, at most `limit`; `after` is the `next` of the page before, at first 0. */
  page(after: number, limit: number): { readonly items: readonly Snapshot<T>[]; readonly next?: number };
  /** As it is; throws 404. */
  require(name: string): Snapshot<T>;
  /** All as they are. */
  all(): readonly Snapshot<T>[];
  /** Throws 409 if the name is taken, also by an item that is being deleted. */
  add(name: string, item: T): Snapshot<T>;
  /** Throws 404, and 409 unless it is online. */
  change(name: string, change: (item: T) => T): Snapshot<T>;
  /** Changes an item behind everybody's back, whatever its phase; readers see it at once. */
  drift(name: string, change: (item: T) => T): void;
  /** Throws 404; deleting what is being deleted is no error. */
  remove(name: string): Snapshot<T>;
  /** For another collection to go on from. */
  saved(): SavedCollection<T>;
  /** Takes an item away behind everybody's back, at once and for all readers. */
  lose(name: string): void;
}

/** An empty collection, or a saved one. */
export function createCollection<T>(
  options: CollectionOptions,
  saved: SavedCollection<T> = [],
): Collection<T> {
  const { noun, now } = options;
  const entries = entriesOf(options, saved);
  const { find, seen, truth, phaseOf } = entries;
  const existing = (name: string): Entry<T> => {
    const entry = find(name);
    if (entry === undefined) throw notFound(noun, name);
    return entry;
  };
  const touch = (entry: Entry<T>, act: () => void): Snapshot<T> => {
    entry.before = seen(entry);
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
  const seen = (entry: Entry<T>): Snapshot<T> | undefined => {
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
    const snapshot = entry && seen(entry);
    if (snapshot === undefined) find(name);
    return snapshot;
  };

  return {
    find,
    seen,
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
