import { readFileSync, statfsSync } from 'node:fs';
import { availableMemory } from 'node:process';

const folder = '/dev/shm';
/** The tests need less than 1 GiB at once. The rest is for the page cache and for other programs. */
const neededBytes = 8 * 2 ** 30;

/** Whether a folder in memory can hold the temporary files of the tests, programs included. `mounts` as in `/proc/mounts`. */
export function isUsable(mounts: string, freeBytes: number): boolean {
  // The last file system that is mounted at a folder hides the others.
  const mount = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, at]) => at === folder);
  const [, , type, options = ''] = mount ?? [];
  return type === 'tmpfs' && !options.split(',').includes('noexec') && freeBytes >= neededBytes;
}

/**
 * A folder in memory; undefined if this machine has none that is usable. PostgreSQL creates and deletes hundreds of
 * files for each database, which is slow on some disks.
 */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    const mounts = readFileSync('/proc/mounts', 'utf8');
    return isUsable(mounts, Math.min(bavail * bsize, availableMemory())) ? folder : undefined;
  } catch {
    return undefined; // not on this system
  }
}
