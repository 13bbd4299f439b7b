import { escapeIdentifier } from 'pg';
import { advice } from '../advice.ts';
import { PostgresqlError, sqlStateOf } from './error.ts';
import type { Session } from './session.ts';

/**
 * Runs `body` while the administrator has all rights of `roles`, and then restores its memberships. An administrator
 * who is no superuser (as on most managed services) needs them to give a database an owner, to grant on the owner's
 * objects and to drop them. Only within a transaction, so that a crash leaves nothing.
 *
 * Since PostgreSQL 16 the creator of a role has it WITH ADMIN OPTION only, neither INHERIT nor SET. That suffices to
 * grant the rest to oneself, as a second membership with oneself as grantor. Throws `42501` for a superuser, whose rights
 * no other role can get.
 */
export async function withRightsOf<T>(
  session: Session,
  roles: readonly (string | undefined)[],
  body: () => Promise<T>,
): Promise<T> {
  const { admin } = session;
  if (admin.isSuperuser) return body();
  const restore: string[] = [];
  for (const role of new Set(roles)) {
    if (role === undefined || role === admin.name) continue;
    restore.push(...(await acquire(session, role)));
  }
  const result = await body();
  for (const statement of restore.reverse()) await session.query(statement);
  return result;
}

/** Makes the administrator a member. Returns the function that undoes it. */
async function acquire(session: Session, role: string): Promise<readonly string[]> {
  const { admin, serverVersion } = session;
  const member = escapeIdentifier(admin.name);
  const granted = escapeIdentifier(role);
  const hasOptions = serverVersion >= 16;
  const right = hasOptions
    ? `pg_has_role(a.oid, r.oid, 'USAGE') AND pg_has_role(a.oid, r.oid, 'SET')`
    : `pg_has_role(a.oid, r.oid, 'USAGE')`;
  const own = hasOptions
    ? `SELECT inherit_option AS inherits, set_option AS sets FROM pg_auth_members m
       WHERE m.roleid = r.oid AND m.member = a.oid AND m.grantor = a.oid`
    : 'SELECT true AS inherits, true AS sets WHERE false';
  const [state] = await session.query<{
    has: boolean;
    isSuperuser: boolean;
    isAdmin: boolean;
    inherits: boolean | null;
    sets: boolean | null;
  }>(
    `SELECT ${right} AS has, r.rolsuper AS "isSuperuser",
            pg_has_role(a.oid, r.oid, 'MEMBER WITH ADMIN OPTION') AS "isAdmin", own.inherits, own.sets
     FROM pg_roles r JOIN pg_roles a ON a.rolname = $1 LEFT JOIN LATERAL (${own}) own ON true
     WHERE r.rolname = $2`,
    [admin.name, role],
  );
  if (state === undefined || state.has) return [];
  if (state.isSuperuser) {
    const message = `role ${granted} is a superuser, whose rights role ${member} cannot get; give its objects to another role`;
    throw new PostgresqlError(message, { code: '42501' });
  }
  if (hasOptions && !state.isAdmin) throw withoutAdminOption(session, role);
  const options = hasOptions ? ' WITH INHERIT TRUE, SET TRUE' : '';
  await session.query(`GRANT ${granted} TO ${member}${options}`);
  if (state.inherits === null) {
    return [`REVOKE ${granted} FROM ${member}${hasOptions ? ` GRANTED BY ${member}` : ''}`];
  }
  const was = (option: boolean | null) => (option ? 'TRUE' : 'FALSE');
  return [`GRANT ${granted} TO ${member} WITH INHERIT ${was(state.inherits)}, SET ${was(state.sets)}`];
}

const withoutAdminOption = ({ admin }: Session, role: string): PostgresqlError => {
  const [granted, member] = [role, admin.name].map(escapeIdentifier);
  const statement = `GRANT ${granted} TO ${member} WITH ADMIN OPTION`;
  const message = `role ${member} has no rights on role ${granted}, which another administrator created`;
  return new PostgresqlError(`${message}; ${advice.grantAdmin(statement)}`, { code: '42501' });
};

/**
 * Runs `body`, which changes a role. Since PostgreSQL 16 an administrator may change only the roles that it created, and
 * those that it was given: after it was replaced by another, the error names the statement.
 */
export async function asAdminOf<T>(session: Session, role: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    const { admin, serverVersion } = session;
    if (sqlStateOf(error) !== '42501' || admin.isSuperuser || serverVersion < 16) throw error;
    const found = await session.query(
      `SELECT FROM pg_roles WHERE rolname = $1 AND NOT rolsuper
       AND NOT pg_has_role(oid, 'MEMBER WITH ADMIN OPTION')`,
      [role],
    );
    throw found.length > 0 ? withoutAdminOption(session, role) : error;
  }
}
