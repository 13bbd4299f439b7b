import type { Connection, QueryError } from 'mysql2';
import type { ClientClock } from '../../../package/http.ts';
import { later } from '../../../package/http.ts';
import type { PooledConnection, ServerCredentials } from '../../../package/stack.ts';
import { tlsOptions } from '../../../package/stack.ts';
import { breakOff, openConnection } from './driver.ts';
import type { ErrorContext } from './error.ts';
import { errnoOf, isMysqlError, MysqlError, toMysqlError, unreachableBy } from './error.ts';
import type { ServerFacts, ServerState } from './server-facts.ts';
import { factsOf, factsQuery, mariadbVersion } from './server-facts.ts';

type Value = string | number;

/** One connection for the operations. Every error is a MysqlError, or the reason of an abort. */
export interface Session {
  readonly facts: ServerFacts;
  /** The account of this session on the server, such as `admin@%`. */
  readonly account: string;
  /** Reads. A `?` stands for a value, in order. */
  query<Row extends object>(sql: string, values?: readonly Value[]): Promise<readonly Row[]>;
  /** Changes something. `secret`: what no message may contain. */
  run(sql: string, options?: { readonly values?: readonly Value[]; readonly secret?: string }): Promise<void>;
  /**
   * The same for a statement that waits for the locks of tenants. On a shared connection it does not wait at all: a
   * tenant may hold a lock for ever, and all tenants share these connections.
   */
  runAmongTenants(sql: string): Promise<void>;
  /** Reads what a tenant may have locked; see `runAmongTenants`. */
  queryAmongTenants<Row extends object>(sql: string, values?: readonly Value[]): Promise<readonly Row[]>;
}

/** A session and its connection. */
export type OpenSession = Session &
  PooledConnection & {
    /** Begins a use: asks for the facts again. `signal` is that of the call that uses the session now. */
    begin(signal: AbortSignal | undefined): Promise<void>;
  };

/** Runs `body` with a session. */
export type UseSession = <T>(
  signal: AbortSignal | undefined,
  body: (session: Session) => Promise<T>,
) => Promise<T>;

export interface SessionOptions {
  readonly credentials: ServerCredentials;
  readonly statementTimeoutMs: number;
  /** How long a statement waits for the lock of another session. */
  readonly lockTimeoutMs: number;
  /** The same for locks that a tenant may hold for ever. */
  readonly tenantLockTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** How long sessions together retry while the server has no free connection. */
  readonly connectionWaitMs: number;
  /** Whether every statement that changes something is refused. */
  readonly isReadOnly: boolean;
  readonly context: ErrorContext;
  /** Facts of the server that its next sessions use. */
  readonly peer: { waitedMs?: number };
  /** Called before each statement; see `MysqlServerOptions`. */
  readonly mayGoOn: () => void;
  /** Uniform in [0, 1): spreads retries. */
  readonly random: () => number;
  readonly clock: Pick<ClientClock, 'sleep'>;
}

/**
 * Opens a session. Waits for a connection, until sessions have waited for `connectionWaitMs` together: a server that stays
 * full is reported soon, to each caller.
 */
export async function openSession(
  signal: AbortSignal | undefined,
  options: SessionOptions,
): Promise<OpenSession> {
  const { connectionWaitMs, random, clock, peer } = options;
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 1000)) {
    try {
      const session = await connect(signal, options);
      peer.waitedMs = 0;
      return session;
    } catch (error) {
      const mayPass = errnoOf(error) === 1040; // too many connections
      if (signal?.aborted) throw signal.reason;
      if (!mayPass || (peer.waitedMs ?? 0) >= connectionWaitMs) throw error;
    }
    const ms = pauseMs * (0.5 + random());
    await clock.sleep(ms, signal);
    peer.waitedMs = (peer.waitedMs ?? 0) + ms;
  }
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/**
 * All that a server, or its administrator, could have set otherwise, and that changes the meaning of our statements. With
 * `NO_AUTO_CREATE_USER` a GRANT creates no user without a password.
 */
const settings = ({ lockTimeoutMs, statementTimeoutMs, isReadOnly }: SessionOptions): string =>
  [
    `sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION'`,
    ...['character_set_client = utf8mb4', 'character_set_results = utf8mb4'],
    'collation_connection = utf8mb4_general_ci',
    ...['autocommit = 1', 'sql_select_limit = DEFAULT', 'sql_safe_updates = 0'],
    `lock_wait_timeout = ${seconds(lockTimeoutMs)}`,
    `innodb_lock_wait_timeout = ${Math.max(1, seconds(lockTimeoutMs))}`,
    `max_statement_time = ${statementTimeoutMs / 1000}`,
    `tx_read_only = ${isReadOnly ? 1 : 0}`,
  ].join(', ');

