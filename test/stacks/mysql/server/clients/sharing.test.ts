import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { databaseDrift } from '../../../../../stacks/mysql/client/database.ts';
import type { MysqlError } from '../../../../../stacks/mysql/client/error.ts';
import { eventually } from '../../../../cluster/stack-harness.ts';
import { mariadbFixture, otherOwnerId, owned, ownerId, password, skip } from './fixture.ts';

const at = mariadbFixture();
const { connect, sql, refusal } = at;

const refused = (code: string, message?: RegExp) => (error: MysqlError) => {
  assert.equal(error.code, code, error.message);
  if (message !== undefined) assert.match(error.message, message);
  return true;
};

/** Creates a database of the owner of the tests. Returns the login of its user. */
async function created(name: string, id = ownerId) {
  await at.server().databases.create(name, { user: {} }, { ownerId: id, password });
  return { user: name, password, database: name };
}

const isOpen = (session: Awaited<ReturnType<typeof connect>>): Promise<boolean> =>
  session.query('SELECT 1').then(
    () => true,
    () => false,
  );

/** Waits until the server has ended a session, as it does in its own time after KILL. */
const ended = (session: Awaited<ReturnType<typeof connect>>) =>
  eventually('the session has ended', async () => !(await isOpen(session)));

describe('point 5: sessions', { skip, timeout: 300_000 }, () => {
  test('DROP USER leaves a session that still may do everything', async () => {
    const login = await created('outliving');
    const session = await connect(login);
    await sql(`DROP USER outliving@'%'`);
    await session.query('CREATE TABLE still (id INT)');
    await session.end();
  });

  test('a deletion waits for the sessions of the user and those in the database', async () => {
    const { databases, users } = at.server();
    const login = await created('waiting');
    const own = await connect({ user: login.user, password });
    const call = () => databases.drop('waiting', { ...owned, terminateSessions: false });
    await assert.rejects(call, refused('InUse', /^database `waiting` has 1 open session$/));
    assert.equal(await refusal(login), 0, 'nobody is kept out');
    await own.end();
    const other = await connect();
    await other.query('USE waiting');
    await assert.rejects(call, refused('InUse'));
    assert.equal(await users.countSessions('waiting'), 0);
    await other.end();
    await call();
  });

  test('a deletion ends them if it may', async () => {
    const { databases, users } = at.server();
    const login = await created('ended');
    await users.create('colleague', {}, { ...owned, password });
    await sql('GRANT SELECT ON ended.* TO colleague');
    const sessions = [await connect(login), await connect({ ...login, user: 'colleague' })];
    await sessions[0]?.query('CREATE TABLE held (id INT)');
    await sessions[1]?.query('START TRANSACTION');
    await sessions[1]?.query('SELECT * FROM held');
    await databases.drop('ended', { ...owned, terminateSessions: true });
    for (const session of sessions) await ended(session);
    assert.equal((await databases.observe('ended')).database, undefined);
  });

  test('the sessions of a former password are counted and ended', async () => {
    const { users } = at.server();
    const login = await created('former');
    const session = await connect(login);
    await users.setPassword('former', 'the next one', owned);
    assert.equal(await users.countSessions('former'), 1);
    assert.equal(await isOpen(session), true);
    assert.equal(await users.endSessions('former', owned), 1);
    await ended(session);
    await eventually('none is counted', async () => (await users.countSessions('former')) === 0);
  });

  test('the privileges of others on a dropped database are not those on the next one', async () => {
    const { databases, users } = at.server();
    await created('again_a');
    await users.create('guest', {}, { ...owned, password });
    await sql('CREATE TABLE again_a.t (id INT)');
    await sql('CREATE PROCEDURE again_a.p() SELECT 1');
    await sql('GRANT SELECT ON `again\\_a`.* TO guest');
    await sql('GRANT SELECT, INSERT (id) ON again_a.t TO guest');
    await sql('GRANT EXECUTE ON PROCEDURE again_a.p TO guest');
    assert.deepEqual(await databases.usersOf('again_a'), ['guest@%']);
    await databases.drop('again_a', { ...owned, terminateSessions: true });
    for (const table of ['db', 'tables_priv', 'columns_priv', 'procs_priv'])
      assert.deepEqual(await sql(`SELECT * FROM mysql.${table} WHERE User = 'guest'`), [], table);
    await created('again_a', 'another');
    assert.equal(await refusal({ user: 'guest', password, database: 'again_a' }), 1044);
  });

  test('the privileges of others on a database that its tenant dropped are not those on the next one', async () => {
    const { databases, users } = at.server();
    const login = await created('own_drop');
    await users.create('visitor', {}, { ...owned, password });
    await sql('CREATE TABLE own_drop.t (id INT)');
    await sql('GRANT SELECT ON `own\\_drop`.* TO visitor');
    await sql('GRANT SELECT ON own_drop.t TO visitor');
    await sql('DROP DATABASE own_drop', login);
    await databases.drop('own_drop', { ...owned, terminateSessions: true });
    for (const table of ['db', 'tables_priv'])
      assert.deepEqual(await sql(`SELECT * FROM mysql.${table} WHERE User = 'visitor'`), [], table);
    await created('own_drop', 'another');
    assert.equal(await refusal({ user: 'visitor', password, database: 'own_drop' }), 1044);
  });

  test('no event of a dropped user runs on, and no session is that of the next user of the name', async () => {
    const { databases } = at.server();
    const login = await created('eventful');
    await sql('SET GLOBAL event_scheduler = ON');
    try {
      const session = await connect(login);
      for (let count = 0; count < 60; count += 1)
        await session.query(
          `CREATE EVENT e${count} ON SCHEDULE EVERY 1 SECOND DO WHILE 1 DO DO SLEEP(1); END WHILE`,
        );
      const running = () => sql(`SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'eventful'`);
      await eventually('enough events run', async () => (await running()).length >= 120);
      await databases.drop('eventful', { ...owned, terminateSessions: true });
      await eventually('no event runs', async () => (await running()).length === 0);
    } finally {
      await sql('SET GLOBAL event_scheduler = DEFAULT');
    }
    const zombie = await connect(await created('dropped'));
    await sql('DROP USER dropped');
    await sql('DROP DATABASE dropped');
    await sql(`DELETE FROM services_stack.marks WHERE name = 'dropped'`);
    await created('dropped', 'another');
    await ended(zombie);
    await databases.drop('dropped', { ownerId: 'another', terminateSessions: true });
  });

  test('a deletion of a database without its user ends no session of a user without a name', async () => {
    const { databases } = at.server();
    await created('lonely');
    const root = await connect();
    await root.query('DROP USER lonely');
    await root.query(`CREATE USER ''@'127.0.0.1' IDENTIFIED BY 'x'`); // no other user can log in now
    const nameless = await connect({ user: '', password: 'x' });
    await root.query(`DROP USER ''@'127.0.0.1'`);
    await databases.drop('lonely', { ...owned, terminateSessions: true });
    assert.equal(await isOpen(nameless), true);
    await nameless.end();
  });
});

