import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { databases } from '../../../../stacks/mysql/client/database.ts';
import { MysqlError, toMysqlError } from '../../../../stacks/mysql/client/error.ts';
import { covers } from '../../../../stacks/mysql/client/exposure.ts';
import { markOf } from '../../../../stacks/mysql/client/mark.ts';
import {
  administratorPrivileges,
  missingIn,
  wantedPrivileges,
} from '../../../../stacks/mysql/client/privilege.ts';
import { factsOf, mariadbVersion } from '../../../../stacks/mysql/client/server-facts.ts';
import type { Session } from '../../../../stacks/mysql/client/session.ts';

const context = { server: 'db:3306', username: 'admin', secrets: ['the secret'], isLoggedIn: true };
const serverAnswer = (errno: number, sqlMessage: string, sqlState = 'HY000') =>
  Object.assign(new Error(sqlMessage), { errno, sqlMessage, sqlState });

describe('point 10: a node of a Galera cluster', () => {
  const state = {
    version: '11.4.2-MariaDB-log',
    account: 'admin@%',
    isReadOnly: 0,
    lowerCase: 0,
    tls: 'YES',
    isGalera: 'ON',
    isReady: 'ON',
    clusterStatus: 'Primary',
  };
  const facts = (more: Partial<typeof state>) =>
    factsOf('db:3306', { ...state, ...more }, { mayBeReplica: false });

  test('is used in the primary component only', () => {
    assert.deepEqual(facts({}), { flavour: 'MariaDB', version: '11.4.2', ignoresCase: false, hasTls: true });
    assert.equal(facts({ isGalera: 'OFF', clusterStatus: 'Disconnected', isReady: 'OFF' }).version, '11.4.2');
    assert.throws(() => facts({ clusterStatus: 'non-Primary', isReady: 'OFF' }), {
      errorClass: 'Unreachable',
      message:
        'server db:3306 is unreachable: it is a node outside the primary component (wsrep_ready is OFF, wsrep_cluster_status is non-Primary); use a node in the primary component, or bring the nodes together again',
    });
    assert.throws(() => facts({ isReady: 'OFF' }), { errorClass: 'Unreachable' });
  });

  test('that refuses statements is unreachable', () => {
    const error = toMysqlError(
      serverAnswer(1047, 'WSREP has not yet prepared node for application use'),
      context,
    );
    assert.equal(error.errorClass, 'Unreachable');
    assert.match(error.message, /^server db:3306 is unreachable: WSREP has not yet/);
  });
});

test('a MySQL is refused in words', () => {
  assert.equal(mariadbVersion('db:3306', '10.11.18-MariaDB-0+deb12u1'), '10.11.18');
  assert.throws(() => mariadbVersion('db:3306', '8.4.3'), {
    errorClass: 'Invalid',
    message: 'server db:3306 is MySQL 8.4.3, and only MariaDB is served; use a MariaDB server',
  });
});

test('a pattern of a GRANT covers a name as the server matches it', () => {
  const covered = (pattern: string, name: string) => covers(pattern, name);
  for (const [pattern, name, expected] of [
    ['test', 'test', true],
    ['test', 'TEST', true],
    ['test', 'test1', false],
    ['test\\_%', 'test_shop', true],
    ['test\\_%', 'test_', true],
    ['test\\_%', 'testxshop', false],
    ['test_%', 'testxshop', true],
    ['%', 'anything\nat all', true],
    ['a.c', 'abc', false],
    ['a\\%b', 'a%b', true],
    ['a\\%b', 'axb', false],
    ['(x|y)*', 'xx', false],
  ] as const)
    assert.equal(covered(pattern, name), expected, `${pattern} ${name}`);
});

test('the missing privileges are read from SHOW GRANTS', () => {
  const all = `GRANT ${administratorPrivileges.join(', ')} ON *.* TO \`a\`@\`%\` IDENTIFIED BY PASSWORD '*X'`;
  assert.deepEqual(missingIn([`${all} WITH GRANT OPTION`]), []);
  assert.deepEqual(missingIn([all]), ['GRANT OPTION']);
  assert.deepEqual(missingIn([`${all} REQUIRE SSL WITH GRANT OPTION MAX_USER_CONNECTIONS 3`]), []);
  assert.deepEqual(missingIn(['GRANT ALL PRIVILEGES ON *.* TO `r`@`%` WITH GRANT OPTION']), []);
  assert.deepEqual(missingIn(['GRANT ALL PRIVILEGES ON `x`.* TO `r`@`%` WITH GRANT OPTION']), [
    ...administratorPrivileges,
    'GRANT OPTION',
  ]);
});

