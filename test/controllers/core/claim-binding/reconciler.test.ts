import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import type { ConnectionDetails, Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import {
  allowsPropagationTo,
  decodeDetails,
  encodeDetails,
  propagatesFrom,
  propagationAnnotations,
  propagationTargets,
  SecretKind,
} from '../../../../apis/core/v1alpha1/secret.ts';
import { provisionedNames } from '../../../../controllers/core/claim/provisioned-name.ts';
import {
  provisionedManaged,
  withRecordedResource,
} from '../../../../controllers/core/claim-binding/provision.ts';
import { claimBindingController } from '../../../../controllers/core/claim-binding/setup.ts';
import type { ClaimService } from '../../../../controllers/core/claim-service.ts';
import { ApiError, isConflict, leaseExpired } from '../../../../runtime/client/errors.ts';
import type { Verb } from '../cluster-fake.ts';
import { broken, conflict, FakeCluster, forbidden } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  claim,
  claimKind,
  claimRef,
  classKind,
  classRef,
  managed,
  managedKind,
  peersOf,
  resourceClass,
  resourceRef,
  service,
} from '../objects.ts';

const key = { namespace: 'team', name: 'orders' };
const ownName = provisionedNames(claim())[0] ?? '';
const small = resourceClass('small', {}, { specTemplate: { writeConnectionSecretsToNamespace: 'system' } });
const conn = { writeConnectionSecretToRef: { name: 'conn' } };
const sourceRef = { writeConnectionSecretToRef: { namespace: 'system', name: 'src' } };
const finalizers = ['finalizer.resourceclaim.crossplane.io'];
const byClass = claim({ ...conn, classRef: classRef('small') });
const byName = claim({ ...conn, resourceRef: resourceRef('db') });
const bindable = managed(sourceRef, { status: { bindingPhase: 'Unbound' } });
const bound = managed(
  { ...sourceRef, claimRef: claimRef() },
  { finalizers: ['finalizer.managedresource.crossplane.io'], status: { bindingPhase: 'Bound' } },
);
const boundClaim = (over: Partial<Claim['metadata']> = {}) =>
  claim(byName.spec, { finalizers, status: { bindingPhase: 'Bound' }, ...over });
const source: Secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'connection.crossplane.io/v1alpha1',
  metadata: { namespace: 'system', name: 'src', ownerReferences: [controllerReference(bindable)] },
  data: encodeDetails({ password: 'pw', endpoint: 'host' }),
};
const targetOf = (over: Partial<Secret> = {}): Secret => ({
  ...source,
  metadata: { namespace: 'team', name: 'conn' },
  ...over,
});
const unowned = (details: ConnectionDetails): Secret => targetOf({ data: encodeDetails(details) });
const owned = (over: Partial<Secret> = {}): Secret =>
  targetOf({ metadata: { ...targetOf().metadata, ownerReferences: [controllerReference(byName)] }, ...over });
const deleted = { deletionTimestamp: '2026-01-02T03:00:00Z' };

interface Row {
  readonly claim: Claim;
  readonly managed?: Managed;
  readonly secrets?: readonly Secret[];
  readonly service?: Partial<ClaimService>;
  /** Every call of this verb and kind is refused. */
  readonly refuse?: readonly [Verb, Kind];
  readonly result?: 'done' | 'requeue' | 'after';
  /** Reason of Ready; default none. */
  readonly ready?: string;
  /** Default Unknown. */
  readonly synced?: 'True' | 'False';
  readonly message?: RegExp;
  /** Reasons of Events; default none. */
  readonly event?: string | readonly string[];
  /** Of the claim; default Unbound where its status is written, else none. */
  readonly phase?: 'Bound';
  readonly writes: readonly string[];
}

const status = 'updateStatus FancySQLInstance team/orders';
const update = 'update FancySQLInstance team/orders';

function worldOf(row: Pick<Row, 'claim' | 'managed' | 'secrets' | 'service'>) {
  const cluster = new FakeCluster();
  cluster.put(classKind, small);
  cluster.put(claimKind, row.claim);
  if (row.managed !== undefined) cluster.put(managedKind, row.managed);
  for (const secret of row.secrets ?? []) cluster.put(SecretKind, secret);
  const ours = { ...service, ...row.service };
  const process = new FakeProcess(cluster, (env) => [claimBindingController(env, ours, peersOf(ours))]);
  return { cluster, process };
}

