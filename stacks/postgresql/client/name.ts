import { clientAdvice, hasUnprintable, quoted } from '../../../package/stack.ts';
import { PostgresqlError } from './error.ts';

export const maxNameBytes = 63; // NAMEDATALEN - 1; the server cuts longer names without an error

/**
 * Throws PostgresqlError `Invalid` for a name that the server would refuse, cut or interpret. An existing database or
 * role may have a reserved name (`postgres`, `pg_monitor`). A new one may not, see below.
 */
export function checkName(kind: 'database' | 'role' | 'schema' | 'extension', name: string): void {
  const refuse = (rule: string) =>
    new PostgresqlError(`${kind} name ${quoted(name)} ${rule}`, { code: 'Invalid' });
  if (name === '') throw refuse('must not be empty');
  if (name.includes('\0')) throw refuse('must not contain a zero byte');
  if (!name.isWellFormed()) throw refuse('must be well-formed Unicode');
  const bytes = Buffer.byteLength(name, 'utf8');
  if (bytes > maxNameBytes) {
    throw refuse(`has ${bytes} bytes in UTF-8, ${maxNameBytes} are allowed`);
  }
  // GRANT … TO "public" means all roles, quoted or not.
  if (kind === 'role' && (name === 'public' || name === 'none')) throw refuse('is reserved');
}

/** Like `checkName`, for a name in a field of `forProvider`. The error says to change the field. */
export function checkNameIn(field: string, kind: Parameters<typeof checkName>[0], name: string): void {
  try {
    checkName(kind, name);
  } catch (error) {
    const fields = [`spec.forProvider.${field}`];
    throw new PostgresqlError(`${(error as Error).message}; ${clientAdvice.change(fields)}`, {
      code: 'Invalid',
      advice: { kinds: ['ChangeFields'], fields },
    });
  }
}

/** Names of databases under construction; see database.ts. */
export const unfinishedPrefix = 'services-stack-unfinished-';

/** Like `checkName`, and throws for names that belong to the server. */
export function checkOwnName(kind: 'database' | 'role', name: string): void {
  checkName(kind, name);
  const isReserved =
    kind === 'role'
      ? name.startsWith('pg_')
      : ['postgres', 'template0', 'template1'].includes(name) || name.startsWith(unfinishedPrefix);
  if (isReserved) {
    throw new PostgresqlError(`${kind} name ${quoted(name)} is reserved`, { code: 'Invalid' });
  }
}

/**
 * Like `checkOwnName`, and throws for a name with invisible characters. PostgreSQL accepts line breaks and escape
 * sequences, and prints them to a terminal. For new databases and roles; existing ones keep their names.
 */
export function checkNewName(kind: 'database' | 'role', name: string): void {
  checkOwnName(kind, name);
  checkPrintable(`${kind} name`, name);
}

/** Throws PostgresqlError `Invalid` for text with control or invisible characters. */
export function checkPrintable(what: string, text: string | undefined): void {
  if (text === undefined || !hasUnprintable(text)) return;
  const message = `${what} ${quoted(text)} must not contain control or invisible characters`;
  throw new PostgresqlError(message, { code: 'Invalid' });
}
