import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { cannot, checkWritable, readJsonFile } from '../../local/flag-files.ts';
import { BadFlag } from '../../local/flags.ts';

/** The file of an inventory. */
export interface InventoryFile<T> {
  /** The saved inventory. Absent: there is no file yet. */
  readonly saved?: T;
  /** Writes the file. Throws BadFlag if that fails, and reports it. */
  readonly save: (inventory: T) => void;
}

export interface InventoryFileOptions {
  /** Whether JSON is an inventory of this emulator. */
  readonly isSaved: (json: object) => boolean;
  /** Called when writing the file begins to fail, and when it works again. Default: writes to standard error. */
  readonly report?: (text: string) => void;
}

const toStandardError = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * Saves the inventory of an emulator in a file, for the next process. The file is replaced as a whole, even if this process
 * is killed, and only its owner can read it. Throws BadFlag, which names `--data`, if the file cannot be written, and if it
 * contains anything but an inventory of this emulator.
 */
export function inventoryFile<T extends object>(
  file: string,
  { isSaved, report = toStandardError }: InventoryFileOptions,
): InventoryFile<T> {
  const saved = readJsonFile('--data', file);
  if (saved !== undefined && !isSaved(saved)) {
    throw new BadFlag(`--data: ${file} contains no inventory of this emulator`);
  }
  checkWritable('--data', file);
  let failure: string | undefined;
  return {
    ...(saved !== undefined && { saved: saved as T }),
    save(inventory) {
      try {
        writeFileSync(`${file}.new`, JSON.stringify(inventory), { mode: 0o600 });
        renameSync(`${file}.new`, file);
      } catch (error) {
        rmSync(`${file}.new`, { force: true });
        const problem = cannot('--data', 'write', file, error);
        // Once, not at each request.
        if (problem.message !== failure) report(problem.message);
        failure = problem.message;
        throw problem;
      }
      if (failure !== undefined) report(`--data: ${file} is written again`);
      failure = undefined;
    },
  };
}
