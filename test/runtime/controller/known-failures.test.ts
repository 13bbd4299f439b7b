import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createKnownFailures, textOfBug } from '../../../runtime/controller/known-failures.ts';
import { testClock } from '../../../testing/test-clock.ts';

const one = { namespace: 'team-a', name: 'one' };
const other = { namespace: 'team-a', name: 'other' };
const minuteMs = 60_000;

function bug(message: string, place = 'f (a.ts:1:2)'): string {
  const error = new TypeError(message);
  error.stack = `TypeError: ${message}\n    at ${place}\n    at g (b.ts:${Math.random()}:1)`;
  return textOfBug(error);
}

function scene() {
  const clock = testClock();
  return { clock, failures: createKnownFailures(clock) };
}

describe('a failure is reported', () => {
  test('once, however often an object meets it', () => {
    const { failures } = scene();
    const reported = Array.from({ length: 50 }, () => failures.met(one, 'x'));
    assert.deepEqual(reported.filter(Boolean), [1]);
  });

  test('for each object by itself', () => {
    const { failures } = scene();
    assert.deepEqual(
      [one, other, one].map((request) => failures.met(request, 'x')),
      [1, 1, undefined],
    );
  });

  test('again when it says something else, or, of a bug, is somewhere else', () => {
    const { failures } = scene();
    const met = [bug('x'), bug('y'), bug('y', 'f (a.ts:9:9)'), bug('y', 'f (a.ts:9:9)')];
    assert.deepEqual(
      met.map((each) => failures.met(one, each)),
      [1, 1, 1, undefined],
    );
  });

  test('again at growing intervals, hourly in the end, with how often it was met since', async () => {
    const { failures, clock } = scene();
    const reported: (readonly [minute: number, times: number])[] = [];
    for (let minute = 0; minute <= 250; minute += 1) {
      const times = failures.met(one, 'x');
      if (times !== undefined) reported.push([minute, times]);
      await clock.advance(minuteMs);
    }
    assert.deepEqual(reported, [
      [0, 1],
      [10, 10],
      [30, 20],
      [70, 40],
      [130, 60],
      [190, 60],
      [250, 60],
    ]);
  });

  test('not each time where it says something else each time', async () => {
    const { failures, clock } = scene();
    let reported = 0;
    for (let second = 0; second < 3_600; second += 1) {
      if (failures.met(one, `request ${second}`) !== undefined) reported += 1;
      await clock.advance(1_000);
    }
    assert.equal(reported, 15, 'ten at once, and then one in ten minutes');
  });

  test('again once it was over', () => {
    const { failures } = scene();
    failures.met(one, 'x');
    failures.over(other);
    assert.equal(failures.met(one, 'x'), undefined);
    failures.over(one);
    assert.equal(failures.met(one, 'x'), 1);
  });

  test('again for an object that was forgotten for very many others', () => {
    const { failures } = scene();
    failures.met(one, 'x');
    for (let i = 0; i < 20_000; i += 1) failures.met({ name: `n${i}` }, 'x');
    assert.equal(failures.met(one, 'x'), 1);
  });
});
