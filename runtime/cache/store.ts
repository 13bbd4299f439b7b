import { AsyncSubject, Observable } from 'rxjs';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { wellFormed } from '../../apis/core/v1alpha1/well-formed.ts';
import type { Selection } from '../client/kubernetes-client.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import { withoutManagedFields } from './managed-fields.ts';
import { compareResourceVersions } from './resource-version.ts';
import { selects } from './selection.ts';
import { createStoreIndex } from './store-index.ts';
import type { StreamEvent } from './stream-event.ts';

export type Change<T> =
  /** `isOwn`: a write of this process caused it. */
  | { readonly type: 'added'; readonly object: T; readonly isOwn?: true }
  | { readonly type: 'modified'; readonly object: T; readonly previous: T; readonly isOwn?: true }
  /** `isLast`: `object` is the last state, from the API server's deletion event; else the last state that was seen. */
  | { readonly type: 'deleted'; readonly object: T; readonly isLast?: true };

/**
 * The newest known object for each key of one kind. Objects are shared and never mutated.
 *
 *     claims.addIndex('class', ({ spec: { classRef } }) => (classRef?.name ? [classRef.name] : []));
 *     claims.byIndex('class', 'small'); // no search, and no request
 *     claims.changes$.pipe(filter(({ type }) => type === 'deleted')); // existing objects come first, as added
 */
export interface Store<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  get(key: ObjectKey): T | undefined;
  all(): readonly T[];
  /** The objects for which the named index yields `value`. Throws for an unknown index. */
  byIndex(index: string, value: string): readonly T[];
  /** Defines an index over present and future objects. A second definition under the same name is ignored. */
  addIndex(index: string, valuesOf: (object: T) => readonly string[]): void;
  /** At subscription, emits each present object as `added`, in slices if there are many. Then emits each change. */
  readonly changes$: Observable<Change<T>>;
  /** Whether it has held a complete list. */
  readonly isSynced: boolean;
  /** Emits once it holds a complete list, and completes. */
  readonly synced$: Observable<void>;
  /**
   * Takes an object that a read or write returned, if it is newer than the stored one, so that a reconcile reads its own
   * writes. Removes an object whose last finalizer the write removed. `isOwn`: the object is the answer to a write.
   */
  record(object: T, options?: { readonly isOwn: boolean }): void;
}

/** A store with the method through which its watch stream fills it. */
export interface StreamedStore<T extends KubernetesObject> extends Store<T> {
  /** Takes the next event of the kind's watch stream. */
  apply(event: StreamEvent<T>): void;
}

export interface StoreOptions {
  /** The selection of the watch stream; recorded objects that it does not select are dropped. Default: everything. */
  readonly selection?: Selection;
  /** Logs when an index function throws for an object; that index then lacks the object. */
  readonly log?: Pick<Logger, 'error'>;
  readonly clock: Pick<Clock, 'turns'>;
}

/** How many objects are replayed at a time. */
const replaySlice = 100;

/** One subscriber of `changes$` and the changes not yet delivered, oldest first. */
interface Listener<T> {
  next: number;
  pending: Change<T>[];
  isDelivering: boolean;
  readonly deliver: (change: Change<T>) => void;
  readonly isClosed: () => boolean;
}

const versionOf = (object: KubernetesObject): string => object.metadata.resourceVersion ?? '';

/** Whether the object no longer exists: it is being deleted and its last finalizer is gone. */
const isFinallyDeleted = ({ metadata: { deletionTimestamp, finalizers } }: KubernetesObject): boolean =>
  deletionTimestamp !== undefined && !finalizers?.length;

/**
 * An empty store. Versions decide, not the order of arrival: the stream's events and the answers to writes may arrive in
 * any order. A recorded object that the store does not hold is dropped if it is older than the stream's position: it was
 * deleted since.
 */
