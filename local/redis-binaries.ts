import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BinarySet, BinarySource, BinaryWork, CacheOptions } from './control-plane/binary-cache.ts';
import { findExecutable } from './control-plane/command.ts';
import { debianWork } from './control-plane/debian-work.ts';
import { optionalBinaries, prepareOptional } from './control-plane/optional-binaries.ts';
import { startRedis } from './redis.ts';

/** A Redis of this machine, or why there is none. */
export type RedisSupport =
  | { readonly by: 'machine' | 'debian'; readonly server: string; readonly cli: string }
  | { readonly by: 'nobody'; readonly reason: string };

/** How to get one; the defaults are what everybody wants. */
export interface RedisBinariesOptions extends CacheOptions {
  readonly sources?: readonly BinarySource[];
  /** Decides whether a fresh one may enter the cache: throws when it does not work. */
  readonly prove?: (directory: string) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

const programs = ['redis-server', 'redis-cli'] as const;
const recipe = { suite: 'bookworm', recipe: 1, neededBytes: 200e6, commands: ['apt-get', 'dpkg'] };
const packages = ['redis-server', 'redis-tools'];
/** What the two need beside the C library, which is the machine's. */
const libraries = [
  ...['libatomic1', 'libcap2', 'libgcc-s1', 'libgcrypt20', 'libgpg-error0', 'libjemalloc2', 'liblz4-1'],
  ...['liblzf1', 'liblzma5', 'libssl3', 'libstdc++6', 'libsystemd0', 'libzstd1'],
];

/** Unpacks Debian's packages into the folder; each program finds its libraries by a script of its name. */
async function unpack(work: BinaryWork): Promise<void> {
  const { at, packages: debian, readLists } = await debianWork(work, recipe);
  await work.progress.step("fetch redis-server from the machine's Debian archive", async () => {
    await readLists();
    await debian.unpack([...packages, ...libraries], at('root'));
  });
  await mkdir(join(work.target, 'lib'));
  for (const parent of ['lib', 'usr/lib']) {
    for (const name of await readdir(join(at('root'), parent)).catch(() => [])) {
      if (!name.includes('-linux-gnu')) continue;
      await cp(join(at('root'), parent, name), join(work.target, 'lib'), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  }
  for (const program of programs) {
    // redis-server is a link to a program that goes by the name it is called by.
    await cp(join(at('root'), 'usr/bin', program), join(work.target, 'bin', program), { dereference: true });
    const script = [
      '#!/bin/sh',
      'here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)',
      `LD_LIBRARY_PATH="$here/lib" exec "$here/bin/${program}" "$@"`,
    ];
    await writeFile(join(work.target, program), `${script.join('\n')}\n`, { mode: 0o755 });
  }
}

/** Takes Redis from Debian's packages, without root and without touching the machine's own apt. */
export const debianRedis: BinarySource = { name: 'debian-redis', produce: unpack };

const noun = 'Redis server';
const kept = { name: `redis-${process.platform}-${process.arch}`, files: programs };

/** Starts one of these and ends it again. Throws if that fails. */
async function startOnce(directory: string): Promise<void> {
  const binaries = { server: join(directory, 'redis-server'), cli: join(directory, 'redis-cli') };
  await using redis = await startRedis({ binaries, password: 'proof' });
  await redis.configure({ password: 'changed' });
}

/** Sees to it that there is a Redis if one can be had. A failure is an answer, and is noted for a day. */
export async function prepareRedis({
  sources = [debianRedis],
  prove = startOnce,
  ...options
}: RedisBinariesOptions): Promise<RedisSupport> {
  const known = await redisSupport(options.environment);
  if (known.by !== 'nobody') return known;
  const set: BinarySet = { ...kept, sources, proof: 'start it, say a password, change it', prove };
  await prepareOptional(set, { ...options, noun });
  return redisSupport(options.environment);
}

/** The Redis that there is as things are, the machine's own first; gets none. */
export async function redisSupport(environment: NodeJS.ProcessEnv = process.env): Promise<RedisSupport> {
  const [server, cli] = await Promise.all(programs.map((name) => findExecutable(name, environment.PATH)));
  if (server !== undefined && cli !== undefined) return { by: 'machine', server, cli };
  const found = await optionalBinaries(kept, { environment, noun });
  if (!found.isThere) return { by: 'nobody', reason: found.reason };
  return {
    by: 'debian',
    server: join(found.directory, 'redis-server'),
    cli: join(found.directory, 'redis-cli'),
  };
}
