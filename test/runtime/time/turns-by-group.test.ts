import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstInFirstOut, turnsByGroup } from '../../../runtime/time/turns-by-group.ts';

describe('turns by group', () => {
  /** `a1` adds an item of group a, `.` takes. */
  const rows: Record<string, { readonly given: string; readonly want: string }> = {
    'the items of one group keep their order': { given: 'a1 a2 a3 . . . .', want: 'a1 a2 a3 -' },
    'each group has one item in a round': {
      given: 'a1 a2 a3 b1 b2 c1 . . . . . .',
      want: 'a1 b1 c1 a2 b2 a3',
    },
    'a group that arrives late waits for one item of each other group': {
      given: 'a1 a2 a3 b1 b2 b3 . . c1 . . . .',
      want: 'a1 b1 a2 b2 c1 a3',
    },
    'a group that was empty starts at the end': { given: 'a1 . . b1 b2 a2 . . .', want: 'a1 - b1 a2 b2' },
  };
  for (const [name, { given, want }] of Object.entries(rows)) {
    test(name, () => {
      const turns = turnsByGroup(() => firstInFirstOut<string>());
      const taken: string[] = [];
      for (const step of given.split(' ')) {
        if (step === '.') taken.push(turns.take() ?? '-');
        else turns.add(step[0]!, step);
      }
      assert.equal(taken.join(' '), want);
    });
  }

  test('a group without items is forgotten', () => {
    const turns = turnsByGroup(() => firstInFirstOut<number>());
    for (let group = 0; group < 1_000; group += 1) turns.add(`group ${group}`, group);
    assert.equal(turns.groups, 1_000);
    while (turns.take() !== undefined);
    assert.equal(turns.groups, 0);
  });

  test('an item that no longer waits is skipped, and takes no turn of its group', () => {
    const gone = new Set(['a1', 'a2']);
    const turns = turnsByGroup(() => firstInFirstOut<string>((item) => !gone.has(item)));
    for (const item of ['a1', 'a2', 'a3', 'b1']) turns.add(item[0]!, item);
    assert.deepEqual([turns.take(), turns.take(), turns.take()], ['a3', 'b1', undefined]);
  });
});
