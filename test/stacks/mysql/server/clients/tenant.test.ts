import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Connection } from 'mysql2/promise';
import { databaseDrift } from '../../../../../stacks/mysql/client/database.ts';
import { eventually } from '../../../../cluster/stack-harness.ts';
import { administrator, mariadbFixture, otherOwnerId, owned, password, skip } from './fixture.ts';

const at = mariadbFixture();
const { connect, sql, refusal } = at;

/** The hostile tenant, and its neighbour with a table, a routine and an open session. */
const tenant = { user: 'hostile_a', password, database: 'hostile_a' };
const neighbour = { user: 'victim_b', password, database: 'victim_b' };
let attacker: Connection;
let victim: Connection;

/** The number of the server's error; 0 if it does as the tenant says. */
const attempt = (statement: string): Promise<number> =>
  attacker.query(statement).then(
    () => 0,
    (error: { readonly errno?: number }) => error.errno ?? -1,
  );

describe('a tenant with the Secret of its claim', { skip, timeout: 300_000 }, () => {
  before(async () => {
    const { databases } = at.server();
    await databases.create(tenant.database, { user: { maxUserConnections: 8 } }, { ...owned, password });
    await databases.create(neighbour.database, { user: {} }, { ownerId: otherOwnerId, password });
    attacker = await connect(tenant);
    victim = await connect(neighbour);
    await victim.query('CREATE TABLE orders (customer TEXT)');
    await victim.query(`INSERT INTO orders VALUES ('a secret of victim_b')`);
    await victim.query('CREATE VIEW totals AS SELECT COUNT(*) FROM orders');
    await victim.query('CREATE PROCEDURE report() SELECT 1');
    await victim.query('START TRANSACTION');
    await victim.query('SELECT * FROM orders FOR UPDATE');
  });

  test('does not see that its neighbour exists, in any table or list of the server', async () => {
    const shows = [
      ...['DATABASES', 'PROCESSLIST', 'FULL PROCESSLIST', 'GRANTS', 'OPEN TABLES', 'PROCEDURE STATUS'],
      ...['FUNCTION STATUS', 'EVENTS', 'TABLE STATUS', 'GLOBAL STATUS', 'GLOBAL VARIABLES', 'PLUGINS'],
      ...['ENGINES', 'WARNINGS'],
    ].map((list) => `SHOW ${list}`);
    const [tables] = await attacker.query('SHOW TABLES FROM information_schema');
    const names = (tables as unknown as readonly Record<string, string>[]).flatMap((row) =>
      Object.values(row),
    );
    assert.ok(names.length > 50);
    const leaking: string[] = [];
    for (const statement of [...shows, ...names.map((name) => `SELECT * FROM information_schema.${name}`)]) {
      const answer = await attacker.query(statement).then(
        ([rows]) => JSON.stringify(rows),
        (error: Error) => error.message,
      );
      if (/victim_b/i.test(answer)) leaking.push(statement);
    }
    assert.deepEqual(leaking, []);
    const [absent, present] = [await attempt('USE no_such_database'), await attempt('USE victim_b')];
    assert.deepEqual([absent, present], [1044, 1044], 'the same answer for both');
  });

  const refusals = [
    ...['SELECT * FROM victim_b.orders', 'SELECT * FROM victim_b.totals', 'CALL victim_b.report()'],
    ...['SHOW CREATE DATABASE victim_b', 'SHOW TABLES FROM victim_b', 'DROP DATABASE victim_b'],
    ...['ALTER DATABASE victim_b CHARACTER SET latin1', 'CREATE TABLE victim_b.mine (id INT)'],
    ...['LOCK TABLES victim_b.orders WRITE', 'CREATE VIEW spy AS SELECT * FROM victim_b.orders'],
    ...[`SHOW GRANTS FOR victim_b@'%'`, `SHOW CREATE USER victim_b@'%'`, `DROP USER victim_b@'%'`],
    ...[`ALTER USER victim_b@'%' IDENTIFIED BY 'x'`, `SET PASSWORD FOR victim_b@'%' = PASSWORD('x')`],
    ...[`CREATE USER mine@'%'`, 'CREATE ROLE mine', 'CREATE DATABASE hostile_b', 'CREATE DATABASE hostilexa'],
    ...[`GRANT SELECT ON hostile_a.* TO victim_b@'%'`, `GRANT SELECT ON hostile_a.* TO PUBLIC`],
    ...['SELECT * FROM mysql.global_priv', 'SELECT * FROM mysql.db', 'SELECT * FROM mysql.proc'],
    ...['SELECT * FROM services_stack.marks', 'DROP DATABASE services_stack', 'USE services_stack'],
    ...['DELETE FROM services_stack.marks', `INSERT INTO services_stack.marks VALUES ('user', 'x', 'y')`],
    ...['SET GLOBAL read_only = 1', 'SET GLOBAL max_connections = 10', 'FLUSH TABLES WITH READ LOCK'],
    ...['FLUSH PRIVILEGES', 'SHUTDOWN', 'RESET MASTER', 'BACKUP STAGE START', `INSTALL SONAME 'disks'`],
    ...[`SELECT 1 INTO OUTFILE '/tmp/out'`, `LOAD DATA INFILE '/etc/passwd' INTO TABLE hostile_a.t`],
    ...[`CREATE DEFINER = victim_b@'%' VIEW theirs AS SELECT 1`],
    ...[`CREATE DEFINER = ${administrator.username}@'%' PROCEDURE theirs() SELECT 1`],
    ...[`CREATE DEFINER = ${administrator.username}@'%' EVENT theirs ON SCHEDULE EVERY 1 DAY DO SELECT 1`],
    ...['SET ROLE PUBLIC_ADMIN', `CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'x')`],
  ];
  for (const statement of refusals) {
    test(`is refused: ${statement}`, async () => assert.notEqual(await attempt(statement), 0));
  }

  test('ends no session of others', async () => {
    const sessions = await sql<{ id: number }>(
      `SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER IN ('victim_b', '${administrator.username}')`,
    );
    assert.ok(sessions.length >= 2);
    for (const { id } of sessions) assert.equal(await attempt(`KILL ${id}`), 1095);
    await victim.query('SELECT 1');
  });

  test('takes no name of functions, and no setting, into the sessions of the administrator', async () => {
    const { databases, users } = at.server();
    await attempt('CREATE FUNCTION version() RETURNS TEXT RETURN "MySQL"');
    await attempt('CREATE FUNCTION json_value(a TEXT, b TEXT) RETURNS TEXT RETURN "1"');
    await attempt(`SET STATEMENT sql_mode = 'ANSI_QUOTES' FOR SELECT 1`);
    assert.deepEqual(databaseDrift(await databases.observe(tenant.database), { user: {} }).changed, []);
    assert.equal(await users.checkPassword(neighbour.user, password), true);
  });

  test('prevents nothing by statements that it prepares, or by locks that it names', async () => {
    await sql('SET GLOBAL max_prepared_stmt_count = 20');
    try {
      for (let count = 0; count < 25; count += 1) await attempt(`PREPARE p${count} FROM 'SELECT ${count}'`);
      assert.equal(await attempt(`PREPARE one_more FROM 'SELECT 1'`), 1461, 'no statement is left');
      await attempt(`SELECT GET_LOCK('services_stack', 0)`);
      const { databases } = at.server();
      await databases.create('meanwhile', { user: {} }, { ownerId: 'meanwhile', password });
      await databases.drop('meanwhile', { ownerId: 'meanwhile', terminateSessions: false });
    } finally {
      await sql('SET GLOBAL max_prepared_stmt_count = DEFAULT');
    }
  });

  test('changes its own password, database and privileges, and each is found and repaired', async () => {
    const { databases, users } = at.server();
    const spec = { user: { maxUserConnections: 8 }, characterSet: 'utf8mb4' };
    assert.equal(await attempt(`SET PASSWORD = PASSWORD('my own')`), 0);
    assert.equal(await users.checkPassword(tenant.user, password), false);
    await users.setPassword(tenant.user, password, owned);
    assert.equal(await refusal({ ...tenant, password: 'my own' }), 1045);
    assert.equal(await attempt('DROP DATABASE hostile_a'), 0);
    assert.equal((await databases.observe(tenant.database)).database, undefined);
    assert.equal(await attempt('CREATE DATABASE hostile_a CHARACTER SET latin1'), 0);
    const found = await databases.observe(tenant.database);
    assert.deepEqual(databaseDrift(found, spec).changed, ['characterSet']);
    await databases.update(tenant.database, spec, owned);
    assert.notEqual(await attempt(`ALTER USER CURRENT_USER() WITH MAX_USER_CONNECTIONS 0`), 0);
  });

  test('is out when its database is deleted, whatever it does during that time', async () => {
    const { databases } = at.server();
    await attacker.query('USE hostile_a');
    await attacker.query('CREATE TABLE kept (id INT)');
    await attacker.query('LOCK TABLES kept WRITE');
    let isOver = false;
    const reconnecting = (async () => {
      let last = 0;
      while (!isOver)
        last = await refusal({ ...tenant, database: 'information_schema' }, 'SELECT SLEEP(0.2)');
      return last;
    })();
    await databases.drop(tenant.database, { ...owned, terminateSessions: true });
    isOver = true;
    assert.notEqual(await reconnecting, 0);
    assert.equal(await refusal(tenant), 1045);
    const left = `SELECT ID FROM information_schema.PROCESSLIST WHERE USER = '${tenant.user}'`;
    await eventually('no session of it is left', async () => (await sql(left)).length === 0);
  });
});
