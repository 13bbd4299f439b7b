import { Observable } from 'rxjs';
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
  /** `isOwn`: a write of this process brought it about. */
  | { readonly type: 'added'; readonly object: T; readonly isOwn?: true }
  | { readonly type: 'modified'; readonly object: T; readonly previous: T; readonly isOwn?: true }
  /** `isLast`: its last state, as the API server told of its end; else only what was last seen of it. */
  | { readonly type: 'deleted'; readonly object: T; readonly isLast?: true };

/**
 * The newest known object of each key of one kind. Objects are shared and never mutated.
 *
 *     claims.addIndex('class', ({ spec: { classRef } }) => (classRef?.name ? [classRef.name] : []));
 *     claims.byIndex('class', 'small'); // no search, and no request
 *     claims.changes$.pipe(filter(({ type }) => type === 'deleted')); // what is there comes first, as added
 */
export interface Store<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  get(key: ObjectKey): T | undefined;
  all(): readonly T[];
  /** The objects for which the named index yields `value`. Throws for an unknown index. */
  byIndex(index: string, value: string): readonly T[];
  /** Defines an index, over what is there and what comes. A name that is taken keeps its first definition. */
  addIndex(index: string, valuesOf: (object: T) => readonly string[]): void;
  /** Every object there is at subscription as `added`, many of them not in one turn of the event loop; then each change. */
  readonly changes$: Observable<Change<T>>;
  readonly isSynced: boolean;
  /**
   * Takes an object that a read or write returned, if newer, so that a reconcile reads its own writes; what has gone by
   * the write, as with its last finalizer, it forgets. `isOwn`: it is the answer to a write.
   */
  record(object: T, options?: { readonly isOwn: boolean }): void;
}

/** A store and the door through which its watch stream fills it. */
export interface StreamedStore<T extends KubernetesObject> extends Store<T> {
  /** Takes the next event of the kind's watch stream. */
  apply(event: StreamEvent<T>): void;
}

export interface StoreOptions {
  /** What the watch stream is limited to: recorded objects outside it are not kept. Default: everything. */
  readonly selection?: Selection;
  /** Told when an index throws on an object, which is then missing from that index. */
  readonly log?: Pick<Logger, 'error'>;
  readonly clock: Pick<Clock, 'turns'>;
}

/** So many objects are told of at a time. */
const replaySlice = 100;

/** One subscriber of `changes$`: what it has still to be told, oldest first. */
interface Listener<T> {
  next: number;
  pending: Change<T>[];
  isTelling: boolean;
  readonly tell: (change: Change<T>) => void;
  readonly isClosed: () => boolean;
}

const versionOf = (object: KubernetesObject): string => object.metadata.resourceVersion ?? '';

/** Whether it has gone, by the answer to the write that took its last finalizer. */
const hasGone = ({ metadata: { deletionTimestamp, finalizers } }: KubernetesObject): boolean =>
  deletionTimestamp !== undefined && !finalizers?.length;

