import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const simulate = (...args: readonly string[]) => {
  const main = join(import.meta.dirname, 'main.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr, last: stdout.trimEnd().split('\n').at(-1) ?? '' };
};

test('the last line says runs and violations, and the exit code whether there are any', () => {
  const { status, last } = simulate('--seeds', '2', '--seed', '1', '--jobs', '2');
  assert.match(last, /^2 runs in \d+ s \(\d+ a minute\), 0 violations$/);
  assert.equal(status, 0);
});

test('a single run prints what happened', () => {
  const { status, stdout, last } = simulate('--seed', '1');
  assert.match(stdout, /^ *0\.000 p1 +starts$/m);
  assert.equal(last, '1 run, 0 violations');
  assert.equal(status, 0);
});

test('a scenario that cannot be read ends it with 2', () => {
  const { status, stderr } = simulate('--scenario', 'no-such-file.json');
  assert.match(stderr, /^--scenario: /);
  assert.equal(status, 2);
});
