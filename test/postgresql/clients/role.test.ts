import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { markOf } from '../../../clients/postgresql/mark.ts';
import type { RoleObservation } from '../../../clients/postgresql/role.ts';
import { roleDrift } from '../../../clients/postgresql/role.ts';
import { foreignOwnerId, ownerId, postgresqlFixture } from './fixture.ts';

const log: string[] = [];
const {
  server: serverOf,
  sql,
  refusal,
  connect,
} = await postgresqlFixture({
  settings: { log_statement: 'all', log_min_error_statement: 'debug5', autovacuum: 'off' },
  onLog: (line) => log.push(line),
});
const server = serverOf();
const { databases, grants, roles } = server;
const owned = { ownerId };
after(() => server.close());

test('a created role has its mark, the wanted fields, and PostgreSQL’s defaults for the others', async () => {
  await roles.create('plain', {}, owned);
  const defaults = {
    login: false,
    createDb: false,
    createRole: false,
    inherit: true,
    replication: false,
    bypassRls: false,
    superuser: false,
    connectionLimit: -1,
    configuration: {},
  };
  const mark = { comment: markOf(ownerId) };
  assert.deepEqual(await roles.observe('plain'), { name: 'plain', ...defaults, ...mark });
  const all = {
    login: true,
    createDb: true,
    createRole: true,
    inherit: false,
    replication: true,
    bypassRls: true,
    superuser: true,
    connectionLimit: 3,
    configuration: {
      work_mem: '65536kB',
      search_path: '"$user", "Mixed Case", public',
      'app.tenant': "o'neil",
    },
  };
  await roles.create('everything', all, { ownerId, password: 'p' });
  const observed = await roles.observe('everything');
  assert.deepEqual(
    { ...observed, configuration: {} },
    { name: 'everything', ...all, configuration: {}, ...mark },
  );
  assert.deepEqual(roleDrift(observed!, all), []);
  assert.equal(await roles.observe('nobody_here'), undefined);
});

test('the parameters of a role reach its sessions', async () => {
  const configuration = {
    search_path: '"$user", "Mixed Case", PUBLIC',
    statement_timeout: '7s',
    'app.x': "a'b\\c",
  };
  await roles.create('configured', { login: true, configuration }, { ownerId, password: 'pw' });
  const [row] = await sql(
    `SELECT current_setting('search_path') AS p, current_setting('statement_timeout') AS t, current_setting('app.x') AS x`,
    { user: 'configured', password: 'pw' },
  );
  assert.deepEqual(row, { p: '"$user", "Mixed Case", public', t: '7s', x: "a'b\\c" });
  assert.deepEqual(roleDrift((await roles.observe('configured'))!, { login: true, configuration }), []);
});

describe('drift', () => {
  const spec = { login: true, connectionLimit: 4, configuration: { work_mem: '8MB' } };
  before(() => roles.create('drifting', spec, owned));
  const cases: Record<string, { readonly break: string; readonly changed: string }> = {
    login: { break: 'ALTER ROLE drifting NOLOGIN', changed: 'login' },
    createDb: { break: 'ALTER ROLE drifting CREATEDB', changed: 'createDb' },
    createRole: { break: 'ALTER ROLE drifting CREATEROLE', changed: 'createRole' },
    inherit: { break: 'ALTER ROLE drifting NOINHERIT', changed: 'inherit' },
    replication: { break: 'ALTER ROLE drifting REPLICATION', changed: 'replication' },
    bypassRls: { break: 'ALTER ROLE drifting BYPASSRLS', changed: 'bypassRls' },
    'a role that became a superuser': { break: 'ALTER ROLE drifting SUPERUSER', changed: 'superuser' },
    'connection limit': { break: 'ALTER ROLE drifting CONNECTION LIMIT 9', changed: 'connectionLimit' },
    'a parameter changed': { break: `ALTER ROLE drifting SET work_mem = '9MB'`, changed: 'configuration' },
    'a parameter gone': { break: 'ALTER ROLE drifting RESET work_mem', changed: 'configuration' },
    'a parameter too many': { break: `ALTER ROLE drifting SET "app.y" = '1'`, changed: 'configuration' },
  };
  for (const [name, row] of Object.entries(cases)) {
    test(`${name} is noticed and repaired`, async () => {
      await sql(row.break);
      assert.deepEqual(roleDrift((await roles.observe('drifting'))!, spec), [row.changed]);
      await roles.update('drifting', spec, owned);
      assert.deepEqual(roleDrift((await roles.observe('drifting'))!, spec), []);
    });
  }

  test('without drift an update changes nothing', async () => {
    const before = await sql(`SELECT xmin FROM pg_authid WHERE rolname = 'drifting'`);
    await roles.update('drifting', spec, owned);
    assert.deepEqual(await sql(`SELECT xmin FROM pg_authid WHERE rolname = 'drifting'`), before);
  });

  test('parameters not in the spec at all are not looked after', () => {
    const observed = {
      ...({} as RoleObservation),
      ...{ connectionLimit: -1, configuration: { a: 'b' }, inherit: true },
    };
    const off = {
      login: false,
      createDb: false,
      createRole: false,
      replication: false,
      bypassRls: false,
      superuser: false,
    };
    assert.deepEqual(roleDrift({ ...observed, ...off }, {}), []);
  });
});

