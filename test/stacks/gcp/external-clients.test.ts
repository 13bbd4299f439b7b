import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CloudError } from '../../../clients/cloud-error.ts';
import type { Memorystore, MemorystoreInstance } from '../../../stacks/gcp/client/memorystore.ts';
import type { Operation } from '../../../stacks/gcp/client/operation.ts';
import type { Pubsub } from '../../../stacks/gcp/client/pubsub.ts';
import { cloudMemorystoreInstanceClient } from '../../../stacks/gcp/cloud-memorystore-instance/external-client.ts';
import { topicClient } from '../../../stacks/gcp/topic/external-client.ts';
import { instance, small, topic } from './objects.ts';

const { signal } = new AbortController();
const taken = new CloudError('the name is taken', {
  status: 409,
  code: 'ALREADY_EXISTS',
  isRetryable: false,
});
const made: MemorystoreInstance = {
  name: 'projects/p/locations/us-central1/instances/cool',
  state: 'READY',
  tier: 'BASIC',
  memorySizeGb: 1,
  redisVersion: 'REDIS_6_X',
  createTime: '2026-01-01T00:00:00Z',
  host: '10.0.0.3',
  port: 6379,
  authEnabled: true,
};

/** Memorystore with that instance. */
function memorystore(shown: () => MemorystoreInstance | undefined, operation?: Operation) {
  const calls: string[] = [];
  const begun = (verb: string) => async () => {
    calls.push(verb);
    return `operations/${verb}`;
  };
  const cloud: Memorystore = {
    get: async () => shown(),
    authString: begun('authString'),
    create: () => Promise.reject(taken),
    update: begun('update'),
    upgrade: begun('upgrade'),
    delete: begun('delete'),
    operation: async () => operation,
    failureOf: () => undefined,
  };
  return { calls, client: cloudMemorystoreInstanceClient({ memorystore: cloud }) };
}

/** A topic whose name is taken and that does not show. */
const topicNotShown = () => {
  const pubsub = { get: async () => undefined, create: () => Promise.reject(taken) };
  return topicClient({ pubsub: pubsub as Partial<Pubsub> as Pubsub, projectID: 'p' });
};

const notShown: Readonly<Record<string, () => Promise<unknown>>> = {
  'an instance': () => memorystore(() => undefined).client.create(instance(), undefined, signal),
  'a topic': () => topicNotShown().create(topic(), undefined, signal),
};
for (const [what, create] of Object.entries(notShown)) {
  test(`${what} of that name that is there and does not show is not taken for ours, and waited for`, async () => {
    const message = 'the name is taken; the cloud does not show it yet';
    await assert.rejects(create(), { message, errorClass: 'NotReady' });
  });
}

describe('an instance', () => {
  const createdAt = (createTime: string, requested = small) => ({
    ...instance(requested),
    status: { atProvider: { createTime } },
  });

  test('that was seen before is ours without labels, and another of its name that was made since is not', async () => {
    const { client } = memorystore(() => made);
    assert.equal((await client.observe(createdAt(made.createTime!), undefined, signal)).exists, true);
    const since = client.observe(createdAt('2025-01-01T00:00:00Z'), undefined, signal);
    await assert.rejects(since, /carries no tag of an owner/);
  });

  test('that has a new owner is not deleted', async () => {
    const labels = { 'crossplane-kind': 'x', 'crossplane-name': 'y' };
    const { client, calls } = memorystore(() => ({ ...made, labels }));
    await client.delete(instance(small, { deletionTimestamp: '2026-01-02T03:04:05Z' }), signal);
    assert.deepEqual(calls, []);
  });

  test('gets its new version first, and the rest once that is there', async () => {
    const { client, calls } = memorystore(() => made);
    const wanted = createdAt(made.createTime!, { ...small, redisVersion: 'REDIS_7_0', memorySizeGb: 2 });
    assert.deepEqual(await client.update(wanted, undefined, signal), { operation: 'operations/upgrade' });
    assert.deepEqual(calls, ['upgrade']);
  });

  test('is not asked for its password while it is at something else: what was published counts', async () => {
    const { client, calls } = memorystore(() => ({ ...made, state: 'UPDATING' }));
    assert.equal((await client.observe(createdAt(made.createTime!), undefined, signal)).details, undefined);
    assert.deepEqual(calls, []);
  });

  const name = 'projects/p/locations/l/operations/o';
  const progress: Readonly<Record<string, { operation?: Operation; state: string }>> = {
    'has ended once the cloud reports its end': { operation: { name, done: true }, state: 'done' },
    'is not over before': { operation: { name, done: false }, state: 'running' },
    'is neither done nor failed for all we know once the cloud has forgotten it': { state: 'unknown' },
  };
  for (const [title, { operation, state }] of Object.entries(progress)) {
    test(`an instance whose operation ${title}`, async () => {
      const { client } = memorystore(() => made, operation);
      assert.deepEqual(await client.poll(name, signal), { state });
    });
  }
});
