import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConditionFacts } from '../../../../../apis/core/v1alpha1/condition.ts';
import { available, creating, setConditions } from '../../../../../apis/core/v1alpha1/condition.ts';
import type { ObjectMeta } from '../../../../../apis/core/v1alpha1/kind.ts';
import type { ManagedStatus } from '../../../../../apis/core/v1alpha1/managed.ts';
import {
  isBeingCreated,
  isCreationIncomplete,
  isInCreationGrace,
  pendingTime,
  resultTime,
} from '../../../../../controllers/core/managed/recording/creation-tracking.ts';
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
  const rows: Record<
    string,
    readonly [times: Readonly<Record<string, number>>, begins: string, ends: string]
  > = {
    'the first: now': [{}, at(5), at(5)],
    'a later one: now': [{ pending: 1, succeeded: 3, failed: 2 }, at(5), at(5)],
    'in the second in which the last one succeeded it begins a second later': [
      { pending: 4, succeeded: 5 },
      at(6),
      at(5),
    ],
    'so it does in the second in which the last one failed': [
      { pending: 4, failed: 5, succeeded: 1 },
      at(6),
      at(5),
    ],
    'it never ends before it began, however the clock goes': [{ pending: 8 }, at(5), at(8)],
  };
  for (const [name, [times, begins, ends]] of Object.entries(rows)) {
    test(name, () => {
      const object = tracked(times);
      assert.deepEqual([pendingTime(object, now), resultTime(object, now)], [begins, ends]);
    });
  }
});

describe('a creation is incomplete between its mark and its result', () => {
  const rows: Readonly<
    Record<string, readonly [times: Parameters<typeof tracked>[0], isIncomplete: boolean]>
  > = {
    CreateNeverPending: [{}, false],
    'CreateNeverCompleted: pending only': [{ pending: 1 }, true],
    CreateSucceeded: [{ pending: 1, succeeded: 2 }, false],
    CreateFailed: [{ pending: 1, failed: 2 }, false],
    RecreateNeverCompleted: [{ succeeded: 1, pending: 2 }, true],
    RetryNeverCompleted: [{ failed: 1, pending: 2 }, true],
    'a failure after a retry': [{ succeeded: 1, pending: 2, failed: 3 }, false],
    'equal seconds count as complete': [{ pending: 2, succeeded: 2 }, false],
  };
  for (const [name, [times, isIncomplete]] of Object.entries(rows)) {
    test(name, () => assert.equal(isCreationIncomplete(tracked(times)), isIncomplete));
  }
  test('an unparsable time is absent', () => {
    const broken = managed({}, { annotations: { 'crossplane.io/external-create-pending': 'yesterday' } });
    assert.equal(isCreationIncomplete(broken), false);
  });
});

describe('a creation that succeeded a moment ago', () => {
  const rows: readonly (readonly [
    name: string,
    second: number | undefined,
    graceMs: number,
    isRecent: boolean,
  ])[] = [
    ['before the grace period', 2, 2_000, false],
    ['within it', 4, 2_000, true],
    ['the grace period is strict', 4, 1_000, false],
    ['0 disables it', 4, 0, false],
    ['a clock that was set back a little', 6, 2_000, true],
    ['a clock that was set back far', 9, 2_000, false],
    ['none succeeded', undefined, 2_000, false],
  ];
  for (const [name, second, graceMs, isRecent] of rows) {
    test(name, () => {
      const created = tracked(second === undefined ? {} : { succeeded: second });
      assert.equal(isInCreationGrace(created, graceMs, now), isRecent);
    });
  }
});

describe('how long a deletion waits for a resource without creation marks to show', () => {
  const reported = (facts: ConditionFacts, second: number): ManagedStatus => ({
    conditions: setConditions([], [facts], { now: new Date(at(second)) }),
  });
  const leaving = { deletionTimestamp };
  type Metadata = Partial<ObjectMeta> & { status?: ManagedStatus };
  const rows: Record<string, readonly [metadata: Metadata, graceMs: number, isBeing: boolean]> = {
    'a deletion waits during the grace period': [{ ...leaving, creationTimestamp: at(3) }, 2_001, true],
    'a deletion does not wait after the grace period': [
      { ...leaving, creationTimestamp: at(3) },
      2_000,
      false,
    ],
    'the grace period begins when the condition Creating was set': [
      { ...leaving, creationTimestamp: at(0), status: reported(creating(), 4) },
      2_000,
      true,
    ],
    'a time slightly ahead of a clock that was set back counts as recent': [
      { ...leaving, creationTimestamp: at(6) },
      2_000,
      true,
    ],
    'a time far ahead is not awaited': [
      { ...leaving, creationTimestamp: '2026-01-02T07:31:00Z' },
      2_000,
      false,
    ],
    'a resource that was seen is not awaited': [
      { ...leaving, creationTimestamp: at(4), status: reported(available(), 4) },
      2_000,
      false,
    ],
    'a resource without a known start is not awaited': [leaving, 2_000, false],
    'a resource that is not being deleted is not awaited': [{ creationTimestamp: at(4) }, 2_000, false],
  };
  for (const [name, [metadata, graceMs, isBeing]] of Object.entries(rows)) {
    test(name, () => assert.equal(isBeingCreated(managed({}, metadata), graceMs, now), isBeing));
  }
});
