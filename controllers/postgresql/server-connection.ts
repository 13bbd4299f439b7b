import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { type Credentials, parseCredentials } from '../../clients/postgresql/credentials.ts';
import type { PostgresqlServer } from '../../clients/postgresql/server.ts';
import type { Environment } from '../../runtime/environment.ts';
import { annotate } from '../../runtime/errors.ts';
import { createLruMap } from '../../runtime/lru-map.ts';
import { heldCredentials } from '../core/credential-sources.ts';
import { credentialsReader, type ProviderKinds } from '../core/managed/provider-credentials.ts';

/** More servers than this are rare, and one that is forgotten is only connected to anew. */
const maxServers = 100;

/** A server and how it is reached. */
export interface ServerConnection {
  readonly server: PostgresqlServer;
  readonly credentials: Credentials;
}

/**
 * Yields the server of a managed resource: one object, with its few connections, per credentials, whatever the
 * number of managed resources and providers that use them. Changed credentials get a new one at the next
 * reconcile; the former finishes what it was asked to do and, being asked nothing more, closes its connections
 * within seconds. Throws an Error that names what is missing or, with the secret, what is wrong.
 */
export function serverConnection(
  env: Environment,
  kinds: ProviderKinds,
  createServer: (credentials: Credentials) => PostgresqlServer,
): (managed: Managed) => Promise<ServerConnection> {
  const read = credentialsReader(env, kinds);
  const connections = createLruMap<string, ServerConnection>(maxServers);
  return async (managed) => {
    const held = heldCredentials(await read(managed));
    const parsing = Promise.resolve().then(() => parseCredentials(held.entries()));
    const credentials = await annotate(`cannot use ${held.origin}`, parsing);
    const { endpoint, port, username, password, sslmode, clusterCA, database } = credentials;
    const key = JSON.stringify([endpoint, port, username, password, sslmode, clusterCA, database]);
    const known = connections.get(key);
    if (known !== undefined) return known;
    const connection = { server: createServer(credentials), credentials };
    connections.set(key, connection);
    return connection;
  };
}
