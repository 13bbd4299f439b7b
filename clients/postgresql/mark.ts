import { hash } from 'node:crypto';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { PostgresqlError } from './error.ts';

const prefix = 'services-stack: ';

/**
 * The comment that makes a database or role `ownerId`'s. Every tenant of the server can read it
 * (pg_shdescription), so that it holds a digest, which tells a stranger nothing.
 */
export function markOf(ownerId: string): string {
  if (ownerId === '' || /[\0\n]/.test(ownerId)) {
    throw new PostgresqlError('owner id must be one line and not empty', { code: 'Invalid' });
  }
  return prefix + hash('sha256', ownerId, 'hex').slice(0, 32);
}

/** The mark in a comment, one of the first version as it is written now; undefined for any other comment or none. */
export function markIn(comment: string | null | undefined): string | undefined {
  if (comment === undefined || comment === null) return undefined;
  const [, ownerId] = /^services-stack: managed by (.+)$/.exec(comment) ?? []; // as the first version wrote it
  if (ownerId !== undefined) return markOf(ownerId);
  return /^services-stack: [0-9a-f]{32}$/.test(comment) ? comment : undefined;
}

/** What is found on a server, as far as it says whose it is. */
export interface Marked {
  readonly name: string;
  readonly comment?: string;
  /**
   * The mark of the role that owns it. An owner may write any comment on its database, but none on itself: this one
   * is proof if that was taken away.
   */
  readonly ownerMark?: string;
}

/** Whether it is `ownerId`'s. */
export const isOwnedBy = (found: Marked, ownerId: string): boolean =>
  [markIn(found.comment), found.ownerMark].includes(markOf(ownerId));

/** Whether it is to be marked again: the comment was changed, or is of the first version. */
export const isMarkOutdated = (found: Marked, ownerId: string): boolean => found.comment !== markOf(ownerId);

export const markStatement = (kind: 'database' | 'role', name: string, ownerId: string): string =>
  `COMMENT ON ${kind.toUpperCase()} ${escapeIdentifier(name)} IS ${escapeLiteral(markOf(ownerId))}`;

/**
 * Throws PostgresqlError `NotOurs` unless it is `ownerId`'s; says how to hand it over, and what that brings, or how what
 * was kept is taken up again, and never whose it is.
 */
export function checkOurs(
  kind: 'database' | 'role',
  found: Marked,
  ownerId: string,
  consequence: string | undefined = undefined,
): void {
  if (isOwnedBy(found, ownerId)) return;
  const what = `${kind} ${escapeIdentifier(found.name)}`;
  if (markIn(found.comment) === undefined) {
    const brings = consequence === undefined ? '' : ` (${consequence})`;
    const statement = markStatement(kind, found.name, ownerId);
    throw new PostgresqlError(
      `${what} exists and is not managed by ${ownerId}; to hand it over${brings}, run: ${statement}`,
      { code: 'NotOurs', advice: { kinds: ['ChooseExternalName', 'HandOver'] }, holder: { by: 'Nobody' } },
    );
  }
  throw new PostgresqlError(
    `${what} is managed by another resource, not by ${ownerId}; choose another external name, or, to take up what a deleted one left (Retain, Orphan), create one of the kind and name that it had`,
    { code: 'NotOurs', advice: { kinds: ['ChooseExternalName'] }, holder: { by: 'AnotherResource' } },
  );
}
