import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FaultRecord, Report } from './report.ts';
import { median, recoveries, reportText } from './report.ts';

const fault = (kind: string, round: number, recoveryMs: number, wasAlone = true): FaultRecord => ({
  kind,
  detail: '',
  round,
  startedAt: '2026-01-01T00:00:00Z',
  lastedMs: 1000,
  recoveryMs,
  wasAlone,
});
const report = (given: Partial<Report> = {}): Report => ({
  claims: 2,
  minutes: 1,
  seed: 7,
  rounds: 1,
  faults: [fault('SIGKILL etcd', 1, 2500)],
  violations: [],
  longestStall: undefined,
  lives: [],
  before: undefined,
  after: undefined,
  requests: 0,
  busiest: [],
  busiestExternal: [],
  busiestLinks: [],
  userActions: {},
  quiet: { seconds: 20, writes: 0 },
  ...given,
});

describe('the report', () => {
  test('has the median and the worst recovery of each kind, of rounds in which it was alone', () => {
    const faults = [
      fault('b', 1, 1000),
      fault('b', 2, 5000),
      fault('b', 3, 3000),
      fault('a', 4, 9000, false),
      fault('b', 4, 9000, false),
    ];
    assert.deepEqual(recoveries(faults), [
      { kind: 'a', count: 1 },
      { kind: 'b', count: 4, medianMs: 3000, worstMs: 5000 },
      { kind: 'several at once', count: 1, medianMs: 9000, worstMs: 9000 },
    ]);
  });

  test('the median of an even number is the lower one, of none is none', () => {
    assert.deepEqual([median([4, 1, 3, 2]), median([])], [2, undefined]);
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
