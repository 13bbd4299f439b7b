import { escapeIdentifier } from 'pg';
import { clientAdvice } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import { buildDatabase, repairs } from './database-build.ts';
import { dropDatabase, dropUnfinished } from './database-drop.ts';
import { readDatabase, readRenamed, unfinishedName } from './database-read.ts';
import type { DatabaseObservation, DatabaseSpec } from './database-spec.ts';
import { PostgresqlError, sqlStateOf } from './error.ts';
import { ensureExtensions, installedExtensions } from './extension.ts';
import { withLock } from './lock.ts';
import type { HolderOf } from './mark.ts';
import { checkOurs, isMarkOutdated, markStatement } from './mark.ts';
import { withRightsOf } from './membership.ts';
import { checkName, checkNameIn, checkNewName, checkOwnName, checkPrintable } from './name.ts';
import type { Session, UseSession } from './session.ts';
import type { Distrust } from './trust.ts';
import { distrustOf, refuseRole, roleMarks } from './trust.ts';

/**
 * Databases of one server.
 *
 * We own a database if its comment is our mark, or its owner is a role with that mark (mark.ts). CREATE DATABASE cannot
 * set a comment and cannot run in a transaction. Therefore a database is created with a temporary name and without
 * connections. The name is `services-stack-unfinished-…`, derived from owner id and name. One transaction then revokes
 * PUBLIC's access, sets mark and owner, allows connections and renames it. The results:
 * - under its own name a database is always complete, and never open to PUBLIC;
 * - a database with the name and without the mark always belongs to another owner;
 * - after a crash, the next `create` or `drop` with the same owner id and name drops the unfinished database.
 */
export interface Databases {
  /** Undefined if there is none. `withExtensions` needs a connection to the database itself. */
  observe(
    name: string,
    options?: { readonly withExtensions?: boolean; readonly signal?: AbortSignal },
  ): Promise<DatabaseObservation | undefined>;
  /**
   * The name that the database `name` of `ownerId` has now, if it is another one. `owner`: the role that should own it.
   * Undefined if there is none.
   */
  renamed(
    name: string,
    options: { readonly ownerId: string; readonly owner: string | undefined; readonly signal?: AbortSignal },
  ): Promise<string | undefined>;
  /** Other roles than its owner that have objects or privileges in the database, sorted; at most ten. */
  usersOf(name: string, options?: { readonly signal?: AbortSignal }): Promise<readonly string[]>;
  /**
   * Creates the database with its extensions. If it exists and we own it, it stays as it is. Throws `NotOurs`,
   * `Invalid` (name), `NotFound` (owner, template; retryable).
   */
  create(
    name: string,
    spec: DatabaseSpec,
    options: { readonly ownerId: string; readonly signal?: AbortSignal },
  ): Promise<void>;
  /**
   * Repairs the mark and the drift that `databaseDrift` lists, except immutable fields. Throws `NotFound`, `NotOurs`.
   */
  update(
    name: string,
    spec: DatabaseSpec,
    options: { readonly ownerId: string; readonly signal?: AbortSignal },
  ): Promise<void>;
  /**
   * No error if it was dropped before. `terminateSessions`: terminates its sessions. Otherwise throws `InUse`
   * (retryable) while there are sessions. Throws `NotOurs`.
   */
  drop(
    name: string,
    options: { readonly ownerId: string; readonly terminateSessions: boolean; readonly signal?: AbortSignal },
  ): Promise<void>;
  /** Drops the database that an interrupted `create` left, and no other. `drop` does so, too. */
  dropUnfinished(
    name: string,
    options: { readonly ownerId: string; readonly signal?: AbortSignal },
  ): Promise<void>;
}

