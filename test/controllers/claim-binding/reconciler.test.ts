import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerReference, isControlledBy } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import {
  allowsPropagationTo,
  copiedFor,
  decodeDetails,
  encodeDetails,
  propagatesFrom,
  propagationTargets,
  SecretKind,
} from '../../../apis/core/v1alpha1/secret.ts';
import { provisionedNames } from '../../../controllers/claim/provisioned-name.ts';
import type { ClaimService } from '../../../controllers/claim-service.ts';
import { credentialAnnotation } from '../../../controllers/credential.ts';
import { encodeIdentity } from '../../../controllers/external-identity.ts';
import { ApiError, leaseExpired } from '../../../runtime/client/errors.ts';
import type { FakeCluster, Verb } from '../cluster-fake.ts';
import { broken, conflict, forbidden, terminating } from '../cluster-fake.ts';
import {
  claim,
  claimKind,
  claimRef,
  classKind,
  classRef,
  managed,
  managedKind,
  otherManagedKind,
  otherService,
  resourceClass,
  resourceRef,
  service,
} from '../objects.ts';
import type { World } from './scene.ts';
import {
  conn,
  copyKey,
  finalizers,
  orders,
  recordOf,
  sceneOf,
  serveManaged,
  settled,
  sourceKey,
  sourceOf,
  src,
} from './scene.ts';

const ownName = provisionedNames(claim())[0] ?? '';
const byClass = claim({ ...conn, classRef: classRef('small') });
const byName = claim({ ...conn, resourceRef: resourceRef('db') });
const rivalKey = { namespace: 'team', name: 'rival' };
const rival = claim({ resourceRef: resourceRef('db') }, { name: 'rival', uid: 'rival-uid' });
const named = claim(byName.spec, { finalizers });
const handmade = managed(src);
const db = { name: 'db' };
const resourceOf = (cluster: FakeCluster) => cluster.get(managedKind, db);
const orderClaim = 'FancySQLInstance team/orders';
/** A resource that is Bound to the claim, with its Secret. */
const boundHere = { bindingPhase: 'Bound', boundUID: 'managed-uid', credential: recordOf('pw') } as const;
const boundManaged = managed({ ...src, claimRef: claimRef() }, { status: boundHere });
const boundSource = sourceOf(boundManaged, 'pw', orderClaim);
const boundClaim = claim(byName.spec, { finalizers, status: { bindingPhase: 'Bound' } });
const ownerReferences = [controllerReference(boundClaim)];
const copyMetadata = { ...copyKey, ownerReferences, annotations: propagatesFrom(sourceKey) };
const ownCopy: Secret = { ...boundSource, metadata: copyMetadata };
const boundWorld: World = { claims: [boundClaim], managed: [boundManaged], secrets: [boundSource, ownCopy] };

const deletionTimestamp = '2026-01-02T03:00:00Z';
const endingClaim = { ...boundClaim, metadata: { ...boundClaim.metadata, deletionTimestamp } };

const claimUpdate = 'update FancySQLInstance team/orders';
const claimStatus = 'updateStatus FancySQLInstance team/orders';
const managedUpdate = 'update FavouriteDBInstance db';
const managedStatus = 'updateStatus FavouriteDBInstance db';
const newCopy = 'create Secret team/conn';

/** Of a claim from a class, with all that its resource's controller does in between. */
const provisioning = [
  claimUpdate, // finalizer, resourceRef, external name
  `create FavouriteDBInstance ${ownName}`,
  claimStatus, // it waits
  `updateStatus FavouriteDBInstance ${ownName}`, // Bound
  newCopy,
  claimStatus, // Bound, Ready
];
/** Of a claim that names a resource which a user created. */
const taking = [
  claimUpdate, // finalizer
  claimStatus, // it waits
  managedUpdate, // claimRef
  claimStatus, // it waits for the credential
  managedStatus, // Bound
  'update Secret system/src', // consent
  newCopy,
  claimStatus,
];

