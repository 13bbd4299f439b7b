import { after, before } from 'node:test';
import type { Connection } from 'mysql2/promise';
import { createConnection } from 'mysql2/promise';
import type { LocalMariadb } from '../../../../../local/mariadb.ts';
import { quotedText, startMariadb } from '../../../../../local/mariadb.ts';
import { mariadbSupport } from '../../../../../local/mariadb-binaries.ts';
import type { ServerCredentials } from '../../../../../package/stack.ts';
import { realClock } from '../../../../../runtime/time/clock.ts';
import { administratorPrivileges } from '../../../../../stacks/mysql/client/privilege.ts';
import type { MysqlServer, MysqlServerOptions } from '../../../../../stacks/mysql/client/server.ts';
import { createMysqlServer } from '../../../../../stacks/mysql/client/server.ts';
import { eventually } from '../../../../cluster/stack-harness.ts';

const support = await mariadbSupport();
/** Why there is no MariaDB here; false: there is one. */
export const skip = support.by === 'none' && support.reason;

export const ownerId = 'MySQLDatabase/test 1f0e';
export const otherOwnerId = 'MySQLDatabase/other 77aa';
export const owned = { ownerId };
export const password = 'first "\'\\ password';

/** The administrator of the tests, by the statement of the docs: no SUPER. */
export const administrator = { username: 'controllers', password: "the administrator's" };
const administratorStatement = `GRANT ${administratorPrivileges.join(', ')} ON *.* TO '${administrator.username}'@'%' WITH GRANT OPTION`;

export interface Login {
  readonly user: string;
  readonly password?: string;
  readonly database?: string;
}

/** A real server for one test file, gone when the file is done, with ways to look at it behind the client. */
export function mariadbFixture({ flags = [] }: { readonly flags?: readonly string[] } = {}) {
  let local: LocalMariadb | undefined;
  const opened: { close(): Promise<void> }[] = [];
  const root = { user: 'root_of_tests', password: 'r' };
  const here = (): LocalMariadb => {
    if (local === undefined) throw new Error('the server is started by `before`');
    return local;
  };
  before(async () => {
    if (support.by === 'none') return;
    local = await startMariadb({ binaries: support, flags });
    const { username } = administrator;
    await local.run(
      [
        `CREATE USER ${username}@'%' IDENTIFIED BY ${quotedText(administrator.password)}`,
        administratorStatement,
        `CREATE USER ${root.user}@'%' IDENTIFIED BY '${root.password}'`,
        `GRANT ALL ON *.* TO ${root.user}@'%' WITH GRANT OPTION;`,
      ].join(';\n'),
    );
  });
  after(async () => {
    await Promise.all(opened.map((each) => each.close()));
    (await watcher?.catch(() => undefined))?.destroy();
    await local?.stop();
  });

  const connect = async (login: Login = root): Promise<Connection> => {
    const { address, port } = here();
    const connection = await createConnection({ host: address, port, ...login });
    connection.on('error', () => {});
    const { threadId } = connection;
    const end = connection.end.bind(connection);
    opened.push({ close: () => end().catch(() => {}) });
    return Object.assign(connection, {
      async end() {
        await end();
        await gone(threadId);
      },
    });
  };
  let watcher: Promise<Connection> | undefined;
  /** Waits until the server has forgotten a session: it does that in its own time. */
  const gone = (threadId: number): Promise<unknown> =>
    eventually('the session is gone', async () => {
      watcher ??= createConnection({ host: here().address, port: here().port, ...root });
      const text = 'SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = ?';
      const [rows] = await (await watcher).query(text, [threadId]);
      return (rows as unknown as readonly object[]).length === 0;
    });
  const sql = async <Row extends object>(text: string, login?: Login): Promise<readonly Row[]> => {
    const connection = await connect(login);
    try {
      const [rows] = await connection.query(text);
      return rows as unknown as readonly Row[];
    } finally {
      await connection.end();
    }
  };
  const credentials = (): ServerCredentials => ({
    endpoint: here().address,
    port: here().port,
    ...administrator,
  });
  return {
    /** A client under test, as the administrator of the docs. */
    server(overrides: Partial<MysqlServerOptions> = {}): MysqlServer {
      const server = createMysqlServer({
        clock: realClock(),
        random: Math.random,
        credentials: credentials(),
        ...overrides,
      });
      opened.push(server);
      return server;
    },
    credentials,
    here,
    /** A session that stays open; by default of one with all privileges. */
    connect,
    /** The rows of one statement, in a session of its own. */
    sql,
    /** The number of the server's error about a login or a statement; 0 if there is none. */
    async refusal(login: Login, text = 'SELECT 1'): Promise<number> {
      try {
        await sql(text, login);
        return 0;
      } catch (error) {
        return (error as { errno?: number }).errno ?? -1;
      }
    },
  };
}
