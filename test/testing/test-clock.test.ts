import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { interval } from 'rxjs';
import type { TestClock } from '../../testing/test-clock.ts';
import { testClock } from '../../testing/test-clock.ts';

for (const isAlone of [false, true]) {
  describe(isAlone ? 'the clock of tests, where nothing else is waited for' : 'the clock of tests', () => {
    let clock: TestClock;
    let log: string[];
    let startedMs: number;
    const elapsedMs = (): number => clock.elapsedMs() - startedMs;
    const reported = (what: string) => (): void => void log.push(`${elapsedMs()} ${what}`);
    beforeEach(() => {
      clock = testClock('2026-01-02T03:04:05Z', { isAlone });
      startedMs = clock.elapsedMs();
      log = [];
    });

    test('wakes by due time, and those due together in the order they were set', async () => {
      for (const [name, delayMs] of Object.entries({ a: 20, b: 10, c: 20, d: 0, e: 10 })) {
        void clock.sleep(delayMs).then(reported(name));
      }
      assert.equal(clock.waitingCount, 5);
      await clock.advance(20);
      assert.deepEqual(log, ['0 d', '10 b', '10 e', '20 a', '20 c']);
      assert.equal(clock.waitingCount, 0);
    });

    test('all results of a timer have happened before the next timer fires', async () => {
      const chain = async (): Promise<void> => {
        await clock.sleep(10);
        for (let step = 0; step < 100; step += 1) await Promise.resolve();
        await clock.nextTurn();
        reported('after 100 promises and a turn')();
        await clock.sleep(5);
        reported('a timer set by a timer')();
      };
      void chain();
      void clock.sleep(10).then(reported('the next at the same moment'));
      await clock.advance(30);
      assert.deepEqual(log, [
        '10 after 100 promises and a turn',
        '10 the next at the same moment',
        '15 a timer set by a timer',
      ]);
      assert.equal(elapsedMs(), 30);
    });

    test('an aborted sleep rejects with the reason and waits no more', async () => {
      const abort = new AbortController();
      const reason = new Error('enough');
      const sleep = clock.sleep(10, abort.signal);
      abort.abort(reason);
      assert.equal(clock.waitingCount, 0);
      await assert.rejects(sleep, reason);
      await assert.rejects(clock.sleep(10, abort.signal), reason);
    });

    test('advances until something is so, and says how long that took', async () => {
      interval(7, clock.scheduler).subscribe((count) => reported(`${count}`)());
      assert.equal(await clock.advanceUntil(() => log.length === 3), 21);
      assert.equal(await clock.advanceUntil(() => true), 0);
      await assert.rejects(
        clock.advanceUntil(() => log.length === 99, 70),
        /not true within 70 ms.*99/,
      );
      assert.equal(elapsedMs(), 91);
    });

    test('after a stall, missed timers run late, in the same order', async () => {
      void clock.sleep(20).then(reported('b'));
      void clock.sleep(10).then(reported('a'));
      clock.stall(60);
      assert.deepEqual(log, []);
      await clock.settle();
      assert.deepEqual(log, ['60 a', '60 b']);
    });

    test('work that never settles is reported, and not waited for', async () => {
      const again = (): void => {
        clock.scheduler.schedule(again);
      };
      again();
      await assert.rejects(clock.settle(), /the clock does not settle: timers without end/);
    });

    test('an error that a timer throws rejects the call that moves the clock', async () => {
      clock.scheduler.schedule(() => {
        throw new Error('a fault');
      }, 5);
      await assert.rejects(clock.advance(10), /a fault/);
    });

    test(
      isAlone ? 'does not wait for other turns of the event loop' : 'waits for a turn of the event loop',
      async () => {
        setImmediate(reported('turn'));
        await clock.settle();
        assert.deepEqual(log, isAlone ? [] : ['0 turn']);
      },
    );
  });
}
