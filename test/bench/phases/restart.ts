import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { difference, eventually } from '../../cluster/stack-harness.ts';
import { budgets } from '../budgets.ts';
import { costFigures, countsIn, listed, startCost } from '../cost.ts';
import type { Figure } from '../figures.ts';
import { figure } from '../figures.ts';
import { startMeter } from '../meter.ts';
import { cpuSeconds, memoryMiB, peakMemoryMiB } from '../process-usage.ts';
import type { Scene, Stack } from '../scene.ts';
import { connectionSecretsOnly } from '../scene.ts';
import { sum } from '../statistics.ts';

/** As by default. Within this time after its start, the process has observed everything, and its code is compiled. */
const pollSeconds = 60;
/** As informers have it. */
const pageSize = 500;
const quietSeconds = 1;

export interface Restarted {
  readonly stack: Stack;
  /** The memory of the process once it has observed everything. */
  readonly memory: { readonly objects: number; readonly MiB: number };
  readonly restart: readonly Figure[];
  readonly idle: readonly Figure[];
}

/**
 * Starts the process with bound claims in the cluster, and then leaves it alone while it polls every external
 * resource: once for the restart, once more for the process at rest. No stack may be running; the one that is started
 * goes on.
 */
export async function restartAndIdle(scene: Scene, isIdleWanted: boolean): Promise<Restarted> {
  const bound = scene.claims.all().length;
  const objects = [scene.claims, scene.secrets, ...scene.managed.map(({ store }) => store)];
  const objectCount = sum(objects.map((store) => store.all().length));
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const file = join(directory, 'event-loop-delay');
  try {
    const before = await scene.settledRequests();
    const listedSeconds = await listByHand(scene);
    const callsBefore = scene.externalCalls();
    const used = await startMeter(scene);
    const stack = await scene.start({
      flags: ['--poll-interval', `${pollSeconds}s`],
      environment: {
        NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, '..', 'event-loop-delay.ts'))}`,
        BENCH_EVENT_LOOP_FILE: file,
      },
    });
    const readySeconds = (performance.now() - stack.launchedAtMs) / 1000;
    const readyCpu = cpuSeconds(stack.process.child.pid);
    // A process observes what is at rest at any time within the poll interval, which may be a tenth longer.
    const longestMs = pollSeconds * 1_100 + 60_000;
    await eventually('all are observed', async () => scene.externalCalls() - callsBefore >= bound, longestMs);
    const observedSeconds = (performance.now() - stack.launchedAtMs) / 1000;
    const memory = { objects: objectCount, MiB: memoryMiB(stack.process.child.pid) };
    const observedCpu = cpuSeconds(stack.process.child.pid);
    await new Promise((resolve) => setTimeout(resolve, quietSeconds * 1000));
    const after = await scene.requests();
    const { apiServerSeconds } = used();
    const { runs, reasons } = countsIn(await stack.metrics());
    stack.process.child.kill('SIGUSR2');
    const blockedMs = await eventually(
      'the event loop delay is reported',
      async () => existsSync(file) && Number(readFileSync(file, 'utf8')),
    );
    const writes = difference(before.writes, after.writes);
    const restart: readonly Figure[] = [
      figure(
        `restart with ${bound} bound claims: writes`,
        sum(Object.values(writes)) + after.eventWrites - before.eventWrites,
        'count',
        { limit: budgets.none, note: Object.keys(writes).join(', ') },
      ),
      figure(`restart with ${bound} bound claims: ready after`, readySeconds, 's', {
        note: `${(readySeconds / listedSeconds).toFixed(2)} times what a bare list of the same objects takes, ${listedSeconds.toFixed(1)} s`,
      }),
      figure(`restart with ${bound} bound claims: process CPU until ready`, readyCpu, 's'),
      figure(`restart with ${bound} bound claims: all observed after`, observedSeconds, 's', {
        note: `each external resource observed once, within the poll interval of ${pollSeconds} s`,
      }),
      figure(`restart with ${bound} bound claims: process CPU until all are observed`, observedCpu, 's'),
      figure(`restart with ${bound} bound claims: API server CPU`, apiServerSeconds, 's'),
      figure(
        `restart with ${bound} bound claims: runs for each claim`,
        sum(Object.values(runs)) / bound,
        'count',
        {
          note: listed(reasons, bound),
        },
      ),
      figure('event loop blocked at start, longest', blockedMs, 'ms', {
        limit: budgets.blockedMs,
        note: `${objectCount} objects arrive; the budget is for 10,000`,
      }),
    ];
    return {
      stack,
      memory,
      restart,
      idle: isIdleWanted ? await idle(scene, stack, bound) : [],
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Seconds that it takes to list the objects of the process, in pages of the same size, all kinds at a time,
 * and to read the answers; nothing is kept in a store, decided or observed.
 */
async function listByHand({ bare, claims, managed, secrets }: Scene): Promise<number> {
  const startedAtMs = performance.now();
  const kinds: readonly Kind[] = [claims, secrets, ...managed.map(({ store }) => store)].map(
    ({ kind }) => kind as Kind,
  );
  await Promise.all(
    kinds.map((kind) => {
      const selector = kind === SecretKind ? connectionSecretsOnly.fieldSelector : undefined;
      return bare.list(kind, pageSize, selector);
    }),
  );
  return (performance.now() - startedAtMs) / 1000;
}

async function idle(scene: Scene, stack: Stack, bound: number): Promise<readonly Figure[]> {
  const { pid } = stack.process.child;
  const before = await scene.requests();
  const callsBefore = scene.externalCalls();
  const spent = await startCost(scene, stack);
  const cpuBefore = cpuSeconds(pid);
  await new Promise((resolve) => setTimeout(resolve, pollSeconds * 1000));
  const cpu = cpuSeconds(pid) - cpuBefore;
  const after = await scene.requests();
  const cost = await spent();
  // The cost ends here, too.
  const polls = scene.externalCalls() - callsBefore;
  const writes = difference(before.writes, after.writes);
  return [
    figure(
      `idle with ${bound} bound claims: writes in ${pollSeconds} s`,
      sum(Object.values(writes)) + after.eventWrites - before.eventWrites,
      'count',
      {
        limit: budgets.none,
        note: `each external resource is observed every ${pollSeconds} s: ${polls} times in all`,
      },
    ),
    ...costFigures('idle, a poll', polls, cost),
    figure(`idle with ${bound} bound claims: process CPU in ${pollSeconds} s`, cpu, 's'),
    figure('idle: peak memory since the start', peakMemoryMiB(pid), 'MiB'),
  ];
}
