import type { ClientClock } from '../../../package/http.ts';
import type { CreateLine } from '../../../package/stack.ts';
import { boundedConnections, tlsOptions } from '../../../package/stack.ts';
import type { Credentials } from './credentials.ts';
import type { Databases } from './database.ts';
import { databases } from './database.ts';
import { PostgresqlError, sqlStateOf, standbyUsed } from './error.ts';
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

export interface PostgresqlServerOptions {
  readonly credentials: Credentials;
  /** Open connections at most, to all databases of the server together, besides one that waits for locks; default 2. */
  readonly maxConnections?: number;
  /** The order of the callers that wait for a connection. Default: first come, first served. */
  readonly createLine?: CreateLine;
  /** How long an idle connection stays open; default 10 s. */
  readonly idleMs?: number;
  /** Default 60 s. */
  readonly statementTimeoutMs?: number;
  /** How long a COMMIT may take; default 10 s. */
  readonly commitTimeoutMs?: number;
  /** How long a statement on the connection for waits may wait for the lock of another session; default 2 s. */
  readonly lockTimeoutMs?: number;
  /** Default 10 s. */
  readonly connectTimeoutMs?: number;
  /** How long calls together retry while the server has no free connection; default 3 s. */
  readonly connectionWaitMs?: number;
  readonly clock: Pick<ClientClock, 'sleep'>;
  /** Uniform in [0, 1): spreads retries. */
  readonly random: () => number;
  /**
   * Called before each statement. If it throws, the call ends and its transaction is rolled back. Default: it never
   * throws.
   */
  readonly mayGoOn?: () => void;
  /** Finds the resource whose mark a role has. Default: no role is that of a claim. */
  readonly holderOf?: HolderOf;
  /** Whether the server refuses every statement that changes something; default false. */
  readonly isReadOnly?: boolean;
  /** Default: pg's client, with the passwords of libpq. A test may pass one that fails. */
  readonly createClient?: CreateClient;
}

/** Administers one PostgreSQL server. Every method throws PostgresqlError, or the reason of its signal. */
export interface PostgresqlServer {
  /** Major version, such as 18. */
  serverVersion(signal?: AbortSignal): Promise<number>;
  /** The major version at the last use of a connection; undefined before the first. Sends nothing. */
  lastVersion(): number | undefined;
  /** A sentence if the server was a standby at the last use of a connection. Sends nothing. */
  standbyWarning(): string | undefined;
  /** Throws if nothing can be changed on the server. */
  checkWritable(signal?: AbortSignal): Promise<void>;
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
 * Connects on first use. Keeps at most `maxConnections` open, so one server object per provider suffices.
 *
 * Work that meets a held lock leaves its shared connection. It is repeated from its start on a connection of its own, which
 * waits longer for locks. There is one such connection. While it is in use, the call fails with `55P03`, which is
 * retryable.
 */
export function createPostgresqlServer(options: PostgresqlServerOptions): PostgresqlServer {
  const { credentials, clock, random, holderOf = administratorHolder } = options;
  const maintenance = credentials.database ?? 'postgres';
  const sessionOptions: SessionOptions = {
    credentials,
    statementTimeoutMs: options.statementTimeoutMs ?? 60_000,
    commitTimeoutMs: options.commitTimeoutMs ?? 10_000,
    // Longer than the server's deadlock_timeout (1 s), after which autovacuum yields.
    lockTimeoutMs: options.lockTimeoutMs ?? 2_000,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    connectionWaitMs: options.connectionWaitMs ?? 3_000,
    context: {
      server: `${credentials.endpoint}:${credentials.port}`,
      username: credentials.username,
      hasTls: tlsOptions(credentials) !== false,
      secrets: [credentials.password],
    },
    createClient: options.createClient ?? ((config) => new ScramClient(config)),
    peer: {},
    mayGoOn: options.mayGoOn ?? (() => {}),
    isReadOnly: options.isReadOnly ?? false,
    clock,
    random,
  };
  /** The version at the last connection. It decides which settings must be overridden. */
  let version: number | undefined;
  let isStandby = false;
  const open = (database: string, signal: AbortSignal | undefined, lockTimeoutMs: number) => {
    // In the maintenance database no tenant has settings, so the version is not needed. It is read again there, because
    // the server may have been upgraded.
    const known =
      database === maintenance
        ? { context: { ...sessionOptions.context, maintenance } }
        : version !== undefined && { serverVersion: version };
    return openSession(database, signal, { ...sessionOptions, ...known, lockTimeoutMs });
  };
  const connections = boundedConnections({
    max: Math.max(1, options.maxConnections ?? 2),
    idleDatabase: maintenance,
    idleMs: options.idleMs ?? 10_000,
    clock,
    closed,
    open: (database, signal) =>
      open(database, signal, Math.min(briefLockTimeoutMs, sessionOptions.lockTimeoutMs)),
    ...(options.createLine && { createLine: options.createLine }),
  });
  const waiting = boundedConnections({
    max: 1,
    idleDatabase: '', // no connection stays open
    idleMs: 0,
    clock,
    closed,
    open: (database, signal) => open(database, signal, sessionOptions.lockTimeoutMs),
  });
  let isOneWaiting = false;
  /** Repeats work that met a held lock, unless other work waits for a lock already. */
  const repeated = async <T>(error: unknown, repeat: () => Promise<T>): Promise<T> => {
    if (sqlStateOf(error) !== '55P03' || isOneWaiting) throw error;
    isOneWaiting = true;
    try {
      return await repeat();
    } finally {
      isOneWaiting = false;
    }
  };

  function serverOf(group: string): PostgresqlServer {
    const versionNow = async (signal: AbortSignal | undefined): Promise<number> =>
      version ?? withSession(undefined, signal, async ({ serverVersion }) => serverVersion);
    const withSession: UseSession = async (database = maintenance, signal, body) => {
      if (database !== maintenance) await versionNow(signal);
      const run = (session: OpenSession) => {
        session.signal = signal; // a reused session still has the signal of its last use
        version = session.serverVersion;
        isStandby = session.isStandby;
        return body(session);
      };
      try {
        return await connections.use(database, signal, run, group);
      } catch (error) {
        return repeated(error, () => waiting.use(database, signal, run));
      }
    };
    const tryLogin = async (username: string, password: string, signal: AbortSignal | undefined) => {
      const as: SessionOptions = {
        ...sessionOptions,
        serverVersion: await versionNow(signal),
        credentials: { ...credentials, username, password },
        context: { ...sessionOptions.context, username, secrets: [password, credentials.password] },
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
          id === undefined ? `PostgreSQL server ${sessionOptions.context.server}` : `PostgreSQL system ${id}`,
        ),
      lastVersion: () => version,
      standbyWarning: () => (isStandby ? standbyUsed(sessionOptions.context.server).message : undefined),
      checkWritable: (signal) =>
        withSession(undefined, signal, async (session) => {
          if (session.isStandby) throw standbyUsed(sessionOptions.context.server);
        }),
      serverVersion: (signal) => withSession(undefined, signal, async (session) => session.serverVersion),
      requiring: requiring(withSession, sessionOptions.context.server),
      databases: databases(withSession, holderOf),
      roles: roles({ withSession, tryLogin }),
      grants: grants(withSession, holderOf),
      spareName: (name, signal) => withSession(undefined, signal, (session) => spareName(session, name)),
      closeServerDatabases: (signal) => withSession(undefined, signal, closeServerDatabases),
      usedBy: serverOf,
      async close() {
        await connections.close();
        await waiting.close();
      },
    };
  }
  return serverOf('');
}
