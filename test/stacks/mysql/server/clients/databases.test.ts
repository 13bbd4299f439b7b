import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { databaseDrift } from '../../../../../stacks/mysql/client/database.ts';
import type { MysqlError } from '../../../../../stacks/mysql/client/error.ts';
import { grantDrift } from '../../../../../stacks/mysql/client/grant.ts';
import { markOf, markStatement } from '../../../../../stacks/mysql/client/mark.ts';
import { databasePrivileges } from '../../../../../stacks/mysql/client/privilege.ts';
import { account, contentsOf, quotedName, quotedText } from '../../../../../stacks/mysql/client/text.ts';
import { mariadbFixture, otherOwnerId, owned, ownerId, password, skip } from './fixture.ts';

const at = mariadbFixture();
const { connect, sql, refusal: refusalOf } = at;

const refused = (code: string, message?: RegExp) => (error: MysqlError) => {
  assert.equal(error.code, code, error.message);
  if (message !== undefined) assert.match(error.message, message);
  return true;
};

describe('a database and its user', { skip, timeout: 300_000 }, () => {
  test('are created, used, changed and dropped, and nothing remains', async () => {
    const { databases, users } = at.server();
    const spec = { user: { maxUserConnections: 4, maxStatementSeconds: 30 }, collation: 'utf8mb4_bin' };
    await databases.create('shop', spec, { ...owned, password });
    const found = await databases.observe('shop');
    assert.deepEqual(found.database, {
      kind: 'database',
      name: 'shop',
      mark: markOf(ownerId),
      characterSet: 'utf8mb4',
      collation: 'utf8mb4_bin',
    });
    assert.deepEqual(found.user, {
      kind: 'user',
      name: 'shop',
      mark: markOf(ownerId),
      plugin: 'mysql_native_password',
      maxUserConnections: 4,
      maxStatementSeconds: 30,
      tls: 'Optional',
      isLocked: false,
      expires: false,
      isExpired: false,
      otherHosts: [],
    });
    assert.deepEqual(found.grant, { privileges: databasePrivileges.toSorted(), unescaped: [] });
    assert.deepEqual(databaseDrift(found, spec).changed, []);
    await sql('CREATE TABLE orders (id INT)', { user: 'shop', password, database: 'shop' });
    assert.equal(await users.checkPassword('shop', password), true);
    assert.equal(await users.checkPassword('shop', 'another'), false);

    const next = { user: { maxUserConnections: 0 }, characterSet: 'latin1', privileges: ['select'] };
    assert.deepEqual(databaseDrift(found, next).changed, [
      'characterSet',
      'maxUserConnections',
      'privileges',
    ]);
    await databases.update('shop', next, owned);
    assert.deepEqual(databaseDrift(await databases.observe('shop'), next).changed, []);
    assert.equal(await refusalOf({ user: 'shop', password, database: 'shop' }, 'DROP TABLE orders'), 1142);

    await users.setPassword('shop', 'second', owned);
    assert.equal(await users.checkPassword('shop', 'second'), true);
    assert.equal(await users.checkPassword('shop', password), false);

    await databases.drop('shop', { ...owned, terminateSessions: false });
    await databases.drop('shop', { ...owned, terminateSessions: false });
    assert.deepEqual(await databases.observe('shop'), {
      database: undefined,
      user: undefined,
      grant: undefined,
      marks: {},
    });
    assert.deepEqual(await sql(`SELECT * FROM mysql.db WHERE User = 'shop'`), []);
  });

  test('a dropped user comes back with the password, a locked one is unlocked', async () => {
    const { databases, users } = at.server();
    await databases.create('lost_user', { user: {} }, { ...owned, password });
    await sql(`DROP USER lost_user@'%'`);
    assert.deepEqual(databaseDrift(await databases.observe('lost_user'), { user: {} }).changed, ['user']);
    await assert.rejects(databases.update('lost_user', { user: {} }, owned), refused('NotFound'));
    await databases.update('lost_user', { user: {} }, { ...owned, password });
    assert.equal(await users.checkPassword('lost_user', password), true);
    await sql(`ALTER USER lost_user@'%' ACCOUNT LOCK`);
    assert.equal(await users.checkPassword('lost_user', password), true, 'right, and it cannot be used');
    assert.deepEqual(databaseDrift(await databases.observe('lost_user'), { user: {} }).changed, ['isLocked']);
    await databases.update('lost_user', { user: {} }, owned);
    assert.equal(await refusalOf({ user: 'lost_user', password, database: 'lost_user' }), 0);
  });

  test('a password that has expired is refused, and setting it again helps', async () => {
    const { users } = at.server();
    await users.create('expiring', {}, { ...owned, password });
    await sql(`ALTER USER expiring@'%' PASSWORD EXPIRE`);
    assert.equal(await users.checkPassword('expiring', password), false);
    await users.setPassword('expiring', password, owned);
    assert.equal(await users.checkPassword('expiring', password), true);
    await sql(`ALTER USER expiring@'%' PASSWORD EXPIRE INTERVAL 1 DAY`);
    assert.equal((await users.observe('expiring'))?.expires, true);
    await users.update('expiring', {}, owned);
    assert.equal((await users.observe('expiring'))?.expires, false);
  });

  test('a value that the server does not know names its field', async () => {
    const { databases } = at.server();
    for (const [texts, field] of [
      [{ characterSet: 'nope' }, /change spec\.forProvider\.characterSet$/],
      [{ collation: 'nope' }, /change spec\.forProvider\.collation$/],
      [
        { characterSet: 'latin1', collation: 'utf8mb4_bin' },
        /change spec\.forProvider\.collation and spec\.forProvider\.characterSet$/,
      ],
      [{ privileges: ['SUPER'] }, /no privilege "SUPER"; change spec\.forProvider\.privileges$/],
      [{ user: { tls: 'Required' } }, /no TLS; change spec\.forProvider\.tls$/],
    ] as const) {
      const creation = databases.create('unknown', { user: {}, ...texts }, { ...owned, password });
      await assert.rejects(creation, refused('Invalid', field));
      const found = await databases.observe('unknown');
      assert.deepEqual([found.database, found.user, found.marks], [undefined, undefined, {}]);
    }
  });

  test('`utf8` does not differ from what the server calls it', async () => {
    const { databases } = at.server();
    const spec = { user: {}, characterSet: 'utf8', collation: 'utf8_bin' };
    await databases.create('short', spec, { ...owned, password });
    assert.deepEqual(databaseDrift(await databases.observe('short'), spec).changed, []);
  });
});

