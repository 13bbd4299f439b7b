import { hasUnprintable, messageOf, quoted } from '../../../package/stack.ts';
import { invalidFields, MysqlError } from './error.ts';
import type { Kind } from './mark.ts';
import { ownDatabase } from './mark.ts';
import { pattern } from './text.ts';

/** In characters. A user of MySQL has at most 32; MariaDB's documentation says 80. */
const maxLength = { database: 64, user: 80 } as const;

/** The names that the server, or this product, owns. In any case: some servers ignore it. */
const reserved: Readonly<Record<Kind, ReadonlySet<string>>> = {
  database: new Set([ownDatabase, 'mysql', 'information_schema', 'performance_schema', 'sys']),
  user: new Set([
    ...['root', 'public', 'none', 'current_user', 'current_role', 'mysql', ownDatabase],
    ...['mariadb.sys', 'mysql.sys', 'mysql.session', 'mysql.infoschema'],
  ]),
};

interface NameCheck {
  readonly isBroken: (name: string, kind: Kind) => boolean;
  readonly rule: (name: string, kind: Kind) => string;
}

/** Names that the server would refuse, change or take for something else. */
const checks: readonly NameCheck[] = [
  { isBroken: (name) => name === '', rule: () => 'must not be empty' },
  { isBroken: (name) => name.includes('\0'), rule: () => 'must not contain a zero byte' },
  {
    // The server's own tables have three bytes for a character, and write `?` for others.
    isBroken: (name) => /[\u{10000}-\u{10FFFF}\p{Surrogate}]/u.test(name),
    rule: () => 'must not contain characters above U+FFFF',
  },
  { isBroken: (name) => name !== name.trim(), rule: () => 'must not begin or end with a space' },
  {
    isBroken: (name, kind) => [...name].length > maxLength[kind],
    rule: (name, kind) => `has ${[...name].length} characters, ${maxLength[kind]} are allowed`,
  },
  {
    // The server cuts a longer pattern without an error, and then it means something else.
    isBroken: (name, kind) => kind === 'database' && [...pattern(name)].length > maxLength.database,
    rule: (name) =>
      `has ${[...pattern(name)].length} characters in a GRANT, where each "_", "%" and "\\" counts twice; ${maxLength.database} are allowed`,
  },
  {
    // A client takes them out of the path of a URI.
    isBroken: (name, kind) => kind === 'database' && ['.', '..'].includes(name),
    rule: () => 'must not be "." or ".."',
  },
  {
    // It would mean the directory `x`, of whatever database.
    isBroken: (name, kind) => kind === 'database' && name.toLowerCase().startsWith('#mysql50#'),
    rule: () => 'must not begin with #mysql50#',
  },
];

/** Throws MysqlError `Invalid` for a name that the server would refuse, change or take for something else. */
export function checkName(kind: Kind, name: string): void {
  const broken = checks.find(({ isBroken }) => isBroken(name, kind));
  if (broken !== undefined) throw invalidName(kind, name, broken.rule(name, kind));
}

/** Runs `check` for a name in a field of `forProvider`. The error says to change the field. */
export function checkNameIn(
  field: string,
  kind: Kind,
  name: string,
  check: (kind: Kind, name: string) => void = checkName,
): void {
  try {
    check(kind, name);
  } catch (error) {
    throw invalidFields(messageOf(error), [field]);
  }
}

/** Like `checkName`, and throws for names that belong to the server or to this product. */
export function checkOwnName(kind: Kind, name: string): void {
  checkName(kind, name);
  if (reserved[kind].has(name.toLowerCase())) throw invalidName(kind, name, 'is reserved');
}

/**
 * The files that the server, and its backups, keep beside the folders of the databases. With a folder of such a name the
 * server does not start again: `ib_logfile1`. Names with a dot or a hyphen are written in another way.
 */
const serverFiles =
  /^(ib_logfile\d+|ibdata\d+|ibtmp\d+|undo\d+|ib_buffer_pool|aria_log_control|(mysql|mariadb)_upgrade_info|(xtrabackup|mariadb_backup)_\w+)$/i;

/** MariaDB removes an apostrophe at both ends of a user name at each login (`parse_client_handshake_packet` in its source). */
const inApostrophes = /^'.*'$/s;

/**
 * Like `checkOwnName`, and throws for a name with invisible characters, of a file of the server, or of a user who could not
 * log in. Existing databases and users keep their names.
 */
export function checkNewName(kind: Kind, name: string): void {
  checkOwnName(kind, name);
  if (hasUnprintable(name)) throw invalidName(kind, name, 'must not contain control or invisible characters');
  // guard: otherwise a tenant chooses a name that keeps the server from starting again
  if (kind === 'database' && serverFiles.test(name))
    throw invalidName(kind, name, 'is that of a file of the server');
  // guard: otherwise a user can never log in, or is taken for another user
  if (kind === 'user' && inApostrophes.test(name))
    throw invalidName(
      kind,
      name,
      'must not begin and end with an apostrophe: the server ignores them at a login',
    );
}

/**
 * Throws for the name of a new database on a server that ignores the case. It takes some capital letters for others than
 * Unicode does: `İx` for `ix`.
 */
export function checkIgnorableCase(name: string): void {
  const isUnsure = (letter: string) => !/[A-Z]/.test(letter) && letter !== letter.toLowerCase();
  // guard: otherwise a name is taken for that of the database of another team
  if ([...name].some(isUnsure))
    throw invalidName('database', name, 'must have no capital letters but A to Z on this server');
}

const invalidName = (kind: Kind, name: string, rule: string): MysqlError =>
  new MysqlError(`${kind} name ${quoted(name)} ${rule}`, { code: 'Invalid' });
