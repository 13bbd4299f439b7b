import isMatch from 'lodash/isMatch.js';
import pickBy from 'lodash/pickBy.js';
import type { Owner } from '../../clients/ownership-tags.ts';
import { isOwnerTag, retagged } from '../../clients/ownership-tags.ts';
import type { Oddity } from '../author/comparison.ts';

export type Tags = Readonly<Record<string, string>>;

/** AWS keeps those for itself: nobody else can set them, or take them away. */
const isReserved = (key: string): boolean => /^aws:/i.test(key);
const isOwn = (key: string): boolean => !isOwnerTag(key) && !isReserved(key);

/** The tags of a thing that users may write: none that say whose it is, none of AWS. */
export const ownTags = (tags: Tags = {}): Tags => pickBy(tags, (_value, key) => isOwn(key));

/** How `forProvider.tags` is compared with the tags of a thing: others of it are kept, and what users may not write is not wanted. */
export const tagsOddity: Oddity<Tags> = { equals: (wanted, actual) => isMatch(actual, ownTags(wanted)) };

/** What to write, and what to take away: of what says whose it is, what it says no more. */
export interface TagChange {
  readonly set: Tags;
  readonly remove: readonly string[];
}

export interface TagsWanted {
  /** All that the thing has. */
  readonly actual: Tags;
  /** What `forProvider.tags` wants; absent: those are as they should be. */
  readonly wanted?: Tags | undefined;
  readonly owner: Owner;
  /** Something else of the thing is changed as well. */
  readonly isChanging: boolean;
}

/** How the tags of a thing of ours differ from what they should be; undefined: they do not. */
export function tagChange({ actual, wanted, owner, isChanging }: TagsWanted): TagChange | undefined {
  const kept = { ...actual, ...ownTags(wanted ?? {}) };
  const tags = retagged(kept, owner, isChanging || wanted !== undefined) ?? kept;
  const set = pickBy(tags, (value, key) => actual[key] !== value);
  const remove = Object.keys(actual).filter((key) => !Object.hasOwn(tags, key));
  return Object.keys(set).length + remove.length === 0 ? undefined : { set, remove };
}