describe('point 6: locks', { skip, timeout: 300_000 }, () => {
  test('a tenant that holds a lock delays no other', async () => {
    const server = at.server({ lockTimeoutMs: 50_000 });
    const login = await created('locking');
    await created('neighbour');
    const session = await connect(login);
    await session.query('CREATE TABLE held (id INT)');
    await session.query('LOCK TABLES held WRITE');
    const change = { user: {}, characterSet: 'latin1' };
    const blocked = Array.from({ length: 6 }, () =>
      server.databases.update('locking', change, owned).then(
        () => 'changed',
        (error: MysqlError) => error.message.replace(/^.*: (another session holds a needed lock).*/, '$1'),
      ),
    );
    const others = Array.from({ length: 4 }, () =>
      server.databases.update('neighbour', { user: { maxUserConnections: 3 } }, owned),
    );
    await Promise.all(others); // while one of the six waits
    const impatient = at.server({ lockTimeoutMs: 1_000 }).databases;
    const isLocked = refused('Locked', /another session holds a needed lock/);
    await assert.rejects(impatient.update('locking', change, owned), isLocked);
    await session.query('UNLOCK TABLES');
    const refusals = Array(5).fill('another session holds a needed lock');
    assert.deepEqual((await Promise.all(blocked)).toSorted(), [...refusals, 'changed']);
    assert.deepEqual(databaseDrift(await server.databases.observe('locking'), change).changed, []);
  });

  test('a deletion that ends sessions passes a lock', async () => {
    const { databases } = at.server();
    const login = await created('obstinate');
    const session = await connect(login);
    await session.query('CREATE TABLE held (id INT)');
    await session.query('LOCK TABLES held WRITE');
    await databases.drop('obstinate', { ...owned, terminateSessions: true });
    assert.equal((await databases.observe('obstinate')).database, undefined);
  });

  test('a prepared transaction without a session is waited for on the connection of its own only', async () => {
    const server = at.server({ lockTimeoutMs: 60_000, tenantTimeoutMs: 120_000 });
    const login = await created('prepared');
    const session = await connect(login);
    await session.query('CREATE TABLE held (id INT) ENGINE = InnoDB');
    for (const statement of ["START 'left'", "END 'left'", "PREPARE 'left'"]) {
      await session.query(`XA ${statement}`);
      if (statement.startsWith('START')) await session.query('INSERT INTO held VALUES (1)');
    }
    await session.end();
    const call = () => server.databases.drop('prepared', { ...owned, terminateSessions: true });
    const first = call();
    const dropping = () =>
      sql(
        `SELECT ID FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND INFO LIKE '% = 60 FOR DROP %'`,
      );
    await eventually('it waits', async () => (await dropping()).length > 0);
    const startedAt = Date.now();
    await assert.rejects(call(), refused('Locked', /another session holds a needed lock/));
    assert.ok(Date.now() - startedAt < 30_000, 'a shared connection does not wait');
    await sql("XA ROLLBACK 'left'");
    await first;
  });

  test('a DROP DATABASE that takes long goes on without the connection', async () => {
    const login = await created('large');
    const session = await connect({ ...login });
    for (let count = 0; count < 40; count += 1) await session.query(`CREATE TABLE t${count} (id INT)`);
    await session.end();
    const hurried = at.server({ tenantTimeoutMs: 1 });
    await assert.rejects(
      hurried.databases.drop('large', { ...owned, terminateSessions: true }),
      refused('TimedOut', /took too long, and goes on with the statement$/),
    );
    const { databases } = at.server();
    await eventually(
      'the server has dropped it',
      async () => (await databases.observe('large')).database === undefined,
    );
    await databases.drop('large', { ...owned, terminateSessions: true });
    assert.deepEqual((await databases.observe('large')).marks, {});
  });

  test('no session of ours stays after an abort', async () => {
    const server = at.server({ lockTimeoutMs: 50_000 });
    const login = await created('aborted');
    const session = await connect(login);
    await session.query('CREATE TABLE held (id INT)');
    await session.query('LOCK TABLES held WRITE');
    const abort = new AbortController();
    const change = { user: {}, characterSet: 'latin1' };
    const call = server.databases.update('aborted', change, { ...owned, signal: abort.signal });
    const waiting = () =>
      sql(
        `SELECT INFO FROM information_schema.PROCESSLIST WHERE INFO LIKE '%ALTER DATABASE%' AND STATE LIKE 'Waiting%'`,
      );
    await eventually('it waits', async () => (await waiting()).length > 0);
    const reason = new Error('the run is over');
    abort.abort(reason);
    await assert.rejects(call, reason);
    await server.close();
    await eventually('nothing of it waits', async () => (await waiting()).length === 0);
    await session.query('SELECT 1'); // and the tenant still holds its lock
  });
});

