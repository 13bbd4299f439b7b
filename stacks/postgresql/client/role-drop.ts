import { escapeIdentifier } from 'pg';
import { advice } from '../advice.ts';
import { PostgresqlError, sqlStateOf } from './error.ts';
import { longestMark, markIn, markOf } from './mark.ts';
import { asAdminOf, withRightsOf } from './membership.ts';
import { takeBackPassedOn } from './passed-on.ts';
import type { Session, UseSession } from './session.ts';

/** Drops a role and removes everything that depends on it; see Roles.drop. Every step may be repeated after a crash. */
export async function dropRole(
  name: string,
  options: {
    readonly ownerId: string;
    readonly withSession: UseSession;
    readonly signal: AbortSignal | undefined;
    /** Whether the role exists. Throws if it must not be dropped. */
    readonly begin: (session: Session) => Promise<boolean>;
  },
): Promise<void> {
  const { ownerId, withSession, signal, begin } = options;
  const databases = await withSession(undefined, signal, async (session) => {
    if (!(await begin(session))) return undefined;
    const found = await dependencies(session, name);
    refuse(name, found, ownerId);
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
  readonly owned: readonly {
    readonly name: string;
    readonly comment: string | null;
    /** No database has the name of the role. */
    readonly isRoleNameFree: boolean;
  }[];
  /** Databases with our mark in which objects depend on it. */
  readonly databases: readonly Place[];
  /** Other databases, with the number of objects that depend on it. */
  readonly foreign: readonly { readonly database: string; readonly count: number }[];
}

async function dependencies(session: Session, role: string): Promise<Dependencies> {
  const owned = await session.query<Dependencies['owned'][number]>(
    `SELECT datname AS name, left(shobj_description(oid, 'pg_database'), ${longestMark}) AS comment,
            NOT EXISTS (SELECT FROM pg_database WHERE datname = $1) AS "isRoleNameFree"
     FROM pg_database WHERE pg_get_userbyid(datdba) = $1 ORDER BY datname`,
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
    owned,
    databases: rows.filter(isOurs),
    foreign: rows.filter((row) => !isOurs(row)),
  };
}

/** REASSIGN OWNED would also give away databases. Therefore roles that own databases are refused before. */
function refuse(role: string, { owned, foreign }: Dependencies, ownerId: string): void {
  const name = escapeIdentifier(role);
  const reasons = [
    ...owned.map((each) => `it owns ${ownedText(each, ownerId)}; ${adviceAboutOwned(role, each, ownerId)}`),
    ...foreign.map(({ database, count }) => {
      const objects = count === 1 ? '1 object depends' : `${count} objects depend`;
      const place = `in database ${escapeIdentifier(database)}, which is not managed here`;
      // REASSIGN OWNED would give the databases of the role away, too.
      const how = `REASSIGN OWNED BY ${name} TO CURRENT_USER; DROP OWNED BY ${name}`;
      return `${objects} on it ${place}${owned.length === 0 ? `; ${advice.giveObjects(how)}` : ''}`;
    }),
  ];
  if (reasons.length === 0) return;
  const message = `role ${name} cannot be dropped: ${reasons.join('; ')}; ${advice.keepRole}`;
  throw new PostgresqlError(message, { code: 'InUse', isRetryable: true });
}

const isOwn = ({ comment }: Pick<Dependencies['owned'][number], 'comment'>, ownerId: string): boolean =>
  markIn(comment) === markOf(ownerId);

/** The database that the role owns. With a note if it is the renamed one of the resource, and its name is taken. */
function ownedText(each: Dependencies['owned'][number], ownerId: string): string {
  const database = `database ${escapeIdentifier(each.name)}`;
  return isOwn(each, ownerId) && !each.isRoleNameFree
    ? `${database}, which is the renamed one of this resource, and another database has its name`
    : database;
}

/**
 * The end of the waiting for a database that the role owns. The one with the mark of `ownerId` was renamed. It gets its
 * name back only while no other database has it.
 */
function adviceAboutOwned(role: string, each: Dependencies['owned'][number], ownerId: string): string {
  const database = escapeIdentifier(each.name);
  const isRenamed = isOwn(each, ownerId);
  if (isRenamed && each.isRoleNameFree)
    return advice.dropRenamed(`ALTER DATABASE ${database} RENAME TO ${escapeIdentifier(role)}`);
  if (!isRenamed && markIn(each.comment) !== undefined) return advice.deleteOwned;
  return advice.giveDatabase(`ALTER DATABASE ${database} OWNER TO CURRENT_USER`);
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