/**
 * An empty store. Versions decide, not the order of arrival: the stream and the answers of writes may overtake
 * each other. An object that is older than what the stream has shown already, and that the store does not
 * hold, was deleted since, so that a late answer brings nothing back.
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
  /** How far the stream has come: a resourceVersion. */
  let position = '';
  /** The keys that the list under way has shown. */
  let listed = new Set<string>();
  /** By UID, the last version of what has gone by a write of ours, until the stream tells of its end. */
  const gone = new Map<string, string>();
  /** The API server has gone back in time, and no list has been completed since. */
  let isRewound = false;

  const advance = (resourceVersion: string): void => {
    if (compareResourceVersions(resourceVersion, position) > 0) position = resourceVersion;
  };

  function drain(listener: Listener<T>): void {
    if (listener.isTelling) return;
    listener.isTelling = true;
    while (listener.next < listener.pending.length && !listener.isClosed()) {
      const change = listener.pending[listener.next]!;
      listener.next += 1;
      listener.tell(change);
    }
    listener.pending = [];
    listener.next = 0;
    listener.isTelling = false;
  }

  /**
   * Tells a new listener of what is there: all of a little at once, else a slice at a time. What changes meanwhile
   * comes after.
   */
  function replay(listener: Listener<T>): void {
    const count = listener.pending.length;
    if (count <= replaySlice) {
      drain(listener);
      return;
    }
    listener.isTelling = true;
    const tellSlice = (): void => {
      const end = Math.min(listener.next + replaySlice, count);
      while (listener.next < end && !listener.isClosed()) {
        const change = listener.pending[listener.next]!;
        listener.next += 1;
        listener.tell(change);
      }
      if (listener.isClosed()) return;
      if (listener.next < count) {
        clock.turns.run(tellSlice);
        return;
      }
      listener.isTelling = false;
      drain(listener);
    };
    clock.turns.run(tellSlice);
  }

  /** Everyone is given the change before anyone is told, so that a change made by a listener comes second. */
  function publish(change: Change<T>): void {
    for (const listener of listeners) listener.pending.push(change);
    for (const listener of [...listeners]) drain(listener);
  }

  function put(key: string, object: T, { isForced = false, isOwn = false } = {}): void {
    const previous = objects.get(key);
    if (previous !== undefined) {
      const order = compareResourceVersions(versionOf(object), versionOf(previous));
      if (order === 0 || (order < 0 && !isForced)) return;
    }
    const stored = wellFormed(kind, withoutManagedFields(object));
    objects.set(key, stored);
    all = undefined;
    for (const index of indexes.values()) index.replace(key, previous, stored);
    const own = isOwn ? ({ isOwn } as const) : {};
    if (previous === undefined) publish({ type: 'added', object: stored, ...own });
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

  /** Whether it is told of late: it has gone since. */
  const isPast = ({ metadata: { uid = '' } }: T): boolean => gone.has(uid);

  function takePage(page: readonly T[], resourceVersion: string): void {
    // A consistent list is never older than what the stream has shown, unless etcd was restored from a backup:
    // then versions compare wrongly, and the list alone is the truth.
    if (compareResourceVersions(resourceVersion, position) < 0) {
      isRewound = true;
      position = resourceVersion;
    }
    for (const object of page) {
      const key = objectKeyText(object.metadata);
      listed.add(key);
      // It was there when the list was taken: a deletion since is told of, and a restored backup has it again.
      gone.delete(object.metadata.uid ?? '');
      put(key, object, { isForced: isRewound });
    }
  }

  function finishList(resourceVersion: string): void {
    for (const [key, object] of [...objects]) {
      // What a write has brought in since the list was taken is not in it and yet exists.
      const isNewer = compareResourceVersions(versionOf(object), resourceVersion) > 0;
      if (!listed.has(key) && (isRewound || !isNewer)) remove(key);
    }
    for (const [uid, version] of gone) {
      if (isRewound || compareResourceVersions(version, resourceVersion) <= 0) gone.delete(uid);
    }
    listed = new Set();
    isRewound = false;
    advance(resourceVersion);
    isSynced = true;
  }

  return {
    kind,
    get: (key) => objects.get(objectKeyText(key)),
    all: () => (all ??= [...objects.values()]),
    byIndex(name, value) {
      const index = indexes.get(name);
      if (index === undefined) throw new Error(`no index "${name}" of ${kind.plural}`);
      return index.get(value);
    },
    addIndex(name, valuesOf) {
      if (indexes.has(name)) return;
      const index = createStoreIndex<T>((object) => {
        try {
          return valuesOf(object);
        } catch (error) {
          // One odd object must not stop the kind.
          log?.error('cannot index object', { index: name, kind: kind.plural, error });
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
        isTelling: false,
        tell: (change) => subscriber.next(change),
        isClosed: () => subscriber.closed,
      };
      listeners.add(listener);
      subscriber.add(() => listeners.delete(listener));
      replay(listener);
    }),
    get isSynced() {
      return isSynced;
    },
    record(object, { isOwn } = { isOwn: false }) {
      const key = objectKeyText(object.metadata);
      const known = objects.get(key);
      const version = versionOf(object);
      if (isPast(object)) return;
      if (hasGone(object)) {
        const { uid = '' } = object.metadata;
        const isKnown = known?.metadata.uid === uid;
        // Else its end has been told of already, or never is.
        if (isKnown || (isSelected(object) && compareResourceVersions(version, position) > 0))
          gone.set(uid, version);
        if (isKnown) remove(key, object);
      } else if (known === undefined) {
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
          if (isPast(event.object)) return;
          return put(objectKeyText(event.object.metadata), event.object);
        case 'deleted': {
          advance(versionOf(event.object));
          const key = objectKeyText(event.object.metadata);
          gone.delete(event.object.metadata.uid ?? '');
          const known = objects.get(key);
          // Older than what is known: another object took the name since, or it is back in the selection.
          if (known && compareResourceVersions(versionOf(event.object), versionOf(known)) < 0) return;
          return remove(key, event.object);
        }
      }
    },
  };
}
