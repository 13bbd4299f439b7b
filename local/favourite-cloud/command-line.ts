import { parseArgs } from 'node:util';
import { BadFlag, durationFlag, explainFlags, numberFlag, shareFlag } from '../flags.ts';
import { flavours } from './cloud.ts';
import type { FavouriteCloudOptions } from './server.ts';

/** Where each flavour listens unless told otherwise; the examples' secrets name these. */
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

/** The server's options from a command line, or what is wrong with it, naming the flag. */
export function parseCommandLine(args: readonly string[]): FavouriteCloudOptions | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        flavour: { type: 'string', default: 'favourite' },
        port: { type: 'string' },
        token: { type: 'string' },
        data: { type: 'string' },
        'provisioning-time': { type: 'string', default: '2s' },
        'deletion-time': { type: 'string', default: '1s' },
        'read-delay': { type: 'string', default: '0' },
        'fail-rate': { type: 'string', default: '0' },
        'rate-limit': { type: 'string' },
      },
    });
    const { flavour, port, token, data, 'rate-limit': limit } = values;
    if (flavour !== 'favourite' && flavour !== 'other') {
      throw new BadFlag(`--flavour: "${flavour}" is none of ${Object.keys(flavours).join(', ')}`);
    }
    if (token === '') throw new BadFlag('--token: must not be empty');
    if (data === '') throw new BadFlag('--data: must name a file');
    return {
      flavour,
      port: port === undefined ? defaultPorts[flavour] : numberFlag('--port', port, { max: 65_535 }),
      ...(token === undefined ? {} : { token }),
      ...(data === undefined ? {} : { dataFile: data }),
      provisioningMs: durationFlag('--provisioning-time', values['provisioning-time']),
      deletionMs: durationFlag('--deletion-time', values['deletion-time']),
      readDelayMs: durationFlag('--read-delay', values['read-delay']),
      failRate: shareFlag('--fail-rate', values['fail-rate']),
      ...(limit === undefined
        ? {}
        : { rateLimit: numberFlag('--rate-limit', limit, { min: 1, max: 1_000_000 }) }),
    };
  } catch (error) {
    return explainFlags(error, usage);
  }
}