describe('the writes of a claim until it is Bound', () => {
  test('a claim with a class: its name first, then the complete resource, Bound, the Secret and the status', async () => {
    const { cluster, process, claimAt, ready, copied } = sceneOf({ claims: [byClass] });
    await settled(process, cluster);
    assert.deepEqual(cluster.takeWrites(), provisioning);
    const [resource] = cluster.all(managedKind);
    assert.deepEqual(resource?.metadata.finalizers, ['finalizer.managedresource.crossplane.io']);
    const consent = allowsPropagationTo(copyKey);
    assert.deepEqual(resource.metadata.annotations, {
      'crossplane.io/external-name': ownName,
      'crossplane.io/claim-parameters': '{}',
      ...consent,
    });
    assert.deepEqual(resource.spec, {
      forProvider: {},
      claimRef: claimRef(),
      classRef: { ...classRef('small'), uid: 'small-uid' },
      reclaimPolicy: 'Delete',
      writeConnectionSecretToRef: { namespace: 'system', name: 'claim-uid' },
    });
    const bound = [resource.status?.bindingPhase, resource.status?.boundUID];
    assert.deepEqual(bound, ['Bound', resource.metadata.uid]);
    const claimed = [claimAt()?.status?.bindingPhase, claimAt()?.status?.binding];
    assert.deepEqual(claimed, ['Bound', { name: 'conn' }]);
    assert.equal(ready().status, 'True');
    assert.deepEqual(Object.keys(copied()), ['password']);
    const { annotations = {} } = cluster.get(SecretKind, copyKey)?.metadata ?? {};
    assert.equal(annotations[credentialAnnotation], undefined, 'the note is never copied');
    const reasons = process.events.map(({ reason }) => reason);
    assert.deepEqual(reasons, ['BoundManagedResource'], 'one Event tells all');
  });

  test('a claim that names a resource: its finalizer first, then claimRef, Bound, consent and the Secret', async () => {
    const { cluster, process, claimAt } = sceneOf({ claims: [byName], managed: [handmade] });
    await settled(process, cluster);
    assert.deepEqual(cluster.takeWrites(), taking);
    assert.deepEqual(resourceOf(cluster)?.spec.claimRef, claimRef());
    assert.equal(claimAt()?.status?.bindingPhase, 'Bound');
    const source = cluster.get(SecretKind, sourceKey);
    assert.deepEqual(source && propagationTargets(source), [copyKey]);
  });

  const policies = { Delete: undefined, Retain: 'Retain' } as const;
  for (const [want, reclaimPolicy] of Object.entries(policies)) {
    test(`the reclaim policy is ${want} if the class has ${reclaimPolicy ?? 'none'}`, async () => {
      const { cluster, process } = sceneOf({ claims: [byClass] });
      const specTemplate = { ...(reclaimPolicy && { reclaimPolicy }) };
      cluster.put(classKind, resourceClass('small', {}, { specTemplate }));
      await process.settle();
      assert.equal(cluster.all(managedKind)[0]?.spec.reclaimPolicy, want);
    });
  }

  const names = {
    'SuccessfulWithExternalName: a claim shows': 'outside',
    'SuccessfulWithoutExternalName: a claim does not show': undefined,
  };
  for (const [rule, name] of Object.entries(names)) {
    test(`${rule} the external name of its resource`, async () => {
      const annotations = name === undefined ? {} : { 'crossplane.io/external-name': name };
      const resource = managed(src, { annotations });
      const { cluster, process, claimAt } = sceneOf({ claims: [byName], managed: [resource] });
      await settled(process, cluster);
      assert.equal(claimAt()?.status?.bindingPhase, 'Bound');
      assert.equal(claimAt()?.metadata.annotations?.['crossplane.io/external-name'], name);
    });
  }

  test('a provisioned resource is named after namespace, claim and five characters', () => {
    assert.match(ownName, /^team-orders-[a-z0-9]{5}$/);
    const other = provisionedNames(claim({}, { uid: 'another' }))[0];
    assert.notEqual(other, ownName, 'they follow from the UID');
  });

  test('nothing is written a second time, not after a restart either', async () => {
    const { cluster, process, start } = sceneOf({ claims: [byClass] });
    await settled(process, cluster);
    cluster.takeWrites();
    process.resync(claimKind, managedKind, SecretKind);
    await settled(process, cluster);
    process.stop();
    await settled(start(), cluster);
    assert.deepEqual(cluster.takeWrites(), []);
  });
});

/** Exactly one resource, Bound to the claim that has its Secret. */
function assertBound({ cluster, claimAt, ready, copied }: ReturnType<typeof sceneOf>): void {
  const all = cluster.all(managedKind);
  assert.equal(all.length, 1);
  assert.deepEqual([claimAt()?.status?.bindingPhase, ready().status], ['Bound', 'True']);
  assert.equal(all[0]?.status?.bindingPhase, 'Bound');
  assert.equal(all[0]?.spec.claimRef?.uid, claimAt()?.metadata.uid);
  const key = all[0]?.spec.writeConnectionSecretToRef ?? sourceKey;
  assert.deepEqual(copied(), decodeDetails(cluster.get(SecretKind, key)));
}

const worlds: Record<string, readonly [World, steps: number]> = {
  'a claim with a class': [{ claims: [byClass] }, provisioning.length],
  'a claim that names a resource': [{ claims: [byName], managed: [handmade] }, taking.length],
};

for (const [what, [world, steps]] of Object.entries(worlds)) {
  describe(`${what} is Bound once, whatever happens`, () => {
    for (let step = 1; step <= steps; step += 1) {
      test(`H4: a crash after write ${step} of ${steps}`, async () => {
        const scene = sceneOf(world);
        scene.cluster.stepsLeft = step;
        await settled(scene.process, scene.cluster);
        assert.equal(scene.process.hasCrashed, true);
        scene.cluster.stepsLeft = Number.POSITIVE_INFINITY;
        await settled(scene.start(), scene.cluster);
        assertBound(scene);
      });
    }

    const writes: readonly (readonly [Verb, Kind])[] = [
      ['update', claimKind],
      ['create', managedKind],
      ['update', managedKind],
      ['updateStatus', managedKind],
      ['create', SecretKind],
      ['updateStatus', claimKind],
    ];
    for (const [verb, kind] of writes) {
      test(`H13: a conflict of ${verb} ${kind.kind} is retried without a report`, async () => {
        const scene = sceneOf(world);
        scene.cluster.refuse(verb, kind, conflict());
        await settled(scene.process, scene.cluster);
        assertBound(scene);
        assert.deepEqual(scene.process.errors, []);
        const warnings = scene.process.events.filter(({ type }) => type === 'Warning');
        assert.deepEqual(warnings, []);
      });

      test(`the answer to ${verb} ${kind.kind} is lost after it took effect`, async () => {
        const scene = sceneOf(world);
        let isLost = false;
        scene.cluster.afterCall = (call) => {
          if (isLost || call.verb !== verb || call.kind !== kind.kind) return;
          isLost = true;
          throw new ApiError('connection reset', { code: 0, reason: '' });
        };
        await settled(scene.process, scene.cluster);
        assertBound(scene);
      });
    }
  });
}

