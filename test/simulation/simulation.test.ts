import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, test } from 'node:test';
import type { WorldName } from './generate.ts';
import { generate } from './generate.ts';
import { play } from './play.ts';
import { playSeeds } from './play-seeds.ts';
import type { Scenario } from './scenario.ts';

test('the same seed is played the same way, line by line', async () => {
  const [one, other] = [
    await play(generate(7), { logLevel: 'debug' }),
    await play(generate(7), { logLevel: 'debug' }),
  ];
  assert.deepEqual(other.trace, one.trace);
  assert.deepEqual(other.log, one.log);
  assert.ok(one.trace.length > 20, `${one.trace.length} lines`);
});

test('so it is where the official clients of AWS and Google Cloud are in between', async () => {
  const scenario = generate(4, 'clouds');
  const [one, other] = [await play(scenario), await play(scenario)];
  assert.deepEqual(other.trace, one.trace);
  for (const system of ['aws', 'gcp']) {
    assert.ok(
      one.trace.some((line) => line.includes(` ${system} `)),
      `${system} is asked for something`,
    );
  }
});

test('the faults that happened, listed, happen again', async () => {
  const scenario = { ...generate(11), faults: { refused: 0.1, 'answer lost': 0.1, crash: 0.01 } };
  const drawn = await play(scenario);
  const listed = await play({ ...scenario, faults: drawn.fired });
  assert.ok(drawn.fired.length > 0);
  assert.deepEqual(listed.trace, drawn.trace);
});

/** A PostgreSQLRole, where nothing goes wrong. */
const oneRole = (forProvider: object): Scenario => {
  const { objects, ...rest } = generate(1);
  const role = {
    apiVersion: 'postgresql.crossplane.io/v1alpha1',
    kind: 'PostgreSQLRole',
    metadata: { name: 'clerk' },
    spec: { forProvider },
  };
  const steps = [{ atMs: 1_000, act: { type: 'create' as const, object: role } }];
  return { ...rest, objects, steps, troubleMs: 0, faults: [] };
};

describe('a transaction is a write', () => {
  const cases = {
    'once it is committed': { forProvider: { login: true }, outsideWrites: 2 },
    'and none as often as it is rolled back, so that all comes to rest': {
      forProvider: { login: true, configurationParameters: [{ name: 'nonsense', value: 'x' }] },
      outsideWrites: 1,
    },
  };
  for (const [name, { forProvider, outsideWrites }] of Object.entries(cases)) {
    test(name, async () => {
      const { figures, trace, violations } = await play(oneRole(forProvider));
      assert.deepEqual(violations, []);
      assert.ok(
        trace.some((line) => line.includes('CREATE ROLE postgresql clerk')),
        'it is attempted',
      );
      assert.equal(
        figures.outsideWrites,
        outsideWrites,
        'beside that, the databases of the server are closed',
      );
    });
  }
});

test('a network that its cloud refuses for good is tried again and again, and all is at rest', async () => {
  const { objects, steps } = oneRole({});
  const network = {
    apiVersion: 'network.fcp.crossplane.io/v1alpha3',
    kind: 'Network',
    metadata: { name: 'wrong' },
    spec: { forProvider: { cidr: '999.0.0.0/99' } },
  };
  const made = steps.map(({ atMs }) => ({ atMs, act: { type: 'create' as const, object: network } }));
  const { trace, violations } = await play({ ...oneRole({}), objects, steps: made });
  assert.deepEqual(violations, []);
  const isAttempt = (line: string): boolean => line.includes('POST favourite /v1/networks');
  const restart = trace.findIndex((line) => line.endsWith('p2        starts'));
  assert.ok(trace.slice(0, restart).filter(isAttempt).length > 3, trace.join('\n'));
  assert.ok(trace.slice(restart).some(isAttempt), 'nor is what a new process tries');
});

/** Plays so many seeds from one on, and answers what was broken, by seed. */
async function played(first: number, count: number, world: WorldName = 'demo'): Promise<readonly string[]> {
  let seed = first;
  const broken: string[] = [];
  await playSeeds({
    ...{ jobs: 1, world },
    next: () => (seed < first + count ? seed++ : undefined),
    tell({ seed: each, violations }) {
      broken.push(...violations.map(({ invariant, what }) => `seed ${each}: ${invariant}: ${what}`));
    },
  });
  return broken;
}

test('no promise is broken in the first 100 seeds', async () => {
  assert.deepEqual(await played(1, 100), []);
});

/** As many as there is time for, where somebody waits. */
const fresh = process.env.CI === undefined ? 50 : 200;

test(`nor in ${fresh} that nobody has tried`, async (context) => {
  const first = randomInt(1, 2 ** 31);
  context.diagnostic(`again: npm run simulate -- --seed ${first} --seeds ${fresh}`);
  assert.deepEqual(await played(first, fresh), []);
});

const freshOfClouds = fresh / 10;

test(`nor in the first 10 of AWS and Google Cloud, nor in ${freshOfClouds} that nobody has tried`, async (context) => {
  assert.deepEqual(await played(1, 10, 'clouds'), []);
  const first = randomInt(1, 2 ** 31);
  context.diagnostic(`again: npm run simulate -- --world clouds --seed ${first} --seeds ${freshOfClouds}`);
  assert.deepEqual(await played(first, freshOfClouds, 'clouds'), []);
});
