import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Mutant } from './mutants-in.ts';
import { mutantsIn, mutantsOf } from './mutants-in.ts';
import { tryAll } from './noticed-by.ts';
import type { Equivalent } from './values.ts';
import { equivalents } from './values.ts';
import { isClean, report, verdictOf } from './verdict.ts';

const mutant = (over: Partial<Mutant> = {}): Mutant => ({
  file: 'controllers/a.ts',
  line: 7,
  edit: { start: 0, end: 0, becomes: 'true' },
  text: 'if (a > b) return;',
  was: 'a > b',
  becomes: 'true',
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
    const verdict = verdictOf(2, [mutant()], []);
    assert.equal(isClean(verdict, true), false);
    assert.equal(
      report(verdict, true),
      'survived: controllers/a.ts:7\n  if (a > b) return;\n  - a > b\n  + true\n\n2 runs, 1 survivors',
    );
  });

  test('an explanation holds for one change of one line only', () => {
    assert.equal(isClean(verdictOf(1, [mutant()], [explained]), true), true);
    assert.equal(verdictOf(1, [mutant({ becomes: 'false' })], [explained]).survivors.length, 1);
  });

  test('a guard has no explanation, and its report names the fault', () => {
    const guard = mutant({ against: 'b is reached twice' });
    const verdict = verdictOf(1, [guard], [explained]);
    assert.deepEqual(verdict.survivors, [guard]);
    assert.match(report(verdict, false), /guard: otherwise b is reached twice/);
  });

  test('an explanation of what is noticed is needless, which shows in a whole run', () => {
    const verdict = verdictOf(1, [], [explained]);
    assert.deepEqual([isClean(verdict, true), isClean(verdict, false)], [false, true]);
    assert.match(report(verdict, true), /needlessly explained.*\n {2}if \(a > b\) return;/);
    assert.equal(report(verdict, false), '1 runs, 0 survivors');
  });
});

test('each condition is forced, each default turned round, each boolean turned and each block emptied, but no type', () => {
  const source = 'if (a && !b) { c(); }\nconst d = (e ?? f) as true;\nconst g = () => { return true; };\n';
  assert.deepEqual(
    mutantsIn('a.ts', source).map(({ line, was, becomes }) => `${line}: ${was} → ${becomes}`),
    [
      '1: a && !b → true',
      '1: a && !b → false',
      '1: !b → true',
      '1: !b → false',
      '2: ?? → &&',
      '3: { return true; } → {}',
      '3: true → false',
    ],
  );
});

test('every explanation is given once, and says why', () => {
  const keys = equivalents.map(({ line, was, becomes }) => JSON.stringify([line, was, becomes]));
  assert.deepEqual([...new Set(keys)], keys);
  for (const { line, because } of equivalents) assert.match(because, /\w+ \w+/, line);
});

test('a pattern that fits no file is an error', () => {
  const patterns = ['controllers/claim/decide-class.ts', 'controllers/moved/**/*.ts'];
  assert.throws(() => mutantsOf(patterns), /no file fits the pattern "controllers\/moved\/\*\*\/\*\.ts"/);
});

describe('the mutants of a file', () => {
  const mutants = mutantsOf(['controllers/claim/decide-class.ts']).slice(0, 15);
  const survivors = async (judge: string): Promise<number> => {
    let count = 0;
    await tryAll(
      mutants,
      2,
      (_mutant, test) => {
        if (test === undefined) count += 1;
      },
      () => [`test/controllers/${judge}.test.ts`],
    );
    return count;
  };

  test('are noticed by the tests of the file', async () => {
    assert.ok(mutants.length >= 10, `${mutants.length} mutants`);
    assert.equal(await survivors('claim-scheduling/decide'), 0);
  });

  test('survive the tests of another file', async () => {
    assert.equal(await survivors('status'), mutants.length);
  });
});
