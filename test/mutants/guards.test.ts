import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../docs/project-copy.ts';
import { allGuards, guardsIn, keyOf } from './guards.ts';
import { applied, parsed } from './mutation.ts';
import { noticedBy } from './noticed-by.ts';
import { testsOf } from './tests-of.ts';
import { values } from './values.ts';

test('a mark without a mutation is an error that names the line', () => {
  assert.throws(
    () => guardsIn('a.ts', '\nconst a = b; // guard: otherwise x'),
    /^Error: a\.ts:2: no mutation/,
  );
});

test('a mark that does not say what happens otherwise is an error', () => {
  assert.throws(
    () => guardsIn('a.ts', 'if (a) b(); // guard: x'),
    /^Error: a\.ts:1: write "guard: otherwise"/,
  );
});

test('each value belongs to exactly one guard', () => {
  const keys = Map.groupBy(allGuards().map(keyOf), (key) => key);
  const counts = Object.keys(values).map((key) => [key, keys.get(key)?.length ?? 0] as const);
  assert.deepEqual(
    counts.filter(([, count]) => count !== 1),
    [],
  );
});

test('each guard of the product has a mutation that parses and changes its file, and tests that import it', () => {
  const guards = allGuards();
  assert.ok(guards.length >= 100, `${guards.length} guards`);
  for (const { file, line, test: named, edit } of guards) {
    const source = readFileSync(join(projectRoot, file), 'utf8');
    const mutated = applied(edit, source);
    assert.notEqual(mutated, source, `${file}:${line}`);
    assert.doesNotThrow(() => parsed(mutated), `${file}:${line}`);
    assert.notDeepEqual(testsOf({ file, test: undefined }), [], file);
    assert.ok(named === undefined || existsSync(join(projectRoot, named)), named);
  }
});

test('a test that fails without a guard is named', async () => {
  const guard = allGuards().find(({ file }) => file === 'runtime/cache/store.ts');
  assert.ok(guard);
  assert.match((await noticedBy(guard)) ?? '', /^test\/runtime\/cache\/store\.test\.ts: /);
});
