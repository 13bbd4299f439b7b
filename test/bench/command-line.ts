import { newFileFlag } from '../../local/flag-files.ts';
import { numberFlag, wordFlag } from '../../local/flags.ts';
import type { HelpRequested } from '../../local/read-command-line.ts';
import { readCommandLine } from '../../local/read-command-line.ts';
import type { PhaseName } from './phase-names.ts';
import { phaseNames, phasesFor } from './phase-names.ts';

export interface BenchOptions {
  /** Claims in the big runs. */
  readonly claims: number;
  /** Where the figures go as JSON. */
  readonly json?: string;
  readonly phases: ReadonlySet<PhaseName>;
  /** All phases for so many claims: docs/performance.md gets the figures. */
  readonly isWhole: boolean;
}

const usage = `flags:
  --claims N         how many claims at once (1000)
  --json FILE        writes the figures and the machine's facts there, too
  --only name,...    some phases: ${phaseNames.join(', ')};
                     without it docs/performance.md gets the figures`;

/** The measurement that a command line asks for, or its error, which names the flag. */
export const parseCommandLine = (args: readonly string[]): BenchOptions | HelpRequested | string =>
  readCommandLine(args, {
    usage,
    config: {
      options: {
        claims: { type: 'string', default: '1000' },
        json: { type: 'string' },
        only: { type: 'string' },
      },
    },
    read: ({ values }) => {
      const claims = numberFlag('--claims', values.claims, { min: 1, max: 20_000 });
      return {
        claims,
        phases: new Set(values.only === undefined ? phasesFor(claims) : phasesIn(values.only)),
        isWhole: values.only === undefined,
        ...(values.json !== undefined && { json: newFileFlag('--json', values.json) }),
      };
    },
  });

const phasesIn = (text: string): readonly PhaseName[] =>
  text.split(',').map((given) => wordFlag('--only', given.trim(), phaseNames));
