import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseCommandLine } from './command-line.ts';

const machine = { anySeed: () => 99, cores: 2 };

describe("the simulation's flags", () => {
  const right: readonly (readonly [string, object])[] = [
    ['', { seed: 99, seeds: 1000, minutes: Infinity, jobs: 2, world: 'demo' }],
    ['--seed 7', { seed: 7, seeds: 1, minutes: Infinity, jobs: 2, world: 'demo' }],
    ['--seeds 20 --seed 7', { seed: 7, seeds: 20, minutes: Infinity, jobs: 2, world: 'demo' }],
    ['--minutes 0.5', { seed: 99, seeds: Infinity, minutes: 0.5, jobs: 2, world: 'demo' }],
    ['--minutes 5 --seeds 9 --jobs 4', { seed: 99, seeds: 9, minutes: 5, jobs: 4, world: 'demo' }],
    [
      '--scenario a.json',
      { seed: 99, seeds: 1000, minutes: Infinity, jobs: 2, world: 'demo', scenario: 'a.json' },
    ],
    ['--world clouds', { seed: 99, seeds: 1000, minutes: Infinity, jobs: 2, world: 'clouds' }],
    ['--save out', { seed: 99, seeds: 1000, minutes: Infinity, jobs: 2, world: 'demo', save: 'out' }],
  ];
  for (const [line, want] of right) {
    test(line || 'none', () => {
      assert.deepEqual(parseCommandLine(line.split(' ').filter(Boolean), machine), want);
    });
  }

  for (const line of [
    ...['--seeds 0', '--seeds many', '--seeds 1.5', '--seed -1', '--seed x', '--minutes 0', '--minutes -1'],
    ...['--minutes soon', '--jobs 0', '--scenario=', '--save=', '--world mars', '--claims 3'],
  ]) {
    test(`${line} is refused by name`, () => {
      const [flag = ''] = line.split(/[ =]/);
      const answer = parseCommandLine(line.split(' '), machine);
      assert.ok(typeof answer === 'string' && answer.includes(flag), String(answer));
    });
  }
});