describe('point 9: what runs with the rights of a user', { skip, timeout: 300_000 }, () => {
  test('is reported where it stays', async () => {
    const { databases, users } = at.server();
    const login = await created('defining');
    await created('host_a', 'host');
    await sql('GRANT ALL ON `host\\_a`.* TO defining');
    const session = await connect(login);
    for (const [place, suffix] of [
      ['defining', 'own'],
      ['host_a', 'foreign'],
    ]) {
      await session.query(`CREATE TABLE ${place}.t_${suffix} (id INT)`);
      await session.query(`CREATE VIEW ${place}.v_${suffix} AS SELECT 1`);
      await session.query(`CREATE PROCEDURE ${place}.p_${suffix}() SELECT 1`);
      await session.query(
        `CREATE TRIGGER ${place}.tr_${suffix} BEFORE INSERT ON ${place}.t_${suffix} FOR EACH ROW SET @a = 1`,
      );
      await session.query(`CREATE EVENT ${place}.e_${suffix} ON SCHEDULE EVERY 1 DAY DO SELECT 1`);
    }
    await session.end();
    const defined = await users.definedBy('defining', { except: 'defining' });
    assert.deepEqual(
      defined.map(({ what }) => what),
      [
        'event `host_a`.`e_foreign`',
        'procedure `host_a`.`p_foreign`',
        'trigger `host_a`.`tr_foreign`',
        'view `host_a`.`v_foreign`',
      ],
    );
    await databases.drop('defining', { ...owned, terminateSessions: true });
    assert.equal((await users.definedBy('defining')).length, 4);
    const creations = [
      () => databases.create('defining', { user: {} }, { ownerId: otherOwnerId, password }),
      () => users.create('defining', {}, { ownerId: otherOwnerId, password }),
    ];
    for (const create of creations) {
      await assert.rejects(
        create(),
        refused(
          'NotOurs',
          /view `host_a`\.`v_foreign` would run with the rights of user `defining`.*; DROP VIEW `host_a`\.`v_foreign`$/,
        ),
      );
      assert.deepEqual((await databases.observe('defining')).marks, {}, 'the name stays free');
    }
    for (const { statement } of defined) await sql(statement);
    for (const create of creations) {
      await create();
      await users.drop('defining', { ownerId: otherOwnerId, terminateSessions: true });
    }
  });

  test('in its own database it does not keep a lost user from coming back', async () => {
    const { databases } = at.server();
    const session = await connect(await created('returning'));
    await session.query('CREATE VIEW totals AS SELECT 1 AS one');
    await session.end();
    await sql('DROP USER `returning`');
    await databases.update('returning', { user: {} }, { ...owned, password });
    assert.equal(
      await refusal({ user: 'returning', password, database: 'returning' }, 'SELECT * FROM totals'),
      0,
    );
  });
});

