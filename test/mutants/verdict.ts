import type { Mutant } from './mutants-in.ts';
import type { Equivalent } from './values.ts';

/** The result of a run of mutants. */
export interface Verdict {
  readonly runs: number;
  /** The mutants that no test noticed and that are not explained. */
  readonly survivors: readonly Mutant[];
  /** Explanations of what is not there or is noticed by a test: to be removed. */
  readonly needless: readonly Equivalent[];
}

/** Judges a run, in which no test noticed these mutants, by the list of equivalent ones. */
export const verdictOf = (
  runs: number,
  unnoticed: readonly Mutant[],
  equivalents: readonly Equivalent[],
): Verdict => ({
  runs,
  survivors: unnoticed.filter((mutant) => !isExplained(mutant, equivalents)),
  needless: equivalents.filter((given) => !unnoticed.some(explains(given))),
});

export const isExplained = (mutant: Mutant, equivalents: readonly Equivalent[]): boolean =>
  equivalents.some((given) => explains(given)(mutant));

/** A guard has no explanation: a test must notice its removal. */
const explains = (given: Equivalent) => (mutant: Mutant) =>
  mutant.against === undefined &&
  given.line === mutant.text &&
  given.was === mutant.was &&
  given.becomes === mutant.becomes;

/** Whether a run leaves nothing to do. Of a part of the files it cannot be said which explanations are needless. */
export const isClean = ({ survivors, needless }: Verdict, isWhole: boolean): boolean =>
  survivors.length === 0 && (needless.length === 0 || !isWhole);

/** The verdict for people; the last line says runs and survivors. */
export function report({ runs, survivors, needless }: Verdict, isWhole: boolean): string {
  return [
    ...survivors.map(survivorReport),
    ...(isWhole ? needless : []).map(
      ({ line, was, becomes }) =>
        `needlessly explained in values.ts:\n  ${line}\n  - ${was}\n  + ${becomes}\n`,
    ),
    `${runs} runs, ${survivors.length} survivors`,
  ].join('\n');
}

/** A survivor for people. */
export const survivorReport = ({ file, line, text, was, becomes, against }: Mutant): string =>
  `survived: ${file}:${line}\n${against === undefined ? '' : `  guard: otherwise ${against}\n`}  ${text}\n  - ${was}\n  + ${becomes}\n`;