const rows: Record<string, Row> = {
  'ResourceMissing: ManagedNotFound: one status write, no more': {
    claim: byName,
    ready: 'Binding',
    synced: 'True',
    event: 'ManagedResourceNotFound',
    writes: [status],
  },
  'GetManagedError: Synced says so, Ready stays, it is tried again': {
    claim: byName,
    refuse: ['get', managedKind],
    result: 'requeue',
    synced: 'False',
    message: /^cannot get managed resource: denied/,
    event: 'CannotGetManagedResource',
    writes: [status],
  },
  'UnbindError UpdateStatusError: the claim stays and says why': {
    claim: boundClaim(deleted),
    managed: bound,
    refuse: ['updateStatus', managedKind],
    result: 'requeue',
    ready: 'Deleting',
    synced: 'False',
    message: /^cannot update managed resource status: denied/,
    event: 'CannotUnbindManagedResource',
    phase: 'Bound',
    writes: [status],
  },
  'UnbindError UpdateError': {
    claim: boundClaim(deleted),
    managed: bound,
    refuse: ['update', managedKind],
    result: 'requeue',
    ready: 'Deleting',
    synced: 'False',
    message: /^cannot update managed resource: denied/,
    event: 'CannotUnbindManagedResource',
    phase: 'Bound',
    writes: ['updateStatus FavouriteDBInstance db', status],
  },
  'UnbindError DeleteError': {
    claim: boundClaim(deleted),
    managed: { ...bound, spec: { ...bound.spec, reclaimPolicy: 'Delete' } },
    refuse: ['delete', managedKind],
    result: 'requeue',
    ready: 'Deleting',
    synced: 'False',
    message: /^cannot delete managed resource: denied/,
    event: 'CannotUnbindManagedResource',
    phase: 'Bound',
    writes: [status],
  },
  RemoveClaimFinalizerError: {
    claim: boundClaim(deleted),
    refuse: ['update', claimKind],
    result: 'requeue',
    ready: 'Deleting',
    synced: 'False',
    message: /^cannot update resource claim: denied/,
    phase: 'Bound',
    event: 'CannotUnbindManagedResource',
    writes: [status],
  },
  'Reclaim: SuccessfulDelete: deletion writes no claim status': {
    event: 'UnboundManagedResource',
    claim: boundClaim(deleted),
    managed: { ...bound, spec: { ...bound.spec, reclaimPolicy: 'Delete' } },
    writes: ['delete FavouriteDBInstance db', update],
  },
  'Reclaim: SuccessfulRetain': {
    event: 'UnboundManagedResource',
    claim: boundClaim(deleted),
    managed: bound,
    writes: ['updateStatus FavouriteDBInstance db', 'update FavouriteDBInstance db', update],
  },
  'ClassMissing: GetResourceClassError: a missing class': {
    claim: claim({ classRef: classRef('no-such-class') }),
    ready: 'Creating',
    synced: 'False',
    message: /FavouriteDBInstanceClass no-such-class does not exist/,
    event: 'CannotGetResourceClass',
    writes: [status],
  },
  'ConfigureManagedError: the service says what does not fit, and nothing is recorded, so that it can be corrected':
    {
      claim: byClass,
      service: {
        configure: () => {
          throw new Error('engineVersion 9 is not offered');
        },
      },
      ready: 'Creating',
      synced: 'False',
      message: /FavouriteDBInstanceClass small: engineVersion 9 is not offered/,
      event: 'CannotConfigureManagedResource',
      writes: [status],
    },
  'Create: CreateManagedError: the name stays recorded, nothing is created': {
    claim: byClass,
    refuse: ['create', managedKind],
    result: 'requeue',
    ready: 'Creating',
    synced: 'False',
    message: /^cannot create managed resource: denied/,
    event: 'CannotCreateManagedResource',
    writes: [update, status],
  },
  'RecordName: UpdateClaimError, AddFinalizerError: without the record nothing is created (H4)': {
    claim: byClass,
    refuse: ['update', claimKind],
    result: 'requeue',
    ready: 'Creating',
    synced: 'False',
    message: /^cannot update resource claim: denied/,
    event: 'CannotCreateManagedResource',
    writes: [status],
  },
  'Create: Successful: one write before, one creation': {
    claim: byClass,
    event: 'CreatedManagedResource',
    writes: [update, `create FavouriteDBInstance ${ownName}`],
  },
  'NotReady: a static resource that is not ready is awaited by its events': {
    claim: byName,
    managed: managed(sourceRef),
    ready: 'Binding',
    synced: 'True',
    event: 'WaitingToBind',
    writes: [status],
  },
  'PropagateConnectionError GetManagedSecretError: the source is not there yet': {
    claim: byName,
    managed: bindable,
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message: /^cannot get managed resource's connection secret: system\/src does not exist/,
    event: 'CannotPropagateConnectionDetails',
    writes: [update, 'update FavouriteDBInstance db', status],
  },
  'ManagedResourceDoesNotControlSecret: nothing is copied': {
    claim: byName,
    managed: bindable,
    secrets: [{ ...source, metadata: { namespace: 'system', name: 'src' } }],
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message: /^cannot establish control of existing connection secret system\/src/,
    event: 'CannotPropagateConnectionDetails',
    writes: [update, 'update FavouriteDBInstance db', status],
  },
  "ClaimSecretConflictError: somebody else's secret is left alone": {
    claim: byName,
    managed: bindable,
    secrets: [
      source,
      targetOf({
        metadata: {
          ...targetOf().metadata,
          ownerReferences: [controllerReference(claim({}, { name: 'billing', uid: 'billing-uid' }))],
        },
      }),
    ],
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message:
      /controlled by FancySQLInstance billing, not by FancySQLInstance orders \(team\/conn\); name another in spec\.writeConnectionSecretToRef$/,
    event: 'CannotPropagateConnectionDetails',
    writes: [update, 'update FavouriteDBInstance db', 'update Secret system/src', status],
  },
  'ClaimSecretUncontrolledError: an Opaque secret is never taken over': {
    claim: byName,
    managed: bindable,
    secrets: [source, targetOf({ type: 'Opaque' })],
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message:
      /refusing to modify uncontrolled secret of type "Opaque" \(team\/conn\); name another in spec\.writeConnectionSecretToRef; that one may be the only copy of what it holds, and whoever wrote it can say whether it may be deleted$/,
    event: 'CannotPropagateConnectionDetails',
    writes: [update, 'update FavouriteDBInstance db', 'update Secret system/src', status],
  },
  'one that nobody controls, and that holds what its source does not, is left alone': {
    claim: byName,
    managed: bindable,
    secrets: [source, unowned({ password: 'pw', mine: 'not yours' })],
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message:
      /^cannot create or update connection secret: refusing to take over a secret that nobody controls and that holds data of its own \(team\/conn\); name another in spec\.writeConnectionSecretToRef; that one may be the only copy of what it holds, and whoever wrote it can say whether it may be deleted$/,
    event: 'CannotPropagateConnectionDetails',
    writes: [update, 'update FavouriteDBInstance db', 'update Secret system/src', status],
  },
  'one that nobody controls, and that holds another value of a key': {
    claim: byName,
    managed: bindable,
    secrets: [source, unowned({ password: 'mine' })],
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message: /secret that nobody controls and that holds data of its own \(team\/conn\)/,
    event: 'CannotPropagateConnectionDetails',
    writes: [update, 'update FavouriteDBInstance db', 'update Secret system/src', status],
  },
  'one that nobody controls, and that is a copy of what another claim had': {
    claim: byName,
    managed: bindable,
    secrets: [
      source,
      targetOf({
        metadata: {
          namespace: 'team',
          name: 'conn',
          annotations: propagatesFrom({ namespace: 'system', name: 'other' }),
        },
        data: encodeDetails({ password: 'theirs' }),
        immutable: true,
      }),
    ],
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message: /secret that nobody controls and that holds data of its own \(team\/conn\)/,
    event: 'CannotPropagateConnectionDetails',
    writes: [update, 'update FavouriteDBInstance db', 'update Secret system/src', status],
  },
  'an immutable one of its own that is to change: what to do': {
    claim: boundClaim(),
    managed: bound,
    secrets: [source, owned({ immutable: true, data: encodeDetails({ password: 'former' }) })],
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message:
      /^cannot create or update connection secret: secret team\/conn is immutable, and is no copy of what the claim's resource publishes; delete it, and it is made again$/,
    event: 'CannotPropagateConnectionDetails',
    phase: 'Bound',
    writes: ['update Secret system/src', status],
  },
  'UpdateManagedSecretError: consent cannot be written': {
    claim: byName,
    managed: bindable,
    secrets: [source],
    refuse: ['update', SecretKind],
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message: /^cannot update connection secret: denied/,
    event: 'CannotPropagateConnectionDetails',
    writes: [update, 'update FavouriteDBInstance db', status],
  },
  ApplyClaimSecretError: {
    claim: byName,
    managed: bindable,
    secrets: [source],
    refuse: ['create', SecretKind],
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message: /^cannot create or update connection secret: denied/,
    event: 'CannotPropagateConnectionDetails',
    writes: [update, 'update FavouriteDBInstance db', 'update Secret system/src', status],
  },
  'AddFinalizerError of a static claim': {
    claim: byName,
    managed: bindable,
    secrets: [source],
    refuse: ['update', claimKind],
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message: /^cannot update resource claim: denied/,
    event: 'CannotBindManagedResource',
    writes: [status],
  },
  'Bind: BindError UpdateManagedError': {
    claim: byName,
    managed: bindable,
    refuse: ['update', managedKind],
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message: /^cannot update managed resource: denied/,
    event: 'CannotBindManagedResource',
    writes: [update, status],
  },
  'Bind: BindError UpdateManagedStatusError': {
    claim: byName,
    managed: bindable,
    secrets: [source],
    refuse: ['updateStatus', managedKind],
    result: 'requeue',
    ready: 'Binding',
    synced: 'False',
    message: /^cannot update managed resource status: denied/,
    event: 'CannotBindManagedResource',
    writes: [
      update,
      'update FavouriteDBInstance db',
      'update Secret system/src',
      'create Secret team/conn',
      status,
    ],
  },
  'Bind: Successful: a static claim binds': {
    claim: byName,
    managed: bindable,
    secrets: [source],
    ready: 'Unavailable',
    synced: 'True',
    event: 'BoundManagedResource',
    phase: 'Bound',
    writes: [
      update,
      'update FavouriteDBInstance db',
      'update Secret system/src',
      'create Secret team/conn',
      'updateStatus FavouriteDBInstance db',
      status,
    ],
  },
  ClaimDoesNotWantConnectionSecret: {
    claim: claim({ resourceRef: resourceRef('db') }),
    managed: bindable,
    secrets: [source],
    phase: 'Bound',
    synced: 'True',
    ready: 'Unavailable',
    event: 'BoundManagedResource',
    writes: [update, 'update FavouriteDBInstance db', 'updateStatus FavouriteDBInstance db', status],
  },
  ManagedDoesNotExposeConnectionSecret: {
    claim: byName,
    managed: managed({}, { status: { bindingPhase: 'Unbound' } }),
    phase: 'Bound',
    synced: 'True',
    ready: 'Unavailable',
    event: ['BoundManagedResource', 'CannotPropagateConnectionDetails'],
    writes: [update, 'update FavouriteDBInstance db', 'updateStatus FavouriteDBInstance db', status],
  },
  'KeepBound: a failure while bound leaves Ready and the phase alone': {
    claim: boundClaim(),
    managed: managed(
      { claimRef: claimRef({ uid: 'before-restore' }) },
      { status: { bindingPhase: 'Bound' } },
    ),
    refuse: ['update', managedKind],
    result: 'requeue',
    phase: 'Bound',
    synced: 'False',
    message: /^cannot update managed resource: denied/,
    event: 'CannotBindManagedResource',
    writes: [status],
  },
};

