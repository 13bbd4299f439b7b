import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Round } from './schedule.ts';
import { faultKinds, kindsNamed, schedule, userActions } from './schedule.ts';

const rounds = (seed: number, count: number): readonly Round[] =>
  schedule({ seed, actionsPerSecond: 2 }).take(count).toArray();

describe('the schedule', () => {
  test('is the same for the same seed, and another for another', () => {
    assert.deepEqual(rounds(7, 40), rounds(7, 40));
    assert.notDeepEqual(rounds(7, 40), rounds(8, 40));
  });

  test('brings every kind of fault once before any comes again', () => {
    const names = rounds(3, 200).flatMap(({ faults }) => faults.map(({ kind }) => kind.name));
    assert.deepEqual(
      names.slice(0, faultKinds.length).toSorted(),
      faultKinds.map(({ name }) => name).toSorted(),
    );
  });

  test('has names that tell faults apart', () => {
    assert.equal(new Set(faultKinds.map(({ name }) => name)).size, faultKinds.length);
  });

  test('never lets two faults of a round take hold of one thing', () => {
    for (const { faults } of rounds(11, 500)) {
      const held = faults.flatMap(({ kind }) => kind.holds);
      assert.equal(new Set(held).size, held.length, faults.map(({ kind }) => kind.name).join(', '));
    }
  });

  test('has rounds of one fault, of two and of three, each of its time', () => {
    const all = rounds(5, 500);
    assert.deepEqual([...new Set(all.map(({ faults }) => faults.length))].toSorted(), [1, 2, 3]);
    for (const { kind, startMs, endMs } of all.flatMap(({ faults }) => faults)) {
      const [min, max] = kind.lasts;
      assert.ok(endMs - startMs >= min && endMs - startMs <= max, kind.name);
    }
  });

  test('lets users do everything, in order, and only while faults last', () => {
    const all = rounds(9, 300);
    const done = new Set(all.flatMap(({ actions }) => actions.map(({ action }) => action)));
    assert.deepEqual([...done].toSorted(), userActions.toSorted());
    for (const { faults, actions } of all) {
      const times = actions.map(({ atMs }) => atMs);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
      assert.ok(times.every((atMs) => atMs <= Math.max(...faults.map(({ endMs }) => endMs))));
    }
  });

  test('a protected server has no fault, and users change nothing during that time', () => {
    const lonely = rounds(13, 300).filter(({ faults }) => faults.some(({ kind }) => kind.isAlone));
    assert.ok(lonely.length > 0);
    for (const { faults, actions } of lonely) assert.deepEqual([faults.length, actions], [1, []]);
  });

  test('can be of some kinds only', () => {
    const kinds = kindsNamed(['etcd', 'frozen']);
    const some = schedule({ seed: 1, actionsPerSecond: 1, kinds }).take(20).toArray();
    for (const { kind } of some.flatMap(({ faults }) => faults)) assert.match(kind.name, /etcd|frozen/);
    assert.deepEqual(kindsNamed(['no such fault']), []);
    assert.deepEqual(kindsNamed([]), faultKinds);
  });
});
