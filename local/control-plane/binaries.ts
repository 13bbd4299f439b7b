import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServerVersion } from '../../runtime/client/server-version.ts';
import type { BinarySource } from '../../tools/offline/binary-cache.ts';
import { cachedBinaries, missingFiles } from '../../tools/offline/binary-cache.ts';
import { findExecutable } from '../../tools/offline/command.ts';
import { debianBuild } from '../../tools/offline/debian-build.ts';
import type { Progress } from '../../tools/offline/progress.ts';
import { textProgress } from '../text-progress.ts';
import { envtestDownload } from './envtest-download.ts';
import { smokeTest } from './smoke-test.ts';

/** The control plane's executables, and where they come from. */
export interface ControlPlaneBinaries {
  /** Folder with `etcd` and `kube-apiserver`. */
  readonly directory: string;
  /** The kubectl to use: the machine's own first, else the one in `directory`. */
  readonly kubectl: string;
  /** `assets`, `cache`, or the name of the source that downloaded or built them. */
  readonly source: string;
}

/** How to get the binaries. Only tests need other values than the defaults. */
export interface BinariesOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** Tried in this order when neither setting nor cache has the binaries. */
  readonly sources?: readonly BinarySource[];
  /** Tests new binaries before they enter the cache. Throws if they do not work. */
  readonly smokeTest?: (directory: string) => Promise<void>;
  readonly progress?: Progress;
}

const SERVERS = ['etcd', 'kube-apiserver'];

/**
 * Finds etcd, kube-apiserver and kubectl, or gets them: `KUBEBUILDER_ASSETS`, the cache, then each source in
 * turn (envtest-js's verified download, a build from Debian's source). Binaries enter the cache
 * only after a smoke test, all at once. Only one process of a machine does so at a time; others wait.
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
  const withKubectl = async (directory: string, source: string): Promise<ControlPlaneBinaries> => {
    const kubectl = (await findExecutable('kubectl', environment.PATH)) ?? join(directory, 'kubectl');
    return { directory, kubectl, source };
  };
  const assets = environment.KUBEBUILDER_ASSETS;
  if (assets) {
    const missing = await missingFiles(assets, SERVERS);
    // A wrong setting must not be ignored in silence.
    if (missing.length > 0) throw new Error(`KUBEBUILDER_ASSETS (${assets}) lacks ${missing.join(' and ')}`);
    return withKubectl(assets, 'assets');
  }
  const set = {
    name: `${process.platform}-${process.arch}`,
    files: SERVERS,
    sources,
    proof: 'start, define a kind, write one resource',
    prove,
  };
  const { directory, source } = await cachedBinaries(set, { environment, progress });
  return withKubectl(directory, source);
}

/** The version of the kube-apiserver in a folder. Throws if it does not run or prints no version. */
export async function apiServerVersion(directory: string): Promise<ServerVersion> {
  const { stdout } = await promisify(execFile)(join(directory, 'kube-apiserver'), ['--version']);
  const [, major, minor] = /v(\d+)\.(\d+)/.exec(stdout) ?? [];
  if (minor === undefined) throw new Error(`kube-apiserver says of its version: ${stdout.trim()}`);
  return { major: Number(major), minor: Number(minor) };
}
