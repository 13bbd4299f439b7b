import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errorFactsOf } from '../../../clients/external-error.ts';
import { progressOf } from '../../../stacks/aws/node-group/update-progress.ts';

/** The state of an update; if it failed, also its message and the class of its error. */
function summary(status: string, ...errors: readonly { readonly code: string; readonly message: string }[]) {
  const progress = progressOf({ status, errors });
  return progress.state === 'failed'
    ? [progress.state, progress.error.message, errorFactsOf(progress.error)?.errorClass]
    : [progress.state];
}

const reported = 'EKS reports for the update: Failed';
const denied = { code: 'AccessDenied', message: 'no iam:PassRole' };
const evicted = { code: 'PodEvictionFailure', message: 'a budget forbids it' };
const full = { code: 'InsufficientFreeAddresses', message: 'subnet-1 is full' };
const rows: Readonly<Record<string, readonly [found: readonly unknown[], wanted: readonly unknown[]]>> = {
  'a missing right needs an administrator': [
    summary('Failed', denied),
    ['failed', `${reported}: AccessDenied: no iam:PassRole`, 'Forbidden'],
  ],
  'a subnet without addresses is a quota': [
    summary('Failed', full),
    ['failed', `${reported}: InsufficientFreeAddresses: subnet-1 is full`, 'QuotaExceeded'],
  ],
  'an eviction may succeed later': [
    summary('Failed', evicted),
    ['failed', `${reported}: PodEvictionFailure: a budget forbids it`, 'Unknown'],
  ],
  'an error that needs a person decides': [
    summary('Failed', evicted, denied),
    [
      'failed',
      `${reported}: PodEvictionFailure: a budget forbids it; AccessDenied: no iam:PassRole`,
      'Forbidden',
    ],
  ],
  'a cancelled update has no reason': [
    summary('Cancelled'),
    ['failed', 'EKS reports for the update: Cancelled', 'Unknown'],
  ],
  'an update that goes on': [summary('InProgress'), ['running']],
};

describe('the progress of an update of a node group', () => {
  for (const [rule, [found, wanted]] of Object.entries(rows))
    test(rule, () => assert.deepEqual(found, wanted));
  test('is unknown if EKS has forgotten it', () =>
    assert.deepEqual(progressOf(undefined), { state: 'unknown' }));
});
