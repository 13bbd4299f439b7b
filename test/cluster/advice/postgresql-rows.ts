import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import { PostgreSQLDatabaseClassKind } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { ProviderConfigKind } from '../../../apis/postgresql/v1alpha1/provider.ts';
import type { LocalPostgresql } from '../../../local/postgresql.ts';
import { credentialsNamespace } from '../fancysql-fixture.ts';
import { eventually } from '../stack-harness.ts';
import type { Place, Row } from './player.ts';

type Entries = Readonly<Record<string, string>>;

const apiVersion = 'postgresql.crossplane.io/v1alpha1';

/** A claim of a class whose provider has a wrong entry in its credentials, which a reader corrects. */
const wrongEntry = (server: () => LocalPostgresql, wrong: Entries, reason: string, says: string): Row => {
  const right = (): Entries => {
    const { host, port, superuser, password } = server();
    return { endpoint: host, port: String(port), username: superuser, password, sslmode: 'disable' };
  };
  const credentials = (at: Place, entries: Entries): Promise<string> =>
    at.secret(credentialsNamespace, at.named('pg'), { ...right(), ...entries });
  return {
    async situation(at) {
      const { client } = at.fixture.cluster;
      const name = at.named('pg');
      await credentials(at, wrong);
      await client.create(ProviderConfigKind, {
        apiVersion,
        kind: 'ProviderConfig',
        metadata: { name },
        spec: {
          credentials: {
            source: 'Secret',
            secretRef: { namespace: credentialsNamespace, name, key: 'endpoint' },
          },
        },
      });
      await client.create(PostgreSQLDatabaseClassKind, {
        apiVersion,
        kind: 'PostgreSQLDatabaseClass',
        metadata: { name },
        specTemplate: {
          writeConnectionSecretsToNamespace: credentialsNamespace,
          providerConfigRef: { name },
          forProvider: {},
        },
      });
      await client.create(PostgreSQLInstanceKind, {
        apiVersion: 'database.crossplane.io/v1alpha1',
        kind: 'PostgreSQLInstance',
        metadata: { namespace: at.namespace, name: 'db' },
        spec: { classRef: { apiVersion, kind: 'PostgreSQLDatabaseClass', name } },
      });
      await eventually(`the claim is ${reason}`, async () => {
        const claim = await at.fixture.cluster.find(PostgreSQLInstanceKind, at.key);
        const ready = claim?.status?.conditions?.find(({ type }) => type === 'Ready');
        if (ready?.reason === reason) return true;
        throw new Error(JSON.stringify(claim?.status));
      });
    },
    says: () => says,
    where: (at) => at.messagesOf(ProviderConfigKind, { name: at.named('pg') }),
    act: (at) => credentials(at, wrong.database === undefined ? {} : { database: 'postgres' }),
    ends: (at) => at.usable('db', PostgreSQLInstanceKind),
  };
};

/** A mistake in each entry of the credentials of a PostgreSQL server. */
export const postgresqlRows = (server: () => LocalPostgresql): Readonly<Record<string, Row>> => ({
  'PostgreSQL: a wrong password': wrongEntry(
    server,
    { password: 'wrong' },
    'CredentialsRefused',
    'password authentication failed',
  ),
  'PostgreSQL: a wrong role': wrongEntry(
    server,
    { username: 'nobody' },
    'CredentialsRefused',
    'password authentication failed',
  ),
  'PostgreSQL: a wrong host': wrongEntry(
    server,
    { endpoint: 'no-such-host.invalid' },
    'ProviderUnreachable',
    'no-such-host.invalid',
  ),
  'PostgreSQL: a wrong port': wrongEntry(server, { port: '1' }, 'ProviderUnreachable', 'refused'),
  'PostgreSQL: a wrong TLS mode': wrongEntry(
    server,
    { sslmode: 'require' },
    'ProviderUnreachable',
    'to connect without TLS, set sslmode "disable" in the credentials',
  ),
  'PostgreSQL: a database that does not exist': wrongEntry(
    server,
    { database: 'missing' },
    'CredentialsRefused',
    'has no database "missing", which the credentials name',
  ),
});
