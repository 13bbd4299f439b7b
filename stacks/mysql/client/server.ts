import type { HolderOf, ServerCredentials, ServerOptions } from '../../../package/stack.ts';
import { sessionDefaults, sharedConnections, tlsOptions } from '../../../package/stack.ts';
import type { Databases } from './database.ts';
import { databases } from './database.ts';
import { isMysqlError, MysqlError } from './error.ts';
import type { Exposure } from './exposure.ts';
import { readExposure } from './exposure.ts';
import type { Grants } from './grant.ts';
import { grants } from './grant.ts';
import { readIdentity, writeIdentity } from './mark.ts';
import type { MissingPrivileges } from './privilege.ts';
import { missingPrivileges, namingPrivileges } from './privilege.ts';
import type { ServerFacts } from './server-facts.ts';
import type { OpenSession, SessionOptions, UseSession } from './session.ts';
import { openSession } from './session.ts';
import type { TryLogin, Users } from './user.ts';
import { users } from './user.ts';

export interface MysqlServerOptions extends ServerOptions<ServerCredentials> {
  /** How long a statement keeps a connection if a tenant decides how long it takes; default 5 s. */
  readonly tenantTimeoutMs?: number;
  /** Finds the resource whose mark a database or user has. Default: none is that of a claim. */
  readonly holderOf?: HolderOf;
}

/** Administers one MariaDB server. Every method throws MysqlError, or the reason of its signal. */
export interface MysqlServer {
  /** Throws `Unreachable` for a replica, and for a node of a Galera cluster outside the primary component. */
  facts(signal?: AbortSignal): Promise<ServerFacts>;
  /** The facts at the last use of a connection; undefined before the first. Sends nothing. */
  lastFacts(): ServerFacts | undefined;
  /** Identifies this server, its replicas and its restored copies, by a row of the table of marks, which it creates. */
  identity(signal?: AbortSignal): Promise<string>;
  /** The privileges that the administrator lacks. Undefined: it has all. */
  missingPrivileges(signal?: AbortSignal): Promise<MissingPrivileges | undefined>;
  readonly databases: Databases;
  readonly users: Users;
  readonly grants: Grants;
  /** The rows that let strangers in, or keep users out; see Exposure. */
  exposure(signal?: AbortSignal): Promise<Exposure>;
  /** The same server, for the calls of one group, such as a namespace. See `createLine`. */
  usedBy(group: string): MysqlServer;
  /** Refuses new calls, waits for running calls, closes all connections. */
  close(): Promise<void>;
}

const closed = (): MysqlError => new MysqlError('the client of MariaDB is closed', { code: 'Closed' });

const administratorHolder: HolderOf = () => ({ isClaims: false, what: 'an administrator' });

/** Connects on first use. Keeps few connections open, so one server object per provider suffices. */
export function createMysqlServer(options: MysqlServerOptions): MysqlServer {
  const { holderOf = administratorHolder } = options;
  const sessionOptions: SessionOptions = {
    ...sessionDefaults(options),
    tenantLockTimeoutMs: 0,
    tenantTimeoutMs: options.tenantTimeoutMs ?? 5_000,
  };
  const { credentials, isReadOnly, lockTimeoutMs, context } = sessionOptions;
  const place = 'the server';
  const connections = sharedConnections({
    ...options,
    idleDatabase: place,
    closed,
    isLocked: (error) => isMysqlError(error, 'Locked'),
    open: (_place, signal, { mayWait }) =>
      openSession(signal, { ...sessionOptions, tenantLockTimeoutMs: mayWait ? lockTimeoutMs : 0 }),
  });
  let lastFacts: ServerFacts | undefined;

  function serverOf(group: string): MysqlServer {
    const withSession: UseSession = (signal, body) => {
      const run = async (session: OpenSession) => {
        await session.begin(signal);
        lastFacts = session.facts;
        try {
          return await body(session);
        } catch (error) {
          if (error instanceof MysqlError && error.code === 'Forbidden')
            throw await namingPrivileges(session, error);
          throw error;
        }
      };
      return connections.use(place, signal, run, group);
    };
    const tryLogin: TryLogin = (username, password, signal) =>
      connections.usePlace(signal, () => loginRefusal(username, password, signal), group);
    return {
      facts: (signal) => withSession(signal, async ({ facts }) => facts),
      lastFacts: () => lastFacts,
      identity: (signal) =>
        withSession(signal, async (session) => {
          let digest = await readIdentity(session);
          if (digest === undefined && !isReadOnly) {
            await writeIdentity(session);
            digest = await readIdentity(session);
          }
          return digest === undefined ? `MariaDB server ${context.server}` : `MariaDB system ${digest}`;
        }),
      missingPrivileges: (signal) => withSession(signal, missingPrivileges),
      databases: databases(withSession),
      users: users({ withSession, tryLogin }),
      grants: grants(withSession, holderOf),
      exposure: (signal) => withSession(signal, readExposure),
      usedBy: serverOf,
      close: connections.close,
    };
  }
  return serverOf('');

  /**
   * The reason why the server does not let a user in, whatever its TLS. A user who must use TLS is refused as if the password
   * were wrong.
   */
  async function loginRefusal(
    username: string,
    password: string,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const refusal = await login(username, password, signal, credentials);
    if (!isMysqlError(refusal, 'AuthenticationFailed') || tlsOptions(credentials) !== false) return refusal;
    const { clusterCA: _, ...rest } = credentials;
    const withTls = await login(username, password, signal, { ...rest, sslmode: 'require' });
    return isMysqlError(withTls, 'TlsFailed') ? refusal : withTls;
  }

  async function login(
    username: string,
    password: string,
    signal: AbortSignal | undefined,
    of: ServerCredentials,
  ): Promise<unknown> {
    try {
      const session = await openSession(signal, {
        ...sessionOptions,
        credentials: { ...of, username, password },
        context: { ...context, username, secrets: [password, credentials.password] },
      });
      await session.close();
      return undefined;
    } catch (error) {
      return error;
    }
  }
}
