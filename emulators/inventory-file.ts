import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { cannot, checkWritable, readJsonFile } from '../local/flag-files.ts';
import { BadFlag } from '../local/flags.ts';

/** What a file holds, and how to change that. */
export interface EstateFile<T> {
  /** Undefined: there is no file yet. */
  readonly saved?: T;
  /** Throws BadFlag where it cannot, which is told as well. */
  readonly save: (estate: T) => void;
}

export interface EstateFileOptions {
  /** Whether a file's JSON is what such a stand-in saves. */
  readonly isSaved: (json: object) => boolean;
  /** Is told when the file can no longer be written, and when it can again. Default: standard error is. */
  readonly tell?: (text: string) => void;
}

const toStandardError = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * What a stand-in of a cloud holds, kept beyond the end of its process: the file is replaced whole or not at all,
 * whenever this process ends, and nobody else may read it. Throws BadFlag, which names `--data`, for one that cannot be
 * written, and for one that is there and that no such stand-in has saved.
 */
export function estateFile<T extends object>(
  file: string,
  { isSaved, tell = toStandardError }: EstateFileOptions,
): EstateFile<T> {
  const saved = readJsonFile('--data', file);
  if (saved !== undefined && !isSaved(saved)) {
    throw new BadFlag(`--data: ${file} holds nothing that this stand-in has saved`);
  }
  checkWritable('--data', file);
  let failure: string | undefined;
  return {
    ...(saved !== undefined && { saved: saved as T }),
    save(estate) {
      try {
        writeFileSync(`${file}.new`, JSON.stringify(estate), { mode: 0o600 });
        renameSync(`${file}.new`, file);
      } catch (error) {
        rmSync(`${file}.new`, { force: true });
        const told = cannot('--data', 'write', file, error);
        // Once, not at each request.
        if (told.message !== failure) tell(told.message);
        failure = told.message;
        throw told;
      }
      if (failure !== undefined) tell(`--data: ${file} is written again`);
      failure = undefined;
    },
  };
}