/** The reasons of the Event and of Ready; without the latter, Ready stays as it was. */
type Failure = readonly [reason: string, ready?: string];
const whileDeleting: Failure = ['CannotUnbindManagedResource', 'Deleting'];
const whileBinding: Failure = ['CannotBindManagedResource', 'Binding'];
const whileCreating: Failure = ['CannotCreateManagedResource', 'Creating'];
const whileCopying: Failure = ['CannotPropagateConnectionDetails', 'Binding'];

const annotations = { ...boundSource.metadata.annotations, ...allowsPropagationTo(copyKey) };
const consenting = { ...boundSource, metadata: { ...boundSource.metadata, annotations } };
const secretMissing: World = { claims: [named], managed: [boundManaged], secrets: [consenting] };
const unboundManaged = managed(src, { status: { bindingPhase: 'Unbound' } });

/** `cannot`: the step that fails, as the conditions and the Event name it. */
async function reports(
  [reason, ready]: Failure,
  cannot: string,
  refuse: readonly [Verb, Kind],
  world: World,
): Promise<void> {
  const message = `cannot ${cannot}: etcd is unavailable`;
  const { cluster, process, claimAt } = sceneOf(world);
  cluster.refuse(...refuse, broken(), Number.POSITIVE_INFINITY);
  const result = await process.reconcile(orders);
  assert.equal(result.type, 'requeue');
  const { conditions, bindingPhase } = claimAt()?.status ?? {};
  const [is, synced] = [getCondition(conditions, 'Ready'), getCondition(conditions, 'Synced')];
  const wanted = ready === undefined ? ['Unknown', undefined, undefined] : ['False', ready, message];
  assert.deepEqual([is.status, is.reason, is.message], wanted);
  assert.deepEqual([synced.status, synced.reason, synced.message], ['False', 'ReconcileError', message]);
  assert.equal(bindingPhase, world.claims?.[0]?.status?.bindingPhase ?? 'Unbound');
  const warnings = process.events.filter(({ type }) => type === 'Warning');
  const reported = warnings.map((event) => [event.reason, event.message]);
  assert.deepEqual(reported, [[reason, message]]);
}

test('a claim whose resourceRef is edited to a resource of another kind takes that one, and reports no failure', async () => {
  const edited = claim({ resourceRef: resourceRef('other', otherManagedKind) }, { finalizers });
  const other: Managed = {
    ...handmade,
    apiVersion: apiVersionOf(otherManagedKind),
    kind: otherManagedKind.kind,
    metadata: { name: 'other', uid: 'other-uid' },
  };
  const { cluster, process, claimAt } = sceneOf({
    claims: [edited],
    managed: [managed({ ...src, claimRef: claimRef() })],
    otherServices: [otherService],
  });
  cluster.put(otherManagedKind, other);
  await process.settle();
  assert.equal(resourceOf(cluster)?.spec.claimRef, undefined);
  const reasons = process.events.map(({ reason }) => reason);
  assert.deepEqual(reasons, ['UnboundManagedResource']);
  assert.equal(getCondition(claimAt()?.status?.conditions, 'Ready').reason, 'Binding');
});

