import { budgets } from '../budgets.ts';
import { createClaim, deleteClaims, numbered, whenBound } from '../claims.ts';
import { costFigures, startCost } from '../cost.ts';
import type { Figure } from '../figures.ts';
import { figure } from '../figures.ts';
import type { Scene, Stack } from '../scene.ts';
import { classRef } from '../scene.ts';
import { quantile } from '../statistics.ts';

const claims = 50;

/** One claim at a time, nothing else to do: from sending it to seeing it Bound. The stack must be running. */
export async function single(scene: Scene, stack: Stack): Promise<readonly Figure[]> {
  const samples: number[] = [];
  const spent = await startCost(scene, stack);
  for (const name of numbered('single', claims)) {
    const bound = whenBound(scene, [name]);
    const sentAtMs = performance.now();
    await createClaim(scene, name, { classRef });
    const [boundAtMs = Number.NaN] = (await bound).values();
    samples.push(boundAtMs - sentAtMs);
  }
  const cost = await spent();
  await deleteClaims(scene);
  const name = 'one claim at a time: create to Bound';
  return [
    figure(`${name}, p50`, quantile(samples, 0.5), 'ms', { limit: budgets.singleP50Ms }),
    figure(`${name}, p95`, quantile(samples, 0.95), 'ms', { note: `of ${claims}` }),
    ...costFigures('one claim at a time', claims, cost),
  ];
}
