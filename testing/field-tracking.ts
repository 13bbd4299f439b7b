import type { KubernetesObject } from '../apis/core/v1alpha1/kind.ts';

/** An entry of `metadata.managedFields`: the manager and its operation. */
export interface ManagedFields {
  readonly manager: string;
  readonly operation: 'Update' | 'Apply';
}

/**
 * The managers that have written each object, as an API server tracks them: from the creation until a write clears them,
 * and again from the first server-side apply on. That apply attributes earlier writes to `before-first-apply`. Single
 * fields are not tracked.
 */
export interface FieldTracking {
  /** Starts tracking a new object that one manager wrote. */
  begin(uid: string, entry: ManagedFields): void;
  /** Tracks a write; `given` is its `managedFields`. Returns whether it cleared the tracking. */
  written(uid: string, entry: ManagedFields, given?: unknown): boolean;
  /** Forgets a deleted object. */
  forget(uid: string): void;
  /** The object with its tracked managers. */
  shown<T extends KubernetesObject>(object: T): T;
}

const isClearing = (given: unknown): boolean =>
  Array.isArray(given) && given.length === 1 && Object.keys(given[0] as object).length === 0;

export function createFieldTracking(): FieldTracking {
  const tracked = new Map<string, readonly ManagedFields[]>();
  const entriesOf = (uid: string): readonly ManagedFields[] => tracked.get(uid) ?? [];
  return {
    begin: (uid, entry) => void tracked.set(uid, [entry]),
    written(uid, entry, given) {
      const entries = entriesOf(uid);
      if (isClearing(given)) return tracked.delete(uid);
      const isFirstApply = entries.length === 0 && entry.operation === 'Apply';
      if (entries.length === 0 && !isFirstApply) return false;
      const before: readonly ManagedFields[] = isFirstApply
        ? [{ manager: 'before-first-apply', operation: 'Update' }]
        : entries;
      const isKnown = before.some(
        ({ manager, operation }) => manager === entry.manager && operation === entry.operation,
      );
      tracked.set(uid, isKnown ? before : [...before, entry]);
      return false;
    },
    forget: (uid) => void tracked.delete(uid),
    shown(object) {
      const managedFields = entriesOf(object.metadata.uid ?? '');
      if (managedFields.length === 0) return object;
      return { ...object, metadata: { ...object.metadata, managedFields } };
    },
  };
}
