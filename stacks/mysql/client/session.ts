import type { ClientClock } from '../../../package/http.ts';
import type { PooledConnection, ServerCredentials } from '../../../package/stack.ts';
import { tlsOptions } from '../../../package/stack.ts';
import { openConnection } from './driver.ts';
import { ed25519Plugin } from './ed25519.ts';
import type { ErrorContext } from './error.ts';
import { errnoOf, MysqlError, unreachableBy } from './error.ts';
import type { Link, Value } from './link.ts';
import { linkOn } from './link.ts';
import type { ServerFacts, ServerState } from './server-facts.ts';
import { factsOf, factsQuery, mariadbVersion } from './server-facts.ts';

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
   * tenant may hold a lock for ever, and all tenants share these connections. A statement that takes long, such as a
   * DROP DATABASE with many tables, continues without its connection, and the call throws `TimedOut`.
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
  /** How long a statement keeps the connection if a tenant decides how long it takes, such as DROP DATABASE. */
  readonly tenantTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** How long sessions together retry while the server has no free connection. */
  readonly connectionWaitMs: number;
  /** Whether every statement that changes something is refused. */
  readonly isReadOnly: boolean;
  readonly context: ErrorContext;
  /** Facts of the server that its next sessions use. */
  readonly peer: { waitedMs?: number };
  /** Called before each statement; see `ServerOptions`. */
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
  const { credentials, context } = options;
  signal?.throwIfAborted();
  const connection = await openConnection(
    {
      host: credentials.endpoint,
      port: credentials.port,
      user: credentials.username,
      password: credentials.password,
      connectTimeout: options.connectTimeoutMs,
      charset: 'utf8mb4_general_ci',
      authPlugins: ed25519Plugin(credentials.password),
      connectAttributes: { program_name: 'services-stack' },
      flags: ['-LOCAL_FILES'], // the server may not ask for files of this machine
      disableEval: true,
      supportBigNumbers: true,
    },
    tlsOptions(credentials),
  );
  const link = linkOn(connection, options);
  link.useBy(signal);
  try {
    await link.logIn();
    const [first] = await link.send<{ version: string }>('SELECT VERSION() AS version');
    mariadbVersion(context.server, first?.version ?? '');
    await link.send(`SET SESSION ${settings(options)}`);
    return sessionOn(link, await readState(link, options), options);
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** The facts of the server, and the account of the session there. */
async function readState(link: Link, { context, isReadOnly }: SessionOptions) {
  const [state] = await link.send<ServerState>(factsQuery);
  if (state === undefined) throw unreachableBy(context.server, 'it does not know itself');
  const { account } = state;
  return { account, facts: factsOf(context.server, state, { mayBeReplica: isReadOnly }) };
}

function sessionOn(
  link: Link,
  first: Awaited<ReturnType<typeof readState>>,
  options: SessionOptions,
): OpenSession {
  let state = first;
  const query = <Row extends object>(sql: string, values?: readonly Value[]) =>
    link.send<Row>(sql, { values });
  const run: Session['run'] = async (sql, { values, secret } = {}) => {
    await link.send(sql, { values, secret });
  };
  const amongTenants = (sql: string) => {
    const wait = seconds(options.tenantLockTimeoutMs);
    return `SET STATEMENT lock_wait_timeout = ${wait}, innodb_lock_wait_timeout = ${wait} FOR ${sql}`;
  };
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
    async runAmongTenants(sql) {
      const message = `server ${options.context.server} took too long, and goes on with the statement`;
      const late = new MysqlError(message, { code: 'TimedOut' });
      await link.send(amongTenants(sql), { limit: { ms: options.tenantTimeoutMs, late } });
    },
    async begin(signal) {
      link.useBy(signal);
      state = await readState(link, options);
    },
    isUsable: link.isUsable,
    close: link.close,
  };
}
