import { amountFlag, fileFlag, numberFlag } from '../../local/flags.ts';
import type { HelpRequested } from '../../local/read-command-line.ts';
import { readCommandLine } from '../../local/read-command-line.ts';

export interface ChaosOptions {
  /** How many claims there are when the faults begin. */
  readonly claims: number;
  /** For how long faults go on. */
  readonly minutes: number;
  /** The schedule's. */
  readonly seed: number;
  /** A folder where the logs of all processes and the audit log stay. */
  readonly logs?: string;
  /** Only faults whose name has one of these words in it; all, if empty. */
  readonly only: readonly string[];
}

const usage = `flags:
  --claims N         how many claims there are when the faults begin (50)
  --minutes M        for how long faults go on (5); a fraction will do
  --seed S           of the schedule of faults and of what users do (1)
  --only word,...    only faults whose name has one of these words in it, as "SIGKILL" or "etcd"
  --logs FOLDER      keeps what the processes and the API server's audit log said there`;

/** How to run, from a command line, or what is wrong with it, naming the flag. */
export const parseCommandLine = (args: readonly string[]): ChaosOptions | HelpRequested | string =>
  readCommandLine(args, {
    usage,
    config: {
      options: {
        claims: { type: 'string', default: '50' },
        minutes: { type: 'string', default: '5' },
        seed: { type: 'string', default: '1' },
        only: { type: 'string', default: '' },
        logs: { type: 'string' },
      },
    },
    read: ({ values }) => ({
      claims: numberFlag('--claims', values.claims, { min: 1, max: 2000 }),
      minutes: amountFlag('--minutes', values.minutes, { max: 24 * 60 }),
      seed: numberFlag('--seed', values.seed, { max: 2 ** 32 - 1 }),
      only: values.only.split(',').flatMap((word) => word.trim() || []),
      ...(values.logs !== undefined && { logs: fileFlag('--logs', values.logs, 'folder') }),
    }),
  });
