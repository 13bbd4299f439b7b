import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConditionFacts } from '../../../../../apis/core/v1alpha1/condition.ts';
import { available, creating, setConditions } from '../../../../../apis/core/v1alpha1/condition.ts';
import type { ObjectMeta } from '../../../../../apis/core/v1alpha1/kind.ts';
import type { ManagedStatus } from '../../../../../apis/core/v1alpha1/managed.ts';
import {
  isBeingCreated,
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

describe('a creation that succeeded a moment ago', () => {
  for (const [second, isRecent] of [
    [2, false],
    [4, true],
    [6, true],
    [9, false],
  ] as const) {
    test(`second ${second} of 5`, () =>
      assert.equal(isInCreationGrace(tracked({ succeeded: second }), 2_000, now), isRecent));
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
