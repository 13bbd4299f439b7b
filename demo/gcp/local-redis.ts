import type { LocalRedis } from '../../local/redis.ts';
import { startRedis } from '../../local/redis.ts';
import type { RedisServers, RedisSettings } from '../../stacks/gcp/emulator/memorystore/redis-backend.ts';

/** Default configurations. Where Memorystore and Redis differ, these are the ones of Memorystore. */
const defaults: Readonly<Record<string, string>> = {
  'maxmemory-policy': 'volatile-lru',
  'notify-keyspace-events': '',
  'lfu-decay-time': '1',
  'lfu-log-factor': '10',
  'stream-node-max-bytes': '4096',
  'stream-node-max-entries': '100',
};

/** Runs a Redis for each instance. Two changes of one Redis never overlap. */
export function localRedis(binaries: { readonly server: string; readonly cli: string }): RedisServers {
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
    { authString, memoryBytes, configs, port, tls }: RedisSettings,
  ): ReturnType<RedisServers['run']> {
    // Debian builds Redis without active defragmentation.
    const { activedefrag: _ignored, ...supported } = configs;
    const settings = {
      ...(authString !== undefined && { password: authString }),
      configs: { maxmemory: String(memoryBytes), ...defaults, ...supported },
    };
    const running = servers.get(name);
    if (running !== undefined) {
      await running.configure(settings);
      return running;
    }
    const options = { binaries, ...settings, ...(tls !== undefined && { tls }) };
    const atPreviousPort =
      port === undefined ? undefined : startRedis({ ...options, port }).catch(() => undefined);
    // Another program may have taken the previous port.
    const server = (await atPreviousPort) ?? (await startRedis(options));
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
