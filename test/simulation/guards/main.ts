/**
 * `npm run guards [-- flags]`: takes the guards of the product away, one at a time, and plays seeds until a promise is
 * broken that is kept with the guard, unless it names a unit test that fails then; prints what noticed. Ends with 0 only
 * if each is noticed, with 2 for a wrong flag.
 */
import { availableParallelism } from 'node:os';
import range from 'lodash/range.js';
import sortBy from 'lodash/sortBy.js';
import { BadFlag, numberFlag } from '../../../local/flags.ts';
import { askedOf, readCommandLine } from '../../../local/read-command-line.ts';
import { generate } from '../generate.ts';
import type { Guard } from './guards.ts';
import { guards } from './guards.ts';
import type { Catch } from './try-guard.ts';
import { failsWithout, tryWithout } from './try-guard.ts';

const usage = `flags:
  --seeds N          how many seeds may notice (1000)
  --only TEXT        the guards of files whose path has this in it, or that guard against it
  --jobs N           guards at a time (the number of cores)`;

const { seeds, chosen, jobs } = askedOf(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: {
      options: {
        seeds: { type: 'string', default: '1000' },
        only: { type: 'string', default: '' },
        jobs: { type: 'string', default: String(availableParallelism()) },
      },
    },
    read: ({ values }) => ({
      seeds: numberFlag('--seeds', values.seeds, { min: 1 }),
      chosen: guardsWith(values.only),
      jobs: numberFlag('--jobs', values.jobs, { min: 1 }),
    }),
  }),
);
/** First those that come to the point. */
const order = sortBy(range(1, seeds + 1), (seed) => (generate(seed).areWritesAlone ? 0 : 1));
/** Whether a seed breaks a promise with all guards in place. */
const brokenAnyway = new Map<number, Promise<boolean>>();
let noticed = 0;
let proven = 0;
let next = 0;
await Promise.all(
  Array.from({ length: jobs }, async () => {
    for (let guard = chosen[next++]; guard !== undefined; guard = chosen[next++]) await judge(guard);
  }),
);
const missed = chosen.length - noticed - proven;
process.stdout.write(
  `\n${chosen.length} guards: ${noticed} noticed by seeds, ${proven} by unit tests, ${missed} not noticed\n`,
);
process.exit(missed === 0 ? 0 : 1);

async function judge(guard: Guard): Promise<void> {
  const { file, against } = guard;
  process.stdout.write(`${file}: ${against}\n  ${await noticeOf(guard)}\n`);
}

async function noticeOf(guard: Guard): Promise<string> {
  const { provenBy } = guard;
  if (provenBy !== undefined && (await failsWithout(guard, provenBy))) {
    proven += 1;
    return `fails: ${provenBy}`;
  }
  const caught = await noticedBy(guard);
  if (caught === undefined) return 'NOT NOTICED';
  noticed += 1;
  return `seed ${caught.seed}: ${caught.what}`;
}

async function noticedBy(guard: Guard): Promise<Catch | undefined> {
  for (let from = 0; ; ) {
    const caught = await tryWithout(guard, order.slice(from));
    if (caught === undefined || !(await isBrokenAnyway(caught.seed))) return caught;
    from = order.indexOf(caught.seed) + 1;
  }
}

function isBrokenAnyway(seed: number): Promise<boolean> {
  const known =
    brokenAnyway.get(seed) ?? tryWithout(undefined, [seed]).then((caught) => caught !== undefined);
  brokenAnyway.set(seed, known);
  return known;
}

/** Throws BadFlag if there are none. */
function guardsWith(text: string): readonly Guard[] {
  const chosen = guards.filter(({ file, against }) => `${file} ${against}`.includes(text));
  if (chosen.length === 0)
    throw new BadFlag(`--only: no guard has ${JSON.stringify(text)} in its path or purpose`);
  return chosen;
}
