import { PostgreSQLInstanceKind } from '../../package/claims.ts';
import type { Connect, DefinedStack, Managed, RivalFinder, SystemFacts } from '../../package/stack.ts';
import { defineStack, lostReferenceFinder, satisfies, service } from '../../package/stack.ts';
import type { PostgresqlServer, PostgresqlServerOptions } from './client/server.ts';
import { createPostgresqlServer } from './client/server.ts';
import { PostgreSQLDatabaseClassKind, PostgreSQLDatabaseKind } from './kinds/v1alpha1/postgresql-database.ts';
import type { PostgreSQLGrant } from './kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLGrantKind } from './kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from './kinds/v1alpha1/postgresql-role.ts';
import { ProviderConfigKind, ProviderKind } from './kinds/v1alpha1/provider.ts';
import {
  configurePostgreSQLDatabase,
  incompatibilityOfPostgreSQLDatabase,
} from './postgresql-database/configure.ts';
import { databaseCredential } from './postgresql-database/desired-state.ts';
import { postgreSQLDatabaseClient } from './postgresql-database/external-client.ts';
import { postgreSQLGrantClient } from './postgresql-grant/external-client.ts';
import { grantReferences } from './postgresql-grant/references.ts';
import { grantRivals } from './postgresql-grant/rival.ts';
import { roleCredential } from './postgresql-role/desired-state.ts';
import { postgreSQLRoleClient } from './postgresql-role/external-client.ts';
import type { ServerConnection } from './server-connection.ts';
import { serverConnector } from './server-connection.ts';

export interface PostgresqlStackOptions {
  readonly createServer?: (options: PostgresqlServerOptions) => PostgresqlServer;
}

/** A server for the external clients, and the parts that they share in a process. */
interface Shared extends ServerConnection {
  readonly rivalOf: RivalFinder<PostgreSQLGrant>;
  readonly lostReferences: (managed: Managed) => string | undefined;
}

/** PostgreSQL servers: databases, which satisfy PostgreSQL claims, roles and grants. */
export function createPostgresqlStack({
  createServer = createPostgresqlServer,
}: PostgresqlStackOptions = {}): DefinedStack {
  return defineStack({
    name: 'postgresql',
    provider: {
      provider: ProviderKind,
      providerConfig: ProviderConfigKind,
      credentialEntries: ['endpoint', 'port', 'username', 'password'],
      connect(env, kinds): Connect<Shared> {
        const connect = serverConnector(env, kinds, createServer);
        const shared = {
          rivalOf: grantRivals(env),
          lostReferences: lostReferenceFinder(env, grantReferences),
        };
        return async (managed) => {
          const connection = await connect(managed);
          const system = (signal: AbortSignal) => connection.server.systemIdentifier(signal);
          const facts = (): SystemFacts => {
            const major = connection.server.lastVersion();
            const version = major === undefined ? undefined : `PostgreSQL ${major}`;
            return { version, warning: connection.survey.warning() };
          };
          const check = (signal: AbortSignal) => system(signal).then(() => {});
          return { client: { ...connection, ...shared }, system, check, facts };
        };
      },
    },
    services: [
      service({
        managed: PostgreSQLDatabaseKind,
        externalNames: 'deterministic',
        references: [{ field: 'owner', ref: 'ownerRef', selector: 'ownerSelector', to: PostgreSQLRoleKind }],
        credential: databaseCredential,
        external: (shared: Shared) => postgreSQLDatabaseClient(shared),
        claims: [
          satisfies({
            claim: PostgreSQLInstanceKind,
            class: PostgreSQLDatabaseClassKind,
            configure: configurePostgreSQLDatabase,
            whyIncompatible: incompatibilityOfPostgreSQLDatabase,
          }),
        ],
      }),
      service({
        managed: PostgreSQLRoleKind,
        externalNames: 'deterministic',
        credential: roleCredential,
        external: (shared: Shared) => postgreSQLRoleClient(shared),
      }),
      service({
        managed: PostgreSQLGrantKind,
        externalNames: 'deterministic',
        confirmAbsenceMs: 0, // to grant again loses nothing
        references: grantReferences,
        external: (shared: Shared) => postgreSQLGrantClient(shared),
      }),
    ],
  });
}

export const postgresqlStack: DefinedStack = createPostgresqlStack();
