import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { CloudError } from '../../clients/cloud-error.ts';
import { favouriteCloudClient } from '../../clients/favourite-cloud.ts';
import { startFavouriteCloud } from '../../emulators/favourite-cloud/server.ts';
import { realClock } from '../../runtime/time/clock.ts';

const cloud = await startFavouriteCloud();
const { instances, networks } = favouriteCloudClient({ ...cloud, clock: realClock(), random: () => 0 });
after(() => cloud.stop());
beforeEach(async () => {
  for (const { item } of cloud.instances()) await instances.delete(item.name);
  for (const { item } of cloud.networks()) await networks.delete(item.id);
});

const cool = { name: 'cool', fanciness_level: 100, password: 'correct-horse' };

test('an instance is created, read, changed and deleted', async () => {
  const created = await instances.create({ ...cool, version: '5.6', tags: { team: 'shop' } });
  assert.deepEqual(await instances.get('cool'), created);
  assert.equal(created.hostname, 'cool.fcp.example.org');
  const changed = await instances.update('cool', { fanciness_level: 3, password: 'battery-staple' });
  assert.equal(changed.fanciness_level, 3);
  assert.equal(cloud.instances()[0]?.item.password, 'battery-staple');
  await instances.delete('cool');
  assert.equal(await instances.get('cool'), undefined);
});

test('reading what is not there is undefined, deleting it is no error, changing it is', async () => {
  assert.equal(await instances.get('none'), undefined);
  await instances.delete('none');
  await assert.rejects(
    instances.update('none', { fanciness_level: 1 }),
    (error) => error instanceof CloudError && error.status === 404,
  );
});

test('a taken name is an error with status 409', async () => {
  await instances.create(cool);
  await assert.rejects(
    instances.create(cool),
    (error) => error instanceof CloudError && error.status === 409 && error.code === 'AlreadyExists',
  );
});

test('a refused field is named, and the password is not', async () => {
  await assert.rejects(
    instances.create({ ...cool, fanciness_level: 5000 }),
    (error) =>
      error instanceof CloudError &&
      /cannot create instance "cool": .*422 InvalidArgument.*fanciness_level must be an integer/.test(
        error.message,
      ) &&
      !error.message.includes(cool.password),
  );
});

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

test('a network has the id the cloud gave it', async () => {
  const { id } = await networks.create({ display_name: 'blue', cidr: '10.1.0.0/16' });
  assert.deepEqual(await networks.get(id), {
    id,
    display_name: 'blue',
    cidr: '10.1.0.0/16',
    status: 'ONLINE',
    tags: {},
  });
  await networks.update(id, { display_name: 'red' });
  assert.deepEqual(
    (await networks.list()).map(({ display_name }) => display_name),
    ['red'],
  );
  await networks.delete(id);
  assert.equal(await networks.get(id), undefined);
});
