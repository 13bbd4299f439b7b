import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endDifferences } from './end-state.ts';
import { exampleNames, referencesOf } from './examples.ts';
import { pointKinds, record, violationsOf } from './points.ts';

test('each example is applied and deleted without a word, and can be perturbed in every way', async () => {
  for (const reference of exampleNames.flatMap(referencesOf)) {
    const { name, points } = await record(reference);
    for (const kind of pointKinds) {
      assert.ok(points.filter((point) => point.kind === kind).length > 50, `${name}: ${kind}`);
    }
  }
});

test('a kill after each write of an example applied ends as if there had been none', async () => {
  const reference = await record(referencesOf('fancysql')[0]!);
  const afterWrites = reference.points.filter(
    ({ kind, name }) =>
      kind === 'crash' &&
      name.includes('"after","downMs":0') &&
      / (create|update|update-status|POST|DELETE) /.test(name) &&
      !name.includes(' Event '),
  );
  assert.ok(afterWrites.length > 60, `${afterWrites.length} points`);
  for (const point of afterWrites) assert.deepEqual(await violationsOf(point, reference), [], point.name);
});

test('where a class is seen late, claims may choose another, and then the end is the one of that choice', async () => {
  const reference = await record(referencesOf('fancysql')[0]!);
  const unseen = reference.points.find(
    ({ kind, name }) =>
      kind === 'stale' &&
      name.startsWith('[{"type":"hold watches","kind":"FavouriteDBInstanceClass","forMs":60000}]') &&
      name.endsWith('FavouriteDBInstanceClass favourite-small'),
  )!;
  assert.deepEqual(await violationsOf(unseen, reference), []);
  const asUsual = { ...reference, endWith: () => Promise.resolve(reference.end) };
  assert.ok((await violationsOf(unseen, asUsual)).length > 0);
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
