import type { Acl } from './acl.ts';
import { namedIn, withOwner } from './acl.ts';
import type { RoleRow } from './catalog.ts';
import { keyIn, plainRole } from './catalog.ts';
import { isNamedIn } from './database-statements.ts';
import { checkSuperuser, isSuperuser } from './rights.ts';
import { missing, ServerError } from './server-error.ts';
import type { Execution, Statement } from './statement.ts';
import { writing } from './statement.ts';
import type { Words } from './words.ts';

const attributes = {
  login: 'login',
  createdb: 'createDb',
  createrole: 'createRole',
  inherit: 'inherit',
  replication: 'replication',
  bypassrls: 'bypassRls',
  superuser: 'superuser',
} as const;

export function existingRole({ tx }: Pick<Execution, 'tx'>, name: string): RoleRow {
  const found = tx.get('roles', name);
  if (found === undefined) throw missing.role(name);
  return found;
}

/** The options of CREATE ROLE and ALTER ROLE, up to the end. */
function options(words: Words): Partial<RoleRow> {
  let wanted: Partial<RoleRow> = {};
  words.accept('WITH');
  while (!words.isAtEnd) {
    if (words.accept('CONNECTION', 'LIMIT')) wanted = { ...wanted, connectionLimit: words.integer() };
    else if (words.accept('PASSWORD')) wanted = { ...wanted, password: words.literal() };
    else {
      const word = words.name();
      const isNo = word.startsWith('no');
      const attribute = attributes[(isNo ? word.slice(2) : word) as keyof typeof attributes];
      if (attribute === undefined) throw words.unknown();
      wanted = { ...wanted, [attribute]: !isNo };
    }
  }
  return wanted;
}

/** `CREATE ROLE` was read. */
export function createRole(words: Words): Statement {
  const name = words.name();
  const wanted = options(words);
  return writing('CREATE ROLE', name, async ({ tx, user }) => {
    checkSuperuser(tx, user);
    if (tx.get('roles', name) !== undefined) {
      throw new ServerError('42710', `role "${name}" already exists`);
    }
    await tx.put('roles', name, { ...plainRole, name, ...wanted });
    return [];
  });
}

/** `ALTER ROLE` was read. */
export function alterRole(words: Words): Statement {
  const name = words.name();
  const statement = { verb: 'ALTER ROLE', target: name, isWrite: true };
  const setting = (read: (parameter: string) => string | undefined): Statement => {
    const parameter = words.dottedName();
    const value = read(parameter);
    return {
      ...statement,
      async run(execution) {
        await configure(execution, name, parameter, value);
        return [];
      },
    };
  };
  if (words.accept('SET')) {
    return setting((parameter) => {
      if (!words.accept('TO')) words.expect('=');
      return settingOf(words, parameter);
    });
  }
  if (words.accept('RESET')) return setting(() => undefined);
  const wanted = options(words);
  return {
    ...statement,
    async run({ tx, user }) {
      const found = existingRole({ tx }, name);
      const isOwnPassword = user === name && Object.keys(wanted).join() === 'password';
      if (!isOwnPassword && !isSuperuser(tx, user)) {
        throw new ServerError('42501', 'permission denied to alter role');
      }
      await tx.put('roles', name, { ...found, ...wanted });
      return [];
    },
  };
}

const listParameters = new Set([
  'search_path',
  'session_preload_libraries',
  'temp_tablespaces',
  'local_preload_libraries',
]);

/** Of the parameters without a dot, those that a test may set, with what they take. */
const parameters: Readonly<Record<string, RegExp>> = {
  search_path: /^/,
  work_mem: /^\d+ *([kMGT]?B)?$/,
  statement_timeout: /^\d+ *(us|ms|s|min|h|d)?$/,
  lock_timeout: /^\d+ *(us|ms|s|min|h|d)?$/,
  application_name: /^/,
  datestyle: /^/,
  timezone: /^/,
  role: /^/,
};

function settingOf(words: Words, parameter: string): string {
  const values = [words.isAtLiteral() ? words.literal() : words.name()];
  while (words.accept(',')) values.push(words.isAtLiteral() ? words.literal() : words.name());
  if (!listParameters.has(parameter.toLowerCase())) return values.join(', ');
  if (values.length === 1 && values[0] === '') return '""';
  return values
    .map((value) => (/^[a-z_][a-z0-9_]*$/.test(value) ? value : `"${value.replaceAll('"', '""')}"`))
    .join(', ');
}

