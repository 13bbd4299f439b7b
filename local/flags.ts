import { parseDuration } from '../runtime/time/duration.ts';

/** A value that a flag cannot have; the message names the flag. */
export class BadFlag extends Error {}

/** A value in quotes, for a message, without control characters. */
const quoted = (text: string): string => JSON.stringify(text);

/** A whole number; without `max` of any size. Throws BadFlag. */
export function numberFlag(
  flag: string,
  text: string,
  { min = 0, max }: { readonly min?: number; readonly max?: number } = {},
): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > (max ?? Number.MAX_SAFE_INTEGER)) {
    const range = max === undefined ? `whole number of at least ${min}` : `number from ${min} to ${max}`;
    throw new BadFlag(`${flag}: ${quoted(text)} is no ${range}`);
  }
  return value;
}

/** A number above 0, also a fraction. Throws BadFlag. */
export function amountFlag(flag: string, text: string, { max }: { readonly max?: number } = {}): number {
  const value = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || value <= 0 || value > (max ?? Number.MAX_SAFE_INTEGER)) {
    const range = max === undefined ? 'number above 0' : `number above 0 and up to ${max}`;
    throw new BadFlag(`${flag}: ${quoted(text)} is no ${range}`);
  }
  return value;
}

/** One of these words. Throws BadFlag. */
export function wordFlag<T extends string>(flag: string, text: string, known: readonly T[]): T {
  const word = known.find((one) => one === text);
  if (word === undefined) throw new BadFlag(`${flag}: ${quoted(text)} is none of ${known.join(', ')}`);
  return word;
}

/** A share, from 0 to 1. Throws BadFlag. */
export function shareFlag(flag: string, text: string): number {
  const value = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || value > 1)
    throw new BadFlag(`${flag}: ${quoted(text)} is no share from 0 to 1`);
  return value;
}

const longestMs = 24 * 3_600_000;

/** A duration such as 500ms, 2s or 1m, in milliseconds, up to a day. Throws BadFlag. */
export function durationFlag(flag: string, text: string, { minMs = 0 } = {}): number {
  const ms = /^0(ms|s|m|h)?$/.test(text) ? 0 : parseDuration(text);
  if (ms === undefined) throw new BadFlag(`${flag}: ${quoted(text)} is no duration as 500ms, 2s or 1m`);
  if (ms < minMs) throw new BadFlag(`${flag}: ${quoted(text)} is less than ${minMs}ms`);
  if (ms > longestMs) throw new BadFlag(`${flag}: ${quoted(text)} is more than 24h`);
  return ms;
}

/** The name of a file or of a folder. Throws BadFlag. */
export function fileFlag(flag: string, text: string, what: 'file' | 'folder' = 'file'): string {
  if (text === '') throw new BadFlag(`${flag}: must name a ${what}`);
  return text;
}

/** A URL. Throws BadFlag. */
export function urlFlag(flag: string, text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new BadFlag(`${flag}: ${JSON.stringify(text)} is no address as https://example.org/services-stack`);
  return text;
}
