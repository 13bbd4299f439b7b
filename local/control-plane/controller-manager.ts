import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runServer } from '../running-server.ts';
import { watchedFolder } from '../watched-folder.ts';

/** A whole kube-controller-manager, or two controllers of one that we built. */
export interface ControllerManagerProgram {
  readonly by: 'assets' | 'build';
  readonly path: string;
}

export interface ControllerManager {
  stop(): Promise<void>;
}

/** The flags that make a kube-controller-manager what we build: two controllers, no port, and no limit of requests. */
async function flagsOf({ by, path }: ControllerManagerProgram): Promise<readonly string[]> {
  if (by === 'build') return [];
  const { stdout } = await promisify(execFile)(path, ['--version']);
  const [, minor] = /v1\.(\d+)/.exec(stdout) ?? [];
  if (minor === undefined) throw new Error(`kube-controller-manager says of its version: ${stdout.trim()}`);
  return [
    '--controllers=namespace,garbagecollector',
    '--leader-elect=false',
    '--secure-port=0',
    // Later ones have no port without TLS, and do not know the flag.
    ...(Number(minor) < 24 ? ['--port=0'] : []),
    '--kube-api-qps=400',
    '--kube-api-burst=3000',
  ];
}

/**
 * Starts the controllers of Kubernetes that delete the contents of namespaces, and objects without owners. Resolves
 * when they know the objects of all kinds. It opens no port.
 */
export async function startControllerManager(
  program: ControllerManagerProgram,
  { kubeconfigPath }: { readonly kubeconfigPath: string },
): Promise<ControllerManager> {
  const flags = await flagsOf(program);
  const { dog, clear } = watchedFolder('controller-manager');
  try {
    const server = await runServer({
      noun: 'kube-controller-manager',
      program: program.path,
      args: [`--kubeconfig=${kubeconfigPath}`, ...flags],
      log: 'stderr',
      ready: /resource monitors have synced/i,
      dog,
    });
    return {
      async stop() {
        await server.end();
        await clear();
      },
    };
  } catch (error) {
    await clear();
    throw error;
  }
}
