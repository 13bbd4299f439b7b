import type { Observable, SchedulerLike } from 'rxjs';
import { asyncScheduler, defer, filter, interval, mergeMap } from 'rxjs';
import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import { controllerOf } from '../apis/core/v1alpha1/reference.ts';
import type { Predicate } from './predicate.ts';
import type { Request } from './reconcile.ts';
import { requestFor, requestKey } from './reconcile.ts';
import type { Change, Store } from './store.ts';

/** Any change of an object wakes that object. */
export const selfTrigger = <T extends KubernetesObject>(
  store: Pick<Store<T>, 'changes$'>,
  predicate: Predicate<T> = () => true,
): Observable<Request> => mappedTrigger(store, ({ metadata }) => [requestFor(metadata)], predicate);

/**
 * A change wakes what `requestsOf` says of the object, before and after an update: what it no longer names
 * wants to know as well.
 */
export const mappedTrigger = <T extends KubernetesObject>(
  store: Pick<Store<T>, 'changes$'>,
  requestsOf: (object: T) => readonly Request[],
  predicate: Predicate<T> = () => true,
): Observable<Request> =>
  store.changes$.pipe(
    filter(predicate),
    mergeMap((change: Change<T>) => {
      const requests = requestsOf(change.object);
      if (change.type !== 'modified') return requests;
      return distinct([...requests, ...requestsOf(change.previous)]);
    }),
  );

/** A change wakes the object's controller (its controlling owner), if that is of the kind, of any version. */
export const ownerTrigger = <T extends KubernetesObject>(
  store: Pick<Store<T>, 'changes$'>,
  owner: Kind,
  predicate: Predicate<T> = () => true,
): Observable<Request> =>
  mappedTrigger(
    store,
    (object) => {
      const reference = controllerOf(object);
      const group = reference?.apiVersion.includes('/') ? reference.apiVersion.split('/')[0] : '';
      if (reference?.kind !== owner.kind || group !== owner.group) return [];
      // Owners of namespaced kinds live in the namespace of what they own.
      const { namespace } = object.metadata;
      const isNamespaced = owner.scope === 'Namespaced' && namespace !== undefined;
      return [isNamespaced ? { namespace, name: reference.name } : { name: reference.name }];
    },
    predicate,
  );

/** A change wakes every object of `woken` that an index of it lists under one of `valuesOf(object)`. */
export const indexedTrigger = <T extends KubernetesObject, W extends KubernetesObject>(
  store: Pick<Store<T>, 'changes$'>,
  woken: Pick<Store<W>, 'byIndex'>,
  index: string,
  valuesOf: (object: T) => readonly string[],
  predicate: Predicate<T> = () => true,
): Observable<Request> =>
  mappedTrigger(
    store,
    (object) =>
      distinct(
        valuesOf(object).flatMap((value) =>
          woken.byIndex(index, value).map(({ metadata }) => requestFor(metadata)),
        ),
      ),
    predicate,
  );

/**
 * Wakes every object of a store once per period, however quiet the cluster: a net below all other triggers.
 * Each controller starts at a moment of its own, so that they do not wake together.
 */
export const periodicTrigger = <T extends KubernetesObject>(
  store: Pick<Store<T>, 'all'>,
  {
    periodMs,
    random,
    scheduler = asyncScheduler,
  }: { readonly periodMs: number; readonly random: () => number; readonly scheduler?: SchedulerLike },
): Observable<Request> =>
  // client-go's informers vary the period by a tenth for the same reason.
  defer(() => interval(Math.round(periodMs * (1 + random() / 10)), scheduler)).pipe(
    mergeMap(() => store.all().map(({ metadata }) => requestFor(metadata))),
  );

const distinct = (requests: readonly Request[]): readonly Request[] => [
  ...new Map(requests.map((request) => [requestKey(request), request])).values(),
];
