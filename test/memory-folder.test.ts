import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isUsable } from './memory-folder.ts';

const GiB = 2 ** 30;
const mount = (options: string): string => `tmpfs /dev/shm tmpfs ${options} 0 0\n`;

describe('a folder in memory', () => {
  const cases: Readonly<Record<string, readonly [mounts: string, freeBytes: number, isUsed: boolean]>> = {
    'with enough space is used': [`proc /proc proc rw 0 0\n${mount('rw,relatime')}`, 8 * GiB, true],
    'without enough space is not used': [mount('rw'), 64 * 2 ** 20, false],
    'that may not hold programs is not used': [mount('rw,nosuid,noexec'), 8 * GiB, false],
    'that is hidden by another mount is not used': [mount('rw') + mount('rw,noexec'), 8 * GiB, false],
    'that is on a disk is not used': ['/dev/sda1 /dev/shm ext4 rw 0 0\n', 8 * GiB, false],
    'that does not exist is not used': ['', 8 * GiB, false],
  };
  for (const [name, [mounts, freeBytes, isUsed]] of Object.entries(cases)) {
    test(name, () => assert.equal(isUsable(mounts, freeBytes), isUsed));
  }
});
