import { parseArgs } from 'node:util';
import type { PhaseName } from './phase-names.ts';
import { phaseNames } from './phase-names.ts';

export interface BenchOptions {
  /** Claims in the big runs. */
  readonly claims: number;
  /** Where the figures go as JSON. */
  readonly json?: string;
  readonly phases: ReadonlySet<PhaseName>;
}

const usage = `flags:
  --claims N         how many claims at once (1000)
  --json FILE        writes the figures and the machine's facts there, too
  --only name,...    some phases: ${phaseNames.join(', ')}`;

/** A value that a flag cannot have. */
class BadFlag extends Error {}

/** What to measure, from a command line, or what is wrong with it, naming the flag. */
export function parseCommandLine(args: readonly string[]): BenchOptions | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        claims: { type: 'string', default: '1000' },
        json: { type: 'string' },
        only: { type: 'string' },
      },
    });
    if (values.json === '') throw new BadFlag('--json: must name a file');
    return {
      claims: claimCount(values.claims),
      phases: new Set(values.only === undefined ? phaseNames : phasesIn(values.only)),
      ...(values.json !== undefined && { json: values.json }),
    };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // parseArgs names the flag and then explains itself at length.
    const [first = ''] = error.message.split(/\.\s/);
    return `${first}\n${usage}`;
  }
}

function claimCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 20_000) {
    throw new BadFlag(`--claims: "${text}" is no number from 1 to 20000`);
  }
  return count;
}

function phasesIn(text: string): readonly PhaseName[] {
  return text.split(',').map((given) => {
    const name = phaseNames.find((known) => known === given.trim());
    if (name === undefined) throw new BadFlag(`--only: "${given}" is none of ${phaseNames.join(', ')}`);
    return name;
  });
}
