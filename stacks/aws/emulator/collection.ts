/** An item, with its history. */
interface Entry<T> {
  item: T;
  readonly createdAtMs: number;
  deletedAtMs?: number | undefined;
  /** The item before the last change, as readers saw it. Absent: readers saw none. */
  before?: Snapshot<T> | undefined;
  changedAtMs: number;
}

/**
 * - `creating`, `deleting`: the cloud works on the item.
 * - `gone`: deleted, but still listed for some time, such as a terminated machine.
 */
export type Phase = 'creating' | 'available' | 'deleting' | 'gone';

export interface Snapshot<T> {
  readonly id: string;
  readonly item: T;
  readonly phase: Phase;
  /** When it was created, by the cloud's clock. */
  readonly createdAtMs: number;
}

/** How long the cloud takes, in milliseconds. */
export interface Delays {
  readonly provisioningMs: number;
  readonly deletionMs: number;
  /** How long readers still see the state before a change. */
  readonly readDelayMs: number;
  /** How long a deleted item is still listed. Default 0. */
  readonly lingersMs?: number;
}

/** A whole collection, as JSON. */
export type SavedCollection = readonly (readonly [id: string, entry: Entry<unknown>])[];

/**
 * Items by id. There are no timers: each call computes the phase of an item from the clock. Writers see a change at once.
 * Readers see it after the read delay, such as in a cloud that reads from replicas.
 */
export interface Collection<T> {
  /** The item as readers see it now. */
  visible(id: string): Snapshot<T> | undefined;
  /** All items as readers see them, the oldest first. */
  allVisible(): readonly Snapshot<T>[];
  /** The current item. */
  get(id: string): Snapshot<T> | undefined;
  /** All current items, the oldest first. */
  all(): readonly Snapshot<T>[];
  /** Replaces an item with the same id. */
  add(id: string, item: T): Snapshot<T>;
  /** Throws an Error if there is none. */
  change(id: string, change: (item: T) => T): Snapshot<T>;
  /** Gives an item another id. Readers see it at once. Throws an Error if there is none. */
  rename(id: string, to: string): Snapshot<T>;
  /** Does nothing if the item is being deleted or does not exist. */
  remove(id: string): void;
  /** Changes an item outside of the API. Readers see the change at once. Throws an Error if there is no item. */
  drift(id: string, change: (item: T) => T): void;
  /** Removes an item outside of the API, at once and for all readers. */
  lose(id: string): void;
  /** The whole collection, for a later process. */
  saved(): SavedCollection;
}

/** The phase of an item at a time; undefined: the item does not exist any more. */
function phaseAt<T>(
  { createdAtMs, deletedAtMs }: Entry<T>,
  delays: Delays,
  nowMs: number,
): Phase | undefined {
  const { provisioningMs, deletionMs, lingersMs = 0 } = delays;
  if (deletedAtMs === undefined) return nowMs >= createdAtMs + provisioningMs ? 'available' : 'creating';
  if (nowMs < deletedAtMs + deletionMs) return 'deleting';
  return nowMs < deletedAtMs + deletionMs + lingersMs ? 'gone' : undefined;
}

/** An empty collection, or a saved one. `now` is a clock in milliseconds. */
export function createCollection<T>(
  delays: Delays,
  now: () => number,
  saved: SavedCollection = [],
): Collection<T> {
  const entries = new Map(saved.map(([id, entry]) => [id, { ...entry } as Entry<T>]));
  const phaseOf = (entry: Entry<T>): Phase | undefined => phaseAt(entry, delays, now());

  function truth(id: string, entry: Entry<T>): Snapshot<T> | undefined {
    const phase = phaseOf(entry);
    const { item, createdAtMs } = entry;
    return phase && { id, item, phase, createdAtMs };
  }
  function visibleOf(id: string, entry: Entry<T>): Snapshot<T> | undefined {
    return now() < entry.changedAtMs + delays.readDelayMs ? entry.before : truth(id, entry);
  }
  function get(id: string): Snapshot<T> | undefined {
    const entry = entries.get(id);
    return entry && truth(id, entry);
  }
  function existing(id: string): Entry<T> {
    const entry = entries.get(id);
    if (entry === undefined || phaseOf(entry) === undefined) throw new Error(`there is no ${id}`);
    return entry;
  }
  /** Forgets the items that no reader sees any more. */
  function forget(): void {
    for (const [id, entry] of entries) {
      if (phaseOf(entry) === undefined && visibleOf(id, entry) === undefined) entries.delete(id);
    }
  }
  function touch(id: string, entry: Entry<T>, act: () => void): void {
    entry.before = visibleOf(id, entry);
    entry.changedAtMs = now();
    act();
  }

  return {
    visible(id) {
      const entry = entries.get(id);
      return entry && visibleOf(id, entry);
    },
    allVisible: () => [...entries].flatMap(([id, entry]) => visibleOf(id, entry) ?? []),
    get,
    all: () => [...entries].flatMap(([id, entry]) => truth(id, entry) ?? []),
    add(id, item) {
      forget();
      entries.delete(id); // so that the new one is the last of the list
      const entry: Entry<T> = { item, createdAtMs: now(), changedAtMs: now() };
      entries.set(id, entry);
      return truth(id, entry)!;
    },
    change(id, change) {
      const entry = existing(id);
      touch(id, entry, () => {
        entry.item = change(entry.item);
      });
      return truth(id, entry)!;
    },
    rename(id, to) {
      const entry = existing(id);
      entries.delete(id);
      entries.set(to, { ...entry, changedAtMs: Number.MIN_SAFE_INTEGER });
      return truth(to, entry)!;
    },
    remove(id) {
      const entry = entries.get(id);
      if (entry === undefined || entry.deletedAtMs !== undefined) return;
      touch(id, entry, () => {
        entry.deletedAtMs = now();
      });
    },
    drift(id, change) {
      const entry = existing(id);
      entry.item = change(entry.item);
      entry.changedAtMs = Number.MIN_SAFE_INTEGER;
    },
    lose: (id) => void entries.delete(id),
    saved() {
      forget();
      return [...entries];
    },
  };
}
