import type { KubernetesObject } from '../apis/core/v1alpha1/kind.ts';

/** As much of an entry of `metadata.managedFields` as says who, and how. */
export interface ManagedFields {
  readonly manager: string;
  readonly operation: 'Update' | 'Apply';
}

/**
 * Who has written each object, as an API server tracks it: from its creation on, until a write clears it, and again from the
 * first server-side apply on, which finds what is there in the name of `before-first-apply`. Which fields is not known.
 */
export interface FieldTracking {
  /** An object that begins with what one manager wrote. */
  begin(uid: string, entry: ManagedFields): void;
  /** A write of an object: `given` is what it says of `managedFields`. Answers whether that cleared them. */
  written(uid: string, entry: ManagedFields, given?: unknown): boolean;
  /** It is gone. */
  forget(uid: string): void;
  /** The object with what is tracked of it. */
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
