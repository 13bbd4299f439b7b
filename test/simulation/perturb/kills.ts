import assert from 'node:assert/strict';
import chunk from 'lodash/chunk.js';
import memoize from 'lodash/memoize.js';
import { referencesOf } from './examples.ts';
import { playPoints } from './play-points.ts';
import type { Point } from './points.ts';
import { record } from './points.ts';

/** Each reference is played once. */
export const recorded = memoize(record, ({ name }) => name);

export const applied = referencesOf('fancysql').find(({ name }) => name === 'fancysql applied')!;

/** A kill after each write of `applied`, in the order of the writes. */
export async function killsAfterWrites(): Promise<readonly Point[]> {
  const { points } = await recorded(applied);
  return points.filter(
    ({ kind, name }) =>
      kind === 'crash' &&
      name.includes('"after","downMs":0') &&
      / (create|update|update-status|POST|DELETE) /.test(name) &&
      !name.includes(' Event '),
  );
}

/** Plays these points of `applied` in another process. Returns what each broke. */
export async function brokenBy(points: readonly Point[]): Promise<readonly string[]> {
  const all = (await recorded(applied)).points;
  const numbers = points.map((point) => all.indexOf(point));
  const broken: string[] = [];
  let ended = 0;
  await playPoints(
    1,
    chunk(numbers, 20).map((some) => ({ example: 'fancysql', name: applied.name, numbers: some })),
    (report) => {
      ended += report.played;
      for (const { number, violations } of report.broken)
        broken.push(...violations.map((what) => `${all[number]!.name}: ${what}`));
    },
  );
  assert.equal(ended, points.length, 'all are played');
  return broken;
}
