import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** What a file holds, and how to change that. */
export interface EstateFile<T> {
  /** Undefined: there is no file yet. */
  readonly saved?: T;
  readonly save: (estate: T) => void;
}

/**
 * What a stand-in of a cloud holds, kept beyond the end of its process: the file is replaced whole or not at all,
 * whenever this process ends, and nobody else may read it. Throws if there is one that is no JSON.
 */
export function estateFile<T>(file: string): EstateFile<T> {
  return {
    ...(existsSync(file) && { saved: JSON.parse(readFileSync(file, 'utf8')) as T }),
    save(estate) {
      writeFileSync(`${file}.new`, JSON.stringify(estate), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}
