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

/** An empty collection, or one that goes on from what was saved. */
export function createCollection<T>(
  options: CollectionOptions,
  saved: SavedCollection<T> = [],
): Collection<T> {
  const { noun, now, provisioningMs, deletionMs, readDelayMs } = options;
  // JSON has no infinity, which drifted items have here: everybody sees what is.
  const restored = (entry: Entry<T>) => ({
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
  const find = (name: string): Entry<T> | undefined => {
    const entry = entries.get(name);
    if (entry === undefined || !isGone(entry)) return entry;
    // Readers may still see it; a new one of that name replaces it.
    if (now() >= entry.changedAtMs + readDelayMs) entries.delete(name);
    return undefined;
  };
  const seen = (entry: Entry<T>): Snapshot<T> | undefined => {
    if (now() < entry.changedAtMs + readDelayMs) return entry.before;
    return isGone(entry) ? undefined : truth(entry);
  };
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
      const entry = entries.get(name);
      const snapshot = entry && seen(entry);
      if (snapshot === undefined) {
        find(name); // forgets what is gone for good
        throw notFound(noun, name);
      }
      return snapshot;
    },
    page(after, limit) {
      const items: Snapshot<T>[] = [];
      let next = after;
      for (const [name, entry] of entries) {
        if (entry.sequence <= after) continue;
        const snapshot = seen(entry);
        if (snapshot === undefined) {
          find(name); // forgets what is gone for good
          continue;
        }
        if (items.length === limit) return { items, next };
        items.push(snapshot);
        next = entry.sequence;
      }
      return { items };
    },
    require: (name) => truth(existing(name)),
    all: () => [...entries.keys()].flatMap((name) => find(name) ?? []).map(truth),
    add(name, item) {
      if (find(name) !== undefined) throw conflict('AlreadyExists', `${noun} "${name}" exists already`);
      entries.delete(name); // so that the new one is the last of the list
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
      return truth(entry);
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
    saved: () => [...entries].filter(([name]) => find(name) !== undefined),
    lose: (name) => void entries.delete(name),
  };
}
