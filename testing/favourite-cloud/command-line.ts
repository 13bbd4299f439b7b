import { BadFlag, wordFlag } from '../../local/flags.ts';
import type { HelpRequested } from '../../local/read-command-line.ts';
import { readCommandLine } from '../../local/read-command-line.ts';
import { emulatorFlags, emulatorOptions } from '../emulators/emulator-flags.ts';
import type { FavouriteCloudOptions } from './server.ts';

/** The default port of each flavour. The Secrets of the examples name these ports. */
const defaultPorts = { favourite: 18080, other: 18081 } as const;

const usage = `flags:
  --flavour favourite|other   which cloud's API (favourite)
  --port N                    where to listen; 0 takes a free one (18080, other 18081)
  --token T                   the bearer token that is asked for (favourite-token, other other-token)
  --data FILE                 where it keeps what it holds, so that it outlives the process (nowhere)
  --provisioning-time 2s      how long creation takes (2s)
  --deletion-time 1s          how long deletion takes (1s)
  --read-delay 500ms          how long reads lag behind writes (0)
  --fail-rate 0.1             share of requests that fail, 0 to 1 (0)
  --rate-limit N              requests per second before 429 (none)`;

/** The server's options from a command line, or an error that names the wrong flag. */
export const parseCommandLine = (args: readonly string[]): FavouriteCloudOptions | HelpRequested | string =>
  readCommandLine(args, {
    usage,
    config: {
      options: {
        ...emulatorFlags,
        flavour: { type: 'string', default: 'favourite' },
        token: { type: 'string' },
      },
    },
    read({ values }) {
      const { token } = values;
      const flavour = wordFlag('--flavour', values.flavour, ['favourite', 'other']);
      if (token === '') throw new BadFlag('--token: must not be empty');
      return {
        flavour,
        ...emulatorOptions(values, { defaultPort: defaultPorts[flavour] }),
        ...(token === undefined ? {} : { token }),
      };
    },
  });
