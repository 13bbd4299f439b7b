import { execFile } from 'node:child_process';
import { Client } from 'pg';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { PostgreSQLInstance } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import type { PostgreSQLDatabaseClass } from '../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { PostgreSQLDatabaseClassKind } from '../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { ProviderConfigKind } from '../../apis/postgresql/v1alpha1/provider.ts';
import type { PostgresqlOptions } from '../../local/postgresql.ts';
import { startPostgresql } from '../../local/postgresql.ts';
import { eventually, startCluster } from './stack-harness.ts';

const apiVersion = 'postgresql.crossplane.io/v1alpha1';
export const credentialsNamespace = 'postgresql-credentials';
export const namespaces = ['team-a', 'team-b'] as const;

/** A cluster, a PostgreSQL server and a ProviderConfig `default` for it. */
export type PostgreSQLFixture = Awaited<ReturnType<typeof startPostgreSQLCluster>>;

export async function startPostgreSQLCluster(options: PostgresqlOptions = {}) {
  const local = await startPostgresql(options);
  const cluster = await startCluster();
  const { client } = cluster;
  for (const name of [credentialsNamespace, ...namespaces]) {
    await client.create(NamespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  const connect = async (details?: ConnectionDetails): Promise<Client> => {
    const connection = new Client({
      host: local.host,
      port: local.port,
      user: details === undefined ? local.superuser : (details.username ?? ''),
      password: details === undefined ? local.password : (details.password ?? ''),
      database: details?.database ?? 'postgres',
      ssl: false,
    });
    connection.on('error', () => {});
    await connection.connect();
    return connection;
  };

  /** The rows of one statement, as the administrator or with connection details. */
  async function sql<Row extends object = Record<string, unknown>>(
    text: string,
    as?: ConnectionDetails,
  ): Promise<Row[]> {
    const connection = await connect(as);
    try {
      return (await connection.query<Row>(text)).rows;
    } finally {
      await connection.end();
    }
  }
  const details = async (namespace: string, name: string): Promise<ConnectionDetails | undefined> => {
    const secret = await cluster.find(SecretKind, { namespace, name });
    return secret && decodeDetails(secret);
  };

  const secretRef = { namespace: credentialsNamespace, name: 'default', key: 'endpoint' };
  await client.create(SecretKind, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: credentialsNamespace, name: 'default' },
    data: encodeDetails({
      endpoint: local.host,
      port: String(local.port),
      username: local.superuser,
      password: local.password,
    }),
  });
  await client.create(ProviderConfigKind, {
    apiVersion,
    kind: 'ProviderConfig',
    metadata: { name: 'default' },
    spec: { credentials: { source: 'Secret', secretRef } },
  });

  return {
    cluster,
    local,
    details,
    databaseClass: (name: string, template: Partial<PostgreSQLDatabaseClass['specTemplate']> = {}) =>
      client.create(PostgreSQLDatabaseClassKind, {
        apiVersion,
        kind: 'PostgreSQLDatabaseClass',
        metadata: { name },
        specTemplate: {
          writeConnectionSecretsToNamespace: credentialsNamespace,
          forProvider: { onDelete: 'TerminateSessions' },
          ...template,
        },
      }),
    /** A claim of that class, with secret `<name>-connection`. */
    claim: (
      namespace: string,
      name: string,
      className: string,
      spec: PostgreSQLInstance['spec'] = {},
    ): Promise<PostgreSQLInstance> =>
      client.create(PostgreSQLInstanceKind, {
        apiVersion: 'database.crossplane.io/v1alpha1',
        kind: 'PostgreSQLInstance',
        metadata: { namespace, name },
        spec: {
          classRef: { apiVersion, kind: 'PostgreSQLDatabaseClass', name: className },
          writeConnectionSecretToRef: { name: `${name}-connection` },
          ...spec,
        },
      }),
    /** Waits until it is Bound and Ready, and answers with its connection details. */
    bound: (namespace: string, name: string, timeoutMs?: number): Promise<ConnectionDetails> =>
      eventually(
        `claim ${namespace}/${name} is Bound and Ready`,
        async () => {
          const claim = await cluster.find(PostgreSQLInstanceKind, { namespace, name });
          const ready = claim?.status?.conditions?.find(({ type }) => type === 'Ready');
          if (claim?.status?.bindingPhase !== 'Bound' || ready?.status !== 'True') {
            throw new Error(JSON.stringify(claim?.status ?? 'no status'));
          }
          return details(namespace, claim.status.binding?.name ?? '');
        },
        timeoutMs,
      ),
    sql,
    /** The SQLSTATE with which the server refuses a login or statement; `'allowed'` if it does not. */
    async refusal(as: ConnectionDetails, text = 'SELECT 1'): Promise<string> {
      try {
        await sql(text, as);
        return 'allowed';
      } catch (error) {
        return (error as { code?: string }).code ?? String(error);
      }
    },
    /** Names of the databases and roles that carry a mark of ours. */
    async ours() {
      const marked = (catalog: string, name: string) =>
        sql<{ name: string }>(
          `SELECT ${name} AS name FROM ${catalog}
           WHERE shobj_description(oid, '${catalog}') LIKE 'services-stack: %' ORDER BY 1`,
        );
      return {
        databases: (await marked('pg_database', 'datname')).map(({ name }) => name),
        roles: (await marked('pg_authid', 'rolname')).map(({ name }) => name),
      };
    },
    async stop(): Promise<void> {
      await cluster.stop();
      await local.dispose();
    },
  };
}

/** Runs psql with a URI; undefined if there is none on this machine. */
export function psql(uri: string, statement: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    execFile('psql', [uri, '-v', 'ON_ERROR_STOP=1', '-qtAc', statement], (error, stdout, stderr) => {
      if (error === null) resolve(stdout.trim());
      else if (error.code === ('ENOENT' as unknown)) resolve(undefined);
      else reject(new Error(`psql failed: ${stderr.trim() || error.code}`, { cause: error }));
    });
  });
}
