import { tlsFailure, withoutSecrets } from '../../../package/http.ts';
import type { ExternalErrorClass, ServerErrorOptions } from '../../../package/stack.ts';
import {
  changing,
  clientAdvice,
  codeOf,
  escaped,
  networkReason,
  ServerError,
} from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import { account } from './text.ts';

/**
 * - `Unreachable`: no answer, connection lost, server starting or stopping, a replica, a node of a Galera cluster that is
 *   not in the primary component.
 * - `TlsFailed`: the server has no TLS, or its certificate is not trusted.
 * - `AuthenticationFailed`: user name or password refused.
 * - `LoginRefused`: the server keeps this user or host out, whatever the password.
 * - `Exhausted`: no connection, disk or memory left.
 * - `Locked`: another session holds a needed lock.
 * - `TimedOut`: the statement took too long.
 * - `Forbidden`: a privilege is missing; the message has its GRANT.
 * - `Invalid`: the request cannot be carried out as it is written, for example a password that a policy refuses.
 * - `NotFound`: a database or user that the request names does not exist (yet).
 * - `NotOurs`: a database or user exists and does not have the caller's mark.
 * - `InUse`: open sessions or other objects block a deletion.
 * - `ReadOnly`: this client may not change anything.
 * - `Closed`: the client was closed.
 * - `Halted`: `mayGoOn` threw; nothing was sent. `cause` is the reason.
 * - `Refused`: any other refusal of the server, by its number.
 */
export type MysqlErrorCode = keyof typeof classes;

const classes = {
  Unreachable: 'Unreachable',
  TlsFailed: 'TlsFailed',
  AuthenticationFailed: 'CredentialsRefused',
  LoginRefused: 'LoginRefused',
  Exhausted: 'Exhausted',
  Locked: 'NotReady',
  TimedOut: 'NotReady',
  Forbidden: 'Forbidden',
  Invalid: 'Invalid',
  NotFound: 'NotReady',
  NotOurs: 'Conflict',
  InUse: 'NotReady',
  ReadOnly: 'ReadOnly',
  Closed: 'Unknown',
  Halted: 'Unknown',
  Refused: 'Unknown',
} as const satisfies Readonly<Record<string, ExternalErrorClass>>;

/** The same call may succeed later, without a change of the request or the credentials. */
const retryable: ReadonlySet<MysqlErrorCode> = new Set([
  'Unreachable',
  'Exhausted',
  'Locked',
  'TimedOut',
  'NotFound',
  'InUse',
  'Closed',
  'Halted',
]);

/** Any failure of a call of a MariaDB server. `message` is stable and without secrets, so a condition may show it. */
export class MysqlError extends ServerError<MysqlErrorCode> {
  override readonly name = 'MysqlError';
  /** The server's own number. Undefined: the error is not an answer of the server. */
  readonly errno: number | undefined;

  constructor(
    message: string,
    options: Omit<ServerErrorOptions<MysqlErrorCode>, 'errorClass' | 'isRetryable'> & {
      readonly errno?: number | undefined;
    },
  ) {
    const { code } = options;
    super(message, { ...options, errorClass: classes[code], isRetryable: retryable.has(code) });
    this.errno = options.errno;
  }
}

/** The refusal of values in `forProvider`, with the fields to change. */
export function invalidFields(problem: string, names: readonly string[], errno?: number): MysqlError {
  const advice = changing(...names);
  return new MysqlError(`${problem}; ${clientAdvice.change(advice.fields ?? [])}`, {
    code: 'Invalid',
    advice,
    errno,
  });
}

/** Whether an error is a MysqlError with this code. */
export const isMysqlError = (error: unknown, code: MysqlErrorCode): boolean =>
  error instanceof MysqlError && error.code === code;

/** Whether the server or this client refused, so that nothing was done. A lost answer is no refusal. */
const isRefusal = (error: unknown): boolean =>
  error instanceof MysqlError && ['Invalid', 'Forbidden', 'NotOurs', 'Refused'].includes(error.code);

