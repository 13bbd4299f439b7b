import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { projectRoot } from '../docs/project-copy.ts';
import { checks, lists, unneededChecks } from './checks.ts';
import { patched } from './patched.ts';
import type { Edit } from './rules.ts';
import { editsOf, rules } from './rules.ts';
import { scenarios } from './scenarios.ts';

describe('each edit of a rule matches its source exactly once', () => {
  for (const [name, rule] of Object.entries(rules)) {
    test(name, () => {
      const edits = editsOf(rule);
      assert.ok(edits.length > 0);
      for (const edit of edits) assertPatches(edit);
    });
  }
});

test('each list of checks can be registered on load', () => {
  for (const { edit } of lists) assertPatches(edit);
});

function assertPatches(edit: Edit): void {
  const source = readFileSync(join(projectRoot, edit.file), 'utf8');
  assert.notEqual(patched(edit, source), source);
}

test('each rule names a scenario that fails without it', () => {
  for (const { scenario } of Object.values(rules)) assert.ok(scenario !== undefined && scenario in scenarios);
});

test('few checks of the product are needed by no scenario, each with a reason', () => {
  assert.ok(Object.keys(unneededChecks).length <= 8);
  for (const [name, reason] of Object.entries(unneededChecks)) {
    assert.ok(checks.includes(name), name);
    assert.notEqual(reason, '', name);
  }
});

test('the lists are those of the decisions', () => {
  assert.deepEqual(
    lists.map(({ name, checks: own }) => [name, own.length]),
    [
      ['claimChecks', 15],
      ['resourceChecks', 23],
      ['claimEndChecks', 4],
      ['orphanChecks', 7],
      ['managedChecks', 11],
      ['firstChecks', 5],
      ['absentChecks', 10],
      ['presentChecks', 4],
      ['checksWithoutSecret', 2],
      ['credentialChecks', 7],
    ],
  );
});
