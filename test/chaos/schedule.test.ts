import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Round } from './schedule.ts';
import { faultKinds, schedule } from './schedule.ts';

const rounds = (seed: number, count: number): readonly Round[] =>
  schedule({ seed, actionsPerSecond: 2 }).take(count).toArray();

describe('the schedule', () => {
  test('is the same for the same seed, and another for another', () => {
    assert.deepEqual(rounds(7, 40), rounds(7, 40));
    assert.notDeepEqual(rounds(7, 40), rounds(8, 40));
  });

  test('brings every kind of fault once before any comes again', () => {
    const names = rounds(3, 200).flatMap(({ faults }) => faults.map(({ kind }) => kind.name));
    const first = names.slice(0, faultKinds.length).toSorted();
    assert.deepEqual(first, faultKinds.map(({ name }) => name).toSorted());
  });

  test('never lets two faults of a round take hold of one thing', () => {
    for (const { faults } of rounds(11, 500)) {
      const held = faults.flatMap(({ kind }) => kind.holds);
      assert.equal(new Set(held).size, held.length, faults.map(({ kind }) => kind.name).join(', '));
    }
  });
});
