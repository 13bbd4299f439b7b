import { escapeIdentifier, escapeLiteral } from 'pg';
import { PostgresqlError } from './error.ts';

const prefix = 'services-stack: managed by ';

/** The comment that makes a database or role `ownerId`'s. It is the only proof of ownership there is. */
export function markOf(ownerId: string): string {
  if (ownerId === '' || /[\0\n]/.test(ownerId)) {
    throw new PostgresqlError('owner id must be one line and not empty', { code: 'Invalid' });
  }
  return prefix + ownerId;
}

/** The owner id in a comment; undefined for any other comment or none. */
export const ownerIdIn = (comment: string | undefined): string | undefined =>
  comment?.startsWith(prefix) ? comment.slice(prefix.length) : undefined;

export const markStatement = (kind: 'database' | 'role', name: string, ownerId: string): string =>
  `COMMENT ON ${kind.toUpperCase()} ${escapeIdentifier(name)} IS ${escapeLiteral(markOf(ownerId))}`;

/** Throws PostgresqlError `NotOurs` unless `comment` is `ownerId`'s mark; says how to hand the thing over. */
export function checkOurs(
  kind: 'database' | 'role',
  name: string,
  comment: string | undefined,
  ownerId: string,
): void {
  if (comment === markOf(ownerId)) return;
  const holder = ownerIdIn(comment);
  const message =
    holder === undefined
      ? `${kind} ${escapeIdentifier(name)} exists and is not managed by ${ownerId}; ` +
        `to hand it over, run: ${markStatement(kind, name, ownerId)}`
      : `${kind} ${escapeIdentifier(name)} is managed by ${holder}, not by ${ownerId}`;
  throw new PostgresqlError(message, { code: 'NotOurs' });
}
