import { errnoOf, invalidFields, MysqlError } from './error.ts';
import type { Marked, Marks } from './mark.ts';
import { readMarks } from './mark.ts';
import { storedName } from './server-facts.ts';
import type { Session } from './session.ts';
import { account, contentsOf, pattern, quotedName, quotedText } from './text.ts';

/** A database alone, without its user. */
export interface SchemaObservation extends Marked {
  readonly kind: 'database';
  readonly characterSet: string;
  readonly collation: string;
}

/** How new tables of a database store texts. */
export interface Encoding {
  /** Default utf8mb4. */
  readonly characterSet?: string;
  /** Default: that of the character set. */
  readonly collation?: string;
}

/** The database of this name. Undefined: there is none. `marks`: those of the name, if they are known. */
export async function readSchema(
  session: Session,
  name: string,
  marks?: Marks,
): Promise<SchemaObservation | undefined> {
  const { facts } = session;
  const rows = await session.query<{ name: string; characterSet: string; collation: string }>(
    `SELECT SCHEMA_NAME AS name, DEFAULT_CHARACTER_SET_NAME AS characterSet, DEFAULT_COLLATION_NAME AS collation
     FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?`,
    [storedName(facts, name)],
  );
  const found = rows.find((row) => storedName(facts, row.name) === storedName(facts, name));
  if (found === undefined) return undefined;
  const { database: mark } = marks ?? (await readMarks(session, name));
  return { kind: 'database', ...found, ...(mark !== undefined && { mark }) };
}

/** Creates a database. Returns false if another session created one of that name during this time. */
export async function createSchema(session: Session, name: string, wanted: Encoding): Promise<boolean> {
  try {
    await session.run(
      `CREATE DATABASE ${quotedName(name)}${encodingClauses({ characterSet: 'utf8mb4', ...wanted })}`,
    );
    return true;
  } catch (error) {
    if (errnoOf(error) === 1007) return false; // it exists
    throw namingFields(error);
  }
}

/** The character set and the collation that differ. A collation without a character set has its own. */
export const encodingDrift = (found: SchemaObservation, wanted: Encoding): readonly (keyof Encoding)[] =>
  (['characterSet', 'collation'] as const).filter(
    (field) => wanted[field] !== undefined && !isSameName(wanted[field], found[field]),
  );

/** `utf8` is another name of `utf8mb3`, or of `utf8mb4` as `old_mode` of the server sets it; so are its collations. */
const isSameName = (wanted: string, found: string): boolean =>
  wanted.toLowerCase() === found || wanted.toLowerCase() === found.replace(/^utf8mb[34]/, 'utf8');

export async function alterSchema(
  session: Session,
  found: SchemaObservation,
  wanted: Encoding,
): Promise<void> {
  if (encodingDrift(found, wanted).length === 0) return;
  await session
    .runAmongTenants(`ALTER DATABASE ${quotedName(found.name)}${encodingClauses(wanted)}`)
    .catch((error) => {
      throw namingFields(error);
    });
}

const encodingClauses = ({ characterSet, collation }: Encoding): string =>
  [
    ...(characterSet === undefined ? [] : [` CHARACTER SET ${quotedText(characterSet)}`]),
    ...(collation === undefined ? [] : [` COLLATE ${quotedText(collation)}`]),
  ].join('');

/** The fields whose value the server refuses with this number. */
const refusedFields: Readonly<Record<number, readonly (keyof Encoding)[]>> = {
  1115: ['characterSet'],
  1253: ['collation', 'characterSet'],
  1273: ['collation'],
};

function namingFields(error: unknown): unknown {
  const fields = refusedFields[errnoOf(error) ?? 0];
  if (fields === undefined || !(error instanceof MysqlError)) return error;
  return invalidFields(error.message, fields, error.errno);
}

export const dropSchema = (session: Session, name: string): Promise<void> =>
  session.runAmongTenants(`DROP DATABASE IF EXISTS ${quotedName(name)}`);

/**
 * Takes back the privileges on a dropped database, by its stored name: the server keeps them for the next database of that
 * name. Its tenant may have dropped it before.
 */
export async function forgetPrivileges(session: Session, name: string): Promise<void> {
  for (const statement of await forgettingStatements(session, name)) {
    await session.run(statement).catch((error: unknown) => {
      if (![1141, 1147, 1269, 1403].includes(errnoOf(error) ?? 0)) throw error; // it is gone
    });
  }
}

/** The statements that take back the privileges that accounts still have on a database, its tables and its routines. */
async function forgettingStatements(session: Session, name: string): Promise<readonly string[]> {
  const databases = await session.query<Record<string, string>>(
    `SELECT * FROM mysql.db WHERE Db IN (?, ?) AND User <> ''`,
    [pattern(name), name],
  );
  const tables = await session.query<{ User: string; Host: string; name: string }>(
    `SELECT User, Host, Table_name AS name FROM mysql.tables_priv WHERE Db = ?
     UNION SELECT User, Host, Table_name FROM mysql.columns_priv WHERE Db = ?`,
    [name, name],
  );
  const routines = await session.query<{ User: string; Host: string; name: string; kind: string }>(
    'SELECT User, Host, Routine_name AS name, Routine_type AS kind FROM mysql.procs_priv WHERE Db = ?',
    [name],
  );
  return [
    // A pattern with wildcards of its own was meant for other databases, too.
    ...databases.filter(({ Db }) => Db === pattern(name)).map((row) => revokeAll(contentsOf(name), row)),
    ...tables.map((row) => revokeAll(`${quotedName(name)}.${quotedName(row.name)}`, row)),
    ...routines.map((row) => revokeAll(`${row.kind} ${quotedName(name)}.${quotedName(row.name)}`, row)),
  ];
}

const revokeAll = (on: string, row: { readonly User?: string; readonly Host?: string }): string =>
  `REVOKE ALL PRIVILEGES ON ${on} FROM ${grantee(row.User ?? '', row.Host ?? '')}`;

/** An account, or a role, which has no host. */
const grantee = (user: string, host: string): string =>
  host === '' ? quotedName(user) : account(user, host);
