import { advice } from '../advice.ts';
import type { Advice, ErrorFacts, ExternalErrorClass, Holder } from '../external-error.ts';
import { withoutSecrets } from '../without-secrets.ts';
import { printable } from './text.ts';

/** Any failure of a call of PostgreSQL. `message` is stable and without secrets, so a condition may show it. */
export class PostgresqlError extends Error implements ErrorFacts {
  override readonly name = 'PostgresqlError';
  readonly errorClass: ExternalErrorClass;
  readonly advice: Advice | undefined;
  readonly holder: Holder | undefined;
  readonly code: PostgresqlErrorCode;
  /** Whether the same call may succeed later without a change of the request or the credentials. */
  readonly isRetryable: boolean;
  /** The server's own code, where `code` is another. */
  readonly sqlState: string | undefined;

  constructor(
    message: string,
    options: {
      code: PostgresqlErrorCode;
      isRetryable?: boolean;
      sqlState?: string;
      advice?: Advice;
      holder?: Holder;
      cause?: unknown;
    },
  ) {
    super(printable(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.isRetryable = options.isRetryable ?? false;
    this.sqlState = options.sqlState;
    this.errorClass = classOf(options.code);
    this.advice = options.advice;
    this.holder = options.holder;
  }
}

/**
 * A SQLSTATE (`42501`, …) or:
 * - `Unreachable`: no answer, connection lost, server starting or stopping.
 * - `TlsFailed`: the server has no TLS, or its certificate is not trusted.
 * - `AuthenticationFailed`: user name or password refused.
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
  TlsFailed: 'Unreachable',
  AuthenticationFailed: 'CredentialsRefused',
  Invalid: 'Invalid',
  NotFound: 'NotReady',
  NotOurs: 'Conflict',
  InUse: 'NotReady',
  Held: 'NotReady',
  '0A': 'Invalid', // feature not supported
  '22': 'Invalid', // data exception
  '23': 'Invalid', // integrity constraint violation
  23505: 'Conflict', // unique violation
  25006: 'NotReady', // read-only transaction: a standby
  40: 'NotReady', // transaction rollback
  42: 'Invalid', // syntax error or access rule violation
  42501: 'Forbidden', // insufficient privilege
  42710: 'Conflict', // duplicate object
  '42P04': 'Conflict', // duplicate database
  '42P06': 'Conflict', // duplicate schema
  '42P07': 'Conflict', // duplicate table
  53: 'QuotaExceeded', // insufficient resources: connections, disk, memory
  54: 'Invalid', // program limit exceeded
  55: 'NotReady', // object not in prerequisite state
  57: 'NotReady', // operator intervention
};

const classOf = (code: string): ExternalErrorClass => classes[code] ?? classes[code.slice(0, 2)] ?? 'Unknown';

export const isInUse = (error: unknown): boolean =>
  error instanceof PostgresqlError && error.code === 'InUse';

/** `1 open session`, `2 open sessions`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

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
  /** The database in which the provider works, while it connects there. */
  readonly maintenance?: string;
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
    if (sqlState.startsWith('28') && context.isLoggedIn === true) {
      return new PostgresqlError(text, { code: 'Invalid', sqlState });
    }
    if (sqlState.startsWith('28')) {
      const message = `server ${server} refused the credentials of user "${username}": ${text}`;
      return new PostgresqlError(message, { code: 'AuthenticationFailed', sqlState });
    }
    if (sqlState === '3D000' && context.maintenance !== undefined && context.isLoggedIn !== true) {
      const message = `server ${server} has no database "${context.maintenance}", which the credentials name`;
      return new PostgresqlError(message, { code: 'AuthenticationFailed', sqlState });
    }
    if (sqlState.startsWith('08') || serverGoing.has(sqlState)) return unreachable(server, text);
    if (sqlState === '53300') {
      const message = `server ${server} ${isLimitOfOne(error) ? 'refused a connection' : 'has no connection left'}: ${text}`;
      return new PostgresqlError(message, { code: sqlState, isRetryable: true });
    }
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
      return new PostgresqlError(`${why} (server ${server}, user "${username}")`, { code: sqlState });
    }
    if (notFound.has(sqlState)) return new PostgresqlError(text, { code: 'NotFound', isRetryable: true });
    if (invalid.has(sqlState)) return new PostgresqlError(text, { code: 'Invalid' });
    const isRetryable =
      retryableClasses.has(sqlState.slice(0, 2)) ||
      sqlState === '25006' || // a standby: it may be promoted, or the address point to the primary
      isConcurrentUpdate(error);
    return new PostgresqlError(text, { code: sqlState, isRetryable });
  }
  if (isTlsError(error)) {
    const message = /does not support SSL/.test(text)
      ? `server ${server} does not offer TLS; ${advice.disableTls}`
      : `TLS with server ${server} failed: ${text}`;
    return new PostgresqlError(message, { code: 'TlsFailed' });
  }
  if (/^SASL: SCRAM-SERVER-/.test(text)) {
    const message = `server ${server} did not prove that it knows user "${username}": ${text}`;
    return new PostgresqlError(message, { code: 'AuthenticationFailed' });
  }
  return unreachable(server, reasonOf(error, text));
}

/**
 * Too many connections of one role or to one database, and not to the whole server. Decided by the name of the server's
 * own function, because its text may be translated. The owner of these connections may keep them for ever.
 */
export const isLimitOfOne = (error: unknown): boolean =>
  ['InitializeSessionUserId', 'CheckMyDatabase'].includes(
    (error as { readonly routine?: string } | undefined)?.routine ?? '',
  );

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

/** Messages of the driver contain addresses in varying order; codes do not. */
function reasonOf(error: unknown, text: string): string {
  const reasons: Record<string, string> = {
    ECONNREFUSED: 'connection refused',
    ECONNRESET: 'connection reset',
    EPIPE: 'connection closed',
    ENOTFOUND: 'name not found',
    EAI_AGAIN: 'name cannot be looked up',
    ETIMEDOUT: 'timed out',
    EHOSTUNREACH: 'no route to host',
    ENETUNREACH: 'no route to network',
  };
  const code = codeOf(error);
  if (code !== undefined && reasons[code]) return reasons[code];
  if (/timeout/i.test(text)) return 'timed out';
  if (/terminated/i.test(text)) return 'connection lost';
  return text;
}

/** OpenSSL's verification codes (X509_V_ERR_… without the prefix) and Node's own. */
function isTlsError(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  const message = error instanceof Error ? error.message : '';
  return (
    /^(ERR_TLS|ERR_SSL|ERR_OSSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_|CRL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH)/.test(
      code,
    ) || /SSL conn/.test(message)
  );
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

function detailOf(error: unknown): string {
  const detail = (error as { readonly detail?: unknown }).detail;
  return typeof detail === 'string' ? detail.replaceAll('\n', '; ') : '';
}

const scrub = (text: string, secrets: readonly string[]): string =>
  printable(withoutSecrets(text.replace(/SCRAM-SHA-256\$\S+/g, '***'), secrets));
