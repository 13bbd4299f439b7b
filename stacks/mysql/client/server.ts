import type { ClientClock } from '../../../package/http.ts';
import type { CreateLine, HolderOf, ServerCredentials } from '../../../package/stack.ts';
import { boundedConnections, tlsOptions } from '../../../package/stack.ts';
import type { Databases } from './database.ts';
import { databases } from './database.ts';
import { isMysqlError, MysqlError } from './error.ts';
import type { Exposure } from './exposure.ts';
import { readExposure } from './exposure.ts';
import type { Grants } from './grant.ts';
import { grants } from './grant.ts';
import { readIdentity, writeIdentity } from './mark.ts';
import type { MissingPrivileges } from './privilege.ts';
import { explained, missingPrivileges } from './privilege.ts';
import type { ServerFacts } from './server-facts.ts';
import type { OpenSession, SessionOptions, UseSession } from './session.ts';
import { openSession } from './session.ts';
import type { TryLogin, Users } from './user.ts';
import { users } from './user.ts';

export interface MysqlServerOptions {
  readonly credentials: ServerCredentials;
  /** Open connections at most, besides one that waits for locks; default 2. */
  readonly maxConnections?: number;
  /** The order of the callers that wait for a connection. Default: first come, first served. */
  readonly createLine?: CreateLine;
  /** How long an idle connection stays open; default 10 s. */
  readonly idleMs?: number;
  /** Default 60 s. */
  readonly statementTimeoutMs?: number;
  /** How long a statement may wait for the lock of another session; default 2 s. The server counts in seconds. */
  readonly lockTimeoutMs?: number;
  /** Default 10 s. */
  readonly connectTimeoutMs?: number;
  /** How long calls together retry while the server has no free connection; default 3 s. */
  readonly connectionWaitMs?: number;
  readonly clock: Pick<ClientClock, 'sleep'>;
  /** Uniform in [0, 1): spreads retries. */
  readonly random: () => number;
  /** Called before each statement. If it throws, the call ends. Default: it never throws. */
  readonly mayGoOn?: () => void;
  /** Finds the resource whose mark a database or user has. Default: none is that of a claim. */
  readonly holderOf?: HolderOf;
  /** Whether every statement that changes something is refused; default false. */
  readonly isReadOnly?: boolean;
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

/**
 * Connects on first use. Keeps at most `maxConnections` open, so one server object per provider suffices.
 *
 * Work that meets a held lock leaves its shared connection. It is repeated from its start on a connection of its own, which
 * waits for locks. There is one such connection. While it is in use, the call fails with `Locked`, which is retryable.
 */
export function createMysqlServer(options: MysqlServerOptions): MysqlServer {
  const { credentials, clock, random, holderOf = administratorHolder, isReadOnly = false } = options;
  const address = `${credentials.endpoint}:${credentials.port}`;
  const lockTimeoutMs = options.lockTimeoutMs ?? 2_000;
  const sessionOptions: SessionOptions = {
    credentials,
    statementTimeoutMs: options.statementTimeoutMs ?? 60_000,
    lockTimeoutMs,
    tenantLockTimeoutMs: 0,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    connectionWaitMs: options.connectionWaitMs ?? 3_000,
    isReadOnly,
    context: {
      server: address,
      username: credentials.username,
      hasTls: tlsOptions(credentials) !== false,
      secrets: [credentials.password],
    },
    peer: {},
    mayGoOn: options.mayGoOn ?? (() => {}),
    clock,
    random,
  };
  const place = 'the server';
  const connections = boundedConnections({
    max: Math.max(1, options.maxConnections ?? 2),
    idleDatabase: place,
    idleMs: options.idleMs ?? 10_000,
    clock,
    closed,
    open: (_place, signal) => openSession(signal, sessionOptions),
    ...(options.createLine && { createLine: options.createLine }),
  });
  const waiting = boundedConnections({
    max: 1,
    idleDatabase: '', // no connection stays open
    idleMs: 0,
    clock,
    closed,
    open: (_place, signal) => openSession(signal, { ...sessionOptions, tenantLockTimeoutMs: lockTimeoutMs }),
  });
  let lastFacts: ServerFacts | undefined;
  let isOneWaiting = false;
  /** Repeats work that met a held lock, unless other work waits for a lock already. */
  const repeated = async <T>(error: unknown, repeat: () => Promise<T>): Promise<T> => {
    if (!isMysqlError(error, 'Locked') || isOneWaiting) throw error;
    isOneWaiting = true;
    try {
      return await repeat();
    } finally {
      isOneWaiting = false;
    }
  };

  function serverOf(group: string): MysqlServer {
    const withSession: UseSession = async (signal, body) => {
      const run = async (session: OpenSession) => {
        await session.begin(signal);
        lastFacts = session.facts;
        try {
          return await body(session);
        } catch (error) {
          if (error instanceof MysqlError && error.code === 'Forbidden')
            throw await explained(session, error);
          throw error;
        }
      };
      try {
        return await connections.use(place, signal, run, group);
      } catch (error) {
        return repeated(error, () => waiting.use(place, signal, run));
      }
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
          return digest === undefined ? `MariaDB server ${address}` : `MariaDB system ${digest}`;
        }),
      missingPrivileges: (signal) => withSession(signal, missingPrivileges),
      databases: databases(withSession),
      users: users({ withSession, tryLogin }),
      grants: grants(withSession, holderOf),
      exposure: (signal) => withSession(signal, readExposure),
      usedBy: serverOf,
      async close() {
        await connections.close();
        await waiting.close();
      },
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
        context: { ...sessionOptions.context, username, secrets: [password, credentials.password] },
      });
      await session.close();
      return undefined;
    } catch (error) {
      return error;
    }
  }
}
