import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FaultRecord, Report } from './report.ts';
import { recoveries, reportText } from './report.ts';

const fault = (kind: string, round: number, recoveryMs: number): FaultRecord => ({ kind, round, recoveryMs });
const report = (given: Partial<Report> = {}): Report => ({
  claims: 2,
  minutes: 1,
  seed: 7,
  rounds: 1,
  faults: [fault('SIGKILL etcd', 1, 2500)],
  violations: [],
  longestStall: undefined,
  lives: [],
  requests: 0,
  busiest: [],
  busiestExternal: [],
  userActions: {},
  quiet: { seconds: 20, writes: 0 },
  ...given,
});

describe('the report', () => {
  test('has the worst recovery of each kind, or that a round did not recover', () => {
    const faults = [fault('b', 1, 1000), fault('b', 2, 5000), fault('a', 3, 9000), { kind: 'a', round: 4 }];
    assert.deepEqual(recoveries(faults), [
      { kind: 'a', count: 2 },
      { kind: 'b', count: 2, worstMs: 5000 },
    ]);
  });

  test('ends with what was done and what was violated', () => {
    const last = (text: string) => text.split('\n').at(-1);
    assert.equal(
      last(reportText(report())),
      '2 claims at first, 1 minutes, seed 7: 1 rounds, 1 faults, 0 violations',
    );
    const violation = {
      at: '2026-01-01T00:00:00Z',
      object: 'Claim x',
      problem: 'is gone',
      during: 'round 1',
    };
    const text = reportText(report({ violations: [violation] }));
    assert.equal(last(text), '2 claims at first, 1 minutes, seed 7: 1 rounds, 1 faults, 1 violations');
    assert.match(text, /^VIOLATION 2026-01-01T00:00:00Z Claim x: is gone \(round 1\)$/m);
  });
});