describe('a step that fails is reported on the claim and tried again', () => {
  test('GetManagedError: the missing resource of a Bound claim cannot be read', () =>
    reports(['CannotGetManagedResource'], 'get managed resource', ['get', managedKind], {
      claims: [boundClaim],
    }));
  test('GetManagedSecretError: the Secret of the resource of a Bound claim cannot be read', () =>
    reports(['CannotPropagateConnectionDetails'], 'get connection secret', ['get', SecretKind], {
      claims: [boundClaim],
      managed: [boundManaged],
    }));
  test('GetManagedSecretError: before the claim is Bound', () =>
    reports(whileCopying, 'get connection secret', ['get', SecretKind], {
      claims: [named],
      managed: [boundManaged],
    }));
  test('UpdateManagedSecretError: the consent cannot be written', () =>
    reports(whileCopying, 'create or update connection secret', ['update', SecretKind], {
      claims: [named],
      managed: [boundManaged],
      secrets: [boundSource],
    }));
  test('UnbindError DeleteError: the resource cannot be deleted', () =>
    reports(whileDeleting, 'delete managed resource', ['delete', managedKind], {
      claims: [endingClaim],
      managed: [{ ...boundManaged, spec: { ...boundManaged.spec, reclaimPolicy: 'Delete' } }],
    }));
  test('UnbindError UpdateError: claimRef cannot be removed', () =>
    reports(whileDeleting, 'update managed resource', ['update', managedKind], {
      claims: [endingClaim],
      managed: [managed({ claimRef: claimRef() })],
    }));
  test('AddFinalizerError: the finalizer cannot be written', () =>
    reports(whileBinding, 'update resource claim', ['update', claimKind], {
      claims: [byName],
      managed: [handmade],
    }));
  test('UpdateClaimError: the name cannot be written', () =>
    reports(whileCreating, 'update resource claim', ['update', claimKind], { claims: [byClass] }));
  test('CreateManagedError: the resource cannot be created', () =>
    reports(
      whileCreating,
      'create managed resource from FavouriteDBInstanceClass small',
      ['create', managedKind],
      {
        claims: [byClass],
      },
    ));
  test('BindError UpdateManagedError: claimRef cannot be written', () =>
    reports(whileBinding, 'update managed resource', ['update', managedKind], {
      claims: [byName],
      managed: [unboundManaged],
    }));
  test('H5: a phase that cannot be written leaves the claim Unbound', () =>
    reports(whileBinding, 'update managed resource status', ['updateStatus', managedKind], {
      claims: [claim({ resourceRef: resourceRef('db') })],
      managed: [managed({}, { status: { bindingPhase: 'Unbound' } })],
    }));
  test('PropagateConnectionError: the Secret cannot be created', () =>
    reports(whileCopying, 'create or update connection secret', ['create', SecretKind], secretMissing));
  test('UnbindError UpdateStatusError: the phase Released cannot be written', () =>
    reports(whileDeleting, 'update managed resource status', ['updateStatus', managedKind], {
      claims: [endingClaim],
      managed: [boundManaged],
    }));
  test('RemoveClaimFinalizerError: the finalizer cannot be removed', () =>
    reports(whileDeleting, 'update resource claim', ['update', claimKind], { claims: [endingClaim] }));

  const unknown = { code: 400, reason: 'Unknown' };
  const refusals: Record<
    string,
    readonly [call: readonly [Verb, Kind], world: World, refusal: ApiError, todo: string]
  > = {
    'an admission webhook that requires a label on the managed resource': [
      ...([['create', managedKind], { claims: [byClass] }] as const),
      new ApiError('admission webhook "labels.example.org" denied the request', unknown),
      advice.allowCreation,
    ],
    'a ValidatingAdmissionPolicy': [
      ['create', managedKind],
      { claims: [byClass] },
      new ApiError("ValidatingAdmissionPolicy 'labels' denied request", { code: 422, reason: 'Invalid' }),
      advice.allowCreation,
    ],
    'RBAC that leaves out the Secrets of the namespace': [
      ['create', SecretKind],
      secretMissing,
      forbidden('secrets is forbidden'),
      advice.allowRequest,
    ],
  };
  for (const [name, [call, world, refused, todo]] of Object.entries(refusals)) {
    test(`a write that the API server refuses has a reason and advice: ${name}`, async () => {
      const { cluster, process, claimAt } = sceneOf(world);
      cluster.refuse(...call, refused, Number.POSITIVE_INFINITY);
      await process.reconcile(orders);
      const { reason, message = '' } = getCondition(claimAt()?.status?.conditions, 'Ready');
      assert.equal(reason, 'RequestRefused');
      assert.ok(message.endsWith(`${refused.message}; ${todo}`), message);
    });
  }

  test('a namespace that is being deleted: a missing Secret is no error, because its claim is deleted next', async () => {
    const { cluster, process, claimAt } = sceneOf({ ...secretMissing, claims: [boundClaim] });
    const before = claimAt();
    cluster.refuse('create', SecretKind, terminating());
    const { type } = await process.reconcile(orders);
    assert.equal(type, 'done');
    assert.deepEqual([claimAt(), process.events], [before, []]);
  });

  const reporting: Record<string, World> = {
    ResourceMissing: { claims: [named] },
    ClassMissing: { claims: [claim({ classRef: classRef('none') })] },
    CredentialNotApplied: {
      claims: [named],
      managed: [managed(boundManaged.spec, { status: { bindingPhase: 'Unbound' } })],
    },
    KeepBound: { ...boundWorld, claims: [named] },
  };
  for (const [name, world] of Object.entries(reporting)) {
    test(`a status that cannot be written is an error: ${name}`, async () => {
      const { cluster, process } = sceneOf(world);
      cluster.refuse('updateStatus', claimKind, forbidden());
      await assert.rejects(process.reconcile(orders), /^Error: cannot update resource claim status: denied/);
    });
  }

  test('a run that stops because leadership was interrupted is not reported', async () => {
    const { cluster, process, claimAt } = sceneOf({ claims: [byClass] });
    cluster.refuse('update', claimKind, leaseExpired('the lease is too old'));
    await assert.rejects(process.reconcile(orders), /the lease is too old/);
    assert.equal(claimAt()?.status, undefined);
    assert.deepEqual(process.events, []);
  });

  test('a run that the API server does not answer is not reported', async () => {
    const { cluster, process, claimAt } = sceneOf({ claims: [byClass] });
    cluster.refuse('update', claimKind, new ApiError('no answer', { code: 0, reason: 'Timeout' }));
    await assert.rejects(process.reconcile(orders), /no answer/);
    assert.equal(claimAt()?.status, undefined);
    assert.deepEqual(process.events, []);
  });

  test('ConfigureManagedError: a claim that its class cannot serve stays editable', async () => {
    const configure: ClaimService['configure'] = () => {
      throw new Error('engineVersion must be 8.0');
    };
    const { cluster, process, claimAt } = sceneOf({ claims: [byClass], service: { ...service, configure } });
    assert.equal((await process.reconcile(orders)).type, 'done');
    assert.deepEqual(cluster.takeWrites(), [claimStatus]);
    assert.deepEqual([claimAt()?.metadata.finalizers, claimAt()?.spec], [undefined, byClass.spec]);
    const message = 'engineVersion must be 8.0; correct the claim, or FavouriteDBInstanceClass small';
    assert.equal(getCondition(claimAt()?.status?.conditions, 'Synced').message, message);
    const reasons = process.events.map(({ reason }) => reason);
    assert.deepEqual(reasons, ['CannotConfigureManagedResource']);
  });
});

