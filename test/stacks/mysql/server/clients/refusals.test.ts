import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freePort } from '../../../../../local/free-port.ts';
import type { MysqlError } from '../../../../../stacks/mysql/client/error.ts';
import { administratorPrivileges } from '../../../../../stacks/mysql/client/privilege.ts';
import type { MysqlServerOptions } from '../../../../../stacks/mysql/client/server.ts';
import { eventually } from '../../../../cluster/stack-harness.ts';
import { administrator, mariadbFixture, owned, password, skip } from './fixture.ts';

const at = mariadbFixture();
const { connect, sql, refusal } = at;

const errorOf = (call: Promise<unknown>): Promise<MysqlError> =>
  call.then(
    () => assert.fail('no error'),
    (error: unknown) => {
      assert.equal((error as Error).name, 'MysqlError', (error as Error).stack);
      return error as MysqlError;
    },
  );

/** The error of the first call with other options. */
async function refusalOf(options: Partial<MysqlServerOptions>): Promise<MysqlError> {
  const server = at.server({ connectionWaitMs: 0, ...options });
  try {
    return await errorOf(server.facts());
  } finally {
    await server.close();
  }
}

describe('point 2: databases for everybody, and users without a name', { skip, timeout: 300_000 }, () => {
  test('are found, and the statements end them', async () => {
    const server = at.server();
    const root = await connect();
    await server.users.create('shadowed', {}, { ...owned, password });
    for (const statement of [
      'GRANT SELECT, INSERT ON test.* TO PUBLIC',
      'GRANT SELECT ON `test\\_%`.* TO PUBLIC',
      'GRANT PROCESS ON *.* TO PUBLIC',
      `INSERT INTO mysql.db (Host, Db, User, Select_priv) VALUES ('%', 'open%', '', 'Y')`,
      `CREATE USER ''@'127.0.0.1'`,
      'FLUSH PRIVILEGES',
    ])
      await root.query(statement);
    assert.equal(await server.users.checkPassword('shadowed', password), false, 'the unnamed one wins');
    const exposure = await server.exposure();
    assert.deepEqual(exposure.anonymous, [`''@'127.0.0.1'`]);
    assert.deepEqual(exposure.openPatterns, ['%', 'open%', 'test', 'test\\_%']);

    for (const name of ['test', 'test_shop', 'TEST_X', 'opened']) {
      const error = await errorOf(server.databases.create(name, { user: {} }, { ...owned, password }));
      assert.equal(error.code, 'Invalid');
      assert.match(
        error.message,
        /^every user of the server may use a database named .*; choose another external name$/,
      );
      assert.deepEqual((await server.databases.observe(name)).marks, {});
    }

    for (const statement of exposure.statements) await root.query(statement);
    assert.deepEqual(await server.exposure(), { anonymous: [], openPatterns: [], statements: [] });
    assert.equal(await server.users.checkPassword('shadowed', password), true);
    await server.databases.create('test_shop', { user: {} }, { ...owned, password });
  });
});

describe('point 10: a server that changes nothing', { skip, timeout: 300_000 }, () => {
  test('is unreachable in words, also for a session that is open, and nothing counts as absent', async () => {
    const server = at.server();
    await server.databases.create('on_primary', { user: {} }, { ...owned, password });
    const identity = await server.identity();
    await sql('SET GLOBAL read_only = 1');
    try {
      for (const call of [
        () => server.facts(),
        () => server.databases.observe('absent'),
        () => server.databases.create('new_one', { user: {} }, { ...owned, password }),
        () => server.databases.drop('on_primary', { ...owned, terminateSessions: true }),
        () => server.users.observe('absent'),
      ]) {
        const error = await errorOf(call());
        assert.deepEqual(
          [error.code, error.errorClass, error.isRetryable],
          ['Unreachable', 'Unreachable', true],
        );
        assert.match(
          error.message,
          /^server [\d.:]+ is read-only \(read_only is on\), so it changes nothing and its data may be old; use the address of the primary in the credentials$/,
        );
      }
      const watching = at.server({ isReadOnly: true });
      assert.ok(
        (await watching.databases.observe('on_primary')).database,
        'a client that only reads may read',
      );
      assert.equal(await watching.identity(), identity);
    } finally {
      await sql('SET GLOBAL read_only = 0');
    }
    assert.ok((await server.databases.observe('on_primary')).database);
  });

  test('a client that may change nothing is refused by the server', async () => {
    const watching = at.server({ isReadOnly: true });
    for (const call of [
      () => watching.databases.create('never', { user: {} }, { ...owned, password }),
      () => watching.users.setPassword('on_primary', 'x', owned),
      () => watching.databases.drop('on_primary', { ...owned, terminateSessions: true }),
    ])
      assert.equal((await errorOf(call())).code, 'ReadOnly');
    assert.equal(await refusal({ user: 'on_primary', password, database: 'on_primary' }), 0);
  });
});

