import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RedisCluster } from '../../../apis/cache/v1alpha1/redis-cluster.ts';
import type { CloudMemorystoreInstanceClass } from '../../../apis/gcp/cache/v1beta1/cloud-memorystore-instance.ts';
import {
  configureCloudMemorystoreInstance,
  incompatibilityOfCloudMemorystoreInstance,
} from '../../../controllers/gcp/cloud-memorystore-instance/configure.ts';
import { isLaterVersion } from '../../../controllers/gcp/cloud-memorystore-instance/redis-version.ts';
import type { InstanceParameters } from './objects.ts';
import { small } from './objects.ts';

const claim = (engineVersion?: string): RedisCluster => ({
  apiVersion: 'cache.crossplane.io/v1alpha1',
  kind: 'RedisCluster',
  metadata: { namespace: 'shop', name: 'cart' },
  spec: engineVersion === undefined ? {} : { engineVersion },
});
const resourceClass = (forProvider: InstanceParameters): CloudMemorystoreInstanceClass => ({
  apiVersion: 'cache.gcp.crossplane.io/v1beta1',
  kind: 'CloudMemorystoreInstanceClass',
  metadata: { name: 'fast' },
  specTemplate: {
    writeConnectionSecretsToNamespace: 'infra',
    forProvider: forProvider as CloudMemorystoreInstanceClass['specTemplate']['forProvider'],
  },
});

describe('a claim of a Redis gets what its class says, and its version', () => {
  const cases: Record<string, { asked?: string; given?: string; want?: string; says?: string }> = {
    'without a version, the cloud chooses one': {},
    'the class does': { given: 'REDIS_5_0', want: 'REDIS_5_0' },
    'the claim does': { asked: '5.0', want: 'REDIS_5_0' },
    'one of 6, which are all one to Memorystore': { asked: '6.2', want: 'REDIS_6_X' },
    'as Memorystore puts it': { asked: '6.x', want: 'REDIS_6_X' },
    'both, and they agree': { asked: '7.2', given: 'REDIS_7_2', want: 'REDIS_7_2' },
    'both, and they do not': {
      asked: '7.2',
      given: 'REDIS_5_0',
      says: 'has redisVersion "REDIS_5_0", but the claim\'s spec.engineVersion is "7.2"',
    },
  };
  for (const [name, { asked, given, want, says }] of Object.entries(cases)) {
    test(name, () => {
      const offered = given === undefined ? small : { ...small, redisVersion: given };
      const whyIncompatible = incompatibilityOfCloudMemorystoreInstance(claim(asked), offered);
      assert.equal(whyIncompatible, says);
      if (says !== undefined) return;
      const forProvider = want === undefined ? small : { ...small, redisVersion: want };
      assert.deepEqual(configureCloudMemorystoreInstance(claim(asked), resourceClass(offered)), {
        forProvider,
      });
    });
  }
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
