/**
 * `npm run guards [-- flags]`: removes the guards of the product, one at a time, and runs the nearest tests until one
 * fails; prints that test. Ends with 0 only if each removal is noticed, with 2 for a wrong flag.
 */
import { availableParallelism } from 'node:os';
import { BadFlag, numberFlag } from '../../../local/flags.ts';
import { parsedOrExit, readCommandLine } from '../../../local/read-command-line.ts';
import { tryAll } from '../../mutants/noticed-by.ts';
import type { Guard } from './marks.ts';
import { allGuards } from './marks.ts';

const usage = `flags:
  --only TEXT        the guards with this text in their path or fault
  --jobs N           guards at a time (the number of cores)`;

const { chosen, jobs } = parsedOrExit(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: {
      options: {
        only: { type: 'string', default: '' },
        jobs: { type: 'string', default: String(availableParallelism()) },
      },
    },
    read: ({ values }) => ({
      chosen: guardsWith(values.only),
      jobs: numberFlag('--jobs', values.jobs, { min: 1 }),
    }),
  }),
);

let missed = 0;
await tryAll(chosen, jobs, (guard, test) => {
  if (test === undefined) missed += 1;
  const result = test === undefined ? 'NOT NOTICED' : `fails: ${test}`;
  process.stdout.write(`${guard.file}:${guard.line}: ${guard.against}\n  ${result}\n`);
});
process.stdout.write(`\n${chosen.length} guards, ${missed} not noticed\n`);
process.exit(missed === 0 ? 0 : 1);

/** Throws BadFlag if there are none. */
function guardsWith(text: string): readonly Guard[] {
  const found = allGuards().filter(({ file, against }) => `${file} ${against}`.includes(text));
  if (found.length === 0)
    throw new BadFlag(`--only: no guard has ${JSON.stringify(text)} in its path or fault`);
  return found;
}
