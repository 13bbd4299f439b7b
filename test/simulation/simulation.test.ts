import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceClassKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import type { WorldName } from './generate.ts';
import { generate } from './generate.ts';
import { play } from './play.ts';
import { playSeeds } from './play-seeds.ts';
import type { Act, Scenario } from './scenario.ts';
import { claimOf } from './workload/exemplars.ts';
import { inventory } from './workload/inventory.ts';

test('the same seed is played the same way, line by line', async () => {
  const [one, other] = [
    await play(generate(7), { logLevel: 'debug' }),
    await play(generate(7), { logLevel: 'debug' }),
  ];
  assert.deepEqual(other.trace, one.trace);
  assert.deepEqual(other.log, one.log);
  assert.ok(one.trace.length > 20, `${one.trace.length} lines`);
});

test('a seed that uses the official clients of AWS and Google Cloud is played the same way each time', async () => {
  const scenario = generate(4, 'clouds');
  const [one, other] = [await play(scenario), await play(scenario)];
  assert.deepEqual(other.trace, one.trace);
  for (const system of ['aws', 'gcp']) {
    const isCalled = one.trace.some((line) => line.includes(` ${system} `));
    assert.ok(isCalled, `${system} is asked for something`);
  }
});

test('faults that happened and are listed in a scenario happen again', async () => {
  const scenario = { ...generate(11), faults: { refused: 0.1, 'answer lost': 0.1, crash: 0.01 } };
  const drawn = await play(scenario);
  const listed = await play({ ...scenario, faults: drawn.fired });
  assert.ok(drawn.fired.length > 0);
  assert.deepEqual(listed.trace, drawn.trace);
});

/** A PostgreSQLRole in a run without faults. */
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

describe('a transaction', () => {
  const cases = {
    'that is committed counts as one write': { forProvider: { login: true }, outsideWrites: 2 },
    'that is rolled back counts as no write, so that everything comes to rest': {
      forProvider: { login: true, configurationParameters: [{ name: 'nonsense', value: 'x' }] },
      outsideWrites: 1,
    },
  };
  for (const [name, { forProvider, outsideWrites }] of Object.entries(cases)) {
    test(name, async () => {
      const { figures, trace, violations } = await play(oneRole(forProvider));
      assert.deepEqual(violations, []);
      const isAttempted = trace.some((line) => line.includes('CREATE ROLE postgresql clerk'));
      assert.ok(isAttempted, 'it is attempted');
      assert.equal(
        figures.outsideWrites,
        outsideWrites,
        'the second write closes the databases of the server',
      );
    });
  }
});

test('a network that its cloud always refuses is tried again and again, and everything comes to rest', async () => {
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
  assert.ok(trace.slice(restart).some(isAttempt), 'a new process tries as well');
});

test('a process exits when a definition loses a guard field, and a claim waits until the definition is back', async () => {
  const lost: Act = {
    type: 'older definition',
    kind: FavouriteDBInstanceClassKind.kind,
    field: 'specTemplate.namespaceSelector',
    forMs: 30_000,
  };
  const steps = [
    { atMs: 10_000, act: lost },
    { atMs: 15_000, act: { type: 'create' as const, object: claimOf(FancySQLInstanceKind, 'team-a', 0) } },
  ];
  const { trace, violations } = await play({ ...oneRole({}), objects: inventory, steps });
  assert.deepEqual(violations, []);
  const secondsOf = (text: RegExp): number => Number.parseFloat(trace.find((line) => text.test(line)) ?? '');
  const [exited, isBound] = [secondsOf(/p1 +gave up/), secondsOf(/p2 .*claim-0 .*bindingPhase=Bound/)];
  assert.ok(exited < 15 && isBound >= 40, `${exited} ${isBound}`);
});

/** Plays `count` seeds from `first` on. Returns the invariants that were broken, by seed. */
async function played(first: number, count: number, world: WorldName = 'demo'): Promise<readonly string[]> {
  let seed = first;
  const broken: string[] = [];
  await playSeeds({
    jobs: 1,
    world,
    next: () => (seed < first + count ? seed++ : undefined),
    tell({ seed: each, violations }) {
      broken.push(...violations.map(({ invariant, what }) => `seed ${each}: ${invariant}: ${what}`));
    },
  });
  return broken;
}

test('no invariant is broken in the first 30 seeds', async () => {
  assert.deepEqual(await played(1, 30), []);
});

test('no invariant is broken in the first 6 seeds of AWS and Google Cloud', async () => {
  assert.deepEqual(await played(1, 6, 'clouds'), []);
});

test('no invariant is broken in the first 8 seeds of users and clouds that do harm', async () => {
  assert.deepEqual(await played(1, 8, 'hostile'), []);
});
