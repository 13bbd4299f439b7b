import assert from 'node:assert/strict';
import { before, describe } from 'node:test';
import { realClock } from '../../../../runtime/time/clock.ts';
import type { MysqlServer } from '../../../../stacks/mysql/client/server.ts';
import { createMysqlServer } from '../../../../stacks/mysql/client/server.ts';
import { quotedName } from '../../../../stacks/mysql/client/text.ts';
import { MySQLDatabaseKind } from '../../../../stacks/mysql/kinds/v1alpha1/mysql-database.ts';
import { MySQLGrantKind } from '../../../../stacks/mysql/kinds/v1alpha1/mysql-grant.ts';
import { MySQLUserKind } from '../../../../stacks/mysql/kinds/v1alpha1/mysql-user.ts';
import { createMysqlStack } from '../../../../stacks/mysql/stack.ts';
import { describeConformance } from '../../../../testing/conformance.ts';
import type { World } from '../../../../testing/scenario.ts';
import { door } from '../../../testing/door.ts';
import { loginOf, mariadbOfFile, withoutMariadb } from './fixture.ts';

const ownDatabases =
  "('mysql', 'sys', 'performance_schema', 'information_schema', 'services_stack', 'library', 'museum')";
const ownUsers = "('root', 'rdsadmin', 'crossplane', 'mariadb.sys', 'clerk', 'PUBLIC', '')";

type Method = (...args: readonly unknown[]) => unknown;
type Carry = (name: string, args: readonly unknown[], effect: () => unknown) => unknown;

/** Never answers, and ends with the signal of the call. */
const hanging = (args: readonly unknown[]): Promise<never> =>
  new Promise((_, reject) => {
    const signals = args.map((arg) =>
      arg instanceof AbortSignal ? arg : (arg as { signal?: AbortSignal })?.signal,
    );
    for (const signal of signals) signal?.addEventListener('abort', () => reject(signal.reason));
  });

/** An object whose methods, and those of its parts, go through `carry`, by their names. */
function through<T extends object>(target: T, carry: Carry, at = ''): T {
  return new Proxy(target, {
    get(object, key) {
      const value: unknown = Reflect.get(object, key);
      const name = `${at}${String(key)}`;
      if (name === 'usedBy') return (group: string) => through((value as Method)(group) as T, carry);
      if (name === 'lastFacts' || name === 'close')
        return (...args: readonly unknown[]) => (value as Method)(...args);
      if (typeof value === 'function')
        return (...args: readonly unknown[]) => carry(name, args, () => (value as Method)(...args));
      return typeof value === 'object' && value !== null ? through(value, carry, `${name}.`) : value;
    },
  });
}

const file = await mariadbOfFile();

describe('the kit, on a real MariaDB', { skip: withoutMariadb }, () => {
  const { sql, refusal, credentials } = file ?? assert.fail('no server');
  before(() =>
    sql("CREATE DATABASE library; CREATE DATABASE museum; CREATE USER clerk IDENTIFIED BY 'clerk'"),
  );

  const databases = () =>
    sql<{ name: string }>(
      `SELECT s.SCHEMA_NAME AS name, s.DEFAULT_CHARACTER_SET_NAME AS characterSet, s.DEFAULT_COLLATION_NAME AS collation,
              u.max_user_connections AS connections, p.Priv AS account, d.*
       FROM information_schema.SCHEMATA s
       LEFT JOIN mysql.user u ON u.User = s.SCHEMA_NAME
       LEFT JOIN mysql.global_priv p ON p.User = s.SCHEMA_NAME
       LEFT JOIN mysql.db d ON d.User = s.SCHEMA_NAME
       WHERE s.SCHEMA_NAME NOT IN ${ownDatabases} ORDER BY 1`,
    );
  const users = () =>
    sql<{ User: string }>(
      `SELECT User, Priv FROM mysql.global_priv WHERE User NOT IN ${ownUsers} ORDER BY 1`,
    );
  const grants = () => sql(`SELECT * FROM mysql.db WHERE User = 'clerk' ORDER BY Db`);

  /** The server without the things of the world before. */
  async function emptied(): Promise<void> {
    for (const { name } of await databases()) await sql(`DROP DATABASE ${quotedName(name)}`);
    for (const { User } of await users()) await sql(`DROP USER ${quotedName(User)}`);
    await sql('REVOKE ALL PRIVILEGES, GRANT OPTION FROM clerk');
    await sql("DELETE FROM services_stack.marks WHERE type <> 'server'").catch(() => {});
  }

  async function world(
    externals: () => Promise<readonly unknown[]>,
    { creation, foreign }: { readonly creation: string; readonly foreign?: (name: string) => string },
  ): Promise<World> {
    await emptied();
    const { pass, fail, hang } = door();
    let losesAnswer = false;
    const opened: MysqlServer[] = [];
    const failing = (text: string): never => {
      throw new Error(text);
    };
    const carry: Carry = async (name, args, effect) => {
      const answer = await pass<unknown>(effect, { failing, hanging: () => hanging(args) });
      if (!losesAnswer || name !== creation) return answer;
      losesAnswer = false;
      throw new Error('the connection was lost');
    };
    return {
      stack: createMysqlStack({
        createServer: (options) => {
          const server = createMysqlServer({ ...options, clock: realClock() });
          opened.push(server);
          return through(server, carry);
        },
      }),
      credentials: { ...credentials, port: String(credentials.port) },
      externals,
      ...(foreign && { foreign: (name) => sql(foreign(name)) }),
      // The tests of the client check the texts of a server.
      fail: () => fail('out of order'),
      hang,
      loseAnswer() {
        losesAnswer = true;
      },
      opens: async ({ database: _database, ...details }) =>
        (await refusal(loginOf(details as Record<string, string>))) === 'allowed',
      close: async () => void (await Promise.all(opened.map((server) => server.close()))),
    };
  }

  const details = [
    ...(['type', 'provider', 'endpoint', 'host', 'port', 'username', 'password', 'uri'] as const),
  ];

  describeConformance({
    managed: MySQLDatabaseKind,
    time: 'network',
    forProvider: { maxUserConnections: 3 },
    changes: [
      { maxUserConnections: 5 },
      { characterSet: 'latin1', collation: 'latin1_bin' },
      { privileges: ['SELECT'] },
    ],
    details: [...details, 'database'],
    open: () =>
      world(databases, {
        creation: 'databases.create',
        foreign: (name) => `CREATE DATABASE ${quotedName(name)}`,
      }),
  });

  describeConformance({
    managed: MySQLUserKind,
    time: 'network',
    forProvider: { maxUserConnections: 3 },
    changes: [{ maxUserConnections: 5 }, { maxStatementSeconds: 9 }],
    details,
    open: () =>
      world(users, {
        creation: 'users.create',
        foreign: (name) => `CREATE USER ${quotedName(name)} IDENTIFIED BY 'theirs'`,
      }),
  });

  describeConformance({
    managed: MySQLGrantKind,
    time: 'network',
    forProvider: { user: 'clerk', database: 'library', privileges: ['SELECT'] },
    another: { user: 'clerk', database: 'museum', privileges: ['SELECT'] },
    changes: [{ privileges: ['SELECT', 'INSERT'] }],
    foundBy: ['user', 'database', 'privileges'],
    open: () => world(grants, { creation: 'grants.apply' }),
  });
});
