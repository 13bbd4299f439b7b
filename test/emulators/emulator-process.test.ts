import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startAws } from '../../emulators/aws/server.ts';
import { failureOf } from '../../emulators/emulator-process.ts';
import { startFavouriteCloud } from '../../emulators/favourite-cloud/server.ts';
import { startGoogleCloud } from '../../emulators/gcp/server.ts';
import { startLoopbackServer } from '../../emulators/loopback-server.ts';

describe('the error of a port in use names the flag that changes it', () => {
  const stands = { AWS: startAws, 'Google Cloud': startGoogleCloud, 'Favourite Cloud': startFavouriteCloud };
  for (const [name, start] of Object.entries(stands)) {
    test(name, async (t) => {
      const { url, stop } = await startLoopbackServer({ answer: () => 'never' });
      t.after(stop);
      const { host, port } = new URL(url);
      const error = await start({ port: Number(port) }).then(
        () => assert.fail('it was started'),
        (thrown: unknown) => thrown,
      );
      const why = 'another process uses that port';
      assert.equal(failureOf(error), `--port: cannot listen on ${host}: ${why}; 0 takes a free one`);
    });
  }
});

describe('the error of a failure', () => {
  const failures: Readonly<Record<string, readonly [error: unknown, reported: string]>> = {
    'in its words': [new Error('the disk is full'), 'the disk is full'],
    'as a string, if it is one': ['full', 'full'],
    'by the flag where the port may not be had': [
      Object.assign(new Error('listen EACCES: permission denied 127.0.0.1:80'), {
        ...{ syscall: 'listen', code: 'EACCES', address: '127.0.0.1', port: 80 },
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
