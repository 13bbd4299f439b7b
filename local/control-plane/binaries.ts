import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findExecutable, isExecutable } from './command.ts';
import { debianBuild } from './debian-build.ts';
import { envtestDownload } from './envtest-download.ts';
import { lockPath, withLock } from './lock.ts';
import type { Progress } from './progress.ts';
import { textProgress } from './progress.ts';
import { smokeTest } from './smoke-test.ts';

/** Where the control plane's executables are and which link of the chain gave them. */
export interface ControlPlaneBinaries {
  /** Folder with `etcd` and `kube-apiserver`. */
  readonly directory: string;
  /** The kubectl to use: the machine's own first, else the one in `directory`. */
  readonly kubectl: string;
  readonly source: 'assets' | 'cache' | 'download' | 'debian-build';
}

/** A way to get the executables onto a machine that has none. */
export interface BinarySource {
  readonly name: 'download' | 'debian-build';
  /**
   * Puts `etcd`, `kube-apiserver` and `kubectl` into the empty folder `target`. May keep what helps a second
   * attempt in `scratch`; throws when it cannot deliver.
   */
  produce(work: BinaryWork): Promise<void>;
}

/** What a source works with. */
export interface BinaryWork {
  readonly target: string;
  /** Folder of this source alone; removed once the binaries are in the cache. */
  readonly scratch: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: Progress;
}

/** How to get the binaries; the defaults are what everybody wants. */
export interface BinariesOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** Tried in this order when neither setting nor cache has the binaries. */
  readonly sources?: readonly BinarySource[];
  /** Decides whether fresh binaries may enter the cache: throws when they do not work. */
  readonly smokeTest?: (directory: string) => Promise<void>;
  readonly progress?: Progress;
}

const SERVERS = ['etcd', 'kube-apiserver'];
const CANDIDATE = 'candidate-';

/** Our folder in the user's cache, after the XDG base directory specification. */
export function cacheRoot(environment: NodeJS.ProcessEnv): string {
  const base = environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache');
  return join(base, 'services-stack', 'control-plane');
}

async function missingServers(directory: string): Promise<string[]> {
  const found = await Promise.all(SERVERS.map((name) => isExecutable(join(directory, name))));
  return SERVERS.filter((_, index) => found[index] !== true);
}

async function answer(
  directory: string,
  source: ControlPlaneBinaries['source'],
  environment: NodeJS.ProcessEnv,
): Promise<ControlPlaneBinaries> {
  const kubectl = (await findExecutable('kubectl', environment.PATH)) ?? join(directory, 'kubectl');
  return { directory, kubectl, source };
}

/**
 * Finds etcd, kube-apiserver and kubectl, or makes them: `KUBEBUILDER_ASSETS`, the cache, then each source in
 * turn (envtest-js's verified download, a build from Debian's source). What a source delivers enters the cache
 * only after a smoke test, whole and at once. Only one process of a machine does so at a time; others wait.
 *
 * Throws when `KUBEBUILDER_ASSETS` names a folder without the servers, and when every source failed; the
 * message then carries each reason.
 */
export async function controlPlaneBinaries(options: BinariesOptions = {}): Promise<ControlPlaneBinaries> {
  const {
    environment = process.env,
    sources = [envtestDownload, debianBuild],
    smokeTest: prove = smokeTest,
    progress = textProgress(),
  } = options;
  const assets = environment.KUBEBUILDER_ASSETS;
  if (assets) {
    const missing = await missingServers(assets);
    // A setting somebody made must not be passed over in silence.
    if (missing.length > 0) throw new Error(`KUBEBUILDER_ASSETS (${assets}) lacks ${missing.join(' and ')}`);
    return answer(assets, 'assets', environment);
  }
  const root = cacheRoot(environment);
  const cached = join(root, `${process.platform}-${process.arch}`);
  const isCached = async () => (await missingServers(cached)).length === 0;
  if (await isCached()) return answer(cached, 'cache', environment);

  return withLock(lockPath(root, 'prepare'), prepare, {
    onWait: (holder) => progress.note(`waiting for process ${holder}, which is preparing the binaries`),
    onTakeOver: (holder) => progress.note(`process ${holder} died while preparing the binaries: taking over`),
  });

  async function prepare(): Promise<ControlPlaneBinaries> {
    if (await isCached()) return answer(cached, 'cache', environment);
    // What a killed attempt left; under the lock nobody else can be filling one.
    const names = await readdir(root);
    for (const name of names.filter((candidate) => candidate.startsWith(CANDIDATE))) {
      await rm(join(root, name), { recursive: true, force: true });
    }
    const failures: Error[] = [];
    for (const source of sources) {
      const scratch = join(root, `scratch-${source.name}`);
      await mkdir(scratch, { recursive: true });
      const target = await mkdtemp(join(root, CANDIDATE));
      try {
        await source.produce({ target, scratch, environment, progress });
        await progress.step('prove the binaries (start, define a kind, write one resource)', async () => {
          try {
            await prove(target);
          } catch (error) {
            // A second attempt must not resume what led here.
            await rm(scratch, { recursive: true, force: true });
            throw error;
          }
        });
        await writeFile(join(target, 'origin.json'), `${JSON.stringify({ source: source.name })}\n`);
        // An incomplete folder may stand in the way, left by a hand that deleted too little.
        await rm(cached, { recursive: true, force: true });
        await rename(target, cached);
        await rm(scratch, { recursive: true, force: true });
        return await answer(cached, source.name, environment);
      } catch (error) {
        const reason = error instanceof Error ? error : new Error(String(error));
        failures.push(reason);
        // The whole of it, log lines included, is in the error thrown when no source works.
        progress.note(`${source.name} did not work: ${reason.message.split('\n')[0]}`);
      } finally {
        await rm(target, { recursive: true, force: true });
      }
    }
    const reasons = failures.map((failure, index) => `- ${sources[index]?.name}: ${failure.message}`);
    throw new AggregateError(failures, `no control plane binaries could be had\n${reasons.join('\n')}`);
  }
}
