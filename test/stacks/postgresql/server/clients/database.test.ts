import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { unfinishedName } from '../../../../../stacks/postgresql/client/database-read.ts';
import { ownerId, postgresqlFixture } from './fixture.ts';

const {
  server: serverOf,
  credentials: serverCredentials,
  sql,
  refusal,
  connect,
} = await postgresqlFixture({ settings: { autovacuum: 'off', max_prepared_transactions: '2' } });
const server = serverOf();
const { databases, grants, roles } = server;
const owned = { ownerId };

before(async () => {
  await roles.create('ann', { login: true }, { ownerId, password: 'ann-password' });
});
after(() => server.close());
const ann = { user: 'ann', password: 'ann-password' };

test('the administrator does not use a tenant’s object that has the name of a catalog', async () => {
  await databases.create('trap', { owner: 'ann' }, owned);
  await sql('CREATE TABLE pg_extension (extname name, extversion text)', { ...ann, database: 'trap' }).catch(
    () => {},
  );
  await sql(
    `CREATE SCHEMA evil; CREATE TABLE evil.pg_extension (extname name, extversion text);
     INSERT INTO evil.pg_extension VALUES ('hstore', '9'); ALTER DATABASE trap SET search_path = evil, pg_catalog`,
    { ...ann, database: 'trap' },
  );
  await databases.update('trap', { owner: 'ann', extensions: [{ name: 'hstore' }] }, owned);
  const observed = await databases.observe('trap', { withExtensions: true });
  assert.ok(observed?.extensions?.some(({ name, version }) => name === 'hstore' && version === '1.8'));
  const [hstore] = await sql(
    "SELECT extnamespace::regnamespace::text AS at FROM pg_catalog.pg_extension WHERE extname = 'hstore'",
    { database: 'trap' },
  );
  assert.deepEqual(hstore, { at: 'public' });
});

test('an extension whose function exists already is refused, and installed after one of the remedies', async () => {
  const spec = { extensions: [{ name: 'pg_trgm' }] };
  await databases.create('words', {}, owned);
  await sql('CREATE FUNCTION public.similarity(text, text) RETURNS real LANGUAGE sql RETURN 1', {
    database: 'words',
  });
  await assert.rejects(databases.update('words', spec, owned), {
    errorClass: 'Invalid',
    message:
      'extension "pg_trgm" is not installed: function "similarity" already exists with same argument types; name another schema for it in spec.forProvider.extensions, or give the existing object another name',
  });
  const elsewhere = { extensions: [{ name: 'pg_trgm', schema: 'tools' }] };
  await assert.rejects(databases.update('words', elsewhere, owned), {
    errorClass: 'NotReady',
    message:
      'schema "tools" does not exist; change spec.forProvider.extensions, or run in database "words": CREATE SCHEMA "tools"',
  });
  await sql('CREATE SCHEMA "tools"', { database: 'words' });
  await databases.update('words', elsewhere, owned);
  const observed = await databases.observe('words', { withExtensions: true });
  assert.ok(observed?.extensions?.some(({ name }) => name === 'pg_trgm'));
  await assert.rejects(
    databases.update('words', { extensions: [{ name: 'pg_trgm', version: '99' }] }, owned),
    {
      message: /^extension "pg_trgm" has no update path .*"99"; change spec\.forProvider\.extensions$/,
    },
  );
});

test('a grant names each role, database or schema that does not exist, with a remedy', async () => {
  await databases.create('shop', {}, owned);
  const cases: readonly (readonly [spec: Parameters<typeof grants.apply>[0], message: string])[] = [
    [
      { role: 'nobody', on: { database: 'nowhere' }, privileges: ['CONNECT'] },
      'role "nobody" and database "nowhere" do not exist; create them with a PostgreSQLRole and a PostgreSQLDatabase, or change spec.forProvider.role and spec.forProvider.database',
    ],
    [
      { role: 'nobody', on: { memberOf: 'none such' } },
      'role "nobody" and role "none such" do not exist; create them with a PostgreSQLRole, or change spec.forProvider.role and spec.forProvider.memberOf',
    ],
    [
      { role: 'ann', on: { database: 'shop', schema: 'nowhere' }, privileges: ['USAGE'] },
      'schema "nowhere" does not exist; change spec.forProvider.schema, or run in database "shop": CREATE SCHEMA "nowhere"',
    ],
    [
      { role: 'ann', on: { memberOf: 'none' } },
      'role name "none" is reserved; change spec.forProvider.memberOf',
    ],
    [
      { role: 'public', on: { database: 'shop' }, privileges: ['CONNECT'] },
      'role name "public" is reserved; change spec.forProvider.role',
    ],
  ];
  for (const [spec, message] of cases) await assert.rejects(grants.apply(spec), { message });
});

test('the message to an administrator who may not connect to a database has the statement that helps', async () => {
  await sql("CREATE ROLE clerk LOGIN PASSWORD 'clerk'");
  await sql('CREATE DATABASE shut');
  await sql('REVOKE CONNECT ON DATABASE shut FROM PUBLIC');
  const credentials = { ...serverCredentials, username: 'clerk', password: 'clerk', database: 'shut' };
  const clerk = serverOf({ credentials });
  const remedy = 'the owner of the database, or a superuser, runs: ';
  const statement = 'GRANT CONNECT ON DATABASE "shut" TO "clerk"';
  await assert.rejects(clerk.serverVersion(), (error: Error) => {
    assert.equal(error.message.split('; ').at(-1), remedy + statement);
    return true;
  });
  await sql(statement);
  assert.ok(await clerk.serverVersion());
});

