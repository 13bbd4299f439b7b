import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConnectionDetails, Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../../apis/postgresql/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../../apis/postgresql/v1alpha1/postgresql-role.ts';
import { ProviderConfigKind, ProviderKind } from '../../../apis/postgresql/v1alpha1/provider.ts';
import type { Credentials } from '../../../clients/postgresql/credentials.ts';
import { stackControllers } from '../../../controllers/core/stack.ts';
import { createPostgresqlStack } from '../../../controllers/postgresql/setup.ts';
import { FakeCluster, FakeProcess } from '../../controllers/core/environment-fake.ts';
import { grant, role } from '../../controllers/postgresql/passes.ts';
import { postgresqlFixture } from '../clients/fixture.ts';
import { loginOf } from './fixture.ts';

const { server: serverOf, sql, refusal, credentials } = await postgresqlFixture();
const apiVersion = 'postgresql.crossplane.io/v1alpha1';

/** The stack over an API server in memory and a real PostgreSQL. */
class Scene {
  readonly cluster = new FakeCluster();
  /** Those that the stack has asked for. */
  readonly servers: Credentials[] = [];
  process: FakeProcess;

  constructor() {
    this.putSecret();
    const credentialsSecretRef = { namespace: 'infra', name: 'server', key: 'endpoint' };
    this.cluster.put(ProviderConfigKind, {
      apiVersion,
      kind: 'ProviderConfig',
      metadata: { name: 'default' },
      spec: { credentials: { source: 'Secret', secretRef: credentialsSecretRef } },
    });
    this.cluster.put(ProviderKind, {
      apiVersion,
      kind: 'Provider',
      metadata: { name: 'legacy' },
      spec: { credentialsSecretRef },
    });
    this.cluster.put(PostgreSQLDatabaseClassKind, {
      apiVersion,
      kind: 'PostgreSQLDatabaseClass',
      metadata: { name: 'small' },
      specTemplate: {
        writeConnectionSecretsToNamespace: 'infra',
        reclaimPolicy: 'Delete',
        forProvider: { onDelete: 'TerminateSessions' },
      },
    });
    this.process = this.start();
  }

  putSecret(entries: ConnectionDetails = {}): void {
    this.cluster.put<Secret>(SecretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'infra', name: 'server' },
      data: encodeDetails({ ...credentials, port: String(credentials.port), ...entries }),
    });
  }

  start(): FakeProcess {
    const stack = createPostgresqlStack({
      createServer: ({ credentials: given }) => {
        this.servers.push(given);
        return serverOf({ credentials: given, connectionWaitMs: 100 });
      },
    });
    return new FakeProcess(this.cluster, (env) => stackControllers(env, [stack]), { isExternalReal: true });
  }

  putClaim(name: string): void {
    this.cluster.put(PostgreSQLInstanceKind, {
      apiVersion: 'database.crossplane.io/v1alpha1',
      kind: 'PostgreSQLInstance',
      metadata: { namespace: 'team', name },
      spec: {
        classRef: { apiVersion, kind: 'PostgreSQLDatabaseClass', name: 'small' },
        writeConnectionSecretToRef: { name: `${name}-connection` },
      },
    });
  }

  claim(name: string) {
    return this.cluster.get(PostgreSQLInstanceKind, { namespace: 'team', name });
  }

  details(name: string): ConnectionDetails {
    return decodeDetails(this.cluster.get(SecretKind, { namespace: 'team', name: `${name}-connection` }));
  }
}

