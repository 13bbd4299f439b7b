import { namedIn, withOwner } from './acl.ts';
import type { DatabaseRow } from './catalog.ts';
import { keyIn } from './catalog.ts';
import { checkSuperuser } from './rights.ts';
import { missing, ServerError } from './server-error.ts';
import type { Execution, ObservedSession, Statement } from './statement.ts';
import { writing, writingAlone } from './statement.ts';
import type { Words } from './words.ts';

/** By what PostgreSQL calls them without regard to case and punctuation. */
const encodings = new Map(
  ['UTF8', 'LATIN1', 'LATIN2', 'LATIN9', 'SQL_ASCII', 'WIN1252', 'EUC_JP'].map((name) => [plain(name), name]),
);
const encodingAliases: Readonly<Record<string, string>> = { unicode: 'UTF8', iso88591: 'LATIN1' };
const locales = new Set(['C', 'POSIX', 'C.utf8', 'C.UTF-8']);

/** As `setlocale` of the C library calls it. */
const localeOf = (name: string | undefined): string | undefined => (name === 'POSIX' ? 'C' : name);

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

export function existingDatabase({ tx }: Pick<Execution, 'tx'>, name: string): DatabaseRow {
  const found = tx.get('databases', name);
  if (found === undefined) throw missing.database(name);
  return found;
}

const put = ({ tx }: Execution, row: DatabaseRow): Promise<void> => tx.put('databases', row.name, row);

/** `CREATE DATABASE` was read; the rest of it. */
export function createDatabase(words: Words): Statement {
  const name = words.name();
  const wanted: { -readonly [field in keyof DatabaseRow]?: DatabaseRow[field] } & { template?: string } = {};
  words.accept('WITH');
  while (!words.isAtEnd) {
    if (words.accept('ALLOW_CONNECTIONS')) wanted.allowConnections = words.boolean();
    else if (words.accept('TEMPLATE')) wanted.template = words.name();
    else if (words.accept('OWNER')) wanted.owner = words.name();
    else if (words.accept('ENCODING')) wanted.encoding = words.literal();
    else if (words.accept('LC_COLLATE')) wanted.lcCollate = words.literal();
    else if (words.accept('LC_CTYPE')) wanted.lcCType = words.literal();
    else if (words.accept('LOCALE_PROVIDER', 'libc')) wanted.provider = 'c';
    else throw words.unknown();
  }
  return writingAlone('CREATE DATABASE', name, async (execution) => {
    const { tx, server, user } = execution;
    checkSuperuser(tx, user);
    const owner = wanted.owner ?? user;
    if (tx.get('roles', owner) === undefined) throw missing.role(owner);
    const encoding =
      wanted.encoding === undefined
        ? undefined
        : (encodings.get(plain(wanted.encoding)) ?? encodingAliases[plain(wanted.encoding)]);
    if (wanted.encoding !== undefined && encoding === undefined) {
      throw new ServerError('42704', `${wanted.encoding} is not a valid encoding name`);
    }
    const templateName = wanted.template ?? 'template1';
    const template = tx.get('databases', templateName);
    if (template === undefined) {
      throw new ServerError('3D000', `template database "${templateName}" does not exist`);
    }
    const row: DatabaseRow = {
      oid: server.nextOid(),
      name,
      owner,
      encoding: encoding ?? template.encoding,
      lcCollate: localeOf(wanted.lcCollate) ?? template.lcCollate,
      lcCType: localeOf(wanted.lcCType) ?? template.lcCType,
      provider: wanted.provider ?? template.provider,
      connectionLimit: -1,
      allowConnections: wanted.allowConnections ?? true,
      isTemplate: false,
    };
    for (const [field, what] of [
      ['lcCollate', 'LC_COLLATE'],
      ['lcCType', 'LC_CTYPE'],
    ] as const) {
      if (locales.has(row[field])) continue;
      throw new ServerError('42809', `invalid ${what} locale name: "${row[field]}"`);
    }
    checkCopy(template, row);
    if (tx.get('databases', name) !== undefined) {
      throw new ServerError('42P04', `database "${name}" already exists`);
    }
    await untilLeft(execution, template, (detail) => {
      const message = `source database "${template.name}" is being accessed by other users`;
      return new ServerError('55006', message, { detail });
    });
    await put(execution, row);
    await copyInside(execution, template.oid, row.oid);
    return [];
  });
}

const providerNames = { c: 'libc', i: 'icu', b: 'builtin' } as const;

/** The properties that only a copy of template0 may choose. */
function checkCopy(template: DatabaseRow, row: DatabaseRow): void {
  if (template.connectionLimit === -2) {
    throw new ServerError('55000', `cannot use invalid database "${template.name}" as template`);
  }
  if (template.name === 'template0') return;
  const refuse = (what: string, is: string, was: string): ServerError =>
    new ServerError(
      '22023',
      `new ${what} (${is}) is incompatible with the ${what} of the template database (${was})`,
    );
  if (row.encoding !== template.encoding) throw refuse('encoding', row.encoding, template.encoding);
  if (row.provider !== template.provider) {
    const [is, was] = [row.provider, template.provider].map((each) => providerNames[each]);
    throw new ServerError(
      '22023',
      `new locale provider (${is}) does not match locale provider of the template database (${was})`,
    );
  }
  if (row.lcCollate !== template.lcCollate) throw refuse('collation', row.lcCollate, template.lcCollate);
  if (row.lcCType !== template.lcCType) throw refuse('LC_CTYPE', row.lcCType, template.lcCType);
}