test('a database that another user creates during our creation keeps the name', async () => {
  const slow = serverOf({
    createClient: (config) => {
      const client = new Client(config);
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      const spied = async (...args: unknown[]) => {
        if (String(args[0]).includes('RENAME TO')) await sql('CREATE DATABASE snatched');
        return query(...args);
      };
      return Object.assign(client, { query: spied }) as typeof client;
    },
  });
  await assert.rejects(slow.databases.create('snatched', {}, owned), { code: 'NotOurs' });
  assert.equal((await databases.observe('snatched'))?.comment, undefined);
  assert.equal(
    await databases.observe(unfinishedName(ownerId, 'snatched')),
    undefined,
    'ours is cleared away',
  );
});

describe('names', () => {
  const fine = [
    'With "quotes" and \'more\'',
    'semi; DROP DATABASE postgres; --',
    'back\\slash $1 %s',
    'Grüße 数据库 🐘',
    '  spaces  ',
    'ü'.repeat(31), // 62 bytes
    'x'.repeat(63),
  ];
  for (const name of fine) {
    test(`${JSON.stringify(name)} is taken as it is`, async () => {
      await roles.create(name, { login: true }, { ownerId, password: 'a password' });
      await databases.create(
        name,
        { owner: name, connectionLimit: 3, extensions: [{ name: 'citext' }] },
        owned,
      );
      assert.equal((await databases.observe(name))?.owner, name);
      assert.equal(await refusal({ user: name, password: 'a password', database: name }), 'allowed');
      await databases.update(name, { owner: 'ann', connectionLimit: 4 }, owned);
      assert.equal((await databases.observe(name))?.owner, 'ann');
      await databases.drop(name, { ownerId, terminateSessions: false });
      await roles.drop(name, owned);
      assert.equal(await databases.observe(name), undefined);
      assert.equal(await roles.observe(name), undefined);
    });
  }
});

test('a value of the wrong type is refused and not written into a statement', async () => {
  for (const field of ['allowConnections', 'connectionLimit'] as const) {
    const injected = { [field]: 'true; CREATE ROLE planted SUPERUSER' } as object;
    const invalid = { name: 'PostgresqlError', code: 'Invalid' };
    await assert.rejects(databases.create('injected', injected, owned), invalid);
    await databases.create('injected', {}, owned);
    await assert.rejects(databases.update('injected', injected, owned), invalid);
    assert.equal(await roles.observe('planted'), undefined);
    await databases.drop('injected', { ownerId, terminateSessions: false });
  }
});

test('a session on template1 blocks no creation: the default template is template0, which accepts no connections', async () => {
  const session = await connect({ ...ann, database: 'template1' });
  await databases.create('undisturbed', { owner: 'ann' }, owned);
  assert.equal((await databases.observe('undisturbed'))?.owner, 'ann');
  await session.end();
});

test('many grants on one database at once do not fail each other', async () => {
  const other = serverOf({ maxConnections: 4 });
  await databases.create('ledger', {}, owned);
  const names = Array.from({ length: 24 }, (_, index) => `crowd ${index}`);
  await Promise.all(names.map((name) => roles.create(name, {}, owned)));
  const specs = names.map((role) => ({ role, on: { database: 'ledger' }, privileges: ['CONNECT'] }));
  await Promise.all(specs.map((spec, index) => (index % 2 ? server : other).grants.apply(spec)));
  const held = await Promise.all(specs.map((spec) => grants.observe(spec)));
  assert.deepEqual(held, Array(24).fill(new Map([['CONNECT', { isGrantable: false }]])));
});

describe('the holder of a database is named with the statement that ends it, and an administrator can connect', () => {
  const holders: Record<string, { make: string; end: string; says: RegExp }> = {
    'a prepared transaction': {
      make: "BEGIN; CREATE TABLE halves (); PREPARE TRANSACTION 'half'",
      end: "ROLLBACK PREPARED 'half'",
      says: /^database "held" has a prepared transaction 'half'; once its data is safe, run in that database: COMMIT PREPARED 'half'; or: ROLLBACK PREPARED 'half'$/,
    },
    'a subscription': {
      make: "CREATE SUBSCRIPTION copy CONNECTION 'host=127.0.0.1' PUBLICATION news WITH (connect = false, slot_name = NONE)",
      end: 'DROP SUBSCRIPTION copy',
      says: /^database "held" has a subscription copy; once its data is safe, run in that database: DROP SUBSCRIPTION copy$/,
    },
  };
  for (const [name, { make, end, says }] of Object.entries(holders)) {
    for (const terminateSessions of [true, false]) {
      test(`${name}, ${terminateSessions ? 'sessions are terminated' : 'sessions are awaited'}`, async () => {
        await databases.create('held', {}, owned);
        await sql(make, { database: 'held' });
        await assert.rejects(databases.drop('held', { ...owned, terminateSessions }), {
          code: 'Held',
          message: says,
        });
        await sql(end, { database: 'held' });
        await databases.drop('held', { ...owned, terminateSessions });
        assert.equal(await databases.observe('held'), undefined);
      });
    }
  }
});
