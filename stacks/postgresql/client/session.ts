import type { Client, ClientConfig } from 'pg';
import type { ClientClock } from '../../../package/http.ts';
import { later } from '../../../package/http.ts';
import type { PooledConnection } from '../../../package/stack.ts';
import { tlsOptions } from '../../../package/stack.ts';
import type { Credentials } from './credentials.ts';
import type { ErrorContext } from './error.ts';
import {
  isConcurrentUpdate,
  isLimitOfOne,
  isMomentary,
  PostgresqlError,
  refusesStartup,
  routineOf,
  sqlStateOf,
  standbyMissing,
  standbyUsed,
  toPostgresqlError,
} from './error.ts';

/** One connection for the operations. Every error is a PostgresqlError, or the reason of an abort. */
export interface Session {
  readonly database: string;
  /** Major version of the server, such as 18. */
  readonly serverVersion: number;
  /** The system identifier from initdb, which replicas share. Undefined if we may not read it. */
  readonly systemIdentifier: string | undefined;
  /** The user of this session on the server. */
  readonly admin: { readonly name: string; readonly isSuperuser: boolean };
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /**
   * All statements of `body` or none. Repeated (5 times at most) if another session changed or created the same row of
   * a catalog, so `body` may run several times.
   */
  transaction<T>(body: () => Promise<T>): Promise<T>;
}

/** A session and its connection. `signal` is the signal of the call that uses the session now. */
export type OpenSession = Session & PooledConnection & { signal: AbortSignal | undefined };

/** A session on `database`; undefined: the maintenance database. */
export type UseSession = <T>(
  database: string | undefined,
  signal: AbortSignal | undefined,
  body: (session: Session) => Promise<T>,
) => Promise<T>;

export interface SessionOptions {
  readonly credentials: Credentials;
  readonly statementTimeoutMs: number;
  /** How long a COMMIT may wait, for example for a synchronous standby. The server has no timeout for it. */
  readonly commitTimeoutMs: number;
  /** How long a statement may wait for the lock of another session. */
  readonly lockTimeoutMs: number;
  /** Whether the server refuses every statement that changes something. */
  readonly isReadOnly?: boolean;
  /** Major version, once it is known. Older servers do not know all settings. */
  readonly serverVersion?: number;
  readonly connectTimeoutMs: number;
  /** How long sessions together retry while the server has no free connection or is starting. */
  readonly connectionWaitMs: number;
  readonly context: ErrorContext;
  readonly createClient: CreateClient;
  /** Facts of the server that its next sessions use. */
  readonly peer: Peer;
  /** Called before each statement; see `ServerOptions`. */
  readonly mayGoOn: () => void;
  /** Uniform in [0, 1): spreads retries. */
  readonly random: () => number;
  readonly clock: Pick<ClientClock, 'sleep'>;
}

/** A driver's client. */
interface SessionClient extends Client {
  /**
   * Asks the server to cancel the statement under way, over a connection of its own. Never throws. Returns a
   * function that gives up.
   */
  cancelStatement?(): () => void;
}

export type CreateClient = (config: ClientConfig) => SessionClient;

/** The server, or the pooler before it. */
interface Peer {
  /** It takes no settings when a session begins. */
  refusesOptions?: boolean;
  /** How long sessions have waited for a free connection since the last one began. */
  waitedMs?: number;
}

/**
 * A session on `database`. Waits for a connection, until sessions have waited for `connectionWaitMs` together: a server
 * that stays full is reported soon, to each caller.
 */
export async function openSession(
  database: string,
  signal: AbortSignal | undefined,
  options: SessionOptions,
): Promise<OpenSession> {
  const { connectionWaitMs, context, random, clock, peer } = options;
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 1000)) {
    const client = options.createClient(clientConfig(database, options));
    try {
      const session = await connect(client, database, signal, options);
      peer.waitedMs = 0;
      return session;
    } catch (error) {
      const mayPass = isMomentary(error) && !isLimitOfOne(error);
      if (signal?.aborted) throw signal.reason;
      if (refusesStartup(error) && !peer.refusesOptions) {
        peer.refusesOptions = true; // as PgBouncer does
        continue;
      }
      const isLate = (peer.waitedMs ?? 0) >= connectionWaitMs;
      if (!mayPass || isLate) throw toPostgresqlError(error, { ...context, database });
    }
    const ms = pauseMs * (0.5 + random());
    await clock.sleep(ms, signal);
    peer.waitedMs = (peer.waitedMs ?? 0) + ms;
  }
}

