import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import map from 'lodash/map.js';
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
const at = (fact: ConditionFacts, lastTransitionTime = before): Condition => {
  return { ...fact, lastTransitionTime };
};

describe('a message', () => {
  const reported = (message: string) => setConditions([], [reconcileError(message)], { now })[0]?.message;

  test('a condition is printable, also if its text comes from a user', () =>
    assert.equal(
      reported('no \u001b[31mway\u001b[0m\nat all\u202e\u0000'),
      'no \\u{1b}[31mway\\u{1b}[0m at all\\u{202e}\\u{0}',
    ));
  test('is no longer than the API server takes', () => {
    const lengths = [40_000, 32_768].map((length) => reported('x'.repeat(length))?.length);
    assert.deepEqual(lengths, [32_768, 32_768]);
  });
  test('of nothing but breaks is none', () => assert.equal(reported('\n'), undefined));
  test('a condition that is reported again is not changed, also if its text had to be made printable', () => {
    const facts = [reconcileError('a\nb\ud83d')];
    const once = setConditions([], facts, { now });
    assert.deepEqual(setConditions(once, facts, { now }), once);
  });
});

describe('the conditions', () => {
  const rows: Record<string, readonly [facts: ConditionFacts, want: string]> = {
    Available: [available(), 'Ready True Available'],
    Unavailable: [unavailable(), 'Ready False Unavailable'],
    Creating: [creating(), 'Ready False Creating'],
    Deleting: [deleting(), 'Ready False Deleting'],
    Binding: [binding(), 'Ready False Binding'],
    ReconcileSuccess: [reconcileSuccess(), 'Synced True ReconcileSuccess'],
    ReconcileError: [reconcileError('e'), 'Synced False ReconcileError e'],
    'ReconcilePaused (CheckReconcilePaused)': [reconcilePaused('p'), 'Synced False ReconcilePaused p'],
    'WithMessage added': [creating('m'), 'Ready False Creating m'],
    'WithMessage cleared: an empty message is none': [creating(''), 'Ready False Creating'],
  };
  for (const [name, [facts, want]] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(Object.values(facts), want.split(' ')));
  }
});

describe('setConditions', () => {
  const old = [at(creating('m')), at(reconcileSuccess())];
  const set = (facts: readonly ConditionFacts[], generation?: number) =>
    setConditions(old, facts, { now, generation });

  test('an equal condition keeps its time', () => assert.deepEqual(set([creating('m')]), old));
  test('another status has the current time, in whole seconds', () => {
    assert.deepEqual(set([available()])[0], at(available(), '2026-01-02T03:04:05Z'));
  });
  test('a new message keeps the times: neither status nor reason has changed', () => {
    assert.deepEqual(set([creating('n')])[0], at(creating('n')));
  });
  test('a new reason has a time of its own, until the status changes', () => {
    const changed = setConditions(old, [deleting('n')], { now });
    const lastReasonChangeTime = '2026-01-02T03:04:05Z';
    assert.deepEqual(changed[0], { ...at(deleting('n')), lastReasonChangeTime });
    const later = (facts: ConditionFacts) =>
      setConditions(changed, [facts], { now: new Date('2026-01-02T04:00:00Z') })[0];
    assert.deepEqual(later(deleting('o')), { ...at(deleting('o')), lastReasonChangeTime });
    assert.deepEqual(later(available()), at(available(), '2026-01-02T04:00:00Z'));
  });
  test('a condition without a message replaces one with a message', () => {
    assert.deepEqual(set([creating()])[0], at(creating()));
  });
  test('a condition of another type is added at the end', () => {
    const paused = { type: 'Stalled', status: 'True', reason: 'X' } as const;
    assert.deepEqual(set([paused]), [...old, at(paused, '2026-01-02T03:04:05Z')]);
  });
  test('order is that of first setting, and one type occurs once', () => {
    const result = set([reconcileError('e'), available(), reconcileSuccess()]);
    assert.deepEqual(map(result, 'type'), ['Ready', 'Synced']);
    assert.deepEqual(map(result, 'status'), ['True', 'True']);
  });
  test('the conditions that are set have the generation, and no others', () => {
    assert.deepEqual(map(set([creating('m')], 4), 'observedGeneration'), [4, undefined]);
  });
  test('the old list does not change', () => {
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
  test('a condition is found by its type', () => assert.deepEqual(getCondition(list, 'Ready'), list[0]));
  for (const [name, given] of Object.entries({ absent: list, 'no list': undefined })) {
    test(`a missing condition is Unknown: ${name}`, () =>
      assert.deepEqual(getCondition(given, 'Synced'), { type: 'Synced', status: 'Unknown' }));
  }
  for (const status of ['True', 'False', 'Unknown'] as const) {
    test(`only the status True is True: ${status}`, () =>
      assert.equal(isConditionTrue([{ ...at(available()), status }], 'Ready'), status === 'True'));
  }
  test('a missing condition is not True', () => assert.equal(isConditionTrue(undefined, 'Ready'), false));
});
