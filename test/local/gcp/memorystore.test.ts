import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { LocalGoogleCloud, LocalGoogleCloudOptions } from '../../../local/gcp/server.ts';
import { startGoogleCloud } from '../../../local/gcp/server.ts';
import type { Answer } from './caller.ts';
import { call, tokenOf } from './caller.ts';

const open: LocalGoogleCloud[] = [];
after(() => Promise.all(open.map((cloud) => cloud.stop())));

const location = '/v1/projects/example-project/locations/us-central1';
const name = 'projects/example-project/locations/us-central1/instances/cache';
const small = { tier: 'BASIC', memorySizeGb: 1 };

/** A cloud whose time is moved by hand, and a way to call it. */
async function start(options: LocalGoogleCloudOptions = {}) {
  let nowMs = Date.now();
  const cloud = await startGoogleCloud({ now: () => nowMs, ...options });
  open.push(cloud);
  const token = await tokenOf(cloud.createKey());
  return {
    cloud,
    pass(ms: number): void {
      nowMs += ms;
    },
    send: (...request: [method: string, path: string, body?: unknown]): Promise<Answer> =>
      call(cloud, token, request),
  };
}

test('an instance is made by an operation that takes its time, and then has an address', async () => {
  const { send, pass } = await start({ provisioningMs: 1000 });
  const begun = await send('POST', `${location}/instances?instanceId=cache`, small);
  assert.equal(begun.status, 200);
  assert.equal(begun.body.done, false);
  const { state, host } = (await send('GET', `/v1/${name}`)).body;
  assert.deepEqual({ state, host }, { state: 'CREATING', host: undefined });
  assert.equal((await send('GET', `/v1/${begun.body.name}`)).body.done, false);

  pass(1000);
  const there = (await send('GET', `/v1/${name}`)).body;
  const { createTime, ...rest } = there;
  assert.match(String(createTime), /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{9}Z$/);
  assert.deepEqual(rest, {
    name,
    locationId: 'us-central1-a',
    redisVersion: 'REDIS_7_0',
    authorizedNetwork: 'projects/example-project/global/networks/default',
    connectMode: 'DIRECT_PEERING',
    transitEncryptionMode: 'DISABLED',
    readReplicasMode: 'READ_REPLICAS_DISABLED',
    persistenceConfig: { persistenceMode: 'DISABLED' },
    ...small,
    reservedIpRange: '10.0.0.8/29',
    currentLocationId: 'us-central1-a',
    state: 'READY',
    host: '10.0.0.11',
    port: 6379,
    persistenceIamIdentity: 'serviceAccount:709322964338-compute@developer.gserviceaccount.com',
    nodes: [{ id: 'node-0', zone: 'us-central1-a' }],
  });
  const { done, response } = (await send('GET', `/v1/${begun.body.name}`)).body;
  assert.deepEqual(
    { done, response },
    {
      done: true,
      response: { '@type': 'type.googleapis.com/google.cloud.redis.v1.Instance', ...there },
    },
  );
});
