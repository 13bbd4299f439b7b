import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { BadFlag, fileFlag } from './flags.ts';

const reasons: Readonly<Record<string, (file: string) => string>> = {
  ENOENT: (file) => `there is no folder ${dirname(file)}`,
  ENOTDIR: (file) => `${dirname(file)} is no folder`,
  EISDIR: () => 'it is a folder',
  EACCES: () => 'it is not permitted',
  EPERM: () => 'it is not permitted',
  EROFS: () => 'nothing can be written there',
  ENOSPC: () => 'the disk is full',
  EDQUOT: () => 'the disk quota is used up',
};

/** Why a file that a flag names cannot be read or written, in one sentence. */
export function cannot(flag: string, act: 'read' | 'write', file: string, error: unknown): BadFlag {
  const { code, message } = error as NodeJS.ErrnoException;
  const missing = act === 'read' && code === 'ENOENT' ? 'there is no such file' : undefined;
  const reason = missing ?? reasons[code ?? '']?.(file) ?? code ?? message;
  return new BadFlag(`${flag}: cannot ${act} ${file}: ${reason}`);
}

/**
 * The JSON object in a file that a flag names; undefined if there is no file. Throws BadFlag without any of
 * the content.
 */
export function readJsonFile(flag: string, file: string): object | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cannot(flag, 'read', file, error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the file.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new BadFlag(`${flag}: ${file} holds no JSON object`);
}

/** Throws BadFlag if a file that a flag names, and that may not be there yet, could not be written. Leaves it as it is. */
export function checkWritable(flag: string, file: string): void {
  try {
    closeSync(openSync(`${file}.new`, 'w', 0o600));
    rmSync(`${file}.new`);
  } catch (error) {
    throw cannot(flag, 'write', file, error);
  }
}

/** The name of a file that is written at the end of long work. Throws BadFlag, before that, if it cannot be. */
export function newFileFlag(flag: string, text: string): string {
  const file = fileFlag(flag, text);
  checkWritable(flag, file);
  return file;
}
