import { join } from 'node:path';
import type { BinarySet, BinarySource, CacheOptions } from '../tools/offline/binary-cache.ts';
import { unpackPrograms } from '../tools/offline/debian-programs.ts';
import { optionalBinaries, prepareOptional } from '../tools/offline/optional-binaries.ts';
import { startMariadb } from './mariadb.ts';

/** The folders of a MariaDB: its programs, and the files that they read. */
export interface MariadbBinaries {
  readonly server: string;
  readonly client: string;
  /** Its statements, messages and character sets. */
  readonly share: string;
  /** Its policies for passwords, and its ways to log in. */
  readonly plugins: string;
}

/** A MariaDB that can be started here, or why there is none. */
export type MariadbSupport =
  | (MariadbBinaries & { readonly by: 'debian' })
  | { readonly by: 'none'; readonly reason: string };

/** The package's folder of messages and statements. */
const share = 'usr/share/mysql';
const statements = [
  'mysql_system_tables.sql',
  'mysql_performance_tables.sql',
  'mysql_system_tables_data.sql',
];

/** Plugins that a server loads when an administrator requires them. */
const plugins = ['simple_password_check.so', 'auth_ed25519.so'];

/** Takes MariaDB from Debian's packages: the server knows MySQL's protocol, and Debian has no MySQL. */
const debianMariadb: BinarySource = {
  name: 'debian-mariadb',
  produce: (work) =>
    unpackPrograms(work, {
      what: 'mariadb-server',
      recipe: { suite: 'bookworm', recipe: 2, neededBytes: 300e6, commands: ['apt-get', 'dpkg'] },
      packages: [
        ...['mariadb-server', 'mariadb-server-core', 'mariadb-client-core', 'libmariadb3'],
        ...['libaio1', 'libcap2', 'libcrypt1'],
        ...[
          'libedit2',
          'libbsd0',
          'libmd0',
          'libgcc-s1',
          'libgcrypt20',
          'libgpg-error0',
          'liblz4-1',
          'liblzma5',
        ],
        ...[
          'libncurses6',
          'libnuma1',
          'libpcre2-8-0',
          'libreadline8',
          'libssl3',
          'libstdc++6',
          'libsystemd0',
        ],
        ...['libtinfo6', 'liburing2', 'libzstd1', 'zlib1g'],
      ],
      programs: { mariadbd: 'usr/sbin/mariadbd', mariadb: 'usr/bin/mariadb' },
      others: {
        ...Object.fromEntries(
          [...statements, 'charsets', 'english'].map((name) => [`share/${name}`, `${share}/${name}`]),
        ),
        ...Object.fromEntries(plugins.map((name) => [`plugin/${name}`, `usr/lib/mysql/plugin/${name}`])),
      },
    }),
};

const noun = 'MariaDB server';
const cached = {
  name: `mariadb-${process.platform}-${process.arch}-2`, // 2: with plugins
  files: ['mariadbd', 'mariadb'],
};
const binariesIn = (directory: string): MariadbBinaries => ({
  server: join(directory, 'mariadbd'),
  client: join(directory, 'mariadb'),
  share: join(directory, 'share'),
  plugins: join(directory, 'plugin'),
});

/** Starts one of these and ends it again. Throws if that fails. */
async function startOnce(directory: string): Promise<void> {
  await using mariadb = await startMariadb({ binaries: binariesIn(directory) });
  await mariadb.run('select 1;');
}

/** Gets a MariaDB, if Debian has one. A failure is returned, and not retried for a day. */
export async function prepareMariadb(options: CacheOptions): Promise<MariadbSupport> {
  const known = await mariadbSupport(options.environment);
  if (known.by !== 'none') return known;
  const proof = 'start it, and ask it something';
  const set: BinarySet = { ...cached, sources: [debianMariadb], proof, prove: startOnce };
  await prepareOptional(set, { ...options, noun });
  return mariadbSupport(options.environment);
}

/** The present MariaDB. Gets nothing. */
export async function mariadbSupport(environment: NodeJS.ProcessEnv = process.env): Promise<MariadbSupport> {
  const found = await optionalBinaries(cached, { environment, noun });
  return found.isThere
    ? { by: 'debian', ...binariesIn(found.directory) }
    : { by: 'none', reason: found.reason };
}
