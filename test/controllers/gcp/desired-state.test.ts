import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MemorystoreInstance } from '../../../clients/gcp/memorystore.ts';
import type { PubsubTopic } from '../../../clients/gcp/pubsub.ts';
import {
  accessTo,
  differenceOf,
  newInstance,
  observationOf,
} from '../../../controllers/gcp/cloud-memorystore-instance/desired-state.ts';
import { isLaterVersion } from '../../../controllers/gcp/cloud-memorystore-instance/redis-version.ts';
import { newTopic, differenceOf as topicDifferenceOf } from '../../../controllers/gcp/topic/desired-state.ts';
import type { InstanceParameters } from './objects.ts';
import { instance, small, topic } from './objects.ts';

const ours = {
  'crossplane-kind': 'cloudmemorystoreinstance_cache_gcp_crossplane_io',
  'crossplane-name': 'cool',
  'crossplane-providerconfig': 'default',
};

const there: MemorystoreInstance = {
  name: 'projects/p/locations/us-central1/instances/cool',
  state: 'READY',
  tier: 'BASIC',
  memorySizeGb: 1,
  labels: ours,
  locationId: 'us-central1-a',
  redisVersion: 'REDIS_6_X',
  reservedIpRange: '10.0.0.0/29',
  authorizedNetwork: 'projects/p/global/networks/default',
  connectMode: 'DIRECT_PEERING',
  transitEncryptionMode: 'DISABLED',
  readReplicasMode: 'READ_REPLICAS_DISABLED',
  persistenceConfig: { persistenceMode: 'DISABLED' },
  host: '10.0.0.3',
  port: 6379,
};

test('a new instance is what is asked for, with our labels; initProvider counts', () => {
  const managed = instance(
    {
      ...small,
      labels: { team: 'a', 'crossplane-name': 'another' },
      authorizedNetwork: 'https://www.googleapis.com/compute/v1/projects/p/global/networks/blue',
    },
    { spec: { initProvider: { memorySizeGb: 9, replicaCount: 0, redisConfigs: { activedefrag: 'yes' } } } },
  );
  assert.deepEqual(newInstance(managed), {
    tier: 'BASIC',
    memorySizeGb: 1,
    replicaCount: 0,
    redisConfigs: { activedefrag: 'yes' },
    authorizedNetwork: 'projects/p/global/networks/blue',
    labels: { team: 'a', ...ours },
  });
});

test('a missing required field is named', () => {
  const { tier, ...rest } = small;
  assert.throws(() => newInstance(instance(rest)), { message: /^spec\.forProvider\.tier is needed/ });
});

