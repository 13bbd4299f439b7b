import { createHash } from 'node:crypto';
import type { Reach, StoredInstance } from './db-instance.ts';

/** An instance whose database is meant. */
export interface Served extends Pick<StoredInstance, 'resourceId' | 'settings' | 'password'> {
  readonly id: string;
  readonly region: string;
}

/** The databases behind instances. */
export interface DatabaseServers {
  /** Where the database of an instance is reached. It is started when it is first asked for, unless that is not wanted. */
  reach(instance: Served, options: { readonly isStarting: boolean }): Reach;
  setPassword(resourceId: string, password: string): Promise<void>;
  /** Ends a database; what it held is gone. */
  end(resourceId: string): void;
  /** Ends all. */
  stop(): Promise<void>;
}

/** What a database is started with. */
export interface NewDatabase {
  /** Of this machine, and of no other database. */
  readonly address: string;
  readonly port: number;
  readonly masterUsername: string;
  readonly password: string;
  readonly database: string | undefined;
}

export interface RunningDatabase {
  readonly port: number;
  setPassword(password: string): Promise<void>;
  /** The same data at another port. */
  restart(port: number): Promise<void>;
  stop(): Promise<void>;
}

export type StartDatabase = (wanted: NewDatabase) => Promise<RunningDatabase>;

/** Nothing stands behind instances: their names lead nowhere, and say so. */
export const noServers: DatabaseServers = {
  reach: ({ id, region, settings }) => ({ state: 'up', address: nowhere(id, region), port: settings.Port }),
  setPassword: async () => {},
  end() {},
  stop: async () => {},
};

/** No name server knows a name that ends so (RFC 2606). */
const nowhere = (id: string, region: string): string => `${id}.nothing-listens-here.${region}.rds.invalid`;

/** An address of this machine for each database, so that all can listen on the same port. */
export function addressOf(resourceId: string): string {
  const [a = 0, b = 0, c = 0] = createHash('sha256').update(resourceId).digest();
  return `127.${1 + (a % 254)}.${b}.${1 + (c % 254)}`;
}

interface Held {
  readonly starting: Promise<void>;
  state: 'starting' | 'restarting' | 'up' | 'failed';
  running?: RunningDatabase;
}

export interface DatabaseServersOptions {
  /** How the databases of an engine are started; nothing listens behind instances of the others. */
  readonly engines: Readonly<Record<string, StartDatabase>>;
  /** Told why one could not be started. */
  readonly onFailure?: (id: string, error: unknown) => void;
}

/** A real database behind each instance of the engines that are given. */
export function databaseServers({ engines, onFailure }: DatabaseServersOptions): DatabaseServers {
  const held = new Map<string, Held>();
  const ending = new Set<Promise<unknown>>();

  function started({ id, resourceId, settings, password }: Served, start: StartDatabase): Held {
    const { Port: port, MasterUsername: masterUsername, DBName: database } = settings;
    const wanted = { address: addressOf(resourceId), port, masterUsername, password, database };
    const one: Held = {
      state: 'starting',
      starting: start(wanted).then(
        (running) => {
          one.running = running;
          one.state = 'up';
        },
        (error: unknown) => {
          one.state = 'failed';
          onFailure?.(id, error);
        },
      ),
    };
    held.set(resourceId, one);
    return one;
  }

  function restarted(one: Held, running: RunningDatabase, { id, settings }: Served): void {
    one.state = 'restarting';
    running.restart(settings.Port).then(
      () => {
        one.state = 'up';
      },
      (error: unknown) => {
        one.state = 'failed';
        onFailure?.(id, error);
      },
    );
  }

  function end(resourceId: string): void {
    const one = held.get(resourceId);
    if (one === undefined) return;
    held.delete(resourceId);
    const ended = one.starting.then(() => one.running?.stop()).finally(() => ending.delete(ended));
    ending.add(ended);
  }

  return {
    reach(instance, { isStarting }) {
      const { id, region, resourceId, settings } = instance;
      const start = engines[settings.Engine];
      const elsewhere: Reach = { state: 'up', address: nowhere(id, region), port: settings.Port };
      if (start === undefined) return elsewhere;
      const one = held.get(resourceId) ?? (isStarting ? started(instance, start) : undefined);
      if (one === undefined) return elsewhere;
      const { running } = one;
      if (running === undefined || one.state !== 'up')
        return { state: one.state === 'up' ? 'starting' : one.state };
      if (running.port !== settings.Port && isStarting) {
        restarted(one, running, instance);
        return { state: 'restarting' };
      }
      return { state: 'up', address: addressOf(resourceId), port: running.port };
    },
    async setPassword(resourceId, password) {
      await held.get(resourceId)?.running?.setPassword(password);
    },
    end,
    async stop() {
      for (const resourceId of held.keys()) end(resourceId);
      await Promise.allSettled([...ending]);
    },
  };
}
