import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { VaultClient } from '../../clients/vault.ts';
import { vaultClient } from '../../clients/vault.ts';
import type { VaultErrorCode } from '../../clients/vault-error.ts';
import { VaultError } from '../../clients/vault-error.ts';
import { realClock } from '../../runtime/time/clock.ts';
import { startLoopbackServer } from '../../testing/emulators/loopback-server.ts';
import { testClock } from '../../testing/test-clock.ts';
import { VaultServer } from '../../testing/vault/server.ts';
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

const options = { clock: realClock(), token };

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
      client = createClient('secret', { ...options, server: server.url });
      server.isSealed = false;
    });
    afterEach(() => client.close());

    test('nothing is there before it is written', async () => {
      assert.equal(await client.read('crossplane/none', signal), undefined);
    });

    test('read returns the written data, with its version and custom metadata', async () => {
      const customMetadata = { owner: 'u' };
      await client.writeMetadata('crossplane/a', customMetadata, signal);
      const read = () => client.read('crossplane/a', signal);
      assert.deepEqual(await read(), { data: undefined, version: 0, customMetadata });
      await client.write('crossplane/a', { password: 'p' }, { cas: 0 }, signal);
      assert.deepEqual(await read(), { data: { password: 'p' }, version: 1, customMetadata });
    });

    test('a version that is no longer the newest is not overwritten', async () => {
      const write = (password: string) => client.write('crossplane/b', { password }, { cas: 0 }, signal);
      await write('p');
      await assert.rejects(write('q'), failsAs('Conflict'));
      assert.deepEqual(server.peek('crossplane/b')?.data, { password: 'p' });
    });

    test('values that are no text are read as text, and those without a value are not read', async () => {
      const body = async () => '{"data":{"password":86753,"isOld":true,"tags":["a"],"none":null}}';
      await server.answer({ method: 'POST', target: '/v1/secret/data/crossplane/d', token, body });
      const { data } = (await client.read('crossplane/d', signal)) ?? {};
      assert.deepEqual(data, { password: '86753', isOld: 'true', tags: '["a"]' });
    });

    test('an error that repeats the written data shows no value of it', async () => {
      const data = { password: 'pass"word\\', note: '{"key":"a2V5"}' };
      server.fail({ status: 400, errors: [`bad request: ${JSON.stringify({ data })}`] });
      await assert.rejects(
        client.write('crossplane/e', data, { cas: 0 }, signal),
        failsAs('Invalid', /answered 400: bad request: \{"data":\{"password":"\*\*\*","note":"\*\*\*"\}\}$/),
      );
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
      await assert.rejects(
        client.read('crossplane/a', signal),
        failsAs('Sealed', /is sealed; run: vault operator unseal$/),
      );
    });

    test('a wrong token', async () => {
      const stranger = createClient('secret', { ...options, server: server.url, token: 'stolen-token' });
      await assert.rejects(
        stranger.read('crossplane/a', signal),
        failsAs('PermissionDenied', /refused the token for secret: it is wrong, expired/),
      );
      await stranger.close();
    });

    test('a path that no engine serves is an error, and not a missing secret', async () => {
      const lost = createClient('kv-team', { ...options, server: server.url });
      const missing = failsAs('NotFound', /has no KV v2 secrets engine at kv-team/);
      await assert.rejects(lost.read('a', signal), missing);
      await lost.close();
    });

    const faults: Record<string, readonly [status: number, error: string, code: VaultErrorCode]> = {
      'not initialised': [503, 'Vault is not initialized', 'Sealed'],
      throttled: [429, 'request path "secret/data/a": rate limit quota exceeded', 'Throttled'],
      'an error of its own': [500, `internal error for ${token}`, 'Failed'],
      'a bad request': [400, 'invalid', 'Invalid'],
    };
    for (const [name, [status, error, code]] of Object.entries(faults)) {
      test(name, async () => {
        server.fail({ status, errors: [error] });
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
  const strangers: Record<string, readonly [status: number, text: string]> = {
    "a gateway's page with 404": [404, '<html><h1>404 Not Found</h1></html>'],
    'nothing, with 404': [404, ''],
    "a gateway's JSON with 404": [404, '{"message":"no Route matched"}'],
    'a login page with 200': [200, '<html>log in</html>'],
    'an object without a version': [200, '{"data":{}}'],
    'data that are no object': [200, '{"data":{"data":"x","metadata":{"version":1}}}'],
  };
  for (const [name, [status, text]] of Object.entries(strangers)) {
    test(`${name} neither says that a secret is gone nor that it was written`, async (t) => {
      const answer = async () => ({ status, headers: {}, text });
      const gateway = await startLoopbackServer({ answer });
      t.after(gateway.stop);
      const through = vaultClient('secret', { ...options, server: gateway.url });
      t.after(() => through.close());
      const refusal = failsAs('Failed', /or a gateway before it, answered/);
      await assert.rejects(through.read('a', signal), refusal);
      await assert.rejects(through.write('a', { k: 'v' }, { cas: 0 }, signal), failsAs('Failed'));
      if (!text.startsWith('{')) await assert.rejects(through.remove('a', signal), failsAs('Failed'));
    });
  }

  test('no server', async () => {
    const gone = await new VaultServer().start();
    const { url } = gone;
    await gone.stop();
    const nobody = vaultClient('secret', { ...options, server: url });
    await assert.rejects(nobody.read('a', signal), failsAs('Unreachable', /cannot be reached: ECONNREFUSED/));
    await nobody.close();
  });
});

describe('an engine that is not KV v2', () => {
  test('a KV engine of version 1 is named with the command that changes it, and nothing is written to it', async () => {
    const server = await new VaultServer({ token, kvVersion: 1 }).start();
    const client = vaultClient('secret', { ...options, server: server.url });
    const told = /^secret of Vault \S+ is a KV engine of version 1; run: vault kv enable-versioning secret$/;
    await assert.rejects(client.read('crossplane/a', signal), failsAs('Invalid', told));
    assert.deepEqual(server.paths(), []);
    server.enableVersioning();
    assert.equal(await client.read('crossplane/a', signal), undefined);
    await Promise.all([client.close(), server.stop()]);
  });

  test('a missing engine is reported with the namespace, the field to correct and the command', async () => {
    const server = await new VaultServer({ token }).start();
    const lost = vaultClient('kv', { ...options, server: server.url, namespace: 'team' });
    await assert.rejects(
      lost.read('a', signal),
      failsAs(
        'NotFound',
        /namespace team, has no KV v2 secrets engine at kv; correct spec\.vault\.mountPath of the StoreConfig, or run: vault secrets enable -path=kv kv-v2$/,
      ),
    );
    await Promise.all([lost.close(), server.stop()]);
  });
});
