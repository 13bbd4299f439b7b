import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import clamp from 'lodash/clamp.js';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { ControlPlane, ControlPlaneOptions } from '../../local/control-plane/control-plane.ts';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { processKubeconfig } from '../../local/control-plane/process-account.ts';
import { isNotFound } from '../../runtime/client/errors.ts';
import { kubernetesClient } from '../../runtime/client/http-kubernetes-client.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import type { Request } from '../../runtime/controller/reconcile.ts';
import { realClock } from '../../runtime/time/clock.ts';
import { objectOf } from '../fakes/object-of.ts';
import { recordedLog } from '../fakes/recorded-log.ts';

const root = join(import.meta.dirname, '..', '..');

/** A cluster with our definitions, a client that acts as a user would, and the real process. */
export interface Cluster {
  readonly controlPlane: ControlPlane;
  readonly client: KubernetesClient;
  readonly kubectl: ControlPlane['kubectl'];
  /** File with a kubeconfig of the service account of the process. */
  readonly processKubeconfigPath: string;
  /** The object as it is on the API server; undefined if there is none. */
  find<T extends KubernetesObject>(kind: Kind<T>, key: Request): Promise<T | undefined>;
  all<T extends KubernetesObject>(kind: Kind<T>): Promise<readonly T[]>;
  /** Creates an object with these fields beside its metadata. */
  create<T extends KubernetesObject>(kind: Kind<T>, metadata: T['metadata'], rest?: object): Promise<T>;
  apply(...objects: readonly object[]): Promise<string>;
  /** Writes the API server has accepted or refused so far, by `VERB resource`; events do not count. */
  writes(): Promise<Readonly<Record<string, number>>>;
  /**
   * Starts `node main.ts` with the service account and the rights that `deploy/` gives it. Its log is kept, and printed if a
   * test fails.
   */
  startProcess(flags?: readonly string[], options?: ProcessOptions): StackProcess;
  stop(): Promise<void>;
}

export interface ProcessOptions {
  /**
   * Whether no other process of the cluster has its stacks: then it takes no lease, and one that follows a killed one does
   * not wait until that one's lease has run out. Default true.
   */
  readonly isAlone?: boolean;
  /** Whether it acts as an administrator, as on the machine of a developer. Default false. */
  readonly isAdmin?: boolean;
  /** A file with its kubeconfig, which counts more than `isAdmin`. */
  readonly kubeconfig?: string;
  /** Default: `main.ts`. */
  readonly program?: string;
}

export interface ClusterOptions
  extends Pick<ControlPlaneOptions, 'rules' | 'withDefinitions' | 'apiServerFlags'> {
  /** Manifests of `deploy/` with more rights for the process, such as `optional/install-crds.yaml`. */
  readonly moreRights?: readonly string[];
}

export interface StackProcess {
  readonly child: ChildProcess;
  /** Standard error so far. */
  log(): string;
  /** SIGTERM, or the signal given; answers with the exit code, null for a killed one. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** The exit code, once it has ended by itself. Its log is whole then. */
  readonly ended: Promise<number | null>;
}

export function kubeConfigOf(kubeconfig: string): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(kubeconfig);
  return kubeConfig;
}

/** Acts as the user of a kubeconfig, at a fraction of what a kubectl costs. To be closed. */
export const clientOf = (kubeConfig: KubeConfig, log = recordedLog()) =>
  kubernetesClient({ kubeConfig, log, clock: realClock() });

export const adminClient = ({ kubeconfig }: ControlPlane) => clientOf(kubeConfigOf(kubeconfig));

/** Applies objects in one command. */
export const applyTo = (controlPlane: ControlPlane, ...items: readonly object[]): Promise<string> =>
  controlPlane.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));

/** Starts a control plane with our definitions, unless the options say otherwise. */
export async function startCluster({ moreRights, ...options }: ClusterOptions = {}): Promise<Cluster> {
  const controlPlane = await startControlPlane({ withDefinitions: true, ...options });
  const client = adminClient(controlPlane);
  const folder = await mkdtemp(join(tmpdir(), 'services-stack-cluster-'));
  const processKubeconfigPath = join(folder, 'kubeconfig');
  const processes: StackProcess[] = [];

  const stop = async () => {
    await Promise.all(processes.map((each) => each.end('SIGKILL')));
    await client.close();
    await controlPlane.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const kubeconfig = await processKubeconfig(controlPlane, moreRights);
    await writeFile(processKubeconfigPath, kubeconfig, { mode: 0o600 });
  } catch (error) {
    await stop();
    throw error;
  }

  const find: Cluster['find'] = async (kind, key) => {
    try {
      return await client.get(kind, key);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

  return {
    controlPlane,
    client,
    kubectl: (args, input) => controlPlane.kubectl(args, input),
    processKubeconfigPath,
    find,
    all: async (kind) => (await client.list(kind, {})).items,
    create: (kind, metadata, rest) => client.create(kind, objectOf(kind, metadata, rest)),
    apply: (...objects) => applyTo(controlPlane, ...objects),
    async writes() {
      const metrics = await controlPlane.kubectl(['get', '--raw', '/metrics']);
      const counts: Record<string, number> = {};
      for (const [, labels = '', value] of metrics.matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)) {
        const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
        const [verb, resource, subresource] = [label('verb'), label('resource'), label('subresource')];
        if (!['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE'].includes(verb)) continue;
        if (['events', 'leases', 'customresourcedefinitions', 'apiservices'].includes(resource)) continue;
        if (label('group').endsWith('.k8s.io')) continue;
        const key = `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`;
        counts[key] = (counts[key] ?? 0) + Number(value);
      }
      return counts;
    },
    startProcess(
      flags = [],
      { isAlone = true, isAdmin = false, program = 'main.ts', kubeconfig: given } = {},
    ) {
      const all = [...(isAlone ? ['--leader-elect=false'] : []), ...flags];
      const kubeconfig = given ?? (isAdmin ? controlPlane.kubeconfigPath : processKubeconfigPath);
      const started = startProcess(program, kubeconfig, all);
      processes.push(started);
      return started;
    },
    stop,
  };
}

function startProcess(program: string, kubeconfig: string, flags: readonly string[]): StackProcess {
  const args = [program, '--kubeconfig', kubeconfig, ...flags];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
  // Not `exit`, which may come before the last output.
  const closed = once(child, 'close');
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = closed.then(() => child.exitCode);
  return {
    child,
    log: () => log,
    ended,
    end(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
      }
      return ended;
    },
  };
}

/** The changes between two counts. */
export function difference(
  before: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(now)
      .map(([key, count]) => [key, count - (before[key] ?? 0)] as const)
      .filter(([, count]) => count !== 0),
  );
}

/** So long that a machine with much other work does not exceed it. */
const patienceMs = 120_000;

/**
 * Asks again until the answer is neither undefined nor false, and answers with it: soon at first, and less often the
 * longer it takes. A question that costs much, such as a kubectl, is asked less often, too. Rejects after `timeoutMs` with
 * what was waited for and what the last error said.
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  timeoutMs = patienceMs,
): Promise<T> {
  const startedMs = performance.now();
  for (let last = 'nothing'; ; ) {
    const requestedMs = performance.now();
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    const nowMs = performance.now();
    const elapsedMs = nowMs - startedMs;
    if (elapsedMs > timeoutMs) throw new Error(`${what}: not within ${timeoutMs / 1000} s (last: ${last})`);
    await sleep(Math.max(clamp(elapsedMs / 5, 100, 500), Math.min(3 * (nowMs - requestedMs), 1_000)));
  }
}
