import { join } from 'node:path';

/** What an API server says of itself at `/version`. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
}

/** The version in an answer of `/version`; undefined if there is none. Some clouds write the minor as `25+`. */
export function serverVersionIn(answer: unknown): ServerVersion | undefined {
  const { major, minor } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const version = { major: Number.parseInt(String(major), 10), minor: Number.parseInt(String(minor), 10) };
  return Number.isNaN(version.major) || Number.isNaN(version.minor) ? undefined : version;
}

/** Whether a server of that version has CEL rules in definitions, on by default since 1.25. */
export const knowsRules = ({ major, minor }: ServerVersion): boolean => major > 1 || minor >= 25;

/**
 * Of a folder of definitions the one that fits a server: itself, or the folder in it with the same definitions and
 * their rules. Older servers drop rules without a word, but kubectl does not send them.
 */
export const definitionsFolder = (folder: string, version: ServerVersion): string =>
  knowsRules(version) ? join(folder, 'with-cel-rules') : folder;
