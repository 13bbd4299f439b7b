import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { areCertificates } from './certificates.ts';
import { databaseUri } from './database-details.ts';
import { ExternalError } from './external-error.ts';

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
/**
 * The modes of libpq, without those that may use no TLS silently (`allow`, `prefer`):
 * - `disable`: no TLS.
 * - `require`: TLS; the certificate is checked (as with verify-ca) only if a CA is given.
 * - `verify-ca`: the certificate must come from the CA.
 * - `verify-full`: the certificate must also name the endpoint.
 */
export type SslMode = (typeof sslModes)[number];

/** The address and the administrator of a database server. Never logged. */
export interface ServerCredentials {
  /** Host name or IP address. */
  readonly endpoint: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** Default: see {@link defaultSslMode}. */
  readonly sslmode?: SslMode;
  /** PEM, one certificate or more. Without it the authorities of Node are trusted. */
  readonly clusterCA?: string;
}

/**
 * With a CA: verify-full. Without one: `require`, so that the password and the statements never cross a network as
 * clear text. For the loopback address: `disable`, because there is no network.
 */
export function defaultSslMode({
  endpoint,
  clusterCA,
}: Pick<ServerCredentials, 'endpoint' | 'clusterCA'>): SslMode {
  if (clusterCA !== undefined) return 'verify-full';
  return endpoint === 'localhost' ||
    endpoint === '::1' ||
    (isIP(endpoint) === 4 && endpoint.startsWith('127.'))
    ? 'disable'
    : 'require';
}

/**
 * Parses the entries of a Secret in clear text: `endpoint`, `username`, `password`. Optional are `port`, `sslmode` and
 * `clusterCA`; others are ignored. Throws an ExternalError (`Invalid`) that names the key and never its value.
 */
export function parseServerCredentials(
  data: Readonly<Record<string, string>>,
  { defaultPort }: { readonly defaultPort: number },
): ServerCredentials {
  const endpoint = required(data, 'endpoint').trim();
  if (!/^[A-Za-z0-9._:-]+$/.test(endpoint) || (endpoint.includes(':') && isIP(endpoint) !== 6)) {
    throw invalidEntry('endpoint', 'must be a host name or IP address, without scheme, port or path');
  }
  const port = (data.port ?? String(defaultPort)).trim();
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65535) {
    throw invalidEntry('port', 'must be a number from 1 to 65535');
  }
  const clusterCA = data.clusterCA?.trim() || undefined;
  if (clusterCA !== undefined && !areCertificates(clusterCA)) {
    throw invalidEntry('clusterCA', 'must be complete PEM certificates');
  }
  const sslmode = oneOfEntry(data, 'sslmode', sslModes);
  return {
    endpoint,
    port: Number(port),
    username: required(data, 'username'),
    password: required(data, 'password'),
    ...(sslmode !== undefined && { sslmode }),
    ...(clusterCA !== undefined && { clusterCA }),
  };
}

/** An optional entry with one of these values. Empty counts as absent. Throws an ExternalError that names the key. */
export function oneOfEntry<V extends string>(
  data: Readonly<Record<string, string>>,
  key: string,
  values: readonly V[],
): V | undefined {
  const text = data[key]?.trim() || undefined;
  const value = values.find((each) => each === text);
  if (value === undefined && text !== undefined)
    throw invalidEntry(key, `must be one of ${values.join(', ')}`);
  return value;
}

/** The options of Node's TLS; false: no TLS. */
export function tlsOptions(credentials: ServerCredentials): false | ConnectionOptions {
  const sslmode = credentials.sslmode ?? defaultSslMode(credentials);
  const { clusterCA } = credentials;
  if (sslmode === 'disable') return false;
  return {
    ...(clusterCA !== undefined && { ca: clusterCA }),
    rejectUnauthorized: sslmode !== 'require' || clusterCA !== undefined,
    ...(sslmode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

/** The user, and the database of a connection. */
export interface Login {
  readonly username?: string;
  /** Part of the URI. Without a password there is no URI. */
  readonly password?: string | undefined;
  readonly database?: string;
}

/** The protocol of a server and its provider, as servicebinding.io names them. */
export interface ServerWords {
  /** Also the scheme of the URI. */
  readonly type: string;
  readonly provider: string;
  /** Whether clients understand `sslmode` in the URI. */
  readonly hasSslModeInUri: boolean;
}

/** The entries of {@link serverDetails}. */
export interface ServerDetails {
  readonly type: string;
  readonly provider: string;
  readonly endpoint: string;
  readonly host: string;
  readonly port: string;
  readonly sslmode?: string;
  readonly clusterCA?: string;
  readonly username?: string;
  readonly uri?: string;
}

/**
 * The entries of a connection secret of a user on a shared server, without the password: Crossplane's (`endpoint`, `port`,
 * `username`, `clusterCA`), those of servicebinding.io (`type`, `provider`, `host`, `uri`) and `sslmode`. TLS is as for the
 * administrator: applications trust the server exactly as the administrator does.
 */
export function serverDetails(
  { type, provider, hasSslModeInUri }: ServerWords,
  credentials: ServerCredentials,
  { username, password, database }: Login,
): ServerDetails {
  const { endpoint, port, clusterCA } = credentials;
  const mode = credentials.sslmode ?? defaultSslMode(credentials);
  // Without TLS by default, the entry is absent: a client on the same machine may still use TLS.
  const sslmode = credentials.sslmode === undefined && mode === 'disable' ? undefined : mode;
  const query = hasSslModeInUri && sslmode !== undefined ? { sslmode } : {};
  return {
    type,
    provider,
    endpoint,
    host: endpoint,
    port: String(port),
    ...(sslmode === undefined ? {} : { sslmode }),
    ...(clusterCA === undefined ? {} : { clusterCA }),
    ...(username === undefined ? {} : { username }),
    ...(username === undefined || password === undefined
      ? {}
      : { uri: databaseUri({ scheme: type, host: endpoint, port, username, password, database, query }) }),
  };
}

function required(data: Readonly<Record<string, string>>, key: string): string {
  const value = data[key];
  if (value === undefined)
    throw new ExternalError(`credentials lack key "${key}"`, { errorClass: 'Invalid' });
  if (value.trim() === '') throw invalidEntry(key, 'must not be empty');
  if (value.includes('\0')) throw invalidEntry(key, 'must not contain a zero byte');
  return value;
}

const invalidEntry = (key: string, rule: string): ExternalError =>
  new ExternalError(`credentials key "${key}" ${rule}`, { errorClass: 'Invalid' });
