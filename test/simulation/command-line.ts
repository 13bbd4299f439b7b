import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export interface SimulateOptions {
  /** The first seed; those that follow are the next numbers. */
  readonly seed: number;
  /** How many; Infinity: until the time is up. */
  readonly seeds: number;
  /** Nothing begins after it. */
  readonly minutes: number;
  readonly jobs: number;
  /** A scenario written down, to be played instead. */
  readonly scenario?: string;
  /** Where scenarios that fail are written down. */
  readonly save?: string;
}

const usage = `flags:
  --seeds N          how many runs (1000; without end if --minutes is given; 1 if --seed is)
  --seed S           the first seed (chance); a single run prints what happened
  --minutes M        begins no run after this time
  --jobs N           runs at a time (the number of cores)
  --scenario FILE    plays one scenario that was written down, and prints what happened
  --save FOLDER      writes down the smallest scenario of each failure`;

/** A value that a flag cannot have. */
class BadFlag extends Error {}

/** What to simulate, from a command line, or what is wrong with it, naming the flag. */
export function parseCommandLine(
  args: readonly string[],
  { anySeed = () => randomInt(1, 2 ** 31), cores = availableParallelism() } = {},
): SimulateOptions | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seeds: { type: 'string' },
        seed: { type: 'string' },
        minutes: { type: 'string' },
        jobs: { type: 'string', default: String(cores) },
        scenario: { type: 'string' },
        save: { type: 'string' },
      },
    });
    const { seeds, seed, minutes, jobs, scenario, save } = values;
    if (scenario === '') throw new BadFlag('--scenario: must name a file');
    if (save === '') throw new BadFlag('--save: must name a folder');
    const seedsByDefault = seed !== undefined ? 1 : 1000;
    return {
      seed: seed === undefined ? anySeed() : whole('seed', seed, 0),
      seeds:
        seeds !== undefined ? whole('seeds', seeds, 1) : minutes === undefined ? seedsByDefault : Infinity,
      minutes: minutes === undefined ? Infinity : positive('minutes', minutes),
      jobs: whole('jobs', jobs, 1),
      ...(scenario !== undefined && { scenario }),
      ...(save !== undefined && { save }),
    };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // parseArgs names the flag and then explains itself at length.
    const [first = ''] = error.message.split(/\.\s/);
    return `${first}\n${usage}`;
  }
}

function whole(flag: string, text: string, least: number): number {
  const number = Number(text);
  if (!/^\d{1,15}$/.test(text) || number < least) {
    throw new BadFlag(`--${flag}: "${text}" is no whole number of at least ${least}`);
  }
  return number;
}

function positive(flag: string, text: string): number {
  const number = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || number <= 0)
    throw new BadFlag(`--${flag}: "${text}" is no number above 0`);
  return number;
}
