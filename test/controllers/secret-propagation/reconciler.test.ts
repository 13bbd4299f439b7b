import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { controllerReference } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import {
  allowsPropagationTo,
  decodeDetails,
  encodeDetails,
  propagatesFrom,
  SecretKind,
} from '../../../apis/core/v1alpha1/secret.ts';
import { secretPropagation } from '../../../controllers/secret-propagation/setup.ts';
import { broken, conflict, FakeCluster, forbidden } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  claim,
  claimKind,
  claimRef,
  managed,
  managedKind,
  resourceRef,
  secretOf,
  service,
  servicesOf,
} from '../objects.ts';

const sourceKey = { namespace: 'system', name: 'src' };
const targetKey = { namespace: 'team', name: 'conn' };
const boundClaim = claim({ resourceRef: resourceRef('db'), writeConnectionSecretToRef: { name: 'conn' } });
const boundManaged = managed(
  { claimRef: claimRef(), writeConnectionSecretToRef: sourceKey },
  { status: { bindingPhase: 'Bound', boundUID: 'managed-uid' } },
);
const secretType = 'connection.crossplane.io/v1alpha1';
const source: Secret = secretOf(
  {
    ...sourceKey,
    ownerReferences: [controllerReference(boundManaged)],
    annotations: allowsPropagationTo(targetKey),
  },
  { type: secretType, data: encodeDetails({ password: 'new' }) },
);
const target: Secret = secretOf(
  {
    ...targetKey,
    ownerReferences: [controllerReference(boundClaim)],
    annotations: propagatesFrom(sourceKey),
  },
  { type: secretType, data: encodeDetails({ password: 'old' }) },
);

function worldOf({ withSource = true, withTarget = true } = {}) {
  const cluster = new FakeCluster();
  cluster.put(claimKind, boundClaim);
  cluster.put(managedKind, boundManaged);
  if (withSource) cluster.put(SecretKind, source);
  if (withTarget) cluster.put(SecretKind, target);
  const process = new FakeProcess(cluster, (env) => [secretPropagation(env, servicesOf(service))]);
  const details = () => decodeDetails(cluster.get(SecretKind, targetKey));
  return { cluster, process, details };
}
const write = 'update Secret team/conn';

describe('secret propagation acts', () => {
  test('NothingToCopyTo: ToNotFound', async () => {
    const { cluster, process } = worldOf({ withTarget: false });
    assert.deepEqual(await process.reconcile(targetKey), { type: 'done', decision: 'NothingToCopyTo' });
    assert.deepEqual(cluster.takeWrites(), []);
  });
  test('SourceMissing: FromNotFound: nothing, until the source appears, then at once', async () => {
    const { cluster, process, details } = worldOf({ withSource: false });
    await process.settle();
    assert.deepEqual(cluster.takeWrites(), []);
    cluster.put(SecretKind, source);
    await process.settle(0);
    assert.deepEqual(details(), { password: 'new' });
  });
  test('SourceMissing: GetFromError: an error, tried again', async () => {
    const { cluster, process } = worldOf({ withSource: false });
    cluster.refuse('get', SecretKind, forbidden());
    await assert.rejects(process.reconcile(targetKey), /cannot get connection secret: denied/);
  });
  test('NoConsent: PropagationNotAllowedError: an event names both, nothing is written', async () => {
    const { cluster, process, details } = worldOf();
    cluster.set(SecretKind, sourceKey, { metadata: { annotations: {} } });
    await process.settle();
    assert.deepEqual(details(), { password: 'old' });
    assert.deepEqual(cluster.takeWrites(), []);
    const message = process.events[0]?.message ?? '';
    assert.match(message, /connection secret system\/src does not consent to be copied to team\/conn/);
  });
  test('CopySecret: SuccessfulSingle: data is copied in one write, and the event holds none of it', async () => {
    const { cluster, process, details } = worldOf();
    await process.settle();
    assert.deepEqual(details(), { password: 'new' });
    assert.deepEqual(cluster.takeWrites(), [write]);
    assert.deepEqual(
      process.events.map(({ object, type, reason, message }) => [object, type, reason, message]),
      [
        [
          'Secret team/conn',
          'Normal',
          'PropagatedDataFrom',
          'connection details propagated from secret system/src of database.fcp.crossplane.io/v1alpha3 FavouriteDBInstance db',
        ],
      ],
    );
    const reported = JSON.stringify(process.events);
    for (const secret of ['new', 'old', ...Object.values(source.data ?? {})])
      assert.ok(!reported.includes(secret));
  });
  test('CopySecret: UpdateToError: an error without an event, then success', async () => {
    const { cluster, process, details } = worldOf();
    cluster.refuse('update', SecretKind, broken());
    await process.settle();
    assert.match(String(process.errors[0]), /cannot update connection secret: /);
    assert.deepEqual(details(), { password: 'new' });
    assert.equal(process.events.length, 1, "one, on the claim's Secret");
  });
  test('CopySecret: a refused write has an Event, because no condition reports it', async () => {
    const { cluster, process } = worldOf();
    cluster.refuse('update', SecretKind, forbidden());
    await process.settle();
    const [{ reason, message = '' } = assert.fail()] = process.events;
    assert.equal(reason, 'CannotPropagateConnectionDetails');
    assert.match(message, /^not copied: denied by a webhook; /);
  });
  test('H13: a conflict is put back silently', async () => {
    const { cluster, process, details } = worldOf();
    cluster.refuse('update', SecretKind, conflict());
    await process.settle();
    assert.deepEqual([process.errors, process.conflicts], [[], 1]);
    assert.deepEqual(details(), { password: 'new' });
  });
  test('CopySecret: the same data is not written again, not after a restart either', async () => {
    const { cluster, process } = worldOf();
    await process.settle();
    cluster.takeWrites();
    process.resync(SecretKind);
    await process.settle();
    process.stop();
    await new FakeProcess(cluster, (env) => [secretPropagation(env, servicesOf(service))]).settle();
    assert.deepEqual(cluster.takeWrites(), []);
  });
});