describe('point 1: wildcards in the name of a database', { skip, timeout: 300_000 }, () => {
  const neighbours = ['team_a', 'teamxa', 'team%a', 'team\\_a', 'teamAa'];

  test('a user of a name with `_`, `%` or `\\` reaches no neighbour', async () => {
    const { databases } = at.server();
    for (const [index, name] of neighbours.entries())
      await databases.create(name, { user: {} }, { ownerId: `neighbour ${index}`, password });
    for (const name of neighbours) {
      const reached = [];
      for (const other of neighbours) {
        const login = { user: name, password };
        const number = await refusalOf(
          login,
          `CREATE TABLE ${quotedName(other)}.t_${neighbours.indexOf(name)} (id INT)`,
        );
        if (number === 0) reached.push(other);
      }
      assert.deepEqual(reached, [name]);
    }
  });

  test('an unescaped grant is found and repaired, in a database and in a grant', async () => {
    const { databases, users, grants } = at.server();
    await databases.create('un_escaped', { user: {} }, { ...owned, password });
    await sql('GRANT SELECT, INSERT ON un_escaped.* TO un_escaped');
    const found = await databases.observe('un_escaped');
    assert.deepEqual(found.grant?.unescaped, ['INSERT', 'SELECT']);
    assert.deepEqual(databaseDrift(found, { user: {} }).changed, ['privileges']);
    await databases.update('un_escaped', { user: {} }, owned);
    assert.deepEqual((await databases.observe('un_escaped')).grant?.unescaped, []);

    await users.create('reader', {}, { ...owned, password });
    const spec = { user: 'reader', database: 'un_escaped', privileges: ['SELECT'] };
    await sql('GRANT SELECT ON un_escaped.* TO reader WITH GRANT OPTION');
    const held = (await grants.observe(spec)) ?? assert.fail('absent');
    assert.deepEqual(grantDrift(held, spec), { missing: ['SELECT'], extra: [], isUnescaped: true });
    await grants.apply(spec);
    assert.deepEqual(await grants.observe(spec), { privileges: ['SELECT'], unescaped: [] });
    assert.deepEqual(await sql(`SELECT Db FROM mysql.db WHERE User = 'reader'`), [{ Db: 'un\\_escaped' }]);
    await grants.revoke(spec);
    assert.deepEqual(await grants.observe(spec), { privileges: [], unescaped: [] });
  });

  test('the server cuts a long pattern without an error, so such a name is refused', async () => {
    const { databases } = at.server();
    const name = `${'b'.repeat(63)}_`;
    await assert.rejects(
      databases.create(name, { user: {} }, { ...owned, password }),
      refused('Invalid', /has 65 characters in a GRANT, where each "_", "%" and "\\" counts twice; 64 are/),
    );
    await sql(`CREATE USER cut@'%'`);
    await sql(`GRANT SELECT ON ${contentsOf(name)} TO cut`);
    const [row] = await sql<{ Db: string }>(`SELECT Db FROM mysql.db WHERE User = 'cut'`);
    assert.equal(row?.Db, `${'b'.repeat(63)}\\`, 'the server still does so');
  });

  test('a long name without wildcards is used', async () => {
    const { databases } = at.server();
    const name = 'l'.repeat(64);
    await databases.create(name, { user: {} }, { ...owned, password });
    assert.equal(await refusalOf({ user: name, password, database: name }, 'CREATE TABLE t (id INT)'), 0);
  });
});

