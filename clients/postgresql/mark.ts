import { hash } from 'node:crypto';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { advice } from '../advice.ts';
import { PostgresqlError } from './error.ts';

const prefix = 'services-stack: ';

/**
 * The comment that marks a database or role as owned by `ownerId`. Every tenant of the server can read it
 * (pg_shdescription). Therefore it is a digest, from which a tenant learns nothing.
 */
export function markOf(ownerId: string): string {
  if (ownerId === '' || /[\0\n]/.test(ownerId)) {
    throw new PostgresqlError('owner id must be one line and not empty', { code: 'Invalid' });
  }
  return prefix + hash('sha256', ownerId, 'hex').slice(0, 32);
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

/** The marks of an existing database or role. */
export interface Marked {
  readonly name: string;
  readonly comment?: string;
  /**
   * The mark of the role that owns the database. This role may change the comment of the database, but not its own
   * comment. If the database's comment was changed, the mark of the role proves the ownership.
   */
  readonly ownerMark?: string;
}

/** Whether `ownerId` owns the database or role. */
export const isOwnedBy = (found: Marked, ownerId: string): boolean =>
  [markIn(found.comment), found.ownerMark].includes(markOf(ownerId));

/** Whether to write the mark again: the comment was changed, or is of the first version. */
export const isMarkOutdated = (found: Marked, ownerId: string): boolean => found.comment !== markOf(ownerId);

export const markStatement = (kind: 'database' | 'role', name: string, ownerId: string): string =>
  `COMMENT ON ${kind.toUpperCase()} ${escapeIdentifier(name)} IS ${escapeLiteral(markOf(ownerId))}`;

/** Lets the message explain how to adopt a database or role without a mark. `consequence`: the effect of the adoption. */
export interface Adoption {
  readonly consequence?: string | undefined;
}

/**
 * Throws PostgresqlError `NotOurs` unless `ownerId` owns the database or role. The message explains how to use a retained
 * one again, and with `adoption` how to adopt one without a mark. The message never names the owner.
 */
export function checkOurs(
  kind: 'database' | 'role',
  found: Marked,
  ownerId: string,
  adoption: Adoption | undefined = undefined,
): void {
  if (isOwnedBy(found, ownerId)) return;
  const what = `${kind} ${escapeIdentifier(found.name)}`;
  if (markIn(found.comment) === undefined) {
    const { consequence } = adoption ?? {};
    const brings = consequence === undefined ? '' : ` (${consequence})`;
    const statement = markStatement(kind, found.name, ownerId);
    const todo = adoption === undefined ? advice.chooseExternalName : advice.adopt(brings, statement);
    throw new PostgresqlError(`${what} exists and is not managed by ${ownerId}; ${todo}`, {
      code: 'NotOurs',
      advice: { kinds: adoption === undefined ? ['ChooseExternalName'] : ['ChooseExternalName', 'HandOver'] },
      holder: { by: 'Nobody' },
    });
  }
  throw new PostgresqlError(
    `${what} is managed by another resource, not by ${ownerId}; ${advice.chooseExternalName}; ${advice.createRetainedAgain}`,
    { code: 'NotOurs', advice: { kinds: ['ChooseExternalName'] }, holder: { by: 'AnotherResource' } },
  );
}
