import isEqual from 'lodash/isEqual.js';
import type { Observable } from 'rxjs';
import { map, mergeMap } from 'rxjs';
import type { KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Change, Store } from '../cache/store.ts';
import type { Logger } from '../log/log.ts';
import type { Request } from './reconcile.ts';
import type { Asking } from './urgency.ts';
import type { Wake } from './work-queue.ts';

/** What wakes a controller. `because` completes "reconciled because …": logs show it, and docs/decision-tables.md. */
export interface Trigger {
  readonly because: string;
  /** Each with that `because`. */
  readonly wakes$: Observable<Wake>;
}

/** A trigger that no store tells of. */
export const triggerBy = (
  because: string,
  requests$: Observable<Request>,
  asking: Asking = 'change',
): Trigger => ({ because, wakes$: requests$.pipe(map((request) => ({ request, because, asking }))) });

/** Something that holds or does not hold of a change. */
export type Predicate<T> = (change: Change<T>) => boolean;

/** What an object says of itself, to be compared by value. */
export type Property<T> = (object: T) => unknown;

/** Any object, or a key. */
type Named = ObjectKey | KubernetesObject;

/** The changes of one kind that wake somebody: a sentence that ends in who, and why. */
export interface Woken<T> {
  /** Only by changes of which all of this holds. */
  when(...predicates: readonly Predicate<T>[]): Woken<T>;
  /** It is something that many share, whom its changes concern all at once: they take their turns with what is new. */
  sharedByMany(): Woken<T>;
  /** The object that changed. */
  itself(because: string): Trigger;
  /** Those that have to do with the object as it is now; one that is gone, as it was last. */
  through(find: (object: T) => readonly Named[], because: string): Trigger;
  /** Those that had to do with the object as it was before the change. */
  throughFormer(find: (object: T) => readonly Named[], because: string): Trigger;
  /** Both: those that it left, and those that it came to. */
  throughBoth(find: (object: T) => readonly Named[], because: string): Trigger;
}

/**
 * Starts sentences about what wakes a controller, as `wokenBy(classes).through(claimsOf, 'its class changed')`. What an
 * object holds is somebody else's: one that a predicate or search fails on is logged and wakes nobody, so that it
 * stops neither the trigger nor the objects after it.
 */
export function triggersIn({ log }: { readonly log: Pick<Logger, 'error'> }) {
  return <T extends KubernetesObject>(store: Pick<Store<T>, 'kind' | 'changes$'>): Woken<T> => {
    const wakesOn = (
      of: (change: Change<T>) => readonly Named[],
      { because, changing }: { readonly because: string; readonly changing: Asking },
    ): Observable<Wake> =>
      store.changes$.pipe(
        mergeMap((change) => {
          try {
            const asking = change.type === 'added' ? 'appearance' : changing;
            return of(change).map((named) => ({ request: keyOf(named), because, asking }));
          } catch (error) {
            const { namespace, name } = change.object.metadata;
            log.error('cannot tell whom a change concerns', {
              kind: store.kind.kind,
              namespace,
              name,
              error,
            });
            return [];
          }
        }),
      );
    const woken = (holds: Predicate<T>, changing: Asking): Woken<T> => {
      const trigger = (because: string, find: (change: Change<T>) => readonly Named[]): Trigger => ({
        because,
        wakes$: wakesOn((change) => (holds(change) ? find(change) : []), { because, changing }),
      });
      return {
        when: (...predicates) => woken(allOf(holds, ...predicates), changing),
        sharedByMany: () => woken(holds, 'shared change'),
        itself: (because) => trigger(because, ({ object }) => [object]),
        through: (find, because) => trigger(because, ({ object }) => find(object)),
        throughFormer: (find, because) => trigger(because, (change) => find(formerOf(change))),
        throughBoth: (find, because) =>
          trigger(because, (change) => [
            ...find(change.object),
            ...(change.type === 'modified' ? find(change.previous) : []),
          ]),
      };
    };
    return woken(() => true, 'change');
  };
}

const keyOf = (named: Named): Request => objectKey('metadata' in named ? named.metadata : named);
const formerOf = <T>(change: Change<T>): T => (change.type === 'modified' ? change.previous : change.object);

/** It is seen for the first time: new, or there when the process started. */
export const appears: Predicate<unknown> = ({ type }) => type === 'added';
/** It is gone. */
export const goes: Predicate<unknown> = ({ type }) => type === 'deleted';
/** A write of another process, or of a user. */
export const isOfOthers: Predicate<unknown> = (change) => change.type === 'deleted' || change.isOwn !== true;

/** It is there. */
export const stays: Predicate<unknown> = ({ type }) => type !== 'deleted';

/** At least one of the properties has another value than before. */
export const changed =
  <T>(...properties: readonly Property<T>[]): Predicate<T> =>
  (change) =>
    change.type === 'modified' &&
    properties.some((property) => !isEqual(property(change.previous), property(change.object)));

/** It was there before, and none of the properties has changed. */
export const unchanged =
  <T>(...properties: readonly Property<T>[]): Predicate<T> =>
  (change) =>
    change.type === 'modified' && !changed(...properties)(change);

/** This holds of the object now. */
export const is =
  <T>(holds: (object: T) => boolean): Predicate<T> =>
  ({ object }) =>
    holds(object);

/** This holds of the object now, and did not before. */
export const becomes =
  <T>(holds: (object: T) => boolean): Predicate<T> =>
  (change) =>
    change.type === 'modified' && !holds(change.previous) && holds(change.object);

export const anyOf =
  <T>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (change) =>
    predicates.some((holds) => holds(change));

export const allOf =
  <T>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (change) =>
    predicates.every((holds) => holds(change));

/**
 * Those objects that `isWoken` holds for. One that it fails on is woken as well: its own reconcile says what is wrong
 * with it, and the others are not held up.
 */
export function those<T extends KubernetesObject>(
  objects: readonly T[],
  isWoken: (object: T) => boolean,
): readonly T[] {
  return objects.filter((object) => {
    try {
      return isWoken(object);
    } catch {
      return true;
    }
  });
}
