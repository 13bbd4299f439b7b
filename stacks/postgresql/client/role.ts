import { escapeIdentifier, escapeLiteral } from 'pg';
import { hasUnprintable, quoted } from '../../../package/stack.ts';
import { PostgresqlError, sqlStateOf } from './error.ts';
import type { Marked } from './mark.ts';
import { checkOurs, isMarkOutdated, markOf, markStatement } from './mark.ts';
import { asAdminOf, withRightsOf } from './membership.ts';
import { checkName, checkNewName, checkOwnName } from './name.ts';
import { configurationStatements, isSameConfiguration } from './role-configuration.ts';
import { dropRole } from './role-drop.ts';
import { scramVerifier } from './scram-verifier.ts';
import type { Session, UseSession } from './session.ts';

/** The wanted state of a role. Absent fields have PostgreSQL's default (in brackets). */
export interface RoleSpec {
  /** (false) */
  readonly login?: boolean;
  /** (false) */
  readonly createDb?: boolean;
  /** (false) */
  readonly createRole?: boolean;
  /** (true) */
  readonly inherit?: boolean;
  /** (false) */
  readonly replication?: boolean;
  /** (false) */
  readonly bypassRls?: boolean;
  /** (false) */
  readonly superuser?: boolean;
  /** (-1: none) */
  readonly connectionLimit?: number;
  /** Run-time parameters of its sessions, such as `search_path`. Absent: not managed. */
  readonly configuration?: Readonly<Record<string, string>>;
}

export interface RoleObservation extends Required<RoleSpec>, Marked {
  /** Its password has an end, VALID UNTIL, which this product never sets. */
  readonly expires?: boolean;
}

interface Owned {
  readonly ownerId: string;
  readonly signal?: AbortSignal;
}

/**
 * Roles of one server. We own a role if its comment is our mark (mark.ts), which is set in the transaction that creates
 * it.
 */
