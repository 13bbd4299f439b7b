import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BinarySet, BinarySource, CacheOptions } from './binary-cache.ts';
import { findExecutable } from './command.ts';
import { unpackPrograms } from './debian-programs.ts';
import { optionalBinaries, prepareOptional } from './optional-binaries.ts';

/** The path of a program for the tests, or the reason why there is none. */
export type ProgramSupport =
  | { readonly by: 'machine' | 'debian'; readonly path: string }
  | { readonly by: 'none'; readonly reason: string };

/** A program that some tests need, and that other tests do without. */
export interface OptionalProgram {
  /** Gets the program, if Debian has it. A failure is returned, and not retried for a day. */
  prepare(options: CacheOptions): Promise<ProgramSupport>;
  /** The present program: that of the machine, else that of the cache. Gets nothing. */
  support(environment?: NodeJS.ProcessEnv): Promise<ProgramSupport>;
}

/** How Debian has a program. */
interface DebianPackage {
  /** It, and the libraries that the program needs. */
  readonly packages: readonly string[];
  readonly neededBytes: number;
  /** The argument by which the program prints its version. */
  readonly version: string;
  readonly suite?: string;
  /** The folder of the program in the packages; default `usr/bin`. */
  readonly folder?: string;
  /** More programs of the packages, which are found beside it. */
  readonly others?: readonly string[];
}

/** A program of one of these Debian packages, unpacked without root. */
function debianProgram(
  program: string,
  { packages, neededBytes, version, suite = 'bookworm', folder = 'usr/bin', others = [] }: DebianPackage,
): OptionalProgram {
  const recipe = { suite, recipe: 1, neededBytes, commands: ['apt-get', 'dpkg'] };
  const programs = Object.fromEntries([program, ...others].map((name) => [name, `${folder}/${name}`]));
  const debian: BinarySource = {
    name: `debian-${program}`,
    produce: (work) => unpackPrograms(work, { what: program, recipe, packages, programs }),
  };
  const cached = { name: `${program}-${process.platform}-${process.arch}`, files: [program, ...others] };
  const set: BinarySet = {
    ...cached,
    sources: [debian],
    proof: 'ask it for its version',
    prove: async (directory) => {
      await promisify(execFile)(join(directory, program), [version]);
    },
  };

  async function support(environment: NodeJS.ProcessEnv = process.env): Promise<ProgramSupport> {
    const own = await findExecutable(program, environment.PATH);
    if (own !== undefined) return { by: 'machine', path: own };
    const found = await optionalBinaries(cached, { environment, noun: program });
    return found.isThere
      ? { by: 'debian', path: join(found.directory, program) }
      : { by: 'none', reason: found.reason };
  }

  return {
    support,
    async prepare(options) {
      const known = await support(options.environment);
      if (known.by !== 'none') return known;
      await prepareOptional(set, { ...options, noun: program });
      return support(options.environment);
    },
  };
}

/** Checks metrics and alert rules. */
export const promtool = debianProgram('promtool', {
  packages: ['prometheus'],
  neededBytes: 600e6,
  version: '--version',
});

/** Runs health checks of Argo CD, which are Lua 5.1. */
export const lua = debianProgram('lua5.1', {
  packages: ['lua5.1', 'libreadline8', 'libtinfo6'],
  neededBytes: 50e6,
  version: '-v',
});

/** Builds manifests from overlays. */
export const kustomize = debianProgram('kustomize', {
  packages: ['kustomize'],
  neededBytes: 100e6,
  version: 'version',
  suite: 'trixie',
});

/** Runs containers, and has their images. `ctr` is its command line. */
export const containerd = debianProgram('containerd', {
  packages: ['containerd'],
  neededBytes: 400e6,
  version: '--version',
  others: ['ctr'],
});

/** The libraries of libpq, and those that they need. */
const libpq = (
  'libpq5 libssl3 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libcom-err2 libkeyutils1 libldap-2.5-0 ' +
  'libsasl2-2 libgnutls30 libp11-kit0 libidn2-0 libunistring2 libtasn1-6 libnettle8 libhogweed6 libgmp10 libffi8 ' +
  'libdb5.3 zlib1g liblz4-1 libzstd1'
).split(' ');

/** Logs in as users do: with libpq. */
export const psql = debianProgram('psql', {
  packages: ['postgresql-client-15', 'libreadline8', 'libtinfo6', ...libpq],
  neededBytes: 100e6,
  version: '--version',
  folder: 'usr/lib/postgresql/15/bin',
});

const libsystemd = 'libsystemd0 libcap2 libgcrypt20 libgpg-error0 liblzma5 liblz4-1 libzstd1'.split(' ');

/** A pooler of connections. */
export const pgbouncer = debianProgram('pgbouncer', {
  packages: [
    ...'pgbouncer libc-ares2 libevent-2.1-7 libpam0g libaudit1 libcap-ng0 libssl3'.split(' '),
    ...libsystemd,
  ],
  neededBytes: 100e6,
  version: '--version',
  folder: 'usr/sbin',
});