describe('a claim is never bound to a resource that it may not have', () => {
  test('a resource that an administrator makes available is bound once it has another credential', async () => {
    const scene = sceneOf(boundWorld);
    const { cluster, process, claimAt, copied } = scene;
    cluster.delete(claimKind, orders);
    await settled(process, cluster);
    cluster.put(claimKind, claim(byName.spec, { name: 'orders', uid: 'new-uid' }));
    cluster.put(claimKind, { ...rival, spec: { ...conn, resourceRef: resourceRef('db') } });
    await settled(process, cluster);
    cluster.edit(managedKind, db, (now: Managed) => {
      const claimReference = omit(claimRef({ name: 'rival' }), 'uid');
      return { ...now, spec: { ...now.spec, claimRef: claimReference } };
    });
    await settled(process, cluster);
    const phases = [claimAt(rivalKey)?.status?.bindingPhase, claimAt(orders)?.status?.bindingPhase];
    assert.deepEqual(phases, ['Bound', 'Unbound']);
    assert.notEqual(copied().password, 'pw');
    assert.deepEqual(copied(), decodeDetails(cluster.get(SecretKind, sourceKey)));
  });

  test('a claim that was deleted and created again during the run takes no resource', async () => {
    const { cluster, process } = sceneOf({ claims: [named], managed: [unboundManaged] });
    await process.synced();
    process.hold(claimKind);
    cluster.set(claimKind, orders, { metadata: { uid: 'new-uid' } });
    await process.reconcile(orders);
    assert.deepEqual(cluster.takeWrites(), []);
  });

  test('a Secret that kubectl delete --cascade=orphan left is taken over by a new claim of the same kind and name', async () => {
    const { cluster, process, copied } = sceneOf({ claims: [byClass] });
    await settled(process, cluster);
    // The garbage collector removed the owner. The resource was deleted, with its Secret.
    const copy = cluster.get(SecretKind, copyKey)!;
    assert.equal(copy.metadata.ownerReferences?.length, 1);
    const metadata = omit(copy.metadata, 'uid', 'resourceVersion', 'ownerReferences');
    const orphaned = { ...copy, metadata, data: encodeDetails({ password: 'of the previous claim' }) };
    const next = sceneOf({ claims: [byName], managed: [handmade], secrets: [orphaned] });
    await settled(next.process, next.cluster);
    assert.deepEqual([Object.keys(next.copied()), next.ready().status], [Object.keys(copied()), 'True']);
    assert.notEqual(next.copied().password, 'of the previous claim');
    assert.ok(isControlledBy(next.cluster.get(SecretKind, copyKey)!, next.cluster.get(claimKind, orders)!));
  });

  const byHand: Record<string, Secret> = {
    'for another claim': { ...ownCopy, metadata: { ...copyKey, annotations: copiedFor(rival) } },
    'of the connection type': { ...ownCopy, metadata: copyKey, data: encodeDetails({ password: 'by hand' }) },
    'of another type': { ...ownCopy, metadata: copyKey, type: 'Opaque' },
  };
  for (const [what, secret] of Object.entries(byHand)) {
    test(`a Secret ${what} that a user created by hand is not overwritten, and the resource stays available`, async () => {
      const { cluster, process, ready } = sceneOf({
        claims: [byName],
        managed: [handmade],
        secrets: [secret],
      });
      await settled(process, cluster);
      assert.deepEqual(cluster.get(SecretKind, copyKey)?.data, secret.data);
      assert.equal(resourceOf(cluster)?.spec.claimRef, undefined);
      assert.deepEqual([ready().status, ready().reason], ['False', 'SecretConflict']);
      assert.match(ready().message ?? '', /team\/conn.*name another in spec.writeConnectionSecretToRef/);
      cluster.delete(SecretKind, copyKey);
      await process.settle(600_000); // no event tells that it is gone
      await settled(process, cluster);
      assert.equal(resourceOf(cluster)?.status?.bindingPhase, 'Bound');
    });
  }
});

