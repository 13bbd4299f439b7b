import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const model = (...args: readonly string[]) => {
  const main = join(import.meta.dirname, 'main.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { status, stderr, last: stdout.trimEnd().split('\n').at(-1) };
};

test('the last line has scenarios, states and violations; a known limit is none', () => {
  assert.deepEqual(model('by-hand', 'failover'), {
    status: 0,
    stderr: '',
    last: '2 scenarios, 762 states, 0 violations, known limit: failover',
  });
});

test('an ablation ends with 0 if each rule and check is needed', () => {
  assert.deepEqual(model('--ablate', 'backupStatusIsReset', 'claimChecks.resourceLost'), {
    status: 0,
    stderr: '',
    last: '2 rules and checks, 2 needed',
  });
});

test('an ablation ends with 1 if a rule is not needed', () => {
  assert.deepEqual(model('--ablate', 'backupStatusIsReset', 'by-hand'), {
    status: 1,
    stderr: '',
    last: '1 rules and checks, 0 needed, not needed by a scenario: backupStatusIsReset',
  });
});
