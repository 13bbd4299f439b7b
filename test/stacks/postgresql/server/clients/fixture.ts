import { after } from 'node:test';
import type { Client } from 'pg';
import type { LocalPostgresql, PostgresqlOptions } from '../../../../../local/postgresql.ts';
import { startPostgresql } from '../../../../../local/postgresql.ts';
import { realClock } from '../../../../../runtime/time/clock.ts';
import { ScramClient } from '../../../../../stacks/postgresql/client/scram-client.ts';
import type { PostgresqlServerOptions } from '../../../../../stacks/postgresql/client/server.ts';
import { createPostgresqlServer } from '../../../../../stacks/postgresql/client/server.ts';
import { eventually } from '../../../../cluster/stack-harness.ts';

export const ownerId = 'PostgreSQLDatabase/test 1f0e';
export const foreignOwnerId = 'PostgreSQLDatabase/other 77aa';

/** The login of a session. Default: the administrator and database `postgres`. */
export interface Login {
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  /** Default: the server's own. */
  readonly port?: number;
}

/** A real server for one test file, gone when the file is done, with ways to look at it behind the client. */
export async function postgresqlFixture(options: PostgresqlOptions = {}) {
  const local: LocalPostgresql = await startPostgresql(options);
  const opened: { close(): Promise<void> }[] = [];
  after(async () => {
    await Promise.all(opened.map((each) => each.close()));
    await local.dispose();
  });

  const connect = async ({ user, password, database, port }: Login = {}): Promise<Client> => {
    const client = new ScramClient({
      host: local.host,
      port: port ?? local.port,
      user: user ?? local.superuser,
      password: user === undefined ? local.password : (password ?? ''),
      database: database ?? 'postgres',
      ssl: false,
    });
    client.on('error', () => {});
    await client.connect();
    return client;
  };

  return {
    local,
    credentials: {
      endpoint: local.host,
      port: local.port,
      username: local.superuser,
      password: local.password,
    },
    /** A client under test. */
    server(overrides: Partial<PostgresqlServerOptions> = {}) {
      const server = createPostgresqlServer({
        clock: realClock(),
        random: Math.random,
        credentials: {
          endpoint: local.host,
          port: local.port,
          username: local.superuser,
          password: local.password,
        },
        ...overrides,
      });
      opened.push(server);
      return server;
    },
    /** A session that stays open. */
    connect,
    /** So many sessions, each as soon as the server has a connection for it. */
    async sessions(count: number): Promise<readonly Client[]> {
      const open: Client[] = [];
      await eventually(`${count} sessions`, async () => {
        while (open.length < count) open.push(await connect());
        return true;
      });
      return open;
    },
    /** The rows of one statement in a session of its own. */
    async sql<Row extends object = Record<string, unknown>>(text: string, login?: Login): Promise<Row[]> {
      const client = await connect(login);
      try {
        return (await client.query<Row>(text)).rows;
      } finally {
        await client.end();
      }
    },
    /** The SQLSTATE with which the server refuses a login or statement; `'allowed'` if it does not. */
    async refusal(login: Login, text = 'SELECT 1'): Promise<string> {
      try {
        const client = await connect(login);
        try {
          await client.query(text);
          return 'allowed';
        } finally {
          await client.end();
        }
      } catch (error) {
        return (error as { code?: string }).code ?? String(error);
      }
    },
  };
}
