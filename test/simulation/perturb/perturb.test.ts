import assert from 'node:assert/strict';
import { test } from 'node:test';
import chunk from 'lodash/chunk.js';
import memoize from 'lodash/memoize.js';
import { endDifferences } from './end-state.ts';
import { exampleNames, referencesOf } from './examples.ts';
import { playPoints } from './play-points.ts';
import type { Point } from './points.ts';
import { pointKinds, record, violationsOf } from './points.ts';

const recorded = memoize(record);
const references = exampleNames.flatMap(referencesOf);
const applied = references.find(({ name }) => name === 'fancysql applied')!;

/** Plays these of `applied` in a process of its own, which is quicker than under node:test; answers what each broke. */
async function brokenBy(points: readonly Point[]): Promise<readonly string[]> {
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

test('each example is applied and deleted without a message, and can be perturbed in every way', async () => {
  for (const reference of references) {
    const { name, points, scenario } = await recorded(reference);
    // There is less in the examples of AWS and Google Cloud.
    const least = scenario.stacks === undefined ? 50 : 20;
    for (const kind of pointKinds) {
      assert.ok(points.filter((point) => point.kind === kind).length > least, `${name}: ${kind}`);
    }
  }
});

test('a kill after each write of an example applied ends as if there had been none', async () => {
  const { points } = await recorded(applied);
  const afterWrites = points.filter(
    ({ kind, name }) =>
      kind === 'crash' &&
      name.includes('"after","downMs":0') &&
      / (create|update|update-status|POST|DELETE) /.test(name) &&
      !name.includes(' Event '),
  );
  assert.ok(afterWrites.length > 60, `${afterWrites.length} points`);
  assert.deepEqual(await brokenBy(afterWrites), []);
});

test('where a class is seen late, claims may choose another, and then the end is the one of that choice', async () => {
  const reference = await recorded(applied);
  const unreached = reference.points.find(
    ({ kind, name }) =>
      kind === 'stale' &&
      name.startsWith('[{"type":"hold watches","kind":"FavouriteDBInstanceClass","forMs":60000}]') &&
      name.endsWith('FavouriteDBInstanceClass favourite-small'),
  )!;
  assert.deepEqual(await violationsOf(unreached, reference), []);
  const asUsual = { ...reference, endWith: () => Promise.resolve(reference.end) };
  assert.ok((await violationsOf(unreached, asUsual)).length > 0);
});

test('an end is compared thing by thing and field by field', () => {
  const reference = { 'Secret a/b': { data: { password: 'the password of c' } }, 'Secret a/c': {} };
  assert.deepEqual(endDifferences(reference, reference), []);
  assert.deepEqual(
    endDifferences(reference, { 'Secret a/b': { data: { password: 'x' } }, 'Secret a/d': {} }),
    [
      'Secret a/b data password is "x", in the reference "the password of c"',
      'Secret a/c is missing',
      'Secret a/d should not be there',
    ],
  );
});
