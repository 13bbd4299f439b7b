import { parseDuration } from '../runtime/time/duration.ts';

/** A value that a flag cannot have; the message names the flag. */
export class BadFlag extends Error {}

/** A whole number. Throws BadFlag. */
export function numberFlag(
  flag: string,
  text: string,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new BadFlag(`${flag}: "${text}" is no number from ${min} to ${max}`);
  }
  return value;
}

/** A share, from 0 to 1. Throws BadFlag. */
export function shareFlag(flag: string, text: string): number {
  const value = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || value > 1) throw new BadFlag(`${flag}: "${text}" is no share from 0 to 1`);
  return value;
}

/** A duration as 500ms, 2s or 1m, in milliseconds. Throws BadFlag. */
export function durationFlag(flag: string, text: string): number {
  const ms = /^0(ms|s|m|h)?$/.test(text) ? 0 : parseDuration(text);
  if (ms === undefined) throw new BadFlag(`${flag}: "${text}" is no duration as 500ms, 2s or 1m`);
  return ms;
}

/** The name of a file. Throws BadFlag. */
export function fileFlag(flag: string, text: string): string {
  if (text === '') throw new BadFlag(`${flag}: must name a file`);
  return text;
}

/** What is wrong with a command line, and what would be right. Rethrows what is no error of a flag. */
export function explainFlags(error: unknown, usage: string): string {
  if (!(error instanceof Error)) throw error;
  // parseArgs names the flag and then explains itself at length.
  const [first = ''] = error.message.split(/\.\s/);
  return `${first}\n${usage}`;
}
