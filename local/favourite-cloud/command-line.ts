import { parseArgs } from 'node:util';
import { parseDuration } from '../../runtime/time/duration.ts';
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

/** A value that a flag cannot have. */
class BadFlag extends Error {}

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
      port: port === undefined ? defaultPorts[flavour] : number('--port', port, { max: 65_535 }),
      ...(token === undefined ? {} : { token }),
      ...(data === undefined ? {} : { dataFile: data }),
      provisioningMs: duration('--provisioning-time', values['provisioning-time']),
      deletionMs: duration('--deletion-time', values['deletion-time']),
      readDelayMs: duration('--read-delay', values['read-delay']),
      failRate: share('--fail-rate', values['fail-rate']),
      ...(limit === undefined
        ? {}
        : { rateLimit: number('--rate-limit', limit, { min: 1, max: 1_000_000 }) }),
    };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // parseArgs names the flag and then explains itself at length.
    const [first = ''] = error.message.split(/\.\s/);
    return `${first}\n${usage}`;
  }
}

function number(flag: string, text: string, { min = 0, max }: { min?: number; max: number }): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new BadFlag(`${flag}: "${text}" is no number from ${min} to ${max}`);
  }
  return value;
}

function share(flag: string, text: string): number {
  const value = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || value > 1) throw new BadFlag(`${flag}: "${text}" is no share from 0 to 1`);
  return value;
}

function duration(flag: string, text: string): number {
  const ms = /^0(ms|s|m|h)?$/.test(text) ? 0 : parseDuration(text);
  if (ms === undefined) throw new BadFlag(`${flag}: "${text}" is no duration as 500ms, 2s or 1m`);
  return ms;
}
