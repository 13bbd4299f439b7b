import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { unfinishedName } from '../../../clients/postgresql/database-read.ts';
import { databaseDrift } from '../../../clients/postgresql/database-spec.ts';
import { markOf } from '../../../clients/postgresql/mark.ts';
import { foreignOwnerId, ownerId, postgresqlFixture } from './fixture.ts';

const {
  server: serverOf,
  sql,
  refusal,
  connect,
} = await postgresqlFixture({ settings: { autovacuum: 'off' } });
const server = serverOf();
const { databases, roles } = server;
const owned = { ownerId };

before(async () => {
  await roles.create('ann', { login: true }, { ownerId, password: 'ann-password' });
  await roles.create('bob', { login: true }, { ownerId, password: 'bob-password' });
});
after(() => server.close());
const ann = { user: 'ann', password: 'ann-password' };
const bob = { user: 'bob', password: 'bob-password' };

test('the server version is a major version', async () => {
  assert.equal(await server.serverVersion(), 18);
});

test('a database that is not there is undefined, not an error', async () => {
  assert.equal(await databases.observe('nowhere'), undefined);
});

test('a created database is as asked, marked, and shut to PUBLIC', async () => {
  const spec = { owner: 'ann', encoding: 'UTF8', lcCollate: 'C', lcCType: 'C', connectionLimit: 7 };
  await databases.create(
    'orders',
    { ...spec, extensions: [{ name: 'hstore' }, { name: 'earthdistance' }] },
    owned,
  );
  const observed = await databases.observe('orders', { withExtensions: true });
  const { plpgsql, ...extensions } = observed!.extensions!;
  assert.ok(plpgsql);
  assert.deepEqual(Object.keys(extensions), ['cube', 'earthdistance', 'hstore'], 'with what they require');
  assert.deepEqual(
    { ...observed, extensions: undefined },
    {
      name: 'orders',
      ...spec,
      allowConnections: true,
      isTemplate: false,
      isOpenToPublic: false,
      isOpenToAdmin: true,
      isInvalid: false,
      extensions: undefined,
      comment: markOf(ownerId),
      ownerMark: markOf(ownerId),
    },
  );
  assert.deepEqual(databaseDrift(observed!, { ...spec, encoding: 'utf-8' }), { changed: [], immutable: [] });
  const [hstore] = await sql(
    "SELECT extnamespace::regnamespace::text AS at FROM pg_extension WHERE extname = 'hstore'",
    {
      database: 'orders',
    },
  );
  assert.equal(hstore!.at, 'public');
});

test('only the owner gets in: not another role, not PUBLIC', async () => {
  await databases.create('of_ann', { owner: 'ann' }, owned);
  await databases.create('of_bob', { owner: 'bob' }, owned);
  assert.equal(await refusal({ ...ann, database: 'of_ann' }, 'CREATE TABLE t (id int)'), 'allowed');
  assert.equal(await refusal({ ...bob, database: 'of_bob' }), 'allowed');
  assert.equal(await refusal({ ...ann, database: 'of_bob' }), '42501');
  assert.equal(await refusal({ ...bob, database: 'of_ann' }), '42501');
  await sql(`CREATE ROLE stranger LOGIN PASSWORD 'stranger'`);
  assert.equal(await refusal({ user: 'stranger', password: 'stranger', database: 'of_ann' }), '42501');
});

test('a database that takes no connections is made without extensions, and gets them once it does', async () => {
  const shut = { allowConnections: false, extensions: [{ name: 'citext' }] };
  const observe = async () => (await databases.observe('shut', { withExtensions: true }))!;
  await databases.create('shut', shut, owned);
  assert.deepEqual(databaseDrift(await observe(), shut).changed, []);
  assert.notEqual(await refusal({ database: 'shut' }), 'allowed');
  const opened = { ...shut, allowConnections: true };
  assert.deepEqual(databaseDrift(await observe(), opened).changed, ['allowConnections', 'extensions']);
  await databases.update('shut', opened, owned);
  assert.deepEqual(databaseDrift(await observe(), opened).changed, []);
});

test('creating again changes nothing', async () => {
  await databases.create('twice', { owner: 'ann' }, owned);
  const [first] = await sql(`SELECT oid FROM pg_database WHERE datname = 'twice'`);
  await databases.create('twice', { owner: 'ann' }, owned);
  assert.deepEqual(await sql(`SELECT oid FROM pg_database WHERE datname = 'twice'`), [first]);
});

test('two who create at once end with one database', async () => {
  const other = serverOf();
  await Promise.all(
    [server, other, server, other].map(({ databases }) => databases.create('raced', {}, owned)),
  );
  assert.equal((await databases.observe('raced'))?.comment, markOf(ownerId));
  assert.deepEqual(
    await sql(`SELECT datname FROM pg_database WHERE datname LIKE 'services-stack-unfinished-%'`),
    [],
  );
});

