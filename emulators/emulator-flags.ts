import type { parseArgs } from 'node:util';
import { durationFlag, fileFlag, numberFlag, shareFlag } from '../local/flags.ts';

/** The flags that every stand-in of a cloud has, for `parseArgs`. */
export const standInFlags = {
  port: { type: 'string' },
  data: { type: 'string' },
  'provisioning-time': { type: 'string', default: '2s' },
  'deletion-time': { type: 'string', default: '1s' },
  'read-delay': { type: 'string', default: '0' },
  'fail-rate': { type: 'string', default: '0' },
  'rate-limit': { type: 'string' },
} as const;

/** What a command line says of them. */
export type StandInValues = ReturnType<typeof parseArgs<{ options: typeof standInFlags }>>['values'];

/** What every stand-in can be told. */
export interface StandInOptions {
  readonly port: number;
  readonly dataFile?: string;
  readonly provisioningMs: number;
  readonly deletionMs: number;
  readonly readDelayMs: number;
  readonly failRate: number;
  readonly rateLimit?: number;
}

/** The options that these values stand for. Throws BadFlag. */
export function standInOptions(
  values: StandInValues,
  { defaultPort }: { readonly defaultPort: number },
): StandInOptions {
  const { port, data, 'rate-limit': limit } = values;
  return {
    port: port === undefined ? defaultPort : numberFlag('--port', port, { max: 65_535 }),
    ...(data !== undefined && { dataFile: fileFlag('--data', data) }),
    provisioningMs: durationFlag('--provisioning-time', values['provisioning-time']),
    deletionMs: durationFlag('--deletion-time', values['deletion-time']),
    readDelayMs: durationFlag('--read-delay', values['read-delay']),
    failRate: shareFlag('--fail-rate', values['fail-rate']),
    ...(limit !== undefined && { rateLimit: numberFlag('--rate-limit', limit, { min: 1, max: 1_000_000 }) }),
  };
}
