/** A resource and its state before the last change, as JSON. */
interface Entry<T> {
  /** The current state. Undefined: the resource is deleted, but readers may still see it. */
  readonly value?: T;
  /** The state that readers saw before the last change. Undefined: they saw none. */
  readonly before?: T;
  readonly changedAtMs: number;
}

export type SavedReplica<T> = readonly (readonly [name: string, entry: Entry<T>])[];

export interface ReplicaOptions {
  /** Clock in milliseconds. */
  readonly now: () => number;
  /** How long readers still see the state before a change. */
  readonly readDelayMs: number;
}

/** Resources by name. Writers see a change at once. Readers see it after a delay, such as in a cloud with read replicas. */
export interface Replica<T> {
  /** The current state. */
  get(name: string): T | undefined;
  /** The state that readers see now. */
  read(name: string): T | undefined;
  all(): readonly T[];
  /** The states that readers see now, sorted by name. */
  readAll(): readonly T[];
  put(name: string, value: T): void;
  remove(name: string): void;
  /** Changes or removes a resource outside of the API. Readers see it at once. */
  drift(name: string, value: T | undefined): void;
  saved(): SavedReplica<T>;
}

/** An empty replica, or a saved one. */
export function createReplica<T>(
  { now, readDelayMs }: ReplicaOptions,
  saved: SavedReplica<T> = [],
): Replica<T> {
  const entries = new Map(saved);
  const isVisible = ({ changedAtMs }: Entry<T>): boolean => now() >= changedAtMs + readDelayMs;
  const visible = (entry: Entry<T> | undefined): T | undefined => {
    if (entry === undefined) return undefined;
    return isVisible(entry) ? entry.value : entry.before;
  };
  const change = (name: string, value: T | undefined): void => {
    const before = visible(entries.get(name));
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
      if (entry.value === undefined && isVisible(entry)) entries.delete(name);
    }
  };
  const sorted = (values: readonly (readonly [string, T | undefined])[]): readonly T[] =>
    values
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, value]) => (value === undefined ? [] : [value]));

  return {
    get: (name) => entries.get(name)?.value,
    read: (name) => visible(entries.get(name)),
    all: () => sorted([...entries].map(([name, { value }]) => [name, value])),
    readAll: () => sorted([...entries].map(([name, entry]) => [name, visible(entry)])),
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
