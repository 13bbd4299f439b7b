import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { later } from '../../clients/clock.ts';
import type { TestClock } from '../../testing/test-clock.ts';
import { testClock } from '../../testing/test-clock.ts';

describe('an action that is scheduled for later', () => {
  let clock: TestClock;
  let count: number;
  const act = (): void => {
    count += 1;
  };
  beforeEach(() => {
    clock = testClock();
    count = 0;
  });

  test('is done once, when its time has come', async () => {
    later(clock, 100, act);
    await clock.advance(99);
    assert.equal(count, 0);
    await clock.advance(1000);
    assert.equal(count, 1);
  });

  test('is called off, and nothing is waited for any more', async () => {
    const callOff = later(clock, 100, act);
    callOff();
    assert.equal(clock.waitingCount, 0);
    await clock.advance(1000);
    assert.equal(count, 0);
  });

  test('is called off by what happens at the very moment', async () => {
    let callOff = (): void => {};
    clock.scheduler.schedule(() => callOff(), 100);
    callOff = later({ sleep: () => clock.sleep(100) }, 100, act); // a sleep that does not heed its signal
    await clock.advance(1000);
    assert.equal(count, 0);
  });
});
