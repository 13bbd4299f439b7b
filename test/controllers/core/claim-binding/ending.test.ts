import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { binding, reconcileError, reconcileSuccess } from '../../../../apis/core/v1alpha1/condition.ts';
import type { ClaimFacts } from '../../../../controllers/core/claim/claim-status.ts';
import { conclude, reported, told } from '../../../../controllers/core/claim-binding/ending.ts';
import { after, done, requeue } from '../../../../runtime/controller/reconcile.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { claim, claimKind, now } from '../objects.ts';

describe('what there is probably nothing to say of in a moment', () => {
  const event = { type: 'Normal', reason: 'WaitingToBind', message: 'waiting' } as const;
  const facts = { conditions: [binding('waiting'), reconcileSuccess()], bindingPhase: 'Unbound' } as const;
  const report = { name: 'AwaitFirstReport', act: 'report', facts, event } as const;
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

describe('a Normal Event is told with news: of the phase, or of Ready', () => {
  const event = { type: 'Normal', reason: 'BoundManagedResource', message: 'bound' } as const;
  const conditions = [binding('waiting'), reconcileSuccess()];
  const before = told(claim(), { facts: { conditions, bindingPhase: 'Unbound' } }, [], now).reported;
  const rows: Record<string, { readonly facts: ClaimFacts; readonly isNews: boolean }> = {
    'nothing is new': { facts: { conditions }, isNews: false },
    'the phase is': { facts: { conditions, bindingPhase: 'Bound' }, isNews: true },
    'what Ready says is': { facts: { conditions: [binding('still waiting')] }, isNews: true },
    'what Synced says is': { facts: { conditions: [reconcileError('denied')] }, isNews: false },
  };
  for (const [name, { facts, isNews }] of Object.entries(rows)) {
    test(name, () =>
      assert.deepEqual(told(before, { facts, events: [event] }, [], now).events, isNews ? [event] : []),
    );
  }
});

test('a run that ends before anything is decided names none', async () => {
  const { env } = new FakeProcess(new FakeCluster());
  const options = { env, claims: env.resource(claimKind), heldBy: () => undefined, log: env.log };
  assert.deepEqual(await conclude(options, { result: requeue }, new AbortController().signal), requeue);
});
