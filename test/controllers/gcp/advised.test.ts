import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CloudMemorystoreInstanceKind } from '../../../apis/gcp/cache/v1beta1/cloud-memorystore-instance.ts';
import { TopicKind } from '../../../apis/gcp/pubsub/v1alpha1/topic.ts';
import { CloudError } from '../../../clients/cloud-error.ts';
import { advised } from '../../../controllers/gcp/advised.ts';

const refusal = (fields: readonly string[], message = 'no') =>
  new CloudError(message, { status: 400, code: 'INVALID_ARGUMENT', isRetryable: false, fields });

describe('an error of the cloud says which field to change', () => {
  const cases = {
    'a field of the instance': {
      error: refusal(['instance.memory_size_gb']),
      want: 'no; change spec.forProvider.memorySizeGb',
    },
    'a field within one': {
      error: refusal(['instance.persistence_config.rdb_snapshot_period']),
      want: 'no; change spec.forProvider.persistenceConfig.rdbSnapshotPeriod',
    },
    'an entry of a map': {
      error: refusal(['instance.redis_configs[maxmemory-policy]']),
      want: 'no; change spec.forProvider.redisConfigs',
    },
    'several, each once': {
      error: refusal(['instance.tier', 'instance.location_id', 'instance.tier']),
      want: 'no; change spec.forProvider.tier and spec.forProvider.locationId',
    },
    'the name': {
      error: refusal(['instance_id']),
      want: 'no; change the annotation crossplane.io/external-name',
    },
    'a region that there is not, or that is not for us': {
      error: refusal(
        ['region'],
        "cannot do it: Permission denied on 'locations/mars1' (or it may not exist)",
      ),
      want: "cannot do it: Permission denied on 'locations/mars1' (or it may not exist); change spec.forProvider.region",
    },
    'a permission that is missing: none of ours': {
      error: refusal([], "Permission 'redis.instances.create' denied on 'projects/p/locations/us-central1'"),
      want: "Permission 'redis.instances.create' denied on 'projects/p/locations/us-central1'",
    },
    'a field that this kind does not have': { error: refusal(['update_mask']), want: 'no' },
    'a field of a topic': {
      kind: TopicKind,
      error: refusal(['message_storage_policy.allowed_persistence_regions']),
      want: 'no; change spec.forProvider.messageStoragePolicy.allowedPersistenceRegions',
    },
    'a mistake of ours': { error: new TypeError('x is no function'), want: 'x is no function' },
  };
  for (const [name, row] of Object.entries(cases)) {
    test(name, () => {
      const { kind = CloudMemorystoreInstanceKind, error, want } = { kind: undefined, ...row };
      const reported = advised(error, kind);
      assert.ok(reported instanceof Error);
      assert.equal(reported.message, want);
    });
  }

  test('and stays what it was otherwise', () => {
    const reported = advised(refusal(['instance.tier']), CloudMemorystoreInstanceKind);
    assert.ok(reported instanceof CloudError);
    assert.deepEqual(
      {
        status: reported.status,
        code: reported.code,
        isRetryable: reported.isRetryable,
        fields: reported.fields,
      },
      { status: 400, code: 'INVALID_ARGUMENT', isRetryable: false, fields: ['instance.tier'] },
    );
  });
});
