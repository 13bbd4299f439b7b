import { MySQLInstanceKind } from '../../package/claims.ts';
import type { Connect, DefinedStack, Managed, RivalFinder, SystemFacts } from '../../package/stack.ts';
import { defineStack, lostReferenceFinder, rivalFinder, satisfies, service } from '../../package/stack.ts';
import { advice } from './advice.ts';
import type { MysqlServer, MysqlServerOptions } from './client/server.ts';
import { createMysqlServer } from './client/server.ts';
import { versionText } from './client/server-facts.ts';
import { MySQLDatabaseClassKind, MySQLDatabaseKind } from './kinds/v1alpha1/mysql-database.ts';
import type { MySQLGrant } from './kinds/v1alpha1/mysql-grant.ts';
import { MySQLGrantKind } from './kinds/v1alpha1/mysql-grant.ts';
import { MySQLUserKind } from './kinds/v1alpha1/mysql-user.ts';
import { ProviderConfigKind, ProviderKind } from './kinds/v1alpha1/provider.ts';
import { configureMySQLDatabase, incompatibilityOfMySQLDatabase } from './mysql-database/configure.ts';
import { databaseCredential } from './mysql-database/desired-state.ts';
import { mySQLDatabaseClient } from './mysql-database/external-client.ts';
import { mySQLGrantClient } from './mysql-grant/external-client.ts';
import { grantReferences } from './mysql-grant/references.ts';
import { userCredential } from './mysql-user/desired-state.ts';
import { mySQLUserClient } from './mysql-user/external-client.ts';
import type { ServerConnection } from './server-connection.ts';
import { serverConnector } from './server-connection.ts';

interface MysqlStackOptions {
  readonly createServer?: (options: MysqlServerOptions) => MysqlServer;
}

/** A server for the external clients, and the parts that they share in a process. */
interface Shared extends ServerConnection {
  readonly rivalOf: RivalFinder<MySQLGrant>;
  readonly lostReferences: (managed: Managed) => string | undefined;
}

/** MariaDB servers: databases, which satisfy MySQL claims, users and grants. */
export function createMysqlStack({ createServer = createMysqlServer }: MysqlStackOptions = {}): DefinedStack {
  return defineStack({
    name: 'mysql',
    provider: {
      provider: ProviderKind,
      providerConfig: ProviderConfigKind,
      credentialEntries: ['endpoint', 'port', 'username', 'password'],
      connect(env, kinds): Connect<Shared> {
        const connect = serverConnector(env, kinds, createServer);
        const shared = {
          /** An older grant for the same user on the same database: the two would undo each other. */
          rivalOf: rivalFinder(env, MySQLGrantKind, ({ spec: { forProvider } }) => [
            forProvider.user,
            forProvider.database,
          ]),
          lostReferences: lostReferenceFinder(env, grantReferences),
        };
        return async (managed) => {
          const connection = await connect(managed);
          const { server, survey } = connection;
          const facts = (): SystemFacts => {
            const known = server.lastFacts();
            return { version: known && versionText(known), warning: survey.warning() };
          };
          const check = async (signal: AbortSignal): Promise<void> => void (await server.facts(signal));
          return {
            client: { ...connection, ...shared },
            system: (signal) => server.identity(signal),
            otherSystemAdvice: advice.restoreMarks,
            check,
            facts,
          };
        };
      },
    },
    services: [
      service({
        managed: MySQLDatabaseKind,
        externalNames: 'deterministic',
        credential: databaseCredential,
        external: (shared: Shared) => mySQLDatabaseClient(shared),
        claims: [
          satisfies({
            claim: MySQLInstanceKind,
            class: MySQLDatabaseClassKind,
            configure: configureMySQLDatabase,
            whyIncompatible: incompatibilityOfMySQLDatabase,
          }),
        ],
      }),
      service({
        managed: MySQLUserKind,
        externalNames: 'deterministic',
        credential: userCredential,
        external: (shared: Shared) => mySQLUserClient(shared),
      }),
      service({
        managed: MySQLGrantKind,
        externalNames: 'deterministic',
        confirmAbsenceMs: 0, // to grant again loses nothing
        references: grantReferences,
        external: (shared: Shared) => mySQLGrantClient(shared),
      }),
    ],
  });
}

export const mysqlStack: DefinedStack = createMysqlStack();
