import { access, mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { debianArchives, readAptSources } from './apt-sources.ts';
import type { FetchWork } from './binary-cache.ts';
import { findExecutable, runCommand } from './command.ts';
import type { DebianPackages } from './debian-packages.ts';
import { debianPackages } from './debian-packages.ts';
import { packageLists } from './package-lists.ts';

/** A build from Debian's packages. */
export interface DebianRecipe {
  /** The suite of the packages, for example `bookworm`. */
  readonly suite: string;
  /** Of the packages, by Debian's name. Default: the machine's. */
  readonly architecture?: string;
  /** Counts up when the recipe changes, so that a half-done build of an older one is not resumed. */
  readonly recipe: number;
  /** Bytes of free space the build needs at its peak, with room to spare. */
  readonly neededBytes: number;
  /** Commands of the machine it cannot do without. */
  readonly commands: readonly string[];
}

type Run = (
  log: string,
  command: string,
  args: readonly string[],
  settings?: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv },
) => Promise<void>;

/** A build's folders in its scratch, its packages, and its way to run commands. */
export interface DebianWork {
  /** A folder of the scratch; those with a meaning: `root` (unpacked packages), `tools` (first on the search path), `logs`. */
  at(folder: string): string;
  readonly packages: DebianPackages;
  /** The default environment of the commands. */
  readonly env: NodeJS.ProcessEnv;
  readonly run: Run;
  /** Reads the package lists of the first archive of the machine's own that carries the suite, unless this process has done so. */
  readLists(): Promise<void>;
  /** Whether an earlier attempt, or this one, has done a step. */
  isDone(name: string): Promise<boolean>;
  /** Does a step that no earlier attempt has done. */
  step(name: string, title: string, act: () => Promise<unknown>): Promise<void>;
}

/** Prepares the scratch folder of a build, resuming what an earlier attempt of the same recipe has done. Throws an error that says what the machine lacks. */
export async function debianWork(
  { scratch, environment, progress }: FetchWork,
  { suite, architecture, recipe, neededBytes, commands }: DebianRecipe,
): Promise<DebianWork> {
  for (const command of commands) {
    if ((await findExecutable(command, environment.PATH)) === undefined) {
      throw new Error(`this machine has no ${command}: the build from source needs a Debian system`);
    }
  }
  const { bavail, bsize } = await statfs(scratch);
  if (bavail * bsize < neededBytes) {
    throw new Error(`the build needs ${neededBytes / 1e9} GB of free space in ${scratch}`);
  }
  const at = (folder: string) => join(scratch, folder);
  const done = at(join('done', `recipe-${recipe}`));
  if (!(await exists(done))) {
    // Of an older recipe, or nothing yet.
    await rm(scratch, { recursive: true, force: true });
    await mkdir(done, { recursive: true });
  }
  for (const folder of ['home', 'tmp']) await mkdir(at(folder), { recursive: true });
  // Proxies and the like stay; what steers Go, make or the caches of the machine's user must not reach the build.
  const passed = Object.entries(environment).filter(([name]) => /^(LANG|.*_proxy)$/i.test(name));
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(passed),
    PATH: `${at('tools')}:${environment.PATH ?? ''}`,
    HOME: at('home'),
    TMPDIR: at('tmp'),
    DEBIAN_FRONTEND: 'noninteractive',
  };
  const command = { env, pidDirectory: at('pids') };
  const lists = packageLists(dirname(scratch), suite, architecture);
  const packages = await debianPackages({
    directory: at('apt'),
    lists: lists.folder,
    suite,
    architecture,
    command,
    logDirectory: at('logs'),
  });

  return {
    at,
    packages,
    env,
    run: (log, name, args, settings = {}) =>
      runCommand(name, args, { ...command, logPath: join(at('logs'), log), ...settings }),
    readLists: () =>
      lists.readOnce(async () => {
        const archives = debianArchives(await readAptSources());
        if (archives.length === 0) {
          throw new Error("the machine's apt configuration names no Debian archive to take the source from");
        }
        let last: unknown;
        for (const archive of archives) {
          try {
            return await packages.update(archive);
          } catch (error) {
            last = error;
          }
        }
        throw last;
      }),
    isDone: (name) => exists(join(done, name)),
    async step(name, title, act) {
      const mark = join(done, name);
      if (await exists(mark)) return progress.note(`${title}: done by an earlier attempt`);
      await progress.step(title, act);
      await writeFile(mark, '');
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
