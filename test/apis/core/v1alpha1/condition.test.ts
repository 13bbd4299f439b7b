import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition, ConditionFacts } from '../../../../apis/core/v1alpha1/condition.ts';
import {
  available,
  binding,
  creating,
  deleting,
  getCondition,
  isConditionTrue,
  reconcileError,
  reconcilePaused,
  reconcileSuccess,
  setConditions,
  unavailable,
} from '../../../../apis/core/v1alpha1/condition.ts';

const before = '2026-01-01T00:00:00Z';
const now = new Date('2026-01-02T03:04:05.678Z');
const at = (fact: ConditionFacts, lastTransitionTime = before): Condition => ({
  ...fact,
  lastTransitionTime,
});

describe('a message', () => {
  const reported = (message: string) => setConditions([], [reconcileError(message)], { now })[0]?.message;

  test('a condition is printable, also if its text comes from a user', () =>
    assert.equal(reported('no \u001b[31mway\u001b[0m\nat all\u202e\u0000'), 'no way at all'));
  test('is no longer than the API server takes', () =>
    assert.deepEqual(
      [reported('x'.repeat(40_000))?.length, reported('x'.repeat(32_768))?.length],
      [32_768, 32_768],
    ));
  test('of nothing printable is none', () => assert.equal(reported('\u0007'), undefined));
  test('a condition that is reported again is not changed, also if its text had to be made printable', () => {
    const facts = [reconcileError('a\nb\ud83d')];
    const once = setConditions([], facts, { now });
    assert.deepEqual(setConditions(once, facts, { now }), once);
  });
});

describe('the conditions', () => {
  const rows: Record<string, { facts: ConditionFacts; want: readonly string[] }> = {
    Available: { facts: available(), want: ['Ready', 'True', 'Available'] },
    Unavailable: { facts: unavailable(), want: ['Ready', 'False', 'Unavailable'] },
    Creating: { facts: creating(), want: ['Ready', 'False', 'Creating'] },
    Deleting: { facts: deleting(), want: ['Ready', 'False', 'Deleting'] },
    Binding: { facts: binding(), want: ['Ready', 'False', 'Binding'] },
    ReconcileSuccess: { facts: reconcileSuccess(), want: ['Synced', 'True', 'ReconcileSuccess'] },
    ReconcileError: { facts: reconcileError('e'), want: ['Synced', 'False', 'ReconcileError', 'e'] },
    'ReconcilePaused (CheckReconcilePaused)': {
      facts: reconcilePaused('p'),
      want: ['Synced', 'False', 'ReconcilePaused', 'p'],
    },
    'WithMessage added': { facts: creating('m'), want: ['Ready', 'False', 'Creating', 'm'] },
    'WithMessage cleared: an empty message is none': {
      facts: creating(''),
      want: ['Ready', 'False', 'Creating'],
    },
  };
  for (const [name, { facts, want }] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(Object.values(facts), want));
  }
});

describe('setConditions', () => {
  const old = [at(creating('m')), at(reconcileSuccess())];
  const set = (facts: readonly ConditionFacts[], generation?: number) =>
    setConditions(old, facts, { now, generation });

  test('TypeIsIdentical: an equal list, the old time kept', () =>
    assert.deepEqual(set([creating('m')]), old));
  test('TypeIsDifferent: a new status has a new time, in whole seconds', () => {
    assert.deepEqual(set([available()])[0], at(available(), '2026-01-02T03:04:05Z'));
  });
  test('a new message keeps the times: neither status nor reason has changed', () => {
    assert.deepEqual(set([creating('n')])[0], at(creating('n')));
  });
  test('a new reason has a time of its own, until the status changes', () => {
    const changed = setConditions(old, [deleting('n')], { now });
    assert.deepEqual(changed[0], {
      ...at(deleting('n')),
      lastReasonChangeTime: '2026-01-02T03:04:05Z',
    });
    const later = new Date('2026-01-02T04:00:00Z');
    assert.deepEqual(setConditions(changed, [deleting('o')], { now: later })[0], {
      ...at(deleting('o')),
      lastReasonChangeTime: '2026-01-02T03:04:05Z',
    });
    assert.deepEqual(
      setConditions(changed, [available()], { now: later })[0],
      at(available(), '2026-01-02T04:00:00Z'),
    );
  });
  test('WithMessage cleared: no message is left', () => {
    assert.deepEqual(set([creating()])[0], at(creating()));
  });
  test('TypeDoesNotExist: appended', () => {
    const paused = { type: 'Stalled', status: 'True', reason: 'X' } as const;
    assert.deepEqual(set([paused]), [...old, at(paused, '2026-01-02T03:04:05Z')]);
  });
  test('order is that of first setting, and one type occurs once', () => {
    const result = set([reconcileError('e'), available(), reconcileSuccess()]);
    assert.deepEqual(
      result.map(({ type, status }) => [type, status]),
      [
        ['Ready', 'True'],
        ['Synced', 'True'],
      ],
    );
  });
  test('WithObservedGeneration: of the conditions that were set', () => {
    assert.deepEqual(
      set([creating('m')], 4).map(({ observedGeneration }) => observedGeneration),
      [4, undefined],
    );
  });
  test('the old list is left as it was', () => {
    const copy = structuredClone(old);
    set([available()]);
    assert.deepEqual(old, copy);
  });
  test('no list is an empty one', () => {
    assert.equal(setConditions(undefined, [available()], { now }).length, 1);
  });
});

describe('getCondition and isConditionTrue', () => {
  const list = [at(available())];
  test('ConditionExists', () => assert.deepEqual(getCondition(list, 'Ready'), list[0]));
  for (const [name, given] of Object.entries({ absent: list, 'no list': undefined })) {
    test(`ConditionDoesNotExist (${name}): Unknown`, () =>
      assert.deepEqual(getCondition(given, 'Synced'), { type: 'Synced', status: 'Unknown' }));
  }
  const rows = { IsTrue: 'True', IsFalse: 'False', IsUnknown: 'Unknown' } as const;
  for (const [name, status] of Object.entries(rows)) {
    test(name, () =>
      assert.equal(isConditionTrue([{ ...at(available()), status }], 'Ready'), status === 'True'),
    );
  }
  test('IsUnset', () => assert.equal(isConditionTrue(undefined, 'Ready'), false));
});
