import isEqual from 'lodash/isEqual.js';
import uniqBy from 'lodash/uniqBy.js';
import type { Observable } from 'rxjs';
import { groupBy, map, merge, mergeMap, throttleTime } from 'rxjs';
import type { KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { mergeEach } from '../cache/merge-each.ts';
import type { Change, Store } from '../cache/store.ts';
import { versionKey } from '../cache/written-versions.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import type { Request } from './reconcile.ts';
import type { Asking } from './urgency.ts';
import type { Wake } from './wake.ts';

/** A source of requests for a controller. `because` completes "reconciled because …" in logs and docs/decision-tables.md. */
export interface Trigger {
  readonly because: string;
  /** The requests, each with this `because`. */
  readonly wakes$: Observable<Wake>;
}

/** A trigger whose requests come from a stream and not from a store. */
export const triggerBy = (
  because: string,
  requests$: Observable<Request>,
  asking: Asking = 'change',
): Trigger => ({ because, wakes$: requests$.pipe(map((request) => ({ request, because, asking }))) });

/** Wakes each object at once, and then at most once in this time. The last wake of a burst is not lost, only late. */
export const paced = (
  { because, wakes$ }: Trigger,
  everyMs: number,
  { scheduler }: Pick<Clock, 'scheduler'>,
): Trigger => ({
  because,
  wakes$: wakes$.pipe(
    groupBy(({ request }) => objectKeyText(request)),
    mergeMap((wakesOfOne$) =>
      wakesOfOne$.pipe(throttleTime(everyMs, scheduler, { leading: true, trailing: true })),
    ),
  ),
});

/** A property of a change, true or false. */
export type Predicate<T> = (change: Change<T>) => boolean;

/** A value of an object; values are compared deeply. */
export type Property<T> = (object: T) => unknown;

/** An object or its key. */
type Named = ObjectKey | KubernetesObject;

/** The changes of one or several kinds. The last call of the chain says which objects they wake, and why. */
export interface Woken<T> {
  /** Limits it to changes for which all predicates hold. */
  when(...predicates: readonly Predicate<T>[]): Woken<T>;
  /**
   * Leaves out a version that a run of the woken object writes while it runs. Only for a controller that decides again after
   * each of its writes, so that the run that wrote it knows what remains to be done.
   */
  writtenByOthers(): Woken<T>;
  /** For an object that many others share. All of them are woken at once, so they wait in turn with new objects. */
  sharedByMany(): Woken<T>;
  /** Wakes the object that changed. */
  itself(because: string): Trigger;
  /** Wakes the objects that `find` returns for the object as it is now; for a deleted one, its last state. */
  through(find: (object: T) => readonly Named[], because: string): Trigger;
  /** Wakes the objects that `find` returns for the object as it was before the change. */
  throughPrevious(find: (object: T) => readonly Named[], because: string): Trigger;
  /** Wakes both: the objects that it referred to before and those that it refers to now. */
  throughBoth(find: (object: T) => readonly Named[], because: string): Trigger;
}

/** How the changes of a sentence wake. `leavesOutOwn`: see `writtenByOthers`. */
interface Manner {
  readonly changing: Asking;
  readonly leavesOutOwn: boolean;
}

/**
 * Starts sentences about what wakes a controller, such as `wokenBy(classes).through(claimsOf, 'its class changed')`. Objects
 * may hold anything: if a predicate or a search throws for an object, the error is logged, and that object wakes no other.
 * Later objects still do.
 */
export function triggersIn({ log }: { readonly log: Pick<Logger, 'error'> }) {
  return <T extends KubernetesObject>(...stores: readonly Pick<Store<T>, 'changes$'>[]): Woken<T> => {
    const changes$ = merge(...stores.map((store) => store.changes$));
    const wakesOn = (
      of: (change: Change<T>) => readonly Named[],
      { because, changing, leavesOutOwn }: Manner & { readonly because: string },
    ): Observable<Wake> =>
      changes$.pipe(
        mergeEach((change) => {
          try {
            const asking = change.type === 'added' ? 'appearance' : changing;
            // guard: otherwise a deletion right after a write of the run is lost
            const canBeOwn = leavesOutOwn && change.type !== 'deleted';
            return requestsFor(of(change)).map((request) => ({
              request,
              because,
              asking,
              ...(canBeOwn && { version: versionKey(change.object) }),
            }));
          } catch (error) {
            const { kind, metadata } = change.object;
            const { namespace, name } = metadata;
            log.error('a bug in a trigger: cannot find the objects that this change affects', {
              kind,
              namespace,
              name,
              error,
            });
            return [];
          }
        }),
      );
    const woken = (holds: Predicate<T>, manner: Manner): Woken<T> => {
      const trigger = (because: string, find: (change: Change<T>) => readonly Named[]): Trigger => ({
        because,
        wakes$: wakesOn((change) => (holds(change) ? find(change) : []), { because, ...manner }),
      });
      return {
        when: (...predicates) => woken(allOf(holds, ...predicates), manner),
        writtenByOthers: () => woken(holds, { ...manner, leavesOutOwn: true }),
        sharedByMany: () => woken(holds, { ...manner, changing: 'shared change' }),
        itself: (because) => trigger(because, ({ object }) => [object]),
        through: (find, because) => trigger(because, ({ object }) => find(object)),
        throughPrevious: (find, because) => trigger(because, (change) => find(previousOf(change))),
        throughBoth: (find, because) =>
          trigger(because, (change) => [
            ...find(change.object),
            ...(change.type === 'modified' ? find(change.previous) : []),
          ]),
      };
    };
    return woken(() => true, { changing: 'change', leavesOutOwn: false });
  };
}

const keyOf = (named: Named): Request => objectKey('metadata' in named ? named.metadata : named);
/** The key of each object once: a second request would start another run as soon as the first one ends. */
function requestsFor(objects: readonly Named[]): readonly Request[] {
  const requests = objects.map(keyOf);
  return requests.length < 2 ? requests : uniqBy(requests, objectKeyText);
}
const previousOf = <T>(change: Change<T>): T =>
  change.type === 'modified' ? change.previous : change.object;

/** The object is seen for the first time: it is new, or it existed when the process started. */
export const appears: Predicate<unknown> = ({ type }) => type === 'added';
/** The object was deleted. */
export const disappears: Predicate<unknown> = ({ type }) => type === 'deleted';

/** The object exists. */
export const exists: Predicate<unknown> = ({ type }) => type !== 'deleted';

/** At least one of the properties has a different value than before. */
export const changed =
  <T>(...properties: readonly Property<T>[]): Predicate<T> =>
  (change) =>
    change.type === 'modified' &&
    properties.some((property) => !isEqual(property(change.previous), property(change.object)));

/** The object existed before, and none of the properties has changed. */
export const unchanged =
  <T>(...properties: readonly Property<T>[]): Predicate<T> =>
  (change) =>
    change.type === 'modified' && !changed(...properties)(change);

/** The condition holds for the object now. */
export const is =
  <T>(holds: (object: T) => boolean): Predicate<T> =>
  ({ object }) =>
    holds(object);

/** The condition holds for the object now, and did not hold before. */
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
 * The objects for which `isWoken` holds. An object for which it throws is included: its own reconcile reports what is
 * wrong with it, and the other objects are not delayed.
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

/**
 * The requests that `find` returns for these objects. An object for which it throws is left out: its own reconcile reports
 * what is wrong with it, and the other objects are not delayed.
 */
export function foundFor<T extends KubernetesObject>(
  objects: readonly T[],
  find: (object: T) => readonly Request[],
): readonly Request[] {
  return objects.flatMap((object) => {
    try {
      return find(object);
    } catch {
      return [];
    }
  });
}
