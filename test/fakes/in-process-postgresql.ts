import type { PostgresqlServer, PostgresqlServerOptions } from '../../clients/postgresql/server.ts';
import { createPostgresqlServer } from '../../clients/postgresql/server.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { CarryOutside } from './outside.ts';
import { atOnce, connectionRefused } from './outside.ts';
import type { AclItem } from './postgresql/acl.ts';
import { everybody } from './postgresql/acl.ts';
import type { Backend } from './postgresql/backend.ts';
import type { DatabaseRow, MembershipRow, RoleRow } from './postgresql/catalog.ts';
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

/** A database as it is. */
export interface DatabaseInside extends Omit<DatabaseRow, 'oid' | 'acl'> {
  readonly isOpenToPublic: boolean;
  /** Versions by name. */
  readonly extensions: Readonly<Record<string, string>>;
}

/** A privilege on `database "shop"` or `schema "public" of "shop"`. `PUBLIC` is everybody. */
export interface GrantInside extends AclItem {
  readonly on: string;
}

/** A session that a user has open. */
export interface InProcessSession {
  readonly isOpen: boolean;
  /** Carries out a statement as it stands; rejects with what PostgreSQL says. */
  sql(text: string): Promise<readonly object[]>;
  end(): void;
}

/** The servers of one process. */
export interface PostgresqlClients {
  /** For the options of its stack. */
  createServer(options: PostgresqlServerOptions): PostgresqlServer;
  /** The process dies: its sessions end, what they had begun is rolled back, and nothing is answered any more. */
  end(): void;
}

/** A PostgreSQL server that is reached without a network. */
export interface InProcessPostgresql {
  readonly endpoint: string;
  readonly port: number;
  /** Of the superuser. */
  readonly credentials: {
    readonly endpoint: string;
    readonly port: number;
    readonly username: string;
    readonly password: string;
  };
  /** The clients of one process, whose connections and statements go through a door of their own. */
  clientsFor(carryOut?: CarryOutside): PostgresqlClients;
  /** All databases, those of the server included. */
  databases(): readonly DatabaseInside[];
  /** All roles but those that come with the server. */
  roles(): readonly Omit<RoleRow, 'isPinned'>[];
  grants(): readonly GrantInside[];
  memberships(): readonly MembershipRow[];
  /** The SQLSTATE with which the server refuses a login; undefined if it does not. */
  refusal(login: Partial<Login>): string | undefined;
  /** The statements of a user, the superuser in database `postgres` by default. */
  sql(text: string, login?: Partial<Login>): Promise<readonly object[]>;
  /** The same by a session that stays open. */
  open(login?: Partial<Login>): InProcessSession;
  /** The server's end of a new session; throws what PostgreSQL says. */
  connect(login: Login): Backend;
  /** Refuses connections, having ended all. */
  stop(): void;
  start(): void;
}

/** The clients of one process where several servers are: each is found at its own place. */
function postgresqlClients(
  clock: Pick<Clock, 'sleep'>,
  servers: readonly InProcessPostgresql[],
  carryOut: CarryOutside = atOnce,
): PostgresqlClients {
  const sessions = new Set<Backend>();
  let hasEnded = false;
  const connect = (host: string, port: number, login: Login): Backend => {
    const server = servers.find((each) => each.endpoint === host && each.port === port);
    if (server === undefined) throw connectionRefused(`${host}:${port}`);
    return server.connect(login);
  };
  return {
    createServer: (options) =>
      createPostgresqlServer({
        ...options,
        createClient: (config) =>
          driver(config, {
            connect,
            clock,
            carryOut,
            hasEnded: () => hasEnded,
            sessions,
          }),
      }),
    end() {
      hasEnded = true;
      for (const session of sessions) session.end();
    },
  };
}

/**
 * A server in memory for clients in this process: the clients are our own, down to every statement they
 * send, and only the system under them is not PostgreSQL. It knows the statements that they use, and some
 * that administrators write; any other is an error. Administrators are superusers, and tenants only log in:
 * PostgreSQL itself is tested with the SQL of tenants.
 */
export function createInProcessPostgresql(
  clock: Pick<Clock, 'sleep'>,
  options: InProcessPostgresqlOptions = {},
): InProcessPostgresql {
  const {
    endpoint = 'postgresql.test',
    port = 5432,
    username = 'postgres',
    password = 'postgres-password',
  } = options;
  const { systemIdentifier = '7000000000000000001' } = options;
  const server = new MemoryServer(clock, { superuser: username, password, systemIdentifier });
  let isUp = true;

  const connect = (login: Login): Backend => {
    if (!isUp) throw connectionRefused(`${endpoint}:${port}`);
    return server.connect(login);
  };
  const whole = ({ user = username, password: given, database = 'postgres' }: Partial<Login>): Login => ({
    user,
    password: given ?? (user === username ? password : ''),
    database,
  });
  const open = (login: Partial<Login> = {}): InProcessSession => {
    const backend = connect(whole(login));
    return {
      get isOpen() {
        return server.sessions.has(backend);
      },
      async sql(text) {
        // As the driver says it of a connection that is no more.
        const gone = 'Client has encountered a connection error and is not queryable';
        if (!server.sessions.has(backend)) throw new Error(gone);
        return backend.announce(text).carryOut([]);
      },
      end: () => backend.end(),
    };
  };

  const inside: InProcessPostgresql = {
    endpoint,
    port,
    credentials: { endpoint, port, username, password },
    clientsFor: (carryOut) => postgresqlClients(clock, [inside], carryOut),
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
    roles: () => [...server.tables.roles.values()].filter(({ isPinned }) => isPinned !== true),
    grants() {
      const names = new Map([...server.tables.databases.values()].map(({ oid, name }) => [oid, name]));
      const of = (on: string, acl: readonly AclItem[]): readonly GrantInside[] =>
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
    refusal(login) {
      try {
        connect(whole(login)).end();
        return undefined;
      } catch (error) {
        return (error as { readonly code: string }).code;
      }
    },
    async sql(text, login) {
      const session = open(login);
      try {
        return await session.sql(text);
      } finally {
        session.end();
      }
    },
    open,
    connect,
    stop() {
      isUp = false;
      server.endAll();
    },
    start() {
      isUp = true;
    },
  };
  return inside;
}
