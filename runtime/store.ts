import type { Observable } from 'rxjs';
import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import type { Request } from './reconcile.ts';

export type Change<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'modified'; readonly object: T; readonly previous: T }
  | { readonly type: 'deleted'; readonly object: T };

/** The newest known object of each key of one kind. Objects are shared and never mutated. */
export interface Store<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  get(key: Request): T | undefined;
  all(): readonly T[];
  /** The objects for which the named index yields `value`. Throws for an unknown index. */
  byIndex(index: string, value: string): readonly T[];
  /** Defines an index, over what is there and what comes. Defining the same name twice is an error. */
  addIndex(index: string, valuesOf: (object: T) => readonly string[]): void;
  /** Every object as `added` at subscription, then each change. */
  readonly changes$: Observable<Change<T>>;
  readonly isSynced: boolean;
  /** Takes an object that a read or write returned, if newer, so that a reconcile reads its own writes. */
  record(object: T): void;
}