describe('grants', { skip, timeout: 300_000 }, () => {
  const holderOf = () => ({ isClaims: true, what: 'MySQLDatabase x of MySQLInstance team-a/x' });

  test('a name alone does not mean the user or database of a claim', async () => {
    const { grants, users } = at.server({ holderOf });
    await created('of_claim');
    await sql('CREATE DATABASE of_admin');
    await sql(`CREATE USER admins_user@'%' IDENTIFIED BY 'x'`);
    const spec = { user: 'of_claim', database: 'of_admin', privileges: ['SELECT'] };
    assert.deepEqual(await grants.distrusted(spec), {
      party: 'user',
      name: 'of_claim',
      holder: 'MySQLDatabase x of MySQLInstance team-a/x',
    });
    await assert.rejects(
      grants.apply(spec),
      refused(
        'Invalid',
        /^spec\.forProvider\.user `of_claim` is not used: it is the user of MySQLDatabase x of MySQLInstance team-a\/x; if it is meant, set spec\.forProvider\.userDatabaseRef/,
      ),
    );
    await assert.rejects(
      grants.apply({ user: 'admins_user', database: 'of_claim' }),
      refused('Invalid', /^spec\.forProvider\.database /),
    );
    await grants.apply({ ...spec, resources: { user: ownerId } });
    assert.deepEqual((await grants.observe(spec))?.privileges, ['SELECT']);
    assert.equal((await users.observe('admins_user'))?.mark, undefined);
    await grants.apply({ user: 'admins_user', database: 'of_admin' });
  });

  test('the databases of the server and of the product are refused, in any case', async () => {
    const { grants } = at.server();
    await sql(`CREATE USER curious@'%' IDENTIFIED BY 'x'`);
    for (const database of ['mysql', 'services_stack', 'SYS', 'Performance_Schema', 'information_schema']) {
      const spec = { user: 'curious', database, privileges: ['SELECT'] };
      const isNamed = refused('Invalid', /is reserved; change spec\.forProvider\.database$/);
      await assert.rejects(grants.apply(spec), isNamed);
      await assert.rejects(grants.distrusted(spec), isNamed);
      await grants.revoke(spec);
    }
    assert.deepEqual(await sql(`SELECT Db FROM mysql.db WHERE User = 'curious'`), []);
  });

  test('a missing user or database is named', async () => {
    const { grants } = at.server();
    const spec = { user: 'nobody_here', database: 'no_database' };
    assert.equal(await grants.observe(spec), undefined);
    await assert.rejects(
      grants.apply(spec),
      refused('NotFound', /^user `nobody_here` and database `no_database` do not exist/),
    );
    await grants.revoke(spec);
    assert.deepEqual(await sql(`SELECT User FROM mysql.global_priv WHERE User = 'nobody_here'`), []);
  });
});