describe('the Secret of a Bound claim', () => {
  /** A claim whose resource is Bound, and that has no Secret yet. */
  const uncopied = (secret: Secret): World => ({
    claims: [named],
    managed: [boundManaged],
    secrets: [boundSource, secret],
  });

  test('ClaimSecretConflictError: a Secret that another object controls is left alone', async () => {
    const ownerReferences = [controllerReference({ ...rival, kind: 'OtherClaim' })];
    const others = { ...ownCopy, metadata: { ...ownCopy.metadata, ownerReferences } };
    const { cluster, process, ready } = sceneOf(uncopied(others));
    const before = cluster.get(SecretKind, copyKey);
    assert.equal((await process.reconcile(orders)).type, 'requeue');
    assert.deepEqual(cluster.get(SecretKind, copyKey), before);
    assert.match(ready().message ?? '', /^the secret belongs to OtherClaim rival/);
  });

  test('Adoptable: a Secret that no object controls is taken over if it holds nothing else; other owners stay', async () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
    const free = { ...ownCopy, metadata: { ...copyKey, ownerReferences: [other] }, data: {} };
    const { cluster, process, copied } = sceneOf(uncopied(free));
    await process.settle();
    assert.deepEqual(copied(), { password: 'pw' });
    assert.deepEqual(cluster.get(SecretKind, copyKey)?.metadata.ownerReferences, [other, ...ownerReferences]);
  });

  test('ManagedResourceDoesNotControlSecret: a source that another object controls counts as missing', async () => {
    const ownerReferences = [controllerReference(managed({}, { name: 'other', uid: 'other' }))];
    const foreign = { ...boundSource, metadata: { ...boundSource.metadata, ownerReferences } };
    const { cluster, process, ready } = sceneOf({
      claims: [named],
      managed: [boundManaged],
      secrets: [foreign],
    });
    await process.settle();
    assert.equal(cluster.get(SecretKind, copyKey), undefined);
    assert.match(
      ready().message ?? '',
      /^the connection secret of FavouriteDBInstance db is not written yet$/,
    );
  });

  test('H9: a Secret that a claim wants after it was Bound is written', async () => {
    const unwanted = claim({ classRef: classRef('small') });
    const { cluster, process, claimAt, copied } = sceneOf({ claims: [unwanted] });
    await settled(process, cluster);
    assert.equal(claimAt()?.status?.bindingPhase, 'Bound');
    assert.equal(cluster.get(SecretKind, copyKey), undefined);
    cluster.set(claimKind, orders, { spec: conn });
    await settled(process, cluster);
    assert.deepEqual(Object.keys(copied()), ['password']);
    assert.deepEqual(claimAt()?.status?.binding, { name: 'conn' });
  });

  test('H10: another password reaches the claim once the external system has it', async () => {
    const { cluster, process, copied } = sceneOf(boundWorld);
    await settled(process, cluster);
    const rotated = { ...boundSource, data: encodeDetails({ password: 'next' }) };
    cluster.edit(SecretKind, sourceKey, (now: Secret) => ({ ...now, data: rotated.data }));
    await process.settle();
    assert.equal(copied().password, 'pw');
    cluster.set(managedKind, db, { status: { credential: recordOf('next') } });
    await process.settle(0);
    assert.equal(copied().password, 'next');
  });

  test('a renamed Secret is written before the old one is deleted', async () => {
    const { cluster, process, copied } = sceneOf(boundWorld);
    await settled(process, cluster);
    cluster.takeWrites();
    const renamed = { writeConnectionSecretToRef: { name: 'renamed' } };
    cluster.set(claimKind, orders, { spec: renamed });
    await settled(process, cluster);
    const writes = ['update Secret system/src', 'create Secret team/renamed', 'delete Secret team/conn'];
    assert.deepEqual(cluster.takeWrites(), [...writes, claimStatus]);
    assert.deepEqual(copied({ namespace: 'team', name: 'renamed' }), { password: 'pw' });
    const removed = process.events.filter(({ reason }) => reason === 'RemovedConnectionSecret');
    const messages = removed.map(({ message }) => message);
    assert.deepEqual(messages, ['deleted connection secret conn: the claim names secret renamed now']);
  });

  test('a resource that publishes to a store alone is bound when the store has the credential', async () => {
    let isApplied = false;
    const stored = { details: { password: 'pw' }, note: { key: 'a2V5', for: orderClaim } };
    const spec = { claimRef: claimRef(), publishConnectionDetailsTo: db };
    const scene = sceneOf({
      claims: [claim({ resourceRef: resourceRef('db') }, { finalizers })],
      managed: [managed(spec, { status: { bindingPhase: 'Unbound', credential: recordOf('pw') } })],
      storedConnection: async () => (isApplied ? stored : undefined),
    });
    await scene.process.settle(1_000);
    assert.equal(scene.claimAt()?.status?.bindingPhase, 'Unbound');
    isApplied = true; // a store sends no event
    await scene.process.settle(3_000);
    assert.equal(scene.claimAt()?.status?.bindingPhase, 'Bound');
  });
});

