import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Fault } from '../../../../controllers/core/error-class.ts';
import type { ReadyDecision, ReadyInput } from '../../../../controllers/core/provider/decide-ready.ts';
import {
  decideProviderReady,
  providerReadyDecisions,
} from '../../../../controllers/core/provider/decide-ready.ts';
import type { Evidence } from '../../../../controllers/core/provider/provider-health.ts';

const said = (status: Condition['status'], reason: string, observedGeneration = 1): Condition => ({
  type: 'Ready',
  status,
  reason,
  lastTransitionTime: '2026-01-02T03:04:05Z',
  observedGeneration,
});
const works: Evidence = { uid: 'u', generation: 1, hasWorked: true };
const failing = (fault: Fault, sinceMs = 0): Evidence => ({
  ...works,
  failing: { sinceMs, fault, message: 'boom' },
});
const accepted = said('True', 'CredentialsAccepted');
const isFalse = (reason: string) => ({ type: 'Ready', status: 'False', reason, message: 'boom' }) as const;

describe('Ready of a provider', () => {
  const usual: ReadyInput = {
    before: undefined,
    generation: 1,
    users: 1,
    evidence: undefined,
    unreadable: undefined,
    isUnsteady: false,
    pollIntervalMs: 60_000,
    nowMs: 0,
  };
  const unused = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'Unused',
    message: 'no managed resource uses it, so that no call has tried it',
  } as const;
  const pending = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'Pending',
    message: 'no call has used it yet',
  } as const;
  const fails = (reason: string): ReadyDecision => ({ name: 'Failing', ready: isFalse(reason) });
  const cases: Readonly<Record<string, readonly [input: Partial<ReadyInput>, wanted: ReadyDecision]>> = {
    'CannotReadCredentials: an unused provider whose Secret is missing is not Ready': [
      { users: 0, unreadable: 'boom', before: accepted },
      { name: 'CannotReadCredentials', ready: isFalse('CannotReadCredentials') },
    ],
    'Unused: a provider that was never tried is Unknown': [{ users: 0 }, { name: 'Unused', ready: unused }],
    'Unused: a failed provider without users is Unknown': [
      { users: 0, before: said('False', 'CredentialsRefused'), evidence: failing('CredentialsRefused') },
      { name: 'Unused', ready: unused },
    ],
    'Unused: a provider that worked before an edit is Unknown': [
      { users: 0, before: accepted, generation: 2 },
      { name: 'Unused', ready: unused },
    ],
    'Unchanged: a working provider without users stays Ready': [
      { users: 0, before: accepted },
      { name: 'Unchanged' },
    ],
    'Unchanged: a start of the process keeps Ready': [{ before: accepted }, { name: 'Unchanged' }],
    'Unchanged: a start of the process keeps a failure': [
      { before: said('False', 'NoAnswer') },
      { name: 'Unchanged' },
    ],
    'FailsBriefly: refused a moment ago': [
      { before: accepted, evidence: failing('CredentialsRefused', 1_000), nowMs: 5_999 },
      { name: 'FailsBriefly', waitMs: 1 },
    ],
    'FailsBriefly: no answer a moment ago': [
      { before: accepted, evidence: failing('Unreachable'), nowMs: 19_000 },
      { name: 'FailsBriefly', waitMs: 1_000 },
    ],
    'FailsBriefly: for longer where it comes and goes': [
      { before: accepted, evidence: failing('CredentialsRefused'), isUnsteady: true, nowMs: 60_000 },
      { name: 'FailsBriefly', waitMs: 60_000 },
    ],
    'FailsBriefly: for two polls, where they are rare': [
      {
        before: accepted,
        evidence: failing('CredentialsRefused'),
        isUnsteady: true,
        pollIntervalMs: 600_000,
        nowMs: 60_000,
      },
      { name: 'FailsBriefly', waitMs: 1_140_000 },
    ],
    'Failing: refused for 5 s': [
      { before: accepted, evidence: failing('CredentialsRefused'), nowMs: 5_000 },
      fails('CredentialsRefused'),
    ],
    'Failing: no answer for 20 s': [
      { before: accepted, evidence: failing('Unreachable'), nowMs: 20_000 },
      fails('NoAnswer'),
    ],
    'Failing: at once, where nothing has worked': [
      { evidence: failing('CredentialsUnreadable') },
      fails('CannotReadCredentials'),
    ],
    'Failing: at once, for another reason than before': [
      { before: said('False', 'NoAnswer'), evidence: failing('CredentialsRefused') },
      fails('CredentialsRefused'),
    ],
    'Working: a call has succeeded': [
      { before: said('False', 'NoAnswer'), evidence: works },
      { name: 'Working', ready: { type: 'Ready', status: 'True', reason: 'CredentialsAccepted' } },
    ],
    'Untried: new': [{}, { name: 'Untried', ready: pending }],
    'Untried: it has a user now': [
      { before: said('Unknown', 'Unused') },
      { name: 'Untried', ready: pending },
    ],
    'Untried: edited': [
      { before: accepted, generation: 2 },
      { name: 'Untried', ready: pending },
    ],
  };
  for (const [name, [input, wanted]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(decideProviderReady({ ...usual, ...input }), wanted));
  }
  test('each decision has a case', () => {
    const decided = new Set(Object.values(cases).map(([, { name }]) => name));
    assert.deepEqual([...decided].toSorted(), [...providerReadyDecisions].toSorted());
  });
});
