import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { backoffDelayMs, createBackoff } from '../../../runtime/time/backoff.ts';
import { testClock } from '../../../testing/test-clock.ts';

describe('backoffDelayMs', () => {
  test('doubles up to the limit', () => {
    const delays = [0, 1, 2, 3, 4, 5, 60, 5000].map((failures) =>
      backoffDelayMs(failures, { baseMs: 5, maxMs: 100 }),
    );
    assert.deepEqual(delays, [5, 10, 20, 40, 80, 100, 100, 100]);
  });

  const watch = { baseMs: 800, maxMs: 30_000, jitter: 1 };
  test('jitter adds between nothing and itself', () => {
    assert.equal(backoffDelayMs(0, { ...watch, random: () => 0 }), 800);
    assert.equal(backoffDelayMs(0, { ...watch, random: () => 0.5 }), 1200);
    assert.equal(backoffDelayMs(2, { ...watch, random: () => 0.5 }), 4800);
  });

  test('clients that reached the limit still differ, and none exceeds it', () => {
    const delays = [0, 0.25, 0.999].map((chance) => backoffDelayMs(30, { ...watch, random: () => chance }));
    assert.deepEqual(delays.map(Math.round), [15_000, 18_750, 29_985]);
  });
});

describe('createBackoff', () => {
  const delaysAt = (gaps: readonly number[]): readonly number[] => {
    const clock = testClock();
    const backoff = createBackoff(clock, { baseMs: 100, maxMs: 1000, resetAfterMs: 5000 });
    return gaps.map((gapMs) => {
      clock.stall(gapMs);
      return backoff.next();
    });
  };
  test('grows while failures follow each other', () =>
    assert.deepEqual(delaysAt([0, 100, 4000, 400, 4000]), [100, 200, 400, 800, 1000]));
  test('starts over after the time of health', () =>
    assert.deepEqual(delaysAt([0, 100, 5201, 100]), [100, 200, 100, 200]));
  test('the delay of a back-off is no time of health', () =>
    assert.deepEqual(delaysAt([0, 100, 5200]), [100, 200, 400]));
});
