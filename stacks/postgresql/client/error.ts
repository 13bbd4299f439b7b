import { escapeIdentifier } from 'pg';
import { tlsFailure, withoutSecrets } from '../../../package/http.ts';
import type { ExternalErrorClass, ServerErrorOptions } from '../../../package/stack.ts';
import { clientAdvice, codeOf, escaped, networkReason, ServerError } from '../../../package/stack.ts';
import { advice } from '../advice.ts';

/** Any failure of a call of PostgreSQL. `message` is stable and without secrets, so a condition may show it. */
export class PostgresqlError extends ServerError<PostgresqlErrorCode> {
  override readonly name = 'PostgresqlError';
  /** The server's own code, where `code` is another. */
  readonly sqlState: string | undefined;

  constructor(
    message: string,
    options: Omit<ServerErrorOptions<PostgresqlErrorCode>, 'errorClass'> & { readonly sqlState?: string },
  ) {
    super(message, { ...options, errorClass: classOf(options.code) });
    this.sqlState = options.sqlState;
  }
}

/**
 * A SQLSTATE (`42501`, …) or:
 * - `Unreachable`: no answer, connection lost, server starting or stopping.
 * - `TlsFailed`: the server has no TLS, or its certificate is not trusted.
 * - `AuthenticationFailed`: user name or password refused.
 * - `LoginRefused`: the server's rules keep this user out, whatever the password.
 * - `StandbyMissing`: the change was committed, and no synchronous standby confirmed it in time.
 * - `Exhausted`: a pooler has no connection left.
 * - `Invalid`: the request cannot be carried out as it is written.
 * - `NotFound`: a database or role that the request names does not exist (yet).
 * - `NotOurs`: a database or role exists and does not carry the caller's mark.
 * - `InUse`: open sessions or dependent objects block a deletion or a copy.
 * - `Held`: a prepared transaction or a subscription prevents the drop of a database. An administrator must end it.
 * - `Closed`: the client was closed.
 * - `Halted`: `mayGoOn` threw; nothing was sent, and the open transaction is rolled back. `cause` is the reason.
 */
export type PostgresqlErrorCode =
  | 'Unreachable'
  | 'TlsFailed'
  | 'AuthenticationFailed'
  | 'LoginRefused'
  | 'StandbyMissing'
  | 'Exhausted'
  | 'Invalid'
  | 'NotFound'
  | 'NotOurs'
  | 'InUse'
  | 'Held'
  | 'Closed'
  | 'Halted'
  | (string & {});

/**
 * The classes of our own codes, of SQLSTATEs, and of the classes of SQLSTATEs, which are their first two characters.
 */
const classes: Readonly<Record<string, ExternalErrorClass>> = {
  Unreachable: 'Unreachable',
  TlsFailed: 'TlsFailed',
  AuthenticationFailed: 'CredentialsRefused',
  LoginRefused: 'LoginRefused',
  StandbyMissing: 'NotReady',
  Exhausted: 'Exhausted',
  Invalid: 'Invalid',
  NotFound: 'NotReady',
  NotOurs: 'Conflict',
  InUse: 'NotReady',
  Held: 'NotReady',
  '0A': 'Invalid', // feature not supported
  '22': 'Invalid', // data exception
  '23': 'Invalid', // integrity constraint violation
  23505: 'Conflict', // unique violation
  25006: 'ReadOnly', // read-only transaction: a standby
  40: 'NotReady', // transaction rollback
  42: 'Invalid', // syntax error or access rule violation
  42501: 'Forbidden', // insufficient privilege
  42710: 'Conflict', // duplicate object
  '42P04': 'Conflict', // duplicate database
  '42P06': 'Conflict', // duplicate schema
  '42P07': 'Conflict', // duplicate table
  53: 'Exhausted', // insufficient resources: connections, disk, memory
  54: 'Invalid', // program limit exceeded
  55: 'NotReady', // object not in prerequisite state
  57: 'NotReady', // operator intervention
};

const classOf = (code: string): ExternalErrorClass => classes[code] ?? classes[code.slice(0, 2)] ?? 'Unknown';

export const isInUse = (error: unknown): boolean =>
  error instanceof PostgresqlError && error.code === 'InUse';

