import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOf } from '../../../testing/emulators/emulator-process.ts';

describe('the error of a failure', () => {
  const failures: Readonly<Record<string, readonly [error: unknown, reported: string]>> = {
    'in its words': [new Error('the disk is full'), 'the disk is full'],
    'as a string, if it is one': ['full', 'full'],
    'by the flag where the port may not be had': [
      Object.assign(new Error('listen EACCES: permission denied 127.0.0.1:80'), {
        syscall: 'listen',
        code: 'EACCES',
        address: '127.0.0.1',
        port: 80,
      }),
      '--port: cannot listen on 127.0.0.1:80: this process is not allowed to use that port; 0 takes a free one',
    ],
    'as it is where it is about no port': [
      Object.assign(new Error('open EACCES: permission denied'), { syscall: 'open', code: 'EACCES' }),
      'open EACCES: permission denied',
    ],
  };
  for (const [name, [error, reported]] of Object.entries(failures)) {
    test(name, () => assert.equal(failureOf(error), reported));
  }
});
