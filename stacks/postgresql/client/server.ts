import type { ServerOptions } from '../../../package/stack.ts';
import { sessionDefaults, sharedConnections } from '../../../package/stack.ts';
import type { Credentials } from './credentials.ts';
import type { Databases } from './database.ts';
import { databases } from './database.ts';
import { PostgresqlError, sqlStateOf } from './error.ts';
import type { Grants } from './grant.ts';
import { grants } from './grant.ts';
import type { HolderOf } from './mark.ts';
import type { Requiring } from './rights.ts';
import { requiring } from './rights.ts';
import type { Roles } from './role.ts';
import { roles } from './role.ts';
import { ScramClient } from './scram-client.ts';
import type { Closing } from './server-databases.ts';
import { closeServerDatabases } from './server-databases.ts';
import type { CreateClient, OpenSession, SessionOptions, UseSession } from './session.ts';
import { openSession } from './session.ts';
import { spareName } from './spare-name.ts';

export interface PostgresqlServerOptions extends ServerOptions<Credentials> {
  /** How long a COMMIT may take; default 10 s. */
  readonly commitTimeoutMs?: number;
  /** Finds the resource whose mark a role has. Default: no role is that of a claim. */
  readonly holderOf?: HolderOf;
  /** Default: pg's client, with the passwords of libpq. A test may pass one that fails. */
  readonly createClient?: CreateClient;
}

/** Administers one PostgreSQL server. Every method throws PostgresqlError, or the reason of its signal. */
export interface PostgresqlServer {
  /** Major version, such as 18. */
  serverVersion(signal?: AbortSignal): Promise<number>;
  /** The major version at the last use of a connection; undefined before the first. Sends nothing. */
  lastVersion(): number | undefined;
  /** Identifies this server and its replicas, if we may read the identifier; else its address. */
  systemIdentifier(signal?: AbortSignal): Promise<string>;
  readonly requiring: Requiring;
  readonly databases: Databases;
  readonly roles: Roles;
  readonly grants: Grants;
  /** A name that begins as `name` and that no database and no role has, for statements that an administrator runs. */
  spareName(name: string, signal?: AbortSignal): Promise<string>;
  /** Revokes PUBLIC's right to connect to the databases that belong to the server; see Closing. */
  closeServerDatabases(signal?: AbortSignal): Promise<Closing>;
  /** The same server, for the calls of one group, such as a namespace. See `createLine`. */
  usedBy(group: string): PostgresqlServer;
  /** Refuses new calls, waits for running calls, closes all connections. */
  close(): Promise<void>;
}

/**
 * How long a statement on a shared connection may wait for the lock of another session. A tenant may hold a lock for ever,
 * and all tenants share these connections.
 */
const briefLockTimeoutMs = 100;

const closed = (): PostgresqlError =>
  new PostgresqlError('the PostgreSQL client is closed', { code: 'Closed', isRetryable: true });

const administratorHolder: HolderOf = () => ({ isClaims: false, what: 'an administrator' });

/**
 * Connects on first use. Keeps few connections open, to all databases together, so one server object per provider suffices.
 * A statement waits for a held lock longer than the server's deadlock_timeout (1 s), after which autovacuum yields.
 */
export function createPostgresqlServer(options: PostgresqlServerOptions): PostgresqlServer {
  const { credentials, holderOf = administratorHolder } = options;
  const maintenance = credentials.database ?? 'postgres';
  const sessionOptions: SessionOptions = {
    ...sessionDefaults(options),
    commitTimeoutMs: options.commitTimeoutMs ?? 10_000,
    createClient: options.createClient ?? ((config) => new ScramClient(config)),
  };
  const { lockTimeoutMs, context } = sessionOptions;
  /** The version at the last connection. It decides which settings must be overridden. */
  let version: number | undefined;
  const connections = sharedConnections({
    ...options,
    idleDatabase: maintenance,
    closed,
    isLocked: (error) => sqlStateOf(error) === '55P03',
    open(database, signal, { mayWait }) {
      // In the maintenance database no tenant has settings, so the version is not needed. It is read again there, because
      // the server may have been upgraded.
      const known =
        database === maintenance
          ? { context: { ...context, maintenance } }
          : version !== undefined && { serverVersion: version };
      return openSession(database, signal, {
        ...sessionOptions,
        ...known,
        lockTimeoutMs: mayWait ? lockTimeoutMs : Math.min(briefLockTimeoutMs, lockTimeoutMs),
      });
    },
  });

  function serverOf(group: string): PostgresqlServer {
    const versionNow = async (signal: AbortSignal | undefined): Promise<number> =>
      version ?? withSession(undefined, signal, async ({ serverVersion }) => serverVersion);
    const withSession: UseSession = async (database = maintenance, signal, body) => {
      if (database !== maintenance) await versionNow(signal);
      const run = (session: OpenSession) => {
        session.signal = signal; // a reused session still has the signal of its last use
        version = session.serverVersion;
        return body(session);
      };
      return connections.use(database, signal, run, group);
    };
    const tryLogin = async (username: string, password: string, signal: AbortSignal | undefined) => {
      const as: SessionOptions = {
        ...sessionOptions,
        serverVersion: await versionNow(signal),
        credentials: { ...credentials, username, password },
        context: { ...context, username, secrets: [password, credentials.password] },
      };
      const login = async () => {
        try {
          const session = await openSession(maintenance, signal, as);
          await session.close();
          return undefined;
        } catch (error) {
          return error;
        }
      };
      return connections.usePlace(signal, login, group);
    };
    return {
      systemIdentifier: (signal) =>
        withSession(undefined, signal, async ({ systemIdentifier: id }) =>
          id === undefined ? `PostgreSQL server ${context.server}` : `PostgreSQL system ${id}`,
        ),
      lastVersion: () => version,
      serverVersion: (signal) => withSession(undefined, signal, async (session) => session.serverVersion),
      requiring: requiring(withSession, context.server),
      databases: databases(withSession, holderOf),
      roles: roles({ withSession, tryLogin }),
      grants: grants(withSession, holderOf),
      spareName: (name, signal) => withSession(undefined, signal, (session) => spareName(session, name)),
      closeServerDatabases: (signal) => withSession(undefined, signal, closeServerDatabases),
      usedBy: serverOf,
      close: connections.close,
    };
  }
  return serverOf('');
}
