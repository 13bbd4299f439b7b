import isMatch from 'lodash/isMatch.js';
import type { FieldRule, Owner } from '../../package/stack.ts';
import { isOwnerTag, retagged } from '../../package/stack.ts';

export type Tags = Readonly<Record<string, string>>;

/** Tags that AWS reserves: no user can set or remove them. */
const isReserved = (key: string): boolean => /^aws:/i.test(key);
// guard: otherwise users change the owner by a tag
const isOwn = (key: string): boolean => !isOwnerTag(key) && !isReserved(key);

/** The tags that users may write, without the owner's tags and AWS's own. */
export const ownTags = (tags: Tags = {}): Tags => tagsOf(tags, isOwn);

/** Without lodash, whose pickBy leaves out a tag `constructor`. */
const tagsOf = (tags: Tags, isWanted: (key: string) => boolean): Tags =>
  Object.fromEntries(Object.entries(tags).filter(([key]) => isWanted(key)));

/**
 * The comparison of `forProvider.tags` with the existing tags. Other tags stay, and tags that users may not write are
 * ignored.
 */
// guard: otherwise it changes reserved tags without end
export const tagsRule: FieldRule<Tags> = { equals: (wanted, actual) => isMatch(actual, ownTags(wanted)) };

/** The tags to write, and the outdated tags about the owner to remove. */
export interface TagChange {
  readonly set: Tags;
  readonly remove: readonly string[];
}

export interface TagsWanted {
  /** All tags of the resource. */
  readonly actual: Tags;
  /** The tags in `forProvider`; absent: they need no change. */
  readonly wanted?: Tags | undefined;
  readonly owner: Owner;
  /** Another change of the resource is being sent as well. */
  readonly isChanging: boolean;
}

/** The changes to the tags of a resource that we own; undefined: none. */
export function tagChange({ actual, wanted, owner, isChanging }: TagsWanted): TagChange | undefined {
  const merged = { ...actual, ...ownTags(wanted ?? {}) };
  const tags = retagged(merged, owner, isChanging || wanted !== undefined) ?? merged;
  const set = tagsOf(tags, (key) => actual[key] !== tags[key]);
  const remove = Object.keys(actual).filter((key) => !Object.hasOwn(tags, key));
  return Object.keys(set).length + remove.length === 0 ? undefined : { set, remove };
}
