import uniq from 'lodash/uniq.js';
import { quoted } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import { invalidFields, MysqlError } from './error.ts';
import type { Session } from './session.ts';

/**
 * All privileges that a database can have, without GRANT OPTION. `GRANT ALL` is not used: an administrator who lacks one
 * of the server's version may not run it.
 */
export const databasePrivileges = [
  ...['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'CREATE', 'DROP', 'REFERENCES', 'INDEX', 'ALTER'],
  ...['CREATE TEMPORARY TABLES', 'LOCK TABLES', 'EXECUTE', 'CREATE VIEW', 'SHOW VIEW', 'CREATE ROUTINE'],
  ...['ALTER ROUTINE', 'EVENT', 'TRIGGER', 'DELETE HISTORY'],
] as const;

/**
 * The privileges that an administrator needs on `*.*`, with GRANT OPTION, and no SUPER. PROCESS shows the sessions that a deletion waits
 * for, CONNECTION ADMIN ends them. SELECT includes the server's own tables.
 */
export const administratorPrivileges = [...databasePrivileges, 'CREATE USER', 'PROCESS', 'CONNECTION ADMIN'];

/** The privileges of a list as the server writes them, sorted. Absent, or with `ALL`: all. Throws `Invalid` for others. */
export function wantedPrivileges(privileges: readonly string[] = ['ALL']): readonly string[] {
  const names = uniq(privileges.map((name) => name.trim().toUpperCase()));
  if (names.some((name) => name === 'ALL' || name === 'ALL PRIVILEGES')) return databasePrivileges.toSorted();
  const unknown = names.filter((name) => !(databasePrivileges as readonly string[]).includes(name));
  if (unknown.length === 0 && names.length > 0) return names.toSorted();
  const problem =
    names.length === 0
      ? 'a list of privileges must not be empty'
      : `a database has no privilege ${unknown.map(quoted).join(', ')}`;
  throw invalidFields(problem, ['privileges']);
}

/** The privileges that an administrator lacks, and the statement that gives it. */
export interface MissingPrivileges {
  readonly missing: readonly string[];
  readonly statement: string;
}

/** Of the account of the session. Undefined: nothing is missing. Privileges of its role count, too. */
export async function missingPrivileges(session: Session): Promise<MissingPrivileges | undefined> {
  const rows = await session.query<Record<string, string>>('SHOW GRANTS');
  const missing = missingIn(rows.flatMap((row) => Object.values(row)));
  if (missing.length === 0) return undefined;
  const [, user = session.account, host = '%'] = /^(.*)@([^@]*)$/s.exec(session.account) ?? [];
  const names = missing.filter((name) => name !== 'GRANT OPTION').join(', ');
  const statement = `GRANT ${names === '' ? 'USAGE' : names} ON *.* TO ${accountName(user)}@${accountName(host)} WITH GRANT OPTION`;
  return { missing, statement };
}

/** The missing ones among the statements of SHOW GRANTS. */
export function missingIn(grants: readonly string[]): readonly string[] {
  const held = new Set<string>();
  for (const grant of grants) {
    const [, list] = /^GRANT (.+?) ON \*\.\* TO /s.exec(grant) ?? [];
    for (const name of list?.split(', ') ?? []) held.add(name);
    if (list !== undefined && / WITH (\w+ )*?GRANT OPTION/.test(grant)) held.add('GRANT OPTION');
  }
  const wanted = [...administratorPrivileges, 'GRANT OPTION'];
  const all = held.has('ALL PRIVILEGES');
  return wanted.filter((name) => !held.has(name) && (!all || name === 'GRANT OPTION'));
}

const accountName = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Names the privileges that the administrator lacks in the error of a call that the server refused. */
export async function namingPrivileges(session: Session, error: MysqlError): Promise<MysqlError> {
  const found = await missingPrivileges(session).catch(() => undefined);
  if (found === undefined) return error;
  const { missing, statement } = found;
  const message = `${error.message}: it lacks ${missing.join(', ')}; ${advice.grantPrivileges(statement)}`;
  return new MysqlError(message, { code: 'Forbidden', errno: error.errno });
}
