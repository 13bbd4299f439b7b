import { availableParallelism } from 'node:os';
import { playSeeds } from '../../simulation/play-seeds.ts';
import { budgets } from '../budgets.ts';
import type { Figure } from '../figures.ts';
import { figure } from '../figures.ts';

/** They are played while the code is compiled, and not measured. */
const firstSeeds = 100;
const seeds = 1_000;

/** How long a seed of the simulation takes on the whole machine: 30 ms are 2,000 a minute. */
export async function simulation(): Promise<readonly Figure[]> {
  let begun = 0;
  let ended = 0;
  let startedAtMs = 0;
  let endedAtMs = 0;
  await playSeeds({
    jobs: availableParallelism(),
    next() {
      begun += 1;
      return begun <= firstSeeds + seeds ? begun : undefined;
    },
    tell() {
      ended += 1;
      endedAtMs = performance.now();
      if (ended === firstSeeds) startedAtMs = endedAtMs;
    },
  });
  const value = (endedAtMs - startedAtMs) / seeds;
  const note = `${Math.round(60_000 / value)} a minute`;
  return [figure('simulation: time of a seed', value, 'ms', { limit: budgets.seedMs, note })];
}