describe('point 4: marks', { skip, timeout: 300_000 }, () => {
  test('only an administrator can read them', async () => {
    const { databases } = at.server();
    await databases.create('marked', { user: {} }, { ...owned, password });
    const login = { user: 'marked', password };
    assert.equal(await refusalOf(login, 'SELECT * FROM services_stack.marks'), 1142);
    assert.deepEqual(await sql('SHOW DATABASES', login), [
      { Database: 'information_schema' },
      { Database: 'marked' },
    ]);
    const rows = await sql<{ digest: string }>(
      `SELECT digest FROM services_stack.marks WHERE name = 'marked'`,
    );
    assert.deepEqual(new Set(rows.map(({ digest }) => digest)), new Set([markOf(ownerId)]));
  });

  test('an object without a mark, or with that of another owner, is not ours', async () => {
    const { databases, users } = at.server();
    await sql('CREATE DATABASE foreign1');
    const creation = databases.create('foreign1', { user: {} }, { ...owned, password });
    await assert.rejects(creation, (error: MysqlError) => {
      assert.deepEqual(
        [error.code, error.errorClass, error.holder],
        ['NotOurs', 'Conflict', { by: 'Nobody' }],
      );
      assert.match(
        error.message,
        /^database `foreign1` exists and is not managed by .*; choose another external name$/,
      );
      return true;
    });
    await assert.rejects(databases.update('foreign1', { user: {} }, owned), refused('NotOurs'));
    await assert.rejects(
      databases.drop('foreign1', { ...owned, terminateSessions: true }),
      refused('NotOurs'),
    );
    assert.equal((await databases.observe('foreign1')).user, undefined);

    await databases.create('others', { user: {} }, { ownerId: otherOwnerId, password });
    for (const call of [
      () => databases.create('others', { user: {} }, { ...owned, password }),
      () => databases.update('others', { user: {} }, owned),
      () => databases.drop('others', { ...owned, terminateSessions: true }),
      () => users.setPassword('others', 'stolen', owned),
      () => users.endSessions('others', owned),
      () => users.drop('others', { ...owned, terminateSessions: true }),
    ]) {
      await assert.rejects(call, (error: MysqlError) => {
        assert.deepEqual([error.code, error.holder], ['NotOurs', { by: 'AnotherResource' }]);
        assert.doesNotMatch(error.message, new RegExp(otherOwnerId));
        return true;
      });
    }
    assert.equal(await users.checkPassword('others', password), true);
  });

  test('the statement of the message gives it to the resource', async () => {
    const { databases } = at.server();
    await sql('CREATE DATABASE adopted');
    await sql(markStatement('database', 'adopted', ownerId));
    await databases.create('adopted', { user: {} }, { ...owned, password });
    assert.equal(await refusalOf({ user: 'adopted', password, database: 'adopted' }), 0);
  });

  test('a creation that another resource began takes the name, and the message frees it', async () => {
    const { databases } = at.server();
    await sql(markStatement('user', 'begun', otherOwnerId));
    const creation = () => databases.create('begun', { user: {} }, { ...owned, password });
    const refusal: MysqlError = await creation().then(
      () => assert.fail('created'),
      (error: unknown) => error as MysqlError,
    );
    assert.deepEqual([refusal.code, refusal.holder], ['NotOurs', { by: 'AnotherResource' }]);
    const [, statement = ''] = /free the name: (DELETE .*)$/.exec(refusal.message) ?? [];
    await sql(statement);
    assert.deepEqual((await databases.observe('begun')).database, undefined);
    await creation();
  });

  test('without the table nothing is adopted, changed or dropped, and the server is another one', async () => {
    const server = at.server();
    const { databases } = server;
    await databases.create('kept', { user: {} }, { ...owned, password });
    const identity = await server.identity();
    assert.match(identity, /^MariaDB system [0-9a-f]{32}$/);
    assert.equal(await at.server().identity(), identity);
    await sql('RENAME TABLE services_stack.marks TO services_stack.lost');
    const found = await databases.observe('kept');
    assert.deepEqual([found.database?.mark, found.user?.mark, found.marks], [undefined, undefined, {}]);
    await assert.rejects(databases.update('kept', { user: {} }, owned), refused('NotOurs'));
    await assert.rejects(databases.drop('kept', { ...owned, terminateSessions: true }), refused('NotOurs'));
    await assert.rejects(databases.create('kept', { user: {} }, { ...owned, password }), refused('NotOurs'));
    assert.notEqual(await server.identity(), identity);
    await sql('DROP TABLE services_stack.marks');
    await sql('RENAME TABLE services_stack.lost TO services_stack.marks');
    assert.equal(await server.identity(), identity);
    await databases.update('kept', { user: {} }, owned);
  });

  test('a user of the same name at another host, and a role, are not ours', async () => {
    const { databases } = at.server();
    await sql(`CREATE USER elsewhere@localhost IDENTIFIED BY 'x'`);
    await sql('CREATE ROLE a_role');
    for (const [name, message] of [
      ['elsewhere', /^user 'elsewhere'@'localhost' exists; choose another external name$/],
      ['a_role', /^role `a_role` exists; choose another external name$/],
    ] as const) {
      const creation = databases.create(name, { user: {} }, { ...owned, password });
      await assert.rejects(creation, refused('NotOurs', message));
      assert.deepEqual((await databases.observe(name)).marks, {});
    }
  });

  test('if only the user is missing, no other name helps: the error has the statements', async () => {
    const { databases } = at.server();
    await databases.create('adopted', { user: {} }, { ...owned, password });
    await sql('DROP USER adopted');
    await sql(`CREATE USER adopted@localhost, adopted@'10.%'`);
    await sql('CREATE ROLE adopted');
    const update = databases.update('adopted', { user: {} }, { ...owned, password });
    const message =
      "role `adopted`, user 'adopted'@'10.%', user 'adopted'@'localhost' exist; unless it is needed, an administrator of the server runs: DROP ROLE `adopted`; DROP USER 'adopted'@'10.%'; DROP USER 'adopted'@'localhost'";
    await assert.rejects(update, (error: MysqlError) => {
      assert.deepEqual(
        [error.code, error.message, error.advice, error.holder],
        ['NotOurs', message, undefined, { by: 'AnotherResource' }],
      );
      return true;
    });
    for (const statement of message.split('runs: ')[1]?.split('; ') ?? []) await sql(statement);
    await databases.update('adopted', { user: {} }, { ...owned, password });
    assert.equal(await at.server().users.checkPassword('adopted', password), true);
  });
});