/** Runs a step of a creation. If it is refused, `takeBack` undoes the steps before it. A lost answer undoes nothing. */
export async function orTakeBack<T>(step: () => Promise<T>, takeBack: () => Promise<void>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    // guard: otherwise a name whose creation was refused stays taken
    if (isRefusal(error)) await takeBack();
    throw error;
  }
}

/** Whether sessions, or other objects, block a deletion. */
export const isInUse = (error: unknown): boolean => isMysqlError(error, 'InUse');

/** The number of an error of the server; undefined for all other errors. */
export function errnoOf(error: unknown): number | undefined {
  const { errno, sqlState } = (error ?? {}) as { readonly errno?: unknown; readonly sqlState?: unknown };
  // Errors of the network have a number, too, and no SQLSTATE.
  const isAnswer = typeof sqlState === 'string' || error instanceof MysqlError;
  return isAnswer && typeof errno === 'number' ? errno : undefined;
}

/** An error of the driver, and the server that it is about. */
export interface ErrorContext {
  /** `host:port`. */
  readonly server: string;
  readonly username: string;
  /** Secrets that no message may contain. */
  readonly secrets: readonly string[];
  /** The server has accepted the credentials. */
  readonly isLoggedIn?: boolean;
  /** The connection has TLS. */
  readonly hasTls?: boolean;
}

interface ServerRefusal extends ErrorContext {
  /** The server's words, without secrets. */
  readonly text: string;
  readonly errno: number;
}

type Translation = (refusal: ServerRefusal) => MysqlError;

const as =
  (code: MysqlErrorCode, wording: (refusal: ServerRefusal) => string = ({ text }) => text): Translation =>
  (refusal) =>
    new MysqlError(wording(refusal), { code, errno: refusal.errno });

const unreachable = as('Unreachable', ({ server, text }) => `server ${server} is unreachable: ${text}`);
const replica = as(
  'Unreachable',
  ({ server, text }) => `server ${server} changes nothing: ${text}; ${clientAdvice.usePrimary}`,
);
const locked = as(
  'Locked',
  ({ server, text }) => `server ${server}: another session holds a needed lock: ${text}`,
);
const late = as('TimedOut', ({ server, text }) => `server ${server} took too long: ${text}`);
const forbidden = as(
  'Forbidden',
  ({ server, username, text }) => `${text} (server ${server}, user "${username}")`,
);
const invalid = as('Invalid');
const inUse = as('InUse');
const exhausted = (what: string, todo: string): Translation =>
  as('Exhausted', ({ server, text }) => `server ${server} ${what}: ${text}; ${todo}`);
const fullDisk = exhausted('has no space left', clientAdvice.addSpace);
const noMemory = exhausted('has no memory left', clientAdvice.addMemory);
const noConnection = exhausted('has no connection left', clientAdvice.freeConnections);
const userLimit = exhausted('refused a connection', advice.raiseUserLimit);

const refusedLogin = as('AuthenticationFailed', ({ server, username, text, hasTls }) => {
  const why = 'it is wrong, or the server takes this host for that of another user';
  const tls = hasTls === false ? `. ${clientAdvice.useTls}` : '';
  return `server ${server} refused the credentials of user "${username}": ${text} (${why})${tls}`;
});
const refusedAccess = (todo: (refusal: ServerRefusal) => string): Translation =>
  as(
    'LoginRefused',
    ({ text, ...refusal }) =>
      `server ${refusal.server} does not let user "${refusal.username}" in: ${text}; ${todo({ text, ...refusal })}`,
  );

/** The answers to a login, by number. */
const logins: Readonly<Record<number, Translation>> = {
  1045: refusedLogin, // access denied
  1698: refusedLogin, // access denied, without a password
  1862: refusedLogin, // the password has expired
  1129: refusedAccess(() => advice.flushHosts), // host is blocked
  1130: refusedAccess(() => advice.allowHost), // host is not allowed
  4150: refusedAccess(({ username }) => advice.unlockUser(`ALTER USER ${account(username)} ACCOUNT UNLOCK`)),
  4151: refusedAccess(({ username }) => advice.unlockUser(`ALTER USER ${account(username)} ACCOUNT UNLOCK`)),
};

