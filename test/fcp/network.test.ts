import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { available, creating, deleting } from '../../apis/core/v1alpha1/condition.ts';
import { favouriteCloudClient } from '../../clients/favourite-cloud.ts';
import { networkClient } from '../../controllers/fcp/network/external-client.ts';
import { startFavouriteCloud } from '../../local/favourite-cloud/server.ts';
import { network } from './objects.ts';

let nowMs = 0;
const server = await startFavouriteCloud({ provisioningMs: 1000, deletionMs: 1000, now: () => nowMs });
const cloud = favouriteCloudClient({ ...server, random: () => 0 });
const external = networkClient(cloud);
const { signal } = new AbortController();

after(() => server.stop());
beforeEach(async () => {
  for (const { item } of server.instances()) await cloud.instances.delete(item.name);
  nowMs += 1000;
  for (const { item } of server.networks()) await cloud.networks.delete(item.id);
  nowMs += 1000;
});

const tags = { 'crossplane-kind': 'network.network.fcp.crossplane.io', 'crossplane-name': 'blue' };

/** One of ours, online; its id. */
async function provisioned(): Promise<string> {
  const { externalName = '' } = await external.create(network({ displayName: 'blue' }), {}, signal);
  nowMs += 1000;
  return externalName;
}

test('without an external name nothing exists, and nothing is asked', async () => {
  const before = server.calls();
  assert.equal((await external.observe(network({}), {}, signal)).exists, false);
  await external.delete(network({}), signal);
  assert.deepEqual(server.calls(), before);
});

test('create hands out the id the cloud assigned, and the network lives and dies by it', async () => {
  const wanted = { displayName: 'blue', cidr: '10.1.0.0/16' };
  const { externalName: id = '' } = await external.create(network(wanted), {}, signal);
  assert.deepEqual(
    server.networks().map(({ item }) => item),
    [{ id, displayName: 'blue', cidr: '10.1.0.0/16', tags }],
  );
  const managed = network(wanted, id);
  assert.deepEqual((await external.observe(managed, {}, signal)).ready, creating());
  nowMs += 1000;
  assert.deepEqual(await external.observe(managed, {}, signal), {
    exists: true,
    isUpToDate: true,
    ready: available(),
    status: { id, status: 'ONLINE' },
  });
  await external.delete(managed, signal);
  assert.deepEqual((await external.observe(managed, {}, signal)).ready, deleting());
  nowMs += 1000;
  assert.equal((await external.observe(managed, {}, signal)).exists, false);
});

test('a name changed elsewhere is set back', async () => {
  const id = await provisioned();
  await cloud.networks.update(id, { display_name: 'red' });
  const managed = network({ displayName: 'blue' }, id);
  assert.equal((await external.observe(managed, {}, signal)).isUpToDate, false);
  await external.update(managed, {}, signal);
  assert.equal(server.networks()[0]?.item.displayName, 'blue');
  assert.equal((await external.observe(managed, {}, signal)).isUpToDate, true);
});

test('cidr is reported and never changed', async () => {
  const id = await provisioned();
  await assert.rejects(
    external.update(network({ cidr: '10.9.0.0/16' }, id), {}, signal),
    /^Error: cannot change spec\.forProvider\.cidr from "10\.0\.0\.0\/16" to "10\.9\.0\.0\/16": immutable/,
  );
});

test('a network whose id somebody wrote down becomes ours, unless it is tagged as somebody else’s', async () => {
  const { id: free } = await cloud.networks.create({});
  const { id: taken } = await cloud.networks.create({ tags: { ...tags, 'crossplane-name': 'green' } });
  nowMs += 1000;
  await external.update(network({}, free), {}, signal);
  assert.deepEqual((await cloud.networks.get(free))?.tags, tags);
  await assert.rejects(external.observe(network({}, taken), {}, signal), /belongs to network\S+ "green"/);
});

test('a network with instances in it says so when it is to go', async () => {
  const id = await provisioned();
  const inside = { name: 'cool', fanciness_level: 1, password: 'correct-horse', network_id: id };
  await cloud.instances.create(inside);
  await assert.rejects(
    external.delete(network({}, id), signal),
    /cannot delete network "net-\d+": .*409 InUse.* is used by "cool"/,
  );
});
