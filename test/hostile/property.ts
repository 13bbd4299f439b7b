import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import type { IAsyncProperty, IProperty } from 'fast-check';
import fc from 'fast-check';

/** As `HOSTILE_RUNS=20 HOSTILE_SEED=7`; the seed may be `fresh`. */
const { HOSTILE_RUNS: times = '1', HOSTILE_SEED: seedText = '1' } = process.env;
const seed = seedText === 'fresh' ? randomInt(2 ** 31) : Number(seedText);

/**
 * A test that a property holds for this many examples, which `HOSTILE_RUNS` multiplies. The seed is printed. A failing
 * example is made as small as possible, and printed with the command that repeats it.
 */
export function holds<T>(name: string, property: IProperty<T> | IAsyncProperty<T>, { runs = 1 }): void {
  const numRuns = runs * Number(times);
  test(name, async (t) => {
    t.diagnostic(`seed ${seed}, ${numRuns} examples`);
    await fc.assert(property as IAsyncProperty<T>, {
      seed,
      numRuns,
      includeErrorInReport: true,
      endOnFailure: process.env.HOSTILE_SHRINK === 'no',
    });
  });
}