describe('how an instance differs from what is asked for', () => {
  const same = { change: {}, mask: [], refused: [], drifted: [] };
  const cases: Record<
    string,
    {
      asked?: InstanceParameters;
      there?: Partial<MemorystoreInstance>;
      want: Partial<ReturnType<typeof differenceOf>>;
    }
  > = {
    'not at all': { want: same },
    'the requested fields are sent, and no others': {
      asked: { memorySizeGb: 5, displayName: 'Cool' },
      want: { change: { memorySizeGb: 5, displayName: 'Cool' }, mask: ['memorySizeGb', 'displayName'] },
    },
    'labels of the user are sent with ours, and what Google added stays': {
      asked: { labels: { team: 'a' } },
      there: { labels: { ...ours, stage: 'x', 'goog-x': 'y' } },
      want: { change: { labels: { team: 'a', ...ours, 'goog-x': 'y' } }, mask: ['labels'] },
    },
    'labels that a user added in the cloud stay if the spec has no labels': {
      there: { labels: { ...ours, stage: 'x' } },
      want: same,
    },
    'labels of the owner that a user removed are written again': {
      there: {
        labels: { stage: 'x', 'crossplane-name': 'cool', 'crossplane-kind': ours['crossplane-kind'] },
      },
      want: { change: { labels: { stage: 'x', ...ours } }, mask: ['labels'] },
    },
    'a user cannot set the labels of the owner': {
      asked: { labels: { 'crossplane-name': 'another' } },
      want: same,
    },
    'a later version is installed by itself': {
      asked: { redisVersion: 'REDIS_7_0', memorySizeGb: 5 },
      want: { redisVersion: 'REDIS_7_0', change: { memorySizeGb: 5 }, mask: ['memorySizeGb'] },
    },
    'there is no way back': {
      asked: { redisVersion: 'REDIS_5_0' },
      want: { ...same, refused: ['spec.forProvider.redisVersion from "REDIS_6_X" to "REDIS_5_0"'] },
    },
    'fields that cannot be changed are reported': {
      asked: { tier: 'STANDARD_HA' },
      want: { ...same, refused: ['spec.forProvider.tier from "BASIC" to "STANDARD_HA"'] },
    },
    'a network by its URL, or by what that ends with': {
      asked: {
        authorizedNetwork: 'https://www.googleapis.com/compute/v1/projects/p/global/networks/default',
      },
      want: same,
    },
    'a network by its name': { asked: { authorizedNetwork: 'default' }, want: same },
    'another network': {
      asked: { authorizedNetwork: 'blue' },
      want: {
        ...same,
        refused: ['spec.forProvider.authorizedNetwork from "projects/p/global/networks/default" to "blue"'],
      },
    },
    'a range by its name, of which the cloud tells the addresses': {
      asked: { reservedIpRange: 'my-range' },
      want: same,
    },
    'the cloud leaves out false and 0': { asked: { authEnabled: false, replicaCount: 0 }, want: same },
    'AUTH can be asked for later': {
      asked: { authEnabled: true },
      want: { change: { authEnabled: true }, mask: ['authEnabled'] },
    },
    'persistence is sent as a whole': {
      asked: { persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotPeriod: 'ONE_HOUR' } },
      there: { persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotPeriod: 'SIX_HOURS' } },
      want: {
        change: { persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotPeriod: 'ONE_HOUR' } },
        mask: ['persistenceConfig'],
      },
    },
    'one moment may be written in several ways': {
      asked: { persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotStartTime: '2026-01-01T00:00:00Z' } },
      there: {
        persistenceConfig: {
          persistenceMode: 'RDB',
          rdbSnapshotPeriod: 'SIX_HOURS',
          rdbSnapshotStartTime: '2026-01-01T01:00:00.000000000+01:00',
        },
      },
      want: same,
    },
    'midnight is left out by the cloud': {
      asked: {
        maintenancePolicy: {
          weeklyMaintenanceWindow: [{ day: 'SUNDAY', startTime: { hours: 0, minutes: 0 } }],
        },
      },
      there: { maintenancePolicy: { weeklyMaintenanceWindow: [{ day: 'SUNDAY', startTime: {} }] } },
      want: same,
    },
  };
  for (const [name, row] of Object.entries(cases)) {
    test(name, () => {
      const { observation, ...difference } = differenceOf(instance({ ...small, ...row.asked }), {
        ...there,
        ...row.there,
      });
      assert.deepEqual(difference, { redisVersion: undefined, ...same, ...row.want });
    });
  }
});

