import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AptSource } from './apt-sources.ts';
import { renderSource } from './apt-sources.ts';
import type { CommandOptions } from './command.ts';
import { runCommand } from './command.ts';

/** Debian's packages of one suite, taken without root and without touching the machine's own apt. */
export interface DebianPackages {
  /** Reads the list of packages from one archive. Throws CommandError when it does not carry the suite. */
  update(archive: AptSource): Promise<void>;
  /** The packages that an empty machine would install with these, and these themselves; no recommendations. */
  closure(names: readonly string[]): Promise<readonly string[]>;
  /**
   * Downloads binary packages, verified by apt, and unpacks them into `directory`; nothing is installed. Answers
   * with the version of each.
   */
  unpack(
    names: readonly string[],
    directory: string,
    options?: UnpackOptions,
  ): Promise<ReadonlyMap<string, string>>;
  /** Downloads the files of a source package, verified by apt. Returns their folder. */
  source(name: string): Promise<string>;
}

interface UnpackOptions {
  /** Folder that gets the control files of each package, in a folder of its name. */
  readonly controlIn?: string;
  /** Files and folders that are left out: patterns of tar, in which `*` matches slashes, too. */
  readonly without?: readonly string[];
}

/** Where to work. */
export interface DebianPackagesOptions {
  /** Folder for archives and configuration. */
  readonly directory: string;
  /** Folder for lists, which several of these may share. */
  readonly lists: string;
  readonly suite: string;
  /** Of the packages, by Debian's name. Default: the machine's. */
  readonly architecture?: string | undefined;
  /** Command settings apart from the log file, which each step names. */
  readonly command: Omit<CommandOptions, 'logPath'>;
  /** Folder for the log files. */
  readonly logDirectory: string;
}

/**
 * apt's settings: everything it reads about sources and pins and everything it writes is ours. The machine's
 * own settings for reaching the network stay (proxies, credentials), because this file is read after them.
 */
function configuration({ directory, lists, architecture }: DebianPackagesOptions): string {
  const at = (name: string) => JSON.stringify(join(directory, name));
  const listed = (name: string) => JSON.stringify(join(lists, name));
  const foreign =
    architecture === undefined
      ? ''
      : `APT::Architecture "${architecture}";\nAPT::Architectures { "${architecture}"; };`;
  return `
${foreign}
Dir::Etc::sourcelist ${listed('sources.list')};
Dir::Etc::sourceparts ${listed('sources.list.d')};
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State ${listed('state')};
Dir::State::lists ${listed('lists')};
// No package counts as installed: the choice of versions must not depend on the machine.
Dir::State::status ${listed('status')};
Dir::Cache ${at('cache')};
Dir::Cache::pkgcache ${listed('pkgcache.bin')};
Dir::Cache::srcpkgcache ${listed('srcpkgcache.bin')};
Acquire::Retries "3";
Acquire::Languages "none";
APT::Get::List-Cleanup "true";
// The sandbox user may not read a private folder; checksums and signatures are verified all the same.
APT::Sandbox::User "";
// Hooks refresh the machine's own catalogues from lists that are not these.
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
`;
}

/** Unpacks the packages of the folder $1 into the folder $2. The arguments after it are options of tar. */
const UNPACK = `
set -e
downloads=$1 into=$2
shift 2
for package in "$downloads"/*.deb; do
  dpkg-deb --fsys-tarfile "$package" > "$downloads/content.tar"
  tar -x -f "$downloads/content.tar" -C "$into" --keep-directory-symlink "$@"
done
rm "$downloads/content.tar"
`;

/** Sets the folder up and answers with the packages. */
export async function debianPackages(options: DebianPackagesOptions): Promise<DebianPackages> {
  const { directory, lists, suite, command, logDirectory } = options;
  for (const name of ['sources.list.d', 'state', 'lists/partial']) {
    await mkdir(join(lists, name), { recursive: true });
  }
  await mkdir(join(directory, 'cache/archives/partial'), { recursive: true });
  const settings = join(directory, 'apt.conf');
  await writeFile(settings, configuration(options));
  const apt = (log: string, args: readonly string[], cwd: string) =>
    runCommand('apt-get', ['-c', settings, ...args], { ...command, cwd, logPath: join(logDirectory, log) });

  return {
    async update(archive) {
      await writeFile(join(lists, 'status'), '');
      await writeFile(join(lists, 'sources.list.d', 'archive.sources'), renderSource(archive, suite));
      // Without this setting apt-get update succeeds although an archive could not be read.
      await apt('update.log', ['-o', 'APT::Update::Error-Mode=any', 'update'], directory);
    },
    async closure(names) {
      const log = join(logDirectory, 'closure.log');
      await rm(log, { force: true }); // what an earlier attempt found may be out of date
      await apt('closure.log', ['--simulate', '--no-install-recommends', 'install', ...names], directory);
      return [...(await readFile(log, 'utf8')).matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
    },
    async unpack(names, into, { controlIn, without = [] } = {}) {
      const downloads = join(directory, 'downloads');
      // An earlier attempt may have left other versions.
      for (const folder of [downloads, into]) {
        await rm(folder, { recursive: true, force: true });
        await mkdir(folder, { recursive: true });
      }
      await apt('packages.log', ['download', ...names], downloads);
      const files = await readdir(downloads);
      const logged = { ...command, logPath: join(logDirectory, 'packages.log') };
      const excluded = without.map((pattern) => `--exclude=${pattern}`);
      await runCommand('sh', ['-c', UNPACK, 'unpack', downloads, into, ...excluded], logged);
      const versions = new Map<string, string>();
      for (const file of files) {
        const [name = '', version = ''] = file.split('_');
        versions.set(name, decodeURIComponent(version));
        if (controlIn === undefined) continue;
        await mkdir(controlIn, { recursive: true });
        await runCommand('dpkg', ['-e', join(downloads, file), join(controlIn, name)], logged);
      }
      return versions;
    },
    async source(name) {
      const into = join(directory, 'source');
      await mkdir(into, { recursive: true });
      await apt('source.log', ['source', '--download-only', name], into);
      return into;
    },
  };
}
