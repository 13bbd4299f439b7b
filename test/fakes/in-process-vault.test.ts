import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClock } from '../../testing/test-clock.ts';
import { InProcessVault } from './in-process-vault.ts';
import type { CarryOutside, OutsideCall } from './outside.ts';
import { atOnce, connectionCut, gatewayReply } from './outside.ts';

const { signal } = new AbortController();
const data = { password: 'a-secret' };

function start(carryOut: CarryOutside = atOnce) {
  const clock = testClock();
  const vault = new InProcessVault(clock);
  const client = vault.clientsFor(carryOut)('secret', { clock, server: vault.url, token: 'vault-token' });
  return { clock, vault, client };
}

test('the door sees each request, and no secret', async () => {
  const seen: Omit<OutsideCall, 'signal'>[] = [];
  const { client } = start((call, effect) => {
    const { signal: _, ...about } = call;
    seen.push(about);
    return atOnce(call, effect);
  });
  await client.write('team/orders', data, { cas: 0 }, signal);
  assert.deepEqual((await client.read('team/orders', signal))?.data, data);
  const target = '/v1/secret/data/team/orders';
  assert.deepEqual(seen, [
    { system: 'vault', verb: 'POST', target, isWrite: true },
    { system: 'vault', verb: 'GET', target, isWrite: false },
  ]);
});

test('a connection may be cut before the work, or after it', async () => {
  for (const isDone of [false, true]) {
    const { vault, client } = start(async (_call, effect) => {
      if (isDone) await effect();
      throw connectionCut();
    });
    await assert.rejects(client.write('a', data, { cas: 0 }, signal), { code: 'Unreachable' });
    assert.deepEqual(vault.peek('a')?.data, isDone ? data : undefined);
  }
});

test('a door may answer in the place of the server', async () => {
  const { client } = start(async () => gatewayReply(404));
  await assert.rejects(client.read('a', signal), { code: 'Failed' });
});

test('an answer that never comes ends when the client gives up', async () => {
  const { clock, client } = start(() => new Promise(() => {}));
  let error: unknown;
  client.read('a', signal).catch((thrown: unknown) => {
    error = thrown;
  });
  await clock.advanceUntil(() => error !== undefined);
  assert.match(String(error), /did not answer within 10000 ms/);
});

test('no server listens at another address', async () => {
  const { clock, vault } = start();
  const client = vault.clientsFor()('secret', { clock, server: 'https://other.test', token: 'vault-token' });
  await assert.rejects(client.read('a', signal), { code: 'Unreachable' });
});

test('an answer without an end is not read to its end', async () => {
  let chunks = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (; ; chunks += 1) yield Buffer.alloc(1_000_000);
  }
  const { client } = start(async () => ({ statusCode: 200, headers: {}, body: endless() }));
  await assert.rejects(client.read('a', signal), {
    code: 'Unreachable',
    message: /the answer is too large$/,
  });
  assert.ok(chunks < 20, `${chunks} MB were read`);
});
