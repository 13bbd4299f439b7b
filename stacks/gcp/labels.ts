import isEqual from 'lodash/isEqual.js';
import type { Managed, Owner } from '../../package/stack.ts';
import {
  changing,
  clientAdvice,
  invalid,
  isOwnerTag,
  labelled,
  labelsNamed,
  labelText,
  ownerOf,
  ownerTags,
  retagged,
  withoutOwner,
  withParameter,
} from '../../package/stack.ts';

export type Labels = Readonly<Record<string, string>>;

/** The owner of a managed resource's external resource, in the characters of labels. */
export const labelOwner = (managed: Managed): Owner => labelled(ownerOf(managed));

/** The labels of a new resource: those of the spec, and the owner's. */
export const newLabels = (managed: Managed, requested: Labels = {}): Labels =>
  countedLabels({
    ...usersLabels(requested),
    ...ownerTags(labelOwner(managed)), // guard: otherwise a resource has no owner
  });

/**
 * The managed resource with its Kubernetes labels of these keys among the labels of `forProvider`. Google allows fewer
 * characters in labels: capitals become lower case, and others `_`.
 */
export function withLabelsOf<M extends Managed>(managed: M, keys: readonly string[] | undefined): M {
  const named = Object.entries(labelsNamed(managed, keys) ?? {});
  if (named.length === 0) return managed;
  const labels = Object.fromEntries(named.map((entry) => entry.map(labelText)));
  return withParameter(managed, 'labels', (given) => ({ ...(given as Labels | undefined), ...labels }));
}

/** The largest number of labels of a resource. */
const mostLabels = 64;

/** The labels to send. Throws an ExternalError before a request that Google refuses for their number. */
export function countedLabels(labels: Labels): Labels {
  const keys = Object.keys(labels);
  if (keys.length <= mostLabels) return labels;
  const ours = keys.filter(isOwnerTag).length;
  const field = changing('labels');
  throw invalid(
    `Google Cloud takes ${mostLabels} labels of a resource, of which ${ours} are ours, and there would be ${keys.length - ours} others; ${clientAdvice.change(field.fields ?? [])}`,
    field,
  );
}

/** Labels that Google sets itself; it refuses them from users. */
const isGoogles = (key: string): boolean => key.startsWith('goog-');

/** The labels of a resource that its users set. */
export const usersLabels = (labels: Labels = {}): Labels =>
  Object.fromEntries(Object.entries(withoutOwner(labels)).filter(([key]) => !isGoogles(key)));

/** Whether the users' labels equal the wanted ones. Labels about the owner are not compared. */
export const areLabelsEqual = (wanted: Labels, actual: Labels): boolean =>
  isEqual(usersLabels(wanted), actual); // guard: otherwise users change the owner by a label

/**
 * All labels that a resource should have; undefined if there is nothing to write. `wanted` are the users' labels, if
 * they differ. A label with another class or provider alone is written only together with another change
 * (`isChanging`).
 */
export function changedLabels(
  managed: Managed,
  {
    actual = {},
    wanted,
    isChanging,
  }: {
    readonly actual?: Labels | undefined;
    readonly wanted?: Labels | undefined;
    readonly isChanging: boolean;
  },
): Labels | undefined {
  if (wanted === undefined) return retagged(actual, labelOwner(managed), isChanging);
  const googles = Object.fromEntries(Object.entries(actual).filter(([key]) => isGoogles(key)));
  // guard: otherwise it changes Google's labels without end
  return { ...googles, ...usersLabels(wanted), ...ownerTags(labelOwner(managed)) };
}
