import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { areCertificates } from '../../../package/http.ts';
import { PostgresqlError } from './error.ts';

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
/**
 * The modes of libpq, without those that may use no TLS silently (`allow`, `prefer`):
 * - `disable`: no TLS.
 * - `require`: TLS; the certificate is checked (as with verify-ca) only if a CA is given.
 * - `verify-ca`: the certificate must come from the CA.
 * - `verify-full`: the certificate must also name the endpoint.
 */
export type SslMode = (typeof sslModes)[number];

/** The address and the administrator of a server. Never logged. */
export interface Credentials {
  /** Host name or IP address. */
  readonly endpoint: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** Default: see `defaultSslMode`. */
  readonly sslmode?: SslMode;
  /** PEM, one certificate or more. Without it the authorities of Node are trusted. */
  readonly clusterCA?: string;
  /** The database of the administrator's first connection; default `postgres`. */
  readonly database?: string;
  /** The handling of the databases that belong to the server and accept every role; default `close`. */
  readonly serverDatabases?: ServerDatabases;
}

const serverDatabasePolicies = ['close', 'leave'] as const;
/** `close`: revoke from PUBLIC the right to connect, where the administrator may. `leave`: do not change them. */
export type ServerDatabases = (typeof serverDatabasePolicies)[number];

/**
 * With a CA: verify-full. Without one: `require`, so that the password and the statements never cross a network as
 * clear text. For the loopback address: `disable`, because there is no network.
 */
export function defaultSslMode({
  endpoint,
  clusterCA,
}: Pick<Credentials, 'endpoint' | 'clusterCA'>): SslMode {
  if (clusterCA !== undefined) return 'verify-full';
  return endpoint === 'localhost' ||
    endpoint === '::1' ||
    (isIP(endpoint) === 4 && endpoint.startsWith('127.'))
    ? 'disable'
    : 'require';
}

/**
 * Parses the entries of a Secret in clear text: `endpoint`, `username`, `password`. Optional are `port` (5432),
 * `sslmode`, `clusterCA`, `database` and `serverDatabases`; others are ignored. Throws PostgresqlError `Invalid` that
 * names the key and never its value.
 */
export function parseCredentials(data: Readonly<Record<string, string>>): Credentials {
  const endpoint = required(data, 'endpoint').trim();
  if (!/^[A-Za-z0-9._:-]+$/.test(endpoint) || (endpoint.includes(':') && isIP(endpoint) !== 6)) {
    throw invalid('endpoint', 'must be a host name or IP address, without scheme, port or path');
  }
  const port = (data.port ?? '5432').trim();
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65535) {
    throw invalid('port', 'must be a number from 1 to 65535');
  }
  const sslmode = data.sslmode?.trim() || undefined;
  if (sslmode !== undefined && !isSslMode(sslmode)) {
    throw invalid('sslmode', `must be one of ${sslModes.join(', ')}`);
  }
  const clusterCA = data.clusterCA?.trim() || undefined;
  if (clusterCA !== undefined && !areCertificates(clusterCA)) {
    throw invalid('clusterCA', 'must be complete PEM certificates');
  }
  const database = data.database || undefined;
  const serverDatabases = data.serverDatabases?.trim() || undefined;
  if (serverDatabases !== undefined && !isServerDatabases(serverDatabases)) {
    throw invalid('serverDatabases', `must be one of ${serverDatabasePolicies.join(', ')}`);
  }
  return {
    endpoint,
    port: Number(port),
    username: required(data, 'username'),
    password: required(data, 'password'),
    ...(sslmode !== undefined && { sslmode }),
    ...(clusterCA !== undefined && { clusterCA }),
    ...(database !== undefined && { database }),
    ...(serverDatabases !== undefined && { serverDatabases }),
  };
}

/** The driver's TLS options. */
export function tlsOptions(credentials: Credentials): false | ConnectionOptions {
  const sslmode = credentials.sslmode ?? defaultSslMode(credentials);
  const { clusterCA } = credentials;
  if (sslmode === 'disable') return false;
  return {
    ...(clusterCA !== undefined && { ca: clusterCA }),
    rejectUnauthorized: sslmode !== 'require' || clusterCA !== undefined,
    ...(sslmode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

/** A libpq URI, `postgresql://user:password@host:port/database?sslmode=…`, every part percent-encoded. */
export function connectionUri(target: {
  readonly endpoint: string;
  readonly port: number;
  readonly username: string;
  readonly password?: string;
  readonly database?: string;
  readonly sslmode?: SslMode;
}): string {
  const user = encode(target.username);
  const secret = target.password === undefined ? '' : `:${encode(target.password)}`;
  const host = isIP(target.endpoint) === 6 ? `[${target.endpoint}]` : encode(target.endpoint);
  const database = target.database === undefined ? '' : `/${encode(target.database)}`;
  const query = target.sslmode === undefined ? '' : `?sslmode=${target.sslmode}`;
  return `postgresql://${user}${secret}@${host}:${target.port}${database}${query}`;
}

/** RFC 3986 reserves some characters that encodeURIComponent does not encode. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

function required(data: Readonly<Record<string, string>>, key: string): string {
  const value = data[key];
  if (value === undefined) throw new PostgresqlError(`credentials lack key "${key}"`, { code: 'Invalid' });
  if (value.trim() === '') throw invalid(key, 'must not be empty');
  if (value.includes('\0')) throw invalid(key, 'must not contain a zero byte');
  return value;
}

const invalid = (key: string, rule: string): PostgresqlError =>
  new PostgresqlError(`credentials key "${key}" ${rule}`, { code: 'Invalid' });

const isServerDatabases = (text: string): text is ServerDatabases =>
  (serverDatabasePolicies as readonly string[]).includes(text);

const isSslMode = (text: string): text is SslMode => (sslModes as readonly string[]).includes(text);
