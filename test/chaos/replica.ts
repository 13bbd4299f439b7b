import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import type { Ended, ServerProcess } from './server-process.ts';
import { descriptorsOf, startServerProcess } from './server-process.ts';

/** Memory and file descriptors of a process. */
export interface Usage {
  readonly rssMiB: number;
  readonly descriptors: number;
  readonly sockets: number;
}

/** One run of the process, from its start to its end. */
export interface Life {
  /** By which the API server knows it: no other life has it. */
  readonly user: string;
  readonly process: ServerProcess;
  readonly startedMs: number;
  /** Whether its end was requested. */
  wasEnded: boolean;
  end?: Ended & { readonly atMs: number };
  /** First when it was ready, then at each reading. */
  usage: Usage[];
}

/** Somewhere the process is started again whenever it ends. */
export interface Replica {
  readonly name: string;
  /** The newest life last. */
  readonly lives: readonly Life[];
  current(): Life | undefined;
  /** Starts it now, and from now on a second after each end. */
  start(): Promise<void>;
  /** Does not start it again until `start`. */
  hold(): void;
  isReady(): Promise<boolean>;
  /** The page of metrics; undefined if it does not answer. */
  metrics(): Promise<string | undefined>;
}

export interface ReplicaOptions {
  readonly name: string;
  readonly directory: string;
  /** Of an administrator; server and user are replaced. */
  readonly kubeconfig: string;
  /** Where its API server is: a link of its own. */
  readonly apiServerPort: number;
  readonly ports: { readonly health: number; readonly metrics: number };
  /** A new user, and its token. */
  readonly nextUser: () => { readonly user: string; readonly token: string };
  readonly flags: readonly string[];
}

const restartDelayMs = 1000;

export function replica(options: ReplicaOptions): Replica {
  const { name, directory, ports, nextUser, flags } = options;
  const lives: Life[] = [];
  let isHeld = true;

  const current = (): Life | undefined => {
    const life = lives.at(-1);
    return life === undefined || life.process.hasEnded() ? undefined : life;
  };
  async function begin(): Promise<void> {
    const { user, token } = nextUser();
    const kubeconfig = join(directory, `${user}.kubeconfig`);
    const server = `https://127.0.0.1:${options.apiServerPort}`;
    await writeFile(kubeconfig, kubeconfigFor(options.kubeconfig, server, token), { mode: 0o600 });
    if (isHeld) return;
    const args = [
      'main.ts',
      '--kubeconfig',
      kubeconfig,
      '--log-level',
      'debug',
      '--stacks',
      'fcp,ocp,postgresql,aws,gcp',
      '--health-probe-bind-address',
      `127.0.0.1:${ports.health}`,
      '--metrics-bind-address',
      `127.0.0.1:${ports.metrics}`,
      ...flags,
    ];
    const process = startServerProcess(directory, user, args);
    const life: Life = { user, process, startedMs: Date.now(), wasEnded: false, usage: [] };
    lives.push(life);
    void process.ended.then(async (end) => {
      life.end = { ...end, atMs: Date.now() };
      await sleep(restartDelayMs);
      if (!isHeld && lives.at(-1) === life) await begin();
    });
  }

  const page = async (port: number, path: string): Promise<string | undefined> => {
    try {
      const signal = AbortSignal.timeout(2000);
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal });
      const text = await response.text();
      return response.ok ? text : undefined;
    } catch {
      return undefined;
    }
  };

  return {
    name,
    lives,
    current,
    async start() {
      if (!isHeld) return;
      isHeld = false;
      if (current() === undefined) await begin();
    },
    hold() {
      isHeld = true;
    },
    isReady: async () => (await page(ports.health, '/readyz')) !== undefined,
    metrics: () => page(ports.metrics, '/metrics'),
  };
}

function kubeconfigFor(admin: string, server: string, token: string): string {
  const config = parse(admin) as {
    readonly users: readonly { readonly name: string }[];
    readonly clusters: readonly { readonly name: string; readonly cluster: object }[];
  };
  return stringify({
    ...config,
    clusters: config.clusters.map(({ name, cluster }) => ({ name, cluster: { ...cluster, server } })),
    users: config.users.map(({ name }) => ({ name, user: { token } })),
  });
}

/** The memory of a process now; undefined if the system does not report it, or after its end. */
export function usageOf(pid: number): Usage | undefined {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    const descriptors = descriptorsOf(pid);
    return {
      rssMiB: Math.round(Number(kib) / 1024),
      descriptors: descriptors.length,
      sockets: descriptors.filter((name) => name.startsWith('socket:')).length,
    };
  } catch {
    return undefined;
  }
}
