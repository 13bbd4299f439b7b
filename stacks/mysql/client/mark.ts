import { randomBytes } from 'node:crypto';
import type { Remedies } from '../../../package/stack.ts';
import { clientAdvice, notOurs, ownerDigest } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import { errnoOf, MysqlError } from './error.ts';
import type { ServerFacts } from './server-facts.ts';
import { storedName } from './server-facts.ts';
import type { Session } from './session.ts';
import { clearText, quotedName } from './text.ts';

/** The kinds of objects that have a mark. */
export type Kind = 'database' | 'user';

/** The database of the marks. Only administrators can read it. */
export const ownDatabase = 'services_stack';

/**
 * The marks of a server are the rows of one table: a user of MariaDB has no comment, and that of a database can be changed
 * by a tenant. A row without an object is a creation that began. An object without a row is not ours. The row of type
 * `server` identifies the server: a restored server, and one to which the data moved, bring it along.
 */
const markTable = `${ownDatabase}.marks`;

const tableStatements = [
  `CREATE DATABASE IF NOT EXISTS ${ownDatabase} CHARACTER SET utf8mb4`,
  `CREATE TABLE IF NOT EXISTS ${markTable} (
     type ENUM('server', 'database', 'user') NOT NULL,
     name VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
     digest CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
     PRIMARY KEY (type, name)
   ) ENGINE = InnoDB COMMENT = 'Which resource of Kubernetes owns what. Without these rows nothing is changed or dropped.'`,
];

/** The mark of what `ownerId` owns. */
export const markOf = ownerDigest;

/** The options of a call for the owner of a database or user. */
export interface Owned {
  readonly ownerId: string;
  readonly signal?: AbortSignal;
}

/** An existing database or user, and its mark. A tenant can neither read nor write marks: each proves the ownership. */
export interface Marked {
  readonly kind: Kind;
  readonly name: string;
  /** Absent: it has none. */
  readonly mark?: string;
}

/** The statement that gives a database or user to a resource, for messages to administrators. */
export const markStatement = (kind: Kind, name: string, ownerId: string): string =>
  `REPLACE INTO ${markTable} (type, name, digest) VALUES ('${kind}', ${clearText(name)}, '${markOf(ownerId)}')`;

const forgetStatement = (kind: Kind, name: string): string =>
  `DELETE FROM ${markTable} WHERE type = '${kind}' AND name = ${clearText(name)}`;

/** Throws MysqlError `NotOurs` unless `ownerId` owns the database or user. The message never names the owner. */
export function checkOurs(found: Marked, ownerId: string, remedies: Remedies = {}): void {
  const { kind, name, mark } = found;
  if (mark === markOf(ownerId)) return;
  const [what, isMarked] = [`${kind} ${quotedName(name)}`, mark !== undefined];
  const statement = markStatement(kind, name, ownerId);
  throw new MysqlError(...notOurs({ kind, what, isMarked, statement }, ownerId, remedies));
}

/** The marks of one name, also of a database or user that does not exist. */
export type Marks = Partial<Readonly<Record<Kind, string>>>;

/** The name of a mark. Where the server ignores the case of databases, two names that differ in case only are one. */
const keyOf = (kind: Kind, name: string, facts: ServerFacts): string =>
  kind === 'database' ? storedName(facts, name) : name;

/** The marks of a name. None if there is no table. */
export async function readMarks(session: Session, name: string): Promise<Marks> {
  const { facts } = session;
  const rows = await withoutTable(
    [],
    session.query<{ type: Kind; digest: string }>(
      `SELECT type, digest FROM ${markTable} WHERE (type = 'database' AND name = ?) OR (type = 'user' AND name = ?)`,
      [keyOf('database', name, facts), keyOf('user', name, facts)],
    ),
  );
  return Object.fromEntries(rows.map(({ type, digest }) => [type, digest]));
}

/**
 * Writes the mark of a database or user that does not exist, or that `ownerId` owns. Returns whether it is new. Throws
 * `NotOurs` if the name has another mark: another resource began to create it.
 */
export async function writeMark(
  session: Session,
  kind: Kind,
  name: string,
  ownerId: string,
): Promise<boolean> {
  const key = keyOf(kind, name, session.facts);
  try {
    await session.run(`INSERT INTO ${markTable} (type, name, digest) VALUES (?, ?, ?)`, {
      values: [kind, key, markOf(ownerId)],
    });
    return true;
  } catch (error) {
    if (errnoOf(error) !== 1062) throw error; // duplicate key
  }
  const mark = (await readMarks(session, name))[kind];
  if (mark === markOf(ownerId)) return false;
  const message = `the name of ${kind} ${quotedName(name)} is taken by another resource, which has not created it; ${clientAdvice.chooseExternalName}; ${advice.freeName(forgetStatement(kind, key))}`;
  throw new MysqlError(message, {
    code: 'NotOurs',
    advice: { kinds: ['ChooseExternalName'] },
    holder: { by: 'AnotherResource' },
  });
}

/** Removes the marks of a name that `ownerId` has. No error if there are none. */
export const removeMarks = (
  session: Session,
  kinds: readonly Kind[],
  name: string,
  ownerId: string,
): Promise<void> =>
  withoutTable(
    undefined,
    (async () => {
      for (const kind of kinds) {
        await session.run(`DELETE FROM ${markTable} WHERE type = ? AND name = ? AND digest = ?`, {
          values: [kind, keyOf(kind, name, session.facts), markOf(ownerId)],
        });
      }
    })(),
  );

/** Creates the table of the marks, unless it exists. */
export async function createMarkTable(session: Session): Promise<void> {
  const found = await session.query(
    `SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${ownDatabase}' AND TABLE_NAME = 'marks'`,
  );
  if (found.length > 0) return;
  for (const statement of tableStatements) await session.run(statement);
}

/** The digest that identifies the server, if its table of marks has one. */
export async function readIdentity(session: Session): Promise<string | undefined> {
  const [row] = await withoutTable(
    [],
    session.query<{ digest: string }>(`SELECT digest FROM ${markTable} WHERE type = 'server' AND name = ''`),
  );
  return row?.digest;
}

/** Identifies the server in its table of marks, unless another session did. */
export async function writeIdentity(session: Session): Promise<void> {
  await createMarkTable(session);
  await session.run(`INSERT IGNORE INTO ${markTable} (type, name, digest) VALUES ('server', '', ?)`, {
    values: [randomBytes(16).toString('hex')],
  });
}

/** The result of `reading`; `otherwise` if the table, or its database, does not exist. */
async function withoutTable<T>(otherwise: T, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (![1049, 1146].includes(errnoOf(error) ?? 0)) throw error;
    return otherwise;
  }
}
