import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { columnWidths, grown, middleCut, rowsOf } from '../../dashboard/page/fit.ts';

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
    const cut = middleCut(name, room, ({ length }) => length);
    test(what, () => assert.equal(cut, want));
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

describe('the rows of the graph', () => {
  const edge = (from: string, to: string) => ({ from, to });
  const cases: Record<
    string,
    readonly [columns: string[][], edges: ReturnType<typeof edge>[], order: string[], want: object]
  > = {
    'a chain has one row, and the class is beside its first claim': [
      [['k'], ['a', 'b'], ['ra', 'rb'], ['p']],
      [edge('k', 'a'), edge('k', 'b'), edge('a', 'ra'), edge('b', 'rb'), edge('ra', 'p'), edge('rb', 'p')],
      ['b', 'a', 'k', 'ra', 'rb', 'p'],
      { k: 0, b: 0, a: 1, rb: 0, ra: 1, p: 0 },
    ],
    'a claim whose resource fails comes first': [
      [[], ['a', 'b'], ['ra', 'rb'], []],
      [edge('a', 'ra'), edge('b', 'rb')],
      ['rb', 'a', 'b', 'ra'],
      { b: 0, rb: 0, a: 1, ra: 1 },
    ],
    'the resource of a later claim stays in its row': [
      [[], ['a', 'b'], ['rb'], []],
      [edge('b', 'rb')],
      ['a', 'b', 'rb'],
      { a: 0, b: 1, rb: 1 },
    ],
  };
  for (const [what, [columns, edges, order, want]] of Object.entries(cases)) {
    test(what, () => {
      const rows = rowsOf(columns, edges, new Map(order.map((id, index) => [id, index])));
      assert.deepEqual(Object.fromEntries(rows), want);
    });
  }
});

describe('the rest of the room', () => {
  const cases: Record<string, readonly [widths: number[], wider: number[], room: number, want: number[]]> = {
    'is shared by the columns that lack some': [[100, 100, 100], [200, 100, 300], 450, [150, 100, 200]],
    'is not used beyond the wider widths': [[100, 100], [150, 100], 900, [150, 100]],
    'may be none': [[100, 100], [200, 200], 150, [100, 100]],
  };
  for (const [what, [widths, wider, room, want]] of Object.entries(cases)) {
    test(what, () => assert.deepEqual(grown(widths, wider, room), want));
  }
});
