/**
 * `npm run mutants [-- flags]`: changes the code that decides, one operator or condition at a time, and prints what no
 * unit test notices. Ends with 0 only if there is no such thing, with 2 for a wrong flag.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { equivalents } from './equivalent.ts';
import { mutate } from './mutate.ts';
import { mutated } from './scope.ts';
import { isClean, isSurvivor, report, survivorReport, verdictOf } from './verdict.ts';

const usage = `flags:
  --only PATTERN     the files to mutate, may be repeated (${mutated.join(', ')})
  --concurrency N    mutants tried at once (the number of cores)`;

const options = parseCommandLine();
if (typeof options === 'string') {
  process.stderr.write(`${options}\n${usage}\n`);
  process.exit(2);
}

const { only, concurrency } = options;
const mutants = await mutate({
  mutated: only ?? mutated,
  concurrency,
  onTried: (mutant) => {
    if (isSurvivor(mutant, equivalents)) process.stdout.write(`${survivorReport(mutant)}\n`);
  },
});
const verdict = verdictOf(mutants, equivalents);
const isWhole = only === undefined;
process.stdout.write(`${report(verdict, isWhole)}\n`);
process.exit(isClean(verdict, isWhole) ? 0 : 1);

/** What to do, or what is wrong with the flags. */
function parseCommandLine(): { only: string[] | undefined; concurrency: number } | string {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        concurrency: { type: 'string', default: String(availableParallelism()) },
      },
    });
    const concurrency = Number(values.concurrency);
    if (!Number.isInteger(concurrency) || concurrency < 1)
      return `--concurrency: "${values.concurrency}" is no number of at least 1`;
    return { only: values.only, concurrency };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
