import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { binding, reconcileSuccess } from '../../../../apis/core/v1alpha1/condition.ts';
import { reported } from '../../../../controllers/core/claim-binding/ending.ts';
import { after, done } from '../../../../runtime/controller/reconcile.ts';
import { claim, now } from '../objects.ts';

describe('what there is probably nothing to say of in a moment', () => {
  const event = { type: 'Normal', reason: 'WaitingToBind', message: 'waiting' } as const;
  const facts = { conditions: [binding('waiting'), reconcileSuccess()], bindingPhase: 'Unbound' } as const;
  const report = { row: 'K11 quiet', act: 'report', facts, event } as const;
  const at = (waitMs: number) => reported(claim(), { ...report, notBeforeMs: now.getTime() + waitMs }, now);
  const toldNow = { claim: claim(), facts, events: [event], result: done };

  for (const waitMs of [1, 2_000]) {
    test(`is looked at again then: in ${waitMs} ms`, () =>
      assert.deepEqual(at(waitMs), { result: after(waitMs) }));
  }
  for (const waitMs of [-1, 0]) {
    test(`is said once the moment is over: ${waitMs} ms`, () => assert.deepEqual(at(waitMs), toldNow));
  }
  test('is said at once where the moment is too long: the clocks disagree', () =>
    assert.deepEqual(at(2_001), toldNow));
  test('is said at once where there is no such moment', () =>
    assert.deepEqual(reported(claim(), report, now), toldNow));
});
