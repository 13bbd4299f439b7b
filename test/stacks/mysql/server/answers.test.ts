import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { realClock } from '../../../../runtime/time/clock.ts';
import type { MysqlServer } from '../../../../stacks/mysql/client/server.ts';
import { createMysqlServer } from '../../../../stacks/mysql/client/server.ts';
import { quotedName } from '../../../../stacks/mysql/client/text.ts';
import { mariadbOfFile, withoutMariadb } from './fixture.ts';

/*
 * The answers of the client on a real MariaDB, as data: results, and the class and the words of errors. With `RECORD=1` in
 * the environment the table is written, for review. Otherwise the answers are compared with it.
 */

const table = join(import.meta.dirname, '..', 'answers.jsonl');
const isRecording = process.env.RECORD === '1';

interface Recorded {
  readonly name: string;
  readonly answer: unknown;
}

const recorded = (): ReadonlyMap<string, unknown> =>
  new Map(
    readFileSync(table, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Recorded)
      .map(({ name, answer }) => [name, answer]),
  );

const owner = { ownerId: 'mysqldatabase.mysql.crossplane.io/own' };
const other = { ownerId: 'mysqldatabase.mysql.crossplane.io/other' };
const password = 'a-password';
const spec = { user: {} };
const file = await mariadbOfFile();

describe('MariaDB answers as it did', { skip: withoutMariadb }, () => {
  const { sql, connect, credentials } = file ?? assert.fail('no server');
  const server = createMysqlServer({
    credentials,
    clock: realClock(),
    random: Math.random,
    holderOf: () => ({ isClaims: true, what: 'MySQLDatabase own of MySQLInstance team/own' }),
  });
  const before = isRecording ? new Map<string, unknown>() : recorded();
  const now: Recorded[] = [];
  after(async () => {
    await server.close();
    if (isRecording) writeFileSync(table, now.map((one) => `${JSON.stringify(one)}\n`).join(''));
  });

  const stable = (text: string): string =>
    text.replaceAll(`${credentials.endpoint}:${credentials.port}`, 'SERVER').replace(/\(conn=\d+\)/g, '');

  const answerTo = async (act: (server: MysqlServer) => Promise<unknown>): Promise<unknown> => {
    try {
      return JSON.parse(stable(JSON.stringify((await act(server)) ?? null))) as unknown;
    } catch (error) {
      const { message, code, errorClass } = error as Error & {
        readonly code?: string;
        readonly errorClass?: string;
      };
      return { code, errorClass, message: stable(message) };
    }
  };

  const made = (name: string) => server.databases.create(name, spec, { ...owner, password });
  const cases: Readonly<Record<string, (server: MysqlServer) => Promise<unknown>>> = {
    'a new database': async ({ databases }) => {
      await made('own_db');
      const { database, user, grant } = await databases.observe('own_db');
      return { database, user: { ...user, plugin: '' }, grant };
    },
    'a database that does not exist': ({ databases }) => databases.observe('absent'),
    'a database of another owner': ({ databases }) =>
      databases.create('own_db', spec, { ...other, password }),
    'a database of an administrator': async ({ databases }) => {
      await sql('CREATE DATABASE payroll');
      return databases.create('payroll', spec, { ...owner, password });
    },
    'a user of an administrator has the name': async ({ databases }) => {
      await sql("CREATE USER taken IDENTIFIED BY 'x'");
      return databases.create('taken', spec, { ...owner, password });
    },
    'a user of the name at another host': async ({ databases }) => {
      await sql("CREATE USER local@localhost IDENTIFIED BY 'x'");
      return databases.create('local', spec, { ...owner, password });
    },
    'the database of the marks': ({ databases }) =>
      databases.create('Services_Stack', spec, { ...owner, password }),
    'a database of the server': ({ databases }) => databases.create('mysql', spec, { ...owner, password }),
    'a name that everybody may use': async ({ databases }) => {
      await sql('GRANT ALL ON `test_%`.* TO PUBLIC');
      return databases.create('test_shop', spec, { ...owner, password });
    },
    'a name with an invisible character': ({ databases }) =>
      databases.create('a\u200bb', spec, { ...owner, password }),
    'a name with 65 characters': ({ databases }) =>
      databases.create('x'.repeat(65), spec, { ...owner, password }),
    'an unknown character set': ({ databases }) =>
      databases.create('sets', { ...spec, characterSet: 'utf99' }, { ...owner, password }),
    'a collation of another character set': ({ databases }) =>
      databases.create(
        'sets',
        { ...spec, characterSet: 'latin1', collation: 'utf8mb4_bin' },
        { ...owner, password },
      ),
    'an unknown privilege': ({ databases }) =>
      databases.create('rights', { ...spec, privileges: ['FLY'] }, { ...owner, password }),
    'a plugin that the server does not have': ({ users }) =>
      users.create('plugged', { plugin: 'caching_sha2_password' }, { ...owner, password }),
    'an update of an absent database': ({ databases }) => databases.update('absent', spec, owner),
    'the password of an absent user': ({ users }) => users.setPassword('absent', password, owner),
    'a wrong password': ({ users }) => users.checkPassword('own_db', 'wrong'),
    'a grant to a user of a claim, by name': ({ grants }) =>
      grants.apply({ user: 'own_db', database: 'payroll', privileges: ['SELECT'] }),
    'a grant to an absent user on an absent database': ({ grants }) =>
      grants.apply({ user: 'absent', database: 'absent', privileges: ['SELECT'] }),
    'a deletion while a session is open': async ({ databases }) => {
      const session = await connect({ user: 'own_db', password, database: 'own_db' });
      try {
        return await databases.drop('own_db', { ...owner, terminateSessions: false });
      } finally {
        await session.end();
      }
    },
    'the deletion of a database of another owner': ({ databases }) =>
      databases.drop('own_db', { ...other, terminateSessions: true }),
    'the deletion of a database of an administrator': ({ databases }) =>
      databases.drop('payroll', { ...owner, terminateSessions: true }),
    'a deletion, twice': async ({ databases }) => {
      for (let time = 0; time < 2; time += 1)
        await databases.drop('own_db', { ...owner, terminateSessions: true });
      return databases.observe('own_db');
    },
    'nothing else is there': async () => {
      const left = await sql<{ name: string }>(
        `SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA
         WHERE SCHEMA_NAME NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema') ORDER BY 1`,
      );
      for (const { name } of left) if (name === 'payroll') await sql(`DROP DATABASE ${quotedName(name)}`);
      return left;
    },
  };

  for (const [name, act] of Object.entries(cases)) {
    test(name, async () => {
      const answer = await answerTo(act);
      now.push({ name, answer });
      if (!isRecording) assert.deepEqual(answer, before.get(name));
    });
  }

  test('the table has no other cases', { skip: isRecording }, () =>
    assert.deepEqual([...before.keys()], Object.keys(cases)),
  );
});
