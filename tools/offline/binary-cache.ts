import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isExecutable } from './command.ts';
import { lockPath, withLock } from './lock.ts';
import type { Progress } from './progress.ts';

/** A way to get executables onto a machine that has none. */
export interface BinarySource {
  readonly name: string;
  /**
   * Puts the executables into the empty folder `target`. May store files for a second attempt in `scratch`. Throws if it
   * cannot get them.
   */
  produce(work: BinaryWork): Promise<void>;
  /** Does the part of `produce` that waits for the network, so that `produce` finds it in `scratch`. */
  fetch?(work: FetchWork): Promise<void>;
}

/** The folder and the reporting of a source that fetches. */
export interface FetchWork extends CacheOptions {
  /** Folder of this source alone; removed once the binaries are in the cache. */
  readonly scratch: string;
}

/** The folders and the reporting of a source. */
export interface BinaryWork extends FetchWork {
  readonly target: string;
}

/** Executables that belong together, in one folder of the cache. */
export interface BinarySet {
  /** Name of the folder. */
  readonly name: string;
  /** Without these it is not in the cache. */
  readonly files: readonly string[];
  /** Tried in this order when the cache has not got them. */
  readonly sources: readonly BinarySource[];
  /** A description of the proof. */
  readonly proof: string;
  /** Decides whether fresh executables may enter the cache: throws when they do not work. */
  prove(directory: string): Promise<void>;
}

export interface CacheOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: Progress;
}

/** The drafts of a set are `candidate-NAME.RANDOM`. */
const draftsOf = (name: string): string => `candidate-${name}.`;

/** Our folder in the user's cache, after the XDG base directory specification. */
export function cacheRoot(environment: NodeJS.ProcessEnv): string {
  const base = environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache');
  return join(base, 'services-stack', 'control-plane');
}

/** The files that are not executables in the folder. */
export async function missingFiles(directory: string, files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(files.map((name) => isExecutable(join(directory, name))));
  return files.filter((_, index) => found[index] !== true);
}

/** The folder a set has in the cache, whether it is there or not. */
export const cachedFolder = ({ name }: Pick<BinarySet, 'name'>, environment: NodeJS.ProcessEnv): string =>
  join(cacheRoot(environment), name);

/**
 * Lets the first source of a set fetch its files, unless the set is in the cache. Throws the error of the source. The files
 * stay in the scratch folder, and `cachedBinaries` continues with them.
 */
export async function fetchAhead(
  set: Omit<BinarySet, 'proof' | 'prove'>,
  { environment, progress }: CacheOptions,
): Promise<void> {
  const [source] = set.sources;
  if (source?.fetch === undefined) return;
  const { fetch } = source;
  await withLock(prepareLock(set, environment), async () => {
    const missing = await missingFiles(cachedFolder(set, environment), set.files);
    if (missing.length === 0) return;
    await fetch({ scratch: await scratchOf(source, environment), environment, progress });
  });
}

/** Removes a folder of gigabytes, which takes seconds, in a process of its own. Its name is free at once. */
async function removeLater(folder: string): Promise<void> {
  const old = `${folder}.old-${process.pid}`;
  await rename(folder, old);
  spawn('rm', ['-rf', old], { detached: true, stdio: 'ignore' }).unref();
}

async function scratchOf({ name }: BinarySource, environment: NodeJS.ProcessEnv): Promise<string> {
  const scratch = join(cacheRoot(environment), `scratch-${name}`);
  await mkdir(scratch, { recursive: true });
  return scratch;
}

const prepareLock = ({ name }: Pick<BinarySet, 'name'>, environment: NodeJS.ProcessEnv): string =>
  lockPath(cacheRoot(environment), `prepare-${name}`);

/**
 * The folder with a set's executables in the cache. If it does not exist, the first source whose executables pass the test
 * fills it. Only one process of a machine works on a set at a time; others wait. Throws an AggregateError with each reason
 * if every source failed. With `isFresh`, the executables are fetched again, and then replace those in the cache.
 */
export async function cachedBinaries(
  set: BinarySet,
  { environment, progress, isFresh = false }: CacheOptions & { readonly isFresh?: boolean },
): Promise<{ readonly directory: string; readonly source: string }> {
  const root = cacheRoot(environment);
  const directory = cachedFolder(set, environment);
  const isCached = async () => !isFresh && (await missingFiles(directory, set.files)).length === 0;
  if (await isCached()) return { directory, source: 'cache' };

  return withLock(prepareLock(set, environment), prepare, {
    onWait: (holder) => progress.note(`waiting for process ${holder}, which is preparing ${set.name}`),
    onTakeOver: (holder) => progress.note(`process ${holder} died while preparing ${set.name}: taking over`),
  });

  async function prepare() {
    if (await isCached()) return { directory, source: 'cache' };
    // Drafts of killed attempts. The lock excludes other processes.
    const drafts = draftsOf(set.name);
    const names = await readdir(root);
    for (const name of names.filter((candidate) => candidate.startsWith(drafts))) {
      await rm(join(root, name), { recursive: true, force: true });
    }
    const failures: Error[] = [];
    for (const source of set.sources) {
      const scratch = await scratchOf(source, environment);
      const target = await mkdtemp(join(root, drafts));
      try {
        await source.produce({ target, scratch, environment, progress });
        await progress.step(`prove the binaries (${set.proof})`, async () => {
          try {
            await set.prove(target);
          } catch (error) {
            // A second attempt must not resume this one.
            await rm(scratch, { recursive: true, force: true });
            throw error;
          }
        });
        await writeFile(join(target, 'origin.json'), `${JSON.stringify({ source: source.name })}\n`);
        // An incomplete folder may stand in the way, left by a hand that deleted too little.
        await rm(directory, { recursive: true, force: true });
        await rename(target, directory);
        await removeLater(scratch);
        return { directory, source: source.name };
      } catch (error) {
        const reason = error instanceof Error ? error : new Error(String(error));
        failures.push(reason);
        // The whole of it, log lines included, is in the error thrown when no source works.
        progress.note(`${source.name} did not work: ${reason.message.split('\n')[0]}`);
      } finally {
        await rm(target, { recursive: true, force: true });
      }
    }
    const reasons = failures.map((failure, index) => `- ${set.sources[index]?.name}: ${failure.message}`);
    throw new AggregateError(failures, `no ${set.files.join(' and ')} could be had\n${reasons.join('\n')}`);
  }
}
