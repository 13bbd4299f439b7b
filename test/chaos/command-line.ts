import { parseArgs } from 'node:util';

export interface ChaosOptions {
  /** How many claims there are when the faults begin. */
  readonly claims: number;
  /** For how long faults go on. */
  readonly minutes: number;
  /** The schedule's. */
  readonly seed: number;
  /** Where the report goes as JSON. */
  readonly json?: string;
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
  --json FILE        writes the report there, too
  --logs FOLDER      keeps what the processes and the API server's audit log said there`;

/** A value that a flag cannot have. */
class BadFlag extends Error {}

/** How to run, from a command line, or what is wrong with it, naming the flag. */
export function parseCommandLine(args: readonly string[]): ChaosOptions | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        claims: { type: 'string', default: '50' },
        minutes: { type: 'string', default: '5' },
        seed: { type: 'string', default: '1' },
        only: { type: 'string', default: '' },
        json: { type: 'string' },
        logs: { type: 'string' },
      },
    });
    if (values.json === '') throw new BadFlag('--json: must name a file');
    if (values.logs === '') throw new BadFlag('--logs: must name a folder');
    return {
      claims: wholeNumber('--claims', values.claims, 1, 2000),
      minutes: minutesIn(values.minutes),
      seed: wholeNumber('--seed', values.seed, 0, 2 ** 32 - 1),
      only: values.only.split(',').flatMap((word) => word.trim() || []),
      ...(values.json !== undefined && { json: values.json }),
      ...(values.logs !== undefined && { logs: values.logs }),
    };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // parseArgs names the flag and then explains itself at length.
    const [first = ''] = error.message.split(/\.\s/);
    return `${first}\n${usage}`;
  }
}

function wholeNumber(flag: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new BadFlag(`${flag}: "${text}" is no number from ${min} to ${max}`);
  }
  return number;
}

function minutesIn(text: string): number {
  const minutes = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || minutes <= 0 || minutes > 24 * 60) {
    throw new BadFlag(`--minutes: "${text}" is no number above 0 and up to 1440`);
  }
  return minutes;
}
