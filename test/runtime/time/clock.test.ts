import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { realClock } from '../../../runtime/time/clock.ts';

describe('the clock of the machine', () => {
  const clock = realClock();

  test('sleeps at least so long, by the clock that nobody sets', async () => {
    const startedMs = clock.elapsedMs();
    await clock.sleep(5);
    assert.ok(clock.elapsedMs() - startedMs >= 4, 'node rounds to whole milliseconds');
  });

  test('dates are those of the wall', () => {
    const [before, now, after] = [Date.now(), clock.now().getTime(), Date.now()];
    assert.ok(before <= now && now <= after);
    assert.equal(Math.abs(clock.scheduler.now() - now) < 60_000, true);
  });

  test('an abort ends a sleep with its reason, at once or before it', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const sleep = clock.sleep(2 ** 40, abort.signal);
    abort.abort(reason);
    await assert.rejects(sleep, reason);
    await assert.rejects(clock.sleep(0, abort.signal), reason);
  });

  test('a turn lets what waited for one go first', async () => {
    const order: string[] = [];
    setImmediate(() => order.push('waited'));
    await clock.nextTurn();
    order.push('then');
    assert.deepEqual(order, ['waited', 'then']);
  });

  test('a sleep longer than any timer of node lasts that long', async ({ mock }) => {
    const dayMs = 24 * 3_600_000;
    let elapsedMs = 0;
    mock.method(performance, 'now', () => elapsedMs);
    mock.timers.enable({ apis: ['setTimeout'] });
    let isAwake = false;
    const sleep = clock.sleep(60 * dayMs).then(() => {
      isAwake = true;
    });
    for (let day = 1; day <= 60; day += 1) {
      assert.equal(isAwake, false, `day ${day}`);
      elapsedMs += dayMs;
      mock.timers.tick(dayMs);
      await Promise.resolve();
    }
    await sleep;
  });
});
