import pg from 'pg';
import { startPostgresql } from '../../local/postgresql.ts';
import type { NewDatabase, RunningDatabase } from '../../stacks/aws/emulator/rds/database-servers.ts';

const { escapeIdentifier, escapeLiteral } = pg;

/** The superuser that RDS keeps for itself. */
const superuser = 'rdsadmin';

/**
 * A PostgreSQL server as RDS creates it: the master user is no superuser, and may create databases and roles. It owns the
 * requested database and `postgres`.
 */
export async function startPostgresqlDatabase({
  address,
  port,
  masterUsername,
  password,
  database,
}: NewDatabase): Promise<RunningDatabase> {
  const server = await startPostgresql({
    superuser,
    port,
    maxConnections: 50,
    settings: { listen_addresses: address },
  });
  const asAdministrator = async (...statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({
      host: address,
      port: server.port,
      user: superuser,
      password: server.password,
      database: 'postgres',
    });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const master = escapeIdentifier(masterUsername);
  const secret = (text: string): string => `alter role ${master} password ${escapeLiteral(text)}`;
  try {
    await asAdministrator(
      'create role rds_superuser nologin',
      'grant pg_monitor, pg_signal_backend to rds_superuser with admin option',
      `create role ${master} login createdb createrole`,
      `grant rds_superuser to ${master}`,
      secret(password),
      `alter database postgres owner to ${master}`,
      ...(database === undefined || database === 'postgres'
        ? []
        : [`create database ${escapeIdentifier(database)} owner ${master}`]),
    );
  } catch (error) {
    await server.dispose();
    throw error;
  }
  return {
    get port() {
      return server.port;
    },
    setPassword: (text) => asAdministrator(secret(text)),
    async restart(another) {
      await server.stop();
      await server.start(another);
    },
    stop: () => server.dispose(),
  };
}
