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
  const rows: Record<string, { times: Readonly<Record<string, number>>; begins: string; ends: string }> = {
    'the first: now': { times: {}, begins: at(5), ends: at(5) },
    'a later one: now': { times: { pending: 1, succeeded: 3, failed: 2 }, begins: at(5), ends: at(5) },
    'in the second in which the last one succeeded it begins a second later': {
      times: { pending: 4, succeeded: 5 },
      begins: at(6),
      ends: at(5),
    },
    'so it does in the second in which the last one failed': {
      times: { pending: 4, failed: 5, succeeded: 1 },
      begins: at(6),
      ends: at(5),
    },
    'it never ends before it began, however the clock goes': {
      times: { pending: 8 },
      begins: at(5),
      ends: at(8),
    },
  };
  for (const [name, { times, begins, ends }] of Object.entries(rows)) {
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
  const rows: Record<
    string,
    { metadata: Partial<ObjectMeta> & { status?: ManagedStatus }; graceMs: number; isBeing: boolean }
  > = {
    'a deletion waits during the grace period': {
      metadata: { ...leaving, creationTimestamp: at(3) },
      graceMs: 2_001,
      isBeing: true,
    },
    'a deletion does not wait after the grace period': {
      metadata: { ...leaving, creationTimestamp: at(3) },
      graceMs: 2_000,
      isBeing: false,
    },
    'the grace period begins when the condition Creating was set': {
      metadata: { ...leaving, creationTimestamp: at(0), status: reported(creating(), 4) },
      graceMs: 2_000,
      isBeing: true,
    },
    'a time slightly ahead of a clock that was set back counts as recent': {
      metadata: { ...leaving, creationTimestamp: at(6) },
      graceMs: 2_000,
      isBeing: true,
    },
    'a time far ahead is not awaited': {
      metadata: { ...leaving, creationTimestamp: '2026-01-02T07:31:00Z' },
      graceMs: 2_000,
      isBeing: false,
    },
    'a resource that was seen is not awaited': {
      metadata: { ...leaving, creationTimestamp: at(4), status: reported(available(), 4) },
      graceMs: 2_000,
      isBeing: false,
    },
    'a resource without a known start is not awaited': {
      metadata: leaving,
      graceMs: 2_000,
      isBeing: false,
    },
    'a resource that is not being deleted is not awaited': {
      metadata: { creationTimestamp: at(4) },
      graceMs: 2_000,
      isBeing: false,
    },
  };
  for (const [name, { metadata, graceMs, isBeing }] of Object.entries(rows)) {
    test(name, () => assert.equal(isBeingCreated(managed({}, metadata), graceMs, now), isBeing));
  }
});