/**
 * All settings are given here. PG… variables of the environment and settings of a role or a database have no effect. A
 * tenant owns its database, and `ALTER DATABASE … SET` would otherwise affect our sessions there.
 *
 * The settings are sent twice: as options of the connection, so that they hold from its beginning, and with the first
 * statement, because a pooler may refuse or ignore the options.
 */
function clientConfig(database: string, options: SessionOptions): ClientConfig {
  const { credentials, statementTimeoutMs, connectTimeoutMs, peer } = options;
  return {
    host: credentials.endpoint,
    port: credentials.port,
    user: credentials.username,
    password: credentials.password,
    database,
    ssl: tlsOptions(credentials),
    application_name: 'services-stack',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs + 5000, // for a server that does not answer at all
    keepAlive: true,
    ...(!peer.refusesOptions && {
      options: Object.entries(settings(options))
        .map(([name, value]) => `-c ${name}=${value.replace(/[\\ ]/g, '\\$&')}`)
        .join(' '),
    }),
  };
}

/** The settings as statements. `SET` resolves no name to an object of a tenant. */
const setStatements = (options: SessionOptions): string =>
  Object.entries(settings(options))
    .map(([name, value]) => `SET ${name} TO ${name === 'role' ? value : `'${value}'`}; `)
    .join('');

function settings(options: SessionOptions): Readonly<Record<string, string>> {
  const { lockTimeoutMs, statementTimeoutMs, serverVersion = 0, isReadOnly = false } = options;
  return {
    // A tenant owns schema public of its database. None of our statements may resolve a name to a tenant's object
    // there.
    search_path: 'pg_catalog',
    standard_conforming_strings: 'on',
    role: 'none',
    local_preload_libraries: '',
    default_transaction_read_only: isReadOnly ? 'on' : 'off',
    default_transaction_isolation: 'read committed',
    default_transaction_deferrable: 'off',
    default_tablespace: '',
    row_security: 'on',
    exit_on_error: 'off',
    lock_timeout: String(lockTimeoutMs),
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: '60000',
    ...(serverVersion >= 14 && { idle_session_timeout: '0' }),
    ...(serverVersion >= 17 && { transaction_timeout: '0', restrict_nonsystem_relation_kind: '' }),
  };
}

/** How long the server may take to answer after it was asked to cancel a statement. */
const cancelGraceMs = 2_000;

