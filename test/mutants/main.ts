/**
 * `npm run mutants [-- flags]`: changes the code that decides, one operator or condition at a time, and prints what no
 * unit test notices. Ends with 0 only if there is no such thing, with 2 for a wrong flag.
 */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { BadFlag, numberFlag } from '../../local/flags.ts';
import { parsedOrExit, readCommandLine } from '../../local/read-command-line.ts';
import { equivalents } from './equivalent.ts';
import type { Mutant } from './mutants-in.ts';
import { mutantsOf } from './mutants-in.ts';
import { tryAll } from './noticed-by.ts';
import { judgesOf, mutated } from './scope.ts';
import { isClean, isExplained, report, survivorReport, verdictOf } from './verdict.ts';

const usage = `flags:
  --only PATTERN     the files to mutate, may be repeated (${mutated.join(', ')})
  --concurrency N    mutants tried at once (the number of cores)`;

const { only, concurrency } = parsedOrExit(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: {
      options: {
        only: { type: 'string', multiple: true },
        concurrency: { type: 'string', default: String(availableParallelism()) },
      },
    },
    read: ({ values }) => ({
      only: values.only?.map(patternOfFiles),
      concurrency: numberFlag('--concurrency', values.concurrency, { min: 1 }),
    }),
  }),
);
const mutants = mutantsOf(only ?? mutated);
const unnoticed: Mutant[] = [];
await tryAll(
  mutants,
  concurrency,
  (mutant, test) => {
    if (test !== undefined) return;
    unnoticed.push(mutant);
    if (!isExplained(mutant, equivalents)) process.stdout.write(`${survivorReport(mutant)}\n`);
  },
  judgesOf,
);
const verdict = verdictOf(mutants.length, unnoticed, equivalents);
const isWhole = only === undefined;
process.stdout.write(`${report(verdict, isWhole)}\n`);
process.exit(isClean(verdict, isWhole) ? 0 : 1);

/** Throws BadFlag if it fits no file. */
function patternOfFiles(pattern: string): string {
  if (globSync(pattern).length > 0) return pattern;
  throw new BadFlag(`--only: there is no file ${JSON.stringify(pattern)}`);
}
