import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConditionFacts } from '../../../../apis/core/v1alpha1/condition.ts';
import { available, creating, setConditions } from '../../../../apis/core/v1alpha1/condition.ts';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import {
  isBeingCreated,
  isCreationIncomplete,
  isInCreationGrace,
  pendingTime,
  resultTime,
} from '../../../../controllers/managed/recording/creation-tracking.ts';
import { deletionTimestamp, managed, now } from '../../objects.ts';

const at = (second: number) => `2026-01-02T03:04:0${second}Z`; // now is second 5
const tracked = (times: Readonly<Record<string, number>>) =>
  managed(
    {},
    {
      annotations: Object.fromEntries(
        Object.entries(times).map(([key, second]) => [`crossplane.io/external-create-${key}`, at(second)]),
      ),
    },
  );

describe('the marks of a creation', () => {
  function are(times: Parameters<typeof tracked>[0], begins: string, ends: string): void {
    const object = tracked(times);
    assert.deepEqual([pendingTime(object, now), resultTime(object, now)], [begins, ends]);
  }
  test('the first: now', () => are({}, at(5), at(5)));
  test('a later one: now', () => are({ pending: 1, succeeded: 3, failed: 2 }, at(5), at(5)));
  test('in the second in which the last one succeeded it begins a second later', () =>
    are({ pending: 4, succeeded: 5 }, at(6), at(5)));
  test('in the second in which the last one failed it begins a second later', () =>
    are({ pending: 4, failed: 5, succeeded: 1 }, at(6), at(5)));
  test('a creation never ends before it began, however the clock goes', () =>
    are({ pending: 8 }, at(5), at(8)));
});

describe('a creation is incomplete between its mark and its result', () => {
  const is = (times: Parameters<typeof tracked>[0], isIncomplete: boolean): void =>
    assert.equal(isCreationIncomplete(tracked(times)), isIncomplete);
  test('CreateNeverPending', () => is({}, false));
  test('CreateNeverCompleted: pending only', () => is({ pending: 1 }, true));
  test('CreateSucceeded', () => is({ pending: 1, succeeded: 2 }, false));
  test('CreateFailed', () => is({ pending: 1, failed: 2 }, false));
  test('RecreateNeverCompleted', () => is({ succeeded: 1, pending: 2 }, true));
  test('RetryNeverCompleted', () => is({ failed: 1, pending: 2 }, true));
  test('a failure after a retry', () => is({ succeeded: 1, pending: 2, failed: 3 }, false));
  test('equal seconds count as complete', () => is({ pending: 2, succeeded: 2 }, false));
  test('an unparsable time is absent', () => {
    const broken = managed({}, { annotations: { 'crossplane.io/external-create-pending': 'yesterday' } });
    assert.equal(isCreationIncomplete(broken), false);
  });
});

describe('a creation that succeeded a moment ago', () => {
  function is(second: number | undefined, graceMs: number, isRecent: boolean): void {
    const created = tracked(second === undefined ? {} : { succeeded: second });
    assert.equal(isInCreationGrace(created, graceMs, now), isRecent);
  }
  test('before the grace period', () => is(2, 2_000, false));
  test('within it', () => is(4, 2_000, true));
  test('the grace period is strict', () => is(4, 1_000, false));
  test('0 disables it', () => is(4, 0, false));
  test('a clock that was set back a little', () => is(6, 2_000, true));
  test('a clock that was set back far', () => is(9, 2_000, false));
  test('none succeeded', () => is(undefined, 2_000, false));
});

describe('how long a deletion waits for a resource without creation marks to show', () => {
  const reported = (facts: ConditionFacts, second: number): ManagedStatus => ({
    conditions: setConditions([], [facts], { now: new Date(at(second)) }),
  });
  const leaving = { deletionTimestamp };
  type Metadata = Partial<ObjectMeta> & { status?: ManagedStatus };
  const waits = (metadata: Metadata, graceMs: number, isBeing: boolean): void =>
    assert.equal(isBeingCreated(managed({}, metadata), graceMs, now), isBeing);
  test('a deletion waits during the grace period', () =>
    waits({ ...leaving, creationTimestamp: at(3) }, 2_001, true));
  test('a deletion does not wait after the grace period', () =>
    waits({ ...leaving, creationTimestamp: at(3) }, 2_000, false));
  test('the grace period begins when the condition Creating was set', () =>
    waits({ ...leaving, creationTimestamp: at(0), status: reported(creating(), 4) }, 2_000, true));
  test('a time slightly ahead of a clock that was set back counts as recent', () =>
    waits({ ...leaving, creationTimestamp: at(6) }, 2_000, true));
  test('a time far ahead is not awaited', () =>
    waits({ ...leaving, creationTimestamp: '2026-01-02T07:31:00Z' }, 2_000, false));
  test('a resource that was seen is not awaited', () =>
    waits({ ...leaving, creationTimestamp: at(4), status: reported(available(), 4) }, 2_000, false));
  test('a resource without a known start is not awaited', () => waits(leaving, 2_000, false));
  test('a resource that is not being deleted is not awaited', () =>
    waits({ creationTimestamp: at(4) }, 2_000, false));
});