describe('drift', () => {
  const spec = {
    owner: 'ann',
    connectionLimit: 5,
    extensions: [{ name: 'citext' }, { name: 'cube', version: '1.5' }],
  };
  before(() => databases.create('drifting', spec, owned));
  const cases: Record<string, { readonly break: string; readonly in?: string; readonly changed: string }> = {
    owner: { break: 'ALTER DATABASE drifting OWNER TO bob', changed: 'owner' },
    'connection limit': { break: 'ALTER DATABASE drifting CONNECTION LIMIT 9', changed: 'connectionLimit' },
    'connections refused': {
      break: 'ALTER DATABASE drifting ALLOW_CONNECTIONS false',
      changed: 'allowConnections',
    },
    'opened to PUBLIC': { break: 'GRANT CONNECT ON DATABASE drifting TO PUBLIC', changed: 'isOpenToPublic' },
    'extension dropped': { break: 'DROP EXTENSION citext', in: 'drifting', changed: 'extensions' },
    'other version of an extension': {
      break: `DROP EXTENSION cube; CREATE EXTENSION cube VERSION '1.4'`,
      in: 'drifting',
      changed: 'extensions',
    },
  };
  for (const [name, row] of Object.entries(cases)) {
    test(`${name} is noticed and repaired`, async () => {
      await sql(row.break, row.in === undefined ? {} : { database: row.in });
      const before = await databases.observe('drifting', { withExtensions: true });
      assert.ok(databaseDrift(before!, spec).changed.includes(row.changed), 'noticed');
      await databases.update('drifting', spec, owned);
      const after = await databases.observe('drifting', { withExtensions: true });
      assert.deepEqual(databaseDrift(after!, spec), { changed: [], immutable: [] });
    });
  }

  test('fields that cannot be changed are reported as immutable', async () => {
    const observed = await databases.observe('drifting');
    const drift = databaseDrift(observed!, { encoding: 'LATIN1', lcCollate: 'de_DE.utf8' });
    assert.deepEqual(drift, { changed: [], immutable: ['encoding', 'lcCollate'] });
  });
});

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
  assert.equal(observed?.extensions?.hstore, '1.8');
});