describe('point 7: escapes', { skip, timeout: 300_000 }, () => {
  test('the server reads each text and name as it was written, whatever its settings', async () => {
    await sql(`SET GLOBAL sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'`);
    await sql('SET GLOBAL character_set_client = gbk');
    try {
      const { users } = at.server();
      await users.create('quoted', {}, { ...owned, password });
      const pool = [...'aZ0_%\\\'"`;-/*#\n\r\t\b\u001a \u00bf\u5c27é日é', '\\\\', "\\'", '\u0080', '\uffee'];
      const texts = fc.array(fc.constantFrom(...pool), { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(texts, async (parts) => {
          const text = parts.join('');
          await users.setPassword('quoted', text, owned);
          assert.equal(await users.checkPassword('quoted', text), true, JSON.stringify(text));
        }),
        { numRuns: 60 },
      );
      const names = texts.map((parts) => parts.join('').trim()).filter((name) => /[^\s]/.test(name));
      const { databases } = at.server();
      await fc.assert(
        fc.asyncProperty(names, async (name) => {
          await databases.create(name, { user: {} }, { ...owned, password }).catch((error: MysqlError) => {
            if (!/invisible characters|counts twice|begin and end with an apostrophe/.test(error.message))
              throw error;
          });
          const { database, user, grant } = await databases.observe(name);
          if (database === undefined) return;
          assert.deepEqual([database.name, user?.name], [name, name]);
          assert.equal(grant?.privileges.length, databasePrivileges.length);
          const login = { user: name, password, database: name };
          assert.equal(await refusalOf(login, 'CREATE TABLE t (id INT)'), 0, name);
          await databases.drop(name, { ...owned, terminateSessions: true });
        }),
        { numRuns: 25 },
      );
    } finally {
      await sql('SET GLOBAL sql_mode = DEFAULT');
      await sql('SET GLOBAL character_set_client = DEFAULT');
    }
  });

  test('a user name in apostrophes is refused, because the server takes them away at a login', async () => {
    await sql(`CREATE USER \`'plain'\` IDENTIFIED BY 'secret'`);
    assert.equal(await refusalOf({ user: `'plain'`, password: 'secret' }, 'SELECT 1'), 1045);
    await sql(`DROP USER \`'plain'\``);
    const { users } = at.server();
    await assert.rejects(
      users.create(`'plain'`, {}, { ...owned, password }),
      /begin and end with an apostrophe/,
    );
  });

  test('a statement of a message means the same, whatever the settings of the administrator who runs it', async () => {
    const { databases } = at.server();
    const name = `x\\'; DROP DATABASE aside; -- "`;
    await sql('CREATE DATABASE IF NOT EXISTS aside');
    for (const mode of ['', 'NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES']) {
      await databases.create(name, { user: {} }, { ...owned, password });
      const session = await connect();
      await session.query(`SET sql_mode = '${mode}'`);
      await session.query(markStatement('database', name, otherOwnerId));
      await session.query(`ALTER USER ${account(name)} ACCOUNT LOCK`);
      await session.end();
      const { marks, user } = await databases.observe(name);
      assert.deepEqual([marks.database, user?.isLocked], [markOf(otherOwnerId), true], mode);
      await sql(markStatement('database', name, ownerId));
      await databases.drop(name, { ...owned, terminateSessions: true });
    }
    assert.equal((await sql(`SHOW DATABASES LIKE 'aside'`)).length, 1);
    await sql('DROP DATABASE aside');
  });

  test('a text in a statement is itself', async () => {
    const connection = await connect();
    await connection.query(`SET sql_mode = ''`);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 30 }), async (text) => {
        const [rows] = await connection.query(`SELECT HEX(${quotedText(text)}) AS hex`);
        const [row] = rows as unknown as readonly { hex: string }[];
        assert.equal(row?.hex, Buffer.from(text).toString('hex').toUpperCase());
      }),
      { numRuns: 300 },
    );
  });
});

