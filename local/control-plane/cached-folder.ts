import { mkdtemp, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { lockPath, withLock } from '../../tools/offline/lock.ts';

/** A folder that takes long to make and is good for as long as its name is asked for. */
export interface CachedFolder {
  /** Holds those of all names, and nothing else. */
  readonly root: string;
  /** Of all that its content depends on: what has the name is never changed. */
  readonly name: string;
  /** Fills an empty folder. */
  make(folder: string): Promise<void>;
  /** Milliseconds after its last use until a folder is deleted when there is a new one. Default: a day. */
  readonly retentionMs?: number;
}

const DRAFT = 'draft-';

/**
 * Answers with the folder of a name: as it was made before, or made now, whole and at once. Only one process of a
 * machine makes one at a time; others wait. An interrupted attempt is never used. Throws the error of `make`.
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
    await removeFormer(root, retentionMs);
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

/** Marks a folder as asked for; false if there is none. */
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
async function removeFormer(root: string, retentionMs: number): Promise<void> {
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