/** The SQLSTATE of an error of the server; undefined for all other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = codeOf(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && code !== 'EPIPE' ? code : undefined;
}

/** An error of the driver, and the server that it is about. */
export interface ErrorContext {
  /** `host:port`. */
  readonly server: string;
  readonly username: string;
  /** Secrets that no message may contain. */
  readonly secrets: readonly string[];
  /** The server has accepted the credentials. A refusal of a user or password is about those in the statement. */
  readonly isLoggedIn?: boolean;
  /** The connection has TLS. */
  readonly hasTls?: boolean;
  /** The database in which the provider works, while it connects there. */
  readonly maintenance?: string;
  /** The database of the session that was refused. */
  readonly database?: string;
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: connection, transaction rollback,
// insufficient resources, object in use, operator intervention
const retryableClasses = new Set(['08', '40', '53', '55', '57', '58']);
const serverGoing = new Set(['57P01', '57P02', '57P03', '57P05']);
/** The named object does not exist, but may be created soon. */
const notFound = new Set(['3D000', '42704', '3F000']);
const invalid = new Set(['22023', '42602', '42622', '42939', '0LP01']);

/**
 * A PostgresqlError for any error of the driver. The driver's error is not the `cause`, because it may contain the text
 * of a statement.
 */
export function toPostgresqlError(error: unknown, context: ErrorContext): PostgresqlError {
  if (error instanceof PostgresqlError) return error;
  const { server, username } = context;
  const text = scrub(error instanceof Error ? error.message : String(error), context.secrets);
  const sqlState = sqlStateOf(error);
  if (sqlState !== undefined) {
    const refusal = context.isLoggedIn ? undefined : loginRefusal(error, sqlState, text, context);
    if (refusal !== undefined) return refusal;
    // A refusal of a user or password is about those in the statement.
    if (sqlState.startsWith('28')) return new PostgresqlError(text, { code: 'Invalid', sqlState });
    if (sqlState === '08P01') return poolerError(text, context);
    if (sqlState.startsWith('08') || serverGoing.has(sqlState)) return unreachable(server, text);
    if (sqlState.startsWith('53')) return exhausted(error, sqlState, text, context);
    if (sqlState === '55P03') {
      const message = `server ${server}: another session holds a needed lock: ${text}`;
      return new PostgresqlError(message, { code: sqlState, isRetryable: true });
    }
    if (sqlState === '57014') {
      const message = `server ${server} took too long: ${text}`;
      return new PostgresqlError(message, { code: sqlState, isRetryable: true });
    }
    if (sqlState === '55006' || sqlState === '2BP01') {
      const detail = scrub(detailOf(error), context.secrets);
      return new PostgresqlError(detail ? `${text}: ${detail}` : text, { code: 'InUse', isRetryable: true });
    }
    if (sqlState === '42501') {
      const why = [text, scrub(detailOf(error), context.secrets)].filter((part) => part !== '').join(': ');
      const message = `${why} (server ${server}, user "${username}")`;
      return new PostgresqlError(message + connectRemedy(error, context), { code: sqlState });
    }
    if (notFound.has(sqlState))
      return new PostgresqlError(text, { code: 'NotFound', isRetryable: true, sqlState });
    if (invalid.has(sqlState)) return new PostgresqlError(text, { code: 'Invalid' });
    const isRetryable =
      retryableClasses.has(sqlState.slice(0, 2)) ||
      sqlState === '25006' || // a pooler leads to a standby: it may be promoted, or the pooler lead to the primary
      isConcurrentUpdate(error);
    return new PostgresqlError(text, { code: sqlState, isRetryable });
  }
  const remedies = { trust: clientAdvice.putClusterCA, rename: clientAdvice.correctEndpoint };
  const insecure = tlsFailure(codeOf(error), remedies) ?? (/SSL conn/.test(text) ? text : undefined);
  if (insecure !== undefined) {
    const message = /does not support SSL/.test(text)
      ? `server ${server} does not offer TLS; ${clientAdvice.disableTls}`
      : `TLS with server ${server} failed: ${insecure}`;
    return new PostgresqlError(message, { code: 'TlsFailed' });
  }
  if (/^SASL: SCRAM-SERVER-/.test(text)) {
    const message = `server ${server} did not prove that it knows user "${username}": ${text}`;
    return new PostgresqlError(message, { code: 'AuthenticationFailed' });
  }
  return unreachable(server, networkReason(error, text));
}

/** The server, or the rules before it, did not begin a session. Undefined: another reason. */
function loginRefusal(
  error: unknown,
  sqlState: string,
  text: string,
  { server, username, hasTls, maintenance }: ErrorContext,
): PostgresqlError | undefined {
  const refused = `server ${server} refused the credentials of user "${username}": ${text}`;
  if (sqlState === '28P01') {
    // The server does not tell a wrong password from one that has expired.
    const message = `${refused} (it is wrong, or its VALID UNTIL has passed)`;
    return new PostgresqlError(message, { code: 'AuthenticationFailed', sqlState });
  }
  if (sqlState.startsWith('28')) {
    const remedy =
      routineOf(error) === 'InitializeSessionUserId'
        ? advice.allowLogin(`ALTER ROLE ${escapeIdentifier(username)} LOGIN`)
        : `${advice.allowInHba}${hasTls === false ? `. ${clientAdvice.useTls}` : ''}`;
    const message = `server ${server} does not let user "${username}" in: ${text}; ${remedy}`;
    return new PostgresqlError(message, { code: 'LoginRefused', sqlState });
  }
  if (sqlState === '3D000' && maintenance !== undefined) {
    const message = `server ${server} has no database "${maintenance}", which the credentials name`;
    return new PostgresqlError(message, { code: 'AuthenticationFailed', sqlState });
  }
  return undefined;
}

/** The statement that lets a user connect; empty for another refusal. */
function connectRemedy(error: unknown, { database, username }: ErrorContext): string {
  if (database === undefined || routineOf(error) !== 'CheckMyDatabase') return '';
  const [place, user] = [database, username].map(escapeIdentifier);
  return `; ${advice.grantConnect(`GRANT CONNECT ON DATABASE ${place} TO ${user}`)}`;
}

function exhausted(
  error: unknown,
  sqlState: string,
  text: string,
  { server }: ErrorContext,
): PostgresqlError {
  const messages: Readonly<Record<string, string>> = {
    53100: `the disk of server ${server} is full: ${text}; ${clientAdvice.addSpace}`,
    53200: `server ${server} has no memory left: ${text}; ${clientAdvice.addMemory}`,
    53300: isLimitOfOne(error)
      ? `server ${server} refused a connection: ${text}; ${advice.raiseRoleLimit}`
      : `server ${server} has no connection left: ${text}; ${clientAdvice.freeConnections}`,
  };
  const message =
    messages[sqlState] ?? `server ${server} has reached a limit: ${text}; ${clientAdvice.addMemory}`;
  return new PostgresqlError(message, { code: sqlState, isRetryable: true });
}

/**
 * Poolers answer with `protocol violation` and have no codes of their own, so that only their texts tell the errors apart.
 * The texts of PgBouncer are not translated. Those of the server behind it, which it passes on without their codes, may be.
 */
const poolerErrors: readonly (readonly [text: RegExp, code: PostgresqlErrorCode])[] = [
  [/^permission denied for database/, '42501'],
  [/^too many connections for (?:role|database)/, '53300'],
  [/no more connections allowed|query_wait_timeout|too many/i, 'Exhausted'],
  [/login rejected|SSL required|not allowed|is disabled/i, 'LoginRefused'],
  [/no such user|auth(entication)? failed|password/i, 'AuthenticationFailed'],
  [/server|login_retry|query_timeout|shut/i, 'Unreachable'],
];

/** An error of the protocol: of a pooler, or of the server itself. It was reached. */
function poolerError(text: string, { server }: ErrorContext): PostgresqlError {
  const [, code = '08P01'] = poolerErrors.find(([pattern]) => pattern.test(text)) ?? [];
  const isRetryable = ['Exhausted', 'Unreachable', '08P01', '53300'].includes(code);
  const message = `server ${server}, or a pooler before it, answered: ${text}; ${advice.checkPooler}`;
  return new PostgresqlError(message, { code, isRetryable });
}

export const standbyUsed = (server: string): PostgresqlError =>
  new PostgresqlError(
    `server ${server} is a standby, so it changes nothing and its data may be old; ${clientAdvice.usePrimary}`,
    {
      code: '25006',
      isRetryable: true, // it may be promoted
    },
  );

/** The server committed, and waited for its synchronous standby until it was asked to stop. */
export const standbyMissing = (server: string): PostgresqlError =>
  new PostgresqlError(
    `server ${server} waits for a synchronous standby, which does not confirm changes; ${advice.restoreStandby}`,
    { code: 'StandbyMissing', isRetryable: true },
  );

/** Too many connections, or the server is starting: a retry may succeed. */
export const isMomentary = (error: unknown): boolean => ['53300', '57P03'].includes(sqlStateOf(error) ?? '');

/** The server, or a pooler before it, does not understand the beginning of our session. */
export const refusesStartup = (error: unknown): boolean => sqlStateOf(error) === '08P01';

/** The name of the server's own function that reported an error or a notice. Its text may be translated. */
export const routineOf = (error: unknown): string =>
  (error as { readonly routine?: string } | undefined)?.routine ?? '';

/**
 * Too many connections of one role or to one database, and not to the whole server. Decided by the name of the server's
 * own function, because its text may be translated. The owner of these connections may keep them for ever.
 */
export const isLimitOfOne = (error: unknown): boolean =>
  ['InitializeSessionUserId', 'CheckMyDatabase'].includes(routineOf(error));

/** Two sessions changed the same row of a catalog. The server has no SQLSTATE of its own for it. */
export const isConcurrentUpdate = (error: unknown): boolean =>
  sqlStateOf(error) === 'XX000' &&
  error instanceof Error &&
  /tuple concurrently (updated|deleted)/.test(error.message);

const unreachable = (server: string, reason: string): PostgresqlError =>
  new PostgresqlError(`server ${server} is unreachable: ${reason}`, {
    code: 'Unreachable',
    isRetryable: true,
  });

function detailOf(error: unknown): string {
  const detail = (error as { readonly detail?: unknown }).detail;
  return typeof detail === 'string' ? detail.replaceAll('\n', '; ') : '';
}

const scrub = (text: string, secrets: readonly string[]): string =>
  escaped(withoutSecrets(text.replace(/SCRAM-SHA-256\$\S+/g, '***'), secrets));
