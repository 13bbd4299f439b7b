import { readFileSync, statfsSync } from 'node:fs';
import { availableMemory } from 'node:process';

const folder = '/dev/shm';
/** More than the tests need at once, for example for the packages of a release. */
const neededBytes = 8 * 2 ** 30;

/**
 * A folder in memory for temporary files; undefined if this machine has none with enough space, or none that may hold
 * programs. PostgreSQL creates and deletes hundreds of files for each database, which is slow on some disks.
 */
export function memoryFolder(): string | undefined {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const [, , type, options = ''] =
      mounts.map((line) => line.split(' ')).find(([, at]) => at === folder) ?? [];
    const { bavail, bsize } = statfsSync(folder);
    const hasSpace = Math.min(bavail * bsize, availableMemory()) >= neededBytes;
    return type === 'tmpfs' && !options.split(',').includes('noexec') && hasSpace ? folder : undefined;
  } catch {
    return undefined; // not on this system
  }
}
