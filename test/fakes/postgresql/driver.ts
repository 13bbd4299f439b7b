import type { Client, ClientConfig } from 'pg';
import type { Clock } from '../../../clients/clock.ts';
import { later } from '../../../clients/clock.ts';
import type { CarryOutside, OutsideCall } from '../outside.ts';
import { atOnce } from '../outside.ts';
import type { Announced, Backend } from './backend.ts';
import type { Login } from './server.ts';

export interface DriverOptions {
  /** Accepts a login at a host and port, or throws. */
  readonly connect: (host: string, port: number, login: Login) => Backend;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly carryOut: CarryOutside;
  /** A call of a process that has ended is never answered. */
  readonly hasEnded: () => boolean;
  /** Those that are open, so that they may end with the process. */
  readonly sessions: Set<Backend>;
}

/** The errors at the end of a server that a driver hides. */
const lost = (): Error => new Error('Connection terminated unexpectedly');

/** Throws for a statement that is not known here, and ends the process: its client would take that for a lost connection. */
function announced(session: Backend, text: string): Announced {
  try {
    return session.announce(text);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
    throw error;
  }
}

/** As much of pg's client as ours uses, with no network between. */
export function driver(config: ClientConfig, options: DriverOptions): Client {
  const { clock, carryOut } = options;
  const listeners: { readonly [event: string]: ((error?: Error) => void)[] } = { error: [], end: [] };
  let backend: Backend | undefined;
  let isOver = false;
  /** Fails the request that is under way. */
  let refuse: ((error: Error) => void) | undefined;

  const emit = (event: 'error' | 'end', error?: Error): void => {
    for (const listener of listeners[event] ?? []) listener(error);
  };
  const finish = (error: Error, isHeard: boolean): void => {
    if (isOver) return;
    isOver = true;
    if (backend !== undefined) {
      backend.end();
      options.sessions.delete(backend);
    }
    if (refuse !== undefined) refuse(error);
    else if (isHeard) emit('error', error);
    emit('end');
  };

  /** Through the door, for as long as the client has patience. */
  function ask<T>(
    call: OutsideCall,
    effect: () => T | Promise<T>,
    patienceMs: number | undefined,
    impatience: string,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const callOff =
        carryOut === atOnce || patienceMs === undefined
          ? () => {}
          : later(clock, patienceMs, () => finish(new Error(impatience), false));
      const settle = (act: () => void): void => {
        if (refuse !== fail) return;
        refuse = undefined;
        callOff();
        if (!options.hasEnded()) act();
      };
      const fail = (error: Error): void => settle(() => reject(error));
      refuse = fail;
      const answer = options.hasEnded() ? new Promise<never>(() => {}) : carryOut(call, effect);
      answer.then((value) => settle(() => resolve(value as T)), fail);
    });
  }

  const client = {
    on(event: string, listener: (error?: Error) => void) {
      listeners[event]?.push(listener);
      return client;
    },
    async connect() {
      const { host = '', port = 0, user = '', password, database = '' } = config;
      const [, lockTimeoutMs] = /-c lock_timeout=(\d+)/.exec(config.options ?? '') ?? [];
      const login = {
        user,
        password: String(password),
        database,
        lockTimeoutMs: lockTimeoutMs === undefined ? undefined : Number(lockTimeoutMs),
      };
      const call = { system: 'postgresql', verb: 'connect', target: database, isWrite: false };
      // It is there before the client hears of it, and ends with the client whether or not that ever does.
      const open = (): void => {
        const opened = options.connect(host, port, login);
        if (isOver || options.hasEnded()) {
          opened.end();
          return;
        }
        backend = opened;
        options.sessions.add(opened);
        opened.onTerminated = (error) => finish(error, true);
      };
      await ask(call, open, config.connectionTimeoutMillis, 'timeout expired');
    },
    async query(text: string, values: readonly unknown[] = []) {
      const session = backend;
      if (session === undefined || isOver) throw lost();
      const { verb, target, isWrite, isTentative, carryOut: run } = announced(session, text);
      const call = { system: 'postgresql', verb, target, isWrite, isTentative };
      const { query_timeout: patienceMs } = config;
      return { rows: await ask(call, () => run(values), patienceMs, 'Query read timeout') };
    },
    async end() {
      finish(lost(), false);
    },
    connection: { stream: { destroy: () => finish(lost(), false) } },
  };
  return client as unknown as Client;
}
