import { createHash } from 'node:crypto';
import type { Reach, StoredInstance } from './db-instance.ts';

/** A DB instance and its database. */
interface Served extends Pick<StoredInstance, 'resourceId' | 'settings' | 'password'> {
  readonly id: string;
  readonly region: string;
}

/** The databases behind instances. */
export interface DatabaseServers {
  /** The address of the database of an instance. The first call starts the database if `isStarting`. */
  reach(instance: Served, options: { readonly isStarting: boolean }): Reach;
  setPassword(resourceId: string, password: string): Promise<void>;
  /** Stops a database and deletes its data. */
  end(resourceId: string): void;
  /** Stops all databases. */
  stop(): Promise<void>;
}

/** The settings of a new database. */
export interface NewDatabase {
  /** An address of this machine that no other database has. */
  readonly address: string;
  readonly port: number;
  readonly masterUsername: string;
  readonly password: string;
  readonly database: string | undefined;
}

export interface RunningDatabase {
  readonly port: number;
  setPassword(password: string): Promise<void>;
  /** Restarts with the same data at another port. */
  restart(port: number): Promise<void>;
  stop(): Promise<void>;
}

export type StartDatabase = (wanted: NewDatabase) => Promise<RunningDatabase>;

/** Instances without databases. Their addresses do not resolve, and contain `nothing-listens-here`. */
export const noServers: DatabaseServers = {
  reach: ({ id, region, settings }) => ({ state: 'up', address: nowhere(id, region), port: settings.Port }),
  setPassword: async () => {},
  end() {},
  stop: async () => {},
};

/** No name server knows the domain `invalid` (RFC 2606). */
const nowhere = (id: string, region: string): string => `${id}.nothing-listens-here.${region}.rds.invalid`;

/** An address of this machine for each database, so that all can listen on the same port. */
function addressOf(resourceId: string): string {
  const [a = 0, b = 0, c = 0] = createHash('sha256').update(resourceId).digest();
  return `127.${1 + (a % 254)}.${b}.${1 + (c % 254)}`;
}

interface Held {
  readonly starting: Promise<void>;
  state: 'starting' | 'restarting' | 'up' | 'failed';
  running?: RunningDatabase;
}

export interface DatabaseServersOptions {
  /** Starts the databases of each engine. Instances of other engines have none. */
  readonly engines: Readonly<Record<string, StartDatabase>>;
  /** Called with the reason when a database did not start. */
  readonly onFailure?: (id: string, error: unknown) => void;
}

/** Runs a real database behind each instance of these engines. */
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
