import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { available, creating, getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { decodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { provisionedNames } from '../../../controllers/claim/provisioned-name.ts';
import { FakeCluster, forbidden } from '../cluster-fake.ts';
import type { RecordedEvent } from '../environment-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import {
  claim,
  claimKind,
  claimRef,
  classKind,
  classRef,
  managed,
  managedKind,
  resourceClass,
  resourceRef,
  service,
} from '../objects.ts';

/*
 * Hazards of docs/decision-tables.md that need all controllers at once. The others are in reconciler.test.ts and
 * ../claim-scheduling/decide.test.ts.
 */

const orders = { namespace: 'team', name: 'orders' };
const rival = { namespace: 'rivals', name: 'orders' };
const target = { namespace: 'team', name: 'conn' };
const conn = { writeConnectionSecretToRef: { name: 'conn' } };

function worldOf(...claims: readonly Claim[]) {
  const cluster = new FakeCluster();
  const specTemplate = { writeConnectionSecretsToNamespace: 'system' };
  cluster.put(classKind, resourceClass('small', { labels: { size: 'small' } }, { specTemplate }));
  for (const each of claims) cluster.put(claimKind, each);
  const external = new FakeExternal();
  const status = (key = orders) => cluster.get(claimKind, key)?.status;
  const ready = (key = orders) => getCondition(status(key)?.conditions, 'Ready');
  return { cluster, external, status, ready, process: startStack(cluster, external) };
}

const dynamic = claim({ ...conn, classRef: classRef('small') });

describe('hazards of the original (docs/decision-tables.md)', () => {
  test("H1: a claim that names another claim's resource is not Ready, reports the conflict and writes to neither", async () => {
    const { cluster, process, status, ready } = worldOf(dynamic);
    await process.settle();
    const [other] = cluster.all(managedKind);
    assert.ok(other);
    cluster.takeWrites();
    const spec = { ...conn, resourceRef: resourceRef(other.metadata.name) };
    cluster.put(claimKind, claim(spec, { ...rival, uid: 'rival-uid' }));
    await process.settle();
    assert.deepEqual(cluster.takeWrites(), [
      'update FancySQLInstance rivals/orders', // its finalizer
      'updateStatus FancySQLInstance rivals/orders',
    ]);
    assert.deepEqual([ready(rival).status, status(rival)?.bindingPhase], ['False', 'Unbound']);
    assert.match(ready(rival).message ?? '', /belongs to another claim/);
    const event = process.events.find(({ object }) => object.endsWith('rivals/orders'));
    assert.deepEqual([event?.type, event?.reason], ['Warning', 'CannotBindManagedResource']);
    assert.equal(cluster.get(SecretKind, { namespace: 'rivals', name: 'conn' }), undefined);
  });

  test('H7: a managed resource of a claim of another kind with the same name is not bound', async () => {
    const { cluster, process, ready } = worldOf(claim({ resourceRef: resourceRef('db') }));
    const others = { claimRef: claimRef({ kind: 'PlainSQLInstance' }) };
    cluster.put(managedKind, managed(others, { status: { bindingPhase: 'Unbound' } }));
    await process.settle();
    assert.match(ready().message ?? '', /belongs to another claim/);
    assert.deepEqual(cluster.get(managedKind, { name: 'db' })?.spec.claimRef, others.claimRef);
  });

  /** The password that the resource's controller wrote. */
  const passwordOf = (cluster: FakeCluster) =>
    decodeDetails(cluster.get(SecretKind, { namespace: 'system', name: 'claim-uid' })).password;

  test('H11: the type of a secret that exists is never written', async () => {
    const { cluster, process } = worldOf(dynamic);
    await process.settle();
    cluster.edit(SecretKind, target, (secret) => ({ ...secret, type: 'Opaque', data: {} }));
    process.resync(claimKind);
    await process.settle();
    const copied = cluster.get(SecretKind, target);
    assert.equal(copied?.type, 'Opaque');
    assert.equal(decodeDetails(copied).password, passwordOf(cluster));
  });

  test('H14: Ready follows the managed resource, and a deleted resource ends Bound', async () => {
    const { cluster, external, process, status, ready } = worldOf(dynamic);
    await process.settle();
    assert.equal(ready().status, 'True');
    const [bound] = cluster.all(managedKind);
    assert.ok(bound);
    const name = { name: bound.metadata.name };
    external.ready = creating();
    await process.settle(70_000);
    const shown = [ready().status, ready().reason, status()?.bindingPhase];
    assert.deepEqual(shown, ['False', 'Creating', 'Bound']);
    external.ready = available();
    await process.settle(70_000);
    assert.equal(ready().status, 'True');
    cluster.delete(managedKind, name);
    await process.settle(70_000);
    assert.equal(cluster.get(managedKind, name), undefined);
    assert.deepEqual([ready().status, status()?.bindingPhase], ['False', 'Released']);
    assert.equal(cluster.all(managedKind).length, 0, 'it is not provisioned again');
  });
});

test('H14: a Bound resource whose deletion takes long is Released after its deletion, and not provisioned again', async () => {
  const { cluster, external, process, status, ready } = worldOf(dynamic);
  await process.settle();
  const [bound] = cluster.all(managedKind);
  assert.ok(bound);
  external.isDeletionSlow = true;
  cluster.delete(managedKind, { name: bound.metadata.name });
  await process.settle(1_000);
  assert.equal(cluster.get(managedKind, { name: bound.metadata.name })?.status?.bindingPhase, 'Released');
  assert.deepEqual([status()?.bindingPhase, ready().reason], ['Bound', 'Deleting']);
  const wanted = cluster.get(claimKind, orders)?.spec.writeConnectionSecretToRef?.name;
  assert.deepEqual(status()?.binding, { name: wanted });
  cluster.set(claimKind, orders, { spec: { writeConnectionSecretToRef: { name: 'another' } } });
  await process.settle(1_000);
  assert.equal(status()?.binding, undefined, 'it has no secret of that name, and gets none');
  external.isDeletionSlow = false;
  await process.settle(70_000);
  assert.deepEqual([cluster.all(managedKind).length, external.made], [0, 1]);
  assert.deepEqual([status()?.bindingPhase, ready().status], ['Released', 'False']);
});

test('the Secret of a claim whose resource is being deleted is not written again, and its status names no Secret', async () => {
  const { cluster, external, process, status } = worldOf(dynamic);
  await process.settle();
  const [bound] = cluster.all(managedKind);
  external.isDeletionSlow = true;
  cluster.delete(managedKind, { name: bound?.metadata.name ?? '' });
  await process.settle(1_000);
  assert.deepEqual(status()?.binding, { name: target.name });
  cluster.delete(SecretKind, target);
  await process.settle(1_000);
  assert.deepEqual([cluster.get(SecretKind, target), status()?.binding], [undefined, undefined]);
});

describe('a claim does not get a name that another object has', () => {
  const [first = '', second = ''] = provisionedNames(claim());

  test('H4: a name in use before it is recorded is replaced by the next name', async () => {
    const { cluster, process, status } = worldOf(dynamic);
    cluster.put(managedKind, managed({}, { name: first, uid: 'stranger' }));
    await process.settle();
    assert.equal(cluster.get(claimKind, orders)?.spec.resourceRef?.name, second);
    assert.equal(status()?.bindingPhase, 'Bound');
    assert.equal(cluster.get(managedKind, { name: first })?.spec.claimRef, undefined);
  });

  test('H4: if another claim gets the name between record and creation, the resource is not changed and the claim reports it', async () => {
    const { cluster, process, ready } = worldOf(dynamic);
    const spec = { claimRef: claimRef({ name: 'billing' }) };
    let isTaken = false;
    cluster.before('create', managedKind, () => {
      cluster.put(managedKind, managed(spec, { name: first, status: { bindingPhase: 'Unbound' } }));
      isTaken = true;
    });
    await process.settle();
    assert.ok(isTaken);
    assert.deepEqual(cluster.get(managedKind, { name: first })?.spec, spec);
    assert.match(ready().message ?? '', new RegExp(`FavouriteDBInstance ${first} belongs to another claim`));
  });
});

test('H7: of two services of a claim kind, only the requested one acts', async () => {
  const cluster = new FakeCluster();
  const otherKind: Kind = { ...managedKind, kind: 'OtherDBInstance', plural: 'otherdbinstances' };
  const otherClass = { ...classKind, kind: 'OtherDBInstanceClass', plural: 'otherdbinstanceclasses' };
  const other = { ...service, managed: otherKind as typeof managedKind, class: otherClass };
  cluster.put(classKind, resourceClass('small'));
  cluster.put(otherClass, resourceClass('small', { uid: 'other-small' }, { kind: otherClass }));
  cluster.put(claimKind, claim({ classRef: classRef('small') }));
  const external = new FakeExternal();
  const process = await startStack(cluster, external, { services: [other, service] }).settle();
  assert.equal(cluster.all(managedKind).length, 1);
  assert.equal(cluster.all(otherKind).length, 0);
  assert.deepEqual(process.errors, []);
});

test('a Secret that is created late is deleted if its claim does not name it any more', async () => {
  const { cluster, process } = worldOf(dynamic);
  await process.settle();
  const late = cluster.get(SecretKind, target);
  assert.ok(late);
  cluster.edit(claimKind, orders, (object) => omit(object, 'spec.writeConnectionSecretToRef') as Claim);
  await process.settle();
  assert.equal(cluster.get(SecretKind, target), undefined);
  cluster.put(SecretKind, { ...late, metadata: { ...late.metadata, uid: 'late-uid' } });
  await process.settle(1_000);
  assert.equal(cluster.get(SecretKind, target), undefined);
});

/* Events of claims as the original has them (crossplane-runtime v0.5 to v0.9). */

/** A claim that finds a resource which a user created, and a class. */
async function reported(subject: Claim, spec: Managed['spec'] = {}) {
  const { cluster, process } = worldOf();
  const source = { writeConnectionSecretToRef: { namespace: 'system', name: 'src' } };
  cluster.put(managedKind, managed({ ...source, ...spec }));
  await process.settle();
  cluster.put(claimKind, subject);
  return { cluster, process };
}

const claimEvents = ({ events }: { readonly events: readonly RecordedEvent[] }) =>
  events.filter(({ object }) => object === 'FancySQLInstance team/orders');

test('Events of a claim are annotated with the names of its resource, class and Secret', async () => {
  const sized = (size: string) => ({ classSelector: { matchLabels: { size } } });
  const { cluster, process } = await reported(claim({ ...conn, ...sized('small') }));
  await process.settle();
  const name = cluster.get(claimKind, orders)?.spec.resourceRef?.name ?? '';
  const all = { 'external-name': name, 'managed-name': name, 'class-name': 'small' };
  const annotations = Object.fromEntries(
    claimEvents(process).map((event) => [event.reason, event.annotations]),
  );
  assert.deepEqual(annotations.BoundManagedResource, all);
  const lonely = await reported(claim(sized('huge')));
  await lonely.process.settle();
  const [event] = claimEvents(lonely.process);
  assert.equal(event?.reason, 'NoMatchingClass');
  assert.ok(!('annotations' in event));
});

describe('the Event UnboundManagedResource reports what happened to the resource of a deleted claim', () => {
  test('a resource that was never bound', async () => {
    const subject = claim({ ...conn, resourceRef: resourceRef('db') });
    const { cluster, process } = await reported(subject, { claimRef: claimRef() });
    cluster.refuse('updateStatus', managedKind, forbidden(), Number.POSITIVE_INFINITY);
    cluster.set(managedKind, { name: 'db' }, { status: { bindingPhase: 'Unbound' } });
    await process.settle(300);
    cluster.delete(claimKind, orders);
    await process.settle();
    const message =
      'unbound from FavouriteDBInstance db, which is available again; it was never bound to this claim';
    assert.equal(claimEvents(process).at(-1)?.message, message);
  });

  test('a claim that had no resource has no such Event', async () => {
    const { cluster, process } = await reported(claim({ resourceRef: resourceRef('no-such-db') }));
    await process.settle();
    cluster.delete(claimKind, orders);
    await process.settle();
    assert.ok(!process.events.some(({ reason }) => reason === 'UnboundManagedResource'));
  });
});
