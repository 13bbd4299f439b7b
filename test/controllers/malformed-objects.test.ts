import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../apis/core/v1alpha1/store-config.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderConfigKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { putFancySqlExample } from '../fakes/fancysql-example.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { objectOf, referenceOf } from '../fakes/object-of.ts';
import { Simulation } from '../fakes/simulation.ts';

/* An object that a definition without a schema admitted, and its result. */

const minuteMs = 60_000;
const key = { namespace: 'quiet', name: 'orders' };
const fancy = { fancinessLevel: 3 };
const classRef = referenceOf(FavouriteDBInstanceClassKind, 'favourite-small');

const open: Simulation[] = [];
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.kill();
});

type World = Awaited<ReturnType<typeof started>>;

/** A process that is at work. With `isEnforced` the definitions reject by now what they let through. */
async function started({ isEnforced = false } = {}) {
  const simulation = new Simulation({ seed: 1, syncPeriodMs: 10 * minuteMs, isEnforced });
  open.push(simulation);
  const { cluster, clock } = simulation;
  const cloud = inProcessCloud(clock, { url: 'http://127.0.0.1:18080', flavour: 'favourite' });
  putFancySqlExample(cluster, ['favourite']);
  /** As it is given, whatever definitions say. */
  const put = <T extends KubernetesObject>(kind: Kind<T>, metadata: T['metadata'], rest: object): T =>
    cluster.put(kind, objectOf(kind, metadata, rest));
  const secretRef = { namespace: 'cloud-credentials', name: 'favourite-cloud', key: 'credentials' };
  put(ProviderConfigKind, { name: 'default' }, { spec: { credentials: { source: 'Secret', secretRef } } });
  put(StoreConfigKind, { name: 'default' }, { spec: { type: 'Kubernetes', defaultScope: 'stores' } });
  const { dispatcher } = cloud;
  simulation.start([
    createFcpStack({ createClient: (options) => favouriteCloudClient({ ...options, dispatcher }) }),
  ]);
  await clock.advance(minuteMs);
  return {
    cluster,
    put,
    instances: cloud.instances,
    pass: (ms = minuteMs) => clock.advance(ms),
    /** Of the controllers of claims. */
    runs: () => simulation.runs.filter((run) => run.includes('fancysqlinstance')),
    /** A normal claim. */
    claim: () =>
      put(FancySQLInstanceKind, key, { spec: { classRef, writeConnectionSecretToRef: { name: key.name } } }),
    /** The claim is Bound, and its Secret has the password of its database. */
    assertUsable() {
      const { status, spec } = cluster.get<Claim>(FancySQLInstanceKind, key);
      assert.equal(status?.bindingPhase, 'Bound');
      assert.equal(getCondition(status.conditions, 'Ready').status, 'True');
      const { password } = decodeDetails(cluster.get(SecretKind, key));
      const instance = cloud.instances().find(({ item }) => item.name === spec.resourceRef?.name);
      assert.ok(password !== undefined && password === instance?.item.password);
    },
    /** Nothing was logged that only its author can fix. */
    assertNoFault: () =>
      assert.doesNotMatch(simulation.log.join(''), /a bug (?:stopped|in) |"name":"TypeError"/),
  };
}

/** A user's `kubectl replace` of all but metadata and status, with any value. */
async function becomes(world: World, kind: Kind, object: KubernetesObject, rest: object): Promise<void> {
  const { metadata, status } = world.cluster.get(kind, objectKey(object.metadata)) as Managed;
  world.put(kind, metadata, { ...rest, ...(status && { status }) });
  await world.pass(2 * minuteMs);
}

/** The message of Synced. */
const saying = (world: World, kind: Kind, object: KubernetesObject): string | undefined =>
  getCondition((world.cluster.get(kind, objectKey(object.metadata)) as Managed).status?.conditions, 'Synced')
    .message;

