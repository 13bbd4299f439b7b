import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { realClock } from '../../../../runtime/time/clock.ts';
import { favouriteCloudClient } from '../../../../stacks/demo-clouds/client/favourite-cloud.ts';
import { startFavouriteCloud } from '../../../../testing/favourite-cloud/server.ts';

const cloud = await startFavouriteCloud();
const { instances, networks } = favouriteCloudClient({ ...cloud, clock: realClock(), random: () => 0 });
after(() => cloud.stop());
beforeEach(async () => {
  for (const { item } of cloud.instances()) await instances.delete(item.name);
  for (const { item } of cloud.networks()) await networks.delete(item.id);
});

const cool = { name: 'cool', fanciness_level: 100, password: 'correct-horse' };

test('a list is gathered from all its pages', async () => {
  const names = Array.from({ length: 1100 }, (_, i) => `db-${i}`);
  for (let i = 0; i < names.length; i += 50) {
    await Promise.all(names.slice(i, i + 50).map((name) => instances.create({ ...cool, name })));
  }
  const before = cloud.calls()['GET /v1/instances'] ?? 0;
  const listed = await instances.list();
  assert.deepEqual(new Set(listed.map(({ name }) => name)), new Set(names));
  assert.equal((cloud.calls()['GET /v1/instances'] ?? 0) - before, 3);
});

test('names with special characters stay within their path', async () => {
  assert.equal(await instances.get('../networks'), undefined);
  assert.equal(await instances.get('a/b?c#d'), undefined);
  assert.equal(cloud.calls()['GET /v1/networks'], undefined);
});
