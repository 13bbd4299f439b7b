import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { startAws } from '../../../stacks/aws/emulator/server.ts';
import { startGoogleCloud } from '../../../stacks/gcp/emulator/server.ts';
import type { LoopbackReply } from '../../../testing/emulators/loopback-server.ts';
import { BadBody, startLoopbackServer } from '../../../testing/emulators/loopback-server.ts';
import { startFavouriteCloud } from '../../../testing/favourite-cloud/server.ts';
import { VaultServer } from '../../../testing/vault/server.ts';

const plain = { 'content-type': 'text/plain' };

/** Answers with what there is of a body, or what is wrong with it. */
const echo = () =>
  startLoopbackServer({
    answer: ({ body }): Promise<LoopbackReply> =>
      body().then(
        (text) => ({ status: 200, headers: plain, text: text.slice(0, 10) }),
        (error: BadBody) => ({ status: error.status, headers: plain, text: error.message }),
      ),
  });

describe('a server for one machine', () => {
  const bodies: Readonly<
    Record<string, readonly [body: string | Uint8Array, status: number, refusal: string]>
  > = {
    'none is empty': ['', 200, ''],
    'a megabyte is taken': ['x'.repeat(1_000_000), 200, 'xxxxxxxxxx'],
    'more is not': ['x'.repeat(1_000_001), 413, 'the body is over 1000000 bytes'],
    'ten times as much is not': ['x'.repeat(10_000_000), 413, 'the body is over 1000000 bytes'],
    'nor is what is no UTF-8': [Uint8Array.of(0xff), 400, 'the body is not UTF-8'],
  };
  for (const [name, [body, status, refusal]] of Object.entries(bodies)) {
    test(`reads a body: ${name}`, async (t) => {
      const { url, stop } = await echo();
      t.after(stop);
      for (const _ of ['first', 'once more']) {
        const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(20_000) });
        assert.deepEqual([response.status, await response.text()], [status, refusal]);
      }
    });
  }

  test('reports an incomplete body', async (t) => {
    const { promise: reported, resolve } = Promise.withResolvers<unknown>();
    const { url, stop } = await startLoopbackServer({
      async answer({ body }): Promise<LoopbackReply> {
        resolve(await body().catch((error: unknown) => error));
        return 'never';
      },
    });
    t.after(stop);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 10\r\n\r\nhalf', () => socket.destroy());
    assert.deepEqual(await reported, new BadBody(400, 'the body did not come to its end'));
  });

  test('joins the values of a repeated header', async (t) => {
    const { url, stop } = await startLoopbackServer({
      answer: ({ headers }) => ({ status: 200, headers: plain, text: headers['set-cookie'] ?? '' }),
    });
    t.after(stop);
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('GET / HTTP/1.0\r\nset-cookie: a\r\nset-cookie: b\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.match(answer.toString('utf8'), /\r\n\r\na,b$/);
  });
});

/** The error of each emulator, in the format of its API. */
const refusals = {
  'the favourite cloud': {
    start: startFavouriteCloud,
    tooLarge: [413, /"code":"TooLarge","message":"the body is over 1000000 bytes"/],
    noText: [400, /"code":"BadRequest","message":"the body is not UTF-8"/],
  },
  AWS: {
    start: startAws,
    tooLarge: [413, /^HTTP content length exceeded 1000000 bytes\.\n$/],
    noText: [400, /^the body is not UTF-8\n$/],
  },
  "AWS's control": {
    start: async () => at(await startAws(), '/_faults'),
    tooLarge: [400, /the body is over 1000000 bytes/],
    noText: [400, /the body is not UTF-8/],
  },
  'Google Cloud': {
    start: startGoogleCloud,
    tooLarge: [
      400,
      /"message": "Request payload size exceeds the limit: 1000000 bytes\.",\s+"status": "INVALID_ARGUMENT"/,
    ],
    noText: [
      400,
      /"message": "Invalid JSON payload received\. Unexpected token\.",\s+"status": "INVALID_ARGUMENT"/,
    ],
  },
  "Google Cloud's control": {
    start: async () => at(await startGoogleCloud(), '/_faults'),
    tooLarge: [400, /the body is over 1000000 bytes/],
    noText: [400, /the body is not UTF-8/],
  },
  Vault: {
    start: () => new VaultServer().start(),
    tooLarge: [413, /^\{"errors":\["the body is over 1000000 bytes"\]\}$/],
    noText: [400, /^\{"errors":\["the body is not UTF-8"\]\}$/],
  },
} as const;

const at = ({ url, stop }: { readonly url: string; stop(): Promise<void> }, path: string) => ({
  url: url + path,
  stop,
});

describe('an invalid body is refused by', () => {
  for (const [name, { start, ...wanted }] of Object.entries(refusals)) {
    test(name, async (t) => {
      const server = await start();
      t.after(() => server.stop());
      const bodies = { tooLarge: 'x'.repeat(1_000_001), noText: Uint8Array.of(0xff) };
      for (const kind of ['tooLarge', 'noText'] as const) {
        const [status, refusal] = wanted[kind];
        const response = await fetch(server.url, { method: 'POST', body: bodies[kind] });
        assert.equal(response.status, status);
        assert.match(await response.text(), refusal);
      }
    });
  }
});
