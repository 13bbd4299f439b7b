import assert from 'node:assert/strict';
import { test } from 'node:test';
import { favouriteCloudClient } from '../../clients/favourite-cloud.ts';
import { testClock } from '../../testing/test-clock.ts';
import { inProcessCloud } from './in-process-cloud.ts';
import type { CarryOutside, OutsideCall } from './outside.ts';
import { atOnce, connectionCut, gatewayReply } from './outside.ts';

const created = {
  name: 'cool',
  fanciness_level: 1,
  version: '5.7',
  password: 'a-long-password',
  tags: {},
} as const;

function start(carryOut: CarryOutside = atOnce) {
  const clock = testClock();
  const cloud = inProcessCloud(clock, { provisioningMs: 1000 });
  const { url, token } = cloud;
  const options = { url, token, dispatcher: cloud.carrierFor(carryOut), clock, random: () => 0.5 };
  return { clock, cloud, client: favouriteCloudClient(options) };
}

test('the door sees each request, and no password', async () => {
  const seen: Omit<OutsideCall, 'signal'>[] = [];
  const { client } = start((call, effect) => {
    const { signal, ...about } = call;
    assert.equal(signal?.aborted, false);
    seen.push(about);
    return atOnce(call, effect);
  });
  await client.instances.create(created);
  await client.instances.get('cool');
  assert.deepEqual(seen, [
    { system: 'favourite', verb: 'POST', target: '/v1/instances', isWrite: true },
    { system: 'favourite', verb: 'GET', target: '/v1/instances/cool', isWrite: false },
  ]);
});

test('a connection may be cut before the work, or after it', async () => {
  for (const isDone of [false, true]) {
    const { cloud, client } = start(async (_call, effect) => {
      if (isDone) await effect();
      throw connectionCut();
    });
    await assert.rejects(client.instances.create(created), { code: 'ConnectionLost' });
    assert.equal(cloud.instances().length, isDone ? 1 : 0);
  }
});

test('a door may answer in the place of the cloud', async () => {
  let count = 0;
  const { clock, client } = start(async (call, effect) => {
    count += 1;
    return count === 1 ? gatewayReply(503, { retryAfter: 1 }) : atOnce(call, effect);
  });
  const startedMs = clock.elapsedMs();
  const answer = client.instances.list();
  await clock.advanceUntil(() => count === 2);
  assert.deepEqual(await answer, []);
  assert.equal(clock.elapsedMs() - startedMs, 1000);
});

test('an answer that never comes ends when the client gives up, and a later one has no reader', async () => {
  const { clock, cloud, client } = start(async (_call, effect) => {
    await clock.sleep(60_000);
    return effect();
  });
  let error: unknown;
  client.instances.create(created).catch((thrown: unknown) => {
    error = thrown;
  });
  await clock.advanceUntil(() => error !== undefined);
  assert.equal((error as { code: string }).code, 'TimedOut');
  assert.equal(cloud.instances().length, 0);
  await clock.advance(60_000);
  assert.equal(cloud.instances().length, 1);
});

test('its time is not that of the clock on the wall', async () => {
  const { clock, cloud, client } = start();
  await client.instances.create(created);
  clock.setWall('2036-01-01T00:00:00Z');
  assert.equal(cloud.instances()[0]?.phase, 'creating');
  await clock.advance(1000);
  assert.equal(cloud.instances()[0]?.phase, 'online');
});

test('random values of the cloud are the same in each run', async () => {
  const ids = await Promise.all(
    [start(), start()].map(async ({ cloud, client }) => {
      await client.instances.create(created);
      return cloud.instances().map(({ item }) => item.uuid);
    }),
  );
  assert.equal(ids[0]?.length, 1);
  assert.deepEqual(ids[0], ids[1]);
});
