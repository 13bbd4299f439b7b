import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setConditions } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { operationOngoing } from '../../../../controllers/managed/recording/operation-conditions.ts';
import type { Next } from '../../../../controllers/managed/run/next.ts';
import {
  firstPollDelayMs,
  pollDelayMs,
  progressDelayMs,
  resultOf,
} from '../../../../controllers/managed/run/next.ts';
import type { Result } from '../../../../runtime/controller/reconcile.ts';
import { after, done, requeue, unsettled } from '../../../../runtime/controller/reconcile.ts';
import { testClock } from '../../../../testing/test-clock.ts';
import { managed, now } from '../../objects.ts';

const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

describe('when a managed resource is reconciled again', () => {
  const created = { creationTimestamp: ago(40).toISOString() };
  const deleted = { ...created, deletionTimestamp: ago(20).toISOString() };
  const conditions = setConditions([], operationOngoing('update'), { now: ago(8) });
  const operation = { type: 'update', name: 'op-1', startedAt: ago(4).toISOString() } as const;
  const rows: Readonly<Record<string, readonly [next: Next, result: Result, metadata?: object]>> = {
    event: ['event', done],
    poll: ['poll', after(54_000)],
    'progress since the creation': ['progress', after(10_000)],
    'progress since the deletion': ['progress', after(5_000), deleted],
    'progress since the operation that is observed': [
      'progress',
      after(2_000),
      { ...created, status: { conditions } },
    ],
    'progress since the operation that has a name': [
      'progress',
      unsettled(1_000),
      { ...deleted, status: { conditions, operation } },
    ],
    backOff: ['backOff', requeue],
    'at once': [0, unsettled(0)],
    'after a time': [1_234, unsettled(1_234)],
  };
  for (const [name, [next, result, metadata = created]] of Object.entries(rows)) {
    test(name, () => {
      const stored = managed({}, metadata);
      const clock = testClock(now);
      const env = { clock, random: () => 0, pollIntervalMs: 60_000 };
      assert.deepEqual(resultOf(next, stored, env), result);
    });
  }
});

describe('polling', () => {
  const env = (random: number, later = 0) => ({
    clock: testClock(new Date(now.getTime() + later)),
    random: () => random,
    pollIntervalMs: 60_000,
  });
  const own = (value: string) => managed({}, { annotations: { 'crossplane.io/poll-interval': value } });
  const rows: Readonly<
    Record<string, readonly [resource: Managed, random: number, delayMs: number, later?: number]>
  > = {
    'the poll interval gets a tenth of jitter either way: less': [managed(), 0, 54_000],
    'the poll interval gets a tenth of jitter either way: neither': [managed(), 0.5, 60_000],
    'the poll interval gets a tenth of jitter either way: more': [managed(), 0.75, 63_000],
    'the poll interval of a resource wins': [own('10s'), 0.5, 10_000],
    'the poll interval of a resource wins, unless it is none': [own('soon'), 0.5, 60_000],
    'the poll interval of a resource wins, unless it is 0': [own('0s'), 0.5, 60_000],
    'a poll starts at a full second': [managed(), 0.5, 60_700, 300],
    'a poll starts at a full second, with any jitter': [managed(), 0.51, 61_000],
    'a poll within 10 s may start at any time': [own('9s'), 0.52, 9_036, 300],
  };
  for (const [name, [resource, random, delayMs, later]] of Object.entries(rows)) {
    test(name, () => assert.equal(pollDelayMs(resource, env(random, later)), delayMs));
  }
  test('the first poll starts at any full second within the poll interval', () =>
    assert.equal(firstPollDelayMs(managed(), env(0.5, 300)), 30_700));

  const progress: Readonly<Record<string, readonly [since: string | undefined, delayMs: number]>> = {
    'at first': [now.toISOString(), 500],
    'after 40 s': ['2026-01-02T03:03:25Z', 10_000],
    'never later than a poll': ['2026-01-01T00:00:00Z', 60_000],
    'without a start': [undefined, 500],
    // Not as if it had only begun, until that time comes again.
    'the clock was set back since': ['2026-01-02T07:00:00Z', 60_000],
  };
  for (const [name, [since, delayMs]] of Object.entries(progress)) {
    test(`progress is observed often, then less often: ${name}`, () =>
      assert.equal(progressDelayMs(since, 60_000, now), delayMs));
  }
});