export function createStore<T extends KubernetesObject>(
  kind: Kind<T>,
  { selection = {}, log, clock }: StoreOptions,
): StreamedStore<T> {
  const isSelected = selects(selection);
  const objects = new Map<string, T>();
  const indexes = new Map<string, ReturnType<typeof createStoreIndex<T>>>();
  const listeners = new Set<Listener<T>>();
  let all: readonly T[] | undefined;
  let isSynced = false;
  const synced$ = new AsyncSubject<void>();
  /** The stream's position: a resourceVersion. */
  let position = '';
  /** The keys that the current list has shown so far. */
  let listed = new Set<string>();
  /** The objects that a write of this process deleted, until the stream reports the deletion: the last version by UID. */
  const deletedByWrite = new Map<string, string>();
  /** The API server was restored to an older state, and no list has been completed since. */
  let isRewound = false;

  const advance = (resourceVersion: string): void => {
    if (compareResourceVersions(resourceVersion, position) > 0) position = resourceVersion;
  };

  function drain(listener: Listener<T>): void {
    if (listener.isDelivering) return;
    listener.isDelivering = true;
    while (listener.next < listener.pending.length && !listener.isClosed()) {
      const change = listener.pending[listener.next]!;
      listener.next += 1;
      listener.deliver(change);
    }
    listener.pending = [];
    listener.next = 0;
    listener.isDelivering = false;
  }

  /**
   * Delivers the present objects to a new listener: a few at once, many in slices. Changes that happen during that time are
   * delivered afterwards.
   */
  function replay(listener: Listener<T>): void {
    const count = listener.pending.length;
    if (count <= replaySlice) {
      drain(listener);
      return;
    }
    listener.isDelivering = true;
    const deliverSlice = (): void => {
      const end = Math.min(listener.next + replaySlice, count);
      while (listener.next < end && !listener.isClosed()) {
        const change = listener.pending[listener.next]!;
        listener.next += 1;
        listener.deliver(change);
      }
      if (listener.isClosed()) return;
      if (listener.next < count) {
        clock.turns.run(deliverSlice);
        return;
      }
      listener.isDelivering = false;
      drain(listener);
    };
    clock.turns.run(deliverSlice);
  }

  /** Queues the change for all listeners before any gets it. A change that a listener causes is delivered after it. */
  function publish(change: Change<T>): void {
    for (const listener of listeners) listener.pending.push(change);
    for (const listener of [...listeners]) drain(listener);
  }

  function put(key: string, object: T, { isForced = false, isOwn = false } = {}): void {
    const previous = objects.get(key);
    if (previous !== undefined) {
      const order = compareResourceVersions(versionOf(object), versionOf(previous));
      if (order === 0 || (order < 0 && !isForced)) return; // guard(order === 0): an older version replaces a newer one
    }
    const stored = wellFormed(kind, withoutManagedFields(object));
    objects.set(key, stored);
    all = undefined;
    for (const index of indexes.values()) index.replace(key, previous, stored);
    const own = isOwn ? ({ isOwn } as const) : {};
    if (previous === undefined) publish({ type: 'added', object: stored, ...own });
    // guard(true): a recreated object counts as modified
    else if (previous.metadata.uid === stored.metadata.uid) {
      publish({ type: 'modified', object: stored, previous, ...own });
    } else {
      publish({ type: 'deleted', object: previous });
      publish({ type: 'added', object: stored });
    }
  }

  function remove(key: string, last?: T): void {
    const previous = objects.get(key);
    if (previous === undefined) return;
    objects.delete(key);
    all = undefined;
    for (const index of indexes.values()) index.replace(key, previous, undefined);
    const isSame = last !== undefined && last.metadata.uid === previous.metadata.uid;
    publish(
      isSame
        ? { type: 'deleted', object: wellFormed(kind, withoutManagedFields(last)), isLast: true }
        : { type: 'deleted', object: previous },
    );
  }

  /** Whether a late event is about an object that was deleted since. */
  const isPast = ({ metadata: { uid = '' } }: T): boolean => deletedByWrite.has(uid);

  function takePage(page: readonly T[], resourceVersion: string): void {
    // A consistent list is never older than the stream's position, unless etcd was restored from a backup. Then versions
    // cannot be compared, and only the list counts.
    if (compareResourceVersions(resourceVersion, position) < 0) {
      isRewound = true;
      position = resourceVersion;
    }
    for (const object of page) {
      const key = objectKeyText(object.metadata);
      listed.add(key);
      // The list has the object. Its deletion will still be reported, or a restore from a backup brought it back.
      deletedByWrite.delete(object.metadata.uid ?? '');
      put(key, object, { isForced: isRewound });
    }
  }

  function finishList(resourceVersion: string): void {
    for (const [key, object] of [...objects]) {
      // A write may have added an object after the list was taken.
      const isNewer = compareResourceVersions(versionOf(object), resourceVersion) > 0;
      // guard: objects that were deleted without a watch stay in the store
      if (!listed.has(key) && (isRewound || !isNewer)) remove(key);
    }
    for (const [uid, version] of deletedByWrite) {
      if (isRewound || compareResourceVersions(version, resourceVersion) <= 0) deletedByWrite.delete(uid);
    }
    listed = new Set();
    isRewound = false;
    advance(resourceVersion);
    isSynced = true;
    synced$.next();
    synced$.complete();
  }

  return {
    kind,
    get: (key) => objects.get(objectKeyText(key)),
    all: () => (all ??= [...objects.values()]),
    byIndex(name, value) {
      const index = indexes.get(name);
      if (index === undefined) throw new Error(`there is no index "${name}" of ${kind.plural}`);
      return index.get(value);
    },
    addIndex(name, valuesOf) {
      if (indexes.has(name)) return;
      const index = createStoreIndex<T>((object) => {
        try {
          return valuesOf(object);
        } catch (error) {
          // One malformed object must not stop the kind.
          log?.error('a bug in an index: this object is missing from it', {
            index: name,
            kind: kind.plural,
            error,
          });
          return [];
        }
      });
      for (const [key, object] of objects) index.replace(key, undefined, object);
      indexes.set(name, index);
    },
    changes$: new Observable<Change<T>>((subscriber) => {
      const listener: Listener<T> = {
        next: 0,
        pending: [...objects.values()].map((object) => ({ type: 'added', object })),
        isDelivering: false,
        deliver: (change) => subscriber.next(change),
        isClosed: () => subscriber.closed,
      };
      listeners.add(listener);
      subscriber.add(() => listeners.delete(listener));
      replay(listener);
    }),
    get isSynced() {
      return isSynced;
    },
    synced$: synced$.asObservable(),
    record(object, { isOwn } = { isOwn: false }) {
      const key = objectKeyText(object.metadata);
      const known = objects.get(key);
      const version = versionOf(object);
      if (isPast(object)) return;
      if (isFinallyDeleted(object)) {
        const { uid = '' } = object.metadata;
        const isKnown = known?.metadata.uid === uid;
        // In all other cases the stream has already reported the deletion, or never reports it.
        if (isKnown || (isSelected(object) && compareResourceVersions(version, position) > 0))
          deletedByWrite.set(uid, version);
        if (isKnown) remove(key, object);
      } else if (known === undefined) {
        // guard(isSelected(object)): a late answer restores a deleted object
        if (compareResourceVersions(version, position) > 0 && isSelected(object)) put(key, object, { isOwn });
      } else if (isSelected(object)) put(key, object, { isOwn });
      else if (compareResourceVersions(version, versionOf(known)) > 0) remove(key);
    },
    apply(event) {
      switch (event.type) {
        case 'restart':
          listed = new Set();
          return;
        case 'listed':
          return takePage(event.objects, event.resourceVersion);
        case 'synced':
          return finishList(event.resourceVersion);
        case 'applied':
          advance(versionOf(event.object));
          if (isPast(event.object)) return; // guard: a late event restores a deleted object
          return put(objectKeyText(event.object.metadata), event.object);
        case 'deleted': {
          advance(versionOf(event.object));
          const key = objectKeyText(event.object.metadata);
          deletedByWrite.delete(event.object.metadata.uid ?? '');
          const known = objects.get(key);
          // The event is older than the stored object: the name was reused, or the object is in the selection again.
          if (known && compareResourceVersions(versionOf(event.object), versionOf(known)) < 0) return;
          return remove(key, event.object);
        }
      }
    },
  };
}
