import isEqual from 'lodash/isEqual.js';
import type { KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import type { Change } from './store.ts';

/**
 * Whether a change counts. Predicates thin out what wakes a controller and decide nothing: delayed runs pass
 * them by, so a reconciler checks again what it depends on.
 */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (change: Change<T>) => boolean;

/** A predicate about updates: creations count, deletions do not. */
const onUpdate =
  (isNews: (before: KubernetesObject, after: KubernetesObject) => boolean): Predicate =>
  (change) =>
    change.type === 'added' || (change.type === 'modified' && isNews(change.previous, change.object));

/** Its spec changed (or whatever else the API server counts in `generation`), or deletion was requested. */
export const isGenerationChanged: Predicate = onUpdate(
  ({ metadata: before }, { metadata: after }) =>
    before.generation !== after.generation || before.deletionTimestamp !== after.deletionTimestamp,
);

export const isLabelsChanged: Predicate = onUpdate(
  ({ metadata: before }, { metadata: after }) => !isEqual(before.labels ?? {}, after.labels ?? {}),
);

/** An annotation changed; those named in `except` do not count. */
export const isAnnotationsChanged = (...except: readonly string[]): Predicate => {
  const counted = ({ metadata: { annotations = {} } }: KubernetesObject) =>
    Object.fromEntries(Object.entries(annotations).filter(([key]) => !except.includes(key)));
  return onUpdate((before, after) => !isEqual(counted(before), counted(after)));
};

/** Spec, labels, annotations or deletion changed: all but status (crossplane-runtime, DesiredStateChanged). */
export const isDesiredStateChanged: Predicate = (change) =>
  anyOf(isGenerationChanged, isLabelsChanged, isAnnotationsChanged())(change);

export const isDeletion: Predicate = ({ type }) => type === 'deleted';

/** Of its newest state. */
export const objectIs =
  <T extends KubernetesObject>(test: (object: T) => boolean): Predicate<T> =>
  ({ object }) =>
    test(object);

/** False without predicates. */
export const anyOf =
  <T extends KubernetesObject>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (change) =>
    predicates.some((predicate) => predicate(change));

/** True without predicates. */
export const allOf =
  <T extends KubernetesObject>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (change) =>
    predicates.every((predicate) => predicate(change));

export const not =
  <T extends KubernetesObject>(predicate: Predicate<T>): Predicate<T> =>
  (change) =>
    !predicate(change);
