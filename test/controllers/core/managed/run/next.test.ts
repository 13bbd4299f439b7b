import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setConditions } from '../../../../../apis/core/v1alpha1/condition.ts';
import { operationOngoing } from '../../../../../controllers/core/managed/recording/operation-conditions.ts';
import type { Next } from '../../../../../controllers/core/managed/run/next.ts';
import { resultOf } from '../../../../../controllers/core/managed/run/next.ts';
import type { Result } from '../../../../../runtime/controller/reconcile.ts';
import { after, done, requeue, unsettled } from '../../../../../runtime/controller/reconcile.ts';
import { testClock } from '../../../../../testing/test-clock.ts';
import { managed, now } from '../../objects.ts';

const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

describe('when a managed resource is reconciled again', () => {
  const stored = managed(
    {},
    {
      creationTimestamp: ago(40).toISOString(),
      deletionTimestamp: ago(20).toISOString(),
      status: { conditions: setConditions([], operationOngoing('update'), { now: ago(8) }) },
    },
  );
  const rows: readonly (readonly [next: Next, result: Result])[] = [
    ['event', done],
    ['poll', after(54_000)],
    ['progress since creation', after(10_000)],
    ['progress since deletion', after(5_000)],
    ['progress since operation', after(2_000)],
    ['backOff', requeue],
    [0, unsettled(0)],
    [1_234, unsettled(1_234)],
  ];
  for (const [next, result] of rows) {
    test(`${next}`, () => {
      const clock = testClock(now);
      const env = { clock, random: () => 0, pollIntervalMs: 60_000 };
      assert.deepEqual(resultOf(next, stored, env), result);
    });
  }
});
