import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startAws } from '../../local/aws/server.ts';
import { startFavouriteCloud } from '../../local/favourite-cloud/server.ts';
import { startGoogleCloud } from '../../local/gcp/server.ts';
import { startLoopbackServer } from '../../local/loopback-server.ts';
import { failureOf } from '../../local/stand-in-process.ts';

describe('a port that is taken is told by the flag that changes it', () => {
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
      assert.equal(failureOf(error), `--port: something else listens at ${host}; 0 takes a free one`);
    });
  }
});

describe('a failure is told', () => {
  const failures: Readonly<Record<string, readonly [error: unknown, told: string]>> = {
    'in its words': [new Error('the disk is full'), 'the disk is full'],
    'whatever it is': ['full', 'full'],
    'as it is where the port is not taken': [
      Object.assign(new Error('listen EACCES: permission denied 127.0.0.1:80'), { code: 'EACCES', port: 80 }),
      'listen EACCES: permission denied 127.0.0.1:80',
    ],
  };
  for (const [name, [error, told]] of Object.entries(failures)) {
    test(name, () => assert.equal(failureOf(error), told));
  }
});
