import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim, ClaimStatus } from '../../../apis/core/v1alpha1/claim.ts';
import { notReady } from '../../../apis/core/v1alpha1/condition.ts';
import type { ReadyReason } from '../../../apis/core/v1alpha1/ready-reasons.ts';
import { isOfOtherProcess, otherProcessPatience } from '../../../controllers/claim/other-processes.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { claim, classRef, deletionTimestamp, otherClassKind } from '../objects.ts';

const known = ['ours'];
const foreign = { classRef: classRef('small', otherClassKind) };
const finalizers = ['finalizer.resourceclaim.crossplane.io'];
/** The status after a report on a generation; the generation of the claims here is 3. */
const reported = (
  reason: ReadyReason,
  { observedGeneration = 3, ...more }: ClaimStatus & { readonly observedGeneration?: number } = {},
): ClaimStatus => ({
  conditions: [{ ...notReady(reason, ''), lastTransitionTime: '2026-01-02T03:04:06Z', observedGeneration }],
  ...more,
});

describe('a claim of a kind that this process does not know', () => {
  const rows: Readonly<Record<string, readonly [claim: Claim, isOfOther: boolean]>> = {
    'is reported if no process has written it': [claim(foreign), false],
    'is reported if it has a finalizer and no report, as after a restore': [
      claim(foreign, { finalizers }),
      false,
    ],
    'is left to the process that has bound it, whatever happened to its finalizer': [
      claim(foreign, { status: { bindingPhase: 'Bound' } }),
      true,
    ],
    'is left to the process that reported why it is not bound yet': [
      claim(foreign, { status: reported('NamespaceNotAllowed') }),
      true,
    ],
    'is reported if its class was chosen after it had none': [
      claim(foreign, { status: reported('NoMatchingClass', { observedGeneration: 2 }) }),
      false,
    ],
    'is left to the process that reported that it is created': [
      claim(foreign, { finalizers, status: reported('Creating') }),
      true,
    ],
    'is reported if its author has edited the kind that it names': [
      claim(foreign, { finalizers, status: reported('ResourceNotFound', { observedGeneration: 2 }) }),
      false,
    ],
    'is reported again if its author edits one unknown kind to another': [
      claim(foreign, { finalizers, status: reported('UnknownKind', { observedGeneration: 2 }) }),
      false,
    ],
    'is reported again by the process that reported it': [
      claim(foreign, { status: reported('UnknownKind', { consideredKinds: ['ours'] }) }),
      false,
    ],
    'is not reported again if a process with other kinds reported it': [
      claim(foreign, { status: reported('UnknownKind', { consideredKinds: ['others'] }) }),
      true,
    ],
    'is reported if it is being deleted and no process ends it': [
      claim(foreign, {
        finalizers,
        deletionTimestamp,
        status: reported('Available', { observedGeneration: 2, bindingPhase: 'Bound' }),
      }),
      false,
    ],
    'is left to the process that reported why it cannot end': [
      claim(foreign, { finalizers, deletionTimestamp, status: reported('Deleting') }),
      true,
    ],
  };
  for (const [rule, [of, wanted]] of Object.entries(rows)) {
    test(rule, () => assert.equal(isOfOtherProcess(of, 'UnknownKind', known), wanted));
  }
});

describe('a process that cannot serve a claim waits for another one', () => {
  test('for two seconds since it considered this generation of the claim for the first time', async () => {
    const clock = testClock();
    const patienceMs = otherProcessPatience(clock);
    assert.equal(patienceMs(claim(), 'UnknownKind'), 2_000);
    await clock.advance(1_500);
    assert.equal(patienceMs(claim(), 'UnknownKind'), 500);
    assert.equal(patienceMs(claim({}, { generation: 4 }), 'UnknownKind'), 2_000);
    assert.equal(patienceMs(claim({}, { uid: 'another' }), 'UnknownKind'), 2_000);
    await clock.advance(3_600_000);
    assert.equal(patienceMs(claim(), 'UnknownKind'), 0);
  });

  test('for two seconds, however many claims wait and however late their turns are', async () => {
    const clock = testClock();
    const patienceMs = otherProcessPatience(clock);
    const claims = Array.from({ length: 10_001 }, (_, index) => claim({}, { uid: `claim-${index}` }));
    const waits = () => new Set(claims.map((each) => patienceMs(each, 'NoMatchingClass')));
    assert.deepEqual(waits(), new Set([2_000]));
    await clock.advance(2_500);
    assert.equal(patienceMs(claim({}, { uid: 'new' }), 'NoMatchingClass'), 2_000);
    assert.deepEqual(waits(), new Set([0]));
  });

  test('for half a minute if a process wrote the finalizer, and no report yet', () => {
    const waitMs = (of: Claim) => otherProcessPatience(testClock())(of, 'UnknownKind');
    assert.equal(waitMs(claim({}, { finalizers })), 30_000);
    const hadNoClass = reported('NoMatchingClass', { observedGeneration: 2 });
    assert.equal(waitMs(claim({}, { finalizers, status: hadNoClass })), 30_000);
    assert.equal(waitMs(claim({}, { finalizers, status: reported('UnknownKind') })), 0);
    const edited = reported('ResourceNotFound', { observedGeneration: 2 });
    assert.equal(waitMs(claim({}, { finalizers, status: edited })), 2_000);
    assert.equal(waitMs(claim({}, { finalizers, deletionTimestamp })), 2_000);
  });

  test('a process does not wait if the status already has the same report about this generation', () => {
    const waitMs = (status: ClaimStatus) =>
      otherProcessPatience(testClock())(claim({}, { status }), 'NoMatchingClass');
    assert.equal(waitMs(reported('NoMatchingClass')), 0);
    assert.equal(waitMs(reported('NoMatchingClass', { observedGeneration: 2 })), 2_000);
    assert.equal(waitMs(reported('ClassNotFound')), 2_000);
  });

  test('again about a claim that it has not considered for an hour', async () => {
    const clock = testClock();
    const patienceMs = otherProcessPatience(clock);
    patienceMs(claim(), 'UnknownKind');
    await clock.advance(3_600_000);
    patienceMs(claim({}, { uid: 'another' }), 'UnknownKind');
    assert.equal(patienceMs(claim(), 'UnknownKind'), 2_000);
  });
});
