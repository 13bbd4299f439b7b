import type { Clock } from '../../../clients/clock.ts';
import { scramVerifier } from '../../../stacks/postgresql/client/scram-verifier.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { Backend } from './backend.ts';
import type { Tables } from './catalog.ts';
import { initialTables } from './catalog.ts';
import { guardedDatabase, isAllowed } from './rights.ts';
import { missing, ServerError } from './server-error.ts';
import type { Execution } from './statement.ts';
import type { Locks } from './transaction.ts';
import { Transaction } from './transaction.ts';

export interface Login {
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** How long its statements wait for another session's lock; default: for ever. */
  readonly lockTimeoutMs?: number | undefined;
}

export interface MemoryServerOptions {
  readonly superuser: string;
  readonly password: string;
  readonly systemIdentifier: string;
}

/** The data of one server, and its sessions. */
export class MemoryServer {
  readonly tables: Tables;
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #locks: Locks = new Map();
  readonly #sessions = new Set<Backend>();
  /** Of each verifier the password that was found to be right, since finding out takes long. */
  readonly #proven = new Map<string, string>();
  readonly #inside: Execution['server'];
  readonly #advisory: ReturnType<typeof advisoryLocks>;
  #lastPid = 100;
  #lastOid = 16_383;

  constructor(clock: Pick<Clock, 'sleep'>, options: MemoryServerOptions) {
    this.#clock = clock;
    this.tables = initialTables(options.superuser, options.password);
    this.#advisory = advisoryLocks(clock);
    this.#inside = {
      clock,
      systemIdentifier: options.systemIdentifier,
      advisory: this.#advisory,
      sessions: () => [...this.#sessions],
      nextOid: () => {
        this.#lastOid += 1;
        return this.#lastOid;
      },
    };
  }

  get sessions(): ReadonlySet<Backend> {
    return this.#sessions;
  }

  /** The committed data. */
  look(): Transaction {
    return this.#begin();
  }

  #begin(lockTimeoutMs?: number): Transaction {
    return new Transaction({ tables: this.tables, locks: this.#locks, clock: this.#clock, lockTimeoutMs });
  }

  /** Accepts a login, or throws the error of PostgreSQL, with its checks in the same order. */
  connect({ user, password, database: name, lockTimeoutMs }: Login): Backend {
    const role = this.tables.roles.get(user);
    if (role?.password === undefined || !this.#isRight(role.password, password)) {
      throw new ServerError('28P01', `password authentication failed for user "${user}"`);
    }
    if (!role.login) {
      const routine = 'InitializeSessionUserId';
      throw new ServerError('28000', `role "${user}" is not permitted to log in`, { routine });
    }
    const count = (isCounted: (session: Backend) => boolean): number =>
      [...this.#sessions].filter(isCounted).length;
    const isOver = (limit: number, isCounted: (session: Backend) => boolean): boolean =>
      !role.superuser && limit >= 0 && count(isCounted) >= limit;
    if (isOver(role.connectionLimit, (session) => session.user === user)) {
      const routine = 'InitializeSessionUserId';
      throw new ServerError('53300', `too many connections for role "${user}"`, { routine });
    }
    const database = this.tables.databases.get(name);
    if (database === undefined) throw missing.database(name);
    if (database.connectionLimit === -2) {
      throw new ServerError('55000', `cannot connect to invalid database "${name}"`);
    }
    if (!database.allowConnections) {
      throw new ServerError('55000', `database "${name}" is not currently accepting connections`);
    }
    if (!isAllowed(this.look(), guardedDatabase(database), user, 'CONNECT')) {
      const detail = 'User does not have CONNECT privilege.';
      throw new ServerError('42501', `permission denied for database "${name}"`, {
        detail,
        routine: 'CheckMyDatabase',
      });
    }
    if (isOver(database.connectionLimit, ({ databaseOid }) => databaseOid === database.oid)) {
      const routine = 'CheckMyDatabase';
      throw new ServerError('53300', `too many connections for database "${name}"`, { routine });
    }
    this.#lastPid += 1;
    const backend = new Backend({
      pid: this.#lastPid,
      user,
      database: name,
      databaseOid: database.oid,
      server: this.#inside,
      lockTimeoutMs,
      begin: () => this.#begin(lockTimeoutMs),
      onEnd: (ended) => {
        this.#sessions.delete(ended);
        this.#advisory.freeAll(ended);
      },
    });
    this.#sessions.add(backend);
    return backend;
  }

  #isRight(verifier: string, password: string): boolean {
    const [, salt] = /^SCRAM-SHA-256\$4096:([^$]+)\$/.exec(verifier) ?? [];
    if (salt === undefined) return verifier === password;
    const proven = this.#proven.get(verifier);
    if (proven !== undefined && proven === password) return true;
    const isRight = scramVerifier(password, { salt: Buffer.from(salt, 'base64') }) === verifier;
    if (isRight) this.#proven.set(verifier, password);
    return isRight;
  }

  /** Ends all sessions. */
  endAll(): void {
    for (const session of [...this.#sessions]) session.terminate();
  }
}