const reportedOf = (world: World, { metadata: { name } }: KubernetesObject) =>
  world.cluster
    .all(EventKind)
    .filter(({ involvedObject }) => (involvedObject as { readonly name?: string }).name === name)
    .map(({ reason, message, source }) => ({ reason, message, ...(source as { component?: string }) }));

describe('a malformed claim', () => {
  const leftAlone =
    'malformed, and not reconciled until it is corrected: spec.classSelector: expected object, received string';
  const component = 'definition/fancysqlinstance.database.crossplane.io';
  const reported = { reason: 'MalformedObject', message: leftAlone, component };
  const malformed = { spec: { classSelector: 'size=small' } };

  test('is not changed, and reports it, until it is corrected', async () => {
    const world = await started();
    const claim = world.put<Claim>(FancySQLInstanceKind, key, malformed);
    await world.pass();
    assert.equal(saying(world, FancySQLInstanceKind, claim), leftAlone);
    assert.deepEqual(reportedOf(world, claim), [reported]);
    assert.deepEqual(world.cluster.all(FavouriteDBInstanceKind), []);
    await becomes(world, FancySQLInstanceKind, claim, { spec: { classRef } });
    assert.equal(saying(world, FancySQLInstanceKind, claim), undefined);
    assert.equal(world.cluster.get<Claim>(FancySQLInstanceKind, key).status?.bindingPhase, 'Bound');
  });

  test('reports it in an Event alone if its definition has become stricter, and is not tried again', async () => {
    const world = await started({ isEnforced: true });
    const claim = world.put<Claim>(FancySQLInstanceKind, key, malformed);
    await world.pass();
    assert.deepEqual(reportedOf(world, claim), [reported]);
    const { length } = world.runs();
    await world.pass();
    assert.equal(world.runs().length, length);
  });

  test('keeps its resource after it was Bound, and releases it when it is deleted', async () => {
    const world = await started();
    world.claim();
    await world.pass();
    const claim = world.cluster.get<Claim>(FancySQLInstanceKind, key);
    await becomes(world, FancySQLInstanceKind, claim, { spec: { ...claim.spec, classSelector: 7 } });
    assert.match(saying(world, FancySQLInstanceKind, claim) ?? '', /^malformed/);
    world.assertUsable();
    world.cluster.leave(FancySQLInstanceKind, key);
    await world.pass();
    assert.equal(world.cluster.find(FancySQLInstanceKind, key), undefined);
    assert.deepEqual(world.cluster.all(FavouriteDBInstanceKind), []);
    assert.deepEqual(world.instances(), []);
  });
});

describe('a malformed managed resource', () => {
  const malformed = { spec: { forProvider: fancy, managementPolicies: 'Observe' } };

  test('is not reconciled: the malformed field may have been meant to prevent that', async () => {
    const world = await started();
    const managed = world.put(FavouriteDBInstanceKind, { name: 'db' }, malformed);
    await world.pass();
    const leftAlone =
      'malformed, and not reconciled until it is corrected: spec.managementPolicies: expected array, received string';
    assert.equal(saying(world, FavouriteDBInstanceKind, managed), leftAlone);
    assert.deepEqual(world.instances(), []);
    await becomes(world, FavouriteDBInstanceKind, managed, { spec: { forProvider: fancy } });
    assert.equal(world.instances().length, 1);
  });

  test('that is deleted waits to be corrected, because it may have an external resource', async () => {
    const world = await started();
    const managed = world.put(FavouriteDBInstanceKind, { name: 'db' }, { spec: { forProvider: fancy } });
    await world.pass();
    await becomes(world, FavouriteDBInstanceKind, managed, malformed);
    world.cluster.leave(FavouriteDBInstanceKind, { name: 'db' });
    await world.pass();
    assert.equal(world.instances().length, 1);
    const corrected = { spec: { forProvider: fancy, deletionPolicy: 'Delete' } };
    await becomes(world, FavouriteDBInstanceKind, managed, corrected);
    assert.deepEqual(world.instances(), []);
    assert.deepEqual(world.cluster.all(FavouriteDBInstanceKind), []);
  });

  test('that has no finalizer of ours gets none, because it has no external resource', async () => {
    const world = await started();
    const metadata = { name: 'db', finalizers: ['example.com/hold'] };
    world.put(FavouriteDBInstanceKind, metadata, malformed);
    await world.pass();
    world.cluster.leave(FavouriteDBInstanceKind, metadata);
    await world.pass();
    const { finalizers } = world.cluster.get(FavouriteDBInstanceKind, { name: 'db' }).metadata;
    assert.deepEqual(finalizers, ['example.com/hold']);
    world.assertNoFault();
  });
});

