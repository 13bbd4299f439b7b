import type { Environment, Managed, ProviderKinds, ServerSurvey } from '../../package/stack.ts';
import { firstInFirstOut, sharedServers, turnsByGroup } from '../../package/stack.ts';
import type { Credentials } from './client/credentials.ts';
import { parseCredentials } from './client/credentials.ts';
import type { HolderOf } from './client/mark.ts';
import type { PostgresqlServer, PostgresqlServerOptions } from './client/server.ts';
import { roleHolders } from './mark-holders.ts';
import { closing } from './server-closing.ts';

/** A server and its credentials. */
export interface ServerConnection {
  readonly server: PostgresqlServer;
  readonly credentials: Credentials;
  readonly closing: ServerSurvey;
  /** Finds the resource whose mark a role has. */
  readonly holderOf: HolderOf;
}

/**
 * Returns the server of a managed resource, with few connections for all of its resources. While calls wait for a
 * connection, the namespaces of the claims take turns. A server whose credentials changed finishes its calls, and closes
 * its idle connections within seconds.
 */
export function serverConnection(
  env: Environment,
  kinds: ProviderKinds,
  createServer: (options: PostgresqlServerOptions) => PostgresqlServer,
): (managed: Managed) => Promise<ServerConnection> {
  const { clock, random, checkLease, isObserveOnly = false } = env;
  const holderOf = roleHolders(env);
  const find = sharedServers(env, kinds, {
    parse: (entries): Credentials => {
      const given = parseCredentials(entries);
      return isObserveOnly ? { ...given, serverDatabases: 'leave' } : given;
    },
    open: (credentials, tell): ServerConnection => {
      const server = createServer({
        ...{ credentials, clock, random, mayGoOn: () => checkLease?.() },
        isReadOnly: isObserveOnly,
        holderOf,
        createLine: (isWaiting) => turnsByGroup(() => firstInFirstOut(isWaiting)),
      });
      return { server, credentials, closing: closing({ server, credentials, tell, clock }), holderOf };
    },
  });
  return async (managed) => {
    const connection = await find(managed);
    return { ...connection, server: connection.server.usedBy(managed.spec.claimRef?.namespace ?? '') };
  };
}
