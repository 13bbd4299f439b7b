import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { PostgreSQLInstanceKind } from '../../../../../apis/database/v1alpha1/postgresql-instance.ts';
import { resourceId } from '../../../../../controllers/author/owner-id.ts';
import { markOf } from '../../../../../stacks/postgresql/client/mark.ts';
import { PostgreSQLDatabaseKind } from '../../../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../../../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../../../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import { database, grant, role } from '../../passes.ts';
import { postgresqlFixture } from '../clients/fixture.ts';
import { StackScene } from './scene.ts';

/*
 * A tenant on a real server, with psql and the Secret of its claim, and an administrator who makes objects later. A name
 * that the tenant chose, and all that it can write, gets it nothing of the administrator's.
 */

const fixture = await postgresqlFixture({ maxConnections: 40 });
const { sql } = fixture;
const run = promisify(execFile);
const kinds = {
  PostgreSQLDatabase: PostgreSQLDatabaseKind,
  PostgreSQLRole: PostgreSQLRoleKind,
  PostgreSQLGrant: PostgreSQLGrantKind,
};
const scene = new StackScene(fixture);
const { cluster } = scene;
const settle = () => scene.process.settle(70_000);

type Made = ReturnType<typeof database> | ReturnType<typeof role> | ReturnType<typeof grant>;

/** An administrator creates these objects. */
async function create(...objects: readonly Made[]): Promise<void> {
  for (const object of objects)
    cluster.put(kinds[object.kind as keyof typeof kinds] as never, object as never);
  await settle();
}

/** Ready, and why it is not synced. */
function stateOf({ kind, metadata: { name } }: Made): {
  readonly ready: string | undefined;
  readonly says: string;
} {
  const object = cluster.get(kinds[kind as keyof typeof kinds] as typeof PostgreSQLDatabaseKind, { name });
  const condition = (type: string) => object?.status?.conditions?.find((one) => one.type === type);
  const synced = condition('Synced');
  return {
    ready: condition('Ready')?.status,
    says: synced?.status === 'True' ? '' : (synced?.message ?? ''),
  };
}

/** The team's claim is Bound; its connection, with which psql works. */
async function tenant(name: string, externalName = name) {
  scene.putClaim(name, { externalName });
  await settle();
  assert.equal(scene.claim(name)?.status?.bindingPhase, 'Bound');
  const { uri = '' } = scene.details(name);
  const psql = async (statement: string, db?: string): Promise<string> => {
    const address = db === undefined ? uri : uri.replace(/\/[^/?]*(\?|$)/, `/${db}$1`);
    const { stdout } = await run('psql', [address, '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', statement]);
    return stdout.trim();
  };
  const resource = scene.claim(name)?.spec.resourceRef?.name ?? '';
  return { psql, resource, refused: (statement: string, db?: string) => assert.rejects(psql(statement, db)) };
}

const forged = (name: string) =>
  `COMMENT ON DATABASE "${name}" IS '${markOf(resourceId(PostgreSQLDatabaseKind, name))}'`;

const ownerOf = async (name: string) =>
  (
    await sql<{ owner: string }>(
      `SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = '${name}'`,
    )
  )[0]?.owner;

