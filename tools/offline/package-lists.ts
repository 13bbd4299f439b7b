import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The folder in which apt has the lists of packages of one suite and architecture. This process reads them once. */
export interface PackageLists {
  readonly folder: string;
  /** Lets `read` fill the folder, unless this process has read the lists, or is reading them. */
  readOnce(read: () => Promise<void>): Promise<void>;
}

const prefix = 'package-lists-';
const hourMs = 60 * 60 * 1_000;
/** By the folder with caches that they are in. */
const roots = new Map<string, string>();
/** By the folder of the lists. */
const reads = new Map<string, Promise<void>>();

/** A folder for the lists of this process. It is removed when the process ends; what a killed process left, after an hour. */
function createRoot(parent: string): string {
  mkdirSync(parent, { recursive: true });
  const root = mkdtempSync(join(parent, prefix));
  process.once('exit', () => rmSync(root, { recursive: true, force: true }));
  for (const name of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    const other = join(parent, name);
    const createdMs = statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (statSync(root).mtimeMs - createdMs > hourMs) rmSync(other, { recursive: true, force: true });
  }
  return root;
}

/**
 * Lists of packages in a folder with caches. To read them takes three seconds of one core, and a dozen programs need the
 * same ones.
 */
export function packageLists(parent: string, suite: string, architecture = 'own'): PackageLists {
  const root = roots.get(parent) ?? createRoot(parent);
  roots.set(parent, root);
  const folder = join(root, `${suite}-${architecture}`);
  return {
    folder,
    async readOnce(read) {
      const reading = reads.get(folder) ?? read();
      reads.set(folder, reading);
      try {
        await reading;
      } catch (error) {
        reads.delete(folder); // the next call tries again
        throw error;
      }
    },
  };
}
