import type { parseArgs } from 'node:util';
import { durationFlag, fileFlag, numberFlag, shareFlag } from '../../local/flags.ts';

/** The flags of every emulator, for `parseArgs`. */
export const emulatorFlags = {
  port: { type: 'string' },
  data: { type: 'string' },
  'provisioning-time': { type: 'string', default: '2s' },
  'deletion-time': { type: 'string', default: '1s' },
  'read-delay': { type: 'string', default: '0' },
  'fail-rate': { type: 'string', default: '0' },
  'rate-limit': { type: 'string' },
} as const;

/** The values of these flags. */
export type EmulatorFlagValues = ReturnType<typeof parseArgs<{ options: typeof emulatorFlags }>>['values'];

/** The options of every emulator. */
export interface EmulatorOptions {
  readonly port: number;
  readonly dataFile?: string;
  readonly provisioningMs: number;
  readonly deletionMs: number;
  readonly readDelayMs: number;
  readonly failRate: number;
  readonly rateLimit?: number;
}

/** The options for these values. Throws BadFlag. */
export function emulatorOptions(
  values: EmulatorFlagValues,
  { defaultPort }: { readonly defaultPort: number },
): EmulatorOptions {
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