describe('a name that a tenant chose is no identity', () => {
  test('a grant to that role is refused; with a reference to the resource it is made', async () => {
    const { psql, resource, refused } = await tenant('analysts');
    const warehouse = database('warehouse');
    const given = { role: 'analysts', database: 'warehouse', privileges: ['CONNECT'] } as const;
    const byName = grant('analysts-see-the-warehouse', given);
    await create(warehouse, byName);
    assert.deepEqual(stateOf(byName), {
      ready: 'False',
      says: `spec.forProvider.role "analysts" is not used: role "analysts" is the role of PostgreSQLDatabase ${resource} of PostgreSQLInstance team/analysts; if it is meant, set spec.forProvider.roleDatabaseRef: a name alone is not enough`,
    });
    await refused('SELECT 1', 'warehouse');
    const meant = grant('meant', { ...given, roleDatabaseRef: { name: resource } });
    cluster.delete(PostgreSQLGrantKind, { name: byName.metadata.name });
    await settle();
    await create(meant);
    assert.deepEqual(stateOf(meant), { ready: 'True', says: '' });
    assert.equal(await psql('SELECT 1', 'warehouse'), '1');
  });

  test('a database whose owner has that name is refused', async () => {
    const { refused } = await tenant('owners');
    const owned = database('owned', { owner: 'owners' });
    await create(owned);
    assert.equal(
      stateOf(owned).says,
      'the owner is not used: role "owners" is the role of another resource; change spec.forProvider.owner',
    );
    await refused('SELECT 1', 'owned');
    const moved = database('moved');
    await create(moved);
    assert.equal(await ownerOf('owned'), undefined);
  });

  test('a membership in that role is refused', async () => {
    await tenant('staff');
    const member = grant('bob-is-staff', { role: 'bob', memberOf: 'staff' });
    await create(role('bob'), member);
    assert.match(
      stateOf(member).says,
      /memberOf "staff" is not used.*set spec\.forProvider\.memberOfDatabaseRef/,
    );
  });

  test('a grant on that database, and a copy of it, are refused', async () => {
    const { psql } = await tenant('golden');
    await psql('CREATE TABLE trap (x text)');
    const into = grant('into-golden', { role: 'reader', database: 'golden', privileges: ['CONNECT'] });
    const copy = database('copy', { template: 'golden' });
    await create(role('reader'), into, copy);
    assert.match(stateOf(into).says, /database "golden" is not used.*set spec\.forProvider\.databaseRef/);
    assert.equal(
      stateOf(copy).says,
      'template database "golden" is not used: role "golden" is the role of another resource; change spec.forProvider.template',
    );
    assert.deepEqual(await sql(`SELECT FROM pg_database WHERE datname = 'copy'`), []);
  });

  test('a reference whose role is gone grants nothing to the tenant who takes the name', async () => {
    const former = role('former');
    const given = { roleRef: { name: 'former' }, database: 'archive', privileges: ['CONNECT'] } as const;
    const orphan = grant('former-sees-the-archive', given);
    await create(former, database('archive'), orphan);
    assert.deepEqual(stateOf(orphan), { ready: 'True', says: '' });
    cluster.delete(PostgreSQLRoleKind, { name: 'former' });
    await settle();
    const { refused } = await tenant('former');
    await settle();
    assert.equal(
      stateOf(orphan).says,
      'spec.forProvider.roleRef: PostgreSQLRole former does not exist; create it, or change the reference',
    );
    await create(former); // another resource has the name, so this role is never made
    assert.match(stateOf(orphan).says, /role "former" is not used/);
    await refused('SELECT 1', 'archive');
  });

  test('a grant that stands is reported, and not taken back', async () => {
    const { psql } = await tenant('older');
    await sql('GRANT CONNECT ON DATABASE warehouse TO older');
    const standing = grant('standing', { role: 'older', database: 'warehouse', privileges: ['CONNECT'] });
    await create(standing);
    const { ready, says } = stateOf(standing);
    assert.equal(ready, 'True');
    assert.match(says, /^spec\.forProvider\.role "older" is not used/);
    assert.equal(await psql('SELECT 1', 'warehouse'), '1');
  });

  test('the role of a claim that is gone is used after the statement in the message, which ends its password', async () => {
    const { resource, psql, refused } = await tenant('gone');
    cluster.put(PostgreSQLDatabaseKind, {
      ...cluster.get(PostgreSQLDatabaseKind, { name: resource })!,
      spec: { ...cluster.get(PostgreSQLDatabaseKind, { name: resource })!.spec, deletionPolicy: 'Orphan' },
    });
    cluster.delete(PostgreSQLInstanceKind, { namespace: 'team', name: 'gone' });
    await settle();
    const given = grant('to-gone', { role: 'gone', database: 'warehouse', privileges: ['CONNECT'] });
    await create(given);
    const [, statements = ''] = /run: (.*)$/.exec(stateOf(given).says) ?? [];
    assert.equal(statements, 'ALTER ROLE "gone" PASSWORD NULL; COMMENT ON ROLE "gone" IS NULL');
    await refused('SELECT 1', 'warehouse');
    await sql(statements);
    await settle();
    assert.deepEqual(stateOf(given), { ready: 'True', says: '' });
    await assert.rejects(psql('SELECT 1', 'warehouse'));
  });
});