describe('foreign databases', () => {
  before(async () => {
    await sql('CREATE DATABASE foreign_one');
    await sql('CREATE DATABASE noted');
    await sql(`COMMENT ON DATABASE noted IS 'the accounts, handle with care'`);
    await databases.create('of_other', {}, { ownerId: foreignOwnerId });
  });
  for (const name of ['foreign_one', 'noted', 'of_other']) {
    test(`${name} is neither adopted, changed nor dropped`, async () => {
      const before = await databases.observe(name);
      const notOurs = { name: 'PostgresqlError', code: 'NotOurs', isRetryable: false };
      await assert.rejects(databases.create(name, { owner: 'ann' }, owned), notOurs);
      await assert.rejects(databases.update(name, { owner: 'ann' }, owned), notOurs);
      await assert.rejects(databases.drop(name, { ownerId, terminateSessions: true }), notOurs);
      assert.deepEqual(await databases.observe(name), before);
    });
  }

  test('the message says how to hand one over, and that works', async () => {
    const refused: unknown = await databases.create('foreign_one', {}, owned).catch((error) => error);
    assert.ok(refused instanceof Error);
    const statement = /run: (COMMENT ON .*)$/.exec(refused.message)?.[1];
    assert.ok(statement);
    await sql(statement);
    await databases.update('foreign_one', { owner: 'ann' }, owned);
    assert.equal((await databases.observe('foreign_one'))?.isOpenToPublic, false);
  });

  test('one that takes the name while ours is in the making wins', async () => {
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
  const refused: Record<string, RegExp> = {
    '': /must not be empty/,
    ['x'.repeat(64)]: /64 bytes in UTF-8, 63 are allowed/,
    ['ü'.repeat(32)]: /64 bytes in UTF-8/,
    'zero\0byte': /zero byte/,
    'half \ud83d': /well-formed/,
    postgres: /reserved/,
    template0: /reserved/,
    template1: /reserved/,
    'services-stack-unfinished-x': /reserved/,
  };
  for (const [name, message] of Object.entries(refused)) {
    test(`${JSON.stringify(name)} is refused`, async () => {
      const invalid = { name: 'PostgresqlError', code: 'Invalid', message };
      await assert.rejects(databases.create(name, {}, owned), invalid);
      await assert.rejects(databases.update(name, {}, owned), invalid);
      await assert.rejects(databases.drop(name, { ownerId, terminateSessions: true }), invalid);
    });
  }
});

test('an owner that does not exist yet is waited for, and nothing is left behind', async () => {
  const missing = { code: 'NotFound', isRetryable: true, message: 'role "later" does not exist' };
  await assert.rejects(databases.create('early', { owner: 'later' }, owned), missing);
  assert.equal(await databases.observe('early'), undefined);
  assert.equal(await databases.observe(unfinishedName(ownerId, 'early')), undefined);
  await roles.create('later', {}, owned);
  await databases.create('early', { owner: 'later' }, owned);
  assert.equal((await databases.observe('early'))?.owner, 'later');
});

const impossible: Record<string, { readonly spec: object; readonly code: string }> = {
  'unknown encoding': { spec: { encoding: 'EBCDIC' }, code: 'NotFound' },
  'unknown locale': { spec: { lcCollate: 'xx_YY.utf8' }, code: '42809' },
  'unknown extension': { spec: { extensions: [{ name: 'no_such' }] }, code: 'Invalid' },
  'unknown template': { spec: { template: 'no_such' }, code: 'NotFound' },
  'connection limit below -1': { spec: { connectionLimit: -2 }, code: 'Invalid' },
};

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

for (const [name, { spec, code }] of Object.entries(impossible)) {
  test(`${name} is a clear error and leaves nothing unfinished`, async () => {
    await assert.rejects(databases.create('impossible', spec, owned), { name: 'PostgresqlError', code });
    assert.equal(await databases.observe(unfinishedName(ownerId, 'impossible')), undefined);
    await databases.drop('impossible', { ownerId, terminateSessions: false });
  });
}

describe('dropping', () => {
  test('is no error for what is gone', async () => {
    await databases.drop('never_was', { ownerId, terminateSessions: true });
  });

  test('waits for sessions without terminateSessions', async () => {
    await databases.create('busy', { owner: 'ann' }, owned);
    const session = await connect({ ...ann, database: 'busy' });
    await assert.rejects(databases.drop('busy', { ownerId, terminateSessions: false }), {
      code: 'InUse',
      isRetryable: true,
      message: 'database "busy" has 1 open session',
    });
    assert.deepEqual((await session.query('SELECT 1 AS one')).rows, [{ one: 1 }], 'left alone');
    await session.end();
    await databases.drop('busy', { ownerId, terminateSessions: false });
    assert.equal(await databases.observe('busy'), undefined);
  });

  test('ends sessions with terminateSessions', async () => {
    await databases.create('busy', { owner: 'ann' }, owned);
    const session = await connect({ ...ann, database: 'busy' });
    await databases.drop('busy', { ownerId, terminateSessions: true });
    await assert.rejects(session.query('SELECT 1'), /terminat|not queryable/);
    assert.equal(await databases.observe('busy'), undefined);
  });

  test('takes a template too', async () => {
    await databases.create('mould', {}, owned);
    await sql('ALTER DATABASE mould IS_TEMPLATE true');
    await databases.create('cast', { template: 'mould' }, owned);
    await databases.drop('mould', { ownerId, terminateSessions: false });
    assert.equal(await databases.observe('mould'), undefined);
  });

  test('finishes an interrupted DROP DATABASE, and so does creating', async () => {
    for (const next of ['drop', 'create'] as const) {
      await databases.create('broken', {}, owned);
      // The state after a server was stopped during DROP DATABASE.
      await sql(`UPDATE pg_database SET datconnlimit = -2 WHERE datname = 'broken'`);
      assert.equal((await databases.observe('broken', { withExtensions: false }))?.isInvalid, true);
      if (next === 'create') await databases.create('broken', {}, owned);
      else await databases.drop('broken', { ownerId, terminateSessions: true });
      assert.equal((await databases.observe('broken'))?.isInvalid, next === 'create' ? false : undefined);
    }
  });
});

describe('a session on a template', () => {
  test('on template1 blocks no creation: the default is template0, which accepts no connections', async () => {
    const session = await connect({ ...ann, database: 'template1' });
    await databases.create('undisturbed', { owner: 'ann' }, owned);
    assert.equal((await databases.observe('undisturbed'))?.owner, 'ann');
    await session.end();
  });

  test('on a named template blocks the creation, and the error names the user of the session', async () => {
    await sql('CREATE DATABASE mould_in_use');
    const sessions = [
      await connect({ ...ann, database: 'mould_in_use' }),
      await connect({ ...ann, database: 'mould_in_use' }),
    ];
    const spec = { template: 'mould_in_use' };
    await assert.rejects(databases.create('cast_later', spec, owned), {
      name: 'PostgresqlError',
      code: 'InUse',
      isRetryable: true,
      message:
        'template database "mould_in_use" has 2 open sessions (of "ann"), and PostgreSQL copies only ' +
        'databases without sessions; waiting for them to end',
    });
    assert.equal(await databases.observe(unfinishedName(ownerId, 'cast_later')), undefined);
    for (const session of sessions) await session.end();
    await databases.create('cast_later', spec, owned);
    assert.equal((await databases.observe('cast_later'))?.comment, markOf(ownerId));
  });
});
