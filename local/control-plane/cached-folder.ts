import { mkdtemp, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { lockPath, withLock } from '../../tools/offline/lock.ts';

/** A folder that takes long to create. It stays valid as long as its name is used. */
export interface CachedFolder {
  /** The folder that contains the folders of all names, and nothing else. */
  readonly root: string;
  /** Depends on everything that the content depends on: a folder is never changed after its creation. */
  readonly name: string;
  /** Fills an empty folder. */
  make(folder: string): Promise<void>;
  /** How long after its last use a folder is deleted, if another one is created; ms, default a day. */
  readonly retentionMs?: number;
}

const DRAFT = 'draft-';

/**
 * Returns the folder of a name, and creates it if it does not exist. Only one process of a machine creates one at a time;
 * others wait. The result of an interrupted attempt is never used. Throws the error of `make`.
 */
export async function cachedFolder({
  root,
  name,
  make,
  retentionMs = 24 * 60 * 60_000,
}: CachedFolder): Promise<string> {
  const folder = join(root, name);
  if (await isInUseFromNow(folder)) return folder;
  return withLock(lockPath(root, 'prepare'), async () => {
    if (await isInUseFromNow(folder)) return folder;
    await removePrevious(root, retentionMs);
    const draft = await mkdtemp(join(root, DRAFT));
    try {
      await make(draft);
      await onDisk(draft);
      await rename(draft, folder);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      throw error;
    }
    return folder;
  });
}

/** Marks a folder as used; false if it does not exist. */
async function isInUseFromNow(folder: string): Promise<boolean> {
  const now = new Date();
  return utimes(folder, now, now).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Removes drafts of killed attempts, and unused folders. The lock excludes other processes. */
async function removePrevious(root: string, retentionMs: number): Promise<void> {
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(root, entry.name);
    const isOld = Date.now() - (await stat(path)).mtimeMs > retentionMs;
    if (entry.name.startsWith(DRAFT) || isOld) await rm(path, { recursive: true, force: true });
  }
}

/** A power cut after the renaming must not leave empty files under a name that is believed. */
async function onDisk(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = await open(join(entry.parentPath, entry.name), 'r');
    await file.sync();
    await file.close();
  }
}
