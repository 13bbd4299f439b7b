import { parse } from './parse.ts';
import { ServerError, sessionEnded } from './server-error.ts';
import type { Execution, ObservedSession, Rows, Statement } from './statement.ts';
import type { Transaction } from './transaction.ts';

export interface BackendOptions
  extends Pick<ObservedSession, 'pid' | 'user' | 'database' | 'databaseOid' | 'lockTimeoutMs'> {
  readonly server: Execution['server'];
  readonly begin: () => Transaction;
  /** Called once, when it has ended, for any reason. */
  readonly onEnd: (backend: Backend) => void;
}

const control = new Set(['BEGIN', 'COMMIT', 'ROLLBACK']);

/** The server's name for a statement, before it is carried out. */
export interface Announced extends Pick<Statement, 'verb' | 'target' | 'isWrite'> {
  /** It is part of a transaction. */
  readonly isTentative: boolean;
  carryOut(values: readonly unknown[]): Promise<Rows>;
}

/** The server's end of one session. */
export class Backend implements ObservedSession {
  readonly pid: number;
  readonly user: string;
  readonly database: string;
  readonly databaseOid: number;
  readonly lockTimeoutMs: number | undefined;
  /** The message to the client when the server ends the session. */
  onTerminated: (error: ServerError) => void = () => {};
  readonly #options: BackendOptions;
  #transaction: Transaction | undefined;
  #hasFailed = false;
  #isEnded = false;

  constructor(options: BackendOptions) {
    this.#options = options;
    this.pid = options.pid;
    this.user = options.user;
    this.database = options.database;
    this.databaseOid = options.databaseOid;
    this.lockTimeoutMs = options.lockTimeoutMs;
  }

  get transaction(): Transaction | undefined {
    return this.#transaction;
  }

  /** Understands a statement. Throws what cannot be understood. */
  announce(text: string): Announced {
    if (!control.has(text)) {
      const statement = parse(text);
      const isTentative = this.#transaction !== undefined;
      return { ...statement, isTentative, carryOut: (values) => this.#run(statement, values) };
    }
    const isWrite = text === 'COMMIT' && this.#transaction?.hasChanges === true;
    return { verb: text, target: '', isWrite, isTentative: false, carryOut: async () => this.#control(text) };
  }

  #control(text: string): Rows {
    if (this.#isEnded) throw sessionEnded();
    if (text === 'BEGIN') {
      this.#transaction ??= this.#options.begin();
      this.#hasFailed = false;
      return [];
    }
    const transaction = this.#transaction;
    this.#transaction = undefined;
    if (text === 'COMMIT' && !this.#hasFailed) transaction?.commit();
    else transaction?.rollback();
    this.#hasFailed = false;
    return [];
  }

  async #run(statement: Statement, values: readonly unknown[]): Promise<Rows> {
    if (this.#isEnded) throw sessionEnded();
    const { server, begin } = this.#options;
    const within = this.#transaction;
    if (within !== undefined && this.#hasFailed) {
      const message = 'current transaction is aborted, commands ignored until end of transaction block';
      throw new ServerError('25P02', message);
    }
    if (within !== undefined && statement.isAlone) {
      this.#hasFailed = true;
      throw new ServerError('25001', `${statement.verb} cannot run inside a transaction block`);
    }
    const tx = within ?? begin();
    this.#transaction = tx;
    try {
      const rows = await statement.run({ tx, session: this, server, values, user: this.user });
      if (within === undefined) tx.commit();
      return rows;
    } catch (error) {
      if (within === undefined) tx.rollback();
      else this.#hasFailed = true;
      throw error;
    } finally {
      if (within === undefined) this.#transaction = undefined;
    }
  }

  /** The client is gone. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#transaction?.rollback();
    this.#transaction = undefined;
    this.#options.onEnd(this);
  }

  /** The server sends the client away. */
  terminate(): void {
    if (this.#isEnded) return;
    this.end();
    this.onTerminated(sessionEnded());
  }
}
