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
  function differs(
    want: Partial<ReturnType<typeof differenceOf>>,
    asked: InstanceParameters = {},
    is: Partial<MemorystoreInstance> = {},
  ): void {
    const { observation, ...difference } = differenceOf(instance({ ...small, ...asked }), {
      ...there,
      ...is,
    });
    assert.deepEqual(difference, { redisVersion: undefined, ...same, ...want });
  }
  test('not at all', () => differs(same));
  test('the requested fields are sent, and no others', () =>
    differs(
      { change: { memorySizeGb: 5, displayName: 'Cool' }, mask: ['memorySizeGb', 'displayName'] },
      { memorySizeGb: 5, displayName: 'Cool' },
    ));
  test('labels of the user are sent with ours, and what Google added stays', () =>
    differs(
      { change: { labels: { team: 'a', ...ours, 'goog-x': 'y' } }, mask: ['labels'] },
      { labels: { team: 'a' } },
      { labels: { ...ours, stage: 'x', 'goog-x': 'y' } },
    ));
  test('labels that a user added in the cloud stay if the spec has no labels', () =>
    differs(same, undefined, { labels: { ...ours, stage: 'x' } }));
  test('labels of the owner that a user removed are written again', () =>
    differs({ change: { labels: { stage: 'x', ...ours } }, mask: ['labels'] }, undefined, {
      labels: { stage: 'x', 'crossplane-name': 'cool', 'crossplane-kind': ours['crossplane-kind'] },
    }));
  test('a user cannot set the labels of the owner', () =>
    differs(same, { labels: { 'crossplane-name': 'another' } }));
  test('a later version is installed by itself', () =>
    differs(
      { redisVersion: 'REDIS_7_0', change: { memorySizeGb: 5 }, mask: ['memorySizeGb'] },
      { redisVersion: 'REDIS_7_0', memorySizeGb: 5 },
    ));
  test('there is no way back', () =>
    differs(
      { ...same, refused: ['spec.forProvider.redisVersion from "REDIS_6_X" to "REDIS_5_0"'] },
      { redisVersion: 'REDIS_5_0' },
    ));
  test('fields that cannot be changed are reported', () =>
    differs(
      { ...same, refused: ['spec.forProvider.tier from "BASIC" to "STANDARD_HA"'] },
      { tier: 'STANDARD_HA' },
    ));
  test('a network by its URL, or by what that ends with', () =>
    differs(same, {
      authorizedNetwork: 'https://www.googleapis.com/compute/v1/projects/p/global/networks/default',
    }));
  test('a network by its name', () => differs(same, { authorizedNetwork: 'default' }));
  test('another network', () =>
    differs(
      {
        ...same,
        refused: ['spec.forProvider.authorizedNetwork from "projects/p/global/networks/default" to "blue"'],
      },
      { authorizedNetwork: 'blue' },
    ));
  test('a range by its name, of which the cloud tells the addresses', () =>
    differs(same, { reservedIpRange: 'my-range' }));
  test('the cloud leaves out false and 0', () => differs(same, { authEnabled: false, replicaCount: 0 }));
  test('AUTH can be asked for later', () =>
    differs({ change: { authEnabled: true }, mask: ['authEnabled'] }, { authEnabled: true }));
  test('persistence is sent as a whole', () =>
    differs(
      {
        change: { persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotPeriod: 'ONE_HOUR' } },
        mask: ['persistenceConfig'],
      },
      { persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotPeriod: 'ONE_HOUR' } },
      { persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotPeriod: 'SIX_HOURS' } },
    ));
  test('one moment may be written in several ways', () =>
    differs(
      same,
      { persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotStartTime: '2026-01-01T00:00:00Z' } },
      {
        persistenceConfig: {
          persistenceMode: 'RDB',
          rdbSnapshotPeriod: 'SIX_HOURS',
          rdbSnapshotStartTime: '2026-01-01T01:00:00.000000000+01:00',
        },
      },
    ));
  test('midnight is left out by the cloud', () =>
    differs(
      same,
      {
        maintenancePolicy: {
          weeklyMaintenanceWindow: [{ day: 'SUNDAY', startTime: { hours: 0, minutes: 0 } }],
        },
      },
      { maintenancePolicy: { weeklyMaintenanceWindow: [{ day: 'SUNDAY', startTime: {} }] } },
    ));
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
  function differs(
    want: Partial<ReturnType<typeof topicDifferenceOf>>,
    asked?: Parameters<typeof topic>[0],
    is: Partial<PubsubTopic> = {},
  ): void {
    const { change, mask, refused } = topicDifferenceOf(topic(asked), { ...orders, ...is });
    assert.deepEqual({ change, mask, refused }, { change: {}, mask: [], refused: [], ...want });
  }
  test('not at all', () => differs({}));
  test('labels with ours', () =>
    differs({ change: { labels: { team: 'a', ...labels } }, mask: ['labels'] }, { labels: { team: 'a' } }));
  test('regions in any order are the same', () => differs({}, regions('a', 'b'), regions('b', 'a')));
  test('regions are sent as a whole', () =>
    differs({ change: regions('a', 'b'), mask: ['messageStoragePolicy'] }, regions('a', 'b'), regions('a')));
  test('the key cannot be changed', () =>
    differs({ refused: ['spec.forProvider.kmsKeyName from nothing to "k"'] }, { kmsKeyName: 'k' }));

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
