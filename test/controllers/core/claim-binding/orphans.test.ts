import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import { propagatesFrom, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { claim, claimKind, claimRef, managed, managedKind, resourceRef } from '../objects.ts';
import {
  conn,
  copyKey,
  finalizers,
  orders,
  recordOf,
  sceneOf,
  settled,
  sourceKey,
  sourceOf,
  src,
} from './scene.ts';

const status = { bindingPhase: 'Bound', boundUID: 'managed-uid', credential: recordOf('pw') } as const;
const bound = managed({ ...src, claimRef: claimRef(), reclaimPolicy: 'Delete' }, { status });
const subject = claim({ ...conn, resourceRef: resourceRef('db') }, { finalizers });
const source = sourceOf(bound, 'pw', 'FancySQLInstance team/orders');
const copy: Secret = {
  ...source,
  metadata: {
    ...copyKey,
    ownerReferences: [controllerReference(subject)],
    annotations: propagatesFrom(sourceKey),
  },
};
const gone = 'FancySQLInstance team/orders (UID claim-uid)';

describe('a resource whose claim does not exist', () => {
  test('an orphan follows its reclaim policy after the Secret of the claim is deleted', async () => {
    const { cluster, process } = sceneOf({ managed: [bound], secrets: [source, copy] });
    await process.settle();
    assert.deepEqual(cluster.takeWrites(), ['delete Secret team/conn', 'delete FavouriteDBInstance db']);
    assert.deepEqual(
      process.events
        .filter(({ object }) => object === 'FavouriteDBInstance db')
        .map(({ reason, message }) => [reason, message]),
      [['ClaimNotFound', `${gone}, to which it was bound, no longer exists: this resource is deleted`]],
    );
  });

  test('an orphan is Released when a user removes the finalizer of its claim', async () => {
    const retained = { ...bound, spec: { ...bound.spec, reclaimPolicy: 'Retain' as const } };
    const { cluster, process } = sceneOf({ claims: [subject], managed: [retained], secrets: [source, copy] });
    await settled(process, cluster);
    cluster.set(claimKind, orders, { metadata: { finalizers: [] } });
    cluster.delete(claimKind, orders);
    await settled(process, cluster);
    const left = cluster.get(managedKind, { name: 'db' });
    assert.deepEqual([left?.status?.bindingPhase, left?.spec.claimRef?.uid], ['Released', 'claim-uid']);
    assert.equal(cluster.get(SecretKind, copyKey), undefined);
  });

  test('a resource is no orphan if the API server has the claim and the store does not', async () => {
    const { cluster, process } = sceneOf({ managed: [bound], secrets: [source] });
    await process.synced();
    process.hold(claimKind);
    cluster.put(claimKind, subject);
    await process.settle();
    assert.deepEqual(cluster.get(managedKind, { name: 'db' })?.metadata.deletionTimestamp, undefined);
    assert.equal(cluster.get(managedKind, { name: 'db' })?.status?.bindingPhase, 'Bound');
  });

  test('an orphan that is not Bound here waits for a backup to restore the claim', async () => {
    const restored = managed({ ...bound.spec, claimRef: claimRef() }, { uid: 'restored-uid' });
    const { cluster, process } = sceneOf({ managed: [restored] });
    await process.settle();
    assert.deepEqual(cluster.takeWrites(), []);
    assert.deepEqual(
      process.events.map(({ message }) => message),
      [
        `${gone}, which spec.claimRef names, does not exist; if a backup brings it back, wait; else remove spec.claimRef, or delete this resource`,
      ],
    );
  });

  test('an orphan is deleted only in the version that the decision was made on', async () => {
    const { cluster, process } = sceneOf({ managed: [bound], secrets: [source] });
    await process.synced();
    process.hold(managedKind);
    cluster.set(managedKind, { name: 'db' }, { spec: { claimRef: claimRef({ uid: 'another' }) } });
    await assert.rejects(process.reconcile(orders), /cannot delete managed resource/);
    assert.equal(cluster.get(managedKind, { name: 'db' })?.metadata.deletionTimestamp, undefined);
  });
});
