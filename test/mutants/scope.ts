import { matchesGlob } from 'node:path';
import type { Mutant } from './mutants-in.ts';
import { testsOf } from './tests-of.ts';

/** The mutated files, as patterns: decisions, conditions, triggers and the guards of writes. */
export const mutated: readonly string[] = [
  'controllers/*.ts',
  'controllers/!(author|stores)/**/*.ts',
  'apis/**/condition.ts',
];

const judges = ['test/apis/core/**', 'test/controllers/*', 'test/controllers/!(author|stores)/**'];

/** The unit tests that may kill a mutant, the nearest first. Of a guard, each test that imports its file may. */
export const judgesOf = (mutant: Mutant): readonly string[] =>
  testsOf(mutant).filter(
    (file) => mutant.against !== undefined || judges.some((pattern) => matchesGlob(file, pattern)),
  );
