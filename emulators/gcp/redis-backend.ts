import type { LocalRedis } from '../../local/redis.ts';
import { startRedis } from '../../local/redis.ts';

/** What a Redis behind an instance is to be like. */
export interface RedisWanted {
  /** Undefined: nobody has to say one. */
  readonly authString?: string;
  readonly memoryBytes: number;
  /** As in redis.conf. */
  readonly configs: Readonly<Record<string, string>>;
  /** Where it has been before. */
  readonly port?: number;
  /** Takes TLS only, and shows this certificate; both PEM. */
  readonly tls?: { readonly certificate: string; readonly privateKey: string };
}

/** Where real Redis servers come from, by the names of instances. */
export interface RedisBackend {
  /** Starts one, or changes the one that runs. Resolves when it takes connections. */
  run(name: string, wanted: RedisWanted): Promise<{ readonly host: string; readonly port: number }>;
  /** Ends it, and all that it holds. There may be none. */
  remove(name: string): Promise<void>;
}

/** Real Redis servers on this machine. */
export interface LocalRedisBackend extends RedisBackend {
  /** Ends all of them. */
  stop(): Promise<void>;
}

/** What a configuration is when nobody says; Memorystore's own where it differs from Redis's. */
const defaults: Readonly<Record<string, string>> = {
  'maxmemory-policy': 'volatile-lru',
  'notify-keyspace-events': '',
  'lfu-decay-time': '1',
  'lfu-log-factor': '10',
  'stream-node-max-bytes': '4096',
  'stream-node-max-entries': '100',
};

/** Runs a Redis for each instance; two acts on one never overlap. */
export function localRedisBackend(binaries: {
  readonly server: string;
  readonly cli: string;
}): LocalRedisBackend {
  const servers = new Map<string, LocalRedis>();
  const last = new Map<string, Promise<unknown>>();

  function inTurn<T>(name: string, act: () => Promise<T>): Promise<T> {
    const turn = (last.get(name) ?? Promise.resolve()).then(act, act);
    const settled = turn.catch(() => {});
    last.set(name, settled);
    return turn;
  }

  async function run(
    name: string,
    { authString, memoryBytes, configs, port, tls }: RedisWanted,
  ): ReturnType<RedisBackend['run']> {
    // Debian's Redis is built without what active defragmentation needs.
    const { activedefrag: _unheeded, ...heeded } = configs;
    const settings = {
      ...(authString !== undefined && { password: authString }),
      configs: { maxmemory: String(memoryBytes), ...defaults, ...heeded },
    };
    const running = servers.get(name);
    if (running !== undefined) {
      await running.configure(settings);
      return running;
    }
    const options = { binaries, ...settings, ...(tls !== undefined && { tls }) };
    const atOldPort =
      port === undefined ? undefined : startRedis({ ...options, port }).catch(() => undefined);
    // Another program may have its port by now.
    const server = (await atOldPort) ?? (await startRedis(options));
    servers.set(name, server);
    return server;
  }

  async function remove(name: string): Promise<void> {
    const server = servers.get(name);
    servers.delete(name);
    await server?.stop();
  }

  return {
    run: (name, wanted) =>
      inTurn(name, async () => {
        const { host, port } = await run(name, wanted);
        return { host, port };
      }),
    remove: (name) => inTurn(name, () => remove(name)),
    async stop() {
      await Promise.all(last.values());
      await Promise.all([...servers.keys()].map(remove));
    },
  };
}