async function connect(signal: AbortSignal | undefined, options: SessionOptions): Promise<OpenSession> {
  const { credentials, context, clock, statementTimeoutMs, tenantLockTimeoutMs, mayGoOn } = options;
  signal?.throwIfAborted();
  const connection = await openConnection(
    {
      host: credentials.endpoint,
      port: credentials.port,
      user: credentials.username,
      password: credentials.password,
      connectTimeout: options.connectTimeoutMs,
      charset: 'utf8mb4_general_ci',
      connectAttributes: { program_name: 'services-stack' },
      flags: ['-LOCAL_FILES'], // the server may not ask for files of this machine
      disableEval: true,
      supportBigNumbers: true,
    },
    tlsOptions(credentials),
  );
  let isBroken = false;
  let isLoggedIn = false;
  /** It may lack privileges that an administrator has given since. */
  let isOutdated = false;
  let current = signal;
  const destroy = () => {
    isBroken = true;
    breakOff(connection);
  };
  connection.on('error', () => {
    isBroken = true;
  });
  connection.on('end', () => {
    isBroken = true;
  });
  /**
   * An abort, or the limit, ends the connection. The server does not notice it while a statement waits for a lock, but
   * each wait has an end there, too.
   */
  const interruptible = async <T>(act: () => Promise<T>, limitMs: number): Promise<T> => {
    const during = current;
    during?.throwIfAborted();
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(during?.reason);
    const callOff = later(clock, limitMs, () => reject(unreachableBy(context.server, 'timed out')));
    during?.addEventListener('abort', onAbort, { once: true });
    const acting = act();
    acting.catch(() => {}); // after an abort no caller waits for it
    try {
      return await Promise.race([acting, promise]);
    } catch (error) {
      if (errnoOf(error) === undefined || during?.aborted) destroy();
      throw during?.aborted ? during.reason : error;
    } finally {
      callOff();
      during?.removeEventListener('abort', onAbort);
    }
  };
  const send = async <Row extends object>(
    sql: string,
    values: readonly Value[] = [],
    secret?: string,
  ): Promise<readonly Row[]> => {
    try {
      return await interruptible(async () => {
        try {
          mayGoOn();
        } catch (error) {
          throw new MysqlError((error as Error).message, { code: 'Halted', cause: error });
        }
        return answer<Row>(connection, sql, values);
      }, statementTimeoutMs + 5000);
    } catch (error) {
      if (current?.aborted && error === current.reason) throw error;
      const secrets = secret === undefined ? context.secrets : [...context.secrets, secret];
      const translated = toMysqlError(error, { ...context, secrets, isLoggedIn });
      // The server reads the privileges of `*.*` when a session begins.
      if (isMysqlError(translated, 'Forbidden')) isOutdated = true;
      throw translated;
    }
  };
  const close = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const callOff = later(clock, 1000, resolve);
    if (isBroken) resolve();
    else connection.end(() => resolve());
    await promise;
    callOff();
    destroy();
  };
  const amongTenants = (sql: string) =>
    `SET STATEMENT lock_wait_timeout = ${seconds(tenantLockTimeoutMs)} FOR ${sql}`;
  const query = <Row extends object>(sql: string, values?: readonly Value[]) => send<Row>(sql, values);
  const run: Session['run'] = async (sql, { values, secret } = {}) => {
    await send(sql, values, secret);
  };

  try {
    await interruptible(() => greeted(connection), options.connectTimeoutMs + 1000).catch((error) => {
      if (current?.aborted && error === current.reason) throw error;
      throw toMysqlError(error, context);
    });
    isLoggedIn = true;
    const [first] = await query<{ version: string }>('SELECT VERSION() AS version');
    mariadbVersion(context.server, first?.version ?? '');
    await run(`SET SESSION ${settings(options)}`);
    let state = await readFacts();
    return {
      get facts() {
        return state.facts;
      },
      get account() {
        return state.account;
      },
      query,
      run,
      queryAmongTenants: (sql, values) => query(amongTenants(sql), values),
      runAmongTenants: (sql) => run(amongTenants(sql)),
      async begin(next) {
        current = next;
        state = await readFacts();
      },
      isUsable: () => !(isBroken || isOutdated),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }

  async function readFacts() {
    const [state] = await query<ServerState>(factsQuery);
    if (state === undefined) throw unreachableBy(context.server, 'it does not know itself');
    const { account } = state;
    return {
      facts: factsOf(context.server, state, { mayBeReplica: options.isReadOnly }),
      account,
    };
  }
}

/** The driver puts the values into the text: prepared statements have a limit that tenants share. */
const answer = <Row extends object>(
  connection: Connection,
  sql: string,
  values: readonly Value[],
): Promise<readonly Row[]> =>
  new Promise((resolve, reject) => {
    connection.query(sql, [...values], (error: QueryError | null, rows: unknown) => {
      if (error !== null) reject(error);
      else resolve(Array.isArray(rows) ? (rows as readonly Row[]) : []);
    });
  });

const greeted = (connection: Connection): Promise<void> =>
  new Promise((resolve, reject) => {
    connection.connect((error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
