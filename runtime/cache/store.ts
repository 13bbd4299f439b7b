import type { Observable } from 'rxjs';
import { AsyncSubject } from 'rxjs';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { wellFormed } from '../../apis/core/v1alpha1/well-formed.ts';
import type { Selection } from '../client/kubernetes-client.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import { withoutManagedFields } from './managed-fields.ts';
import type { ObjectTable } from './object-table.ts';
import { createObjectTable } from './object-table.ts';
import type { ReplayingFeed } from './replaying-feed.ts';
import { createReplayingFeed } from './replaying-feed.ts';
import { compareResourceVersions, compareVersionsOf, versionOf } from './resource-version.ts';
import { selects } from './selection.ts';
import type { StreamEvent } from './stream-event.ts';
import type { StreamHistory } from './stream-history.ts';
import { createStreamHistory } from './stream-history.ts';

export type Change<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'modified'; readonly object: T; readonly previous: T }
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
   * writes. Removes an object whose last finalizer the write removed.
   */
  record(object: T): void;
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
  const table = createObjectTable(kind, log);
  const feed = createReplayingFeed<Change<T>>(clock);
  const history = createStreamHistory();
  const content: Content<T> = { table, history, ...writers(kind, table, feed) };
  const synced$ = new AsyncSubject<void>();
  let isSynced = false;
  const onSynced = (): void => {
    isSynced = true;
    synced$.next();
    synced$.complete();
  };
  return {
    kind,
    get: (key) => table.get(objectKeyText(key)),
    all: table.all,
    byIndex: table.byIndex,
    addIndex: table.addIndex,
    changes$: feed.from(() => table.all().map((object) => ({ type: 'added', object }))),
    get isSynced() {
      return isSynced;
    },
    synced$: synced$.asObservable(),
    record: recorder(content, selects(selection)),
    apply: applier(content, onSynced),
  };
}

/** The functions that change the objects and publish the change. */
interface Writers<T extends KubernetesObject> {
  /** Takes an object if it is newer than the stored one, or in any case. */
  put(key: string, object: T, options?: { readonly isForced?: boolean }): void;
  /** Removes the object with this key; `last` is its last state, if it is known. */
  remove(key: string, last?: T): void;
}

interface Content<T extends KubernetesObject> extends Writers<T> {
  readonly table: ObjectTable<T>;
  readonly history: StreamHistory;
}

function writers<T extends KubernetesObject>(
  kind: Kind<T>,
  table: ObjectTable<T>,
  { publish }: ReplayingFeed<Change<T>>,
): Writers<T> {
  const stripped = (object: T): T => wellFormed(kind, withoutManagedFields(object));
  return {
    put(key, object, { isForced = false } = {}) {
      const previous = table.get(key);
      if (previous !== undefined) {
        const order = compareVersionsOf(object, previous);
        if (order === 0 || (order < 0 && !isForced)) return; // guard: otherwise an older version replaces a newer one
      }
      const stored = stripped(object);
      table.set(key, stored);
      if (previous === undefined) publish({ type: 'added', object: stored });
      // guard: otherwise a recreated object counts as modified
      else if (previous.metadata.uid === stored.metadata.uid) {
        publish({ type: 'modified', object: stored, previous });
      } else {
        publish({ type: 'deleted', object: previous });
        publish({ type: 'added', object: stored });
      }
    },
    remove(key, last) {
      const previous = table.get(key);
      if (previous === undefined) return;
      table.set(key, undefined);
      const isSame = last !== undefined && last.metadata.uid === previous.metadata.uid;
      publish(
        isSame
          ? { type: 'deleted', object: stripped(last), isLast: true }
          : { type: 'deleted', object: previous },
      );
    },
  };
}

/** Takes the answers to reads and writes of this process. */
function recorder<T extends KubernetesObject>(
  { table, history, put, remove }: Content<T>,
  isSelected: (object: T) => boolean,
): Store<T>['record'] {
  return (object) => {
    const key = objectKeyText(object.metadata);
    const known = table.get(key);
    if (history.isPast(object)) return;
    if (isFinallyDeleted(object)) {
      const isKnown = known !== undefined && known.metadata.uid === object.metadata.uid;
      // In all other cases the stream has already reported the deletion, or never reports it.
      if (isKnown || (isSelected(object) && history.isAhead(object))) history.deleted(object);
      if (isKnown) remove(key, object);
    } else if (known === undefined) {
      // guard: otherwise a late answer restores a deleted object
      if (history.isAhead(object) && isSelected(object)) put(key, object);
    } else if (isSelected(object)) put(key, object);
    else if (compareVersionsOf(object, known) > 0) remove(key);
  };
}

/** Takes the events of the watch stream. */
function applier<T extends KubernetesObject>(
  { table, history, put, remove }: Content<T>,
  onSynced: () => void,
): StreamedStore<T>['apply'] {
  /** The keys that the current list has shown so far. */
  let listed = new Set<string>();

  function takePage(page: readonly T[], resourceVersion: string): void {
    history.listAt(resourceVersion);
    for (const object of page) {
      const key = objectKeyText(object.metadata);
      listed.add(key);
      // The list has the object. Its deletion will still be reported, or a restore from a backup brought it back.
      history.settle(object);
      put(key, object, { isForced: history.isRewound });
    }
  }

  function finishList(resourceVersion: string): void {
    for (const [key, object] of table.entries()) {
      // A write may have added an object after the list was taken.
      const isNewer = compareResourceVersions(versionOf(object), resourceVersion) > 0;
      // guard: otherwise objects that were deleted without a watch stay in the store
      if (!listed.has(key) && (history.isRewound || !isNewer)) remove(key);
    }
    listed = new Set();
    history.finishList(resourceVersion);
    onSynced();
  }

  function takeDeletion(object: T): void {
    history.settle(object);
    const key = objectKeyText(object.metadata);
    const known = table.get(key);
    // The event is older than the stored object: the name was reused, or the object is in the selection again.
    if (known !== undefined && compareVersionsOf(object, known) < 0) return;
    remove(key, object);
  }

  return (event) => {
    switch (event.type) {
      case 'restart':
        listed = new Set();
        return;
      case 'listed':
        return takePage(event.objects, event.resourceVersion);
      case 'synced':
        return finishList(event.resourceVersion);
      case 'applied':
        history.advance(versionOf(event.object));
        if (history.isPast(event.object)) return; // guard: otherwise a late event restores a deleted object
        return put(objectKeyText(event.object.metadata), event.object);
      case 'deleted':
        history.advance(versionOf(event.object));
        return takeDeletion(event.object);
    }
  };
}
