import { randomBytes } from 'node:crypto';
import { clientAdvice, counted } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import { errnoOf, isRefusal, MysqlError } from './error.ts';
import type { Marked, Marks } from './mark.ts';
import { checkOurs, createMarkTable, readMarks, removeMarks, writeMark } from './mark.ts';
import { checkName, checkNewName, checkOwnName } from './name.ts';
import type { Plugin, Secret } from './password.ts';
import { plugins, runWithPassword } from './password.ts';
import type { Session, UseSession } from './session.ts';
import { endSessions, sessionsOf } from './sessions.ts';
import { account, quotedName } from './text.ts';

/** The wanted state of a user. Absent fields get the server's default (in brackets), and are not compared. */
export interface UserSpec {
  /** (0: no limit) */
  readonly maxUserConnections?: number;
  /** (0: no limit) */
  readonly maxStatementSeconds?: number;
  /** (Optional) */
  readonly tls?: 'Optional' | 'Required';
  /** (the server's own choice) */
  readonly plugin?: Plugin;
}

/** The user `name@'%'`. */
export interface UserObservation extends Marked {
  readonly kind: 'user';
  readonly maxUserConnections: number;
  readonly maxStatementSeconds: number;
  readonly tls: 'Optional' | 'Required';
  readonly plugin: string;
  /** It cannot log in: a creation that has not ended, or an administrator locked it. */
  readonly isLocked: boolean;
  /** Its password has an end, which this product never sets. */
  readonly expires: boolean;
  /** Its password has ended by a statement: it counts as wrong until it is set again. */
  readonly isExpired: boolean;
  /** The hosts of other users of this name. There the server refuses the password of this one. */
  readonly otherHosts: readonly string[];
}

/** The fields that `update` would change. */
export function userDrift(observed: UserObservation, spec: UserSpec): readonly string[] {
  const fields = (['maxUserConnections', 'maxStatementSeconds', 'tls', 'plugin'] as const).filter(
    (field) => spec[field] !== undefined && spec[field] !== observed[field],
  );
  return [...fields, ...(observed.isLocked ? ['isLocked'] : []), ...(observed.expires ? ['expires'] : [])];
}

interface Owned {
  readonly ownerId: string;
  readonly signal?: AbortSignal;
}

/**
 * Users of one server, all of host `%`. We own a user if it has our mark (mark.ts). There are no transactions: each step
 * of a creation may be repeated.
 */
