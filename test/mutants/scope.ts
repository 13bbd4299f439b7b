/**
 * The mutated files, and the tests that must notice a mutant. Patterns, so that files may move inside their
 * rooms.
 */

/** Decisions, conditions, triggers and the guards of writes. */
export const mutated: readonly string[] = ['controllers/core/**/*.ts', 'apis/**/condition.ts'];

/** The unit tests that may kill a mutant, the quickest first: one that fails ends the search. */
export const judges: readonly string[] = [
  'test/apis/core/**/*.test.ts',
  'test/controllers/core/**/*decide*.test.ts',
  'test/controllers/core/**/!(*decide*|*crash*|restore*|odd-objects|legacy-cases|decision-tables).test.ts',
  'test/controllers/core/**/@(*crash*|restore|odd-objects)*.test.ts',
];

/**
 * Kinds of mutation left out: they change the words of a message or ask what happens to values that the types rule
 * out, and would be many.
 */
export const leftOut: readonly string[] = [
  'ArrayDeclaration',
  'ObjectLiteral',
  'OptionalChaining',
  'Regex',
  'StringLiteral',
];
