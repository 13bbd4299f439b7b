import { difference } from '../../cluster/stack-harness.ts';
import { budgets } from '../budgets.ts';
import { deleteClaims } from '../claims.ts';
import { costFigures, listed, startCost } from '../cost.ts';
import type { Figure } from '../figures.ts';
import { figure } from '../figures.ts';
import type { Usage } from '../meter.ts';
import { startMeter } from '../meter.ts';
import type { Scene, Stack } from '../scene.ts';
import { sum } from '../statistics.ts';

export interface Deleted extends Usage {
  /** From sending the first deletion to seeing the last managed resource gone. */
  readonly seconds: number;
  readonly figures: readonly Figure[];
}

/** Deletes all claims, which the stack must have bound. */
export async function deletion(scene: Scene, stack: Stack): Promise<Deleted> {
  const count = scene.claims.all().length;
  const before = await scene.settledRequests();
  const spent = await startCost(scene, stack);
  const used = await startMeter(scene, stack.process.child.pid);
  const seconds = await deleteClaims(scene);
  const usage = used();
  const cost = await spent();
  const after = await scene.settledRequests();
  const { 'DELETE fancysqlinstances': _ours, ...writes } = difference(before.writes, after.writes);
  return {
    seconds,
    ...usage,
    figures: [
      figure('deletion: writes per claim', sum(Object.values(writes)) / count, 'count', {
        limit: budgets.writesPerDeletion,
        note: listed(writes, count),
      }),
      figure('deletion: conflicts per claim', (after.conflicts - before.conflicts) / count, 'count'),
      figure('deletion: reads per claim', (after.reads - before.reads) / count, 'count'),
      ...costFigures('deletion', count, cost),
    ],
  };
}