export interface Users {
  observe(name: string, options?: { readonly signal?: AbortSignal }): Promise<UserObservation | undefined>;
  /**
   * In this order: the mark, the user (locked), its privileges, unlock. Afterwards the user is as in `spec` and has the
   * password, also if it existed before. Throws `NotOurs`, also for a user of the same name at another host, and `Invalid`.
   */
  create(name: string, spec: UserSpec, options: Owned & { readonly password?: string }): Promise<void>;
  /**
   * Repairs the drift that `userDrift` lists. Another plugin is set only with `password`, which stays the user's. Throws
   * `NotFound`, `NotOurs`.
   */
  update(name: string, spec: UserSpec, options: Owned & { readonly password?: string }): Promise<void>;
  /**
   * Ends no sessions. The plugin stays, unless another is given. Throws `NotFound`, `NotOurs`, and `Invalid` if a policy of
   * the server refuses the password.
   */
  setPassword(
    name: string,
    password: string,
    options: Owned & { readonly plugin?: Plugin | undefined },
  ): Promise<void>;
  /**
   * Whether the password is the user's, tested by a login. A password that cannot be tested counts as right: of a locked
   * user, at a limit of connections, of a plugin that the driver does not know.
   */
  checkPassword(
    name: string,
    password: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean>;
  /** The number of its open sessions. Throws `Forbidden` without PROCESS. */
  countSessions(name: string, options?: { readonly signal?: AbortSignal }): Promise<number>;
  /** Ends its sessions and returns how many there were. Throws `Forbidden` without PROCESS and CONNECTION ADMIN. */
  endSessions(name: string, options: Owned): Promise<number>;
  /**
   * No error if it was dropped before. `terminateSessions`: ends its sessions; otherwise throws `InUse` (retryable) while
   * there are some. Throws `NotOurs`. The mark goes last.
   */
  drop(name: string, options: Owned & { readonly terminateSessions: boolean }): Promise<void>;
  /**
   * Views, routines, triggers and events that run with the rights of the user, sorted; at most ten. They stay when the user
   * is dropped, and work again for the next user of that name. `except`: a database that is dropped, too, or whose contents
   * are the user's own.
   */
  definedBy(
    name: string,
    options?: { readonly except?: string | undefined; readonly signal?: AbortSignal },
  ): Promise<readonly Definition[]>;
}

/** A view, routine, trigger or event with a DEFINER. */
export interface Definition {
  /** For example ``view `shop`.`totals` ``. */
  readonly what: string;
  /** The statement that drops it. */
  readonly statement: string;
}

export function users({
  withSession,
  tryLogin,
}: {
  readonly withSession: UseSession;
  /** See {@link TryLogin}. */
  readonly tryLogin: TryLogin;
}): Users {
  const ownUser = async (session: Session, name: string, ownerId: string): Promise<UserObservation> => {
    const found = await readUser(session, name);
    if (found === undefined)
      throw new MysqlError(`user ${quotedName(name)} does not exist`, { code: 'NotFound' });
    checkOurs(found, ownerId);
    return found;
  };

  return {
    async observe(name, { signal } = {}) {
      checkName('user', name);
      return withSession(signal, (session) => readUser(session, name));
    },

    async create(name, spec, { ownerId, password, signal }) {
      checkOwnName('user', name);
      await withSession(signal, async (session) => {
        await createMarkTable(session);
        const found = await readUser(session, name);
        if (found === undefined) await checkNewUser(session, name);
        else checkOurs(found, ownerId);
        const creation = await beginUser(session, { name, spec, ownerId, password, found });
        await creation.unlock();
      });
    },

    async update(name, spec, { ownerId, password, signal }) {
      checkOwnName('user', name);
      await withSession(signal, async (session) => {
        const found = await ownUser(session, name, ownerId);
        await repairUser(session, found, spec, password);
      });
    },

    async setPassword(name, password, { ownerId, plugin, signal }) {
      checkOwnName('user', name);
      await withSession(signal, async (session) => {
        const found = await ownUser(session, name, ownerId);
        await setPassword(session, name, { password, plugin: plugin ?? knownPlugin(found) });
      });
    },

    async checkPassword(name, password, { signal } = {}) {
      checkName('user', name);
      return isRightBy(await tryLogin(name, password, signal));
    },

    countSessions: async (name, { signal } = {}) =>
      (await withSession(signal, (session) => sessionsOf(session, { user: name }))).length,

    endSessions: (name, { ownerId, signal }) =>
      withSession(signal, async (session) => {
        await ownUser(session, name, ownerId);
        return endSessions(session, await sessionsOf(session, { user: name }));
      }),

    async drop(name, { ownerId, terminateSessions, signal }) {
      checkOwnName('user', name);
      await withSession(signal, async (session) => {
        const found = await readUser(session, name);
        if (found !== undefined) {
          checkOurs(found, ownerId);
          await shutOut(session, found, { terminateSessions });
          await dropUser(session, name);
        }
        await removeMarks(session, ['user'], name, ownerId);
      });
    },

    definedBy: (name, { except, signal } = {}) =>
      withSession(signal, (session) => definitionsOf(session, name, except)),
  };
}

/** The reason why the server refuses a session to a user. Undefined: it accepts. */
export type TryLogin = (
  username: string,
  password: string,
  signal: AbortSignal | undefined,
) => Promise<unknown>;

/** Whether a refusal shows that the password is right. Throws it if it does not show that. */
function isRightBy(refusal: unknown): boolean {
  if (refusal === undefined) return true;
  if (!(refusal instanceof MysqlError)) throw refusal;
  // The server sends these after it accepted the password: the user is locked, or at a limit of connections.
  if ([4151, 1203, 1226].includes(refusal.errno ?? 0)) return true;
  if (refusal.code !== 'AuthenticationFailed') throw refusal;
  return refusal.errno === undefined; // a plugin that the driver does not know
}

/** Throws `Invalid` if users must use TLS and the server has none: no user could log in. */
function checkTls({ facts }: Session, { tls }: UserSpec): void {
  if (tls !== 'Required' || facts.hasTls) return;
  const fields = ['spec.forProvider.tls'];
  throw new MysqlError(`the server has no TLS; ${clientAdvice.change(fields)}`, {
    code: 'Invalid',
    advice: { kinds: ['ChangeFields'], fields },
  });
}

/** The user `name@'%'`, in the session's server. Undefined if there is none. */
export async function readUser(
  session: Session,
  name: string,
  marks?: Marks,
): Promise<UserObservation | undefined> {
  const facts = {
    maxUserConnections: 'max_user_connections',
    maxStatementSeconds: 'max_statement_time',
    sslType: 'ssl_type',
    plugin: 'plugin',
    isLocked: 'account_locked',
    lifetime: 'password_lifetime',
    changedAt: 'password_last_changed',
  };
  const columns = Object.entries(facts).map(([as, key]) => `JSON_VALUE(Priv, '$.${key}') AS ${as}`);
  const rows = await session.query<Record<keyof typeof facts, string | null> & { readonly host: string }>(
    `SELECT Host AS host, ${columns.join(', ')} FROM mysql.global_priv WHERE User = ? AND Host <> '' ORDER BY Host`,
    [name],
  );
  const row = rows.find(({ host }) => host === '%');
  if (row === undefined) return undefined;
  const { user: mark } = marks ?? (await readMarks(session, name));
  return {
    kind: 'user',
    name,
    ...(mark !== undefined && { mark }),
    maxUserConnections: Number(row.maxUserConnections ?? 0),
    maxStatementSeconds: Number(row.maxStatementSeconds ?? 0),
    tls: Number(row.sslType ?? 0) === 0 ? 'Optional' : 'Required',
    plugin: row.plugin ?? '',
    isLocked: isTrue(row.isLocked),
    expires: row.lifetime !== '0',
    isExpired: row.changedAt === '0',
    otherHosts: rows.map(({ host }) => host).filter((host) => host !== '%'),
  };
}

const isTrue = (json: string | null): boolean => json === '1' || json === 'true';

/**
 * Throws for a name that cannot be that of a new user: also if there is one at another host, or a role, or if anything
 * would run with its rights. `place`: its own database, if that exists; what is in it may run so.
 */
export async function checkNewUser(
  session: Session,
  name: string,
  { place }: { readonly place?: string | undefined } = {},
): Promise<void> {
  checkNewName('user', name);
  const others = await session.query<{ host: string }>(
    `SELECT Host AS host FROM mysql.global_priv WHERE User = ? AND Host <> '%' ORDER BY Host LIMIT 1`,
    [name],
  );
  const [other] = others;
  if (other === undefined) {
    const defined = await definitionsOf(session, name, place);
    // guard: otherwise what a previous user of this name left elsewhere reads the data of the new one
    if (defined.length > 0) throw runsAs(name, defined, { isNameNew: place === undefined });
    return;
  }
  const what = other.host === '' ? `role ${quotedName(name)}` : `user ${account(name, other.host)}`;
  throw new MysqlError(`${what} exists; ${clientAdvice.chooseExternalName}`, {
    code: 'NotOurs',
    advice: { kinds: ['ChooseExternalName'] },
    holder: { by: 'Nobody' },
  });
}

export interface UserCreation {
  /** The last step. */
  unlock(): Promise<void>;
  /** Takes back what this call created. */
  undo(): Promise<void>;
}

/** Creates a user that cannot log in yet, with its mark; or brings the one that `ownerId` owns to the spec. */
export async function beginUser(
  session: Session,
  {
    name,
    spec,
    ownerId,
    password,
    found,
  }: {
    readonly name: string;
    readonly spec: UserSpec;
    readonly ownerId: string;
    readonly password: string | undefined;
    readonly found: UserObservation | undefined;
  },
): Promise<UserCreation> {
  checkTls(session, spec);
  const isMarkNew = await writeMark(session, 'user', name, ownerId);
  // No user can log in without a known password.
  const secret = password ?? (found === undefined ? randomBytes(24).toString('base64url') : undefined);
  const [verb, lock] = found === undefined ? ['CREATE', ' ACCOUNT LOCK'] : ['ALTER', ''];
  const statementOf = (identified: string) =>
    `${verb} USER ${account(name)} ${identified}${options(spec)}${lock} PASSWORD EXPIRE NEVER`;
  try {
    if (secret === undefined) await session.run(statementOf(''));
    else {
      const plugin = spec.plugin ?? knownPlugin(found);
      await runWithPassword(session, { password: secret, plugin }, statementOf);
    }
  } catch (error) {
    // guard: otherwise a name whose creation was refused stays taken
    if (isMarkNew && isRefusal(error)) await removeMarks(session, ['user'], name, ownerId);
    if (errnoOf(error) === 1396 && found === undefined) await checkNotThere(session, name, ownerId);
    throw error;
  }
  return {
    async unlock() {
      await session.run(`ALTER USER ${account(name)} ACCOUNT UNLOCK`);
    },
    async undo() {
      if (found === undefined) await dropUser(session, name);
      if (isMarkNew) await removeMarks(session, ['user'], name, ownerId);
    },
  };
}

/** Another session created a user of that name during this time. */
async function checkNotThere(session: Session, name: string, ownerId: string): Promise<void> {
  const found = await readUser(session, name);
  if (found !== undefined) checkOurs(found, ownerId);
}

/** Brings a user to its spec. Another plugin needs the password. */
export async function repairUser(
  session: Session,
  found: UserObservation,
  spec: UserSpec,
  password: string | undefined,
): Promise<void> {
  const drift = userDrift(found, spec);
  if (drift.length === 0) return;
  checkTls(session, spec);
  await session.run(`ALTER USER ${account(found.name)}${options(spec)} ACCOUNT UNLOCK PASSWORD EXPIRE NEVER`);
  if (drift.includes('plugin') && password !== undefined)
    await setPassword(session, found.name, { password, plugin: spec.plugin });
}

/** The plugin of a user, if it is one that a class may name. */
const knownPlugin = (found: UserObservation | undefined): Plugin | undefined =>
  plugins.find((each) => each === found?.plugin);

const setPassword = (session: Session, name: string, secret: Secret): Promise<void> =>
  runWithPassword(session, secret, (identified) => `ALTER USER ${account(name)} ${identified}`);

/** The clauses of the fields that the spec has. */
function options({ tls, maxUserConnections, maxStatementSeconds }: UserSpec): string {
  const limits = [
    ...(maxUserConnections === undefined ? [] : [`MAX_USER_CONNECTIONS ${maxUserConnections}`]),
    ...(maxStatementSeconds === undefined ? [] : [`MAX_STATEMENT_TIME ${maxStatementSeconds}`]),
  ];
  const clauses = [
    ...(tls === undefined ? [] : [`REQUIRE ${tls === 'Required' ? 'SSL' : 'NONE'}`]),
    ...(limits.length === 0 ? [] : [`WITH ${limits.join(' ')}`]),
  ];
  return clauses.map((clause) => ` ${clause}`).join('');
}

/**
 * Lets a user in no more, so that it can be dropped: DROP USER ends no session. Throws `InUse` while sessions block it, and
 * then the user can log in as before.
 */
export async function shutOut(
  session: Session,
  { name, isLocked }: UserObservation,
  {
    terminateSessions,
    database,
  }: { readonly terminateSessions: boolean; readonly database?: string | undefined },
): Promise<void> {
  const who = { user: name, database };
  if (!terminateSessions) refuseIfUsed(name, (await sessionsOf(session, who)).length, database);
  if (!isLocked) await session.run(`ALTER USER ${account(name)} ACCOUNT LOCK`);
  const found = await sessionsOf(session, who);
  if (terminateSessions) {
    await endSessions(session, found);
    return;
  }
  if (found.length === 0) return;
  // One began in between.
  await session.run(`ALTER USER ${account(name)} ACCOUNT UNLOCK`);
  refuseIfUsed(name, found.length, database);
}

export function refuseIfUsed(name: string, open: number, database: string | undefined): void {
  if (open === 0) return;
  const what = database === undefined ? `user ${quotedName(name)}` : `database ${quotedName(database)}`;
  throw new MysqlError(`${what} has ${counted(open, 'open session')}`, { code: 'InUse' });
}

export const dropUser = (session: Session, name: string): Promise<void> =>
  session.run(`DROP USER IF EXISTS ${account(name)}`);

/**
 * The error about what a previous user of a name, or a previous owner, defined in other databases. It names those, so a claim
 * shows another text. `isNameNew`: another name helps.
 */
export function runsAs(
  name: string,
  defined: readonly Definition[],
  { isNameNew }: { readonly isNameNew: boolean },
): MysqlError {
  const what = defined.map((each) => each.what).join(', ');
  const todo = advice.dropDefinitions(defined.map(({ statement }) => statement));
  return new MysqlError(
    `${what} would run with the rights of user ${quotedName(name)}, as its previous owner defined; ${todo}`,
    {
      code: 'NotOurs',
      ...(isNameNew && { advice: { kinds: ['ChooseExternalName'] } }),
      holder: { by: 'AnotherResource' },
    },
  );
}

/** See {@link Users.definedBy}. */
async function definitionsOf(
  session: Session,
  name: string,
  except: string | undefined,
): Promise<readonly Definition[]> {
  const tables = [
    ["'VIEW'", 'VIEWS', 'TABLE_SCHEMA', 'TABLE_NAME'],
    ['ROUTINE_TYPE', 'ROUTINES', 'ROUTINE_SCHEMA', 'ROUTINE_NAME'],
    ["'TRIGGER'", 'TRIGGERS', 'TRIGGER_SCHEMA', 'TRIGGER_NAME'],
    ["'EVENT'", 'EVENTS', 'EVENT_SCHEMA', 'EVENT_NAME'],
  ] as const;
  const parts = tables.map(
    ([kind, table, schema, column]) =>
      `SELECT ${kind} AS kind, ${schema} AS place, ${column} AS name FROM information_schema.${table}
       WHERE BINARY DEFINER = BINARY ? AND BINARY ${schema} <> BINARY ?`,
  );
  const values = parts.flatMap(() => [`${name}@%`, except ?? '']);
  const rows = await session.queryAmongTenants<{ kind: string; place: string; name: string }>(
    `SELECT * FROM (${parts.join(' UNION ALL ')}) found ORDER BY kind, place, name LIMIT 10`,
    values,
  );
  return rows.map(({ kind, place, name: own }) => {
    const path = `${quotedName(place)}.${quotedName(own)}`;
    return { what: `${kind.toLowerCase()} ${path}`, statement: `DROP ${kind} ${path}` };
  });
}
