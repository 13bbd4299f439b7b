import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { localRedis } from '../../demo/gcp/local-redis.ts';
import type { RedisSupport } from '../../local/redis-binaries.ts';
import { redisSupport } from '../../local/redis-binaries.ts';
import type { LocalGoogleCloud, LocalGoogleCloudOptions } from '../../stacks/gcp/emulator/server.ts';
import { startGoogleCloud } from '../../stacks/gcp/emulator/server.ts';
import type { Answer } from '../stacks/gcp/emulator/caller.ts';
import { call, tokenOf } from '../stacks/gcp/emulator/caller.ts';
import { redisCli } from './redis-cli.ts';

const support = await redisSupport();
const skip = support.by === 'none' && support.reason;
const redis = support as Exclude<RedisSupport, { by: 'none' }>;

const location = '/v1/projects/example-project/locations/us-central1';
const instance = `${location}/instances/cache`;

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

async function start(t: TestContext, options: LocalGoogleCloudOptions = {}) {
  const cloud = await startGoogleCloud({ redis: localRedis(redis), ...options });
  t.after(() => cloud.stop());
  return { cloud, send: await sender(cloud) };
}

async function sender(cloud: LocalGoogleCloud): Promise<Send> {
  const token = await tokenOf(cloud.createKey());
  return (...request) => call(cloud, token, request);
}

/** Waits for an operation to end, and gives its error if it has one. */
async function ended(send: Send, { body }: Answer): Promise<unknown> {
  assert.equal(typeof body.name, 'string', JSON.stringify(body));
  for (;;) {
    const { done, error } = (await send('GET', `/v1/${body.name}`)).body;
    if (done === true) return error;
    await sleep(20);
  }
}

async function whereIs(send: Send): Promise<{ readonly host: string; readonly port: number }> {
  const { host, port } = (await send('GET', instance)).body;
  return { host: String(host), port: Number(port) };
}

describe('behind an instance of Memorystore', { skip, timeout: 300_000 }, () => {
  const wanted = { tier: 'BASIC', memorySizeGb: 1 };

  test('is a real Redis: AUTH, size and configuration follow the API', async (t) => {
    const { send } = await start(t);
    const configs = { 'maxmemory-policy': 'allkeys-lru', activedefrag: 'yes' };
    const create = { ...wanted, authEnabled: true, redisConfigs: configs };
    assert.equal(
      await ended(send, await send('POST', `${location}/instances?instanceId=cache`, create)),
      undefined,
    );
    const { authString } = (await send('GET', `${instance}/authString`)).body;
    const client = { ...(await whereIs(send)), password: String(authString) };
    assert.equal(await redisCli(support, client, 'SET', 'kept', 'yes'), 'OK');
    assert.match(await redisCli(support, { ...client, password: 'guess' }, 'GET', 'kept'), /WRONGPASS/);
    assert.match(await redisCli(support, client, 'CONFIG', 'GET', 'maxmemory-policy'), /allkeys-lru/);

    const change = { memorySizeGb: 2, authEnabled: false };
    const mask = 'memorySizeGb,authEnabled,redisConfigs';
    assert.equal(await ended(send, await send('PATCH', `${instance}?updateMask=${mask}`, change)), undefined);
    const { password: _none, ...open } = client;
    assert.deepEqual(await whereIs(send), open);
    assert.equal(await redisCli(support, open, 'GET', 'kept'), 'yes');
    assert.match(
      await redisCli(support, open, 'CONFIG', 'GET', 'maxmemory'),
      new RegExp(String(2 * 2 ** 30)),
    );
    assert.match(await redisCli(support, open, 'CONFIG', 'GET', 'maxmemory-policy'), /volatile-lru/);

    assert.equal(await ended(send, await send('DELETE', instance)), undefined);
    assert.match(await redisCli(support, open, 'PING'), /Connection refused/);
  });

  test('that encrypts, takes TLS only, with the certificate that the API shows', async (t) => {
    const { send } = await start(t);
    const create = { ...wanted, transitEncryptionMode: 'SERVER_AUTHENTICATION' };
    await ended(send, await send('POST', `${location}/instances?instanceId=cache`, create));
    const [{ cert }] = (await send('GET', instance)).body.serverCaCerts as [{ cert: string }];
    const directory = await mkdtemp(join(tmpdir(), 'services-stack-cacert-'));
    t.after(() => rm(directory, { recursive: true }));
    const cacert = join(directory, 'ca.pem');
    await writeFile(cacert, cert);
    const client = await whereIs(send);
    assert.equal(await redisCli(support, { ...client, cacert }, 'PING'), 'PONG');
    assert.notEqual(await redisCli(support, client, 'PING'), 'PONG');
  });

  test('runs again at another port, which the API reports, if another program uses its port', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'services-stack-gcp-'));
    t.after(() => rm(directory, { recursive: true }));
    const dataFile = join(directory, 'held.json');
    const former = await start(t, { dataFile });
    await ended(former.send, await former.send('POST', `${location}/instances?instanceId=cache`, wanted));
    const before = await whereIs(former.send);
    await former.cloud.stop();
    const squatter = createServer().listen(before.port, before.host);
    t.after(() => squatter.close());
    await once(squatter, 'listening');

    const { cloud, send } = await start(t, { dataFile });
    await cloud.idle();
    const now = await whereIs(send);
    assert.notEqual(now.port, before.port);
    assert.equal(await redisCli(support, now, 'PING'), 'PONG');
  });

  test('runs again, at the same port and with the same AUTH string, when the emulator continues', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'services-stack-gcp-'));
    t.after(() => rm(directory, { recursive: true }));
    const dataFile = join(directory, 'held.json');
    const former = await start(t, { dataFile });
    const create = { ...wanted, authEnabled: true };
    await ended(former.send, await former.send('POST', `${location}/instances?instanceId=cache`, create));
    const client = await whereIs(former.send);
    await former.cloud.stop();
    assert.match(await redisCli(support, client, 'PING'), /Connection refused/);

    const { cloud, send } = await start(t, { dataFile });
    await cloud.idle();
    const { authString } = (await send('GET', `${instance}/authString`)).body;
    assert.deepEqual(await whereIs(send), client);
    assert.equal(await redisCli(support, { ...client, password: String(authString) }, 'PING'), 'PONG');
  });
});
