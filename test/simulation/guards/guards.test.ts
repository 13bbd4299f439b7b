import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { projectRoot } from '../../docs/project-copy.ts';
import { applied, parsed } from '../../mutants/mutation.ts';
import { noticedBy } from '../../mutants/noticed-by.ts';
import { testsOf } from '../../mutants/tests-of.ts';
import { allGuards, guardsIn } from './marks.ts';

describe('the marked line determines the mutation', () => {
  const lines: Readonly<Record<string, readonly [line: string, mutated: string]>> = {
    'the condition of an if is false': ['if (a) b(); // guard: x', 'if (false) b(); // guard: x'],
    'the condition of an if is the given value': [
      'if (a && b) c(); // guard(a): x',
      'if (a) c(); // guard(a): x',
    ],
    'the condition of a returned conditional expression is false': [
      'const f = () => { \n  return a ? b : c; // guard: x\n};',
      'const f = () => { \n  return false ? b : c; // guard: x\n};',
    ],
    'a statement is removed': ['a();\nawait b(); // guard: x', 'a();\n // guard: x'],
    'a variable gets the given value': [
      'const a = await f(b); // guard(b): x',
      'const a = b; // guard(b): x',
    ],
    'an operand is removed': [
      'const a =\n  b() && // guard: x\n  c();',
      'const a =\n  true && // guard: x\n  c();',
    ],
    'an operand in parentheses is removed': [
      'const a = b && (\n  (c && d) || // guard: x\n  e);',
      'const a = b && (\n  (false) || // guard: x\n  e);',
    ],
    'an element is removed': ['f([\n  ...a, // guard: x\n  b,\n]);', 'f([\n   // guard: x\n  b,\n]);'],
    'a property gets the given value': [
      'f({\n  a: b, // guard(c): x\n});',
      'f({\n  a: c, // guard(c): x\n});',
    ],
    'an argument gets the given value': ['f(\n  a(), // guard(b): x\n);', 'f(\n  b, // guard(b): x\n);'],
    'the body of an arrow function gets the given value': [
      'const f = (a) =>\n  g(a); // guard(a): x',
      'const f = (a) =>\n  a; // guard(a): x',
    ],
    'a mark above the line, with another comment between them': [
      '// guard: x\n// y\na();\nb();',
      '// guard: x\n// y\n\nb();',
    ],
  };
  for (const [rule, [source, mutated]] of Object.entries(lines)) {
    test(rule, () => {
      const [guard] = guardsIn('a.ts', source);
      assert.ok(guard);
      assert.deepEqual([guard.against, applied(guard.edit, source)], ['x', mutated]);
    });
  }
});

test('a mark may name a test file', () => {
  const [guard] = guardsIn('a.ts', 'a(); // guard: two (or three) calls (test/a.test.ts)');
  assert.deepEqual([guard?.against, guard?.test], ['two (or three) calls', 'test/a.test.ts']);
});

test('a mark without a mutation is an error that names the line', () => {
  assert.throws(() => guardsIn('a.ts', '\nconst a = b; // guard: x'), /^Error: a\.ts:2: no mutation/);
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

test('the nearest tests come first', () => {
  const [first = '', second = ''] = testsOf({ file: 'runtime/cache/store.ts', test: undefined });
  assert.deepEqual(
    [first, second.startsWith('test/runtime/cache/')],
    ['test/runtime/cache/store.test.ts', true],
  );
  assert.equal(testsOf({ file: 'runtime/cache/store.ts', test: 'test/a.test.ts' })[0], 'test/a.test.ts');
});

test('a test that fails without a guard is named', async () => {
  const guard = allGuards().find(({ file }) => file === 'runtime/cache/store.ts');
  assert.ok(guard);
  assert.match((await noticedBy(guard)) ?? '', /^test\/runtime\/cache\/store\.test\.ts: /);
});
