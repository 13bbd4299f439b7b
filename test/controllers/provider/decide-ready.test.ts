import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import type { ProviderErrorClass } from '../../../controllers/error-class.ts';
import type { ReadyDecision, ReadyInput } from '../../../controllers/provider/decide-ready.ts';
import { decideProviderReady, providerReadyDecisions } from '../../../controllers/provider/decide-ready.ts';
import type { CallResult } from '../../../controllers/provider/provider-health.ts';

const condition = (status: Condition['status'], reason: string): Condition => ({
  type: 'Ready',
  status,
  reason,
  lastTransitionTime: '2026-01-02T03:04:05Z',
});
const failure = (errorClass: ProviderErrorClass, message: string = errorClass): CallResult => ({
  errorClass,
  message,
});
const accepted = condition('True', 'CredentialsAccepted');
const ready = <S extends 'True' | 'False' | 'Unknown'>(status: S, reason: string, message?: string) =>
  ({ type: 'Ready', status, reason, ...(message !== undefined && { message }) }) as const;
const works: ReadyDecision = { name: 'Working', ready: ready('True', 'CredentialsAccepted') };
const fails = (reason: string, message = reason): ReadyDecision => ({
  name: 'Failing',
  ready: ready('False', reason, message),
});
const unusedYet = 'no managed resource uses it, and no call has shown whether it works';
const unused: ReadyDecision = { name: 'Unused', ready: ready('Unknown', 'Unused', unusedYet) };
const pending: ReadyDecision = {
  name: 'Untried',
  ready: ready('Unknown', 'Pending', 'no call has shown yet whether it works'),
};
const unchanged: ReadyDecision = { name: 'Unchanged' };
/** All calls fail like this. */
const failing = (...classes: readonly ProviderErrorClass[]) => ({
  results: classes.map((each) => failure(each)),
});

describe('Ready of a provider', () => {
  const usual: ReadyInput = { before: undefined, isCurrent: true, isUsed: true, results: [] };
  const cases: Readonly<Record<string, readonly [input: Partial<ReadyInput>, wanted: ReadyDecision]>> = {
    'Working: all calls succeed': [{ results: ['works', 'works'] }, works],
    'Working: one user succeeds': [
      { before: accepted, results: [failure('Unreachable'), 'works', failure('Unreachable')] },
      works,
    ],
    'Working: the check of an unused provider succeeds': [{ isUsed: false, results: ['works'] }, works],
    'Working: some calls get no answer, and others are refused after a login': [
      failing('Unreachable', 'Forbidden', 'CredentialsRefused'),
      works,
    ],
    'Failing: no call can read the credentials': [
      failing('CredentialsUnreadable'),
      fails('CannotReadCredentials', 'CredentialsUnreadable'),
    ],
    'Failing: no call gets an answer': [
      { before: accepted, results: [failure('Unreachable', 'first'), failure('Unreachable', 'second')] },
      fails('ProviderUnreachable', 'first'),
    ],
    'Failing: all calls are refused': [failing('CredentialsRefused'), fails('CredentialsRefused')],
    'Failing: no call has the rights that it needs': [failing('Forbidden', 'Forbidden'), fails('Forbidden')],
    'Failing: too many calls': [failing('Throttled'), fails('Throttled')],
    'Failing: the quota of the account is used up': [failing('QuotaExceeded'), fails('QuotaExceeded')],
    'Failing: of several failures, the call that got furthest decides': [
      failing('CredentialsUnreadable', 'CredentialsRefused', 'Unreachable'),
      fails('CredentialsRefused'),
    ],
    'Failing: the check of an unused provider fails': [
      { isUsed: false, before: accepted, ...failing('CredentialsRefused') },
      fails('CredentialsRefused'),
    ],
    'Unchanged: a working provider without users stays Ready': [
      { isUsed: false, before: accepted },
      unchanged,
    ],
    'Unchanged: a start of the process keeps Ready': [{ before: accepted }, unchanged],
    'Unchanged: a start of the process keeps a failure': [
      { before: condition('False', 'ProviderUnreachable') },
      unchanged,
    ],
    'Unchanged: the only user cannot show that it still works': [
      { before: accepted, results: ['unknown'] },
      unchanged,
    ],
    'Failing: a user that shows nothing does not count': [
      { before: accepted, results: ['unknown', failure('Unreachable')] },
      fails('ProviderUnreachable', 'Unreachable'),
    ],
    'Untried: no call fails any more as it did': [
      { before: condition('False', 'CredentialsRefused'), results: ['unknown'] },
      pending,
    ],
    'Unused: a provider that was never tried is Unknown': [{ isUsed: false }, unused],
    'Unused: a failed provider without users and without a check is Unknown': [
      { isUsed: false, before: condition('False', 'CredentialsRefused') },
      unused,
    ],
    'Unused: a provider that worked before an edit is Unknown': [
      { isUsed: false, before: accepted, isCurrent: false },
      unused,
    ],
    'Untried: new': [{}, pending],
    'Untried: it has a user now': [{ before: condition('Unknown', 'Unused') }, pending],
    'Untried: edited': [{ before: accepted, isCurrent: false }, pending],
  };
  for (const [name, [input, wanted]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(decideProviderReady({ ...usual, ...input }), wanted));
  }
  test('each decision has a case', () => {
    const decided = new Set(Object.values(cases).map(([, { name }]) => name));
    assert.deepEqual([...decided].toSorted(), [...providerReadyDecisions].toSorted());
  });
});