describe('binding acts', () => {
  for (const [name, row] of Object.entries(rows)) {
    test(name, async () => {
      const { cluster, process } = worldOf(row);
      if (row.refuse !== undefined) {
        cluster.before(
          ...row.refuse,
          () => {
            throw forbidden();
          },
          Number.POSITIVE_INFINITY,
        );
      }
      const result = await process.reconcile(key);
      assert.equal(result.type, row.result ?? 'done');
      assert.deepEqual(cluster.takeWrites(), row.writes);

      const after = cluster.get(claimKind, key);
      const ready = getCondition(after?.status?.conditions, 'Ready');
      const synced = getCondition(after?.status?.conditions, 'Synced');
      assert.equal(ready.reason, row.ready);
      assert.equal(synced.status, row.synced ?? 'Unknown');
      if (row.message !== undefined) assert.match(synced.message ?? '', row.message);
      if (row.synced === 'False') assert.notEqual(ready.status, 'True');
      const phase = row.phase ?? (row.writes.includes(status) ? 'Unbound' : undefined);
      assert.equal(after?.status?.bindingPhase, phase);
      const recorded = [...process.recordings];
      assert.deepEqual(
        recorded.map(({ reason }) => reason),
        [row.event ?? []].flat(),
      );

      // The same again changes nothing, and tells of nothing but a failure that lasts.
      await process.reconcile(key);
      assert.deepEqual(cluster.takeWrites(), []);
      const warnings = recorded.filter(({ type }) => type === 'Warning');
      assert.deepEqual(process.recordings, [...recorded, ...warnings]);
      if (row.synced === 'False') assert.equal(warnings.length, recorded.length);
    });
  }

  test('leaves Ready as it was', async () => {
    const { cluster, process } = worldOf({ claim: byName });
    cluster.before('get', managedKind, () => {
      throw forbidden();
    });
    await process.reconcile(key);
    assert.equal(getCondition(cluster.get(claimKind, key)?.status?.conditions, 'Ready').status, 'Unknown');
  });

  for (const [name, row] of Object.entries(rows).filter(([, { writes }]) => writes.includes(status))) {
    test(`a status that cannot be written is an error: ${name}`, async () => {
      const { cluster, process } = worldOf(row);
      const refused = [['updateStatus', claimKind] as const, ...(row.refuse ? [row.refuse] : [])];
      for (const [verb, kind] of refused) {
        cluster.before(
          verb,
          kind,
          () => {
            throw forbidden(`${verb} ${kind.kind} is denied`);
          },
          Number.POSITIVE_INFINITY,
        );
      }
      await assert.rejects(
        process.reconcile(key),
        /^Error: cannot update resource claim status: updateStatus FancySQLInstance is denied/,
      );
      assert.equal(cluster.get(claimKind, key)?.status?.bindingPhase, row.claim.status?.bindingPhase);
    });
  }

  test('a claim that is gone by the time its status is written is no error', async () => {
    const { cluster, process } = worldOf({ claim: byName });
    process.hold(claimKind);
    cluster.before('updateStatus', claimKind, () => cluster.delete(claimKind, key));
    assert.deepEqual(await process.reconcile(key), { type: 'done', decision: 'ResourceMissing' });
  });
});

test('what becomes of a claim is never told of the next one of its name', async () => {
  const { cluster, process } = worldOf({ claim: boundClaim(deleted), managed: bound, secrets: [source] });
  cluster.afterCall = async ({ verb, kind }) => {
    if (verb !== 'update' || kind !== claimKind.kind) return;
    cluster.afterCall = () => {};
    // It is carried out, and while its answer is awaited the name is taken anew.
    cluster.put(claimKind, claim({}, { uid: 'uid-of-the-next' }));
    await cluster.clock.settle();
    throw broken();
  };
  await assert.rejects(process.reconcile(key), isConflict);
  assert.equal(cluster.get(claimKind, key)?.metadata.uid, 'uid-of-the-next');
  assert.equal(cluster.get(claimKind, key)?.status, undefined);
});

