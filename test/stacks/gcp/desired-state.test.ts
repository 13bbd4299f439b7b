import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import type { MemorystoreInstance } from '../../../stacks/gcp/client/memorystore.ts';
import type { PubsubTopic } from '../../../stacks/gcp/client/pubsub.ts';
import {
  accessTo,
  differenceOf,
  newInstance,
  observationOf,
} from '../../../stacks/gcp/cloud-memorystore-instance/desired-state.ts';
import { isLaterVersion } from '../../../stacks/gcp/cloud-memorystore-instance/redis-version.ts';
import { newTopic, differenceOf as topicDifferenceOf } from '../../../stacks/gcp/topic/desired-state.ts';
import type { InstanceParameters } from './objects.ts';
import { instance, small, topic } from './objects.ts';

const ours = {
  'crossplane-kind': 'cloudmemorystoreinstance_cache_gcp_crossplane_io',
  'crossplane-name': 'cool',
  'crossplane-providerconfig': 'default',
};

const networks = 'https://www.googleapis.com/compute/v1/projects/p/global/networks';
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

test('a new instance has the wanted parameters, those of initProvider, and our labels', () => {
  const labels = { team: 'a', 'crossplane-name': 'another' };
  const initProvider = { memorySizeGb: 9, replicaCount: 0, redisConfigs: { activedefrag: 'yes' } };
  const requested = { ...small, labels, authorizedNetwork: `${networks}/blue` };
  const managed = instance(requested, { spec: { initProvider } });
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

describe('the differences of an instance', () => {
  const same = { change: {}, mask: [], refused: [], drifted: [] };
  function differs(
    want: Partial<ReturnType<typeof differenceOf>>,
    requested: InstanceParameters = {},
    is: Partial<MemorystoreInstance> = {},
  ): void {
    const managed = instance({ ...small, ...requested });
    const { observation, ...difference } = differenceOf(managed, { ...there, ...is });
    assert.deepEqual(difference, { redisVersion: undefined, ...same, ...want });
  }
  const refuses = (what: string, requested: InstanceParameters): void =>
    differs({ refused: [`spec.forProvider.${what}`] }, requested);
  test('an instance with the wanted values has none', () => differs(same));
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
  const fewer = { stage: 'x', ...omit(ours, 'crossplane-providerconfig') };
  test('labels of the owner that a user removed are written again', () =>
    differs({ change: { labels: { stage: 'x', ...ours } }, mask: ['labels'] }, {}, { labels: fewer }));
  test('a user cannot set the labels of the owner', () =>
    differs(same, { labels: { 'crossplane-name': 'another' } }));
  test('a later version is installed by itself', () =>
    differs(
      { redisVersion: 'REDIS_7_0', change: { memorySizeGb: 5 }, mask: ['memorySizeGb'] },
      { redisVersion: 'REDIS_7_0', memorySizeGb: 5 },
    ));
  test('an earlier version is refused', () =>
    refuses('redisVersion from "REDIS_6_X" to "REDIS_5_0"', { redisVersion: 'REDIS_5_0' }));
  test('fields that cannot be changed are reported', () =>
    refuses('tier from "BASIC" to "STANDARD_HA"', { tier: 'STANDARD_HA' }));
  test('a network with its URL is the same as by its path', () =>
    differs(same, { authorizedNetwork: `${networks}/default` }));
  test('a network with its name is the same as by its path', () =>
    differs(same, { authorizedNetwork: 'default' }));
  test('another network is refused', () =>
    refuses('authorizedNetwork from "projects/p/global/networks/default" to "blue"', {
      authorizedNetwork: 'blue',
    }));
  test('a range by its name is not compared with the addresses that the cloud reports', () =>
    differs(same, { reservedIpRange: 'my-range' }));
  test('false and 0 are the same as no value, because the cloud leaves them out', () =>
    differs(same, { authEnabled: false, replicaCount: 0 }));
  test('AUTH can be enabled later', () =>
    differs({ change: { authEnabled: true }, mask: ['authEnabled'] }, { authEnabled: true }));
  const each = (rdbSnapshotPeriod: 'ONE_HOUR' | 'SIX_HOURS') =>
    ({ persistenceMode: 'RDB', rdbSnapshotPeriod }) as const;
  test('persistence is sent as a whole', () =>
    differs(
      { change: { persistenceConfig: each('ONE_HOUR') }, mask: ['persistenceConfig'] },
      { persistenceConfig: each('ONE_HOUR') },
      { persistenceConfig: each('SIX_HOURS') },
    ));
  test('one moment may be written in several ways', () =>
    differs(
      same,
      { persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotStartTime: '2026-01-01T00:00:00Z' } },
      {
        persistenceConfig: {
          ...each('SIX_HOURS'),
          rdbSnapshotStartTime: '2026-01-01T01:00:00.000000000+01:00',
        },
      },
    ));
  const sundayAt = (startTime: { hours?: number; minutes?: number }) => ({
    maintenancePolicy: { weeklyMaintenanceWindow: [{ day: 'SUNDAY' as const, startTime }] },
  });
  test('midnight is the same as no time, because the cloud leaves it out', () =>
    differs(same, sundayAt({ hours: 0, minutes: 0 }), sundayAt({})));
});

describe('the status of an instance', () => {
  function is(facts: Partial<MemorystoreInstance>, ...want: readonly unknown[]): void {
    const managed = instance({ ...small, memorySizeGb: 5 });
    const { ready, operation, isUpToDate } = observationOf(managed, { ...there, ...facts });
    assert.deepEqual([ready?.reason, ready?.message, operation, isUpToDate], want);
  }
  test('is Creating during the creation', () =>
    is({ state: 'CREATING' }, 'Creating', undefined, 'create', true));
  test('is Available while a change is pending', () => is({}, 'Available', undefined, undefined, false));
  test('is Unavailable during a change', () =>
    is({ state: 'UPDATING' }, 'Unavailable', 'the instance is UPDATING', 'update', false));
  const repaired = { state: 'REPAIRING', statusMessage: 'disk' } as const;
  test('is Unavailable during a repair, with the message of the cloud', () =>
    is(repaired, 'Unavailable', 'the instance is REPAIRING: disk', 'update', false));
  test('is Deleting during the deletion', () =>
    is({ state: 'DELETING' }, 'Deleting', undefined, 'delete', true));

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
    const serverCaCerts = [{ cert: 'one\n' }, {}, { cert: 'two\n' }];
    const encrypted = {
      ...there,
      port: 6378,
      transitEncryptionMode: 'SERVER_AUTHENTICATION',
      serverCaCerts,
    } as const;
    const plain = { provider: 'google-cloud', host: '10.0.0.3', port: 6379 };
    const username = 'default';
    assert.deepEqual(accessTo(encrypted), { ...plain, port: 6378, username, certificates: 'one\ntwo' });
    assert.deepEqual(accessTo(there), { ...plain, username });
    assert.deepEqual(accessTo({ ...there, redisVersion: 'REDIS_5_0' }), plain);
    const { host, ...unreachable } = there;
    assert.equal(accessTo(unreachable), undefined);
  });
});