describe('passwords', () => {
  const passwords = [
    'ascii-Only_0',
    'quote \' and "',
    'back\\slash',
    'Grüße ½ ﬁ 数据库 🐘',
    'no\u00a0break',
    'SCRAM-SHA-256$4096:not',
  ];
  for (const [index, password] of passwords.entries()) {
    test(`${JSON.stringify(password)} logs in, and no other`, async () => {
      const name = `secretive ${index}`;
      await roles.create(name, { login: true }, { ownerId, password });
      assert.equal(await refusal({ user: name, password }), 'allowed');
      assert.equal(await refusal({ user: name, password: `${password}x` }), '28P01');
      assert.equal(await roles.checkPassword(name, password), true);
      assert.equal(await roles.checkPassword(name, `${password}x`), false);
    });
  }

  test('a lost password is replaced', async () => {
    await roles.create('forgetful', { login: true }, { ownerId, password: 'old' });
    await roles.setPassword('forgetful', 'new', owned);
    assert.equal(await roles.checkPassword('forgetful', 'old'), false);
    assert.equal(await roles.checkPassword('forgetful', 'new'), true);
  });

  test('creating a role again, as after a crash, gives it the new password', async () => {
    await roles.create('reborn', { login: true }, { ownerId, password: 'first' });
    await roles.create('reborn', { login: true }, { ownerId, password: 'second' });
    assert.equal(await roles.checkPassword('reborn', 'second'), true);
  });

  test('a correct password is recognized even if the role may not connect', async () => {
    await sql('REVOKE CONNECT ON DATABASE postgres FROM PUBLIC');
    await roles.create('outsider', { login: true }, { ownerId, password: 'right' });
    assert.equal(await roles.checkPassword('outsider', 'right'), true);
    assert.equal(await roles.checkPassword('outsider', 'wrong'), false);
    await sql('GRANT CONNECT ON DATABASE postgres TO PUBLIC');
  });

  test('never appear in the server’s log, even if it logs all statements', () => {
    const text = log.join('\n');
    assert.match(text, /ALTER ROLE "secretive 0" PASSWORD/, 'the log does have the statements');
    for (const password of passwords.slice(0, 5)) assert.ok(!text.includes(password), password);
  });

  for (const password of ['', 'zero\0byte']) {
    test(`${JSON.stringify(password)} is refused without being named`, async () => {
      await assert.rejects(roles.setPassword('forgetful', password, owned), {
        code: 'Invalid',
        message: 'password must not be empty and not contain a zero byte',
      });
    });
  }
});

describe('foreign roles', () => {
  before(async () => {
    await sql(`CREATE ROLE foreign_role LOGIN PASSWORD 'theirs'`);
    await roles.create('of_other', {}, { ownerId: foreignOwnerId });
  });
  for (const name of ['foreign_role', 'of_other', 'postgres']) {
    test(`${name} is neither adopted, changed nor dropped`, async () => {
      const before = await roles.observe(name);
      const notOurs = { name: 'PostgresqlError', code: 'NotOurs', isRetryable: false };
      await assert.rejects(roles.create(name, { login: true }, { ownerId, password: 'x' }), notOurs);
      await assert.rejects(roles.update(name, { login: true }, owned), notOurs);
      await assert.rejects(roles.setPassword(name, 'x', owned), notOurs);
      await assert.rejects(roles.drop(name, owned), notOurs);
      assert.deepEqual(await roles.observe(name), before);
    });
  }
  test('their password stays', async () => {
    assert.equal(await refusal({ user: 'foreign_role', password: 'theirs' }), 'allowed');
  });
});

