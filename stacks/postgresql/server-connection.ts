import type { Environment, Managed, ProviderKinds, SharedServer } from '../../package/stack.ts';
import { sharedServers } from '../../package/stack.ts';
import type { Credentials } from './client/credentials.ts';
import { parseCredentials } from './client/credentials.ts';
import type { PostgresqlServer, PostgresqlServerOptions } from './client/server.ts';
import { roleHolders } from './mark-holders.ts';
import { closing } from './server-closing.ts';

/** A server and its credentials. */
export type ServerConnection = SharedServer<Credentials, PostgresqlServer>;

/**
 * Returns the server of a managed resource, with few connections for all of its resources. A server whose credentials
 * changed finishes its calls, and closes its idle connections within seconds.
 */
export const serverConnector = (
  env: Environment,
  kinds: ProviderKinds,
  createServer: (options: PostgresqlServerOptions) => PostgresqlServer,
): ((managed: Managed) => Promise<ServerConnection>) =>
  sharedServers(env, kinds, {
    parse: parseCredentials,
    holderOf: roleHolders(env),
    open: createServer,
    survey: closing,
  });