describe('the deletion of a claim', () => {
  const policies = { Delete: ['delete FavouriteDBInstance db'], Retain: [managedStatus] } as const;
  for (const [reclaimPolicy, release] of Object.entries(policies)) {
    test(`SuccessfulDelete: with policy ${reclaimPolicy} the resource first, then the Secret and the finalizer`, async () => {
      const spec = { ...boundManaged.spec, reclaimPolicy: reclaimPolicy as 'Delete' | 'Retain' };
      const resource = managed(spec, { status: boundHere, finalizers: ['x'] });
      const { cluster, process, claimAt } = sceneOf({ ...boundWorld, managed: [resource] });
      await settled(process, cluster);
      cluster.takeWrites();
      cluster.delete(claimKind, orders);
      await settled(process, cluster);
      assert.deepEqual(cluster.takeWrites(), [...release, 'delete Secret team/conn', claimUpdate]);
      assert.equal(claimAt(), undefined);
      const left = resourceOf(cluster);
      assert.equal(left?.spec.claimRef?.uid, 'claim-uid', 'it keeps its claimRef');
      const [phase, end] = reclaimPolicy === 'Retain' ? ['Released', 'Released'] : ['Bound', 'deleted'];
      assert.equal(left.status?.bindingPhase, phase);
      const reported = process.events.filter(({ reason }) => reason === 'UnboundManagedResource');
      const messages = reported.map(({ message }) => message);
      assert.deepEqual(messages, [`unbound from FavouriteDBInstance db, which is ${end}`]);
    });
  }

  const externalIdentity = encodeIdentity({ name: 'db', fields: {} });
  const retainedTexts: readonly (readonly [rule: string, status: ManagedStatus, text: string])[] = [
    [
      'the external resource and the password',
      { ...boundHere, externalIdentity },
      '. Its policies keep external resource db: the data stays, and the password still works',
    ],
    [
      'no password if the resource has none',
      { ...omit(boundHere, 'credential'), externalIdentity },
      '. Its policies keep external resource db: the data stays',
    ],
    ['nothing if no external resource was found', boundHere, ''],
  ];
  for (const [rule, status, text] of retainedTexts) {
    test(`the Event about a deleted resource whose policies keep the external resource names ${rule}`, async () => {
      const spec = { ...boundManaged.spec, reclaimPolicy: 'Delete', deletionPolicy: 'Orphan' } as const;
      const resource = managed(spec, { status, finalizers: ['x'] });
      const { cluster, process } = sceneOf({ ...boundWorld, managed: [resource] });
      await process.settle();
      cluster.delete(claimKind, orders);
      await process.settle();
      const reported = process.events.filter(({ reason }) => reason === 'UnboundManagedResource');
      assert.deepEqual(
        reported.map(({ message }) => message),
        [`unbound from FavouriteDBInstance db, which is deleted${text}`],
      );
    });
  }

  test('a deleted claim releases its resource and ends, also if it names a resource of an unknown kind', async () => {
    const unknown = resourceRef('other', { ...managedKind, kind: 'Strange' });
    const { cluster, process, claimAt } = sceneOf({
      claims: [claim({ resourceRef: unknown }, { finalizers, deletionTimestamp })],
      managed: [managed({ ...src, claimRef: claimRef() })],
    });
    await process.settle();
    assert.equal(resourceOf(cluster)?.spec.claimRef, undefined);
    assert.equal(claimAt(), undefined);
  });

  for (let step = 1; step <= 3; step += 1) {
    test(`a crash after write ${step} of 3`, async () => {
      const { cluster, process, start, claimAt } = sceneOf(boundWorld);
      await settled(process, cluster);
      cluster.stepsLeft = step;
      cluster.delete(claimKind, orders);
      await settled(process, cluster);
      cluster.stepsLeft = Number.POSITIVE_INFINITY;
      await settled(start(), cluster);
      assert.equal(claimAt(), undefined);
      assert.equal(cluster.get(SecretKind, copyKey), undefined);
      assert.equal(resourceOf(cluster)?.status?.bindingPhase, 'Released');
    });
  }

  test('a resource that the store has not seen yet is released before the finalizer is removed', async () => {
    const spec = { classRef: classRef('small'), resourceRef: resourceRef(ownName) };
    const { cluster, process, claimAt } = sceneOf({ claims: [claim(spec, { finalizers })] });
    await process.synced();
    process.hold(managedKind);
    const late = { claimRef: claimRef(), classRef: classRef('small'), reclaimPolicy: 'Delete' } as const;
    cluster.put(managedKind, managed(late, { name: ownName, uid: 'late-uid' }));
    cluster.delete(claimKind, orders);
    await process.settle();
    assert.deepEqual([claimAt(), cluster.get(managedKind, { name: ownName })], [undefined, undefined]);
  });

  test('H6: deleting a claim that names another claim’s resource does not change that resource', async () => {
    const second = { ...rival, metadata: { ...rival.metadata, finalizers } };
    const { cluster, process, claimAt } = sceneOf({ ...boundWorld, claims: [boundClaim, second] });
    await settled(process, cluster);
    const before = resourceOf(cluster);
    cluster.delete(claimKind, rivalKey);
    await settled(process, cluster);
    assert.equal(claimAt(rivalKey), undefined);
    assert.deepEqual(resourceOf(cluster), before);
  });

  const neverBound: Record<string, Claim['spec']> = {
    'H2: a deleted claim that names no resource loses its finalizer': {},
    'H2: a deleted claim whose class does not exist loses its finalizer': { classRef: classRef('none') },
    'H2: a deleted claim that was never bound to its resource loses its finalizer': byName.spec,
    'H3: a deleted claim whose resource does not exist loses its finalizer without waiting': {
      resourceRef: resourceRef('none'),
    },
  };
  for (const [rule, spec] of Object.entries(neverBound)) {
    test(rule, async () => {
      const subject = claim(spec, { finalizers });
      const free = managed({ reclaimPolicy: 'Delete' }, { finalizers: ['x.example.org/hold'] });
      const { cluster, process, claimAt } = sceneOf({ claims: [subject], managed: [free] });
      cluster.delete(claimKind, orders);
      await process.settle(0);
      assert.equal(claimAt(), undefined);
      assert.equal(resourceOf(cluster)?.metadata.deletionTimestamp, undefined);
    });
  }
});