describe('point 11: the administrator', { skip, timeout: 300_000 }, () => {
  test('has no SUPER, lacks nothing, and the server refuses GRANT ALL to it', async () => {
    assert.equal(await at.server().missingPrivileges(), undefined);
    const login = { user: administrator.username, password: administrator.password };
    assert.equal(await refusal(login, 'SET GLOBAL general_log = 1'), 1227);
    assert.equal(await refusal(login, `GRANT ALL ON *.* TO ${administrator.username}@'%'`), 1045);
  });

  const user = 'lacking';
  /** All that the client does once. */
  const everything = async (server: ReturnType<typeof at.server>): Promise<void> => {
    await server.databases.create('by_lacking', { user: {} }, { ...owned, password });
    await server.databases.update('by_lacking', { user: {}, characterSet: 'latin1' }, owned);
    const session = await connect({ user: 'by_lacking', password });
    await server.databases.drop('by_lacking', { ...owned, terminateSessions: true });
    await session.end().catch(() => {});
  };

  // The server takes INSERT on its own tables for CREATE USER.
  const needed = [...administratorPrivileges, 'GRANT OPTION'].filter((name) => name !== 'CREATE USER');
  for (const privilege of needed) {
    test(`a missing ${privilege} is named, with the statement that gives it`, async () => {
      await sql(`CREATE OR REPLACE USER ${user}@'%' IDENTIFIED BY 'x'`);
      const others = administratorPrivileges.filter((name) => name !== privilege);
      const option = privilege === 'GRANT OPTION' ? '' : ' WITH GRANT OPTION';
      await sql(`GRANT ${others.join(', ')} ON *.* TO ${user}@'%'${option}`);
      const credentials = { ...at.credentials(), username: user, password: 'x' };
      const first = at.server({ credentials });
      const error = await errorOf(everything(first));
      await first.close();
      assert.deepEqual([error.code, error.errorClass], ['Forbidden', 'Forbidden'], error.message);
      const [, lacking = '', statement = ''] =
        /: it lacks (.+); an administrator with all privileges runs: (GRANT .+)$/.exec(error.message) ?? [];
      assert.equal(lacking, privilege, error.message);
      assert.ok(!error.message.includes(password));
      await sql(statement);
      const again = at.server({ credentials });
      assert.equal(await again.missingPrivileges(), undefined);
      await everything(again);
      await again.close();
    });
  }

  test('a role may give it its privileges', async () => {
    await sql('CREATE OR REPLACE ROLE administrators');
    await sql(`GRANT ${administratorPrivileges.join(', ')} ON *.* TO administrators WITH GRANT OPTION`);
    await sql(`CREATE OR REPLACE USER ${user}@'%' IDENTIFIED BY 'x'`);
    await sql(`GRANT administrators TO ${user}@'%'`);
    await sql(`SET DEFAULT ROLE administrators FOR ${user}@'%'`);
    const credentials = { ...at.credentials(), username: user, password: 'x' };
    assert.equal(await at.server({ credentials }).missingPrivileges(), undefined);
  });
});