export function databases(withSession: UseSession, holderOf: HolderOf): Databases {
  const addExtensions = async (
    name: string,
    spec: DatabaseSpec,
    owner: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const { extensions, allowConnections = true } = spec;
    if (!extensions?.length || !allowConnections) return;
    await withSession(name, signal, (session) => ensureExtensions(session, extensions, { owner, holderOf }));
  };

  return {
    async observe(name, { withExtensions = false, signal } = {}) {
      checkName('database', name);
      const found = await withSession(undefined, signal, (session) => readDatabase(session, name, holderOf));
      if (!found || !withExtensions) return found;
      if (found.isInvalid || !found.allowConnections || !found.isOpenToAdmin) return found;
      const extensions = await withSession(name, signal, installedExtensions);
      return { ...found, extensions };
    },

    renamed: (name, { ownerId, owner, signal }) =>
      withSession(undefined, signal, (session) => readRenamed(session, ownerId, { name, holderOf, owner })),

    async usersOf(name, { signal } = {}) {
      checkName('database', name);
      const rows = await withSession(undefined, signal, (session) =>
        session.query<{ role: string }>(
          `SELECT DISTINCT r.rolname AS role FROM pg_database d
           JOIN pg_shdepend s ON s.dbid = d.oid OR (s.classid = 'pg_database'::regclass AND s.objid = d.oid)
           JOIN pg_roles r ON s.refclassid = 'pg_authid'::regclass AND r.oid = s.refobjid
           WHERE d.datname = $1 AND r.oid <> d.datdba AND r.rolname <> current_user ORDER BY 1 LIMIT 10`,
          [name],
        ),
      );
      return rows.map(({ role }) => role);
    },

    async create(name, spec, { ownerId, signal }) {
      checkSpec(name, spec);
      const owner = await withSession(undefined, signal, (session) =>
        withLock(session, unfinishedName(ownerId, name), async () => {
          const found = await readDatabase(session, name, holderOf);
          if (found) checkOurs('database', found, ownerId);
          if (found && !found.isInvalid) return found.owner;
          checkNewName('database', name);
          checkPrintable('owner name', spec.owner);
          checkPrintable('template name', spec.template);
          await checkOwner(session, spec, { holderOf, ownerId });
          await checkTemplate(session, spec, holderOf);
          if (found) await session.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)}`);
          await buildDatabase(session, name, spec, { ownerId, holderOf });
          return spec.owner ?? session.admin.name;
        }),
      );
      await addExtensions(name, spec, owner, signal);
    },

    async update(name, spec, { ownerId, signal }) {
      checkSpec(name, spec);
      const owner = await withSession(undefined, signal, async (session) => {
        const found = await readDatabase(session, name, holderOf);
        if (found === undefined) {
          throw new PostgresqlError(`database ${escapeIdentifier(name)} does not exist`, {
            code: 'NotFound',
            isRetryable: true,
          });
        }
        checkOurs('database', found, ownerId);
        await checkOwner(session, spec, { holderOf, ownerId });
        const marking = isMarkOutdated(found, ownerId) ? [markStatement('database', name, ownerId)] : [];
        const statements = [...marking, ...repairs(session, found, spec)];
        if (statements.length > 0) {
          await session
            .transaction(() =>
              withRightsOf(session, [found.owner, spec.owner], async () => {
                for (const statement of statements) await session.query(statement);
              }),
            )
            .catch((error: unknown) => {
              throw ownerRefusal(error, found, spec) ?? error;
            });
        }
        return spec.owner ?? found.owner;
      });
      await addExtensions(name, spec, owner, signal);
    },

    async drop(name, { ownerId, terminateSessions, signal }) {
      checkOwnName('database', name);
      await withSession(undefined, signal, (session) =>
        withLock(session, unfinishedName(ownerId, name), async () => {
          await dropUnfinished(session, unfinishedName(ownerId, name));
          const found = await readDatabase(session, name, holderOf);
          if (found === undefined) return;
          checkOurs('database', found, ownerId);
          await dropDatabase(session, found, terminateSessions);
        }),
      );
    },

    async dropUnfinished(name, { ownerId, signal }) {
      const unfinished = unfinishedName(ownerId, name);
      await withSession(undefined, signal, (session) =>
        withLock(session, unfinished, () => dropUnfinished(session, unfinished)),
      );
    },
  };
}

function checkSpec(name: string, spec: DatabaseSpec): void {
  checkOwnName('database', name);
  if (spec.owner !== undefined) checkNameIn('owner', 'role', spec.owner);
  if (spec.template !== undefined) checkNameIn('template', 'database', spec.template);
  for (const extension of spec.extensions ?? []) {
    checkNameIn('extensions', 'extension', extension.name);
    if (extension.schema !== undefined) checkNameIn('extensions', 'schema', extension.schema);
    checkPrintable('extension name', extension.name);
    checkPrintable('extension schema', extension.schema);
    checkPrintable('extension version', extension.version);
  }
  for (const field of ['encoding', 'lcCollate', 'lcCType'] as const) checkPrintable(field, spec[field]);
  const limit = spec.connectionLimit;
  if (limit !== undefined && (!Number.isInteger(limit) || limit < -1)) {
    throw new PostgresqlError('connection limit must be -1 or more', { code: 'Invalid' });
  }
  // The value becomes part of a statement, and not every definition has refused a text.
  if (!['undefined', 'boolean'].includes(typeof spec.allowConnections)) {
    throw new PostgresqlError('allowConnections must be true or false', { code: 'Invalid' });
  }
}

interface Caller {
  readonly ownerId: string;
  readonly holderOf: HolderOf;
}

/** Throws `NotFound` if the owner does not exist, and `Invalid` if its name may mean the role of a tenant. */
async function checkOwner(
  session: Session,
  { owner, ownerResource }: DatabaseSpec,
  { ownerId, holderOf }: Caller,
): Promise<void> {
  if (owner === undefined) return;
  const marks = await roleMarks(session, [owner]);
  if (!marks.has(owner)) {
    const todo = advice.createMissing(['PostgreSQLRole'], ['spec.forProvider.owner']);
    const message = `role ${escapeIdentifier(owner)} does not exist; ${todo}`;
    throw new PostgresqlError(message, { code: 'NotFound', isRetryable: true });
  }
  const ownerIds = [ownerId, ...(ownerResource === undefined ? [] : [ownerResource])];
  // guard: otherwise a tenant owns a database of the administrator, who meant another role
  const distrust = distrustOf(owner, marks.get(owner), { holderOf, ownerIds });
  if (distrust !== undefined)
    refuseRole('the owner', anonymous(distrust), clientAdvice.change(['spec.forProvider.owner']));
}

/** The error for a database that an administrator gave to a role on which this one has no rights. */
function ownerRefusal(
  error: unknown,
  { name, owner: now }: DatabaseObservation,
  { owner }: DatabaseSpec,
): PostgresqlError | undefined {
  if (sqlStateOf(error) !== '42501' || owner === undefined || owner === now) return undefined;
  const [database, former, wanted] = [name, now, owner].map(escapeIdentifier);
  const statement = `ALTER DATABASE ${database} OWNER TO ${wanted}`;
  const message = `database ${database} belongs to role ${former} now, on which the provider has no rights`;
  return new PostgresqlError(`${message}; ${advice.grantAdmin(statement)}`, { code: '42501' });
}

/**
 * Throws `Invalid` if a tenant owns the template: its functions and triggers would be in the database of another. Or if
 * the provider connects to the template: PostgreSQL copies no database with sessions, and the provider's do not end.
 */
async function checkTemplate(
  session: Session,
  { template }: DatabaseSpec,
  holderOf: HolderOf,
): Promise<void> {
  if (template === undefined) return;
  const what = `template database ${escapeIdentifier(template)}`;
  const change = clientAdvice.change(['spec.forProvider.template']);
  if (template === session.database) {
    const message = `${what} is the one that the provider connects to, so it always has sessions, and PostgreSQL copies only databases without sessions; ${change}`;
    throw new PostgresqlError(message, {
      code: 'Invalid',
      advice: { kinds: ['ChangeFields'], fields: ['spec.forProvider.template'] },
    });
  }
  const found = await readDatabase(session, template, holderOf);
  // guard: otherwise a tenant fills the databases of others by a name that a class has as its template
  const owner = found?.distrustedOwner;
  if (owner === undefined) return;
  const holder = holderOf(found?.ownerMark ?? '', owner)?.what;
  refuseRole(what, anonymous({ role: owner, holder }), change);
}

/** Without the name of the resource: a claim shows these messages to its team. */
const anonymous = ({ role, holder }: Distrust): Distrust => ({
  role,
  holder: holder && 'another resource',
});
