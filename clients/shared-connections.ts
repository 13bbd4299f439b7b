import type { CreateLine, PooledConnection } from './bounded-connections.ts';
import { boundedConnections } from './bounded-connections.ts';
import type { Clock } from './clock.ts';
import type { ServerCredentials } from './server-credentials.ts';
import { tlsOptions } from './server-credentials.ts';

/** The options of the client of a server that many teams share. */
export interface ServerOptions<C> {
  readonly credentials: C;
  /** Open connections at most, besides one that waits for locks; default 2. */
  readonly maxConnections?: number;
  /** The order of the callers that wait for a connection. Default: first come, first served. */
  readonly createLine?: CreateLine;
  /** How long an idle connection stays open; default 10 s. */
  readonly idleMs?: number;
  /** Default 60 s. */
  readonly statementTimeoutMs?: number;
  /** How long a statement on the connection for waits may wait for the lock of another session; default 2 s. */
  readonly lockTimeoutMs?: number;
  /** Default 10 s. */
  readonly connectTimeoutMs?: number;
  /** How long calls together retry while the server has no free connection; default 3 s. */
  readonly connectionWaitMs?: number;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Uniform in [0, 1): spreads retries. */
  readonly random: () => number;
  /** Called before each statement. If it throws, the call ends, and nothing of it stays. Default: it never throws. */
  readonly mayGoOn?: () => void;
  /** Whether every statement that changes something is refused; default false. */
  readonly isReadOnly?: boolean;
}

/** The options of each session, with their defaults. `context`: the server that an error is about. */
export const sessionDefaults = <C extends ServerCredentials>({
  credentials,
  statementTimeoutMs = 60_000,
  lockTimeoutMs = 2_000,
  connectTimeoutMs = 10_000,
  connectionWaitMs = 3_000,
  isReadOnly = false,
  mayGoOn = () => {},
  clock,
  random,
}: ServerOptions<C>) => ({
  credentials,
  statementTimeoutMs,
  lockTimeoutMs,
  connectTimeoutMs,
  connectionWaitMs,
  isReadOnly,
  mayGoOn,
  clock,
  random,
  peer: {},
  context: {
    server: `${credentials.endpoint}:${credentials.port}`,
    username: credentials.username,
    hasTls: tlsOptions(credentials) !== false,
    secrets: [credentials.password],
  },
});

export interface SharedConnectionsOptions<C extends PooledConnection>
  extends Pick<ServerOptions<unknown>, 'maxConnections' | 'createLine' | 'idleMs' | 'clock'> {
  /** Connections to it stay open for `idleMs`. */
  readonly idleDatabase: string;
  /** `mayWait`: a statement may wait for the lock of a tenant, who may hold it for ever. */
  readonly open: (
    database: string,
    signal: AbortSignal | undefined,
    options: { readonly mayWait: boolean },
  ) => Promise<C>;
  /** Whether another session holds a needed lock. */
  readonly isLocked: (error: unknown) => boolean;
  /** The error of calls after `close`. */
  readonly closed: () => Error;
}

/** The connections to a server that many teams share. Each call may be in a group, such as a namespace; see `createLine`. */
export interface SharedConnections<C extends PooledConnection> {
  /** Runs `body` with a connection to `database`, perhaps twice. */
  use<T>(
    database: string,
    signal: AbortSignal | undefined,
    body: (connection: C) => Promise<T>,
    group: string,
  ): Promise<T>;
  /** Runs `body`, which opens and closes a connection itself. */
  usePlace<T>(signal: AbortSignal | undefined, body: () => Promise<T>, group: string): Promise<T>;
  /** Refuses new work, waits for running work, closes all connections. */
  close(): Promise<void>;
}

/**
 * Work that meets a held lock leaves its shared connection: all tenants share these. It is repeated from its start on a
 * connection of its own, which waits for locks. There is one such connection. While it is in use, the call fails.
 */
export function sharedConnections<C extends PooledConnection>({
  maxConnections = 2,
  createLine,
  idleMs = 10_000,
  idleDatabase,
  open,
  isLocked,
  clock,
  closed,
}: SharedConnectionsOptions<C>): SharedConnections<C> {
  const connections = boundedConnections({
    max: Math.max(1, maxConnections),
    idleDatabase,
    idleMs,
    clock,
    closed,
    open: (database, signal) => open(database, signal, { mayWait: false }),
    ...(createLine && { createLine }),
  });
  const waiting = boundedConnections({
    max: 1,
    idleDatabase: '',
    idleMs: 0, // no connection stays open
    clock,
    closed,
    open: (database, signal) => open(database, signal, { mayWait: true }),
  });
  let isOneWaiting = false;
  return {
    async use(database, signal, body, group) {
      try {
        return await connections.use(database, signal, body, group);
      } catch (error) {
        if (!isLocked(error) || isOneWaiting) throw error;
      }
      isOneWaiting = true;
      try {
        return await waiting.use(database, signal, body);
      } finally {
        isOneWaiting = false;
      }
    },
    usePlace: connections.usePlace,
    async close() {
      await connections.close();
      await waiting.close();
    },
  };
}
