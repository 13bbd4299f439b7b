import { escapeIdentifier } from 'pg';
import { markIn } from './mark.ts';
import type { Session } from './session.ts';

/** The result of closing the server's own databases to tenants. */
export interface Closing {
  /** Databases that accepted every role until now. */
  readonly closed: readonly string[];
  /** Roles without our mark, which keep the right to connect to these databases. */
  readonly allowedRoles: readonly string[];
  /** Databases that are still open: the administrator has no right to change that. */
  readonly open: readonly { readonly name: string; readonly owner: string }[];
}

/**
 * Revokes from PUBLIC the right to connect to the server's own databases: `postgres`, `template1` and the session's.
 * There a tenant could use up connections beyond the limit of its database, take locks that others wait for, and
 * prevent the copying of a template. Existing roles without our mark keep the right, each by a grant of its own. If no
 * database is open, this only reads.
 */
export async function closeServerDatabases(session: Session): Promise<Closing> {
  const found = await openDatabases(session);
  const changeable = found.filter(({ isChangeable }) => isChangeable);
  if (found.length === 0) return { closed: [], allowedRoles: [], open: [] };
  const allowedRoles = await strangers(session);
  if (changeable.length === 0) return { closed: [], allowedRoles, open: found.map(facts) };
  await session.transaction(async () => {
    for (const { name } of changeable) {
      const database = escapeIdentifier(name);
      const staying = (session.admin.isSuperuser ? allowedRoles : [...allowedRoles, session.admin.name]).map(
        escapeIdentifier,
      );
      if (staying.length > 0) {
        await session.query(`GRANT CONNECT ON DATABASE ${database} TO ${staying.join(', ')}`);
      }
      await session.query(`REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC`);
    }
  });
  const open = await openDatabases(session); // only the grantor can revoke a grant to PUBLIC
  const closed = changeable
    .map(({ name }) => name)
    .filter((name) => !open.some((each) => each.name === name));
  return {
    closed,
    allowedRoles: closed.length + open.length === 0 ? [] : allowedRoles,
    open: open.map(facts),
  };
}

interface OpenDatabase {
  readonly name: string;
  readonly owner: string;
  readonly isChangeable: boolean;
}

const facts = ({ name, owner }: OpenDatabase) => ({ name, owner });

const openDatabases = (session: Session): Promise<readonly OpenDatabase[]> =>
  session.query<OpenDatabase>(
    `SELECT datname AS name, pg_get_userbyid(datdba) AS owner,
            pg_has_role(datdba, 'USAGE') AS "isChangeable"
     FROM pg_database
     WHERE datname IN ('postgres', 'template1', current_database())
       AND has_database_privilege('public', oid, 'CONNECT')
     ORDER BY datname`,
  );

/** Roles that may log in, do not have our mark, and have no other grant to connect. */
async function strangers(session: Session): Promise<readonly string[]> {
  const rows = await session.query<{ name: string; comment: string | null }>(
    `SELECT rolname AS name, shobj_description(oid, 'pg_authid') AS comment FROM pg_roles
     WHERE rolcanlogin AND NOT rolsuper AND rolname <> current_user ORDER BY rolname`,
  );
  return rows.filter(({ comment }) => markIn(comment) === undefined).map(({ name }) => name);
}
