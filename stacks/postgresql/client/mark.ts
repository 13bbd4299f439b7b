import { escapeIdentifier, escapeLiteral } from 'pg';
import type { Adoption as AnyAdoption, MarkHolder, Remedies } from '../../../package/stack.ts';
import { clientAdvice, notOurs, ownerDigest } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import { PostgresqlError } from './error.ts';

const prefix = 'services-stack: ';

/** No mark has more characters, also none of the first version. A tenant can write a comment of any length. */
export const longestMark = 600;

/**
 * The comment that marks a database or role as owned by `ownerId`. Every tenant of the server can read it
 * (pg_shdescription). Therefore it is a digest, from which a tenant learns nothing.
 */
export function markOf(ownerId: string): string {
  if (ownerId === '' || /[\0\n]/.test(ownerId)) {
    throw new PostgresqlError('owner id must be one line and not empty', { code: 'Invalid' });
  }
  return prefix + ownerDigest(ownerId);
}

/**
 * The mark in a comment. A mark of the first version is returned in the current form. Undefined for other comments and
 * for none.
 */
export function markIn(comment: string | null | undefined): string | undefined {
  if (comment === undefined || comment === null) return undefined;
  const [, ownerId] = /^services-stack: managed by (.+)$/.exec(comment) ?? []; // as the first version wrote it
  if (ownerId !== undefined) return markOf(ownerId);
  return /^services-stack: [0-9a-f]{32}$/.test(comment) ? comment : undefined;
}

/**
 * Finds the resource whose mark a role has. Undefined: none is known. It was deleted, or it is of another cluster.
 * `role`: the name of the role.
 */
export type HolderOf = (mark: string, role: string) => MarkHolder | undefined;

/** The marks of an existing database or role. */
export interface Marked {
  readonly name: string;
  readonly comment?: string;
  /**
   * The mark of the role that owns the database. This role may change the comment of the database, but not its own
   * comment. Therefore it proves the ownership, whatever the comment of the database is.
   */
  readonly ownerMark?: string;
  /**
   * The role that owns the database, unless it is an administrator's. A tenant may have its password and may have
   * written the comment of the database, so the comment proves nothing.
   */
  readonly distrustedOwner?: string;
}

/** Whether `ownerId` owns the database or role. */
export const isOwnedBy = (found: Marked, ownerId: string): boolean =>
  found.ownerMark === markOf(ownerId) || (found.distrustedOwner === undefined && hasMarkOf(found, ownerId));

/** Whether the comment is the mark of `ownerId`. A tenant may have written it. */
export const hasMarkOf = ({ comment }: Marked, ownerId: string): boolean =>
  markIn(comment) === markOf(ownerId);

/**
 * Whether another resource than that of `ownerId` has the database or role now: the mark names it. Not so for a database
 * with the mark of `ownerId` that an administrator gave to the role of another resource.
 */
export const isOfAnother = (found: Marked, ownerId: string): boolean =>
  !isOwnedBy(found, ownerId) &&
  !hasMarkOf(found, ownerId) &&
  (found.distrustedOwner !== undefined || markIn(found.comment) !== undefined);

/** Whether to write the mark again: the comment was changed, or is of the first version. */
export const isMarkOutdated = (found: Marked, ownerId: string): boolean => found.comment !== markOf(ownerId);

export const markStatement = (kind: 'database' | 'role', name: string, ownerId: string): string =>
  `COMMENT ON ${kind.toUpperCase()} ${escapeIdentifier(name)} IS ${escapeLiteral(markOf(ownerId))}`;

/** `isOwnerWanted`: whether the spec names the role that owns the database as its owner. `owner`: the role that should own it. */
export interface Adoption extends AnyAdoption {
  readonly isOwnerWanted?: boolean;
  readonly owner?: string | undefined;
}

/**
 * Throws PostgresqlError `NotOurs` unless `ownerId` owns the database or role. The message explains how to use a retained
 * one again, and with `adoption` how to adopt one without a mark. The message never names the owner.
 */
export function checkOurs(
  kind: 'database' | 'role',
  found: Marked,
  ownerId: string,
  remedies: Remedies<Adoption> = {},
): void {
  if (isOwnedBy(found, ownerId)) return;
  const what = `${kind} ${escapeIdentifier(found.name)}`;
  if (hasMarkOf(found, ownerId) && found.distrustedOwner !== undefined) {
    const role = escapeIdentifier(found.distrustedOwner);
    const back = `ALTER DATABASE ${escapeIdentifier(found.name)} OWNER TO CURRENT_USER`;
    const todo = remedies.adoption?.isOwnerWanted ? `; ${advice.takeBack(back)}` : '';
    throw new PostgresqlError(
      `${what} belongs to role ${role} of another resource, which can write the comment of the database; ${clientAdvice.chooseExternalName}${todo}`,
      {
        code: 'NotOurs',
        advice: { kinds: ['ChooseExternalName'] },
        holder: { by: 'AnotherResource' },
      },
    );
  }
  const isMarked = markIn(found.comment) !== undefined || found.distrustedOwner !== undefined;
  const statement = markStatement(kind, found.name, ownerId);
  throw new PostgresqlError(...notOurs({ kind, what, isMarked, statement }, ownerId, remedies));
}
