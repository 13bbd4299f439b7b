import { escapeIdentifier, escapeLiteral } from 'pg';
import { counted, quoted } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import type { DatabaseObservation } from './database-spec.ts';
import { PostgresqlError, sqlStateOf } from './error.ts';
import { withRightsOf } from './membership.ts';
import type { Session } from './session.ts';

/** Drops a database that we own. */
export async function dropDatabase(
  session: Session,
  found: DatabaseObservation,
  terminateSessions: boolean,
): Promise<void> {
  const { admin, serverVersion } = session;
  const database = escapeIdentifier(found.name);
  const dropStatement = `DROP DATABASE IF EXISTS ${database}`;
  if (found.isInvalid) {
    await session.query(dropStatement);
    return;
  }
  await refuseIfHeld(session, found.name);
  if (!terminateSessions) {
    const open = (await sessionsOn(session, found.name)).length;
    if (open > 0) {
      const message = `database ${database} has ${counted(open, 'open session')}`;
      throw new PostgresqlError(message, { code: 'InUse', isRetryable: true });
    }
  }
  const preparations = [
    ...(found.isTemplate ? [`ALTER DATABASE ${database} IS_TEMPLATE false`] : []),
    // No new sessions. Otherwise clients could reconnect while their sessions are terminated.
    ...(terminateSessions ? [`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`] : []),
    // DROP DATABASE cannot run in a transaction, so the owner's rights would outlive a crash. Instead, the
    // administrator becomes the owner.
    ...(admin.isSuperuser || found.owner === admin.name
      ? []
      : [`ALTER DATABASE ${database} OWNER TO ${escapeIdentifier(admin.name)}`]),
  ];
  // This comes first, because a session may hold locks on the database within a transaction that it never ends.
  if (terminateSessions) await terminate(session, found.name);
  if (preparations.length > 0) {
    await session.transaction(() =>
      withRightsOf(session, [found.owner], async () => {
        for (const statement of preparations) await session.query(statement);
      }),
    );
  }
  const mayForce = terminateSessions && admin.isSuperuser && serverVersion >= 13;
  try {
    // Sessions may have reconnected during this time.
    const remaining = terminateSessions ? await terminate(session, found.name) : [];
    if (remaining.length > 0) throw heldBySessions(found.name, remaining, admin.name);
    await session.query(mayForce ? `${dropStatement} WITH (FORCE)` : dropStatement); // waits up to 5 s for them
  } catch (error) {
    // An administrator may have to connect and remove the obstacle. The next attempt forbids connections again.
    if (terminateSessions && found.allowConnections)
      await session.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS true`).catch(() => undefined);
    throw error;
  }
}

/**
 * Throws `Held` if a prepared transaction or a subscription prevents the drop. They remain when all sessions are
 * terminated, and may hold data, so only an administrator may end them. The message names the statement for that. The
 * consumer of a logical replication slot is a session, so the slot is not checked here.
 */
async function refuseIfHeld(session: Session, name: string): Promise<void> {
  const [held] = await session.query<{ holder: string; statement: string }>(
    `SELECT format('prepared transaction %L', gid) AS holder,
            format('COMMIT PREPARED %L; or: ROLLBACK PREPARED %L', gid, gid) AS statement
     FROM pg_prepared_xacts WHERE database = $1
     UNION ALL
     SELECT format('subscription %I', subname), format('DROP SUBSCRIPTION %I', subname)
     FROM pg_subscription JOIN pg_database d ON d.oid = subdbid WHERE d.datname = $1
     ORDER BY 1`,
    [name],
  );
  if (held === undefined) return;
  const message = `database ${escapeIdentifier(name)} has a ${held.holder}; ${advice.endHolder(held.statement)}`;
  throw new PostgresqlError(message, { code: 'Held', isRetryable: true });
}

interface OpenSession {
  readonly pid: number;
  readonly user: string;
  readonly application: string;
}

/**
 * Terminates the sessions on a database, and the sessions elsewhere that hold locks on it. Returns the sessions on the
 * database that the administrator may not terminate, for example those of a superuser. The other sessions end nevertheless.
 */
async function terminate(session: Session, name: string): Promise<readonly OpenSession[]> {
  const sessions = await session.query<OpenSession & { isInside: boolean; isOfSuperuser: boolean }>(
    `SELECT a.pid, a.usename AS user, a.application_name AS application, a.datname = $1 AS "isInside",
            r.rolsuper AS "isOfSuperuser"
     FROM pg_stat_activity a JOIN pg_roles r ON r.oid = a.usesysid
     WHERE a.pid <> pg_backend_pid() AND (a.datname = $1 OR EXISTS (
       SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.objid AND d.datname = $1
       WHERE l.pid = a.pid AND l.granted AND l.locktype = 'object' AND l.classid = 'pg_database'::regclass
     ))
     ORDER BY a.pid`,
    [name],
  );
  const remaining: OpenSession[] = [];
  for (const user of new Set(sessions.map((each) => each.user))) {
    const userSessions = sessions.filter((each) => each.user === user);
    const isOutOfReach =
      userSessions.some(({ isOfSuperuser }) => isOfSuperuser) && !session.admin.isSuperuser;
    if (isOutOfReach || !(await terminateAll(session, user, userSessions))) {
      remaining.push(...userSessions.filter(({ isInside }) => isInside));
    }
  }
  return remaining;
}

/** False: the administrator has no right to do that. */
async function terminateAll(
  session: Session,
  user: string,
  userSessions: readonly OpenSession[],
): Promise<boolean> {
  const pids = userSessions.map(({ pid }) => pid);
  const statement = 'SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.pid = ANY ($1)';
  try {
    await session.transaction(() => withRightsOf(session, [user], () => session.query(statement, [pids])));
    return true;
  } catch (error) {
    if (sqlStateOf(error) !== '42501') throw error;
    return false;
  }
}

/** An error that names the sessions which only a superuser can end. */
function heldBySessions(name: string, sessions: readonly OpenSession[], admin: string): PostgresqlError {
  const list = sessions.map(
    ({ pid, user, application }) =>
      `${pid} of ${escapeIdentifier(user)}${application === '' ? '' : ` (${quoted(application)})`}`,
  );
  const statement = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${escapeLiteral(name)}`;
  const message =
    `database ${escapeIdentifier(name)} has ${counted(sessions.length, 'open session')} that role ` +
    `${escapeIdentifier(admin)} may not end: ${list.join(', ')}; ${advice.endSessions(statement)}`;
  return new PostgresqlError(message, { code: 'InUse', isRetryable: true });
}

/** Sessions of other clients. Background processes are not counted: the server ends them itself. */
export const sessionsOn = (session: Session, name: string): Promise<readonly { readonly user: string }[]> =>
  session.query(
    `SELECT usename AS user FROM pg_stat_activity
     WHERE datname = $1 AND usename IS NOT NULL AND pid <> pg_backend_pid()`,
    [name],
  );

/** Drops the unfinished database that a crash during a creation may have left. */
export async function dropUnfinished(session: Session, unfinished: string): Promise<void> {
  // IF EXISTS would also work, but dropping takes locks, and this case is rare.
  const found = await session.query('SELECT FROM pg_database WHERE datname = $1', [unfinished]);
  if (found.length > 0) await session.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(unfinished)}`);
}
