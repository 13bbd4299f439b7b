import { escapeIdentifier } from 'pg';
import { PostgresqlError, sqlStateOf } from './error.ts';
import { longestMark, markIn } from './mark.ts';
import { asAdminOf, withRightsOf } from './membership.ts';
import { takeBackPassedOn } from './passed-on.ts';
import type { Session, UseSession } from './session.ts';

/** Drops a role and removes everything that depends on it; see Roles.drop. Every step may be repeated after a crash. */
export async function dropRole(
  name: string,
  options: {
    readonly withSession: UseSession;
    readonly signal: AbortSignal | undefined;
    /** Whether the role exists. Throws if it must not be dropped. */
    readonly begin: (session: Session) => Promise<boolean>;
  },
): Promise<void> {
  const { withSession, signal, begin } = options;
  const databases = await withSession(undefined, signal, async (session) => {
    if (!(await begin(session))) return undefined;
    const found = await dependencies(session, name);
    refuse(name, found);
    await asAdminOf(session, name, () => shutOut(session, name));
    return found.databases;
  });
  if (databases === undefined) return;
  for (const each of databases) {
    await openFor(withSession, each, signal, () =>
      withSession(each.database, signal, (session) => giveUp(session, name, each.owner)).catch(
        (error: unknown) => {
          throw sqlStateOf(error) === '55P03' ? heldByLocks(name, each.database) : error;
        },
      ),
    );
  }
  await withSession(undefined, signal, async (session) => {
    const role = escapeIdentifier(name);
    if (!(await begin(session))) return; // another session dropped it first
    const granters = await databaseOwnersWhoGranted(session, name);
    await session.transaction(() =>
      withRightsOf(session, [name, ...granters], async () => {
        // Only privileges on shared objects remain. The role owns nothing here, or this call would have thrown.
        await takeBackPassedOn(session, name);
        await session.query(`DROP OWNED BY ${role}`);
      }),
    );
    await session.query(`DROP ROLE IF EXISTS ${role}`);
  });
}

/** Without an owner's rights, DROP OWNED BY leaves that owner's grants and only warns. */
async function databaseOwnersWhoGranted(session: Session, role: string): Promise<readonly string[]> {
  const rows = await session.query<{ owner: string }>(
    `SELECT DISTINCT pg_get_userbyid(d.datdba) AS owner
     FROM pg_shdepend s JOIN pg_database d ON s.classid = 'pg_database'::regclass AND s.objid = d.oid
     JOIN pg_roles r ON r.oid = s.refobjid
     WHERE s.refclassid = 'pg_authid'::regclass AND s.deptype = 'a' AND r.rolname = $1`,
    [role],
  );
  return rows.map(({ owner }) => owner);
}

interface Place {
  readonly database: string;
  readonly owner: string;
  readonly allowConnections: boolean;
  readonly isOpenToAdmin: boolean;
}

interface Dependencies {
  /** Databases that the role owns. */
  readonly owned: readonly string[];
  /** Databases with our mark in which objects depend on it. */
  readonly databases: readonly Place[];
  /** Other databases, with the number of objects that depend on it. */
  readonly foreign: readonly { readonly database: string; readonly count: number }[];
}