export interface Roles {
  observe(name: string, options?: { readonly signal?: AbortSignal }): Promise<RoleObservation | undefined>;
  /** The name that the role of `ownerId` has now. Undefined if no role has its mark. */
  renamed(ownerId: string, options?: { readonly signal?: AbortSignal }): Promise<string | undefined>;
  /** Afterwards the role is as in `spec` and has the password, also if it existed before. */
  create(name: string, spec: RoleSpec, options: Owned & { readonly password?: string }): Promise<void>;
  /** Repairs the mark and the drift that `roleDrift` lists. Throws `NotFound`, `NotOurs`. */
  update(name: string, spec: RoleSpec, options: Owned): Promise<void>;
  /**
   * Sends only the verifier that the server stores for a password, never the password. Throws `NotFound`, `NotOurs`.
   */
  setPassword(name: string, password: string, options: Owned): Promise<void>;
  /**
   * Whether the password is the role's, tested by a login. Where pg_hba.conf has `trust`, every password is accepted. A
   * password that cannot be tested counts as right: the role has no `login`, or pg_hba.conf refuses it.
   */
  checkPassword(
    name: string,
    password: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean>;
  /**
   * No error if it was dropped before. In all databases with a mark of this product, its objects pass to the database's
   * owner and its privileges are revoked. Its sessions are terminated. Throws `InUse` (retryable) with a list if it
   * owns databases, or if objects in other databases depend on it. Throws `NotOurs`.
   */
  drop(name: string, options: Owned): Promise<void>;
}

const attributes = {
  login: 'LOGIN',
  createDb: 'CREATEDB',
  createRole: 'CREATEROLE',
  inherit: 'INHERIT',
  replication: 'REPLICATION',
  bypassRls: 'BYPASSRLS',
  superuser: 'SUPERUSER',
} as const;
type Attribute = keyof typeof attributes;

const wanted = (spec: RoleSpec, attribute: Attribute): boolean => spec[attribute] ?? attribute === 'inherit';

/** The fields that `update` would change. */
export function roleDrift(observed: RoleObservation, spec: RoleSpec): readonly string[] {
  const changed: string[] = changedAttributes(observed, spec);
  if ((spec.connectionLimit ?? -1) !== observed.connectionLimit) changed.push('connectionLimit');
  if (spec.configuration && !isSameConfiguration(observed.configuration, spec.configuration)) {
    changed.push('configuration');
  }
  if (observed.expires === true) changed.push('validUntil');
  return changed;
}

const changedAttributes = (observed: RoleObservation, spec: RoleSpec): Attribute[] =>
  (Object.keys(attributes) as Attribute[]).filter(
    (attribute) => observed[attribute] !== wanted(spec, attribute),
  );

export function roles(options: {
  readonly withSession: UseSession;
  /**
   * The reason why the server refuses that user a session; undefined if it accepts. Rejects if our own session is
   * refused.
   */
  readonly tryLogin: (
    username: string,
    password: string,
    signal: AbortSignal | undefined,
  ) => Promise<unknown>;
}): Roles {
  const { withSession, tryLogin } = options;

  const ownRole = async (session: Session, name: string, ownerId: string): Promise<RoleObservation> => {
    const found = await read(session, name);
    if (found === undefined) {
      const message = `role ${escapeIdentifier(name)} does not exist`;
      throw new PostgresqlError(message, { code: 'NotFound', isRetryable: true });
    }
    checkOurs('role', found, ownerId);
    return found;
  };

  return {
    async observe(name, { signal } = {}) {
      checkName('role', name);
      return withSession(undefined, signal, (session) => read(session, name));
    },

    async renamed(ownerId, { signal } = {}) {
      const [marked] = await withSession(undefined, signal, (session) =>
        session.query<{ name: string }>(
          `SELECT rolname AS name FROM pg_roles WHERE shobj_description(oid, 'pg_authid') = $1 ORDER BY rolname`,
          [markOf(ownerId)],
        ),
      );
      return marked?.name;
    },

    async create(name, spec, { ownerId, password, signal }) {
      checkSpec(name, spec);
      const statement = password === undefined ? [] : [passwordStatement(name, password)];
      await withSession(undefined, signal, (session) =>
        session.transaction(async () => {
          const found = await read(session, name);
          if (found) checkOurs('role', found, ownerId);
          else checkNewName('role', name);
          const all = found
            ? [...repairs(found, spec, ownerId), ...statement]
            : [...birth(name, spec, ownerId), ...statement];
          for (const each of all) await session.query(each);
        }),
      );
    },

    async update(name, spec, { ownerId, signal }) {
      checkSpec(name, spec);
      await withSession(undefined, signal, (session) =>
        despiteItsSessions(session, name, async () => {
          const found = await ownRole(session, name, ownerId);
          for (const statement of repairs(found, spec, ownerId)) await session.query(statement);
        }),
      );
    },

    async setPassword(name, password, { ownerId, signal }) {
      checkOwnName('role', name);
      const statement = passwordStatement(name, password);
      await withSession(undefined, signal, (session) =>
        despiteItsSessions(session, name, async () => {
          await ownRole(session, name, ownerId);
          await session.query(statement);
        }),
      );
    },

    async checkPassword(name, password, { signal } = {}) {
      checkName('role', name);
      const refusal = await tryLogin(name, password, signal);
      if (refusal === undefined) return true;
      // The server knows the role, but refuses a session: no CONNECT on the database, or no free connection.
      if (['42501', '53300'].includes(sqlStateOf(refusal) ?? '')) return true;
      if (!(refusal instanceof PostgresqlError)) throw refusal;
      if (refusal.code === 'LoginRefused') return true; // refused, but not for the password
      if (refusal.code === 'AuthenticationFailed') return false;
      throw refusal;
    },

    async drop(name, { ownerId, signal }) {
      checkOwnName('role', name);
      await dropRole(name, {
        ownerId,
        withSession,
        signal,
        begin: async (session) => {
          const found = await read(session, name);
          if (found) checkOurs('role', found, ownerId);
          return found !== undefined;
        },
      });
    },
  };
}

/**
 * A transaction that changes a role. A session of that role may have begun to change the role and keep its transaction
 * open. This way, anyone with the password could prevent a credential rotation. Such a session is terminated.
 */
async function despiteItsSessions(session: Session, role: string, body: () => Promise<void>): Promise<void> {
  try {
    return await asAdminOf(session, role, () => session.transaction(body));
  } catch (error) {
    if (sqlStateOf(error) !== '55P03') throw error;
  }
  const terminate = `
    SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.usename = $1 AND EXISTS (
      SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.mode = 'RowExclusiveLock'
        AND l.relation IN ('pg_authid'::regclass, 'pg_db_role_setting'::regclass)
    )`;
  await session.transaction(() => withRightsOf(session, [role], () => session.query(terminate, [role])));
  return session.transaction(body);
}

function checkSpec(name: string, spec: RoleSpec): void {
  checkOwnName('role', name);
  const limit = spec.connectionLimit;
  if (limit !== undefined && (!Number.isInteger(limit) || limit < -1)) {
    throw new PostgresqlError('connection limit must be -1 or more', { code: 'Invalid' });
  }
  for (const [parameter, value] of Object.entries(spec.configuration ?? {})) {
    if (!hasUnprintable(value)) continue;
    const message = `value of configuration parameter ${quoted(parameter)} must not contain control or invisible characters`;
    throw new PostgresqlError(message, { code: 'Invalid' });
  }
}

async function read(session: Session, name: string): Promise<RoleObservation | undefined> {
  // A role can change its own settings, to any length. More than 64 KiB are not read.
  const [row] = await session.query<
    Record<Attribute, boolean> & {
      connectionLimit: number;
      configuration: string[] | null;
      comment: string | null;
      expires: boolean;
    }
  >(
    `SELECT rolcanlogin AS login, rolcreatedb AS "createDb", rolcreaterole AS "createRole",
            rolinherit AS inherit, rolreplication AS replication, rolbypassrls AS "bypassRls",
            rolsuper AS superuser, rolconnlimit AS "connectionLimit",
            coalesce(rolvaliduntil < 'infinity', false) AS expires,
            CASE WHEN octet_length(array_to_string(rolconfig, '')) <= 65536 THEN rolconfig END AS configuration,
            shobj_description(oid, 'pg_authid') AS comment
     FROM pg_roles WHERE rolname = $1`,
    [name],
  );
  if (row === undefined) return undefined;
  const { comment, configuration, expires, ...fields } = row;
  return {
    name,
    ...fields,
    configuration: Object.fromEntries(
      (configuration ?? []).map((setting) => {
        const at = setting.indexOf('=');
        return [setting.slice(0, at), setting.slice(at + 1)];
      }),
    ),
    ...(comment !== null && { comment }),
    ...(expires && { expires }),
  };
}

function birth(name: string, spec: RoleSpec, ownerId: string): readonly string[] {
  const words = (Object.keys(attributes) as Attribute[])
    // An administrator who is no superuser must not even mention some of the attributes.
    .filter((attribute) => wanted(spec, attribute) !== (attribute === 'inherit'))
    .map((attribute) => word(spec, attribute));
  const limit = spec.connectionLimit === undefined ? [] : [`CONNECTION LIMIT ${spec.connectionLimit}`];
  return [
    ['CREATE ROLE', escapeIdentifier(name), ...words, ...limit].join(' '),
    markStatement('role', name, ownerId),
    ...configurationStatements(name, {}, spec.configuration ?? {}),
  ];
}

function repairs(found: RoleObservation, spec: RoleSpec, ownerId: string): readonly string[] {
  const words = changedAttributes(found, spec).map((attribute) => word(spec, attribute));
  const limit = spec.connectionLimit ?? -1;
  if (limit !== found.connectionLimit) words.push(`CONNECTION LIMIT ${limit}`);
  if (found.expires === true) words.push(`VALID UNTIL 'infinity'`);
  const { configuration } = spec;
  return [
    ...(isMarkOutdated(found, ownerId) ? [markStatement('role', found.name, ownerId)] : []),
    ...(words.length === 0 ? [] : [`ALTER ROLE ${escapeIdentifier(found.name)} ${words.join(' ')}`]),
    ...(configuration ? configurationStatements(found.name, found.configuration, configuration) : []),
  ];
}

const word = (spec: RoleSpec, attribute: Attribute): string =>
  `${wanted(spec, attribute) ? '' : 'NO'}${attributes[attribute]}`;

function passwordStatement(name: string, password: string): string {
  if (password === '' || password.includes('\0')) {
    throw new PostgresqlError('password must not be empty and not contain a zero byte', { code: 'Invalid' });
  }
  return `ALTER ROLE ${escapeIdentifier(name)} PASSWORD ${escapeLiteral(scramVerifier(password))}`;
}
