import { createHash } from 'node:crypto';
import type { DatabaseObservation, LocaleProvider } from './database-spec.ts';
import type { HolderOf } from './mark.ts';
import { isOwnedBy, longestMark, markIn, markOf } from './mark.ts';
import { unfinishedPrefix } from './name.ts';
import type { Session } from './session.ts';

/** By `pg_database.datlocprovider`. Before PostgreSQL 15 all databases have libc. */
const localeProviders: Readonly<Record<string, LocaleProvider>> = { c: 'libc', i: 'icu', b: 'builtin' };

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
    provider: string;
    connectionLimit: number;
    allowConnections: boolean;
    isTemplate: boolean;
    isOpenToPublic: boolean;
    isOpenToAdmin: boolean;
    isOpenToOwner: boolean;
    comment: string | null;
    ownerComment: string | null;
  }>(
    `SELECT pg_get_userbyid(datdba) AS owner, pg_encoding_to_char(encoding) AS encoding,
            datcollate AS "lcCollate", datctype AS "lcCType",
            ${session.serverVersion >= 15 ? 'datlocprovider' : "'c'"} AS provider, datconnlimit AS "connectionLimit",
            datallowconn AS "allowConnections", datistemplate AS "isTemplate",
            has_database_privilege('public', oid, 'CONNECT') AS "isOpenToPublic",
            has_database_privilege(oid, 'CONNECT') AS "isOpenToAdmin",
            has_database_privilege(datdba, oid, 'CONNECT') AS "isOpenToOwner",
            left(shobj_description(oid, 'pg_database'), ${longestMark}) AS comment,
            left(shobj_description(datdba, 'pg_authid'), ${longestMark}) AS "ownerComment"
     FROM pg_database WHERE datname = $1`,
    [name],
  );
  if (row === undefined) return undefined;
  const { comment, ownerComment, provider, ...fields } = row;
  const ownerMark = markIn(ownerComment);
  return {
    name,
    ...fields,
    localeProvider: localeProviders[provider] ?? 'builtin',
    isInvalid: row.connectionLimit === -2, // DATCONNLIMIT_INVALID_DB
    ...(comment !== null && { comment }),
    ...(ownerMark !== undefined && { ownerMark }),
    // guard: otherwise a tenant passes its database off as the administrator's, by a comment
    ...(ownerMark !== undefined &&
      holderOf(ownerMark, row.owner)?.isClaims !== false && { distrustedOwner: row.owner }),
  };
}

/**
 * The name of the database that `ownerId` owns, if it is another one than `name`. A tenant may write any comment, so the
 * database must also belong to a role with the mark of `ownerId`, or to `owner`.
 */
export async function readRenamed(
  session: Session,
  ownerId: string,
  {
    name: before,
    holderOf,
    owner,
  }: { readonly name: string; readonly holderOf: HolderOf; readonly owner: string | undefined },
): Promise<string | undefined> {
  const isOwn = ({ ownerMark, owner: now }: DatabaseObservation): boolean =>
    ownerMark === markOf(ownerId) || now === owner;
  const marked = await session.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database
     WHERE shobj_description(oid, 'pg_database') = $1 AND datname <> $2 ORDER BY datname`,
    [markOf(ownerId), before],
  );
  for (const { name } of marked) {
    const found = await readDatabase(session, name, holderOf);
    if (found !== undefined && isOwnedBy(found, ownerId) && isOwn(found)) return name;
  }
  return undefined;
}

/** The temporary name of an unfinished database. */
export const unfinishedName = (ownerId: string, name: string): string =>
  unfinishedPrefix + createHash('sha256').update(`${ownerId}\0${name}`).digest('hex').slice(0, 32);