async function dependencies(session: Session, role: string): Promise<Dependencies> {
  const owned = await session.query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE pg_get_userbyid(datdba) = $1 ORDER BY datname',
    [role],
  );
  const rows = await session.query<
    Place & {
      comment: string | null;
      ownComment: string | null;
      count: number;
    }
  >(
    `SELECT d.datname AS database, pg_get_userbyid(d.datdba) AS owner, d.datallowconn AS "allowConnections",
            has_database_privilege(d.oid, 'CONNECT') AS "isOpenToAdmin",
            left(shobj_description(d.oid, 'pg_database'), ${longestMark}) AS comment,
            (SELECT shobj_description(o.oid, 'pg_authid') FROM pg_roles o
             WHERE o.oid = d.datdba AND o.rolname = d.datname) AS "ownComment", count(*)::int AS count
     FROM pg_shdepend s JOIN pg_database d ON d.oid = s.dbid JOIN pg_roles r ON r.oid = s.refobjid
     WHERE s.refclassid = 'pg_authid'::regclass AND r.rolname = $1
     GROUP BY d.oid, d.datname, d.datdba, d.datallowconn ORDER BY d.datname`,
    [role],
  );
  const isOurs = ({ comment, ownComment }: (typeof rows)[number]) =>
    markIn(comment) !== undefined || markIn(ownComment) !== undefined;
  return {
    owned: owned.map(({ name }) => name),
    databases: rows.filter(isOurs),
    foreign: rows.filter((row) => !isOurs(row)),
  };
}

/** REASSIGN OWNED would also give away databases. Therefore roles that own databases are refused before. */
function refuse(role: string, { owned, foreign }: Dependencies): void {
  const reasons = [
    ...owned.map((database) => `it owns database ${escapeIdentifier(database)}`),
    ...foreign.map(({ database, count }) => {
      const objects = count === 1 ? '1 object depends' : `${count} objects depend`;
      return `${objects} on it in database ${escapeIdentifier(database)}, which is not managed here`;
    }),
  ];
  if (reasons.length === 0) return;
  const message = `role ${escapeIdentifier(role)} cannot be dropped: ${reasons.join('; ')}`;
  throw new PostgresqlError(message, { code: 'InUse', isRetryable: true });
}

/** Allows no new sessions and terminates the open ones: they would continue with a role that does not exist. */
async function shutOut(session: Session, role: string): Promise<void> {
  const statement = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1';
  const terminate = () =>
    session.transaction(() => withRightsOf(session, [role], () => session.query(statement, [role])));
  await terminate(); // one of them may hold the role within a transaction it never ends
  await session.query(`ALTER ROLE ${escapeIdentifier(role)} NOLOGIN`);
  await terminate();
}

/**
 * Runs `body` while we can connect to a database with our mark. Its owner may grant privileges there to any role,
 * disallow connections and revoke our access. This would prevent all of these roles from being dropped.
 */
async function openFor(
  withSession: UseSession,
  { database, owner, allowConnections, isOpenToAdmin }: Place,
  signal: AbortSignal | undefined,
  body: () => Promise<void>,
): Promise<void> {
  if (allowConnections && isOpenToAdmin) return body();
  const name = escapeIdentifier(database);
  const run = (...statements: readonly string[]) =>
    withSession(undefined, signal, (session) =>
      session.transaction(() =>
        withRightsOf(session, [owner], async () => {
          for (const statement of statements) await session.query(statement);
        }),
      ),
    );
  await run(
    ...(allowConnections ? [] : [`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`]),
    ...(isOpenToAdmin ? [] : [`GRANT CONNECT ON DATABASE ${name} TO SESSION_USER`]),
  );
  try {
    await body();
  } finally {
    // Restores the setting. After a crash, the database's own managed resource does that.
    if (!allowConnections) await run(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  }
}

/** In the session's database, passes the role's objects to `owner` and revokes its privileges. */
async function giveUp(session: Session, role: string, owner: string): Promise<void> {
  const from = escapeIdentifier(role);
  await session.transaction(() =>
    withRightsOf(session, [role, owner], async () => {
      await session.query(`REASSIGN OWNED BY ${from} TO ${escapeIdentifier(owner)}`);
      await takeBackPassedOn(session, role);
      await session.query(`DROP OWNED BY ${from}`);
    }),
  );
}

function heldByLocks(role: string, database: string): PostgresqlError {
  const message = `role ${escapeIdentifier(role)} cannot be dropped: sessions on database ${escapeIdentifier(database)} hold locks on objects that depend on it`;
  return new PostgresqlError(message, { code: 'InUse', isRetryable: true });
}
