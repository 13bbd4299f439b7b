import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { judges, leftOut } from './scope.ts';
import type { Result } from './tried.ts';
import { tried } from './tried.ts';

type LogLevel = NonNullable<ConstructorParameters<typeof Stryker>[0]['logLevel']>;

/** One change of a line of the source, and what the tests made of it. */
export interface Mutant {
  /** `controllers/core/trigger.ts:12`, for people: it moves. */
  readonly where: string;
  /** The line that the change begins in, without its indentation. */
  readonly line: string;
  /** The replaced text, and its replacement: on one line each. */
  readonly was: string;
  readonly becomes: string;
  /** `failed`: the tests could not be run, or one failed that does not run the line at all. */
  readonly fate: 'killed' | 'survived' | 'failed';
}

export interface MutationOptions {
  /** The project: current directory, which is copied and not touched. */
  readonly mutated: readonly string[];
  /** Default: all judges of the project. */
  readonly judgedBy?: readonly string[];
  /** Mutants tried at once. */
  readonly concurrency: number;
  /**
   * Called with each mutant as soon as it has been tried. Default: none, and no progress on standard output.
   */
  readonly onTried?: ((mutant: Mutant) => void) | undefined;
}

/**
 * Makes every mutant of the files, each tried by those tests alone that run the changed line, until one fails. Works on a
 * copy of the project's tree. Throws if the tests do not pass without a mutant.
 */
export async function mutate(options: MutationOptions): Promise<readonly Mutant[]> {
  const { mutated, judgedBy = judges, concurrency, onTried } = options;
  const copies = mkdtempSync(join(tmpdir(), 'services-stack-mutants-'));
  const remove = () => rmSync(copies, { recursive: true, force: true });
  process.once('exit', remove); // Stryker exits by itself when it gets the signal to stop
  try {
    const files = filesOf(mutated).map((file) => resolve(file));
    const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')])); // they may be edited during that time
    const mutantsOf = (result: Result): readonly Mutant[] =>
      result.status === 'Ignored' ? [] : [mutantOf(result, sources.get(resolve(result.fileName)) ?? '')];
    const stryker = new Stryker({
      testRunner: 'mocha',
      plugins: ['@stryker-mutator/mocha-runner', './test/mutants/tried.ts'],
      mochaOptions: {
        spec: filesOf(judgedBy),
        require: ['./test/mutants/node-test-on-mocha.ts'],
        'no-config': true,
        'no-package': true,
      },
      coverageAnalysis: 'perTest',
      ignoreStatic: true, // what runs while the tests are loaded would need a process of its own for each mutant
      mutate: [...mutated],
      mutator: { excludedMutations: [...leftOut] },
      concurrency,
      dryRunTimeoutMinutes: 60, // a busy machine is no fault
      timeoutMS: 10_000, // beside one and a half times what the tests take without a mutant: for one that loops for ever
      reporters: onTried ? ['tried', 'progress-append-only'] : [],
      logLevel: 'error' as LogLevel, // an enum of types only
      tempDirName: copies,
      cleanTempDir: 'always',
      disableTypeChecks: false, // node strips the types, and does not check them
      ignorePatterns: ['tsconfig.json'], // it is rewritten through an API that TypeScript 7 has not
      allowConsoleColors: false,
    });
    const telling = tried.subscribe((result) => {
      for (const mutant of mutantsOf(result)) onTried?.(mutant);
    });
    const results = await stryker.runMutationTest().finally(() => telling.unsubscribe());
    return results.flatMap(mutantsOf);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** In the order of the patterns, each file once. */
const filesOf = (patterns: readonly string[]): string[] => [
  ...new Set(patterns.flatMap((pattern) => globSync(pattern).toSorted())),
];

const fates: Partial<Record<Result['status'], Mutant['fate']>> = {
  Killed: 'killed',
  Timeout: 'killed',
  Survived: 'survived',
  NoCoverage: 'survived',
};

/** Stryker counts lines and columns from 1. */
function mutantOf(
  { fileName, location: { start, end }, replacement, status, coveredBy = [], killedBy = [] }: Result,
  source: string,
): Mutant {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const mutated = lines.with(-1, lines.at(-1)?.slice(0, end.column - 1) ?? '');
  return {
    where: `${relative('', fileName)}:${start.line}`,
    line: (lines[0] ?? '').trim(),
    was: onOneLine(mutated.join('\n').slice(start.column - 1)),
    becomes: onOneLine(replacement),
    fate: killedBy.every((test) => coveredBy.includes(test)) ? (fates[status] ?? 'failed') : 'failed',
  };
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
