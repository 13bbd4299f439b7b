import type { DetailsOf } from '../../package/schema.ts';
import type { Credentials } from './client/credentials.ts';
import { connectionUri, defaultSslMode } from './client/credentials.ts';
import type { PostgreSQLRole } from './kinds/v1alpha1/postgresql-role.ts';

/** The user, the database and the server of a connection. */
export interface Access {
  readonly username?: string;
  /** Part of the URI. Without a password there is no URI. */
  readonly password?: string | undefined;
  readonly database?: string;
}

/**
 * The entries of a connection secret without the password: Crossplane's (`endpoint`, `port`, `username`, `clusterCA`),
 * those of servicebinding.io (`type`, `provider`, `host`, `uri`) and `sslmode`. TLS is as for the
 * administrator: applications trust the server exactly as the administrator does.
 */
export function connectionDetails(
  credentials: Credentials,
  { username, password, database }: Access,
): DetailsOf<PostgreSQLRole> {
  const { endpoint, port, clusterCA } = credentials;
  const mode = credentials.sslmode ?? defaultSslMode(credentials);
  // Without TLS by default, the entry is absent: a client on the same machine may still use TLS.
  const sslmode = credentials.sslmode === undefined && mode === 'disable' ? undefined : mode;
  return {
    type: 'postgresql',
    provider: 'postgresql',
    endpoint,
    host: endpoint,
    port: String(port),
    ...(sslmode === undefined ? {} : { sslmode }),
    ...(clusterCA === undefined ? {} : { clusterCA }),
    ...(username === undefined ? {} : { username }),
    ...(username === undefined || password === undefined
      ? {}
      : {
          uri: connectionUri({
            endpoint,
            port,
            username,
            password,
            ...(database === undefined ? {} : { database }),
            ...(sslmode === undefined ? {} : { sslmode }),
          }),
        }),
  };
}
