import { difference } from '../../cluster/stack-harness.ts';
import { budgets } from '../budgets.ts';
import { deleteClaims } from '../claims.ts';
import type { Figure } from '../figures.ts';
import { othersShare } from '../machine-share.ts';
import { cpuSeconds } from '../process-usage.ts';
import type { Scene, Stack } from '../scene.ts';
import { sum } from '../statistics.ts';

export interface Deleted {
  /** From sending the first deletion to seeing the last managed resource gone. */
  readonly seconds: number;
  /** CPU of the API server meanwhile. */
  readonly apiServerSeconds: number;
  /** Share of the machine that others used meanwhile, from 0 to 1. */
  readonly others: number;
  readonly figures: readonly Figure[];
}

/** Deletes all claims, which the stack must have bound. */
export async function deletion(scene: Scene, { process: { child } }: Stack): Promise<Deleted> {
  const count = scene.claims.all().length;
  const before = await scene.settledRequests();
  const { apiServer, etcd } = await scene.fixture.cluster.controlPlane.pids();
  const others = othersShare([child.pid, apiServer, etcd, process.pid]);
  const cpu = () => ({ stack: cpuSeconds(child.pid), apiServer: cpuSeconds(apiServer) });
  const cpuBefore = cpu();
  const seconds = await deleteClaims(scene);
  const cpuAfter = cpu();
  const apiServerSeconds = cpuAfter.apiServer - cpuBefore.apiServer;
  const taken = others.taken();
  const after = await scene.settledRequests();
  const { 'DELETE fancysqlinstances': _ours, ...writes } = difference(before.writes, after.writes);
  const kinds = Object.entries(writes)
    .toSorted()
    .map(([kind, written]) => `${kind} ${Number((written / count).toFixed(2))}`);
  return {
    seconds,
    apiServerSeconds,
    others: taken,
    figures: [
      {
        name: 'deletion: writes per claim',
        value: sum(Object.values(writes)) / count,
        unit: 'count',
        limit: budgets.writesPerDeletion,
        note: kinds.join(', '),
      },
      {
        name: 'deletion: conflicts per claim',
        value: (after.conflicts - before.conflicts) / count,
        unit: 'count',
      },
      { name: 'deletion: reads per claim', value: (after.reads - before.reads) / count, unit: 'count' },
      {
        name: `deletion: process CPU for ${count} claims`,
        value: cpuAfter.stack - cpuBefore.stack,
        unit: 's',
      },
      {
        name: `deletion: API server CPU for ${count} claims`,
        value: apiServerSeconds,
        unit: 's',
        note: 'Go: 28.5 s for 1,000; not run here, so not judged',
      },
    ],
  };
}
