import assert from 'node:assert/strict';
import { test } from 'node:test';
import uniqBy from 'lodash/uniqBy.js';
import type { DoorRequest } from '../doors.ts';
import { hasOwnEffect } from '../doors.ts';
import { play } from '../play.ts';
import type { CallFault, Scenario } from '../scenario.ts';
import { endDifferences } from './end-state.ts';
import { exampleNames, referencesOf } from './examples.ts';
import { applied, brokenBy, killsAfterWrites, recorded } from './kills.ts';
import type { Point } from './points.ts';
import { pointKinds, violationsOf } from './points.ts';

test('each example is applied and deleted without a message, and can be perturbed in every way', async () => {
  for (const reference of exampleNames.flatMap(referencesOf)) {
    const { name, points, scenario } = await recorded(reference);
    // There is less in the examples of AWS and Google Cloud.
    const least = scenario.stacks === undefined ? 50 : 20;
    for (const kind of pointKinds) {
      assert.ok(points.filter((point) => point.kind === kind).length > least, `${name}: ${kind}`);
    }
  }
});

/** The verb and the kind of a write, such as `update-status FancySQLInstance`. */
const writeOf = ({ name }: Point): string => / at p\d+ (\S+ \S+)/.exec(name)?.[1] ?? assert.fail(name);

// kills.test.ts has a kill after each write.
test('a kill after the first write of each verb and kind ends as if there had been none', async () => {
  const kills = uniqBy(await killsAfterWrites(), writeOf);
  assert.ok(kills.length > 12, `${kills.length} points`);
  assert.deepEqual(await brokenBy(kills), []);
});

/** A fault that has no point at the request, and the fault of the same effect. */
const withoutPoint: readonly {
  readonly what: string;
  readonly fault: CallFault;
  readonly same?: CallFault;
  readonly isAt: (request: DoorRequest) => boolean;
}[] = [
  {
    what: 'a read carried out twice, and a run without a fault',
    fault: { type: 'twice' },
    isAt: ({ system, call }) => system === 'api' && call.startsWith('get '),
  },
  {
    what: 'a conflict at an unconditional write, and a run without a fault',
    fault: { type: 'refused', code: 409 },
    isAt: ({ system, call, isConditional }) =>
      system === 'api' && call.startsWith('create ') && !isConditional,
  },
  {
    what: 'a refusal by a status of PostgreSQL, and a connection that is cut',
    fault: { type: 'refused', code: 503 },
    same: { type: 'unreachable' },
    isAt: ({ system, isWrite }) => system === 'postgresql' && isWrite,
  },
  {
    what: 'a page in place of an answer of PostgreSQL, and a connection that is cut',
    fault: { type: 'page', code: 200 },
    same: { type: 'unreachable' },
    isAt: ({ system, isWrite }) => system === 'postgresql' && !isWrite,
  },
];

test('a fault without a point has the effect of another one', async (t) => {
  const { scenario } = referencesOf('postgresql').find(({ name }) => name === 'postgresql applied')!;
  const callsWith = async (faults: Scenario['faults']) => {
    const { world } = await play({ ...scenario, faults });
    return world.history.requests.map(({ name }) => name);
  };
  const { world } = await play(scenario);
  for (const { what, fault, same, isAt } of withoutPoint) {
    await t.test(what, async () => {
      const request = world.history.requests.find(isAt) ?? assert.fail('no such request');
      assert.equal(hasOwnEffect(fault, request), false);
      const call = request.name;
      assert.deepEqual(
        await callsWith([{ call, fault }]),
        await callsWith(same === undefined ? [] : [{ call, fault: same }]),
      );
    });
  }
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
