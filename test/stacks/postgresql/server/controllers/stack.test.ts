import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PostgreSQLInstanceKind } from '../../../../../apis/database/v1alpha1/postgresql-instance.ts';
import { PostgreSQLDatabaseKind } from '../../../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../../../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../../../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import { grant, role } from '../../passes.ts';
import { postgresqlFixture } from '../clients/fixture.ts';
import { loginOf } from './fixture.ts';
import { StackScene } from './scene.ts';

const fixture = await postgresqlFixture();
const { sql, refusal } = fixture;

class Scene extends StackScene {
  constructor() {
    super(fixture);
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
  const [shared] = scene.cluster.all(PostgreSQLDatabaseKind);
  const same = { role: 'reader', database, databaseRef: { name: shared?.metadata.name ?? '' } };
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
