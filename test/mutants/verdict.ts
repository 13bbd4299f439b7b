import type { Equivalent } from './equivalent.ts';
import type { Mutant } from './mutate.ts';

/** The result of a run of mutants. */
export interface Verdict {
  readonly runs: number;
  /** The mutants that no test noticed and that are not explained. */
  readonly survivors: readonly Mutant[];
  /** Those whose tests could not be run: nothing is known of them. */
  readonly failures: readonly Mutant[];
  /** Explanations of what is not there or is noticed by a test: to be removed. */
  readonly needless: readonly Equivalent[];
}

/** Judges a run by the list of equivalent mutants. */
export function verdictOf(mutants: readonly Mutant[], equivalents: readonly Equivalent[]): Verdict {
  const survived = mutants.filter(({ fate }) => fate === 'survived');
  return {
    runs: mutants.length,
    survivors: mutants.filter((mutant) => isSurvivor(mutant, equivalents)),
    failures: mutants.filter(({ fate }) => fate === 'failed'),
    needless: equivalents.filter((given) => !survived.some(explains(given))),
  };
}

/** Whether no test noticed the mutant and it is not explained. */
export const isSurvivor = (mutant: Mutant, equivalents: readonly Equivalent[]): boolean =>
  mutant.fate === 'survived' && !equivalents.some((given) => explains(given)(mutant));

const explains = (given: Equivalent) => (mutant: Mutant) =>
  given.line === mutant.line && given.was === mutant.was && given.becomes === mutant.becomes;

/** Whether a run leaves nothing to do. Of a part of the files it cannot be said which explanations are needless. */
export const isClean = ({ survivors, failures, needless }: Verdict, isWhole: boolean): boolean =>
  survivors.length === 0 && failures.length === 0 && (needless.length === 0 || !isWhole);

/** The verdict for people; the last line says runs and survivors. */
export function report({ runs, survivors, failures, needless }: Verdict, isWhole: boolean): string {
  return [
    ...survivors.map(survivorReport),
    ...failures.map((mutant) => `cannot be tried: ${changeReport(mutant)}`),
    ...(isWhole ? needless : []).map(
      ({ line, was, becomes }) =>
        `needlessly explained in equivalent.ts:\n  ${line}\n  - ${was}\n  + ${becomes}\n`,
    ),
    `${runs} runs, ${survivors.length} survivors`,
  ].join('\n');
}

/** A survivor for people. */
export const survivorReport = (mutant: Mutant): string => `survived: ${changeReport(mutant)}`;

const changeReport = ({ where, line, was, becomes }: Mutant): string =>
  `${where}\n  ${line}\n  - ${was}\n  + ${becomes}\n`;
