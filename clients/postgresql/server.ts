import type { ClientConfig } from 'pg';
import { Client } from 'pg';
import type { Clock } from '../clock.ts';
import { boundedConnections } from './connections.ts';
import type { Credentials } from './credentials.ts';
import type { Databases } from './database.ts';
import { databases } from './database.ts';
import type { Grants } from './grant.ts';
import { grants } from './grant.ts';
import type { Roles } from './role.ts';
import { roles } from './role.ts';
import type { Closing } from './server-databases.ts';
import { closeServerDatabases } from './server-databases.ts';
import type { SessionOptions, UseSession } from './session.ts';
import { openSession } from './session.ts';

export interface PostgresqlServerOptions {
  readonly credentials: Credentials;
  /** Open connections at most, to all databases of the server together; default 2. */
  readonly maxConnections?: number;
  /** How long an unused connection is kept; default 10 s. */
  readonly idleMs?: number;
  /** Default 60 s. */
  readonly statementTimeoutMs?: number;
  /** How long a statement may wait for somebody else's lock; default 2 s. */
  readonly lockTimeoutMs?: number;
  /** Default 10 s. */
  readonly connectTimeoutMs?: number;
  /** How long to go on trying while the server has no connection left; default 30 s. */
  readonly connectionWaitMs?: number;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Uniform in [0, 1): spreads retries. */
  readonly random: () => number;
  /** Asked before each statement: what it throws ends the call, and rolls its transaction back. Default: it may. */
  readonly mayGoOn?: () => void;
  /** Default: pg's own. A test may give one that fails. */
  readonly createClient?: (config: ClientConfig) => Client;
}

/** Administers one PostgreSQL server. Every method throws PostgresqlError, or the reason of its signal. */
export interface PostgresqlServer {
  /** Major version, as 18. */
  serverVersion(signal?: AbortSignal): Promise<number>;
  /** The same, as it was when a connection was last used; undefined: none was yet. Asks nobody. */
  lastVersion(): number | undefined;
  /** Names this server and its replicas and no other, where we may know; else its address. */
  systemIdentifier(signal?: AbortSignal): Promise<string>;
  readonly databases: Databases;
  readonly roles: Roles;
  readonly grants: Grants;
  /** Shuts PUBLIC out of the databases that belong to the server; see Closing. */
  closeServerDatabases(signal?: AbortSignal): Promise<Closing>;
  /** Refuses new calls, waits for those that run, closes all connections. */
  close(): Promise<void>;
}

/** Connects on first use; keeps at most `maxConnections` open, so one server object per provider will do. */
export function createPostgresqlServer(options: PostgresqlServerOptions): PostgresqlServer {
  const { credentials, clock, random } = options;
  const maintenance = credentials.database ?? 'postgres';
  const sessionOptions: SessionOptions = {
    credentials,
    statementTimeoutMs: options.statementTimeoutMs ?? 60_000,
    // Short: a tenant may hold a lock for ever, and ours are few connections for all tenants. Above the server's
    // deadlock_timeout (1 s), when autovacuum gives way.
    lockTimeoutMs: options.lockTimeoutMs ?? 2_000,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    connectionWaitMs: options.connectionWaitMs ?? 30_000,
    context: {
      server: `${credentials.endpoint}:${credentials.port}`,
      username: credentials.username,
      secrets: [credentials.password],
    },
    createClient: options.createClient ?? ((config) => new Client(config)),
    mayGoOn: options.mayGoOn ?? (() => {}),
    clock,
    random,
  };
  /** As last seen: only then is it known which settings there are to be protected from. */
  let version: number | undefined;
  const versionNow = async (signal: AbortSignal | undefined): Promise<number> =>
    version ?? withSession(undefined, signal, async ({ serverVersion }) => serverVersion);
  const connections = boundedConnections({
    max: Math.max(1, options.maxConnections ?? 2),
    keptDatabase: maintenance,
    idleMs: options.idleMs ?? 10_000,
    clock,
    open: (database, signal) => {
      // Where no tenant has a say the version need not be known, and is found out: the server may be upgraded.
      const known = database === maintenance || version === undefined ? {} : { serverVersion: version };
      return openSession(database, signal, { ...sessionOptions, ...known });
    },
  });
  const withSession: UseSession = async (database, signal, body) => {
    if (database !== undefined) await versionNow(signal);
    return connections.use(database ?? maintenance, signal, (session) => {
      session.signal = signal; // a kept connection still has that of its last use
      version = session.serverVersion;
      return body(session);
    });
  };
  const tryLogin = async (username: string, password: string, signal: AbortSignal | undefined) => {
    const as: SessionOptions = {
      ...sessionOptions,
      serverVersion: await versionNow(signal),
      credentials: { ...credentials, username, password },
      context: { ...sessionOptions.context, username, secrets: [password, credentials.password] },
    };
    return connections.usePlace(signal, async () => {
      try {
        const session = await openSession(maintenance, signal, as);
        await session.close();
        return undefined;
      } catch (error) {
        return error;
      }
    });
  };
  return {
    systemIdentifier: (signal) =>
      withSession(undefined, signal, async ({ systemIdentifier: id }) =>
        id === undefined ? `PostgreSQL server ${sessionOptions.context.server}` : `PostgreSQL system ${id}`,
      ),
    lastVersion: () => version,
    serverVersion: (signal) => withSession(undefined, signal, async (session) => session.serverVersion),
    databases: databases(withSession),
    roles: roles({ withSession, tryLogin }),
    grants: grants(withSession),
    closeServerDatabases: (signal) => withSession(undefined, signal, closeServerDatabases),
    close: () => connections.close(),
  };
}