test('to adopt a database is a decision of an administrator, who sees which roles stay in it', async () => {
  await create(role('insider'));
  await sql('CREATE DATABASE found');
  await sql('GRANT TEMPORARY ON DATABASE found TO insider');
  const found = database('found', { owner: 'postgres' });
  await create(found);
  assert.match(
    stateOf(found).says,
    /to adopt it \(kubectl delete of [^;]*; "insider" keep objects or privileges in it\), run: COMMENT ON DATABASE/,
  );
  assert.ok(
    scene.process.events.some(
      ({ object, message }) => object.endsWith('found') && message.includes('"insider" keep'),
    ),
  );
});

/* All that a tenant can write on the server with the password of its claim, and that others read. */
describe('a tenant gets nothing of others by writing on the server', () => {
  // Read by grants, owners, memberships and templates that name a role or database.
  test('the external name of a claim decides only the name of its own database and role, if its class allows it and both are free', async () => {
    scene.editClass({ externalNames: 'Prefixed' });
    scene.putClaim('others', { externalName: 'team-b_orders' });
    await settle();
    assert.equal(scene.claim('others')?.status?.bindingPhase, 'Unbound');
    assert.deepEqual(await sql(`SELECT FROM pg_roles WHERE rolname = 'team-b_orders'`), []);
    const { psql } = await tenant('own', 'team_orders');
    assert.equal(await psql('SELECT current_user'), 'team_orders');
    scene.editClass({ externalNames: 'Any' });
  });

  // Read by the controllers, which look for the owner of the database.
  test('the comment of its database decides nothing: the mark of the owner role decides', async () => {
    const { psql } = await tenant('payroll');
    await psql('CREATE TABLE spy (x text); GRANT CREATE ON SCHEMA public TO PUBLIC');
    await psql(
      `DO $$ BEGIN EXECUTE format('COMMENT ON DATABASE payroll IS %L', repeat('x', 5000000)); END $$`,
    );
    assert.equal((await fixture.server().databases.observe('payroll'))?.comment?.length, 600);
    const payroll = database('payroll', { ownerRef: { name: 'payroll-owner' } });
    await psql(forged('payroll'));
    await create(role('payroll-owner'));
    await psql(forged('payroll'));
    await create(payroll);
    await psql(forged('payroll'));
    await settle();
    // The second, once the controller of the claim has written its own mark again.
    assert.match(
      stateOf(payroll).says,
      /belongs to role "payroll" of another resource, which can write the comment|is managed by another resource/,
    );
    assert.notEqual(stateOf(payroll).ready, 'True');
    assert.equal(await ownerOf('payroll'), 'payroll');
  });

  // Read by PostgreSQL, for every role that they name.
  test('privileges on its database and in it decide only who else gets into that database', async () => {
    const { psql, refused } = await tenant('giver');
    await psql('GRANT ALL ON DATABASE giver TO PUBLIC');
    await psql('GRANT CONNECT ON DATABASE archive TO giver'); // PostgreSQL only warns
    await refused('SELECT 1', 'archive');
    await settle();
    const [row] = await sql(`SELECT has_database_privilege('public', 'giver', 'CONNECT') AS open`);
    assert.deepEqual(row, { open: false });
  });

  // Read by grants on such a schema, and for extensions that a spec puts there.
  test('schemas in a database that it may create in decide nothing: the owner of the schema decides', async () => {
    const { psql, resource } = await tenant('builder');
    const shared = database('shared');
    await create(
      shared,
      grant('builder-in-shared', {
        role: 'builder',
        roleDatabaseRef: { name: resource },
        database: 'shared',
        privileges: ['CONNECT', 'CREATE'],
      }),
    );
    await psql('CREATE SCHEMA reports', 'shared');
    const onSchema = grant('reports', {
      role: 'reader',
      database: 'shared',
      schema: 'reports',
      privileges: ['USAGE'],
    });
    await create(role('reader'), onSchema);
    assert.match(stateOf(onSchema).says, /schema "reports" is not used/);
    const extended = database('shared', { extensions: [{ name: 'pg_trgm', schema: 'reports' }] });
    await create(extended);
    assert.match(
      stateOf(extended).says,
      /extension "pg_trgm" is not installed: schema "reports" belongs to role "builder" of another resource/,
    );
  });

  // Read by PostgreSQL, for every session on the database or of the role.
  test('settings of its database and role decide only how its own sessions behave, and those of roles that an administrator lets in', async () => {
    const { psql, resource } = await tenant('setter');
    for (const setting of [
      `role = 'setter'`,
      `search_path = 'setter'`,
      `default_transaction_read_only = on`,
    ]) {
      await psql(`ALTER DATABASE setter SET ${setting}`);
    }
    const inside = grant('into-setter', {
      role: 'reader',
      database: 'setter',
      databaseRef: { name: resource },
      schema: 'public',
      privileges: ['USAGE'],
    });
    await create(role('reader'), inside);
    assert.deepEqual(stateOf(inside), { ready: 'True', says: '' });
  });

  test('default privileges and objects in its database decide only what it contains for roles that an administrator lets in', async () => {
    const { psql, refused } = await tenant('default');
    await psql('ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC');
    await refused('ALTER DEFAULT PRIVILEGES FOR ROLE postgres GRANT ALL ON TABLES TO PUBLIC');
  });

  // Read by the controllers, which look for the owner of the database.
  test('the owner of its database decides nothing: PostgreSQL allows no other owner', async () => {
    const { refused } = await tenant('seller');
    await create(role('buyer'));
    await refused('ALTER DATABASE seller OWNER TO buyer');
    await refused('ALTER DATABASE seller RENAME TO other');
    await refused('REASSIGN OWNED BY seller TO buyer');
  });

  // Read by the controller that installs extensions.
  test('extensions in its database decide only which trusted extensions that database has', async () => {
    const { psql, refused } = await tenant('installer');
    await psql('CREATE EXTENSION pg_trgm');
    await refused('CREATE EXTENSION postgres_fdw');
  });

  // PostgreSQL would run or check them on behalf of other users.
  test('event triggers and roles decide nothing: PostgreSQL refuses both', async () => {
    const { psql, refused } = await tenant('maker');
    await psql('CREATE FUNCTION spy() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN END$$');
    await refused('CREATE EVENT TRIGGER spy ON ddl_command_end EXECUTE FUNCTION spy()');
    for (const statement of [
      'CREATE ROLE another',
      `COMMENT ON ROLE maker IS 'services-stack: 0'`,
      'COMMENT ON ROLE maker IS NULL',
      'ALTER ROLE maker RENAME TO another',
      'ALTER ROLE maker CREATEDB',
    ])
      await refused(statement);
  });

  // PostgreSQL checks privileges at each statement.
  test('sessions that stay open may do nothing that their role may not do any more', async () => {
    const { resource } = await tenant('sleeper');
    const given = grant('sleeper-in', {
      role: 'sleeper',
      roleDatabaseRef: { name: resource },
      database: 'warehouse',
      privileges: ['CONNECT', 'CREATE'],
    });
    await create(given);
    const { username = '', password = '' } = scene.details('sleeper');
    const session = await fixture.connect({ user: username, password, database: 'warehouse' });
    await session.query('CREATE SCHEMA before');
    cluster.delete(PostgreSQLGrantKind, { name: 'sleeper-in' });
    await settle();
    await assert.rejects(session.query('CREATE SCHEMA after'), { code: '42501' });
    await session.end();
  });
});