describe('the status of an instance', () => {
  const states: Record<string, { there: Partial<MemorystoreInstance>; want: readonly unknown[] }> = {
    'being made': { there: { state: 'CREATING' }, want: ['Creating', undefined, 'create', true] },
    'there, and not as wanted': { there: {}, want: ['Available', undefined, undefined, false] },
    'being changed': {
      there: { state: 'UPDATING' },
      want: ['Unavailable', 'the instance is UPDATING', 'update', true],
    },
    'being repaired, with a word on it': {
      there: { state: 'REPAIRING', statusMessage: 'disk' },
      want: ['Unavailable', 'the instance is REPAIRING: disk', undefined, true],
    },
    'on its way out': { there: { state: 'DELETING' }, want: ['Deleting', undefined, 'delete', true] },
  };
  for (const [name, { there: facts, want }] of Object.entries(states)) {
    test(name, () => {
      const managed = instance({ ...small, memorySizeGb: 5 });
      const { ready, operation, isUpToDate } = observationOf(managed, { ...there, ...facts });
      assert.deepEqual([ready?.reason, ready?.message, operation, isUpToDate], want);
    });
  }

  test('values that the cloud chose are filled in', () => {
    assert.deepEqual(observationOf(instance(), there).lateInitialized, {
      locationId: 'us-central1-a',
      redisVersion: 'REDIS_6_X',
      reservedIpRange: '10.0.0.0/29',
      authorizedNetwork: 'projects/p/global/networks/default',
      connectMode: 'DIRECT_PEERING',
      authEnabled: false,
      transitEncryptionMode: 'DISABLED',
      replicaCount: 0,
      readReplicasMode: 'READ_REPLICAS_DISABLED',
    });
  });

  test('if clients speak TLS, the details have the certificate authority', () => {
    const encrypted: MemorystoreInstance = {
      ...there,
      port: 6378,
      transitEncryptionMode: 'SERVER_AUTHENTICATION',
      serverCaCerts: [{ cert: 'one\n' }, {}, { cert: 'two\n' }],
    };
    assert.deepEqual(accessTo(encrypted), {
      provider: 'google-cloud',
      host: '10.0.0.3',
      port: 6378,
      username: 'default',
      certificates: 'one\ntwo',
    });
    const plain = { provider: 'google-cloud', host: '10.0.0.3', port: 6379 };
    assert.deepEqual(accessTo(there), { ...plain, username: 'default' });
    assert.deepEqual(accessTo({ ...there, redisVersion: 'REDIS_5_0' }), plain);
    const { host, ...unreachable } = there;
    assert.equal(accessTo(unreachable), undefined);
  });
});

describe('how a topic differs from what is asked for', () => {
  const labels = {
    'crossplane-kind': 'topic_pubsub_gcp_crossplane_io',
    'crossplane-name': 'orders',
    'crossplane-providerconfig': 'default',
  };
  const orders: PubsubTopic = { name: 'projects/p/topics/orders', labels };
  const regions = (...allowedPersistenceRegions: string[]) => ({
    messageStoragePolicy: { allowedPersistenceRegions },
  });
  const cases: Record<
    string,
    {
      asked?: Parameters<typeof topic>[0];
      there?: Partial<PubsubTopic>;
      want: Partial<ReturnType<typeof topicDifferenceOf>>;
    }
  > = {
    'not at all': { want: {} },
    'labels with ours': {
      asked: { labels: { team: 'a' } },
      want: { change: { labels: { team: 'a', ...labels } }, mask: ['labels'] },
    },
    'regions in any order are the same': {
      asked: regions('a', 'b'),
      there: regions('b', 'a'),
      want: {},
    },
    'regions are sent as a whole': {
      asked: regions('a', 'b'),
      there: regions('a'),
      want: { change: regions('a', 'b'), mask: ['messageStoragePolicy'] },
    },
    'the key cannot be changed': {
      asked: { kmsKeyName: 'k' },
      want: { refused: ['spec.forProvider.kmsKeyName from nothing to "k"'] },
    },
  };
  for (const [name, row] of Object.entries(cases)) {
    test(name, () => {
      const { change, mask, refused } = topicDifferenceOf(topic(row.asked), { ...orders, ...row.there });
      assert.deepEqual({ change, mask, refused }, { change: {}, mask: [], refused: [], ...row.want });
    });
  }

  test('a new one carries our labels', () => {
    assert.deepEqual(newTopic(topic({ labels: { team: 'a' }, messageRetentionDuration: '600s' })), {
      labels: { team: 'a', ...labels },
      messageRetentionDuration: '600s',
    });
  });
});

describe('a version of Redis is later than another', () => {
  const ascending = [
    'REDIS_3_2',
    'REDIS_4_0',
    'REDIS_5_0',
    'REDIS_6_X',
    'REDIS_7_0',
    'REDIS_7_2',
    'REDIS_10_0',
  ];
  for (const [i, version] of ascending.entries()) {
    test(`${version}: than all before it, and no other`, () => {
      const earlier = ascending.filter((other) => isLaterVersion(version, other));
      assert.deepEqual(earlier, ascending.slice(0, i));
    });
  }
});
