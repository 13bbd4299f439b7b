import { MysqlError, orTakeBack } from './error.ts';
import { checkClosed } from './exposure.ts';
import type { GrantDrift, GrantObservation } from './grant.ts';
import { applyGrant, driftNames, grantDrift, readGrant } from './grant.ts';
import type { Marks, Owned } from './mark.ts';
import { checkOurs, createMarkTable, readMarks, removeMarks, writeMark } from './mark.ts';
import { checkIgnorableCase, checkName, checkNewName, checkOwnName } from './name.ts';
import { wantedPrivileges } from './privilege.ts';
import type { Encoding, SchemaObservation } from './schema.ts';
import {
  alterSchema,
  createSchema,
  dropSchema,
  encodingDrift,
  forgetPrivileges,
  readSchema,
} from './schema.ts';
import { storedName } from './server-facts.ts';
import type { Session, UseSession } from './session.ts';
import { endSessions, refuseIfUsed, sessionsOf, shutOut } from './sessions.ts';
import { quotedName } from './text.ts';
import { dropUser, repairUser } from './user-change.ts';
import type { UserCreation } from './user-creation.ts';
import { beginUser, checkNewUser } from './user-creation.ts';
import { readUser } from './user-read.ts';
import type { UserObservation, UserSpec } from './user-spec.ts';
import { userDrift } from './user-spec.ts';

/** The wanted state of a database and of its own user, which has the same name. */
export interface DatabaseSpec extends Encoding {
  readonly user: UserSpec;
  /** Of the user on the database. Absent, or with `ALL`: all that a database can have. */
  readonly privileges?: readonly string[];
}

/** A database and a user of one name. */
export interface DatabaseObservation {
  readonly database?: SchemaObservation | undefined;
  readonly user?: UserObservation | undefined;
  /** Of the user on the database. Absent without one of them. */
  readonly grant?: GrantObservation | undefined;
  /** Also of a database or user that does not exist: its creation began. */
  readonly marks: Marks;
}

export interface DatabaseDrift {
  /**
   * `characterSet`, `collation`, `user` (it is missing), those of `userDrift`, and `privileges`. The names of fields are
   * those of the spec.
   */
  readonly changed: readonly string[];
  readonly grant?: GrantDrift | undefined;
}

/** The changes that `update` would make, for an observation with a database. */
export function databaseDrift(
  { database, user, grant }: DatabaseObservation,
  spec: DatabaseSpec,
): DatabaseDrift {
  const drift = grant && grantDrift(grant, spec);
  const changed = [
    ...(database === undefined ? [] : encodingDrift(database, spec)),
    ...(user === undefined ? ['user'] : userDrift(user, spec.user)),
    ...(drift !== undefined && driftNames(drift).length > 0 ? ['privileges'] : []),
  ];
  return { changed, grant: drift };
}

/**
 * Databases of one server, each with its own user. We own one, and its user, if it has our mark (mark.ts). The server has no
 * transactions for them, so each step of a creation may be repeated, in this order: the marks, the user (locked), the
 * database, the grants, unlock. No user can log in before all of it is there.
 */
export interface Databases {
  observe(name: string, options?: { readonly signal?: AbortSignal }): Promise<DatabaseObservation>;
  /**
   * Continues an interrupted creation. A database or user of ours is brought to the spec, and gets the password. Throws
   * `NotOurs`, `Invalid`, `Forbidden`.
   */
  create(name: string, spec: DatabaseSpec, options: Owned & { readonly password?: string }): Promise<void>;
  /**
   * Repairs the drift. A missing user is created, and another plugin is set, only with `password`. Throws `NotFound`,
   * `NotOurs`.
   */
  update(name: string, spec: DatabaseSpec, options: Owned & { readonly password?: string }): Promise<void>;
  /**
   * No error if it was dropped before. `terminateSessions`: ends the sessions of its user, and those in the database.
   * Otherwise throws `InUse` (retryable) while there are some, and locks no user out. Throws `NotOurs`, `Locked`. The marks
   * go last.
   */
  drop(name: string, options: Owned & { readonly terminateSessions: boolean }): Promise<void>;
  /** Other accounts than its own user with privileges on the database, as `user@host`, sorted; at most ten. */
  usersOf(name: string, options?: { readonly signal?: AbortSignal }): Promise<readonly string[]>;
}

