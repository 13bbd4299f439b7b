import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { escapeLiteral } from 'pg';
import { databaseUri } from '../../../../../clients/database-details.ts';
import { roleDrift } from '../../../../../stacks/postgresql/client/role.ts';
import { ScramClient } from '../../../../../stacks/postgresql/client/scram-client.ts';
import { scramVerifier } from '../../../../../stacks/postgresql/client/scram-verifier.ts';
import { psql, withoutPsql } from '../psql.ts';
import { foreignOwnerId, ownerId, postgresqlFixture } from './fixture.ts';
import { disputedPasswords, generatedPasswords } from './passwords.ts';

const log: string[] = [];
const {
  server: serverOf,
  sql,
  refusal,
  connect,
  local,
} = await postgresqlFixture({
  settings: { log_statement: 'all', log_min_error_statement: 'debug5', autovacuum: 'off' },
  onLog: (line) => log.push(line),
});
const server = serverOf();
const { databases, grants, roles } = server;
const owned = { ownerId };
after(() => server.close());

test('the parameters of a role reach its sessions', async () => {
  const configuration = {
    search_path: '"$user", "Mixed Case", PUBLIC',
    statement_timeout: '7s',
    'app.x': "a'b\\c",
    work_mem: '65536kB',
  };
  await roles.create('configured', { login: true, configuration }, { ownerId, password: 'pw' });
  const [row] = await sql(
    `SELECT current_setting('search_path') AS p, current_setting('statement_timeout') AS t, current_setting('app.x') AS x`,
    { user: 'configured', password: 'pw' },
  );
  assert.deepEqual(row, { p: '"$user", "Mixed Case", public', t: '7s', x: "a'b\\c" });
  assert.deepEqual(roleDrift((await roles.observe('configured'))!, { login: true, configuration }), []);
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

  test('the server hashes the same bytes as we do', async () => {
    const texts = [...Object.values(disputedPasswords), ...generatedPasswords(300)];
    await sql('CREATE ROLE hashed');
    await sql(
      `CREATE FUNCTION verifiers(texts text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
       DECLARE each text;
       BEGIN
         SET LOCAL scram_iterations = 1;
         FOREACH each IN ARRAY texts LOOP
           EXECUTE format('ALTER ROLE hashed PASSWORD %L', each);
           RETURN QUERY SELECT rolpassword FROM pg_authid WHERE rolname = 'hashed';
         END LOOP;
       END $$`,
    );
    const session = await connect();
    const { rows } = await session.query<{ verifier: string }>('SELECT verifiers($1) AS verifier', [texts]);
    await session.end();
    const differing = texts.filter((text, index) => {
      const stored = rows[index]?.verifier ?? '';
      const [, salt = ''] = /^SCRAM-SHA-256\$1:([^$]+)\$/.exec(stored) ?? assert.fail(stored);
      return scramVerifier(text, { iterations: 1, salt: Buffer.from(salt, 'base64') }) !== stored;
    });
    assert.deepEqual(differing.map(escape), []);
  });

  const loginOf = (username: string, password: string) =>
    databaseUri({
      scheme: 'postgresql',
      host: local.host,
      port: local.port,
      database: 'postgres',
      username,
      password,
    });
  const disputed = Object.entries(disputedPasswords);

  test('psql logs in with each password that we set, alone and in the uri', {
    skip: withoutPsql,
  }, async () => {
    const answers = await Promise.all(
      disputed.map(async ([about, password], index) => {
        const user = `disputed ${index}`;
        await roles.create(user, { login: true }, { ownerId, password });
        const plain = `host=${local.host} port=${local.port} user='${user}' dbname=postgres`;
        const byUri = await psql(loginOf(user, password), 'SELECT current_user');
        const alone = await psql(plain, 'SELECT current_user', { PGPASSWORD: password });
        return [
          about,
          byUri.output === user,
          alone.output === user,
          await roles.checkPassword(user, password),
        ];
      }),
    );
    assert.deepEqual(
      answers,
      disputed.map(([about]) => [about, true, true, true]),
    );
  });

  test('our login and that of psql agree about each password', { skip: withoutPsql }, async () => {
    const disagreeing = await Promise.all(
      disputed.map(async ([about, password], index) => {
        const user = `foreign ${index}`;
        await sql(`CREATE ROLE "${user}" LOGIN PASSWORD ${escapeLiteral(password)}`);
        const tried = [password, password.normalize('NFKC'), `${password}x`];
        const ours = await Promise.all(tried.map((each) => roles.checkPassword(user, each)));
        const attempts = await Promise.all(tried.map((each) => psql(loginOf(user, each), 'SELECT 1')));
        return ours.every((isRight, at) => isRight === attempts[at]?.isDone) ? [] : [about];
      }),
    );
    assert.deepEqual(disagreeing.flat(), []);
  });

  test('a login may take more iterations than the driver allows', async () => {
    await sql(`SET scram_iterations = 200000; CREATE ROLE slow LOGIN PASSWORD 'slow'`);
    const { host, port } = local;
    const client = new ScramClient({ host, port, user: 'slow', password: 'slow', database: 'postgres' });
    await client.connect();
    await client.end();
  });

  test('never appear in the server’s log, even if it logs all statements', () => {
    const text = log.join('\n');
    assert.match(text, /ALTER ROLE "secretive 0" PASSWORD/, 'the log does have the statements');
    for (const password of passwords.slice(0, 5)) assert.ok(!text.includes(password), password);
  });
});

describe('dropping', () => {
  before(async () => {
    await roles.create('boss', { login: true }, { ownerId, password: 'boss' });
    await databases.create('shop', { owner: 'boss' }, owned);
    await databases.create('depot', { owner: 'boss' }, { ownerId: foreignOwnerId });
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
});
