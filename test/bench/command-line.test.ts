import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseCommandLine } from './command-line.ts';
import { phaseNames } from './phase-names.ts';

describe("the benchmark's flags", () => {
  test('without any, 1,000 claims and every phase', () => {
    assert.deepEqual(parseCommandLine([]), { claims: 1000, phases: new Set(phaseNames) });
  });

  test('all of them', () => {
    assert.deepEqual(parseCommandLine(['--claims', '20', '--json', 'out.json', '--only', 'idle, single']), {
      claims: 20,
      json: 'out.json',
      phases: new Set(['idle', 'single']),
    });
  });

  const wrong: readonly (readonly [string, ...string[]])[] = [
    ['--claim', '3'],
    ['--claims', 'many'],
    ['--claims', '0'],
    ['--claims', '1.5'],
    ['--only', 'nothing'],
    ['--only', 'single,'],
    ['--json', ''],
  ];
  for (const args of wrong) {
    test(`${args.join(' ')} is refused by name`, () => {
      const answer = parseCommandLine(args);
      assert.ok(typeof answer === 'string' && answer.includes(args[0]), String(answer));
    });
  }
});
