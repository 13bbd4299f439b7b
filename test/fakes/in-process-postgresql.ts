import type { Clock } from '../../runtime/time/clock.ts';
import type { PostgresqlServer, PostgresqlServerOptions } from '../../stacks/postgresql/client/server.ts';
import { createPostgresqlServer } from '../../stacks/postgresql/client/server.ts';
import type { CarryOutside } from './outside.ts';
import { atOnce, connectionRefused } from './outside.ts';
import type { AclItem } from './postgresql/acl.ts';
import { everybody } from './postgresql/acl.ts';
import type { Backend } from './postgresql/backend.ts';
import { driver } from './postgresql/driver.ts';
import { guardedDatabase, guardedSchema, isAllowed } from './postgresql/rights.ts';
import type { Login } from './postgresql/server.ts';
import { MemoryServer } from './postgresql/server.ts';

export interface InProcessPostgresqlOptions {
  /** Where connections find it; default `postgresql.test`, 5432. */
  readonly endpoint?: string;
  readonly port?: number;
  /** Of the superuser; default `postgres`. */
  readonly username?: string;
  /** Default `postgres-password`. */
  readonly password?: string;
  /** The system identifier from initdb, digits; default the same for all. */
  readonly systemIdentifier?: string;
}

/** A PostgreSQL server that is reached without a network. */
export type InProcessPostgresql = ReturnType<typeof createInProcessPostgresql>;

/**
 * A server in memory for clients in this process: the clients are our own, down to every statement they
 * send, and only the system under them is not PostgreSQL. It knows the statements that they use, and some
 * that administrators write; any other is an error. Administrators are superusers, and tenants only log in:
 * PostgreSQL itself is tested with the SQL of tenants.
 */
export function createInProcessPostgresql(
  clock: Pick<Clock, 'sleep'>,
  options: InProcessPostgresqlOptions = {},
) {
  const { endpoint = 'postgresql.test', port = 5432, username = 'postgres' } = options;
  const { password = 'postgres-password', systemIdentifier = '7000000000000000001' } = options;
  const server = new MemoryServer(clock, { superuser: username, password, systemIdentifier });
  let isUp = true;

  /** The server's end of a new session; throws what PostgreSQL says. */
  const connect = (login: Login): Backend => {
    if (!isUp) throw connectionRefused(`${endpoint}:${port}`);
    return server.connect(login);
  };
  const whole = ({ user = username, password: given, database = 'postgres' }: Partial<Login>): Login => ({
    user,
    password: given ?? (user === username ? password : ''),
    database,
  });
  /** A session of a user, by default of the superuser in database `postgres`. */
  const open = (login: Partial<Login> = {}) => {
    const backend = connect(whole(login));
    return {
      get isOpen() {
        return server.sessions.has(backend);
      },
      /** Carries out a statement as it stands; rejects with what PostgreSQL says. */
      async sql(text: string): Promise<readonly object[]> {
        // As the driver says it of a connection that is no more.
        const gone = 'Client has encountered a connection error and is not queryable';
        if (!server.sessions.has(backend)) throw new Error(gone);
        return backend.announce(text).carryOut([]);
      },
      end: () => backend.end(),
    };
  };

  return {
    endpoint,
    port,
    /** Of the superuser. */
    credentials: { endpoint, port, username, password },
    /** The clients of one process, whose connections and statements go through a door of their own. */
    clientsFor(carryOut: CarryOutside = atOnce) {
      const sessions = new Set<Backend>();
      let hasEnded = false;
      const connectTo = (host: string, at: number, login: Login): Backend => {
        if (host !== endpoint || at !== port) throw connectionRefused(`${host}:${at}`);
        return connect(login);
      };
      const processParts = { connect: connectTo, clock, carryOut, hasEnded: () => hasEnded, sessions };
      return {
        /** For the options of its stack. */
        createServer: (given: PostgresqlServerOptions): PostgresqlServer =>
          createPostgresqlServer({ ...given, createClient: (config) => driver(config, processParts) }),
        /** The process dies: its sessions end, their transactions are rolled back, and nothing is answered any more. */
        end() {
          hasEnded = true;
          for (const session of sessions) session.end();
        },
      };
    },
    /** All databases, those of the server included; extensions are versions by name. */
    databases() {
      const tx = server.look();
      return [...tx.all('databases')].map((row) => {
        const { oid, acl: _, ...fields } = row;
        const extensions = [...tx.all('extensions')].filter(({ database }) => database === oid);
        return {
          ...fields,
          isOpenToPublic: isAllowed(tx, guardedDatabase(row), everybody, 'CONNECT'),
          extensions: Object.fromEntries(extensions.map(({ name, version }) => [name, version])),
        };
      });
    },
    /** All roles but those that come with the server. */
    roles: () => [...server.tables.roles.values()].filter(({ isPinned }) => isPinned !== true),
    /** Each privilege on `database "shop"` or `schema "public" of "shop"`. `PUBLIC` is everybody. */
    grants() {
      const names = new Map([...server.tables.databases.values()].map(({ oid, name }) => [oid, name]));
      const of = (on: string, acl: readonly AclItem[]) =>
        acl.map((item) => ({ ...item, on, grantee: item.grantee === everybody ? 'PUBLIC' : item.grantee }));
      return [
        ...[...server.tables.databases.values()].flatMap((row) =>
          of(`database "${row.name}"`, guardedDatabase(row).acl),
        ),
        ...[...server.tables.schemas.values()].flatMap((row) =>
          of(`schema "${row.name}" of "${names.get(row.database)}"`, guardedSchema(row).acl),
        ),
      ];
    },
    memberships: () => [...server.tables.memberships.values()],
    /** The SQLSTATE with which the server refuses a login; undefined if it does not. */
    refusal(login: Partial<Login>): string | undefined {
      try {
        connect(whole(login)).end();
        return undefined;
      } catch (error) {
        return (error as { readonly code: string }).code;
      }
    },
    /** The statement of a user in a session of its own. */
    async sql(text: string, login?: Partial<Login>): Promise<readonly object[]> {
      const session = open(login);
      try {
        return await session.sql(text);
      } finally {
        session.end();
      }
    },
    open,
    connect,
    /** Refuses connections, having ended all. */
    stop() {
      isUp = false;
      server.endAll();
    },
    start() {
      isUp = true;
    },
  };
}