/** Its user reports the fault; and works once the object is corrected. */
interface Used {
  readonly kind: Kind;
  readonly name: string;
  readonly malformed: object;
  readonly says: string;
  readonly spec?: object;
}
const used: Readonly<Record<string, Used>> = {
  class: {
    kind: FavouriteDBInstanceClassKind,
    name: 'favourite-small',
    malformed: { specTemplate: { forProvider: 'fancy' } },
    says: 'FavouriteDBInstanceClass favourite-small is malformed: specTemplate.forProvider: expected object, received string; have an administrator correct the class',
  },
  ProviderConfig: {
    kind: ProviderConfigKind,
    name: 'default',
    malformed: { spec: { credentials: ['Secret'] } },
    says: 'ProviderConfig default is malformed: spec.credentials: expected object, received array',
    spec: { forProvider: fancy },
  },
  StoreConfig: {
    kind: StoreConfigKind,
    name: 'default',
    malformed: { spec: 'stores' },
    says: 'cannot get connection details: StoreConfig default is malformed: spec: expected object, received string',
    spec: { forProvider: fancy, publishConnectionDetailsTo: { name: 'kept' } },
  },
};

for (const [what, { kind, name, malformed, says, spec }] of Object.entries(used)) {
  test(`a malformed ${what} is not used, and its user reports why`, async () => {
    const world = await started();
    const { apiVersion: _v, kind: _k, metadata: _m, ...proper } = world.cluster.get(kind, { name });
    const object = world.put(kind, { name }, malformed);
    await world.pass(1_000); // a process that has not seen it yet uses the earlier one
    const user: readonly [Kind, KubernetesObject] =
      spec === undefined
        ? [FancySQLInstanceKind, world.put(FancySQLInstanceKind, key, { spec: { classRef } })]
        : [FavouriteDBInstanceKind, world.put(FavouriteDBInstanceKind, { name: 'db' }, { spec })];
    await world.pass();
    assert.equal(saying(world, ...user), says);
    await becomes(world, kind, object, proper);
    assert.equal(saying(world, ...user), undefined);
    world.assertNoFault();
  });
}

test('an object with a forbidden value that no controller reads works as before', async () => {
  const world = await started();
  const { specTemplate } = world.cluster.get(FavouriteDBInstanceClassKind, { name: 'favourite-small' });
  const odd = { specTemplate: { ...specTemplate, reclaimPolicy: 'Recycle', more: [] } };
  world.put(FavouriteDBInstanceClassKind, { name: 'favourite-small' }, odd);
  world.claim();
  await world.pass();
  world.assertUsable();
});

test('an object whose definition refuses every write is reported, and tried again', async () => {
  const world = await started({ isEnforced: true });
  const metadata = { name: 'old', finalizers: [finalizerNames.inUse] };
  const config = world.put(ProviderConfigKind, metadata, { spec: {} });
  world.cluster.leave(ProviderConfigKind, { name: 'old' });
  await world.pass();
  const [{ message, ...rest } = {}] = reportedOf(world, config);
  const component = 'definition/providerconfig.fcp.crossplane.io';
  assert.deepEqual(rest, { reason: 'CannotUpdateObject', component });
  assert.match(`${message}`, /^cannot update ProviderConfig: .*spec\.credentials/);
});
