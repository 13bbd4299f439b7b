import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Urgency } from '../../../runtime/controller/urgency.ts';
import { isMoreUrgent, urgencies } from '../../../runtime/controller/urgency.ts';
import { createWaitingLine } from '../../../runtime/controller/waiting-line.ts';

const byLetter = { u: 'urgent', n: 'normal', r: 'routine' } as const satisfies Readonly<
  Record<string, Urgency>
>;

describe('a waiting line', () => {
  /** `a:n` adds, `.` takes. */
  const rows: Record<string, { readonly given: string; readonly want: string }> = {
    'among equals the oldest first': { given: 'a:n b:n c:n . . .', want: 'a b c' },
    'the most urgent first': { given: 'a:r b:n c:u . . .', want: 'c b a' },
    'the oldest first among equals of each urgency': { given: 'a:n b:u c:n d:u . . . .', want: 'b d a c' },
    'a key that becomes more urgent is moved up, behind those that are as urgent already': {
      given: 'a:n b:u a:u c:u . . .',
      want: 'b a c',
    },
    'a key that becomes less urgent keeps its place': { given: 'a:u b:u a:r . .', want: 'a b' },
    'a key that asks again keeps its place': { given: 'a:n b:n a:n . .', want: 'a b' },
    'each waits once, however often moved up': { given: 'a:r a:n a:u . .', want: 'a -' },
    'a key that had a turn may ask again': { given: 'a:u . a:r b:u . .', want: 'a b a' },
    'a key that left its place and comes back starts at the end': {
      given: 'a:n b:n a:u . a:n . .',
      want: 'a b a',
    },
    'no key waits': { given: '. a:n . .', want: '- a -' },
    'the eighth turn is for who has waited longest': {
      given: `z:r ${'a:u . b:u . '.repeat(4)}. .`,
      want: 'a b a b a b a z b -',
    },
  };
  for (const [name, { given, want }] of Object.entries(rows)) {
    test(name, () => {
      const line = createWaitingLine();
      const taken: string[] = [];
      for (const step of given.trim().split(/ +/)) {
        const [key = '', letter = ''] = step.split(':');
        if (step === '.') taken.push(line.take() ?? '-');
        else line.add(key, byLetter[letter as keyof typeof byLetter]);
      }
      assert.equal(taken.join(' '), want);
    });
  }

  test('clear removes all waiting items, and a later item is served', () => {
    const line = createWaitingLine();
    for (const urgency of urgencies) line.add(urgency, urgency);
    line.clear();
    line.add('a', 'routine');
    assert.deepEqual([line.take(), line.take()], ['a', undefined]);
  });

  test('no item starves: with an urgent item always there, a hundred routine items were served after 800 turns', () => {
    const line = createWaitingLine();
    const routine = Array.from({ length: 100 }, (_, index) => `routine ${index}`);
    for (const key of routine) line.add(key, 'routine');
    const taken: string[] = [];
    for (let turn = 0; turn < 800; turn += 1) {
      line.add(`urgent ${turn}`, 'urgent');
      line.add(`normal ${turn}`, 'normal');
      taken.push(line.take() ?? '');
    }
    assert.deepEqual(
      taken.filter((key) => key.startsWith('routine')),
      routine,
    );
  });

  test('for any additions and removals, the order is that of a list that is searched from its start', () => {
    const step = fc.oneof(
      fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), urgency: fc.constantFrom(...urgencies) }),
      fc.constant('take' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const line = createWaitingLine();
        const list: { readonly key: string; readonly urgency: Urgency }[] = [];
        let turns = 0;
        for (const each of steps) {
          if (each === 'take') {
            if (list.length > 0) turns += 1;
            const best = urgencies.find((each) => list.some(({ urgency }) => urgency === each));
            const index = turns % 8 === 0 ? 0 : list.findIndex(({ urgency }) => urgency === best);
            const [wanted] = list.length === 0 ? [] : list.splice(index, 1);
            assert.equal(line.take(), wanted?.key);
          } else {
            line.add(each.key, each.urgency);
            const index = list.findIndex(({ key }) => key === each.key);
            const known = list[index];
            if (known === undefined) list.push(each);
            else if (isMoreUrgent(each.urgency, known.urgency)) {
              list.splice(index, 1);
              list.push(each);
            }
          }
        }
      }),
    );
  });

  test('100,000 keys, each moved up twice, take no longer than a moment', () => {
    const line = createWaitingLine();
    const keys = Array.from({ length: 100_000 }, (_, index) => `${index}`);
    for (const urgency of ['routine', 'normal', 'urgent'] as const) {
      for (const key of keys) line.add(key, urgency);
    }
    let count = 0;
    while (line.take() !== undefined) count += 1;
    assert.equal(count, keys.length);
  });
});