describe('the changes that wake a target', () => {
  test('a change of the source: a rotated password arrives at once, and a removed key is removed', async () => {
    const { cluster, process, details } = worldOf();
    await process.settle();
    cluster.edit(SecretKind, sourceKey, (secret) => ({ ...secret, data: encodeDetails({ token: 't' }) }));
    await process.settle(0);
    assert.deepEqual(details(), { token: 't' });
  });
  test('a change of the source while its former change is copied, back to what the copy had', async () => {
    const { cluster, process, details } = worldOf();
    await process.settle();
    const set = (password: string) =>
      cluster.edit(SecretKind, sourceKey, (secret) => ({ ...secret, data: encodeDetails({ password }) }));
    cluster.before('update', SecretKind, () => set('new'));
    set('newer');
    await process.settle(0);
    assert.deepEqual(details(), { password: 'new' });
  });
  test('itself: an edit is undone', async () => {
    const { cluster, process, details } = worldOf();
    await process.settle();
    cluster.edit(SecretKind, targetKey, (secret) => ({ ...secret, data: {} }));
    await process.settle(0);
    assert.deepEqual(details(), { password: 'new' });
  });
  test('each target of a source that allows several', async () => {
    const second = { namespace: 'team', name: 'conn-2' };
    const { cluster, process } = worldOf();
    cluster.put(SecretKind, { ...target, metadata: { ...target.metadata, ...second } });
    const annotations = { ...source.metadata.annotations, ...allowsPropagationTo(second) };
    cluster.set(SecretKind, sourceKey, { metadata: { annotations } });
    await process.settle();
    for (const key of [targetKey, second])
      assert.deepEqual(decodeDetails(cluster.get(SecretKind, key)), { password: 'new' });
  });
  const annotated: Record<
    string,
    { readonly annotations?: Record<string, string>; readonly wakes: boolean }
  > = {
    'AddPropagated IsPropagator: the target that the source names': {
      annotations: allowsPropagationTo(targetKey),
      wakes: true,
    },
    'AddPropagated ObjectIsNotAnnotated: a source that names no target wakes no target': { wakes: false },
    'AddPropagated: a target without a namespace is none': {
      annotations: { 'to.propagate.crossplane.io/x': '/conn' },
      wakes: false,
    },
    'AddPropagated: a target without a name is none': {
      annotations: { 'to.propagate.crossplane.io/x': 'team/' },
      wakes: false,
    },
  };
  for (const [name, { annotations, wakes }] of Object.entries(annotated)) {
    test(name, async () => {
      const { cluster, process } = worldOf({ withSource: false });
      await process.settle();
      const before = process.runs;
      const { annotations: _former, ...metadata } = source.metadata;
      cluster.put(SecretKind, { ...source, metadata: { ...metadata, ...(annotations && { annotations }) } });
      await process.settle(0);
      assert.equal(process.runs > before, wakes);
    });
  }
  test('nothing of another managed kind', async () => {
    const { cluster, process } = worldOf();
    await process.settle();
    const before = process.runs;
    const stranger = { ...managed(), kind: 'OtherDBInstance' };
    cluster.put(SecretKind, {
      ...source,
      metadata: { ...source.metadata, name: 'other', ownerReferences: [controllerReference(stranger)] },
    });
    await process.settle(0);
    assert.equal(process.runs, before);
  });
  test('a claim with a resource of another process: its source, in a namespace closed to this one, is not read', async () => {
    const { cluster, process } = worldOf({ withSource: false });
    const resourceRef = { apiVersion: 'database.aws.crossplane.io/v1beta1', kind: 'RDSInstance', name: 'db' };
    cluster.set(claimKind, boundClaim.metadata, { spec: { resourceRef } });
    cluster.refuse('get', SecretKind, forbidden());
    await process.settle();
    assert.deepEqual(await process.reconcile(targetKey), { type: 'done', decision: 'NotServed' });
    assert.deepEqual(process.errors, []);
  });
  test('a secret that is no connection secret is not even seen', async () => {
    const { cluster, process } = worldOf({ withTarget: false });
    cluster.put(SecretKind, { ...target, type: 'Opaque' });
    await process.settle();
    assert.deepEqual(cluster.takeWrites(), []);
  });
});