export function databases(withSession: UseSession): Databases {
  return {
    async observe(name, { signal } = {}) {
      checkName('database', name);
      return withSession(signal, (session) => read(session, name));
    },

    async create(name, spec, { ownerId, password, signal }) {
      for (const kind of ['database', 'user'] as const) checkOwnName(kind, name);
      wantedPrivileges(spec.privileges); // throws before anything is created
      await withSession(signal, async (session) => {
        await createMarkTable(session);
        const found = await read(session, name);
        const { database, user } = found;
        for (const each of [database, user]) if (each !== undefined) checkOurs(each, ownerId);
        if (database === undefined) await checkNewDatabase(session, name);
        if (user === undefined) await checkNewUser(session, name, { place: database?.name });
        const { unlock } = await createParts(session, { name, spec, ownerId, password, found });
        const target = { user: name, database: name };
        await applyGrant(session, { ...target, ...privilegesOf(spec) }, await readGrant(session, target));
        await unlock();
      });
    },

    async update(name, spec, { ownerId, password, signal }) {
      for (const kind of ['database', 'user'] as const) checkOwnName(kind, name);
      await withSession(signal, async (session) => {
        const { database, user, grant } = await read(session, name);
        if (database === undefined)
          throw new MysqlError(`database ${quotedName(name)} does not exist`, { code: 'NotFound' });
        checkOurs(database, ownerId);
        if (user === undefined && password === undefined)
          throw new MysqlError(`user ${quotedName(name)} does not exist`, { code: 'NotFound' });
        if (user === undefined) await checkNewUser(session, name, { place: database.name });
        else checkOurs(user, ownerId);
        const creation =
          user === undefined
            ? await beginUser(session, { name, spec: spec.user, ownerId, password, found: undefined })
            : undefined;
        const target = { user: name, database: name };
        const held = grant ?? { privileges: [], unescaped: [] };
        await applyGrant(session, { ...target, ...privilegesOf(spec) }, held);
        if (creation !== undefined) await creation.unlock();
        if (user !== undefined) await repairUser(session, user, spec.user, password);
        // Last: a session of a tenant may hold a lock.
        await alterSchema(session, database, spec);
      });
    },

    async drop(name, { ownerId, terminateSessions, signal }) {
      checkOwnName('database', name);
      await withSession(signal, async (session) => {
        const { database, user } = await read(session, name);
        for (const each of [database, user]) if (each !== undefined) checkOurs(each, ownerId);
        const place = database?.name;
        if (user !== undefined) await shutOut(session, user, { terminateSessions, database: place });
        else if (place !== undefined) await endOrRefuse(session, place, terminateSessions);
        if (place !== undefined) await dropSchema(session, place);
        // guard: otherwise users who had privileges on this database have them on the next one of its name
        await forgetPrivileges(session, storedName(session.facts, name));
        if (user !== undefined) await dropUser(session, name);
        await removeMarks(session, ['database', 'user'], name, ownerId);
      });
    },

    usersOf: (name, { signal } = {}) =>
      withSession(signal, async (session) => {
        const rows = await session.query<{ account: string }>(
          `SELECT DISTINCT CONCAT(User, '@', Host) AS account FROM mysql.db
           WHERE ? LIKE Db AND NOT (BINARY User = BINARY ? AND Host = '%') AND User <> '' ORDER BY 1 LIMIT 10`,
          [name, name],
        );
        return rows.map(({ account }) => account);
      }),
  };
}

async function read(session: Session, name: string): Promise<DatabaseObservation> {
  const marks = await readMarks(session, name);
  const database = await readSchema(session, name, marks);
  const user = await readUser(session, name, marks);
  const isBoth = database !== undefined && user !== undefined;
  const grant = isBoth ? await readGrant(session, { user: name, database: name }) : undefined;
  return { database, user, grant, marks };
}

interface Creation {
  readonly name: string;
  readonly spec: DatabaseSpec;
  readonly ownerId: string;
  readonly password: string | undefined;
  readonly found: DatabaseObservation;
}

/** The marks, the user (locked) and the database. If the server refuses one of them, the name is free again. */
async function createParts(
  session: Session,
  { name, spec, ownerId, password, found: { database, user } }: Creation,
): Promise<UserCreation> {
  const isMarkNew = await writeMark(session, 'database', name, ownerId);
  const forget = () => removeMarks(session, ['database'], name, ownerId);
  const creation = await orTakeBack(
    () => beginUser(session, { name, spec: spec.user, ownerId, password, found: user }),
    async () => {
      if (isMarkNew) await forget();
    },
  );
  if (database !== undefined) {
    await alterSchema(session, database, spec);
    return creation;
  }
  const create = async () => {
    const isNew = await createSchema(session, name, spec);
    // guard: otherwise a database that another one created at the same time becomes ours
    if (!isNew) throw createdByAnother(name);
  };
  await orTakeBack(create, async () => {
    await creation.undo();
    await forget();
  });
  return creation;
}

async function checkNewDatabase(session: Session, name: string): Promise<void> {
  checkNewName('database', name);
  if (session.facts.ignoresCase) checkIgnorableCase(name);
  await checkClosed(session, name);
}

async function endOrRefuse(session: Session, database: string, terminate: boolean): Promise<void> {
  if (terminate) await endSessions(session, { database });
  else refuseIfUsed(`database ${quotedName(database)}`, await sessionsOf(session, { database }));
}

const privilegesOf = ({ privileges }: DatabaseSpec) => (privileges === undefined ? {} : { privileges });

const createdByAnother = (name: string): MysqlError =>
  new MysqlError(`database ${quotedName(name)} was created by another program at the same time`, {
    code: 'NotOurs',
    advice: { kinds: ['ChooseExternalName'] },
    holder: { by: 'Nobody' },
  });
