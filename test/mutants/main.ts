/**
 * `npm run mutants [-- flags]`: removes each guard, and changes the code that decides, one operator or condition at a time.
 * Prints what no unit test notices. Ends with 0 only if there is no such thing, with 2 for a wrong flag.
 */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { BadFlag, numberFlag } from '../../local/flags.ts';
import { parsedOrExit, readCommandLine } from '../../local/read-command-line.ts';
import { allGuards } from './guards.ts';
import type { Mutant } from './mutants-in.ts';
import { mutantsOf } from './mutants-in.ts';
import { tryAll } from './noticed-by.ts';
import { judgesOf, mutated } from './scope.ts';
import { equivalents } from './values.ts';
import { isClean, isExplained, report, survivorReport, verdictOf } from './verdict.ts';

const usage = `flags:
  --only PATTERN     the files to mutate, may be repeated (${mutated.join(', ')}, and each guard)
  --guards           the guards alone
  --concurrency N    mutants tried at once (the number of cores)`;

const { only, guards, concurrency } = parsedOrExit(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: {
      options: {
        only: { type: 'string', multiple: true },
        guards: { type: 'boolean', default: false },
        concurrency: { type: 'string', default: String(availableParallelism()) },
      },
    },
    read: ({ values }) => ({
      only: values.only?.flatMap(filesOf),
      guards: values.guards,
      concurrency: numberFlag('--concurrency', values.concurrency, { min: 1 }),
    }),
  }),
);
const mutants: readonly Mutant[] = [
  ...allGuards().filter(({ file }) => only?.includes(file) ?? true),
  ...(guards ? [] : mutantsOf(only ?? mutated)),
];
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
const isWhole = only === undefined && !guards;
process.stdout.write(`${report(verdict, isWhole)}\n`);
process.exit(isClean(verdict, isWhole) ? 0 : 1);

/** Throws BadFlag if the pattern fits no file. */
function filesOf(pattern: string): readonly string[] {
  const files = globSync(pattern);
  if (files.length > 0) return files;
  throw new BadFlag(`--only: there is no file ${JSON.stringify(pattern)}`);
}
