import type { ParseArgsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import { BadFlag } from './flags.ts';

/** A command line that asks which flags there are. */
export class HelpRequested {
  /** The answer. */
  readonly usage: string;

  constructor(usage: string) {
    this.usage = usage;
  }
}

/** The flags of a command. */
export interface CommandFlags<C extends ParseArgsConfig, T> {
  /** All of them, in words. */
  readonly usage: string;
  /** For example `parseArgs` takes them. */
  readonly config: C;
  /** Creates the result from the parsed values. Throws BadFlag. */
  readonly read: (parsed: ReturnType<typeof parseArgs<C>>) => T;
}

/**
 * Parses a command line. `--help` or `-h` at any place asks for the usage. A text is an error: it names the flag, and
 * contains the usage. A value may begin with a dash, so that the error of `--port -1` is about the value.
 */
export function readCommandLine<const C extends ParseArgsConfig, T>(
  args: readonly string[],
  { usage, config, read }: CommandFlags<C, T>,
): T | HelpRequested | string {
  const flags = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined);
  if (flags.includes('--help') || flags.includes('-h')) return new HelpRequested(usage);
  try {
    const parsed: unknown = parseArgs({ ...config, args: withValues(args, config) });
    return read(parsed as ReturnType<typeof parseArgs<C>>);
  } catch (error) {
    return `${wrongIn(error)}\n${usage}`;
  }
}

/** `--port -1` as `--port=-1`: alone, parseArgs finds it ambiguous. Throws BadFlag for a flag in place of a value. */
function withValues(args: readonly string[], { options = {} }: ParseArgsConfig): string[] {
  const takesValue = (arg: string | undefined): boolean =>
    arg?.startsWith('--') === true && options[arg.slice(2)]?.type === 'string';
  const written: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const [arg = '', value] = args.slice(at);
    if (arg === '--') return [...written, ...args.slice(at)];
    if (value === undefined || !takesValue(arg)) {
      written.push(arg);
      continue;
    }
    if (value.startsWith('--')) throw new BadFlag(`${arg}: has no value before ${value}`);
    written.push(`${arg}=${value}`);
    at += 1;
  }
  return written;
}

/** Rethrows what is no error of a flag. */
function wrongIn(error: unknown): string {
  if (error instanceof BadFlag) return error.message;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!code.startsWith('ERR_PARSE_ARGS_')) throw error;
  // parseArgs names the flag and then explains itself at length.
  return message.split(/\.\s/)[0] ?? message;
}

/**
 * Returns a parsed command line. Otherwise ends this process: with 0 and the usage on standard output if the user asked
 * for it, with 2 and the error on standard error.
 */
export function parsedOrExit<T>(parsed: T | HelpRequested | string): T {
  if (parsed instanceof HelpRequested) {
    process.stdout.write(`${parsed.usage}\n`);
    process.exit(0);
  }
  if (typeof parsed === 'string') {
    process.stderr.write(`${parsed}\n`);
    process.exit(2);
  }
  return parsed;
}
