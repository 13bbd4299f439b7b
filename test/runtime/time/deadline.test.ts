import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { deadlineAfter } from '../../../runtime/time/deadline.ts';
import type { TestClock } from '../../../testing/test-clock.ts';
import { testClock } from '../../../testing/test-clock.ts';

describe('a deadline', () => {
  let clock: TestClock;
  const late = new Error('too late');
  const reason = () => late;
  beforeEach(() => {
    clock = testClock();
  });

  test('aborts when the time is up, and no sooner', async () => {
    const { signal } = deadlineAfter(clock, 100, { reason });
    await clock.advance(99);
    assert.equal(signal.aborted, false);
    await clock.advance(1);
    assert.equal(signal.reason, late);
  });

  test('once called off, neither time nor the outer signal aborts it', async () => {
    const outer = new AbortController();
    const { signal, cancel } = deadlineAfter(clock, 100, { reason, outer: outer.signal });
    cancel();
    assert.equal(clock.waitingCount, 0);
    await clock.advance(200);
    outer.abort();
    assert.equal(signal.aborted, false);
  });

  test('the outer signal aborts it with its own reason, and time is waited for no more', () => {
    const outer = new AbortController();
    const { signal } = deadlineAfter(clock, 100, { reason, outer: outer.signal });
    const stopped = new Error('stopped');
    outer.abort(stopped);
    assert.equal(signal.reason, stopped);
    assert.equal(clock.waitingCount, 0);
  });

  test('of what is aborted already, there is nothing to wait for', () => {
    const stopped = new Error('stopped');
    const { signal } = deadlineAfter(clock, 100, { reason, outer: AbortSignal.abort(stopped) });
    assert.equal(signal.reason, stopped);
    assert.equal(clock.waitingCount, 0);
  });
});