describe('the differences of a topic', () => {
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
    requested?: Parameters<typeof topic>[0],
    is: Partial<PubsubTopic> = {},
  ): void {
    const { change, mask, refused } = topicDifferenceOf(topic(requested), { ...orders, ...is });
    assert.deepEqual({ change, mask, refused }, { change: {}, mask: [], refused: [], ...want });
  }
  test('a topic with the wanted values has none', () => differs({}));
  test('labels are sent with ours', () =>
    differs({ change: { labels: { team: 'a', ...labels } }, mask: ['labels'] }, { labels: { team: 'a' } }));
  test('regions in any order are the same', () => differs({}, regions('a', 'b'), regions('b', 'a')));
  test('regions are sent as a whole', () =>
    differs({ change: regions('a', 'b'), mask: ['messageStoragePolicy'] }, regions('a', 'b'), regions('a')));
  test('another key is refused', () =>
    differs({ refused: ['spec.forProvider.kmsKeyName from nothing to "k"'] }, { kmsKeyName: 'k' }));

  test('a new one carries our labels', () => {
    const messageRetentionDuration = '600s';
    const made = newTopic(topic({ labels: { team: 'a' }, messageRetentionDuration }));
    assert.deepEqual(made, { labels: { team: 'a', ...labels }, messageRetentionDuration });
  });
});

describe('a version of Redis is later than another', () => {
  const ascending = ['3_2', '4_0', '5_0', '6_X', '7_0', '7_2', '10_0'].map((version) => `REDIS_${version}`);
  for (const [i, version] of ascending.entries()) {
    test(`${version}: than all before it, and no other`, () => {
      const earlier = ascending.filter((other) => isLaterVersion(version, other));
      assert.deepEqual(earlier, ascending.slice(0, i));
    });
  }
});
