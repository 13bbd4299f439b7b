import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Watchdog } from './postgresql-watchdog.ts';
import { watchdog } from './postgresql-watchdog.ts';

/** The folder of a server. When this process ends, in any way, the watchdog ends the server and removes the folder. */
export interface WatchedFolder {
  readonly directory: string;
  readonly dog: Watchdog;
  /** Removes the folder, and dismisses the watchdog. */
  clear(): Promise<void>;
}

/**
 * Creates a temporary folder whose name begins with `services-stack-` and the name. Nothing of this process runs between its
 * creation and the start of the watchdog.
 */
export function watchedFolder(name: string): WatchedFolder {
  const directory = mkdtempSync(join(tmpdir(), `services-stack-${name}-`));
  const dog = watchdog(directory);
  return {
    directory,
    dog,
    async clear() {
      await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
      dog.dismiss();
    },
  };
}