test('a list of privileges is written as the server writes it', () => {
  assert.deepEqual(wantedPrivileges(['select', ' Create View ', 'SELECT']), ['CREATE VIEW', 'SELECT']);
  assert.equal(wantedPrivileges().length, 19);
  assert.deepEqual(wantedPrivileges(['all privileges']), wantedPrivileges(['SELECT', 'ALL']));
  assert.throws(() => wantedPrivileges([]), { errorClass: 'Invalid' });
  assert.throws(() => wantedPrivileges(['GRANT OPTION']), { errorClass: 'Invalid' });
});

describe('an error', () => {
  const classes = {
    1040: 'Exhausted',
    1021: 'Exhausted',
    1044: 'Forbidden',
    1053: 'Unreachable',
    1205: 'NotReady',
    1227: 'Forbidden',
    1451: 'NotReady',
    1819: 'Invalid',
    1969: 'NotReady',
    9999: 'Unknown',
  } as const;
  for (const [errno, errorClass] of Object.entries(classes))
    test(`${errno} is ${errorClass}`, () =>
      assert.equal(toMysqlError(serverAnswer(Number(errno), 'words'), context).errorClass, errorClass));

  test('of an option that is not --read-only is no replica', () => {
    const words = (option: string) =>
      `The MariaDB server is running with the ${option} option so it cannot execute this statement`;
    assert.equal(toMysqlError(serverAnswer(1290, words('--read-only')), context).errorClass, 'Unreachable');
    assert.equal(
      toMysqlError(serverAnswer(1290, words('--strict-password-validation')), context).errorClass,
      'Invalid',
    );
  });

  test('has no secret and no control character', () => {
    const { message } = toMysqlError(serverAnswer(1064, 'near "the secret\u001b[31m"', '42000'), context);
    assert.equal(message, 'near "***\\u{1b}[31m"');
  });

  test('of the network has the same words each time', () => {
    const lost = Object.assign(new Error('Connection lost: The server closed'), {
      code: 'PROTOCOL_CONNECTION_LOST',
    });
    assert.match(toMysqlError(lost, context).message, /^server db:3306 is unreachable: connection lost$/);
    const reset = Object.assign(new Error('read ECONNRESET 10.0.0.1'), { code: 'ECONNRESET', errno: -104 });
    assert.equal(toMysqlError(reset, context).message, 'server db:3306 is unreachable: connection reset');
  });
});

describe('a database that another program creates at the same moment', () => {
  /** Of a creation that began before: its mark is there. */
  const marked = [{ type: 'database', digest: markOf('ours') }];
  for (const [name, marks] of Object.entries({ 'is new': [], 'was begun before': marked }))
    test(`is not ours, and nothing of ours stays, when the creation ${name}`, async () => {
      const sent: string[] = [];
      const run: Session['run'] = async (statement, { values = [] } = {}) => {
        sent.push(statement.replace(/ (SET|IDENTIFIED|CHARACTER|\(|REQUIRE).*/s, ''));
        if (statement.startsWith('CREATE DATABASE `'))
          throw new MysqlError('it exists', { code: 'Refused', errno: 1007 });
        if (statement.startsWith('INSERT') && marks.some(({ type }) => values[0] === type))
          throw new MysqlError('it is there', { code: 'Refused', errno: 1062 });
      };
      const query: Session['query'] = async <Row>(statement: string) =>
        (statement.startsWith('SELECT type') ? marks : []) as unknown as readonly Row[];
      const session: Session = {
        facts: { flavour: 'MariaDB', version: '10.11.1', ignoresCase: false, hasTls: false },
        account: 'admin@%',
        query,
        queryAmongTenants: async () => [],
        run,
        runAmongTenants: run,
      };
      const { create } = databases((_signal, body) => body(session));
      await assert.rejects(create('raced', { user: {} }, { ownerId: 'ours', password: 'x' }), {
        code: 'NotOurs',
        holder: { by: 'Nobody' },
      });
      assert.deepEqual(sent.slice(-8), [
        "KILL USER 'raced'@'%'",
        'INSERT INTO services_stack.marks',
        "CREATE USER 'raced'@'%'",
        'CREATE DATABASE `raced`',
        "DROP USER IF EXISTS 'raced'@'%'",
        "KILL USER 'raced'@'%'",
        ...Array.from(
          { length: 2 },
          () => 'DELETE FROM services_stack.marks WHERE type = ? AND name = ? AND digest = ?',
        ),
      ]);
    });
});
