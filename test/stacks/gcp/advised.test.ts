import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CloudError } from '../../../clients/cloud-error.ts';
import { advised } from '../../../stacks/gcp/advised.ts';
import { CloudMemorystoreInstanceKind } from '../../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { TopicKind } from '../../../stacks/gcp/kinds/pubsub/v1alpha1/topic.ts';

const refusal = (fields: readonly string[], message = 'no') =>
  new CloudError(message, { status: 400, code: 'INVALID_ARGUMENT', isRetryable: false, fields });

describe('an error of the cloud says which field to change', () => {
  function says(
    want: string,
    error: unknown,
    kind: Parameters<typeof advised>[1] = CloudMemorystoreInstanceKind,
  ): void {
    const reported = advised(error, kind);
    assert.ok(reported instanceof Error);
    assert.equal(reported.message, want);
  }
  test('for a field of the instance', () =>
    says('no; change spec.forProvider.memorySizeGb', refusal(['instance.memory_size_gb'])));
  test('for a field within an object', () =>
    says(
      'no; change spec.forProvider.persistenceConfig.rdbSnapshotPeriod',
      refusal(['instance.persistence_config.rdb_snapshot_period']),
    ));
  test('for an entry of a map', () =>
    says('no; change spec.forProvider.redisConfigs', refusal(['instance.redis_configs[maxmemory-policy]'])));
  test('once for each of several fields', () =>
    says(
      'no; change spec.forProvider.tier and spec.forProvider.locationId',
      refusal(['instance.tier', 'instance.location_id', 'instance.tier']),
    ));
  test('for the name', () =>
    says('no; change the annotation crossplane.io/external-name', refusal(['instance_id'])));
  test('for a region that may not exist', () =>
    says(
      "cannot do it: Permission denied on 'locations/mars1' (or it may not exist); change spec.forProvider.region",
      refusal(['region'], "cannot do it: Permission denied on 'locations/mars1' (or it may not exist)"),
    ));
  test('not for a missing permission', () =>
    says(
      "Permission 'redis.instances.create' denied on 'projects/p/locations/us-central1'",
      refusal([], "Permission 'redis.instances.create' denied on 'projects/p/locations/us-central1'"),
    ));
  test('not for a field that this kind does not have', () => says('no', refusal(['update_mask'])));
  test('for a field of a topic', () =>
    says(
      'no; change spec.forProvider.messageStoragePolicy.allowedPersistenceRegions',
      refusal(['message_storage_policy.allowed_persistence_regions']),
      TopicKind,
    ));
  test('not for a bug', () => says('x is no function', new TypeError('x is no function')));

  test('with the status and the code of the cloud', () => {
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
