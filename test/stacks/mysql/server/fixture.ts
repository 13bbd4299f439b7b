import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { createConnection } from 'mysql2/promise';
import { administratorStatements } from '../../../../demo/mysql.ts';
import { quotedText, startMariadb } from '../../../../local/mariadb.ts';
import type { MariadbBinaries } from '../../../../local/mariadb-binaries.ts';
import { mariadbSupport } from '../../../../local/mariadb-binaries.ts';

const support = await mariadbSupport();

/** Why this machine cannot run these tests; false: it can. */
export const withoutMariadb: string | false = support.by === 'none' && support.reason;

/** The programs of MariaDB. Only for tests that are not skipped. */
export const binaries = support as MariadbBinaries;

/** The login of a session. Default: a superuser of the server, whom the product does not know. */
export interface Login {
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
}

const superuser = { user: 'root', password: 'the password of root' };
const administrator = { username: 'crossplane', password: `it's "his" \\ password` };

/** The server of a test file. Undefined: this machine has none, and the suites of the file are skipped. */
export const mariadbOfFile = async (): Promise<Fixture | undefined> =>
  withoutMariadb === false ? mariadbFixture() : undefined;

export type Fixture = Awaited<ReturnType<typeof mariadbFixture>>;

/** A real server for one test file, with the administrator of the guide. It is gone when the file is done. */
async function mariadbFixture() {
  const local = await startMariadb({ binaries });
  const sessions = new Set<Connection>();
  after(async () => {
    for (const session of sessions) session.destroy();
    await local.stop();
  });
  await local.run(
    `create user ${quotedText(superuser.user)}@'%' identified by ${quotedText(superuser.password)};
     grant all on *.* to ${quotedText(superuser.user)}@'%' with grant option;
     ${administratorStatements(administrator)}`,
  );

  /** A session that stays open. */
  const connect = async (login: Login = {}): Promise<Connection> => {
    const session = await createConnection({
      host: local.address,
      port: local.port,
      ...superuser,
      ...login,
      multipleStatements: true,
      connectTimeout: 5_000,
    });
    session.on('error', () => {});
    sessions.add(session);
    return session;
  };

  const sql = async <Row extends object = Record<string, unknown>>(
    text: string,
    login?: Login,
  ): Promise<readonly Row[]> => {
    const session = await connect(login);
    try {
      const [rows] = await session.query<RowDataPacket[]>(text);
      return Array.isArray(rows) ? rows.map((row) => ({ ...row }) as unknown as Row) : [];
    } finally {
      sessions.delete(session);
      await session.end();
    }
  };

  return {
    local,
    connect,
    /** The rows of one statement in a session of its own. */
    sql,
    credentials: { endpoint: local.address, port: local.port, ...administrator },
    /** The code with which the server refuses a login or statement; `'allowed'` if it does not. */
    async refusal(login: Login, text = 'SELECT 1'): Promise<string> {
      try {
        await sql(text, login);
        return 'allowed';
      } catch (error) {
        return (error as { readonly code?: string }).code ?? String(error);
      }
    },
  };
}

/** The details of a Secret as a login. */
export const loginOf = ({ username, password, database }: Readonly<Record<string, string>>): Login => ({
  user: username ?? assert.fail('no username'),
  password: password ?? assert.fail('no password'),
  ...(database !== undefined && { database }),
});
