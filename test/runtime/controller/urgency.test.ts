import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Urgency } from '../../../runtime/controller/urgency.ts';
import { createWaitingLine, isMoreUrgent, urgencies } from '../../../runtime/controller/urgency.ts';

const byLetter = { u: 'urgent', n: 'normal', r: 'routine' } as const satisfies Readonly<
  Record<string, Urgency>
>;

describe('a waiting line', () => {
  /** `a:n` adds key a, and `team/a:n` key team/a of group team; `.` takes. */
  const rows: Record<string, readonly [given: string, want: string]> = {
    'among equals the oldest first': ['a:n b:n c:n . . .', 'a b c'],
    'the most urgent first': ['a:r b:n c:u . . .', 'c b a'],
    'the oldest first among equals of each urgency': ['a:n b:u c:n d:u . . . .', 'b d a c'],
    'a key that becomes more urgent is moved up, behind those that are as urgent already': [
      'a:n b:u a:u c:u . . .',
      'b a c',
    ],
    'a key that becomes less urgent keeps its place': ['a:u b:u a:r . .', 'a b'],
    'a key that asks again keeps its place': ['a:n b:n a:n . .', 'a b'],
    'each waits once, however often moved up': ['a:r a:n a:u . .', 'a -'],
    'a key that had a turn may ask again': ['a:u . a:r b:u . .', 'a b a'],
    'a key that left its place and comes back starts at the end': ['a:n b:n a:u . a:n . .', 'a b a'],
    'no key waits': ['. a:n . .', '- a -'],
    'the groups take turns': ['a/1:n a/2:n a/3:n b/1:n c/1:n c/2:n . . . . . .', 'a/1 b/1 c/1 a/2 c/2 a/3'],
    'an urgent key does not pass the keys of another group': [
      'a/1:u a/2:u b/1:n a/3:u . . . .',
      'a/1 b/1 a/2 a/3',
    ],
    'within a group the urgent keys come first': ['a/1:n a/2:u b/1:n b/2:u . . . .', 'a/2 b/2 a/1 b/1'],
    'routine keys of all groups come last, and their groups take turns': [
      'a/1:r a/2:r b/1:r c/1:n b/2:u . . . . .',
      'c/1 b/2 a/1 b/1 a/2',
    ],
    'the eighth turn of a group is for one of its normal keys': [
      `a/0:n ${'a/1:u . '.repeat(7)}a/1:u . .`,
      `${'a/1 '.repeat(7)}a/0 a/1`,
    ],
    'the eighth turn is for a routine key': [`z:r ${'a:u . b:u . '.repeat(4)}. .`, 'a b a b a b a z b -'],
  };
  for (const [name, [given, want]] of Object.entries(rows)) {
    test(name, () => {
      const line = createWaitingLine();
      const taken: string[] = [];
      for (const step of given.trim().split(/ +/)) {
        const [key = '', letter = ''] = step.split(':');
        if (step === '.') taken.push(line.take() ?? '-');
        else line.add(key, byLetter[letter as keyof typeof byLetter], key.split('/').at(-2) ?? '');
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

  test('for any additions and removals, keys of one group and urgency keep their order, and no group is passed over', () => {
    const groups = ['x', 'y', 'z'];
    const step = fc.oneof(
      fc.record({
        group: fc.constantFrom(...groups),
        name: fc.constantFrom('a', 'b', 'c'),
        urgency: fc.constantFrom(...urgencies),
      }),
      fc.constant('take' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const line = createWaitingLine();
        const list: { readonly key: string; readonly group: string; readonly urgency: Urgency }[] = [];
        const passedOver = new Map<string, number>();
        for (const each of steps) {
          if (each === 'take') {
            const key = line.take();
            const taken = list.find((one) => one.key === key);
            assert.equal(taken === undefined, list.length === 0);
            if (taken === undefined) continue;
            const oldest = list.find(
              ({ group, urgency }) => group === taken.group && urgency === taken.urgency,
            );
            assert.equal(taken, oldest);
            list.splice(list.indexOf(taken), 1);
            for (const group of groups) {
              const isWaiting = list.some((one) => one.group === group && one.urgency !== 'routine');
              const isPassed = isWaiting && taken.group !== group;
              passedOver.set(group, isPassed ? (passedOver.get(group) ?? 0) + 1 : 0);
              // Each other group once, and a routine key.
              assert.ok(passedOver.get(group)! <= groups.length, `${group} was passed over`);
            }
          } else {
            const { group, name, urgency } = each;
            const key = `${group}/${name}`;
            line.add(key, urgency, group);
            const index = list.findIndex((one) => one.key === key);
            const known = list[index];
            if (known === undefined) list.push({ key, group, urgency });
            else if (isMoreUrgent(urgency, known.urgency)) {
              list.splice(index, 1);
              list.push({ key, group, urgency });
            }
          }
        }
      }),
    );
  });
});
