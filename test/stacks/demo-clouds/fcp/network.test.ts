import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { withAnnotations } from '../../../../apis/core/v1alpha1/meta.ts';
import { CloudError } from '../../../../clients/cloud-error.ts';
import { UncertainCreationError } from '../../../../controllers/managed/connecting/external-client.ts';
import { realClock } from '../../../../runtime/time/clock.ts';
import { favouriteCloudClient } from '../../../../stacks/demo-clouds/client/favourite-cloud.ts';
import { networkClient } from '../../../../stacks/demo-clouds/fcp/network/external-client.ts';
import { inProcessCloud } from '../../../fakes/in-process-cloud.ts';
import { network } from './objects.ts';

let nowMs = 0;
const server = inProcessCloud({ elapsedMs: () => nowMs }, { provisioningMs: 1000, deletionMs: 1000 });
const cloud = favouriteCloudClient({ ...server, clock: realClock(), random: () => 0, maxAttempts: 1 });
const external = networkClient(cloud);
const { signal } = new AbortController();

beforeEach(async () => {
  server.faults.clear();
  for (const { item } of server.instances()) await cloud.instances.delete(item.name);
  nowMs += 1000;
  for (const { item } of server.networks()) await cloud.networks.delete(item.id);
  nowMs += 1000;
});

const tags = {
  'crossplane-kind': 'network.network.fcp.crossplane.io',
  'crossplane-name': 'blue',
  'crossplane-providerconfig': 'default',
};

/** One of ours, online; its id. */
async function provisioned(): Promise<string> {
  const { externalName = '' } = await external.create(network({ displayName: 'blue' }), undefined, signal);
  nowMs += 1000;
  return externalName;
}

test('without an external name nothing exists, and nothing is asked', async () => {
  const before = server.calls();
  assert.equal((await external.observe(network({}), undefined, signal)).exists, false);
  await external.delete(network({}), signal);
  assert.deepEqual(server.calls(), before);
});

test('a network whose id a user wrote is adopted, unless it has the tags of another owner', async () => {
  const { id: free } = await cloud.networks.create({});
  const { id: taken } = await cloud.networks.create({ tags: { ...tags, 'crossplane-name': 'green' } });
  nowMs += 1000;
  await external.update(network({}, free), undefined, signal);
  assert.deepEqual((await cloud.networks.get(free))?.tags, tags);
  const { status } = await external.observe(network({}, free), undefined, signal);
  assert.deepEqual(status, { id: free, status: 'ONLINE' });
  await assert.rejects(
    external.observe(network({}, taken), undefined, signal),
    /belongs to network\S+ "green"/,
  );
});

test('a network with instances in it reports them when it is deleted', async () => {
  const id = await provisioned();
  const inside = { name: 'cool', fanciness_level: 1, password: 'correct-horse', network_id: id };
  await cloud.instances.create(inside);
  await assert.rejects(
    external.delete(network({}, id), signal),
    /cannot delete network "net-\d+": .*409 InUse.* is used by "cool"/,
  );
});

describe('a creation without a recorded result', () => {
  const create = () => external.create(network({ displayName: 'blue' }), undefined, signal);
  const posts = () => server.calls()['POST /v1/networks'] ?? 0;

  test('leads to the network that it created, and to no second one', async () => {
    const id = await provisioned();
    const before = posts();
    assert.deepEqual(await create(), { externalName: id });
    assert.equal(posts(), before);
  });

  test('is not mistaken for one that is being deleted, nor for that of another', async () => {
    await cloud.networks.delete(await provisioned());
    const { id: other } = await cloud.networks.create({ tags: { ...tags, 'crossplane-name': 'green' } });
    const { externalName: id } = await create();
    assert.notEqual(id, other);
    assert.equal(server.networks().length, 3);
  });

  test('a creation without an answer that does not show is uncertain: it may show later', async () => {
    server.faults.inject({ kind: 'cut', method: 'POST' });
    await assert.rejects(create(), UncertainCreationError);
  });

  test('is uncertain if it cannot be observed either', async () => {
    const before = posts();
    const blind = networkClient({
      networks: {
        ...cloud.networks,
        list: async () => (posts() > before ? Promise.reject(new Error('blind')) : []),
      },
    });
    server.faults.inject({ kind: 'loseResponse', method: 'POST' });
    await assert.rejects(blind.create(network({}), undefined, signal), UncertainCreationError);
  });

  test('a refusal is an error, and not uncertain', async () => {
    server.faults.inject({ kind: 'fail', method: 'POST', status: 403 });
    await assert.rejects(create(), (error) => error instanceof CloudError && error.status === 403);
  });

  test('of two that carry the same tags neither is chosen: both are named', async () => {
    await cloud.networks.create({ tags });
    await cloud.networks.create({ tags });
    const problem = /networks net-\d+, net-\d+ all carry the tags of blue; put the id/;
    await assert.rejects(create(), problem);
    const before = await external.observe(network({}), undefined, signal);
    assert.equal(before.uncreatable, undefined, 'nobody looks for that before a first attempt');
    const tried = withAnnotations(network({}), {
      'crossplane.io/external-create-failed': '2026-01-02T03:04:05Z',
    });
    const { uncreatable = '' } = await external.observe(tried, undefined, signal);
    assert.match(uncreatable, problem, 'so that no other attempt is put on record');
  });
});

test('a network whose creation was never begun is not looked for', async () => {
  const { id } = await cloud.networks.create({ tags });
  const leaving = network({}, undefined, { deletionTimestamp: '2026-01-02T03:04:05Z' });
  assert.equal((await external.observe(leaving, undefined, signal)).exists, false);
  await external.delete(leaving, signal);
  const ids = server.networks().map(({ item }) => item.id);
  assert.deepEqual(ids, [id]);
});
