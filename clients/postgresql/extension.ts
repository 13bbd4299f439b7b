import { escapeIdentifier, escapeLiteral } from 'pg';
import { PostgresqlError } from './error.ts';
import { withRightsOf } from './membership.ts';
import type { Session } from './session.ts';

export interface Extension {
  readonly name: string;
  /** Default: the newest the server has; an installed one is then left as it is. */
  readonly version?: string;
  /** Where its objects go, unless the extension itself says where; default `public`. */
  readonly schema?: string;
}

/** Versions by name, of the session's database. */
export async function installedExtensions(session: Session): Promise<Readonly<Record<string, string>>> {
  const rows = await session.query<{ name: string; version: string }>(
    'SELECT extname AS name, extversion AS version FROM pg_extension ORDER BY extname',
  );
  return Object.fromEntries(rows.map(({ name, version }) => [name, version]));
}

/**
 * Installs what is missing, with what it requires, and brings what is there to the version asked for. None is
 * removed: that would take columns and functions with it. `owner` is the database's; its rights suffice for
 * trusted extensions where the administrator is no superuser.
 */
export async function ensureExtensions(
  session: Session,
  extensions: readonly Extension[],
  owner: string | undefined,
): Promise<void> {
  const installed = await installedExtensions(session);
  const wanted = extensions.filter(
    ({ name, version }) =>
      installed[name] === undefined || (version !== undefined && version !== installed[name]),
  );
  if (wanted.length === 0) return;
  await session.transaction(() =>
    withRightsOf(session, [owner], async () => {
      for (const extension of wanted) {
        const statement =
          installed[extension.name] === undefined
            ? await createStatement(session, extension)
            : `ALTER EXTENSION ${escapeIdentifier(extension.name)} UPDATE TO ${escapeLiteral(extension.version!)}`;
        await session.query(statement);
      }
    }),
  );
}

async function createStatement(session: Session, { name, version, schema }: Extension): Promise<string> {
  const [available] = await session.query<{ fixedSchema: string | null }>(
    `SELECT v.schema AS "fixedSchema" FROM pg_available_extension_versions v
     JOIN pg_available_extensions e ON e.name = v.name
     WHERE v.name = $1 AND v.version = coalesce($2, e.default_version)`,
    [name, version ?? null],
  );
  if (available === undefined) {
    const what = version === undefined ? `extension "${name}"` : `extension "${name}" version "${version}"`;
    throw new PostgresqlError(`${what} is not available on this server`, { code: 'Invalid' });
  }
  // Our search_path has no schema for new objects, so one is always named, unless the extension insists.
  const into = available.fixedSchema === null ? ` SCHEMA ${escapeIdentifier(schema ?? 'public')}` : '';
  const at = version === undefined ? '' : ` VERSION ${escapeLiteral(version)}`;
  return `CREATE EXTENSION IF NOT EXISTS ${escapeIdentifier(name)} WITH${into}${at} CASCADE`;
}
