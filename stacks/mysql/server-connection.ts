import type {
  Environment,
  Managed,
  ProviderKinds,
  ServerCredentials,
  SharedServer,
} from '../../package/stack.ts';
import { markHolders, parseServerCredentials, sharedServers } from '../../package/stack.ts';
import { markOf } from './client/mark.ts';
import type { MysqlServer, MysqlServerOptions } from './client/server.ts';
import { MySQLDatabaseKind } from './kinds/v1alpha1/mysql-database.ts';
import { MySQLUserKind } from './kinds/v1alpha1/mysql-user.ts';
import { exposureSurvey } from './server-exposure.ts';

/** A server and its credentials. */
export type ServerConnection = SharedServer<ServerCredentials, MysqlServer>;

/**
 * Returns the server of a managed resource, with few connections for all of its resources. A server whose credentials
 * changed finishes its calls, and closes its idle connections within seconds.
 */
export const serverConnector = (
  env: Environment,
  kinds: ProviderKinds,
  createServer: (options: MysqlServerOptions) => MysqlServer,
): ((managed: Managed) => Promise<ServerConnection>) =>
  sharedServers(env, kinds, {
    parse: (entries) => parseServerCredentials(entries, { defaultPort: 3306 }),
    holderOf: markHolders(env, { administrators: MySQLUserKind, claimable: MySQLDatabaseKind }, markOf),
    open: createServer,
    survey: exposureSurvey,
  });
