/** What is known of a thing, as JSON can hold it. */
export interface Entry<T> {
  /** As it is; undefined: it is gone, and readers may still see it. */
  readonly value?: T;
  /** As readers saw it before the last change; undefined: not at all. */
  readonly before?: T;
  readonly changedAtMs: number;
}

export type SavedReplica<T> = readonly (readonly [name: string, entry: Entry<T>])[];

export interface ReplicaOptions {
  /** Clock in milliseconds. */
  readonly now: () => number;
  /** How long readers go on seeing what was before a change. */
  readonly readDelayMs: number;
}

/** Things by name; writers see the truth at once, readers after a delay, as in a cloud whose reads go to replicas. */
export interface Replica<T> {
  /** As it is. */
  get(name: string): T | undefined;
  /** As readers see it now. */
  read(name: string): T | undefined;
  all(): readonly T[];
  /** As readers see them now, by name. */
  readAll(): readonly T[];
  put(name: string, value: T): void;
  remove(name: string): void;
  /** Changes a thing, or takes it away, behind everybody's back; readers see it at once. */
  drift(name: string, value: T | undefined): void;
  saved(): SavedReplica<T>;
}

/** Nothing, or what was saved. */
export function createReplica<T>(
  { now, readDelayMs }: ReplicaOptions,
  saved: SavedReplica<T> = [],
): Replica<T> {
  const entries = new Map(saved);
  const isSeen = ({ changedAtMs }: Entry<T>): boolean => now() >= changedAtMs + readDelayMs;
  const seen = (entry: Entry<T> | undefined): T | undefined => {
    if (entry === undefined) return undefined;
    return isSeen(entry) ? entry.value : entry.before;
  };
  const change = (name: string, value: T | undefined): void => {
    const before = seen(entries.get(name));
    const entry = {
      ...(value !== undefined && { value }),
      ...(before !== undefined && { before }),
      changedAtMs: now(),
    };
    entries.set(name, entry);
    forget();
  };
  const forget = (): void => {
    for (const [name, entry] of entries) {
      if (entry.value === undefined && isSeen(entry)) entries.delete(name);
    }
  };
  const sorted = (values: readonly (readonly [string, T | undefined])[]): readonly T[] =>
    values
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, value]) => (value === undefined ? [] : [value]));

  return {
    get: (name) => entries.get(name)?.value,
    read: (name) => seen(entries.get(name)),
    all: () => sorted([...entries].map(([name, { value }]) => [name, value])),
    readAll: () => sorted([...entries].map(([name, entry]) => [name, seen(entry)])),
    put: change,
    remove: (name) => change(name, undefined),
    drift(name, value) {
      if (value === undefined) entries.delete(name);
      else entries.set(name, { value, before: value, changedAtMs: now() });
    },
    saved() {
      forget();
      return [...entries];
    },
  };
}