async function connect(
  client: SessionClient,
  database: string,
  signal: AbortSignal | undefined,
  options: SessionOptions,
): Promise<OpenSession> {
  const { clock, context, random, mayGoOn } = options;
  let isBroken = false;
  /** The server committed, and no synchronous standby has confirmed it. */
  let isUnconfirmed = false;
  client.on('error', () => {
    isBroken = true;
  });
  client.on('end', () => {
    isBroken = true;
  });
  client.on('notice', (notice) => {
    if (routineOf(notice) === 'SyncRepWaitForLSN') isUnconfirmed = true;
  });
  const destroy = () => {
    isBroken = true;
    client.connection.stream.destroy();
  };
  const close = async (): Promise<void> => {
    isBroken = true;
    const callOff = later(clock, 1000, destroy);
    await client.end().catch(() => {});
    callOff();
  };

  let current = signal;
  /**
   * An abort, or the limit, ends what is under way. The server is first asked to cancel the statement: it does not notice a
   * lost connection while a statement waits, so the session would stay there, with its locks.
   */
  const interruptible = async <T>(run: () => Promise<T>, limitMs?: number): Promise<T> => {
    const during = current;
    during?.throwIfAborted();
    let callOff = () => {};
    const interrupt = () => {
      callOff();
      if (limitMs === undefined || client.cancelStatement === undefined) return destroy();
      const giveUp = client.cancelStatement();
      const endGrace = later(clock, cancelGraceMs, () => {
        giveUp();
        destroy();
      });
      callOff = () => {
        endGrace();
        giveUp(); // the address for cancel requests may not answer
      };
    };
    if (limitMs !== undefined && client.cancelStatement !== undefined)
      callOff = later(clock, limitMs, interrupt);
    during?.addEventListener('abort', interrupt, { once: true });
    const [outcome] = await Promise.allSettled([run()]);
    callOff();
    during?.removeEventListener('abort', interrupt);
    if (during?.aborted) {
      destroy();
      throw during.reason;
    }
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  };
  const query = async <Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> => {
    try {
      isUnconfirmed = false;
      const limitMs = sql === 'COMMIT' ? options.commitTimeoutMs : options.statementTimeoutMs + 1000;
      const result = await interruptible(async () => {
        try {
          mayGoOn();
        } catch (error) {
          const { message } = error as Error;
          throw new PostgresqlError(message, { code: 'Halted', isRetryable: true, cause: error });
        }
        return client.query<Row>(sql, values && [...values]);
      }, limitMs);
      if (isUnconfirmed) throw standbyMissing(context.server);
      // Several statements have several results, of which the last counts.
      return ([result].flat().at(-1) ?? result).rows;
    } catch (error) {
      // Without an answer the state of the connection is unknown.
      if (sqlStateOf(error) === undefined && !isUnconfirmed) destroy();
      throw error;
    }
  };
  const mapped = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      if (current?.aborted && error === current.reason) throw error;
      throw toPostgresqlError(error, { ...context, isLoggedIn: true });
    }
  };

  try {
    await interruptible(() => client.connect());
    const readFacts = (system: string) =>
      query<{ version: number; name: string; superuser: boolean; standby: boolean; system: string | null }>(
        `${setStatements(options)}SELECT current_setting('server_version_num')::int / 10000 AS version,
                rolname AS name, rolsuper AS superuser, pg_is_in_recovery() AS standby, ${system} AS system
         FROM pg_roles WHERE rolname = current_user`,
      );
    const [facts] = await readFacts('(SELECT system_identifier::text FROM pg_control_system())').catch(
      (error: unknown) => {
        if (sqlStateOf(error) === '42501') return readFacts('NULL'); // insufficient privilege
        throw error;
      },
    );
    if (facts === undefined) {
      throw new PostgresqlError('the server does not know its own user', { code: 'Invalid' });
    }
    // guard: otherwise what a standby does not have yet counts as lost, or as deleted
    if (facts.standby && options.isReadOnly !== true) throw standbyUsed(context.server);
    let isInTransaction = false;
    const session = {
      database,
      serverVersion: facts.version,
      systemIdentifier: facts.system ?? undefined,
      admin: { name: facts.name, isSuperuser: facts.superuser },
      query: <Row extends object>(sql: string, values?: readonly unknown[]) =>
        // `transaction` needs the raw error, and maps it.
        isInTransaction ? query<Row>(sql, values) : mapped(() => query<Row>(sql, values)),
      transaction: <T>(body: () => Promise<T>): Promise<T> =>
        mapped(async () => {
          for (let attempt = 1; ; attempt++) {
            isInTransaction = true;
            try {
              await query('BEGIN');
              const result = await body();
              await query('COMMIT');
              return result;
            } catch (error) {
              if (!isBroken) await query('ROLLBACK').catch(destroy);
              // 23505: another session created an object of that name during this time; our statements write to
              // catalogs only.
              const isTransient = isConcurrentUpdate(error) || /^40|^23505$/.test(sqlStateOf(error) ?? '');
              if (!isTransient || attempt === 5) throw error;
            } finally {
              isInTransaction = false;
            }
            await clock.sleep(20 * attempt * (0.5 + random()), current);
          }
        }),
      isUsable: () => !isBroken,
      close,
      get signal() {
        return current;
      },
      set signal(next: AbortSignal | undefined) {
        current = next;
      },
    };
    return session;
  } catch (error) {
    await close();
    throw error;
  }
}
