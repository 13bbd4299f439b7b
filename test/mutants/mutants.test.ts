import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Equivalent } from './equivalent.ts';
import { equivalents } from './equivalent.ts';
import type { Mutant } from './mutate.ts';
import { mutate } from './mutate.ts';
import { isClean, report, verdictOf } from './verdict.ts';

const mutant = (fate: Mutant['fate'], over: Partial<Mutant> = {}): Mutant => ({
  where: 'controllers/core/a.ts:7',
  line: 'if (a > b) return;',
  was: 'a > b',
  becomes: 'true',
  fate,
  ...over,
});
const explained: Equivalent = {
  line: 'if (a > b) return;',
  was: 'a > b',
  becomes: 'true',
  because: 'b is never reached',
};

describe('the verdict on mutants', () => {
  test('the survivors are printed, and the last line has the number of runs and survivors', () => {
    const verdict = verdictOf([mutant('killed'), mutant('survived', { becomes: 'a >= b' })], []);
    assert.equal(isClean(verdict, true), false);
    assert.equal(
      report(verdict, true),
      'survived: controllers/core/a.ts:7\n  if (a > b) return;\n  - a > b\n  + a >= b\n\n2 runs, 1 survivors',
    );
  });

  test('none is left: clean', () => {
    const verdict = verdictOf([mutant('killed')], []);
    assert.equal(isClean(verdict, true), true);
    assert.equal(report(verdict, true), '1 runs, 0 survivors');
  });

  test('one that is explained is no survivor, wherever it has moved', () => {
    const moved = mutant('survived', { where: 'runtime/b.ts:99' });
    assert.equal(isClean(verdictOf([moved], [explained]), true), true);
  });

  for (const [what, over] of Object.entries({
    'another change of that line': { becomes: 'false' },
    'another part of it': { was: 'a' },
    'that line, edited since': { line: 'if (a > b) return 1;' },
  })) {
    test(`the explanation does not hold for ${what}`, () => {
      const verdict = verdictOf([mutant('survived', over)], [explained]);
      assert.deepEqual([verdict.survivors.length, verdict.needless], [1, [explained]]);
    });
  }

  test('an explanation of what is noticed is needless, which shows in a whole run', () => {
    const verdict = verdictOf([mutant('killed')], [explained]);
    assert.deepEqual([isClean(verdict, true), isClean(verdict, false)], [false, true]);
    assert.match(report(verdict, true), /needlessly explained.*\n {2}if \(a > b\) return;/);
    assert.equal(report(verdict, false), '1 runs, 0 survivors');
  });

  test('one that cannot be tried is not clean', () => {
    const verdict = verdictOf([mutant('failed')], []);
    assert.equal(isClean(verdict, true), false);
    assert.match(report(verdict, true), /^cannot be tried: controllers/);
  });
});

test('every explanation is given once, and says why', () => {
  const keys = equivalents.map(({ line, was, becomes }) => JSON.stringify([line, was, becomes]));
  assert.deepEqual([...new Set(keys)], keys);
  for (const { line, because } of equivalents) assert.match(because, /\w+ \w+/, line);
});

describe('a share of the mutants', () => {
  const mutated = ['controllers/core/**/considered-kinds.ts'];
  const share = (judge: string, onTried?: (mutant: Mutant) => void) =>
    mutate({ mutated, judgedBy: [`test/controllers/core/${judge}.test.ts`], concurrency: 1, onTried });

  test('is noticed by the tests of what it changes', async () => {
    const verdict = verdictOf(await share('claim-scheduling/decide'), equivalents);
    assert.ok(verdict.runs >= 10, `${verdict.runs} runs`);
    assert.equal(isClean(verdict, false), true, report(verdict, false));
  });

  test('a mutant is tried by the tests of its file alone, and reported as soon as it is known', async () => {
    const told: Mutant[] = [];
    const mutants = await share('status', (mutant) => told.push(mutant));
    assert.deepEqual([...new Set(mutants.map(({ fate }) => fate))], ['survived']);
    assert.deepEqual(new Set(told), new Set(mutants));
  });
});
