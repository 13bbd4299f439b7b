import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { interval } from 'rxjs';
import { realClock } from '../../../runtime/time/clock.ts';

describe('the clock of the machine', () => {
  const clock = realClock();

  test('sleeps at least the given time by the monotonic clock', async () => {
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

  test('a delay longer than any timer of Node is waited for, each time', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const dayMs = 24 * 3_600_000;
    const reported: string[] = [];
    let day = 0;
    const ticking = interval(60 * dayMs, clock.scheduler).subscribe((count) =>
      reported.push(`${count}: ${day}`),
    );
    void clock.sleep(90 * dayMs).then(() => reported.push(`slept: ${day}`));
    for (; day < 150; day += 1) {
      await Promise.resolve();
      mock.timers.tick(dayMs); // a timer that is set during this tick counts from the end of the tick
    }
    ticking.unsubscribe();
    mock.timers.tick(100 * dayMs);
    assert.deepEqual(reported, ['0: 60', 'slept: 91', '1: 121']);
  });
});
