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
  const encoded = [username, password ?? '', database ?? ''].map(encodeURIComponent);
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
      : { uri: `${type}://${encoded[0]}:${encoded[1]}@${host}:${port}/${encoded[2]}` }),
  };
}
