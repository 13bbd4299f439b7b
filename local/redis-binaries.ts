import { join } from 'node:path';
import type { BinarySet, BinarySource, CacheOptions } from '../tools/offline/binary-cache.ts';
import { findExecutable } from '../tools/offline/command.ts';
import { unpackPrograms } from '../tools/offline/debian-programs.ts';
import { optionalBinaries, prepareOptional } from '../tools/offline/optional-binaries.ts';
import { startRedis } from './redis.ts';

/** A Redis of this machine, or why there is none. */
export type RedisSupport =
  | { readonly by: 'machine' | 'debian'; readonly server: string; readonly cli: string }
  | { readonly by: 'none'; readonly reason: string };

/** How to get one. Only tests need other values than the defaults. */
export interface RedisBinariesOptions extends CacheOptions {
  readonly sources?: readonly BinarySource[];
  /** Tests a new one before it enters the cache. Throws if it does not work. */
  readonly prove?: (directory: string) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

const programs = ['redis-server', 'redis-cli'] as const;
const recipe = { suite: 'bookworm', recipe: 1, neededBytes: 200e6, commands: ['apt-get', 'dpkg'] };
/** The two programs, and the libraries that they need. */
const packages = [
  ...['redis-server', 'redis-tools'],
  ...['libatomic1', 'libcap2', 'libgcc-s1', 'libgcrypt20', 'libgpg-error0', 'libjemalloc2', 'liblz4-1'],
  ...['liblzf1', 'liblzma5', 'libssl3', 'libstdc++6', 'libsystemd0', 'libzstd1'],
];

/** Takes Redis from Debian's packages, without root and without touching the machine's own apt. */
const debianRedis: BinarySource = {
  name: 'debian-redis',
  produce: (work) =>
    unpackPrograms(work, {
      what: 'redis-server',
      recipe,
      packages,
      programs: Object.fromEntries(programs.map((name) => [name, `usr/bin/${name}`])),
    }),
};

const noun = 'Redis server';
const cached = { name: `redis-${process.platform}-${process.arch}`, files: programs };

/** Starts one of these and ends it again. Throws if that fails. */
async function startOnce(directory: string): Promise<void> {
  const binaries = { server: join(directory, 'redis-server'), cli: join(directory, 'redis-cli') };
  await using redis = await startRedis({ binaries, password: 'proof' });
  await redis.configure({ password: 'changed' });
}

/** Gets a Redis, if Debian has one. A failure is returned, and not retried for a day. */
export async function prepareRedis({
  sources = [debianRedis],
  prove = startOnce,
  ...options
}: RedisBinariesOptions): Promise<RedisSupport> {
  const known = await redisSupport(options.environment);
  if (known.by !== 'none') return known;
  const set: BinarySet = { ...cached, sources, proof: 'start it, say a password, change it', prove };
  await prepareOptional(set, { ...options, noun });
  return redisSupport(options.environment);
}

/** The present Redis: that of the machine, else that of the cache. Gets nothing. */
export async function redisSupport(environment: NodeJS.ProcessEnv = process.env): Promise<RedisSupport> {
  const [server, cli] = await Promise.all(programs.map((name) => findExecutable(name, environment.PATH)));
  if (server !== undefined && cli !== undefined) return { by: 'machine', server, cli };
  const found = await optionalBinaries(cached, { environment, noun });
  if (!found.isThere) return { by: 'none', reason: found.reason };
  return {
    by: 'debian',
    server: join(found.directory, 'redis-server'),
    cli: join(found.directory, 'redis-cli'),
  };
}
