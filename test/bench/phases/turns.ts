import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { namespaces } from '../../cluster/fancysql-fixture.ts';
import { budgets } from '../budgets.ts';
import { createClaim, deleteClaims, loaders, numbered, whenBound } from '../claims.ts';
import type { Figure } from '../figures.ts';
import { figure } from '../figures.ts';
import { inTurns } from '../in-turns.ts';
import type { Scene } from '../scene.ts';
import { classRef } from '../scene.ts';
import { quantile } from '../statistics.ts';

const singles = 20;
const otherNamespace = namespaces[1];

interface Delays {
  /** The milliseconds of each claim of the other team, from sending it to seeing it Bound. */
  readonly alone: readonly number[];
  readonly duringBurst: readonly number[];
  readonly burstSeconds: number;
}

/**
 * One team creates many claims at once. When the API server has stored them, and while most of them wait in the queues of
 * the process, another team creates 20 claims, one at a time. (During the creation, the API server itself answers the other
 * team 10 to 30 times more slowly than before, which this process cannot change.) Measured with turns, and with one queue for all
 * namespaces. No stack may be running.
 */
export async function turns(scene: Scene, count: number): Promise<readonly Figure[]> {
  const withTurns = await delays(scene, count, 'with');
  const withoutTurns = await delays(scene, count, 'without');
  const p95 = (samples: readonly number[]): number => quantile(samples, 0.95);
  const delaysText = ({ alone, duringBurst }: Delays): string =>
    `${p95(duringBurst).toFixed(0)} ms, alone ${p95(alone).toFixed(0)} ms`;
  const slowest = Math.max(...withoutTurns.duringBurst);
  const name = `${singles} claims of one team during ${count} of another`;
  return [
    figure(
      `${name}: create to Bound, p95, against alone`,
      p95(withTurns.duringBurst) / p95(withTurns.alone),
      '×',
      { limit: budgets.burstAgainstAlone, note: delaysText(withTurns) },
    ),
    // The first one waits until the burst is over, so that the others are alone.
    figure(`${name}: the slowest without turns, against alone`, slowest / p95(withoutTurns.alone), '×', {
      note: `${slowest.toFixed(0)} ms`,
    }),
    figure(
      `${name}: time of the ${count}, against no turns`,
      withTurns.burstSeconds / withoutTurns.burstSeconds,
      '×',
      {
        limit: budgets.burstWithTurns,
        note: `${withTurns.burstSeconds.toFixed(1)} s, without turns ${withoutTurns.burstSeconds.toFixed(1)} s`,
      },
    ),
  ];
}

async function delays(scene: Scene, count: number, how: 'with' | 'without'): Promise<Delays> {
  const preload = pathToFileURL(join(import.meta.dirname, '..', 'without-turns.ts'));
  const environment = how === 'with' ? {} : { NODE_OPTIONS: `--import=${preload}` };
  const stack = await scene.start({ environment });
  await oneByOne(scene, 'first'); // the code is compiled
  const alone = await oneByOne(scene, 'alone');
  const names = numbered('burst', count);
  const bound = whenBound(scene, names);
  const startedAtMs = performance.now();
  await inTurns(count, loaders, (index) => createClaim(scene, names[index]!, { classRef }));
  const duringBurst = await oneByOne(scene, 'during');
  const burstSeconds = (Math.max(...(await bound).values()) - startedAtMs) / 1000;
  await deleteClaims(scene);
  await stack.end();
  return { alone, duringBurst, burstSeconds };
}

/** Creates claims in the other namespace, each when the one before is Bound. */
async function oneByOne(scene: Scene, prefix: string): Promise<readonly number[]> {
  const samples: number[] = [];
  for (const name of numbered(prefix, singles)) {
    const bound = whenBound(scene, [name]);
    const sentAtMs = performance.now();
    await createClaim(scene, name, { classRef }, otherNamespace);
    const [boundAtMs = Number.NaN] = (await bound).values();
    samples.push(boundAtMs - sentAtMs);
  }
  return samples;
}
