import type { Connection, QueryError } from 'mysql2';
import type { ClientClock } from '../../../package/http.ts';
import { later } from '../../../package/http.ts';
import { breakOff } from './driver.ts';
import type { ErrorContext } from './error.ts';
import { errnoOf, isMysqlError, MysqlError, toMysqlError, unreachableBy } from './error.ts';

export type Value = string | number;

interface LinkOptions {
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly context: ErrorContext;
  /** Called before each statement; see `ServerOptions`. */
  readonly mayGoOn: () => void;
  readonly clock: Pick<ClientClock, 'sleep'>;
}

interface SendOptions {
  /** A `?` in the statement stands for a value, in order. */
  readonly values?: readonly Value[] | undefined;
  /** A text that no message may contain. */
  readonly secret?: string | undefined;
  /** When to give up the connection, and the error then. The server continues. Default: after the limit of statements. */
  readonly limit?: { readonly ms: number; readonly late: MysqlError };
}

/** A connection of the driver, with an end for each wait. Every error is a MysqlError, or the reason of an abort. */
export interface Link {
  /** An abort of `signal` ends the connection from now on. */
  useBy(signal: AbortSignal | undefined): void;
  /** Waits until the server has accepted the credentials. */
  logIn(): Promise<void>;
  send<Row extends object>(sql: string, options?: SendOptions): Promise<readonly Row[]>;
  isUsable(): boolean;
  close(): Promise<void>;
}

export function linkOn(connection: Connection, options: LinkOptions): Link {
  const { connectTimeoutMs, statementTimeoutMs, context, mayGoOn, clock } = options;
  let signal: AbortSignal | undefined;
  let isBroken = false;
  let isLoggedIn = false;
  /** It may lack privileges that an administrator has given since. */
  let isOutdated = false;
  for (const event of ['error', 'end']) {
    connection.on(event, () => {
      isBroken = true;
    });
  }
  const destroy = () => {
    isBroken = true;
    breakOff(connection);
  };

  /**
   * An abort, or the limit, ends the connection. The server does not notice it while a statement waits for a lock, but
   * each wait has an end there, too.
   */
  const interruptible = async <T>(
    act: () => Promise<T>,
    limitMs: number,
    late = unreachableBy(context.server, 'timed out'),
  ): Promise<T> => {
    const during = signal;
    during?.throwIfAborted();
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(during?.reason);
    const callOff = later(clock, limitMs, () => reject(late));
    during?.addEventListener('abort', onAbort, { once: true });
    const acting = act();
    acting.catch(() => {}); // after an abort no caller waits for it
    try {
      return await Promise.race([acting, promise]);
    } catch (error) {
      if (errnoOf(error) === undefined || during?.aborted) destroy();
      throw during?.aborted ? during.reason : error;
    } finally {
      callOff();
      during?.removeEventListener('abort', onAbort);
    }
  };

  /** The error for callers: the reason of an abort as it is. */
  const translated = (error: unknown, secrets: readonly string[] = context.secrets): unknown =>
    signal?.aborted && error === signal.reason
      ? error
      : toMysqlError(error, { ...context, secrets, isLoggedIn });

  return {
    useBy(next) {
      signal = next;
    },
    async logIn() {
      try {
        await interruptible(() => greeted(connection), connectTimeoutMs + 1000);
      } catch (error) {
        throw translated(error);
      }
      isLoggedIn = true;
    },
    async send<Row extends object>(sql: string, { values = [], secret, limit }: SendOptions = {}) {
      const act = async () => {
        checkMayGoOn(mayGoOn);
        return answer<Row>(connection, sql, values);
      };
      try {
        return await interruptible(act, limit?.ms ?? statementTimeoutMs + 5000, limit?.late);
      } catch (error) {
        const reason = translated(error, secret === undefined ? undefined : [...context.secrets, secret]);
        // The server reads the privileges of `*.*` when a session begins.
        if (isMysqlError(reason, 'Forbidden')) isOutdated = true;
        throw reason;
      }
    },
    isUsable: () => !(isBroken || isOutdated),
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const callOff = later(clock, 1000, resolve);
      if (isBroken) resolve();
      else connection.end(() => resolve());
      await promise;
      callOff();
      destroy();
    },
  };
}

function checkMayGoOn(mayGoOn: () => void): void {
  try {
    mayGoOn();
  } catch (error) {
    throw new MysqlError((error as Error).message, { code: 'Halted', cause: error });
  }
}

/** The driver puts the values into the text: prepared statements have a limit that tenants share. */
const answer = <Row extends object>(
  connection: Connection,
  sql: string,
  values: readonly Value[],
): Promise<readonly Row[]> =>
  new Promise((resolve, reject) => {
    connection.query(sql, [...values], (error: QueryError | null, rows: unknown) => {
      if (error !== null) reject(error);
      else resolve(Array.isArray(rows) ? (rows as readonly Row[]) : []);
    });
  });

const greeted = (connection: Connection): Promise<void> =>
  new Promise((resolve, reject) => {
    connection.connect((error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
