import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defer, of } from 'rxjs';
import { watchCheck } from '../../../runtime/cache/watch-check.ts';
import { testClock } from '../../../testing/test-clock.ts';

const silenceMs = 70_000;

describe('watch check', () => {
  for (const fraction of [0, 0.5, 0.9999999]) {
    test(`a watch that was believed ${fraction} ms past the full one is asked about once it was silent`, async () => {
      const clock = testClock();
      await clock.advance(35_339 + fraction);
      let confirmedAtMs = clock.elapsedMs();
      let asked = 0;
      const subscription = watchCheck({
        silenceMs,
        latest$: defer(() => {
          asked += 1;
          return of('7');
        }),
        position: () => '7',
        newest: () => '7',
        confirmedAtMs: () => confirmedAtMs,
        confirm: () => {
          confirmedAtMs = clock.elapsedMs();
        },
        clock,
      }).subscribe();
      await clock.advance(silenceMs - 1);
      assert.equal(asked, 0);
      await clock.advance(2);
      assert.equal(asked, 1);
      await clock.advance(10 * (silenceMs + 1));
      assert.equal(asked, 11);
      subscription.unsubscribe();
    });
  }
});