const contents = ['schemas', 'extensions'] as const;

async function copyInside({ tx }: Execution, from: number, to: number): Promise<void> {
  for (const part of contents) {
    for (const row of [...tx.all(part)].filter(({ database }) => database === from)) {
      await tx.put(part, keyIn.inside(to, row.name), { ...row, database: to });
    }
  }
}

const othersOn = ({ server, session }: Execution, oid: number): readonly ObservedSession[] =>
  server.sessions().filter(({ pid, databaseOid }) => databaseOid === oid && pid !== session.pid);

/** Others get 5 s to leave a database. */
async function untilLeft(
  execution: Execution,
  { oid }: DatabaseRow,
  refusal: (detail: string) => ServerError,
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const count = othersOn(execution, oid).length;
    if (count === 0) return;
    if (tries === 50) {
      const detail =
        count === 1
          ? 'There is 1 other session using the database.'
          : `There are ${count} other sessions using the database.`;
      throw refusal(detail);
    }
    await execution.server.clock.sleep(100);
  }
}

const accessed = (name: string) => (detail: string) =>
  new ServerError('55006', `database "${name}" is being accessed by other users`, { detail });

/** `DROP DATABASE` was read. */
export function dropDatabase(words: Words): Statement {
  const isOptional = words.accept('IF', 'EXISTS');
  const name = words.name();
  const isForced = words.accept('WITH', '(', 'FORCE', ')');
  return writingAlone('DROP DATABASE', name, async (execution) => {
    const { tx, session, user } = execution;
    if (isOptional && tx.get('databases', name) === undefined) return [];
    const found = existingDatabase(execution, name);
    checkSuperuser(tx, user);
    if (found.isTemplate) throw new ServerError('42809', 'cannot drop a template database');
    if (found.oid === session.databaseOid) {
      throw new ServerError('55006', 'cannot drop the currently open database');
    }
    if (isForced) for (const other of othersOn(execution, found.oid)) other.terminate();
    await untilLeft(execution, found, accessed(name));
    await tx.remove('databases', name);
    for (const part of contents) {
      for (const row of [...tx.all(part)].filter(({ database }) => database === found.oid)) {
        await tx.remove(part, keyIn.inside(found.oid, row.name));
      }
    }
    return [];
  });
}

/** `ALTER DATABASE` was read. */
export function alterDatabase(words: Words): Statement {
  const name = words.name();
  return { verb: 'ALTER DATABASE', target: name, isWrite: true, run: change(words, name) };
}

function change(words: Words, name: string): Statement['run'] {
  const owned = (execution: Execution): DatabaseRow => {
    const found = existingDatabase(execution, name);
    checkSuperuser(execution.tx, execution.user);
    return found;
  };
  const set = (fields: Partial<DatabaseRow>) => async (execution: Execution) => {
    await put(execution, { ...owned(execution), ...fields });
    return [];
  };
  words.accept('WITH');
  if (words.accept('CONNECTION', 'LIMIT')) return set({ connectionLimit: words.integer() });
  if (words.accept('IS_TEMPLATE')) return set({ isTemplate: words.boolean() });
  if (words.accept('ALLOW_CONNECTIONS')) {
    const allowConnections = words.boolean();
    return async (execution) => {
      if (!allowConnections && owned(execution).oid === execution.session.databaseOid) {
        throw new ServerError('22023', 'cannot disallow connections for current database');
      }
      return set({ allowConnections })(execution);
    };
  }
  if (words.accept('OWNER', 'TO')) {
    const owner = words.name();
    return async (execution) => {
      if (execution.tx.get('roles', owner) === undefined) throw missing.role(owner);
      const found = owned(execution);
      const { acl } = found;
      if (found.owner === owner) return [];
      await put(execution, { ...found, owner, ...(acl && { acl: withOwner(acl, found.owner, owner) }) });
      return [];
    };
  }
  if (words.accept('RENAME', 'TO')) {
    const to = words.name();
    return async (execution) => {
      const { tx, session } = execution;
      const found = owned(execution);
      if (tx.get('databases', to) !== undefined) {
        throw new ServerError('42P04', `database "${to}" already exists`);
      }
      if (found.oid === session.databaseOid) {
        throw new ServerError('0A000', 'current database cannot be renamed');
      }
      await untilLeft(execution, found, accessed(name));
      await tx.remove('databases', name);
      await put(execution, { ...found, name: to });
      return [];
    };
  }
  throw words.unknown();
}

/** `UPDATE pg_database SET datconnlimit =` was read: a way to break a database by hand. */
export function breakDatabase(words: Words): Statement {
  const connectionLimit = words.integer();
  words.expect('WHERE', 'datname', '=');
  const name = words.literal();
  return writing('UPDATE', name, async (execution) => {
    checkSuperuser(execution.tx, execution.user);
    await put(execution, { ...existingDatabase(execution, name), connectionLimit });
    return [];
  });
}

/** Whether a role other than its owner is named in a database's privileges. */
export const isNamedIn = ({ acl, owner }: DatabaseRow, role: string): boolean =>
  namedIn(acl, owner).has(role);
