import { createHash } from 'node:crypto';
import type { DatabaseObservation } from './database-spec.ts';
import type { HolderOf } from './mark.ts';
import { markIn } from './mark.ts';
import { unfinishedPrefix } from './name.ts';
import type { Session } from './session.ts';

/** The state of a database, without its extensions; undefined if there is none. */
export async function readDatabase(
  session: Session,
  name: string,
  holderOf: HolderOf,
): Promise<DatabaseObservation | undefined> {
  const [row] = await session.query<{
    owner: string;
    encoding: string;
    lcCollate: string;
    lcCType: string;
    connectionLimit: number;
    allowConnections: boolean;
    isTemplate: boolean;
    isOpenToPublic: boolean;
    isOpenToAdmin: boolean;
    comment: string | null;
    ownerComment: string | null;
  }>(
    `SELECT pg_get_userbyid(datdba) AS owner, pg_encoding_to_char(encoding) AS encoding,
            datcollate AS "lcCollate", datctype AS "lcCType", datconnlimit AS "connectionLimit",
            datallowconn AS "allowConnections", datistemplate AS "isTemplate",
            has_database_privilege('public', oid, 'CONNECT') AS "isOpenToPublic",
            has_database_privilege(oid, 'CONNECT') AS "isOpenToAdmin",
            shobj_description(oid, 'pg_database') AS comment,
            shobj_description(datdba, 'pg_authid') AS "ownerComment"
     FROM pg_database WHERE datname = $1`,
    [name],
  );
  if (row === undefined) return undefined;
  const { comment, ownerComment, ...fields } = row;
  const ownerMark = markIn(ownerComment);
  return {
    name,
    ...fields,
    isInvalid: row.connectionLimit === -2, // DATCONNLIMIT_INVALID_DB
    ...(comment !== null && { comment }),
    ...(ownerMark !== undefined && { ownerMark }),
    // guard(false): a tenant passes its database off as the administrator's, by a comment
    ...(ownerMark !== undefined &&
      holderOf(ownerMark, row.owner)?.isClaims !== false && { distrustedOwner: row.owner }),
  };
}

/** The temporary name of an unfinished database. */
export const unfinishedName = (ownerId: string, name: string): string =>
  unfinishedPrefix + createHash('sha256').update(`${ownerId}\0${name}`).digest('hex').slice(0, 32);
