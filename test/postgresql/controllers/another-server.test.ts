import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLDatabaseKind } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { ProviderConfigKind } from '../../../apis/postgresql/v1alpha1/provider.ts';
import type { Credentials } from '../../../clients/postgresql/credentials.ts';
import { createPostgresqlServer } from '../../../clients/postgresql/server.ts';
import { stackControllers } from '../../../controllers/core/stack.ts';
import { createPostgresqlStack } from '../../../controllers/postgresql/setup.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import { FakeCluster, FakeProcess } from '../../controllers/core/environment-fake.ts';
import { postgresqlFixture } from '../clients/fixture.ts';

const home = await postgresqlFixture();
const empty = await postgresqlFixture();
const apiVersion = 'postgresql.crossplane.io/v1alpha1';
const identifierFor = async (credentials: Credentials): Promise<string> => {
  const server = createPostgresqlServer({ credentials, clock: realClock(), random: Math.random });
  after(() => server.close());
  return server.systemIdentifier();
};

test('a server has the same identifier for every user and at every address', async () => {
  const id = await identifierFor(home.credentials);
  assert.match(id, /^PostgreSQL system \d{15,}$/);
  await home.sql("CREATE ROLE plain LOGIN CREATEDB CREATEROLE PASSWORD 'plain'");
  const plain = { ...home.credentials, username: 'plain', password: 'plain' };
  assert.equal(await identifierFor({ ...plain, endpoint: 'localhost' }), id);
  assert.notEqual(await identifierFor(empty.credentials), id);
});

test('a server that does not tell is known by its address', async () => {
  await empty.sql('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
  await empty.sql("CREATE ROLE plain LOGIN PASSWORD 'plain'");
  const { endpoint, port } = empty.credentials;
  assert.equal(
    await identifierFor({ endpoint, port, username: 'plain', password: 'plain' }),
    `PostgreSQL server ${endpoint}:${port}`,
  );
});

test('at an empty server nothing is made, and nothing is forgotten', async () => {
  const cluster = new FakeCluster();
  const lead = ({ port, ...credentials }: Credentials): void => {
    const metadata = { namespace: 'infra', name: 'server' };
    const data = encodeDetails({ ...credentials, port: String(port) } as never);
    cluster.put<Secret>(SecretKind, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  };
  lead(home.credentials);
  cluster.put(ProviderConfigKind, {
    apiVersion,
    kind: 'ProviderConfig',
    metadata: { name: 'default' },
    spec: {
      credentials: {
        source: 'Secret',
        secretRef: { namespace: 'infra', name: 'server', key: 'endpoint' },
      },
    },
  });
  cluster.put(PostgreSQLDatabaseKind, {
    apiVersion,
    kind: 'PostgreSQLDatabase',
    metadata: { name: 'orders' },
    spec: { forProvider: {} },
  });
  const stack = createPostgresqlStack({
    createServer: (options) => {
      const server = createPostgresqlServer(options);
      after(() => server.close());
      return server;
    },
  });
  const process = new FakeProcess(cluster, (env) => stackControllers(env, [stack]), { isExternalReal: true });
  after(() => process.stop());
  const look = async (): Promise<void> => {
    cluster.clockMs += 3_000; // credentials that were read are used for a while
    process.resync(PostgreSQLDatabaseKind);
    await process.settle();
  };
  const condition = (type: string) =>
    getCondition(cluster.get(PostgreSQLDatabaseKind, { name: 'orders' })?.status?.conditions, type);
  const databases = async ({ sql }: typeof home) =>
    (await sql("SELECT FROM pg_database WHERE datname = 'orders'")).length;
  await process.settle();
  assert.equal(condition('Ready').status, 'True', JSON.stringify(condition('Synced')));

  lead(empty.credentials);
  await look();
  assert.match(condition('Synced').message ?? '', /the provider connects to PostgreSQL system \d+, but/);
  assert.deepEqual([await databases(home), await databases(empty)], [1, 0]);

  cluster.delete(PostgreSQLDatabaseKind, { name: 'orders' });
  await look();
  assert.equal(await databases(home), 1);
  assert.ok(cluster.get(PostgreSQLDatabaseKind, { name: 'orders' }) !== undefined, 'it waits');

  lead(home.credentials);
  await look();
  assert.equal(cluster.get(PostgreSQLDatabaseKind, { name: 'orders' }), undefined);
  assert.equal(await databases(home), 0);
});
