import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseCommandLine } from './command-line.ts';

describe('the command line of the chaos run', () => {
  test('has a default for everything', () => {
    assert.deepEqual(parseCommandLine([]), { claims: 50, minutes: 5, seed: 1, only: [] });
  });

  test('takes every flag', () => {
    const line = '--claims 200 --minutes 0.5 --seed 4294967295 --only etcd,SIGKILL --logs here';
    assert.deepEqual(parseCommandLine(line.split(' ')), {
      claims: 200,
      minutes: 0.5,
      seed: 4_294_967_295,
      only: ['etcd', 'SIGKILL'],
      logs: 'here',
    });
  });

  const refused: readonly (readonly string[])[] = [
    ['--bogus'],
    ['--claims', '0'],
    ['--claims', 'many'],
    ['--claims', '2001'],
    ['--minutes', '0'],
    ['--minutes', '-1'],
    ['--minutes', '5m'],
    ['--seed', '1.5'],
    ['--seed', '4294967296'],
    ['--seed'],
    ['--logs', ''],
  ];
  for (const args of refused) {
    test(`refuses ${args.join(' ')}, naming the flag`, () => {
      const said = parseCommandLine(args);
      assert.equal(typeof said, 'string');
      assert.match(String(said).split('\n')[0]!, new RegExp(args[0]!));
    });
  }
});