async function configure(
  { tx, user }: Execution,
  name: string,
  parameter: string,
  value: string | undefined,
): Promise<void> {
  const found = existingRole({ tx }, name);
  if (user !== name && !isSuperuser(tx, user)) {
    throw new ServerError('42501', 'permission denied to alter role');
  }
  const canonical = parameter.toLowerCase();
  if (!parameter.includes('.') && !(canonical in parameters)) {
    throw new ServerError('42704', `unrecognized configuration parameter "${parameter}"`);
  }
  if (value !== undefined && parameters[canonical]?.test(value) === false) {
    throw new ServerError('22023', `invalid value for parameter "${canonical}": "${value}"`);
  }
  const key = parameter.includes('.') ? parameter : canonical;
  const is = (setting: string): boolean => setting.slice(0, setting.indexOf('=')).toLowerCase() === canonical;
  const { configuration } = found;
  const setting = `${key}=${value}`;
  const next =
    value === undefined
      ? configuration.filter((each) => !is(each))
      : configuration.some(is)
        ? configuration.map((each) => (is(each) ? setting : each))
        : [...configuration, setting];
  await tx.put('roles', name, { ...found, configuration: next });
}

/** `DROP ROLE` was read. */
export function dropRole(words: Words): Statement {
  const isOptional = words.accept('IF', 'EXISTS');
  const name = words.name();
  return writing('DROP ROLE', name, async (execution) => {
    const { tx, session, user } = execution;
    checkSuperuser(tx, user);
    if (isOptional && tx.get('roles', name) === undefined) return [];
    existingRole({ tx }, name);
    if (name === session.user) throw new ServerError('55006', 'current user cannot be dropped');
    const dependent = dependents(execution, name);
    if (dependent.length > 0) {
      const message = `role "${name}" cannot be dropped because some objects depend on it`;
      throw new ServerError('2BP01', message, { detail: dependent.join('\n') });
    }
    for (const row of [...tx.all('memberships')]) {
      if (row.role === name || row.member === name) await tx.remove('memberships', keyIn.membership(row));
    }
    await tx.remove('roles', name);
    return [];
  });
}

/** The objects that depend on a role, in the server's words. */
function dependents({ tx, session }: Execution, role: string): readonly string[] {
  const names = new Map([...tx.all('databases')].map(({ oid, name }) => [oid, name]));
  const elsewhere = new Map<number, number>();
  const found: string[] = [];
  for (const database of tx.all('databases')) {
    if (database.owner === role) found.push(`owner of database ${database.name}`);
    else if (isNamedIn(database, role)) found.push(`privileges for database ${database.name}`);
  }
  for (const row of tx.all('memberships')) {
    if (row.grantor === role && row.role !== role && row.member !== role) {
      found.push(`privileges for membership of role ${row.member} in role ${row.role}`);
    }
  }
  for (const { database, text } of inside({ tx }, role)) {
    if (database === session.databaseOid) found.push(text);
    else elsewhere.set(database, (elsewhere.get(database) ?? 0) + 1);
  }
  for (const [oid, count] of elsewhere) {
    found.push(`${count} object${count === 1 ? '' : 's'} in database ${names.get(oid)}`);
  }
  return found;
}

/** The objects within databases that depend on a role: schemas that it has privileges on. */
export function inside(
  { tx }: Pick<Execution, 'tx'>,
  role: string,
): readonly { readonly database: number; readonly text: string }[] {
  if (tx.get('roles', role)?.isPinned === true) return [];
  const found = [];
  for (const { database, name, owner, acl } of tx.all('schemas')) {
    if (namedIn(acl, owner).has(role)) found.push({ database, text: `privileges for schema ${name}` });
  }
  return found;
}

/** `REASSIGN OWNED BY` was read. Within databases only the server's own roles own something here. */
export function reassignOwned(words: Words): Statement {
  const from = words.name();
  words.expect('TO');
  const to = words.name();
  return writing('REASSIGN OWNED', from, async ({ tx, user }) => {
    checkSuperuser(tx, user);
    existingRole({ tx }, from);
    existingRole({ tx }, to);
    for (const row of [...tx.all('databases')]) {
      if (row.owner !== from) continue;
      const { acl } = row;
      const next = { ...row, owner: to, ...(acl && { acl: withOwner(acl, from, to) }) };
      await tx.put('databases', row.name, next);
    }
    return [];
  });
}

/** `DROP OWNED BY` was read: privileges end. */
export function dropOwned(words: Words): Statement {
  const name = words.name();
  const others = (acl: Acl = []): Acl => acl.filter(({ grantee }) => grantee !== name);
  return writing('DROP OWNED', name, async ({ tx, session, user }) => {
    checkSuperuser(tx, user);
    existingRole({ tx }, name);
    for (const row of [...tx.all('schemas')]) {
      if (row.database !== session.databaseOid || !namedIn(row.acl, row.owner).has(name)) continue;
      await tx.put('schemas', keyIn.inside(row.database, row.name), { ...row, acl: others(row.acl) });
    }
    for (const row of [...tx.all('databases')]) {
      if (isNamedIn(row, name)) await tx.put('databases', row.name, { ...row, acl: others(row.acl) });
    }
    return [];
  });
}