/** The answers to statements, by number: https://mariadb.com/kb/en/mariadb-error-code-reference/ */
const statements: Readonly<Record<number, Translation>> = {
  13: invalid, // the name of the database is too long for the file system
  1010: inUse, // the directory of the database has other files
  1021: fullDisk,
  1037: noMemory,
  1038: noMemory,
  1040: noConnection,
  1041: noMemory,
  1044: forbidden, // to a database
  1045: forbidden,
  1047: unreachable, // a node of Galera that is not ready
  1049: as('NotFound'),
  1053: unreachable, // shutdown
  1079: unreachable,
  1095: forbidden, // KILL
  1114: fullDisk,
  1135: noMemory, // no thread
  1142: forbidden, // to a table
  1143: forbidden,
  1203: noConnection, // max_user_connections of the server
  1205: locked,
  1213: locked, // deadlock
  1226: userLimit, // max_user_connections of the user
  1227: forbidden, // a global privilege
  1290: replica, // see below
  1317: late, // interrupted
  1410: forbidden, // GRANT
  1451: inUse, // a foreign key of another database
  1524: invalid, // no such plugin
  1698: forbidden, // a role
  1792: as('ReadOnly'),
  1820: refusedLogin, // the password has expired
  1819: invalid, // the password breaks a policy
  1836: replica, // read-only mode
  1927: unreachable, // connection killed
  1969: late, // max_statement_time
};

/**
 * A MysqlError for any error of the driver. The driver's error is not the `cause`, because it has the text of the
 * statement.
 */
export function toMysqlError(error: unknown, context: ErrorContext): MysqlError {
  if (error instanceof MysqlError) return error;
  const { server, secrets } = context;
  const text = escaped(withoutSecrets(textOf(error), secrets));
  const errno = errnoOf(error);
  if (errno !== undefined) {
    const refusal = { ...context, text, errno };
    const translation = (context.isLoggedIn ? undefined : logins[errno]) ?? statements[errno];
    // Other options than --read-only prevent statements, too: a policy for passwords does.
    if (translation === replica && errno === 1290 && !/read.only/i.test(text)) return invalid(refusal);
    return (translation ?? as(isOfRequest(error) ? 'Invalid' : 'Refused'))(refusal);
  }
  return networkFailure(error, text, server);
}

/** SQLSTATE class 42: the statement itself is wrong. */
const isOfRequest = (error: unknown): boolean =>
  String((error as { readonly sqlState?: string }).sqlState).startsWith('42');

function networkFailure(error: unknown, text: string, server: string): MysqlError {
  const cause = (error as { readonly cause?: unknown }).cause;
  const code = codeOf(cause) ?? codeOf(error);
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') {
    const message = `server ${server} does not offer TLS; ${clientAdvice.disableTls}`;
    return new MysqlError(message, { code: 'TlsFailed' });
  }
  const remedies = { trust: clientAdvice.putClusterCA, rename: clientAdvice.correctEndpoint };
  const insecure = tlsFailure(code, remedies) ?? (code === 'HANDSHAKE_SSL_ERROR' ? text : undefined);
  if (insecure !== undefined)
    return new MysqlError(`TLS with server ${server} failed: ${insecure}`, { code: 'TlsFailed' });
  if (code === 'AUTH_SWITCH_PLUGIN_ERROR')
    return new MysqlError(`server ${server}: ${text}`, { code: 'AuthenticationFailed' });
  return unreachableBy(server, networkReason(cause ?? error, text));
}

/** The server did not answer, or not as one that can be used. */
export const unreachableBy = (server: string, reason: string): MysqlError =>
  new MysqlError(`server ${server} is unreachable: ${reason}`, { code: 'Unreachable' });

/** The server's own words. The driver's message of an error at the login is the same. */
function textOf(error: unknown): string {
  const { sqlMessage } = (error ?? {}) as { readonly sqlMessage?: unknown };
  if (typeof sqlMessage === 'string') return sqlMessage;
  return error instanceof Error ? error.message : String(error);
}

/** The server is a replica, or an administrator made it read-only. */
export const replicaUsed = (server: string): MysqlError =>
  new MysqlError(
    `server ${server} is read-only (read_only is on), so it changes nothing and its data may be old; ${clientAdvice.usePrimary}`,
    { code: 'Unreachable' },
  );
