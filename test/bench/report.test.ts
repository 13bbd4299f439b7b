import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countsIn, listed } from './cost.ts';
import { figure } from './figures.ts';
import { section, withSection } from './report.ts';

const conditions = {
  claims: 1_000,
  commit: 'abc1234',
  date: '2026-01-02T03:04:05Z',
  cores: 2,
  cpu: 'a CPU',
  memoryMiB: 4096,
  node: 'v24.0.0',
  apiServer: 'v1.20.2',
};
const figures = [
  figure('writes', 9.04, 'count', { limit: { budget: 9.2, goal: 9 }, note: 'POST a|b 1' }),
  figure('time', 7, 'ms', { limit: { budget: 5 } }),
];

describe('the section of docs/performance.md', () => {
  const text = section(figures, conditions);

  test('has the conditions and a row for each figure', () => {
    assert.match(
      text,
      /^Commit abc1234, 2026-01-02; 2 cores of a CPU, 4096 MiB; Node v24\.0\.0; kube-apiserver v1\.20\.2\.$/m,
    );
    assert.match(text, /^\| writes \| 9\.04 \| 9\.2 \| 9 \| ok \| POST a\\\|b 1 \|$/m);
    assert.match(text, /^\| time \| 7 ms \| 5 ms \| {2}\| over \| {2}\|$/m);
  });

  test('replaces the one for the same number of claims, and no other', () => {
    const large = section(figures, { ...conditions, claims: 10_000 });
    const page = withSection(withSection('# Performance\n', 1_000, text), 10_000, large);
    const later = section(figures, { ...conditions, commit: 'def5678' });
    const changed = withSection(page, 1_000, later);
    assert.equal(changed, page.replace('abc1234', 'def5678'));
    assert.ok(changed.endsWith(`${large}\n`));
  });
});

test('the counts of a process are read from its metrics', () => {
  const counts = countsIn(
    [
      'services_stack_reconcile_reasons_total{controller="c",because="its class changed"} 3',
      'services_stack_reconcile_reasons_total{controller="c",because="it appeared"} 5',
      'controller_runtime_reconcile_total{controller="c",result="success"} 6',
      'controller_runtime_reconcile_total{controller="c",result="conflict"} 0',
      'rest_client_requests_total{method="PATCH",resource="a",host="h",code="200"} 4',
      'rest_client_requests_total{method="PATCH",resource="b",host="h",code="200"} 1',
    ].join('\n'),
  );
  assert.deepEqual(counts, {
    reasons: { 'c its class changed': 3, 'c it appeared': 5 },
    runs: { 'c success': 6, 'c conflict': 0 },
    requests: { 'PATCH a 200': 4, 'PATCH b 200': 1 },
  });
  assert.equal(listed(counts.reasons, 2), '`c it appeared` 2.5, `c its class changed` 1.5');
});
