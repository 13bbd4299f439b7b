import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isListed } from './faults.ts';
import { generate } from './generate.ts';
import type { Scenario, Step } from './scenario.ts';
import { shrink } from './shrink.ts';

const crash: Step = { atMs: 40_000, act: { type: 'crash', downMs: 10 } };
const compact: Step = { atMs: 50_000, act: { type: 'compact' } };
const scenario: Scenario = {
  ...generate(11),
  faults: { refused: 0.1, 'answer lost': 0.1 },
  steps: [...generate(11).steps, crash, compact].toSorted((a, b) => a.atMs - b.atMs),
};

const has = ({ steps }: Scenario, type: string): boolean => steps.some(({ act }) => act.type === type);

test('shrinking removes the irrelevant steps, and keeps those that fail', async () => {
  const small = await shrink(scenario, async (each) => has(each, 'crash') && has(each, 'compact'));
  const types = small.steps.map(({ act }) => act.type);
  assert.deepEqual(types, ['crash', 'compact']);
  assert.deepEqual([small.objects, small.faults, small.pace.provisioningMs], [[], [], 0]);
});

test('the fault that matters stays', async () => {
  let wanted = '';
  const small = await shrink(scenario, async ({ faults }) => {
    if (!isListed(faults)) return true;
    wanted ||= faults[0]?.call ?? '';
    return faults.some(({ call }) => call === wanted);
  });
  assert.notEqual(wanted, '');
  assert.deepEqual(isListed(small.faults) && small.faults.map(({ call }) => call), [wanted]);
});

test('a scenario that does not fail is not shrunk', async () => {
  assert.equal(await shrink(scenario, async () => false), scenario);
});

test('only so many scenarios are tried', async () => {
  let tried = 0;
  await shrink(
    scenario,
    async () => {
      tried += 1;
      return tried === 1;
    },
    7,
  );
  assert.equal(tried, 7);
});
