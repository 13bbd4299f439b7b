import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { PostgreSQLInstance } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import type {
  PostgreSQLDatabase,
  PostgreSQLDatabaseClass,
} from '../../apis/postgresql/v1alpha1/postgresql-database.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../apis/postgresql/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../apis/postgresql/v1alpha1/postgresql-role.ts';
import { ProviderConfigKind, ProviderKind } from '../../apis/postgresql/v1alpha1/provider.ts';
import { generatePassword } from '../../clients/generate-password.ts';
import type { PostgresqlServer, PostgresqlServerOptions } from '../../clients/postgresql/server.ts';
import { createPostgresqlServer } from '../../clients/postgresql/server.ts';
import type { ClaimService } from '../core/claim-service.ts';
import type { ExternalClient, ExternalConnector } from '../core/managed/external-client.ts';
import type { Stack } from '../core/stack.ts';
import { createPasswordChecks } from './password-checks.ts';
import { configurePostgreSQLDatabase } from './postgresql-database/configure.ts';
import { postgreSQLDatabaseClient } from './postgresql-database/external-client.ts';
import { postgreSQLGrantClient } from './postgresql-grant/external-client.ts';
import { rivalFinder } from './postgresql-grant/rival.ts';
import { postgreSQLRoleClient } from './postgresql-role/external-client.ts';
import type { ServerConnection } from './server-connection.ts';
import { serverConnection } from './server-connection.ts';

export interface PostgresqlStackOptions {
  readonly createServer?: (options: PostgresqlServerOptions) => PostgresqlServer;
  readonly generatePassword?: () => string;
}

const providers = { provider: ProviderKind, providerConfig: ProviderConfigKind };

/** PostgreSQL servers: databases, which satisfy PostgreSQL claims, roles and grants. */
export function createPostgresqlStack(options: PostgresqlStackOptions = {}): Stack {
  const { createServer = createPostgresqlServer, generatePassword: newPassword = () => generatePassword() } =
    options;
  return {
    name: 'postgresql',
    claims: [postgreSQLDatabases],
    managed(env) {
      const connect = serverConnection(env, providers, createServer);
      const connector = <M extends Managed>(
        clientOf: (connection: ServerConnection) => ExternalClient<M>,
      ): ExternalConnector<M> => ({
        async connect(managed) {
          const connection = await connect(managed);
          const system = (signal: AbortSignal) => connection.server.systemIdentifier(signal);
          return { ...clientOf(connection), system };
        },
      });
      const checks = createPasswordChecks(env);
      const rivalOf = rivalFinder(env);
      return [
        {
          kind: PostgreSQLDatabaseKind,
          providers,
          externalNames: 'deterministic',
          references: [
            { field: 'owner', ref: 'ownerRef', selector: 'ownerSelector', to: PostgreSQLRoleKind },
          ],
          connector: connector((connection) =>
            postgreSQLDatabaseClient({ ...connection, checks, generatePassword: newPassword }),
          ),
        },
        {
          kind: PostgreSQLRoleKind,
          providers,
          externalNames: 'deterministic',
          connector: connector((connection) =>
            postgreSQLRoleClient({ ...connection, checks, generatePassword: newPassword }),
          ),
        },
        {
          kind: PostgreSQLGrantKind,
          providers,
          externalNames: 'deterministic',
          confirmAbsenceMs: 0, // to grant again loses nothing
          references: [
            { field: 'role', ref: 'roleRef', selector: 'roleSelector', to: PostgreSQLRoleKind },
            {
              field: 'database',
              ref: 'databaseRef',
              selector: 'databaseSelector',
              to: PostgreSQLDatabaseKind,
            },
            { field: 'memberOf', ref: 'memberOfRef', selector: 'memberOfSelector', to: PostgreSQLRoleKind },
          ],
          connector: connector(({ server }) => postgreSQLGrantClient({ server, rivalOf })),
        },
      ];
    },
  };
}

const postgreSQLDatabases = {
  claim: PostgreSQLInstanceKind,
  class: PostgreSQLDatabaseClassKind,
  managed: PostgreSQLDatabaseKind,
  configure: configurePostgreSQLDatabase,
} satisfies ClaimService<PostgreSQLInstance, PostgreSQLDatabaseClass, PostgreSQLDatabase>;

export const postgresqlStack: Stack = createPostgresqlStack();
