import type {
  Environment,
  HolderOf,
  Managed,
  ProviderKinds,
  ServerCredentials,
  ServerSurvey,
} from '../../package/stack.ts';
import {
  firstInFirstOut,
  markHolders,
  noSurvey,
  parseServerCredentials,
  sharedServers,
  turnsByGroup,
} from '../../package/stack.ts';
import { markOf } from './client/mark.ts';
import type { MysqlServer, MysqlServerOptions } from './client/server.ts';
import { MySQLDatabaseKind } from './kinds/v1alpha1/mysql-database.ts';
import { MySQLUserKind } from './kinds/v1alpha1/mysql-user.ts';
import { exposureSurvey } from './server-exposure.ts';

/** A server and its credentials. */
export interface ServerConnection {
  readonly server: MysqlServer;
  readonly credentials: ServerCredentials;
  readonly survey: ServerSurvey;
  /** Finds the resource whose mark a database or user has. */
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
  createServer: (options: MysqlServerOptions) => MysqlServer,
): (managed: Managed) => Promise<ServerConnection> {
  const { clock, random, checkLease, isObserveOnly = false } = env;
  const holderOf = markHolders(env, { administrators: MySQLUserKind, claimable: MySQLDatabaseKind }, markOf);
  const find = sharedServers(env, kinds, {
    parse: (entries) => parseServerCredentials(entries, { defaultPort: 3306 }),
    open: (credentials, tell): ServerConnection => {
      const server = createServer({
        ...{ credentials, clock, random, mayGoOn: () => checkLease?.() },
        isReadOnly: isObserveOnly,
        holderOf,
        createLine: (isWaiting) => turnsByGroup(() => firstInFirstOut(isWaiting)),
      });
      const survey = isObserveOnly ? noSurvey : exposureSurvey({ server, credentials, tell, clock });
      return { server, credentials, survey, holderOf };
    },
  });
  return async (managed) => {
    const connection = await find(managed);
    return { ...connection, server: connection.server.usedBy(managed.spec.claimRef?.namespace ?? '') };
  };
}
