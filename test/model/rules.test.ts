import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { projectRoot } from '../docs/project-copy.ts';
import { patched } from './patched.ts';
import { editsOf, rules } from './rules.ts';
import { scenarios } from './scenarios.ts';

describe('each edit of a rule matches its source exactly once', () => {
  for (const [name, rule] of Object.entries(rules)) {
    const edits = editsOf(rule);
    test(name, () => {
      assert.ok(edits.length > 0);
      for (const edit of edits) {
        const source = readFileSync(join(projectRoot, edit.file), 'utf8');
        assert.notEqual(patched(edit, source), source);
      }
    });
  }
});

test('each rule but one names a scenario that fails without it', () => {
  const unneeded = Object.keys(rules).filter((name) => rules[name]?.scenario === undefined);
  assert.deepEqual(unneeded, ['recordNeedsUnchangedResource']);
  for (const { scenario } of Object.values(rules)) assert.ok(scenario === undefined || scenario in scenarios);
});
