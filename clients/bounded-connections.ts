import type { Clock } from './clock.ts';
import { later } from './clock.ts';

/** The parts of a connection that the pool needs. */
export interface PooledConnection {
  isUsable(): boolean;
  /** Never rejects; returns within a second or so even if the server is silent. */
  close(): Promise<void>;
}

/** Callers that wait for a connection. The order between groups is that of the implementation. */
interface WaitingCallers<T> {
  add(group: string, caller: T): void;
  /** Removes and returns the next caller; undefined: no caller waits. */
  take(): T | undefined;
}

/** Creates a line of callers. Its `take` must skip callers for which `isWaiting` is false: they have given up. */
export type CreateLine = <T>(isWaiting: (caller: T) => boolean) => WaitingCallers<T>;

export interface BoundedConnections<C extends PooledConnection> {
  /**
   * Runs `body` with a connection to `database`. Waits for a free connection. Do not call it from within `body`: if all
   * connections are held that way, all calls wait for ever. `group`: the group in which the caller waits.
   */
  use<T>(
    database: string,
    signal: AbortSignal | undefined,
    body: (connection: C) => Promise<T>,
    group?: string,
  ): Promise<T>;
  /** Like `use`, for a connection that `body` opens and closes itself. */
  usePlace<T>(signal: AbortSignal | undefined, body: () => Promise<T>, group?: string): Promise<T>;
  /** Refuses new work, waits for running work, closes all connections. */
  close(): Promise<void>;
}

/**
 * At most `max` open connections, for any number of databases. Connections to `idleDatabase` stay open for `idleMs`
 * after use. Connections to other databases are closed at once, because an open one would block DROP DATABASE and
 * copying.
 */
export function boundedConnections<C extends PooledConnection>(options: {
  readonly max: number;
  readonly idleDatabase: string;
  readonly idleMs: number;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly open: (database: string, signal: AbortSignal | undefined) => Promise<C>;
  /** Default: first come, first served. */
  readonly createLine?: CreateLine;
  /** The error of calls after `close`. */
  readonly closed: () => Error;
}): BoundedConnections<C> {
  const { max, idleDatabase, idleMs, clock, open, createLine = firstComeFirstServed, closed } = options;
  const waiting = createLine<Entry>(({ hasLeft }) => !hasLeft());
  /** For each idle connection, the function that cancels its closing. */
  const idle = new Map<C, () => void>();
  let inUse = 0;
  let isClosed = false;
  let onQuiet = () => {};

  const enter = async (signal: AbortSignal | undefined, group: string): Promise<void> => {
    signal?.throwIfAborted();
    if (isClosed) throw closed();
    if (inUse < max) {
      inUse++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(signal?.reason);
      const entry: Entry = {
        hasLeft: () => signal?.aborted === true,
        admit: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        refuse: (error: unknown) => {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting.add(group, entry);
    });
  };

  const leave = () => {
    const next = waiting.take();
    if (next) return next.admit(); // the next caller gets the place
    inUse--;
    if (inUse === 0) onQuiet();
  };

  const takeIdle = (): C | undefined => {
    for (const [connection, callOff] of idle) {
      callOff();
      idle.delete(connection);
      if (connection.isUsable()) return connection;
      void connection.close();
    }
    return undefined;
  };

  const keep = (connection: C) => {
    const expire = (): void => {
      idle.delete(connection);
      void connection.close();
    };
    idle.set(connection, later(clock, idleMs, expire));
  };

  /** Idle connections count too. */
  const makeRoom = async (): Promise<void> => {
    while (inUse + idle.size > max) await takeIdle()?.close();
  };

  const usePlace = async <T>(
    signal: AbortSignal | undefined,
    body: () => Promise<T>,
    group = '',
  ): Promise<T> => {
    await enter(signal, group);
    try {
      return await body();
    } finally {
      leave();
    }
  };

  return {
    use: (database, signal, body, group) =>
      usePlace(
        signal,
        async () => {
          let connection = database === idleDatabase ? takeIdle() : undefined;
          if (connection === undefined) {
            await makeRoom();
            connection = await open(database, signal);
          }
          try {
            return await body(connection);
          } finally {
            if (database === idleDatabase && connection.isUsable() && !isClosed) keep(connection);
            else await connection.close();
          }
        },
        group,
      ),
    usePlace: (signal, body, group) =>
      usePlace(
        signal,
        async () => {
          await makeRoom();
          return body();
        },
        group,
      ),
    async close() {
      isClosed = true;
      for (let next = waiting.take(); next; next = waiting.take()) next.refuse(closed());
      if (inUse > 0) {
        await new Promise<void>((resolve) => {
          const before = onQuiet;
          onQuiet = () => {
            before();
            resolve();
          };
        });
      }
      for (let next = takeIdle(); next; next = takeIdle()) await next.close();
    },
  };
}

interface Entry {
  readonly hasLeft: () => boolean;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

function firstComeFirstServed<T>(isWaiting: (caller: T) => boolean): WaitingCallers<T> {
  const waiting: T[] = [];
  const take = (): T | undefined => {
    let next = waiting.shift();
    while (next !== undefined && !isWaiting(next)) next = waiting.shift();
    return next;
  };
  return { add: (_group, caller) => void waiting.push(caller), take };
}
