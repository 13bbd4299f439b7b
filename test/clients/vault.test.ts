import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { VaultClient } from '../../clients/vault.ts';
import { vaultClient } from '../../clients/vault.ts';
import type { VaultErrorCode } from '../../clients/vault-error.ts';
import { VaultError } from '../../clients/vault-error.ts';
import { VaultServer } from '../../emulators/vault/server.ts';
import { realClock } from '../../runtime/time/clock.ts';
import { testClock } from '../../testing/test-clock.ts';
import { InProcessVault } from '../fakes/in-process-vault.ts';

const token = 'vault-token';
const signal = new AbortController().signal;

const failsAs = (code: VaultErrorCode, message?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof VaultError, String(error));
  assert.equal(error.code, code);
  assert.ok(!error.message.includes(token), 'no token in the message');
  if (message !== undefined) assert.match(error.message, message);
  return true;
};

/** One that is served, and one in memory, which answer alike. */
const places = {
  'the Vault client': () => {
    const server = new VaultServer({ token });
    before(() => server.start());
    after(() => server.stop());
    return { server, createClient: vaultClient };
  },
  'the Vault client, without a network': () => {
    const server = new InProcessVault(realClock(), { token });
    return { server, createClient: server.clientsFor() };
  },
};

for (const [place, open] of Object.entries(places))
  describe(place, () => {
    const { server, createClient } = open();
    let client: VaultClient;
    beforeEach(() => {
      client = createClient('secret', { clock: realClock(), server: server.url, token });
      server.isSealed = false;
    });
    afterEach(() => client.close());

    test('nothing is there before it is written', async () => {
      assert.equal(await client.read('crossplane/none', signal), undefined);
    });

    test('read returns the written data, with its version and custom metadata', async () => {
      await client.writeMetadata('crossplane/a', { owner: 'u' }, signal);
      assert.deepEqual(await client.read('crossplane/a', signal), {
        data: undefined,
        version: 0,
        customMetadata: { owner: 'u' },
      });
      await client.write('crossplane/a', { password: 'p' }, { cas: 0 }, signal);
      assert.deepEqual(await client.read('crossplane/a', signal), {
        data: { password: 'p' },
        version: 1,
        customMetadata: { owner: 'u' },
      });
    });

    test('a version that is no longer the newest is not overwritten', async () => {
      await client.write('crossplane/b', { password: 'p' }, { cas: 0 }, signal);
      await assert.rejects(
        client.write('crossplane/b', { password: 'q' }, { cas: 0 }, signal),
        failsAs('Conflict'),
      );
      assert.deepEqual(server.peek('crossplane/b')?.data, { password: 'p' });
    });

    test('removal is for good, and of what is gone a success', async () => {
      await client.write('crossplane/c', { password: 'p' }, { cas: 0 }, signal);
      await client.remove('crossplane/c', signal);
      await client.remove('crossplane/c', signal);
      assert.equal(await client.read('crossplane/c', signal), undefined);
    });

    test('a name cannot leave its path', async () => {
      await client.write('crossplane/x?y#z %', { password: 'p' }, { cas: 0 }, signal);
      assert.deepEqual(server.peek('crossplane/x?y#z %')?.data, { password: 'p' });
      await assert.rejects(client.read('crossplane/../root', signal), failsAs('Invalid'));
    });

    test('a sealed server', async () => {
      server.isSealed = true;
      await assert.rejects(client.read('crossplane/a', signal), failsAs('Sealed', /is sealed$/));
    });

    test('a wrong token', async () => {
      const stranger = createClient('secret', {
        clock: realClock(),
        server: server.url,
        token: 'stolen-token',
      });
      await assert.rejects(
        stranger.read('crossplane/a', signal),
        failsAs('PermissionDenied', /refused the token for secret: it is wrong, expired/),
      );
      await stranger.close();
    });

    test('a path that no engine serves is an error, and not a missing secret', async () => {
      const lost = createClient('kv-team', { clock: realClock(), server: server.url, token });
      await assert.rejects(
        lost.read('a', signal),
        failsAs('NotFound', /has no KV v2 secrets engine at kv-team/),
      );
      await lost.close();
    });

    const faults: Record<string, { status: number; errors: string[]; code: VaultErrorCode }> = {
      'not initialised': { status: 503, errors: ['Vault is not initialized'], code: 'Sealed' },
      throttled: {
        status: 429,
        errors: ['request path "secret/data/a": rate limit quota exceeded'],
        code: 'Throttled',
      },
      'an error of its own': { status: 500, errors: [`internal error for ${token}`], code: 'Failed' },
      'a bad request': { status: 400, errors: ['invalid'], code: 'Invalid' },
    };
    for (const [name, { code, ...fault }] of Object.entries(faults)) {
      test(name, async () => {
        server.fail(fault);
        await assert.rejects(client.read('crossplane/a', signal), failsAs(code));
      });
    }

    test('an answer that never comes is an error after 10 seconds', async () => {
      const clock = testClock();
      const silent = new InProcessVault(clock).clientsFor(() => new Promise(() => {}));
      const reading = assert.rejects(
        silent('secret', { clock, server: 'https://vault.test:8200', token }).read('a', signal),
        failsAs('Unreachable', /did not answer within 10000 ms/),
      );
      await clock.advance(10_000);
      await reading;
    });

    test('an abort ends the call', async () => {
      const abort = AbortSignal.abort(new Error('stopped'));
      await assert.rejects(client.read('crossplane/a', abort), /stopped/);
    });
  });

describe('an answer that is not from Vault', () => {
  const strangers: Record<string, { status: number; text: string }> = {
    "a gateway's page with 404": { status: 404, text: '<html><h1>404 Not Found</h1></html>' },
    'nothing, with 404': { status: 404, text: '' },
    "a gateway's JSON with 404": { status: 404, text: '{"message":"no Route matched"}' },
    'a login page with 200': { status: 200, text: '<html>log in</html>' },
    'an object without a version': { status: 200, text: '{"data":{}}' },
  };
  for (const [name, { status, text }] of Object.entries(strangers)) {
    test(`${name} neither says that a secret is gone nor that it was written`, async () => {
      const gateway = createServer((_request, response) => response.writeHead(status).end(text));
      gateway.listen(0, '127.0.0.1');
      await once(gateway, 'listening');
      const { port } = gateway.address() as AddressInfo;
      const through = vaultClient('secret', {
        clock: realClock(),
        server: `http://127.0.0.1:${port}`,
        token,
      });
      try {
        await assert.rejects(
          through.read('a', signal),
          failsAs('Failed', /or a gateway before it, answered/),
        );
        await assert.rejects(through.write('a', { k: 'v' }, { cas: 0 }, signal), failsAs('Failed'));
        if (!text.startsWith('{')) await assert.rejects(through.remove('a', signal), failsAs('Failed'));
      } finally {
        await through.close();
        gateway.closeAllConnections();
        gateway.close();
      }
    });
  }

  test('no server', async () => {
    const gone = await new VaultServer().start();
    const { url } = gone;
    await gone.stop();
    const nobody = vaultClient('secret', { clock: realClock(), server: url, token });
    await assert.rejects(nobody.read('a', signal), failsAs('Unreachable', /cannot be reached: ECONNREFUSED/));
    await nobody.close();
  });
});
