import { isIP } from 'node:net';
import { percentEncoded } from './percent-encoded.ts';

/** The connection details of a database. */
export interface DatabaseAccess {
  /** The protocol, as a type of servicebinding.io; also the scheme of the URI. */
  readonly type: string;
  /** The provider, for the entry `provider` of servicebinding.io. */
  readonly provider: string;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** Absent if no user was created. */
  readonly database?: string | undefined;
  /** Part of the URI. Without a password there is no URI. */
  readonly password?: string | undefined;
}

/** The entries of a connection secret of a database. */
export type DatabaseDetails = {
  readonly type: string;
  readonly provider: string;
  readonly endpoint: string;
  readonly host: string;
  readonly port: string;
  readonly username: string;
  readonly database?: string;
  readonly uri?: string;
};

/**
 * The entries of a connection secret but the password: Crossplane's (`endpoint`, `port`, `username`) and those of
 * servicebinding.io (`type`, `provider`, `host`, `uri`, `database`). The password is a separate entry. The external
 * client does not report the password, because the controller gave it to the client.
 */
export function databaseDetails(access: DatabaseAccess): DatabaseDetails {
  const { type, provider, host, port, username, database, password } = access;
  return {
    type,
    provider,
    endpoint: host,
    host,
    port: String(port),
    username,
    ...(database === undefined ? {} : { database }),
    ...(password === undefined
      ? {}
      : { uri: databaseUri({ scheme: type, host, port, username, password, database: database ?? '' }) }),
  };
}

/** The parts of an address. */
export interface UriParts {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password?: string | undefined;
  readonly database?: string | undefined;
  readonly query?: Readonly<Record<string, string>>;
}

/** `scheme://user:password@host:port/database?key=value`, every part percent-encoded. */
export function databaseUri({
  scheme,
  host,
  port,
  username,
  password,
  database,
  query = {},
}: UriParts): string {
  const secret = password === undefined ? '' : `:${percentEncoded(password)}`;
  const place = isIP(host) === 6 ? `[${host}]` : percentEncoded(host);
  const path = database === undefined ? '' : `/${percentEncoded(database)}`;
  const pairs = Object.entries(query).map((pair) => pair.map(percentEncoded).join('='));
  return `${scheme}://${percentEncoded(username)}${secret}@${place}:${port}${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
}
