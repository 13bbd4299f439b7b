import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { amountFlag, fileFlag, numberFlag, wordFlag } from '../../local/flags.ts';
import type { HelpRequested } from '../../local/read-command-line.ts';
import { readCommandLine } from '../../local/read-command-line.ts';
import type { WorldName } from './generate.ts';
import { worldNames } from './generate.ts';

export interface SimulateOptions {
  /** The first seed; those that follow are the next numbers. */
  readonly seed: number;
  /** How many; Infinity: until the time is up. */
  readonly seeds: number;
  /** Nothing begins after it. */
  readonly minutes: number;
  readonly jobs: number;
  readonly world: WorldName;
  /** A scenario written down, to be played instead. */
  readonly scenario?: string;
  /** Where scenarios that fail are written down. */
  readonly save?: string;
}

const usage = `flags:
  --seeds N          how many runs (1000; without end if --minutes is given; 1 if --seed is)
  --seed S           the first seed (chance); a single run prints what happened
  --minutes M        begins no run after this time
  --world NAME       one of ${worldNames.join(', ')} (demo): the demo's clouds and PostgreSQL, the same among users and clouds that do harm, or AWS and Google Cloud
  --jobs N           runs at a time (the number of cores)
  --scenario FILE    plays one scenario that was written down, and prints what happened
  --save FOLDER      writes down the smallest scenario of each failure`;

/** The simulation that a command line asks for, or its error, which names the flag. */
export const parseCommandLine = (args: readonly string[]): SimulateOptions | HelpRequested | string =>
  readCommandLine(args, {
    usage,
    config: {
      options: {
        seeds: { type: 'string' },
        seed: { type: 'string' },
        minutes: { type: 'string' },
        world: { type: 'string', default: 'demo' },
        jobs: { type: 'string', default: String(availableParallelism()) },
        scenario: { type: 'string' },
        save: { type: 'string' },
      },
    },
    read({ values: { seeds, seed, minutes, world, jobs, scenario, save } }) {
      const withoutTime = seed === undefined ? 1000 : 1;
      const seedsByDefault = minutes === undefined ? withoutTime : Infinity;
      return {
        seed: seed === undefined ? randomInt(1, 2 ** 31) : numberFlag('--seed', seed),
        seeds: seeds === undefined ? seedsByDefault : numberFlag('--seeds', seeds, { min: 1 }),
        minutes: minutes === undefined ? Infinity : amountFlag('--minutes', minutes),
        world: wordFlag('--world', world, worldNames),
        jobs: numberFlag('--jobs', jobs, { min: 1 }),
        ...(scenario !== undefined && { scenario: fileFlag('--scenario', scenario) }),
        ...(save !== undefined && { save: fileFlag('--save', save, 'folder') }),
      };
    },
  });
