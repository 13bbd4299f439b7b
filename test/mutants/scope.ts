import { matchesGlob } from 'node:path';
import type { Mutation } from './mutation.ts';
import { testsOf } from './tests-of.ts';

/** The mutated files, as patterns: decisions, conditions, triggers and the guards of writes. */
export const mutated: readonly string[] = [
  'controllers/*.ts',
  'controllers/!(author|stores)/**/*.ts',
  'apis/**/condition.ts',
];

const judges = ['test/apis/core/**', 'test/controllers/*', 'test/controllers/!(author|stores)/**'];

/** The unit tests that may kill a mutant, the nearest first. */
export const judgesOf = (mutation: Mutation): readonly string[] =>
  testsOf(mutation).filter((file) => judges.some((pattern) => matchesGlob(file, pattern)));
