import semver from 'semver';
import { tagOf } from '../addresses.ts';

/** The facts about a repository that decide whether a version can be released from it. */
export interface ReleaseFacts {
  /** The version to release. */
  readonly wanted: string;
  /** The version in package.json. */
  readonly present: string;
  /** The tags of the repository. */
  readonly tags: readonly string[];
  /** Changed and new files, as `git status --porcelain` prints them. */
  readonly changed: readonly string[];
  readonly changelog: string;
}

/** Pure. The reason why the version cannot be released, in one sentence. Undefined if there is none. */
export function refusal({ wanted, present, tags, changed, changelog }: ReleaseFacts): string | undefined {
  if (semver.valid(wanted) !== wanted) return `${JSON.stringify(wanted)} is not a version such as 0.2.0`;
  if (tags.includes(tagOf(wanted))) return `${wanted} is released: the tag ${tagOf(wanted)} exists`;
  if (!semver.gt(wanted, present))
    return `${wanted} is not newer than ${present}, the version in package.json`;
  const [first, ...others] = changed;
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return `commit or remove the changes first: ${first.trim()}${more}`;
  }
  if (notesIn(changelog) === '') return 'CHANGELOG.md has no text under "## [Unreleased]"';
  return undefined;
}

const unreleased = /^## \[Unreleased\]\n(.*?)(?=^## \[|$(?![\s\S]))/ms;

/** The text of the changelog after a release, when nothing has changed since. */
const noNotes = 'Nothing yet.';

/** Pure. The text of the changelog about changes that are not released; empty: there are none. */
export function notesIn(changelog: string): string {
  const text = (unreleased.exec(changelog)?.[1] ?? '').trim();
  return text === noNotes ? '' : text;
}

/**
 * Pure. The changelog after the release: its notes stand under the version and the date, such as 2026-11-27. A candidate
 * such as 0.2.0-rc.1 changes nothing: the notes are those of the final version.
 */
export const releasedChangelog = (changelog: string, version: string, date: string): string =>
  semver.prerelease(version) === null
    ? changelog.replace(
        unreleased,
        () => `## [Unreleased]\n\n${noNotes}\n\n## [${version}] - ${date}\n\n${notesIn(changelog)}\n\n`,
      )
    : changelog;

const escaped = (text: string): string => text.replaceAll('.', '\\.');

/** The names with a version of the image, the archives and the folder in one of them, as a regular expression. */
export const namesWith = (version: string): string =>
  `(services-stack(-chart|-files)?[:-])${escaped(version)}`;

/** Pure. The text with another version in these names. */
export const withVersion = (text: string, present: string, wanted: string): string =>
  text.replace(new RegExp(namesWith(present), 'g'), (_, start) => `${start}${wanted}`);
