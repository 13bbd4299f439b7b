import { keyIn } from './catalog.ts';
import { existingDatabase } from './database-statements.ts';
import { checkSuperuser } from './rights.ts';
import { existingRole } from './role-statements.ts';
import { missing, ServerError } from './server-error.ts';
import type { Execution, Statement } from './statement.ts';
import { writing } from './statement.ts';
import type { Words } from './words.ts';

interface Available {
  /** Those that can be installed; the last is the default. */
  readonly versions: readonly string[];
  readonly requires?: readonly string[];
  /** Where it insists to be. */
  readonly schema?: string;
}

/** Some of those that come with PostgreSQL 18. */
export const availableExtensions: ReadonlyMap<string, Available> = new Map(
  Object.entries({
    citext: { versions: ['1.4', '1.5', '1.6', '1.7', '1.8'] },
    cube: { versions: ['1.2', '1.3', '1.4', '1.5'] },
    earthdistance: { versions: ['1.1', '1.2'], requires: ['cube'] },
    hstore: { versions: ['1.4', '1.5', '1.6', '1.7', '1.8'] },
    pg_stat_statements: { versions: ['1.4', '1.5', '1.6', '1.7', '1.8', '1.9', '1.10', '1.11', '1.12'] },
    pg_trgm: { versions: ['1.3', '1.4', '1.5', '1.6'] },
    pgcrypto: { versions: ['1.3', '1.4'] },
    plpgsql: { versions: ['1.0'], schema: 'pg_catalog' },
    'uuid-ossp': { versions: ['1.1'] },
  }),
);

/** `CREATE EXTENSION` was read. */
export function createExtension(words: Words): Statement {
  const isOptional = words.accept('IF', 'NOT', 'EXISTS');
  const name = words.name();
  words.accept('WITH');
  const schema = words.accept('SCHEMA') ? words.name() : 'public';
  const version = words.accept('VERSION') ? words.literal() : undefined;
  const isCascading = words.accept('CASCADE');
  const install = async (execution: Execution, what: string, at: string | undefined): Promise<void> => {
    const { tx, session } = execution;
    const key = keyIn.inside(session.databaseOid, what);
    const available = availableExtensions.get(what);
    if (available === undefined) {
      throw new ServerError('0A000', `extension "${what}" is not available`);
    }
    const into = available.schema ?? schema;
    if (tx.get('schemas', keyIn.inside(session.databaseOid, into)) === undefined) throw missing.schema(into);
    for (const needed of available.requires ?? []) {
      if (tx.get('extensions', keyIn.inside(session.databaseOid, needed)) !== undefined) continue;
      if (!isCascading) {
        throw new ServerError('42704', `required extension "${needed}" is not installed`);
      }
      await install(execution, needed, undefined);
    }
    const row = { database: session.databaseOid, name: what, schema: into };
    await tx.put('extensions', key, { ...row, version: at ?? available.versions.at(-1) ?? '' });
  };
  return writing('CREATE EXTENSION', name, async (execution) => {
    const { tx, session, user } = execution;
    checkSuperuser(tx, user);
    const before = tx.get('extensions', keyIn.inside(session.databaseOid, name));
    if (before !== undefined && isOptional) return [];
    if (before !== undefined) throw new ServerError('42710', `extension "${name}" already exists`);
    await install(execution, name, version);
    return [];
  });
}

/** `ALTER EXTENSION` was read. */
export function alterExtension(words: Words): Statement {
  const name = words.name();
  words.expect('UPDATE', 'TO');
  const version = words.literal();
  return writing('ALTER EXTENSION', name, async ({ tx, session, user }) => {
    checkSuperuser(tx, user);
    const key = keyIn.inside(session.databaseOid, name);
    const found = tx.get('extensions', key);
    if (found === undefined) throw new ServerError('42704', `extension "${name}" does not exist`);
    const { versions } = availableExtensions.get(name) ?? { versions: [] };
    if (versions.indexOf(version) < versions.indexOf(found.version)) {
      const message = `extension "${name}" has no update path from version "${found.version}" to version "${version}"`;
      throw new ServerError('22023', message);
    }
    await tx.put('extensions', key, { ...found, version });
    return [];
  });
}

/** `COMMENT ON DATABASE` or `ROLE` was read. */
export function comment(words: Words): Statement {
  const kind = words.accept('DATABASE') ? 'databases' : 'roles';
  if (kind === 'roles') words.expect('ROLE');
  const name = words.name();
  words.expect('IS');
  const text = words.accept('NULL') ? undefined : words.literal();
  const withText = <T extends { readonly comment?: string }>({ comment: _, ...row }: T) => ({
    ...row,
    ...(text && { comment: text }),
  });
  return writing('COMMENT', name, async ({ tx, user }) => {
    checkSuperuser(tx, user);
    if (kind === 'databases') await tx.put(kind, name, withText(existingDatabase({ tx }, name)));
    else await tx.put(kind, name, withText(existingRole({ tx }, name)));
    return [];
  });
}