test('RecordName: where all names that a claim may give are taken, it says so and tries again', async () => {
  const { cluster, process } = worldOf({ claim: byClass });
  for (const taken of provisionedNames(byClass)) cluster.put(managedKind, managed({}, { name: taken }));
  const message = 'every name this claim may give its managed resource is taken';
  assert.deepEqual(await process.reconcile(key), {
    type: 'requeue',
    decision: 'RecordName',
    failure: message,
  });
  assert.deepEqual(cluster.takeWrites(), [status]);
  assert.equal(getCondition(cluster.get(claimKind, key)?.status?.conditions, 'Synced').message, message);
  assert.deepEqual(
    process.recordings.map(({ reason, message: told }) => [reason, told]),
    [['CannotCreateManagedResource', message]],
  );
});

describe('what binding leaves behind', () => {
  test('StatusBind SuccessfulWithExternalName: the claim carries the external name', async () => {
    const annotations = { 'crossplane.io/external-name': 'cloud-db' };
    const { cluster, process } = worldOf({
      claim: claim({ resourceRef: resourceRef('db') }),
      managed: managed({}, { annotations, status: { bindingPhase: 'Unbound' } }),
    });
    await process.reconcile(key);
    assert.equal(
      cluster.get(claimKind, key)?.metadata.annotations?.['crossplane.io/external-name'],
      'cloud-db',
    );
  });

  test('StatusBind SuccessfulWithoutExternalName: it gets none', async () => {
    const { cluster, process } = worldOf({
      claim: claim({ resourceRef: resourceRef('db') }),
      managed: managed({}, { status: { bindingPhase: 'Unbound' } }),
    });
    await process.reconcile(key);
    assert.equal(cluster.get(claimKind, key)?.metadata.annotations, undefined);
    assert.deepEqual(cluster.get(claimKind, key)?.metadata.finalizers, finalizers);
    assert.deepEqual(cluster.get(managedKind, { name: 'db' })?.spec.claimRef, claimRef());
    assert.equal(cluster.get(managedKind, { name: 'db' })?.status?.bindingPhase, 'Bound');
  });

  test('PropagateConnection Successful: data on the target, consent on both sides, the claim in control', async () => {
    const { cluster, process } = worldOf({ claim: byName, managed: bindable, secrets: [source] });
    await process.reconcile(key);
    const target = cluster.get(SecretKind, { namespace: 'team', name: 'conn' });
    assert.deepEqual(decodeDetails(target), { password: 'pw', endpoint: 'host' });
    assert.equal(target?.type, 'connection.crossplane.io/v1alpha1');
    assert.equal(target?.metadata.ownerReferences?.[0]?.uid, 'claim-uid');
    const kept = cluster.get(SecretKind, { namespace: 'system', name: 'src' });
    assert.deepEqual(kept && propagationTargets(kept), [{ namespace: 'team', name: 'conn' }]);
    assert.deepEqual(cluster.get(claimKind, key)?.status?.binding, { name: 'conn' });
  });

  describe('a secret is handed over by as few calls as can be', () => {
    const calls = (cluster: FakeCluster, name: string) =>
      cluster.calls.flatMap((call) => (call.key === name ? [call.verb] : []));
    const stale = (type: string) =>
      targetOf({
        type,
        metadata: { ...targetOf().metadata, ownerReferences: [controllerReference(byName)] },
        data: {},
      });
    const rows: Record<
      string,
      { readonly row: Parameters<typeof worldOf>[0]; readonly calls: readonly Verb[] }
    > = {
      'at first it is made unseen': {
        row: { claim: byName, managed: bindable, secrets: [source] },
        calls: ['create'],
      },
      'what is there is updated unasked': {
        row: { claim: boundClaim(), managed: bound, secrets: [source, stale(source.type ?? '')] },
        calls: ['update'],
      },
      'a bound claim may have one of another type, which no store holds: asked for before one is made': {
        row: { claim: boundClaim(), managed: bound, secrets: [source, stale('Opaque')] },
        calls: ['get', 'update'],
      },
      'a bound claim may have lost it': {
        row: { claim: boundClaim(), managed: bound, secrets: [source] },
        calls: ['get', 'create'],
      },
    };
    for (const [name, { row, calls: wanted }] of Object.entries(rows)) {
      test(name, async () => {
        const { cluster, process } = worldOf(row);
        await process.reconcile(key);
        assert.deepEqual(calls(cluster, 'team/conn'), wanted);
        assert.deepEqual(cluster.get(SecretKind, { namespace: 'team', name: 'conn' })?.data, source.data);
      });
    }

    test('a source that the store does not show yet is asked for', async () => {
      const { cluster, process } = worldOf({ claim: byName, managed: bindable });
      process.hold(SecretKind);
      cluster.put(SecretKind, source);
      await process.reconcile(key);
      assert.deepEqual(calls(cluster, 'system/src'), ['get', 'update']);
      assert.equal(cluster.get(claimKind, key)?.status?.bindingPhase, 'Bound');
    });

    test('one that is there when it is made, and gone when it is looked for, is made again', async () => {
      const { cluster, process } = worldOf({ claim: byName, managed: bindable, secrets: [source] });
      cluster.before('create', SecretKind, () => {
        throw new ApiError('secrets "conn" already exists', { code: 409, reason: 'AlreadyExists' });
      });
      await process.reconcile(key);
      const told = getCondition(cluster.get(claimKind, key)?.status?.conditions, 'Synced').message;
      assert.equal(told, 'cannot create or update connection secret: secret team/conn came and went');
      await process.settle();
      assert.equal(cluster.get(claimKind, key)?.status?.bindingPhase, 'Bound');
    });
  });

  const { data: _, ...withoutData } = targetOf();
  const takenOver: Record<string, Secret> = {
    'that holds nothing': unowned({}),
    'without data': withoutData,
    'that holds no more than its source': unowned({ password: 'pw' }),
    'that is immutable, and a copy already': targetOf({ immutable: true }),
  };
  for (const [what, secret] of Object.entries(takenOver)) {
    test(`one that nobody controls, ${what}, is taken over`, async () => {
      const { cluster, process } = worldOf({ claim: byName, managed: bindable, secrets: [source, secret] });
      await process.settle();
      const target = cluster.get(SecretKind, { namespace: 'team', name: 'conn' });
      assert.deepEqual(target?.data, source.data);
      assert.deepEqual(
        target?.metadata.ownerReferences?.map(({ uid }) => uid),
        ['claim-uid'],
      );
      assert.equal(cluster.get(claimKind, key)?.status?.bindingPhase, 'Bound');
    });
  }

  test('a secret that somebody made by hand stays as it was, also when the claim goes that names it', async () => {
    const mine = unowned({ mine: 'not yours' });
    const { cluster, process } = worldOf({ claim: byName, managed: bindable, secrets: [source, mine] });
    const stored = () => cluster.get(SecretKind, { namespace: 'team', name: 'conn' });
    const before = stored();
    await process.settle();
    cluster.delete(claimKind, key);
    await process.settle();
    assert.equal(cluster.get(claimKind, key), undefined);
    assert.deepEqual(stored(), before);
  });

  test('a claim that names what somebody made by hand keeps the secret that it has', async () => {
    const mine = { ...unowned({ mine: 'not yours' }), metadata: { namespace: 'team', name: 'mine' } };
    const renamed = boundClaim();
    const { cluster, process } = worldOf({
      claim: { ...renamed, spec: { ...renamed.spec, writeConnectionSecretToRef: { name: 'mine' } } },
      managed: bound,
      secrets: [source, owned(), mine],
    });
    await process.reconcile(key);
    assert.deepEqual(cluster.get(SecretKind, { namespace: 'team', name: 'conn' })?.data, source.data);
    assert.deepEqual(cluster.get(SecretKind, { namespace: 'team', name: 'mine' })?.data, mine.data);
    cluster.delete(SecretKind, { namespace: 'team', name: 'mine' });
    await process.settle();
    assert.equal(cluster.get(SecretKind, { namespace: 'team', name: 'conn' }), undefined);
    assert.deepEqual(cluster.get(SecretKind, { namespace: 'team', name: 'mine' })?.data, source.data);
  });

  test('PropagateConnection Adoptable: a copy that nobody controls any more is taken over, its other owners and annotations kept', async () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
    const annotations = { note: 'kept', ...propagatesFrom({ namespace: 'system', name: 'src' }) };
    const metadata = { ...targetOf().metadata, ownerReferences: [other], annotations };
    const orphan = targetOf({ metadata, data: encodeDetails({ stale: 'yes' }) });
    const { cluster, process } = worldOf({
      claim: byName,
      managed: bindable,
      secrets: [source, orphan],
    });
    await process.reconcile(key);
    const target = cluster.get(SecretKind, { namespace: 'team', name: 'conn' });
    assert.deepEqual(decodeDetails(target), { password: 'pw', endpoint: 'host' });
    assert.deepEqual(
      target?.metadata.ownerReferences?.map(({ uid }) => uid),
      ['x', 'claim-uid'],
    );
    assert.equal(target?.metadata.annotations?.note, 'kept');
  });

  test('StatusUnbind SuccessfulRetain: Released, without claim or consent, and not bindable again', async () => {
    const { cluster, process } = worldOf({ claim: byName, managed: bindable, secrets: [source] });
    await process.settle();
    cluster.delete(claimKind, key);
    await process.settle();
    const released = cluster.get(managedKind, { name: 'db' });
    assert.equal(released?.status?.bindingPhase, 'Released');
    assert.equal(released?.spec.claimRef, undefined);
    const kept = cluster.get(SecretKind, { namespace: 'system', name: 'src' });
    assert.deepEqual(kept && propagationTargets(kept), []);
    assert.equal(cluster.get(claimKind, key), undefined);
    assert.equal(cluster.get(SecretKind, { namespace: 'team', name: 'conn' }), undefined);

    cluster.put(claimKind, claim(byName.spec, { uid: 'second-life' }));
    await process.settle();
    assert.equal(cluster.get(managedKind, { name: 'db' })?.spec.claimRef, undefined);
    const ready = getCondition(cluster.get(claimKind, key)?.status?.conditions, 'Ready');
    assert.match(ready.message ?? '', /was released by a former claim, and may hold the data of that; /);
  });

  test('StatusUnbind SuccessfulDelete: the managed resource is deleted while it still names the claim', async () => {
    const { cluster, process } = worldOf({
      claim: boundClaim(),
      managed: managed(
        { claimRef: claimRef(), reclaimPolicy: 'Delete' },
        { finalizers: ['finalizer.managedresource.crossplane.io'], status: { bindingPhase: 'Bound' } },
      ),
    });
    cluster.delete(claimKind, key);
    await process.settle();
    const leaving = cluster.get(managedKind, { name: 'db' });
    assert.ok(leaving?.metadata.deletionTimestamp);
    assert.deepEqual(leaving?.spec.claimRef, claimRef());
    assert.equal(cluster.get(claimKind, key), undefined);
  });

  test('one whose finalizer somebody took away has it again before it is deleted, for what it stands for is there', async () => {
    const own = { 'crossplane.io/external-identity': '{"name":"db"}' };
    const resource = managed(
      { ...sourceRef, claimRef: claimRef(), reclaimPolicy: 'Delete' },
      { annotations: own, status: { bindingPhase: 'Bound' } },
    );
    const { cluster, process } = worldOf({ claim: boundClaim(), managed: resource });
    cluster.delete(claimKind, key, deleted.deletionTimestamp);
    await process.settle();
    const leaving = cluster.get(managedKind, { name: 'db' });
    assert.ok(leaving?.metadata.deletionTimestamp);
    assert.deepEqual(leaving.metadata.finalizers, ['finalizer.managedresource.crossplane.io']);
    assert.equal(cluster.get(claimKind, key), undefined);
  });

  test('a bound claim that wants a secret its resource does not publish says so, and exposes none until it does', async () => {
    const ready = { type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime: '' } as const;
    const status = { bindingPhase: 'Unbound', conditions: [ready] } as const;
    const { cluster, process } = worldOf({ claim: byName, managed: managed({}, { status }) });
    const told = () => getCondition(cluster.get(claimKind, key)?.status?.conditions, 'Ready');
    await process.settle();
    assert.equal(told().status, 'True');
    assert.match(told().message ?? '', /FavouriteDBInstance db has no spec\.writeConnectionSecretToRef/);
    assert.equal(cluster.get(claimKind, key)?.status?.binding, undefined);
    const warned = process.events.filter(({ reason }) => reason === 'CannotPropagateConnectionDetails');
    assert.deepEqual(
      warned.map(({ type, message }) => [type, message]),
      [['Warning', told().message]],
    );

    cluster.put(SecretKind, source);
    cluster.edit(managedKind, { name: 'db' }, ({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, ...sourceRef },
    }));
    await process.settle();
    assert.equal(told().message, undefined);
    assert.deepEqual(cluster.get(claimKind, key)?.status?.binding, { name: 'conn' });
  });

  describe('the secret that a bound claim has a copy of is gone', () => {
    const told = (cluster: FakeCluster, type: string) =>
      getCondition(cluster.get(claimKind, key)?.status?.conditions, type);
    /** A bound claim, whose managed resource has published and does not again. */
    async function orphaned(): Promise<FakeCluster> {
      const ready = { type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime: '' } as const;
      const status = { bindingPhase: 'Unbound', conditions: [ready] } as const;
      const { cluster, process } = worldOf({
        claim: byName,
        managed: managed(sourceRef, { status }),
        secrets: [source],
      });
      await process.settle();
      cluster.delete(SecretKind, { namespace: 'system', name: 'src' });
      await process.settle(0);
      process.stop();
      return cluster;
    }
    const restarted = (cluster: FakeCluster): FakeProcess =>
      new FakeProcess(cluster, (env) => [claimBindingController(env, service, peersOf(service))]);

    test('it keeps what it was given until that is published again: another process writes nothing', async () => {
      const cluster = await orphaned();
      const before = cluster.get(claimKind, key);
      assert.equal(told(cluster, 'Ready').status, 'True');
      await restarted(cluster).settle();
      assert.deepEqual(cluster.get(claimKind, key), before);
    });

    test('and says so once its copy is gone, too', async () => {
      const cluster = await orphaned();
      cluster.delete(SecretKind, { namespace: 'team', name: 'conn' });
      await restarted(cluster).settle();
      assert.match(told(cluster, 'Synced').message ?? '', /connection secret: system\/src does not exist/);
      assert.notEqual(told(cluster, 'Ready').status, 'True');
    });

    for (const [what, data, status] of [
      ['is immutable and what its resource published last', source.data, 'True'],
      [
        'is immutable, and was no copy of that when it was there still',
        encodeDetails({ password: 'former' }),
        'False',
      ],
    ] as const) {
      test(`and one that ${what} leaves Ready ${status}`, async () => {
        const ready = { type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime: '' } as const;
        const { metadata } = owned();
        const annotations = propagatesFrom({ namespace: 'system', name: 'src' });
        const { cluster, process } = worldOf({
          claim: boundClaim(),
          managed: { ...bound, status: { ...bound.status, conditions: [ready] } },
          secrets: [
            source,
            owned({ immutable: true, metadata: { ...metadata, annotations }, ...(data && { data }) }),
          ],
        });
        await process.settle();
        cluster.delete(SecretKind, { namespace: 'system', name: 'src' });
        await process.settle();
        assert.equal(told(cluster, 'Ready').status, status);
      });
    }

    test('or is of another secret than that', async () => {
      const cluster = await orphaned();
      cluster.edit(SecretKind, { namespace: 'team', name: 'conn' }, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, annotations: propagatesFrom({ namespace: 'system', name: 'former' }) },
      }));
      await restarted(cluster).settle();
      assert.match(told(cluster, 'Synced').message ?? '', /connection secret: system\/src does not exist/);
    });
  });

  test('a secret that was pointed at another source, or given to another claim, is mended at once', async () => {
    const { cluster, process } = worldOf({ claim: byName, managed: bindable, secrets: [source] });
    await process.settle();
    const target = { namespace: 'team', name: 'conn' };
    const mended = cluster.get(SecretKind, target)?.metadata;
    assert.ok(mended);
    for (const tampered of [
      { annotations: propagatesFrom({ namespace: 'system', name: 'of-others' }) },
      { ownerReferences: [{ ...controllerReference(byName), uid: 'former-uid' }] },
    ]) {
      cluster.edit(SecretKind, target, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, ...tampered },
      }));
      await process.settle(0);
      const { annotations, ownerReferences } = cluster.get(SecretKind, target)?.metadata ?? {};
      assert.deepEqual(
        { annotations, ownerReferences },
        {
          annotations: mended.annotations,
          ownerReferences: mended.ownerReferences,
        },
      );
    }
  });

  test('a claim that names another secret, or none, leaves none behind', async () => {
    const { cluster, process } = worldOf({ claim: byName, managed: bindable, secrets: [source] });
    await process.settle();
    const wants = (name: string | undefined) =>
      cluster.edit(claimKind, key, (current) => {
        const { writeConnectionSecretToRef: _before, ...spec } = current.spec;
        return { ...current, spec: { ...spec, ...(name && { writeConnectionSecretToRef: { name } }) } };
      });
    const names = () =>
      cluster
        .all(SecretKind)
        .flatMap(({ metadata }) => (metadata.namespace === 'team' ? [metadata.name] : []));
    wants('renamed');
    await process.settle();
    assert.deepEqual(names(), ['renamed']);
    assert.deepEqual(cluster.get(claimKind, key)?.status?.binding, { name: 'renamed' });
    wants(undefined);
    await process.settle();
    assert.deepEqual(names(), []);
    assert.equal(cluster.get(claimKind, key)?.status?.binding, undefined);
    assert.deepEqual(
      process.events.flatMap(({ type, reason, message }) =>
        reason === 'RemovedConnectionSecret' ? [`${type}: ${message}`] : [],
      ),
      [
        'Normal: connection secret conn is controlled by the claim, which wants secret renamed',
        'Normal: connection secret renamed is controlled by the claim, which wants none',
      ],
    );
  });

  test('a claim keeps its secret for as long as the one that it names by now is somebody else’s', async () => {
    const { cluster, process } = worldOf({ claim: byName, managed: bindable, secrets: [source] });
    await process.settle();
    const taken = { namespace: 'team', name: 'taken' };
    cluster.put(SecretKind, { ...source, type: 'Opaque', metadata: taken });
    const before = cluster.get(SecretKind, { namespace: 'team', name: 'conn' });
    cluster.edit(claimKind, key, (current) => ({
      ...current,
      spec: { ...current.spec, writeConnectionSecretToRef: { name: 'taken' } },
    }));
    await process.settle();
    assert.deepEqual(cluster.get(SecretKind, { namespace: 'team', name: 'conn' }), before);
    cluster.delete(SecretKind, taken);
    await process.settle(70_000);
    assert.equal(cluster.get(SecretKind, { namespace: 'team', name: 'conn' }), undefined);
    assert.deepEqual(cluster.get<Secret>(SecretKind, taken)?.data, source.data);
  });

  const consents: Record<string, { readonly given: Record<string, string>; readonly adds: boolean }> = {
    'under whatever key it was given: it is not given twice': {
      given: { 'to.propagate.crossplane.io/by-hand': 'team/conn' },
      adds: false,
    },
    'to a secret of that name elsewhere: it is another one': {
      given: { 'to.propagate.crossplane.io/by-hand': 'another-team/conn' },
      adds: true,
    },
  };
  for (const [name, { given, adds }] of Object.entries(consents)) {
    test(`consent of a source ${name}`, async () => {
      const consenting = { ...source, metadata: { ...source.metadata, annotations: given } };
      const { cluster, process } = worldOf({ claim: byName, managed: bindable, secrets: [consenting] });
      await process.settle();
      const now = cluster.get(SecretKind, { namespace: 'system', name: 'src' });
      assert.deepEqual(now && propagationAnnotations(now), {
        ...given,
        ...(adds && allowsPropagationTo({ namespace: 'team', name: 'conn' })),
      });
    });
  }

  describe('consent lasts no longer than its reason', () => {
    const elsewhere = { 'to.propagate.crossplane.io/by-hand': 'another-team/conn' };
    const meant = { ...sourceRef, claimRef: claimRef() };
    const allowed = {
      annotations: { ...elsewhere, ...allowsPropagationTo({ namespace: 'team', name: 'conn' }) },
    };
    const status = { bindingPhase: 'Bound' } as const;
    /** A bound claim, and a resource that carries consent itself, as a provisioned one does. */
    const start = async (more: readonly Secret[] = []) => {
      const world = worldOf({
        claim: boundClaim(),
        managed: managed(meant, { ...allowed, status }),
        secrets: [{ ...source, metadata: { ...source.metadata, ...allowed } }, ...more],
      });
      await world.process.settle();
      const { cluster, process } = world;
      const consent = (object: KubernetesObject | undefined) =>
        Object.values(object === undefined ? {} : propagationAnnotations(object)).toSorted();
      return {
        cluster,
        process,
        given: () => ({
          resource: consent(cluster.get(managedKind, { name: 'db' })),
          source: consent(cluster.get(SecretKind, { namespace: 'system', name: 'src' })),
        }),
        edit: async (name: string | undefined) => {
          cluster.edit(claimKind, key, (current) => {
            const { writeConnectionSecretToRef: _before, ...spec } = current.spec;
            return { ...current, spec: { ...spec, ...(name && { writeConnectionSecretToRef: { name } }) } };
          });
          await process.settle();
        },
      };
    };

    test('a claim that renames its secret: only the new one may have the data', async () => {
      const { given, edit, cluster } = await start();
      cluster.takeWrites();
      await edit('renamed');
      assert.deepEqual(given(), {
        resource: ['another-team/conn'],
        source: ['another-team/conn', 'team/renamed'],
      });
      assert.deepEqual(cluster.takeWrites(), [
        'update FavouriteDBInstance db',
        'delete Secret team/conn',
        'update Secret system/src',
        'create Secret team/renamed',
        'updateStatus FancySQLInstance team/orders',
      ]);
    });

    test('a claim that wants no secret any more: none may', async () => {
      const { given, edit } = await start();
      await edit(undefined);
      assert.deepEqual(given(), { resource: ['another-team/conn'], source: ['another-team/conn'] });
    });

    for (const name of ['conn', 'renamed', undefined]) {
      test(`a release leaves none behind, whatever the claim wants by then: ${name ?? 'no secret'}`, async () => {
        const { cluster, process, given } = await start();
        // Nobody looks at the edit before the claim is gone.
        cluster.edit(claimKind, key, (current) => {
          const { writeConnectionSecretToRef: _before, ...spec } = current.spec;
          return { ...current, spec: { ...spec, ...(name && { writeConnectionSecretToRef: { name } }) } };
        });
        cluster.delete(claimKind, key);
        await process.settle();
        assert.equal(cluster.get(managedKind, { name: 'db' })?.status?.bindingPhase, 'Released');
        assert.deepEqual(given(), { resource: ['another-team/conn'], source: ['another-team/conn'] });
      });
    }

    for (const moved of [
      { namespace: 'system', name: 'moved' },
      { namespace: 'elsewhere', name: 'src' },
    ]) {
      test(`a resource that publishes to ${moved.namespace}/${moved.name} since: the secret that it left gives nothing any more`, async () => {
        const next = { ...source, metadata: { ...source.metadata, ...moved } };
        const { cluster, process, given } = await start([next]);
        cluster.edit(managedKind, { name: 'db' }, ({ spec, ...rest }) => ({
          ...rest,
          spec: { ...spec, writeConnectionSecretToRef: moved },
        }));
        await process.settle();
        assert.deepEqual(given().source, ['another-team/conn']);
        const now = cluster.get(SecretKind, moved);
        assert.deepEqual(now && propagationTargets(now), [{ namespace: 'team', name: 'conn' }]);
      });
    }

    test('a release does not touch a source that the resource only names, but that is not its own', async () => {
      const { cluster, process, given } = await start();
      cluster.edit(SecretKind, { namespace: 'system', name: 'src' }, (secret) => ({
        ...secret,
        metadata: {
          ...secret.metadata,
          ownerReferences: [controllerReference(managed({}, { name: 'other', uid: 'other-uid' }))],
        },
      }));
      cluster.delete(claimKind, key);
      await process.settle();
      assert.deepEqual(given().source, ['another-team/conn', 'team/conn']);
    });

    test('a release withdraws it from a source of another type, too, which no store holds', async () => {
      const { cluster, process, given } = await start();
      cluster.edit(SecretKind, { namespace: 'system', name: 'src' }, ({ type: _type, ...secret }) => ({
        ...secret,
        type: 'Opaque',
      }));
      cluster.delete(claimKind, key);
      await process.settle();
      assert.deepEqual(given().source, ['another-team/conn']);
    });

    test('a source that goes in the middle of a release does not keep the resource', async () => {
      const { cluster, process } = await start();
      cluster.before('update', SecretKind, () =>
        cluster.delete(SecretKind, { namespace: 'system', name: 'src' }),
      );
      cluster.delete(claimKind, key);
      await process.settle();
      assert.equal(cluster.get(claimKind, key), undefined);
      const left = cluster.get(managedKind, { name: 'db' });
      assert.deepEqual([left?.spec.claimRef, left?.status?.bindingPhase], [undefined, 'Released']);
      assert.ok(!process.events.some(({ type }) => type === 'Warning'), 'nor is it told as a failure');
    });
  });
});

