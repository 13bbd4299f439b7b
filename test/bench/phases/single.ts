import { budgets } from '../budgets.ts';
import { createClaim, deleteClaims, numbered, whenBound } from '../claims.ts';
import type { Figure } from '../figures.ts';
import { figure } from '../figures.ts';
import type { Scene } from '../scene.ts';
import { classRef } from '../scene.ts';
import { quantile } from '../statistics.ts';

const claims = 50;

/** One claim at a time, nothing else to do: from sending it to seeing it Bound. The stack must be running. */
export async function single(scene: Scene): Promise<readonly Figure[]> {
  const samples: number[] = [];
  for (const name of numbered('single', claims)) {
    const bound = whenBound(scene, [name]);
    const sentAtMs = performance.now();
    await createClaim(scene, name, { classRef });
    const [boundAtMs = Number.NaN] = (await bound).values();
    samples.push(boundAtMs - sentAtMs);
  }
  await deleteClaims(scene);
  const name = 'one claim at a time: create to Bound';
  return [
    figure(`${name}, p50`, quantile(samples, 0.5), 'ms', { limit: budgets.singleP50Ms }),
    figure(`${name}, p95`, quantile(samples, 0.95), 'ms', { note: `of ${claims}` }),
  ];
}
