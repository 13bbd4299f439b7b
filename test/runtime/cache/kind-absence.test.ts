import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { KindAbsence } from '../../../runtime/cache/kind-absence.ts';
import { kindAbsence } from '../../../runtime/cache/kind-absence.ts';
import type { StreamState } from '../../../runtime/cache/watch-session.ts';
import type { TestClock } from '../../../testing/test-clock.ts';
import { testClock } from '../../../testing/test-clock.ts';

const answered = (code: number): StreamState => ({ phase: 'waiting', code, message: 'm', delayMs: 5000 });
const notFound = answered(404);

describe('a kind is missing', () => {
  let clock: TestClock;
  let absence: KindAbsence;
  /** The answer of the API server, and the number of requests. */
  let says: () => Promise<boolean>;
  let requests: number;
  let changes: boolean[];
  let signals: AbortSignal[];

  const isServed = (signal: AbortSignal) => {
    requests += 1;
    signals.push(signal);
    return says();
  };
  beforeEach(() => {
    clock = testClock();
    requests = 0;
    changes = [];
    signals = [];
    says = async () => false;
    const onChange = () => changes.push(absence.isMissing);
    absence = kindAbsence({ isServed, clock, afterMs: 30_000, onChange });
    absence.run$.subscribe();
  });

  /** An attempt every five seconds, each answered with these in turn. */
  const attempts = async (...answers: readonly StreamState[]): Promise<void> => {
    for (const answer of answers) {
      absence.observe({ phase: 'listing' });
      absence.observe(answer);
      await clock.advance(5000);
    }
  };
  const times = (count: number, answer: StreamState) => Array.from({ length: count }, () => answer);

  test('once it was not found for 30 seconds, and the API server says that there is none', async () => {
    await attempts(...times(6, notFound));
    assert.deepEqual([absence.isMissing, requests], [false, 0]);
    await attempts(notFound);
    assert.deepEqual([absence.isMissing, requests, changes], [true, 1, [true]]);
    await attempts(...times(10, notFound));
    assert.deepEqual([absence.isMissing, requests, changes], [true, 1, [true]]);
  });

  test('until a list or watch is accepted', async () => {
    await attempts(...times(7, notFound));
    absence.observe({ phase: 'listing' });
    assert.equal(absence.isMissing, true);
    absence.observe({ phase: 'watching' });
    assert.deepEqual([absence.isMissing, changes], [false, [true, false]]);
    await attempts(...times(6, notFound));
    assert.equal(absence.isMissing, false, 'what was before does not count');
  });

  const others = { 'no answer': 0, refused: 403, 'in trouble': 503 };
  for (const [what, code] of Object.entries(others)) {
    test(`not where an attempt in between was ${what}`, async () => {
      await attempts(...times(6, notFound), answered(code), ...times(6, notFound));
      assert.deepEqual([absence.isMissing, requests], [false, 0]);
      await attempts(notFound);
      assert.equal(absence.isMissing, true);
    });
  }

  test('a kind that the API server serves is not absent, and the check starts again', async () => {
    says = async () => true;
    await attempts(...times(7, notFound));
    assert.deepEqual([absence.isMissing, requests], [false, 1]);
    says = async () => false;
    await attempts(...times(6, notFound));
    assert.deepEqual([absence.isMissing, requests], [false, 1]);
    await attempts(notFound);
    assert.equal(absence.isMissing, true);
  });

  test('not where it does not say: after the next attempt it is asked again', async () => {
    says = () => Promise.reject(new Error('no answer'));
    await attempts(...times(8, notFound));
    assert.deepEqual([absence.isMissing, requests], [false, 2]);
    says = async () => false;
    await attempts(notFound);
    assert.deepEqual([absence.isMissing, requests], [true, 3]);
  });

  test('not where it has appeared by the time of the answer', async () => {
    const answer = Promise.withResolvers<boolean>();
    says = () => answer.promise;
    await attempts(...times(7, notFound));
    absence.observe({ phase: 'watching' });
    answer.resolve(false);
    await clock.settle();
    assert.deepEqual([absence.isMissing, changes], [false, []]);
  });

  test('the API server is asked one question at a time, which ends with the stream', async () => {
    says = () => new Promise(() => {});
    const clockBefore = clock.elapsedMs();
    const onChange = () => assert.fail('nothing was said');
    const other = kindAbsence({ isServed, clock, afterMs: 0, onChange });
    const running = other.run$.subscribe();
    other.observe(notFound);
    other.observe(notFound);
    assert.deepEqual([signals.length, signals[0]?.aborted, clock.elapsedMs()], [1, false, clockBefore]);
    running.unsubscribe();
    assert.equal(signals[0]?.aborted, true);
  });
});