describe('what a claim provisions', () => {
  const recorded = claim({ ...byClass.spec, resourceRef: resourceRef('given') });
  const provision = (specTemplate = small.specTemplate, subject = recorded) =>
    provisionedManaged(service, subject, resourceClass('small', {}, { specTemplate }));

  test('Create Successful: claimRef, classRef and secret in full', () => {
    const { metadata, spec } = provision();
    assert.equal(metadata.name, 'given');
    assert.deepEqual(spec.claimRef, claimRef());
    assert.equal(spec.classRef?.uid, 'small-uid');
    assert.deepEqual(spec.writeConnectionSecretToRef, { namespace: 'system', name: 'claim-uid' });
    assert.equal(metadata.ownerReferences, undefined, 'a namespaced owner would have it garbage collected');
  });
  test("NameConfigurators Successful: the external name is the claim's, else the own name", () => {
    const named = claim(recorded.spec, { annotations: { 'crossplane.io/external-name': 'cloud-db' } });
    const nameOf = (object: Managed) => object.metadata.annotations?.['crossplane.io/external-name'];
    assert.equal(nameOf(provision(small.specTemplate, named)), 'cloud-db');
    assert.equal(nameOf(provision()), 'given');
  });
  test('where the external system assigns names there is none, unless the claim names one', () => {
    const assigning = { ...service, externalNames: 'assigned' } as const;
    const nameOf = (object: Managed | Claim) => object.metadata.annotations?.['crossplane.io/external-name'];
    const given = (subject: Claim) => [
      nameOf(provisionedManaged(assigning, subject, resourceClass('small'))),
      nameOf(withRecordedResource(assigning, subject, 'given')),
    ];
    assert.deepEqual(given(recorded), [undefined, undefined]);
    const named = claim(recorded.spec, { annotations: { 'crossplane.io/external-name': 'vpc-1' } });
    assert.deepEqual(given(named), ['vpc-1', 'vpc-1']);
    assert.equal(withRecordedResource(assigning, recorded, 'given').spec.resourceRef?.name, 'given');
  });
  test('ConfigureReclaimPolicy SetByClass', () => {
    assert.equal(provision({ reclaimPolicy: 'Retain' }).spec.reclaimPolicy, 'Retain');
  });
  test('ConfigureReclaimPolicy DefaultToDelete', () => {
    assert.equal(provision({}).spec.reclaimPolicy, 'Delete');
  });
  test('no secret is published where the class names no namespace', () => {
    assert.equal(provision({}).spec.writeConnectionSecretToRef, undefined);
  });
  test('providers are copied as the class has them', () => {
    const spec = provision({ providerConfigRef: { name: 'cloud' }, providerRef: { name: 'old' } }).spec;
    assert.deepEqual([spec.providerConfigRef, spec.providerRef], [{ name: 'cloud' }, { name: 'old' }]);
  });
});