describe('point 12: passwords and plugins', { skip, timeout: 300_000 }, () => {
  test('a password that a policy refuses is invalid, and leaves nothing', async () => {
    const { users } = at.server();
    await users.create('before_policy', {}, { ...owned, password });
    await sql(`INSTALL SONAME 'simple_password_check'`);
    try {
      for (const call of [
        () => users.create('weak', {}, { ...owned, password: 'weakness' }),
        () => users.setPassword('before_policy', 'weakness', owned),
      ]) {
        const error = await errorOf(call());
        assert.deepEqual([error.code, error.errorClass, error.isRetryable], ['Invalid', 'Invalid', false]);
        assert.match(
          error.message,
          /^Your password does not satisfy the current policy requirements .*: Not enough digits/,
        );
        assert.doesNotMatch(error.message, /weakness/);
      }
      const weak = await at.server().databases.observe('weak');
      assert.deepEqual([weak.user, weak.marks], [undefined, {}]);
      assert.equal(await users.checkPassword('before_policy', password), true);
      await users.setPassword('before_policy', 'Strong-Enough-1', owned);
      assert.equal(await users.checkPassword('before_policy', 'Strong-Enough-1'), true);
    } finally {
      await sql(`UNINSTALL SONAME 'simple_password_check'`);
    }
  });

  test('a plugin that the server lacks names the field', async () => {
    const { users } = at.server();
    const error = await errorOf(users.create('plugged', { plugin: 'ed25519' }, { ...owned, password }));
    assert.equal(error.code, 'Invalid');
    assert.equal(
      error.message,
      `Plugin 'ed25519' is not loaded; load it on the server, or change spec.forProvider.passwordPlugin`,
    );
    assert.deepEqual(error.advice?.fields, ['spec.forProvider.passwordPlugin']);
    await sql(`INSTALL SONAME 'auth_ed25519'`);
    try {
      await users.create('plugged', { plugin: 'ed25519' }, { ...owned, password });
      assert.equal((await users.observe('plugged'))?.plugin, 'ed25519');
      assert.equal(
        await users.checkPassword('plugged', 'not tested'),
        true,
        'a password of another length than 32 bytes cannot be tested',
      );
      const generated = 'x'.repeat(32);
      await users.setPassword('plugged', generated, owned);
      assert.equal(await users.checkPassword('plugged', generated), true);
      assert.equal(await users.checkPassword('plugged', 'y'.repeat(32)), false);
      await users.setPassword('plugged', 'kept', owned);
      assert.equal((await users.observe('plugged'))?.plugin, 'ed25519');
      const native = { plugin: 'mysql_native_password' } as const;
      await users.update('plugged', native, owned);
      assert.equal((await users.observe('plugged'))?.plugin, 'ed25519', 'another plugin needs the password');
      await users.update('plugged', native, { ...owned, password: 'next' });
      assert.equal((await users.observe('plugged'))?.plugin, 'mysql_native_password');
      assert.equal(await users.checkPassword('plugged', 'next'), true);
    } finally {
      await sql(`DROP USER plugged@'%'`);
      await sql(`UNINSTALL SONAME 'auth_ed25519'`);
    }
  });

  test('the logs of the server have no password', async () => {
    const { databases, users } = at.server();
    await sql(`SET GLOBAL log_output = 'TABLE'`);
    await sql('SET GLOBAL general_log = 1');
    try {
      await databases.create('logged', { user: {} }, { ...owned, password: 'logged secret 1' });
      await users.setPassword('logged', 'logged secret 2', owned);
      assert.equal(await users.checkPassword('logged', 'logged secret 2'), true);
    } finally {
      await sql('SET GLOBAL general_log = 0');
    }
    const lines = await sql<{ line: string }>(
      'SELECT CONVERT(argument USING utf8mb4) AS line FROM mysql.general_log',
    );
    assert.ok(lines.some(({ line }) => /^CREATE USER 'logged'/.test(line)));
    assert.deepEqual(
      lines.filter(({ line }) => line.includes('logged secret')),
      [],
    );
    await sql('TRUNCATE mysql.general_log');
  });

  test('a user without a password cannot log in', async () => {
    const { users } = at.server();
    await users.create('unsaid', {}, owned);
    assert.equal(await refusal({ user: 'unsaid', password: '' }), 1045);
    await users.update('unsaid', { maxUserConnections: 2 }, owned);
    await users.create('unsaid', {}, owned);
    assert.equal(await refusal({ user: 'unsaid', password: '' }), 1045);
  });
});