describe('point 8: names', { skip, timeout: 300_000 }, () => {
  test('reserved and unsuitable names are refused, in any case', async () => {
    const { databases, users } = at.server();
    const names = {
      'is reserved': [
        'mysql',
        'MySQL',
        'Information_Schema',
        'services_stack',
        'SERVICES_STACK',
        'sys',
        'root',
      ],
      'above U+FFFF': ['shop😀', 'x\u{1d11e}'],
      'begin or end with a space': ['shop ', ' shop'],
      'must not begin with #mysql50#': ['#mysql50#mysql', '#MYSQL50#x'],
      'must not be empty': [''],
      'must not be "." or ".."': ['.', '..'],
      'zero byte': ['a\0b'],
      invisible: ['a\u200bb', 'a\u001b[31m', 'a\nb'],
      'characters, 64 are allowed': ['x'.repeat(65)],
      'is that of a file of the server': ['ib_logfile1', 'IB_LOGFILE101', 'ibdata2', 'ibtmp2', 'undo001'],
    };
    for (const [rule, each] of Object.entries(names)) {
      for (const name of each) {
        const creation = databases.create(name, { user: {} }, { ...owned, password });
        await assert.rejects(creation, (error: MysqlError) => {
          assert.equal(error.code, 'Invalid');
          assert.ok(error.message.includes(rule), `${name}: ${error.message}`);
          return true;
        });
      }
    }
    for (const name of ['PUBLIC', 'Root', 'mariadb.sys', 'current_user', 'u'.repeat(81)])
      await assert.rejects(users.create(name, {}, { ...owned, password }), refused('Invalid'));
    await users.create('u'.repeat(80), {}, { ...owned, password });
    assert.equal(await users.checkPassword('u'.repeat(80), password), true);
  });

  test('a name that is too long for the file system is reported as it is, and leaves nothing', async () => {
    const { databases } = at.server();
    const name = '日'.repeat(64);
    const creation = databases.create(name, { user: {} }, { ...owned, password });
    await assert.rejects(creation, refused('Invalid', /File name too long/));
    const found = await databases.observe(name);
    assert.deepEqual([found.user, found.marks], [undefined, {}]);
  });

  test('names that differ in case only are two on this server', async () => {
    const { databases } = at.server();
    await databases.create('Case', { user: {} }, { ...owned, password });
    await databases.create('case', { user: {} }, { ownerId: otherOwnerId, password });
    assert.equal(await refusalOf({ user: 'case', password, database: 'Case' }), 1044);
  });
});
