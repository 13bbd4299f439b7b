import { matchesGlob } from 'node:path';
import type { Mutation } from './mutation.ts';
import { testsOf } from './tests-of.ts';

/** The mutated files, as patterns: decisions, conditions, triggers and the guards of writes. */
export const mutated: readonly string[] = ['controllers/**/*.ts', 'apis/**/condition.ts'];

/** The unit tests that may kill a mutant, the nearest first. */
export const judgesOf = (mutation: Mutation): readonly string[] =>
  testsOf(mutation).filter((file) => matchesGlob(file, 'test/{apis,controllers}/core/**'));