const refusedNames: Record<string, RegExp> = {
  pg_mine: /reserved/,
  public: /reserved/,
  none: /reserved/,
  ['r'.repeat(64)]: /63 are allowed/,
  '': /empty/,
};
for (const [name, message] of Object.entries(refusedNames)) {
  test(`a role cannot be named ${JSON.stringify(name)}`, async () => {
    for (const attempt of [
      roles.create(name, {}, owned),
      roles.update(name, {}, owned),
      roles.drop(name, owned),
    ]) {
      await assert.rejects(attempt, { code: 'Invalid', message });
    }
  });
}

test('a parameter that is none is a clear error, and no role is left', async () => {
  const cases: Record<string, string> = { 'work_mem; DROP': 'Invalid', no_such_parameter: 'NotFound' };
  for (const [name, code] of Object.entries(cases)) {
    await assert.rejects(roles.create('mistaken', { configuration: { [name]: '1' } }, owned), { code });
  }
  await assert.rejects(roles.create('mistaken', { configuration: { work_mem: 'lots' } }, owned), {
    code: 'Invalid',
  });
  assert.equal(await roles.observe('mistaken'), undefined);
});

describe('dropping', () => {
  before(async () => {
    await roles.create('boss', { login: true }, { ownerId, password: 'boss' });
    await databases.create('shop', { owner: 'boss' }, owned);
    await databases.create('depot', { owner: 'boss' }, { ownerId: foreignOwnerId });
  });

  test('is no error for what is gone', async () => {
    await roles.drop('never_was', owned);
  });

  test('passes on what it owns in our databases, takes back its privileges, ends its sessions', async () => {
    await roles.create('leaving', { login: true }, { ownerId, password: 'leaving' });
    await sql('GRANT CONNECT, CREATE ON DATABASE shop, depot TO leaving WITH GRANT OPTION');
    await sql('GRANT pg_read_all_data TO leaving WITH ADMIN OPTION');
    const leaving = { user: 'leaving', password: 'leaving' };
    for (const database of ['shop', 'depot']) {
      await sql(
        `CREATE SCHEMA theirs; CREATE TABLE theirs.t (id int); INSERT INTO theirs.t VALUES (42);
         GRANT SELECT ON theirs.t TO PUBLIC; GRANT CONNECT ON DATABASE ${database} TO boss;
         ALTER DEFAULT PRIVILEGES IN SCHEMA theirs GRANT SELECT ON TABLES TO boss;`,
        { ...leaving, database },
      );
    }
    await sql('GRANT pg_read_all_data TO boss', leaving); // it is the grantor of a membership
    const session = await connect({ ...leaving, database: 'shop' });
    await roles.drop('leaving', owned);
    assert.equal(await roles.observe('leaving'), undefined);
    await assert.rejects(session.query('SELECT 1'), /terminat|not queryable/);
    for (const database of ['shop', 'depot']) {
      const rows = await sql(`SELECT id, tableowner FROM theirs.t, pg_tables WHERE tablename = 't'`, {
        database,
      });
      assert.deepEqual(rows, [{ id: 42, tableowner: 'boss' }], 'no data lost');
    }
  });

  test('takes back what others passed on to it, who may have given it something everywhere', async () => {
    const people = ['giver', 'taker', 'bystander'].map((user) => ({ user, password: user }));
    const [giver = {}, , bystander = {}] = people;
    for (const { user } of people) await roles.create(user, { login: true }, { ownerId, password: user });
    await sql('GRANT CONNECT, CREATE ON DATABASE depot TO giver, bystander WITH GRANT OPTION');
    await sql(
      `CREATE SCHEMA common; CREATE TABLE common.t (id int, secret int); CREATE SEQUENCE common.s;
       CREATE FUNCTION common.f() RETURNS int LANGUAGE sql AS 'SELECT 1';
       GRANT ALL ON SCHEMA common TO giver, bystander WITH GRANT OPTION;
       GRANT ALL ON common.t, common.s TO giver WITH GRANT OPTION;
       GRANT EXECUTE ON FUNCTION common.f() TO giver WITH GRANT OPTION;
       CREATE TYPE common.e AS ENUM (); GRANT USAGE ON TYPE common.e TO giver WITH GRANT OPTION;
       ALTER TABLE common.t ENABLE ROW LEVEL SECURITY; CREATE POLICY mine ON common.t TO taker USING (true);
       ALTER DEFAULT PRIVILEGES IN SCHEMA common GRANT SELECT ON TABLES TO taker;
       CREATE SCHEMA "Shut in"; CREATE TABLE "Shut in".t (); GRANT USAGE ON SCHEMA "Shut in" TO giver;
       GRANT SELECT ON "Shut in".t TO giver WITH GRANT OPTION;
       SELECT lo_create(4711); GRANT SELECT ON LARGE OBJECT 4711 TO giver WITH GRANT OPTION`,
      { user: 'boss', password: 'boss', database: 'depot' },
    );
    await sql(
      `GRANT CONNECT, CREATE ON DATABASE depot TO taker WITH GRANT OPTION;
       GRANT USAGE ON SCHEMA common TO taker; GRANT SELECT (secret), UPDATE ON common.t TO taker;
       GRANT USAGE ON SEQUENCE common.s TO taker; GRANT EXECUTE ON FUNCTION common.f() TO taker;
       GRANT USAGE ON TYPE common.e TO taker; GRANT SELECT ON LARGE OBJECT 4711 TO taker;
       GRANT SELECT ON "Shut in".t TO taker`,
      { ...giver, database: 'depot' },
    );
    await sql('GRANT CONNECT ON DATABASE depot TO taker', bystander);
    await sql('REVOKE USAGE ON SCHEMA "Shut in" FROM giver', {
      user: 'boss',
      password: 'boss',
      database: 'depot',
    });
    await roles.drop('taker', owned);
    assert.equal(await roles.observe('taker'), undefined);
    const grant = { role: 'giver', on: { database: 'depot' } };
    assert.deepEqual(
      [...(await grants.observe(grant))!.keys()].toSorted(),
      ['CONNECT', 'CREATE'],
      'keeps its own',
    );
    const shut = `SELECT has_schema_privilege('giver', 'Shut in', 'USAGE') AS may`;
    assert.deepEqual(await sql(shut, { database: 'depot' }), [{ may: false }], 'no more, no less');
    const members = `SELECT FROM pg_auth_members WHERE member = 'giver'::regrole`;
    assert.deepEqual(await sql(members), [], 'and is a member of nothing new');
  });

  test('takes back what it passed on while it was a member of the owner, too', async () => {
    await roles.create('deputy', { login: true }, { ownerId, password: 'deputy' });
    await roles.create('guest', { login: true }, { ownerId, password: 'guest' });
    await sql('GRANT CONNECT ON DATABASE depot TO deputy WITH GRANT OPTION');
    await sql('GRANT boss TO deputy');
    await sql('GRANT deputy TO guest');
    await sql('GRANT CONNECT ON DATABASE depot TO guest, PUBLIC', { user: 'deputy', password: 'deputy' });
    await roles.drop('deputy', owned);
    assert.equal(await roles.observe('deputy'), undefined);
  });

  test('revokes privileges that were passed on by a role that has lost its own', async () => {
    for (const user of ['former', 'heir'])
      await roles.create(user, { login: true }, { ownerId, password: user });
    const given = { role: 'former', on: { database: 'depot' }, privileges: ['CONNECT', 'CREATE'] };
    await grants.apply({ ...given, withGrantOption: true });
    await sql('GRANT boss TO former');
    await sql('GRANT CONNECT, CREATE ON DATABASE depot TO heir', { user: 'former', password: 'former' });
    // As a member of the owner it might give them still, and so what it gave stays.
    await grants.apply({ ...given, privileges: ['CONNECT'] });
    const before = await grants.observe(given);
    await roles.drop('heir', owned);
    assert.equal(await roles.observe('heir'), undefined);
    assert.deepEqual(await grants.observe(given), before, 'and has what it had');
    assert.deepEqual(before, new Map([['CONNECT', { isGrantable: false }]]));
  });

  test('is refused while it owns databases or has objects in foreign ones, all of them named', async () => {
    await roles.create('tied', { login: true }, { ownerId, password: 'tied' });
    await databases.create('tied_own', { owner: 'tied' }, owned);
    await sql('CREATE DATABASE theirs');
    await sql('CREATE TABLE a (id int); ALTER TABLE a OWNER TO tied', { database: 'theirs' });
    await sql(
      'CREATE TABLE b (id int); CREATE TABLE c (id int); ALTER TABLE b OWNER TO tied; GRANT SELECT ON c TO tied',
    );
    await assert.rejects(roles.drop('tied', owned), {
      name: 'PostgresqlError',
      code: 'InUse',
      isRetryable: true,
      message:
        'role "tied" cannot be dropped: it owns database "tied_own"; ' +
        '2 objects depend on it in database "postgres", which is not managed here; ' +
        '1 object depends on it in database "theirs", which is not managed here',
    });
    assert.equal((await roles.observe('tied'))?.login, true, 'left as it was');
    await sql('DROP TABLE b, c');
    await sql('DROP TABLE a', { database: 'theirs' });
    await databases.drop('tied_own', { ownerId, terminateSessions: false });
    await roles.drop('tied', owned);
    assert.equal(await roles.observe('tied'), undefined);
  });
});