describe('the cause of an error', { skip, timeout: 300_000 }, () => {
  const as = (more: object) => ({ credentials: { ...at.credentials(), ...more } });
  const address = () => `${at.here().address}:${at.here().port}`;

  test('a wrong password, a locked and a limited administrator, a host that is not allowed', async () => {
    const wrong = await refusalOf(as({ password: 'wrong secret' }));
    assert.deepEqual([wrong.code, wrong.errorClass], ['AuthenticationFailed', 'CredentialsRefused']);
    assert.match(
      wrong.message,
      new RegExp(
        `^server ${address()} refused the credentials of user "controllers": Access denied for user`,
      ),
    );
    assert.doesNotMatch(wrong.message, /wrong secret/);

    await sql(`CREATE USER other@'%' IDENTIFIED BY 'x' ACCOUNT LOCK`);
    const login = as({ username: 'other', password: 'x' });
    const locked = await refusalOf(login);
    assert.deepEqual([locked.code, locked.errorClass], ['LoginRefused', 'LoginRefused']);
    assert.match(
      locked.message,
      /this account is locked; another administrator of the server runs: ALTER USER 'other'@'%' ACCOUNT UNLOCK$/,
    );
    const [, statement = ''] = /runs: (.*)$/.exec(locked.message) ?? [];
    await sql(statement);

    await sql(`ALTER USER other@'%' WITH MAX_USER_CONNECTIONS 1`);
    const session = await connect({ user: 'other', password: 'x' });
    const limited = await refusalOf(login);
    assert.deepEqual([limited.code, limited.errorClass], ['Exhausted', 'Exhausted']);
    assert.match(limited.message, /raise MAX_USER_CONNECTIONS of that user, or end its sessions$/);
    await session.end();
  });

  test('an address at which no server answers', async () => {
    const port = await freePort();
    const nobody = await refusalOf(as({ port }));
    assert.deepEqual([nobody.code, nobody.errorClass], ['Unreachable', 'Unreachable']);
    assert.equal(nobody.message, `server ${at.here().address}:${port} is unreachable: connection refused`);
    const lost = await refusalOf(as({ endpoint: 'no.such.host.invalid' }));
    assert.match(lost.message, /is unreachable: name (not found|cannot be looked up)$/);
  });

  test('a server without TLS, where TLS is asked for', async () => {
    const error = await refusalOf(as({ sslmode: 'require' }));
    assert.deepEqual([error.code, error.errorClass], ['TlsFailed', 'TlsFailed']);
    assert.match(
      error.message,
      /does not offer TLS; to connect without TLS, set sslmode "disable" in the credentials$/,
    );
  });

  test('a full server is waited for, and then said', async () => {
    const root = await connect();
    await root.query(`CREATE USER hog@'%' IDENTIFIED BY 'x'`);
    await root.query('SET GLOBAL max_connections = 10');
    const hogs: Awaited<ReturnType<typeof connect>>[] = [];
    const server = at.server({ ...as({ username: 'hog', password: 'x' }), connectionWaitMs: 300 });
    const isFull = async () => {
      for (;;) {
        const hog = await connect({ user: 'hog', password: 'x' }).catch(() => undefined);
        if (hog === undefined) return;
        hogs.push(hog);
      }
    };
    try {
      // A session of an earlier test may leave at any time.
      const error = await eventually('the server is full', async () => {
        await isFull();
        return server.facts().then(
          () => undefined,
          (thrown: unknown) => thrown as MysqlError,
        );
      });
      assert.deepEqual([error.code, error.errorClass], ['Exhausted', 'Exhausted']);
      assert.match(
        error.message,
        /has no connection left: Too many connections; end sessions, or raise max_connections$/,
      );
    } finally {
      for (const hog of hogs) hog.destroy();
      await root.query('SET GLOBAL max_connections = 50');
    }
  });

  test('a session that the server ended is opened again', async () => {
    const server = at.server();
    await server.facts();
    const sessions = await sql<{ id: number }>(
      `SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER = '${administrator.username}'`,
    );
    for (const { id } of sessions) await sql(`KILL ${id}`);
    const ids = sessions.map(({ id }) => id).join();
    const left = `SELECT 1 FROM information_schema.PROCESSLIST WHERE ID IN (${ids})`;
    await eventually('they have ended', async () => (await sql(left)).length === 0);
    assert.equal((await server.facts()).flavour, 'MariaDB');
  });

  test('no error has a secret, or a control character', async () => {
    const { users } = at.server();
    await users.create('secretive', {}, { ...owned, password });
    for (const secret of ['correct horse battery', `a'b"c\\d-${'x'.repeat(70_000)}`]) {
      const call = users.setPassword('secretive', secret, { ...owned, plugin: 'caching_sha2_password' });
      const { message } = await errorOf(call);
      assert.ok(!message.includes(secret), message.slice(0, 200));
    }
    await sql(`CREATE USER 'e\\nvil'@'%' IDENTIFIED BY 'x'`);
    const { message } = await refusalOf(as({ username: 'e\nvil', password: 'no' }));
    assert.doesNotMatch(message, /\n/);
  });
});
