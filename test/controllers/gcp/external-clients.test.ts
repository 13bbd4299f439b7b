import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { CloudError } from '../../../clients/cloud-error.ts';
import type { Memorystore, MemorystoreInstance } from '../../../clients/gcp/memorystore.ts';
import type { Operation } from '../../../clients/gcp/operation.ts';
import type { Pubsub, PubsubTopic } from '../../../clients/gcp/pubsub.ts';
import type { ExternalClient } from '../../../controllers/core/managed/connecting/external-client.ts';
import { cloudMemorystoreInstanceClient } from '../../../controllers/gcp/cloud-memorystore-instance/external-client.ts';
import { topicClient } from '../../../controllers/gcp/topic/external-client.ts';
import { instance, small, topic } from './objects.ts';

const { signal } = new AbortController();
const taken = new CloudError('the name is taken', {
  status: 409,
  code: 'ALREADY_EXISTS',
  isRetryable: false,
});
const deletionTimestamp = '2026-01-02T03:04:05Z';
type Labels = Readonly<Record<string, string>>;

/** A cloud where a name is taken, for each kind, and what was asked of it. */
interface Place {
  readonly client: ExternalClient;
  readonly managed: Managed;
  readonly leaving: Managed;
  /** Labels of what has the name; undefined: it does not show. */
  show(labels: Labels | undefined): void;
  readonly calls: readonly string[];
}

const made: MemorystoreInstance = {
  ...{ name: 'projects/p/locations/us-central1/instances/cool', state: 'READY', tier: 'BASIC' },
  ...{ memorySizeGb: 1, redisVersion: 'REDIS_6_X', createTime: '2026-01-01T00:00:00Z' },
  ...{ host: '10.0.0.3', port: 6379, authEnabled: true },
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

const places: Readonly<Record<string, () => Place>> = {
  'an instance': () => {
    let labels: Labels | undefined;
    const { calls, client } = memorystore(() => labels && { ...made, labels });
    return {
      ...{ calls, client: client as ExternalClient },
      managed: instance({ ...small, memorySizeGb: 2 }),
      leaving: instance(small, { deletionTimestamp }),
      show: (given) => {
        labels = given;
      },
    };
  },
  'a topic': () => {
    const calls: string[] = [];
    let shown: PubsubTopic | undefined;
    const pubsub: Pubsub = {
      get: async () => shown,
      create: () => Promise.reject(taken),
      async update() {
        calls.push('update');
        return shown!;
      },
      delete: async () => void calls.push('delete'),
    };
    return {
      ...{ calls, client: topicClient({ pubsub, projectID: 'p' }) as ExternalClient },
      managed: topic({ labels: { team: 'a' } }),
      leaving: topic({}, { deletionTimestamp }),
      show(labels) {
        shown = labels && { name: 'projects/p/topics/orders', labels };
      },
    };
  },
};

const theirs: Labels = { 'crossplane-kind': 'x', 'crossplane-name': 'y' };
const foreign: Readonly<Record<string, Labels>> = {
  'of another owner is neither adopted nor changed nor deleted': theirs,
  'without an owner is neither adopted nor changed nor deleted': {},
};

for (const [what, open] of Object.entries(places)) {
  describe(`${what} of that name`, () => {
    for (const [title, labels] of Object.entries(foreign)) {
      test(title, async () => {
        const { client, managed, leaving, show, calls } = open();
        show(labels);
        for (const call of ['observe', 'create', 'update'] as const) {
          await assert.rejects(
            client[call](managed, undefined, signal),
            /exists and (belongs to x "y"|carries no tag)/,
          );
        }
        assert.equal((await client.observe(leaving, undefined, signal)).exists, false);
        await client.delete(leaving, signal);
        assert.deepEqual(calls, []);
      });
    }

    test('that is there and does not show is not taken for ours', async () => {
      const { client, managed } = open();
      await assert.rejects(client.create(managed, undefined, signal), /the name is taken/);
    });
  });
}

describe('an instance', () => {
  const seen = (createTime: string, asked = small) => ({
    ...instance(asked),
    status: { atProvider: { createTime } },
  });

  test('that was seen before is ours without labels, and another of its name that was made since is not', async () => {
    const { client } = memorystore(() => made);
    assert.equal((await client.observe(seen(made.createTime!), undefined, signal)).exists, true);
    const since = client.observe(seen('2025-01-01T00:00:00Z'), undefined, signal);
    await assert.rejects(since, /carries no tag of an owner/);
  });

  test('gets its new version first, and the rest once that is there', async () => {
    const { client, calls } = memorystore(() => made);
    const wanted = seen(made.createTime!, { ...small, redisVersion: 'REDIS_7_0', memorySizeGb: 2 });
    assert.deepEqual(await client.update(wanted, undefined, signal), { operation: 'operations/upgrade' });
    assert.deepEqual(calls, ['upgrade']);
  });

  test('is not asked for its password while it is at something else: what was published counts', async () => {
    const { client, calls } = memorystore(() => ({ ...made, state: 'UPDATING' }));
    assert.equal((await client.observe(seen(made.createTime!), undefined, signal)).details, undefined);
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