const marked = async (): Promise<readonly string[]> => {
  const rows = await sql<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE shobj_description(oid, 'pg_database') LIKE 'services-stack%'
     UNION ALL
     SELECT rolname FROM pg_roles WHERE shobj_description(oid, 'pg_authid') LIKE 'services-stack%'
     UNION ALL SELECT datname FROM pg_database WHERE datname LIKE 'services-stack%' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

test('a claim gets a database whose secret works, and takes it with it', async () => {
  const scene = new Scene();
  scene.putClaim('orders');
  await scene.process.settle();
  assert.equal(scene.claim('orders')?.status?.bindingPhase, 'Bound');
  assert.equal(await refusal(loginOf(scene.details('orders'))), 'allowed');
  const name = scene.details('orders').database ?? '';
  assert.deepEqual(await marked(), [name, name]);
  scene.cluster.delete(PostgreSQLInstanceKind, { namespace: 'team', name: 'orders' });
  await scene.process.settle();
  assert.equal(scene.claim('orders'), undefined);
  assert.deepEqual(scene.cluster.all(PostgreSQLDatabaseKind), []);
  assert.deepEqual(await marked(), []);
  assert.deepEqual(scene.process.errors, []);
});

describe('servers', () => {
  test('are one object per credentials, whichever provider names them', async () => {
    const scene = new Scene();
    for (const name of ['a', 'b', 'c']) scene.putClaim(name);
    scene.cluster.put(
      PostgreSQLRoleKind,
      role('d', { login: true }, { spec: { providerRef: { name: 'legacy' } } }),
    );
    await scene.process.settle(5 * 60_000);
    assert.equal(scene.servers.length, 1);
    for (const name of ['a', 'b', 'c']) {
      scene.cluster.delete(PostgreSQLInstanceKind, { namespace: 'team', name });
    }
    scene.cluster.delete(PostgreSQLRoleKind, { name: 'd' });
    await scene.process.settle();
    assert.deepEqual(await marked(), []);
  });

  test('are created again when the credentials change, and a moved endpoint reaches the claim’s Secret', async () => {
    const scene = new Scene();
    scene.putClaim('mover');
    await scene.process.settle();
    assert.equal(scene.details('mover').endpoint, '127.0.0.1');
    scene.putSecret({ endpoint: 'localhost' });
    await scene.process.settle(2 * 60_000);
    const endpoints = scene.servers.map(({ endpoint }) => endpoint);
    assert.deepEqual(endpoints, ['127.0.0.1', 'localhost']);
    const { endpoint, host, uri, password } = scene.details('mover');
    assert.deepEqual([endpoint, host], ['localhost', 'localhost']);
    assert.ok(uri?.includes(`${password}@localhost:`));
    scene.cluster.delete(PostgreSQLInstanceKind, { namespace: 'team', name: 'mover' });
    await scene.process.settle();
  });
});

test('of two grants about the same the older holds, and the younger takes over when it goes', async () => {
  const scene = new Scene();
  const reader = role('reader');
  scene.cluster.put(PostgreSQLRoleKind, reader);
  scene.putClaim('shared');
  await scene.process.settle();
  const database = scene.details('shared').database ?? '';
  const same = { role: 'reader', database };
  scene.cluster.put(PostgreSQLGrantKind, grant('older', { ...same, privileges: ['CONNECT'] }));
  scene.cluster.clockMs += 1_000;
  scene.cluster.put(PostgreSQLGrantKind, grant('younger', { ...same, privileges: ['TEMPORARY'] }));
  await scene.process.settle(5 * 60_000);
  const synced = (name: string) =>
    scene.cluster
      .get(PostgreSQLGrantKind, { name })
      ?.status?.conditions?.find(({ type }) => type === 'Synced');
  const may = async (privilege: string) => {
    const [row] = await sql(`SELECT has_database_privilege('reader', '${database}', '${privilege}') AS may`);
    return row?.may;
  };
  assert.equal(synced('older')?.status, 'True');
  assert.match(synced('younger')?.message ?? '', /PostgreSQLGrant older has the same role and target/);
  assert.equal(await may('CONNECT'), true);
  scene.cluster.delete(PostgreSQLGrantKind, { name: 'older' });
  await scene.process.settle(5 * 60_000);
  assert.equal(synced('younger')?.status, 'True');
  assert.equal(await may('CONNECT'), false);
  scene.cluster.delete(PostgreSQLGrantKind, { name: 'younger' });
  scene.cluster.delete(PostgreSQLRoleKind, { name: 'reader' });
  scene.cluster.delete(PostgreSQLInstanceKind, { namespace: 'team', name: 'shared' });
  await scene.process.settle(2 * 60_000);
  assert.deepEqual(await marked(), []);
});