describe('the requests that binding sends to the API server', () => {
  test('a store that has the claim, the resource and the Secrets needs no request', async () => {
    const { cluster, process } = sceneOf(boundWorld);
    await process.settle();
    cluster.calls.length = 0;
    process.resync(claimKind, managedKind, SecretKind);
    serveManaged(cluster);
    await process.settle();
    const reads = cluster.calls.filter(({ verb }) => verb === 'get');
    assert.deepEqual(reads, []);
  });

  test('a claim with a class needs no read: a creation shows what exists', async () => {
    const { cluster, process } = sceneOf({ claims: [byClass] });
    await settled(process, cluster);
    const reads = cluster.calls.filter(({ verb }) => verb === 'get');
    assert.deepEqual(reads, []);
  });
});

test('a claim that was deleted needs nothing', async () => {
  const { cluster, process } = sceneOf({});
  const result = await process.reconcile(orders);
  assert.deepEqual(result, { type: 'done', decision: 'ClaimGone' });
  assert.deepEqual([cluster.writes, process.events], [[], []]);
});

const gone = 'FancySQLInstance team/orders (UID claim-uid)';

describe('a resource whose claim does not exist', () => {
  const bound = { ...boundManaged, spec: { ...boundManaged.spec, reclaimPolicy: 'Delete' as const } };

  test('an orphan follows its reclaim policy after the Secret of the claim is deleted', async () => {
    const { cluster, process } = sceneOf({ managed: [bound], secrets: [boundSource, ownCopy] });
    await process.settle();
    assert.deepEqual(cluster.takeWrites(), ['delete Secret team/conn', 'delete FavouriteDBInstance db']);
    const reported = process.events.filter(({ object }) => object === 'FavouriteDBInstance db');
    const texts = reported.map(({ reason, message }) => `${reason}: ${message}`);
    const message = `${gone}, to which it was bound, no longer exists: this resource is deleted`;
    assert.deepEqual(texts, [`ClaimNotFound: ${message}`]);
  });

  test('an orphan is Released when a user removes the finalizer of its claim', async () => {
    const retained = { ...bound, spec: { ...bound.spec, reclaimPolicy: 'Retain' as const } };
    const secrets = [boundSource, ownCopy];
    const { cluster, process } = sceneOf({ claims: [named], managed: [retained], secrets });
    await settled(process, cluster);
    cluster.set(claimKind, orders, { metadata: { finalizers: [] } });
    cluster.delete(claimKind, orders);
    await settled(process, cluster);
    const left = resourceOf(cluster);
    assert.deepEqual([left?.status?.bindingPhase, left?.spec.claimRef?.uid], ['Released', 'claim-uid']);
    assert.equal(cluster.get(SecretKind, copyKey), undefined);
  });

  test('a resource is no orphan if the API server has the claim and the store does not', async () => {
    const { cluster, process } = sceneOf({ managed: [bound], secrets: [boundSource] });
    await process.synced();
    process.hold(claimKind);
    cluster.put(claimKind, named);
    await process.settle();
    assert.deepEqual(resourceOf(cluster)?.metadata.deletionTimestamp, undefined);
    assert.equal(resourceOf(cluster)?.status?.bindingPhase, 'Bound');
  });

  test('an orphan that is not Bound here waits for a backup to restore the claim', async () => {
    const restored = managed({ ...bound.spec, claimRef: claimRef() }, { uid: 'restored-uid' });
    const { cluster, process } = sceneOf({ managed: [restored] });
    await process.settle();
    assert.deepEqual(cluster.takeWrites(), []);
    const message = `${gone}, which spec.claimRef names, does not exist; if a backup brings it back, wait. Else, to give its data to any claim, remove spec.claimRef; or, if its data is not needed, delete this resource`;
    assert.deepEqual(
      process.events.map((event) => event.message),
      [message],
    );
  });

  test('an orphan is deleted only in the version that the decision was made on', async () => {
    const { cluster, process } = sceneOf({ managed: [bound], secrets: [boundSource] });
    await process.synced();
    process.hold(managedKind);
    cluster.set(managedKind, db, { spec: { claimRef: claimRef({ uid: 'another' }) } });
    await assert.rejects(process.reconcile(orders), /cannot delete managed resource/);
    assert.equal(resourceOf(cluster)?.metadata.deletionTimestamp, undefined);
  });
});
