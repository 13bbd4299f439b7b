import isEqual from 'lodash/isEqual.js';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Owner } from '../../clients/ownership-tags.ts';
import { labelled, ownerTags, retagged, withoutOwner } from '../../clients/ownership-tags.ts';
import { ownerOf } from '../author/whose-is.ts';

export type Labels = Readonly<Record<string, string>>;

/** The owner of what a managed resource stands for, in words that labels may hold. */
export const labelOwner = (managed: Managed): Owner => labelled(ownerOf(managed));

/** What a new thing is labelled with: what is asked for, and whose it is. */
export const newLabels = (managed: Managed, asked: Labels = {}): Labels => ({
  ...usersLabels(asked),
  ...ownerTags(labelOwner(managed)),
});

/** Labels that Google sets itself, and takes from nobody. */
const isGoogles = (key: string): boolean => key.startsWith('goog-');

/** The labels that users of a thing gave it. */
export const usersLabels = (labels: Labels = {}): Labels =>
  Object.fromEntries(Object.entries(withoutOwner(labels)).filter(([key]) => !isGoogles(key)));

/** Whether the users' labels are as they are wanted; those that say whose it is are ours to say. */
export const areLabelsEqual = (wanted: Labels, actual: Labels): boolean =>
  isEqual(usersLabels(wanted), actual);

/**
 * All labels that a thing should have; undefined if they need not be written. `wanted` are the users', where they differ.
 * With another change (`isChanging`) go those that only say another class or provider.
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
  return { ...googles, ...newLabels(managed, wanted) };
}