describe('what wakes a claim', () => {
  const wakes = async (given: Parameters<typeof worldOf>[0], change: (cluster: FakeCluster) => void) => {
    const { cluster, process } = worldOf(given);
    await process.settle();
    const before = process.runs;
    change(cluster);
    await process.settle(0);
    return process.runs > before;
  };
  const db = { name: 'db' };

  test('AddClaim ObjectHasClaimReference: the managed resource that names it', async () => {
    const unnamed = { claim: byClass, managed: managed({ claimRef: claimRef() }) };
    assert.ok(await wakes(unnamed, (cluster) => cluster.edit(managedKind, db, (object) => object)));
  });
  test('AddClaim ObjectHasNilClaimReference: one that names nobody wakes nobody', async () => {
    const strangers = { claim: byClass, managed: managed() };
    assert.equal(
      await wakes(strangers, (cluster) => cluster.edit(managedKind, db, (object) => object)),
      false,
    );
  });
  test('a managed resource that named it before', async () => {
    const former = { claim: byClass, managed: managed({ claimRef: claimRef() }) };
    assert.ok(
      await wakes(former, (cluster) => cluster.edit(managedKind, db, (object) => ({ ...object, spec: {} }))),
    );
  });
  test('a static resource that becomes bindable, at once', async () => {
    const { cluster, process } = worldOf({
      claim: claim({ resourceRef: resourceRef('db') }),
      managed: managed(),
    });
    await process.settle();
    cluster.put(managedKind, managed({}, { status: { bindingPhase: 'Unbound' } }));
    await process.settle(0);
    assert.equal(cluster.get(claimKind, key)?.status?.bindingPhase, 'Bound');
  });
  test('a class that appears, at once', async () => {
    const { cluster, process } = worldOf({ claim: claim({ classRef: classRef('later') }) });
    await process.settle();
    cluster.put(classKind, resourceClass('later'));
    await process.settle(0);
    assert.equal(cluster.all(managedKind).length, 1);
  });
  const targetKey = { namespace: 'team', name: 'conn' };
  const harms: Record<string, (cluster: FakeCluster) => void> = {
    'is deleted': (cluster) => cluster.delete(SecretKind, targetKey),
    'loses the name of its source': (cluster) =>
      cluster.edit(SecretKind, targetKey, (secret) => {
        const { annotations: _annotations, ...metadata } = secret.metadata;
        return { ...secret, metadata, data: {} };
      }),
    'loses its owner': (cluster) =>
      cluster.edit(SecretKind, targetKey, (secret) => {
        const { ownerReferences: _owners, ...metadata } = secret.metadata;
        return { ...secret, metadata, data: {} };
      }),
  };
  for (const [what, harm] of Object.entries(harms)) {
    test(`a secret of a bound claim that ${what} heals`, async () => {
      const { cluster, process } = worldOf({ claim: byName, managed: bindable, secrets: [source] });
      await process.settle();
      const healthy = cluster.get(SecretKind, targetKey);
      harm(cluster);
      await process.settle(0);
      const healed = cluster.get(SecretKind, targetKey);
      assert.deepEqual(healed?.data, healthy?.data);
      assert.deepEqual(healed?.metadata.ownerReferences, healthy?.metadata.ownerReferences);
      assert.deepEqual(healed?.metadata.annotations, healthy?.metadata.annotations);
    });
  }
});

