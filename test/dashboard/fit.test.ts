import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { columnWidths, middleCut } from '../../dashboard/page/fit.ts';

describe('a name as it fits', () => {
  const cases: Record<string, readonly [name: string, room: number, want: string]> = {
    'whole where there is room': ['team-blog/posts', 15, 'team-blog/posts'],
    'else without its middle, its end the longer part': [
      'team-blog/archive-of-2026-07',
      15,
      'team-…f-2026-07',
    ],
    'names that differ in their last letters still differ': ['a-very-long-name-41', 8, 'a-…me-41'],
    'something of it in any case': ['posts', 0, '…s'],
  };
  for (const [what, [name, room, want]] of Object.entries(cases)) {
    test(what, () =>
      assert.equal(
        middleCut(name, room, ({ length }) => length),
        want,
      ),
    );
  }
});

describe('columns are as wide as what they hold', () => {
  const cases: Record<string, readonly [wanted: readonly number[], room: number, want: readonly number[]]> = {
    'where there is room': [[100, 200, 300, 90], 700, [100, 200, 300, 90]],
    'else the widest gives way': [[100, 200, 300, 90], 600, [100, 200, 210, 90]],
    'then the next': [[100, 200, 300, 90], 500, [100, 155, 155, 90]],
    'but none to less than can be read': [[100, 200, 300, 70], 50, [80, 80, 80, 70]],
  };
  for (const [what, [wanted, room, want]] of Object.entries(cases)) {
    test(what, () => assert.deepEqual(columnWidths(wanted, room, 80), want));
  }
});
