import type { Clock } from '../../../clients/clock.ts';
import type { advisoryLocks } from './advisory-locks.ts';
import type { Transaction } from './transaction.ts';

/** A session of the server, as other sessions see it. */
export interface ObservedSession {
  readonly pid: number;
  readonly user: string;
  /** Name and oid of its database. */
  readonly database: string;
  readonly databaseOid: number;
  readonly lockTimeoutMs: number | undefined;
  /** The rows that it is about to change. */
  readonly transaction: Transaction | undefined;
  terminate(): void;
}

/** The target of a statement. */
export interface Execution {
  readonly tx: Transaction;
  readonly session: ObservedSession;
  /** The session's user, whose permissions count. */
  readonly user: string;
  readonly server: {
    readonly clock: Pick<Clock, 'sleep'>;
    readonly systemIdentifier: string;
    readonly advisory: ReturnType<typeof advisoryLocks>;
    readonly sessions: () => readonly ObservedSession[];
    readonly nextOid: () => number;
  };
  readonly values: readonly unknown[];
}

export type Rows = readonly object[];

/** A statement that was understood. */
export interface Statement {
  /** The words it begins with: `ALTER DATABASE`. */
  readonly verb: string;
  /** The subject of the statement, if it names one. */
  readonly target: string;
  readonly isWrite: boolean;
  /** Refuses to be part of a transaction. */
  readonly isAlone?: boolean;
  readonly run: (execution: Execution) => Rows | Promise<Rows>;
}

/** A statement that changes something. */
export const writing = (verb: string, target: string, run: Statement['run']): Statement => ({
  verb,
  target,
  run,
  isWrite: true,
});

/** The same, for a statement that no transaction can contain. */
export const writingAlone = (verb: string, target: string, run: Statement['run']): Statement => ({
  ...writing(verb, target, run),
  isAlone: true,
});