describe('H13: a conflict is put back silently, and so is what an interruption of the leadership kept back', () => {
  const silences = { conflict, kept: () => leaseExpired('the lease was not renewed in time') };
  const statics = { claim: byName, managed: bindable, secrets: [source] };
  const calls: readonly (readonly [Parameters<typeof worldOf>[0], Verb, Kind])[] = [
    [{ claim: byClass }, 'update', claimKind],
    [statics, 'update', claimKind],
    [statics, 'update', managedKind],
    [statics, 'update', SecretKind],
    [statics, 'create', SecretKind],
    [statics, 'updateStatus', managedKind],
    [statics, 'updateStatus', claimKind],
    [{ ...statics, claim: boundClaim(deleted), managed: bound }, 'updateStatus', managedKind],
    [{ ...statics, claim: boundClaim(deleted), managed: bound }, 'update', claimKind],
  ];
  for (const [[given, verb, kind], silence] of calls.flatMap((call) =>
    (['conflict', 'kept'] as const).map((silence) => [call, silence] as const),
  )) {
    test(`${silence}: ${verb} ${kind.kind}, claim ${given.claim.metadata.deletionTimestamp ? 'deleted' : 'new'}, ${given.managed ? 'static' : 'dynamic'}`, async () => {
      const { cluster, process } = worldOf(given);
      cluster.before(verb, kind, () => {
        throw silences[silence]();
      });
      let isSyncedEverFalse = false;
      for (const written of [claimKind, managedKind]) {
        cluster.watch(written, ({ object }) => {
          const { conditions } = (object as Claim).status ?? {};
          isSyncedEverFalse ||= getCondition(conditions, 'Synced').status === 'False';
        });
      }
      await process.settle();
      assert.equal(process.conflicts, silence === 'conflict' ? 1 : 0);
      assert.deepEqual(process.errors, []);
      assert.equal(isSyncedEverFalse, false);
      const warnings = process.events.filter(({ type }) => type === 'Warning');
      assert.deepEqual(warnings, []);
    });
  }

  test('what was done before it is told all the same', async () => {
    const { cluster, process } = worldOf({
      ...statics,
      claim: boundClaim(deleted),
      managed: { ...bound, spec: { ...bound.spec, reclaimPolicy: 'Retain' } },
    });
    cluster.before('update', claimKind, () => {
      throw conflict();
    });
    await process.settle();
    assert.equal(process.conflicts, 1);
    assert.deepEqual(
      process.events.map(({ reason }) => reason),
      ['UnboundManagedResource'],
    );
  });
});
