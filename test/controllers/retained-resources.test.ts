import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { stackControllers } from '../../controllers/stack.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderConfigKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { FakeCluster, FakeProcess } from './environment-fake.ts';
import { secretOf } from './objects.ts';

const orders = { namespace: 'team', name: 'orders' };
const conn = { namespace: 'team', name: 'conn' };
const minuteMs = 60_000;
const shortly = { retainFor: '10m' };
const processes: FakeProcess[] = [];
afterEach(() => {
  for (const process of processes.splice(0)) process.stop();
});

/** A cluster and a cloud with a Bound claim of a class with `retainFor`. */
async function bound(specTemplate: object = {}, claimSpec: object = { classRef: { name: 'small' } }) {
  const cluster = new FakeCluster();
  const cloud = inProcessCloud(cluster.clock, { provisioningMs: 0 });
  const put = (kind: Kind, name: string, rest: object, metadata: object = {}): void => {
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    cluster.put(kind, {
      apiVersion,
      kind: kind.kind,
      metadata: { name, ...metadata },
      ...rest,
    } as KubernetesObject);
  };
  const createNamespace = (name = 'team'): void => put(NamespaceKind, name, {});
  const credentials = JSON.stringify({ url: cloud.url, token: cloud.token });
  cluster.put(
    SecretKind,
    secretOf({ namespace: 'infra', name: 'cloud' }, { data: encodeDetails({ credentials }) }),
  );
  const secretRef = { namespace: 'infra', name: 'cloud', key: 'credentials' };
  put(ProviderConfigKind, 'default', { spec: { credentials: { source: 'Secret', secretRef } } });
  put(FavouriteDBInstanceClassKind, 'small', {
    specTemplate: {
      writeConnectionSecretsToNamespace: 'infra',
      forProvider: { fancinessLevel: 3, version: '5.7' },
      retainFor: '7d',
      ...specTemplate,
    },
  });
  createNamespace();
  const apply = (metadata: object = {}, spec: object = claimSpec): void =>
    put(
      FancySQLInstanceKind,
      'orders',
      { spec: { ...spec, writeConnectionSecretToRef: { name: 'conn' } } },
      { ...orders, ...metadata },
    );
  const start = (): FakeProcess => {
    const createClient = (given: object) =>
      favouriteCloudClient({
        ...(given as Parameters<typeof favouriteCloudClient>[0]),
        dispatcher: cloud.dispatcher,
      });
    const process = new FakeProcess(cluster, (env) =>
      stackControllers(env, [createFcpStack({ createClient })]),
    );
    processes.push(process);
    return process;
  };
  apply();
  const process = await start().settle();
  const claim = () => cluster.get(FancySQLInstanceKind, orders);
  const scene = {
    cluster,
    cloud,
    process,
    start,
    apply,
    createNamespace,
    claim,
    resources: (): readonly Managed[] => cluster.all(FavouriteDBInstanceKind),
    resource: (): Managed => cluster.all<Managed>(FavouriteDBInstanceKind)[0] ?? assert.fail('it is gone'),
    ready: () => getCondition(claim()?.status?.conditions, 'Ready'),
    password: () => decodeDetails(cluster.get(SecretKind, conn)).password,
    /** The IDs in the cloud, which it never gives twice. */
    databases: () => cloud.instances().map(({ item: { id } }) => id),
    set: (fields: object) =>
      cluster.set(FavouriteDBInstanceKind, { name: scene.resource().metadata.name }, fields as never),
    /** The user deletes the claim, and its namespace perhaps. */
    async end({ withNamespace = false } = {}): Promise<void> {
      cluster.delete(FancySQLInstanceKind, orders);
      await process.settle();
      if (withNamespace) cluster.delete(NamespaceKind, { name: 'team' });
    },
    async pass(ms: number, by: FakeProcess = process): Promise<void> {
      await cluster.clock.advance(ms);
      await by.settle();
    },
  };
  assert.equal(scene.ready().status, 'True');
  return scene;
}

const classKind = { apiVersion: 'database.fcp.crossplane.io/v1alpha3', kind: 'FavouriteDBInstanceClass' };
const phaseOf = ({ status }: Managed) => status?.bindingPhase;

describe('a claim that is deleted and created again', () => {
  test('gets its database and its password back', async () => {
    const { end, apply, process, claim, resource, ready, password, databases, resources } = await bound();
    const before = { password: password(), databases: databases(), name: resource().metadata.name };
    await end();
    assert.equal(claim(), undefined);
    assert.equal(phaseOf(resource()), 'Released');
    assert.match(resource().status?.deleteAt ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    apply();
    await process.settle();
    assert.equal(ready().status, 'True');
    const after = { password: password(), databases: databases(), name: resource().metadata.name };
    assert.deepEqual(after, before);
    assert.equal(resources().length, 1);
    const { releasedFrom, releasedNamespace, deleteAt, bindingPhase } = resource().status ?? {};
    assert.deepEqual(
      { releasedFrom, releasedNamespace, deleteAt, bindingPhase },
      {
        releasedFrom: undefined,
        releasedNamespace: undefined,
        deleteAt: undefined,
        bindingPhase: 'Bound',
      },
    );
    assert.equal(claim()?.spec.resourceRef?.name, before.name);
  });

  test('gets it back also from a copy that names its resource', async () => {
    const { end, apply, process, claim, ready, resources, password } = await bound();
    const before = password();
    const { spec = assert.fail() } = claim() ?? {};
    await end();
    apply({}, spec);
    await process.settle();
    assert.deepEqual([ready().status, password(), resources().length], ['True', before, 1]);
  });

  test('gets it back without a class, from the class that it had', async () => {
    const { end, apply, process, ready, claim, resources, cluster } = await bound();
    const another = {
      ...cluster.get(FavouriteDBInstanceClassKind, { name: 'small' }),
      metadata: { name: 'other', annotations: { [annotationKeys.defaultClass]: 'true' } },
    };
    cluster.put(FavouriteDBInstanceClassKind, another as never);
    await end();
    apply({}, {});
    await process.settle();
    assert.deepEqual(
      [ready().status, claim()?.spec.classRef?.name, resources().length],
      ['True', 'small', 1],
    );
  });

  test('gets it back with a class of the same kind, and its resource does not change', async () => {
    const { end, apply, process, ready, claim, resource, resources, cluster } = await bound();
    const before = resource().spec;
    cluster.put(FavouriteDBInstanceClassKind, {
      ...cluster.get(FavouriteDBInstanceClassKind, { name: 'small' }),
      metadata: { name: 'large' },
      specTemplate: {
        writeConnectionSecretsToNamespace: 'infra',
        forProvider: { fancinessLevel: 7, version: '5.7' },
      },
    } as never);
    await end();
    apply({}, { classRef: { name: 'large', ...classKind } });
    await process.settle();
    assert.deepEqual(
      [ready().status, claim()?.spec.classRef?.name, resources().length],
      ['True', 'large', 1],
    );
    const { claimRef: _former, ...unchanged } = before;
    const { claimRef: _own, ...taken } = resource().spec;
    assert.deepEqual(taken, unchanged);
  });

  test('gets it back with a class selector, also if that does not select the class that it had', async () => {
    const { end, apply, process, ready, claim, resources } = await bound();
    await end();
    apply({}, { classSelector: { matchLabels: { size: 'large' } } });
    await process.settle();
    assert.deepEqual(
      [ready().status, claim()?.spec.classRef?.name, resources().length],
      ['True', 'small', 1],
    );
  });

  test('gets it back if an administrator removed the date', async () => {
    const { end, apply, process, ready, pass, set, resources } = await bound(shortly);
    await end();
    set({ status: { deleteAt: undefined } });
    await pass(20 * minuteMs);
    assert.equal(resources().length, 1);
    apply();
    await process.settle();
    assert.deepEqual([ready().status, resources().map(phaseOf)], ['True', ['Bound']]);
  });

  test('gets it back after the process was started again', async () => {
    const { end, apply, process, start, ready, resources } = await bound();
    await end();
    process.stop();
    apply();
    await start().settle();
    assert.deepEqual([ready().status, resources().length], ['True', 1]);
  });

  test('gets an empty one if its author wants that, and the kept one stays until its date', async () => {
    const { end, apply, process, ready, resources } = await bound();
    await end();
    apply({ annotations: { [annotationKeys.startEmpty]: 'true' } });
    await process.settle();
    assert.equal(ready().status, 'True');
    assert.deepEqual(resources().map(phaseOf).toSorted(), ['Bound', 'Released']);
  });

  test('gets it back with a notice if the annotation for an empty one has another value than true', async () => {
    const { end, apply, process, ready, resources } = await bound();
    await end();
    apply({ annotations: { [annotationKeys.startEmpty]: 'True' } });
    await process.settle();
    assert.deepEqual([ready().status, resources().map(phaseOf)], ['True', ['Bound']]);
    const tookBack = process.events.find(({ reason }) => reason === 'TookBackResource');
    assert.match(
      tookBack?.message ?? '',
      /had before\. The annotation crossplane\.io\/start-empty of this claim is "True", and has no effect: it must be exactly "true"$/,
    );
  });

  test('does not start empty if it names the kept one, and reports the two ways on', async () => {
    const { end, apply, process, ready, claim, resources } = await bound();
    const { spec = assert.fail() } = claim() ?? {};
    await end();
    apply({ annotations: { [annotationKeys.startEmpty]: 'true' } }, spec);
    await process.settle();
    const { name } = spec.resourceRef ?? {};
    assert.equal(
      ready().message,
      `spec.resourceRef names FavouriteDBInstance ${name}, which has the data of a previous FancySQLInstance team/orders; to start empty, delete this claim and create it again without spec.resourceRef, and with the annotation crossplane.io/start-empty=true. To have that data, remove the annotation`,
    );
    apply({}, spec);
    await process.settle();
    assert.deepEqual([ready().status, resources().map(phaseOf)], ['True', ['Bound']]);
  });

  test('gets a new one without retainFor, at once', async () => {
    const { end, apply, process, resources, ready } = await bound({ retainFor: undefined });
    await end();
    assert.deepEqual(resources(), []);
    apply();
    await process.settle();
    assert.equal(ready().status, 'True');
  });
});

describe('the date of a kept resource', () => {
  test('deletes it with its database', async () => {
    const { end, pass, resources, databases, process } = await bound(shortly);
    await end();
    await pass(8 * minuteMs);
    assert.deepEqual([resources().length, databases().length], [1, 1]);
    await pass(120_000);
    await pass(120_000);
    assert.deepEqual([resources(), databases()], [[], []]);
    const reasons = process.events.map(({ reason }) => reason);
    assert.ok(reasons.includes('DeletedExpiredResource'));
  });

  test('deletes it, and an Event names the database that its policy keeps', async () => {
    const { end, pass, set, cloud, resources, process } = await bound(shortly);
    set({ spec: { deletionPolicy: 'Orphan' } });
    await end();
    const name = cloud.instances()[0]?.item.name;
    await pass(10 * minuteMs);
    await pass(120_000);
    assert.deepEqual([resources().length, cloud.instances().length], [0, 1]);
    const { message = '' } = process.events.find(({ reason }) => reason === 'DeletedExpiredResource') ?? {};
    assert.match(message, new RegExp(`Its policies keep external resource ${name}: the data stays`));
  });

  test('counts a minute later after a start of the process', async () => {
    const { end, pass, process, start, resources, cluster } = await bound(shortly);
    await end();
    process.stop();
    await cluster.clock.advance(20 * minuteMs);
    const next = start();
    await next.settle(0);
    assert.equal(resources().length, 1);
    await pass(61_000, next);
    assert.deepEqual(resources(), []);
  });

  test('does not count for a paused resource, until it resumes', async () => {
    const { end, pass, resource, resources, set } = await bound(shortly);
    await end();
    set({
      metadata: { annotations: { ...resource().metadata.annotations, [annotationKeys.paused]: 'true' } },
    });
    await pass(20 * minuteMs);
    const { message } = getCondition(resource().status?.conditions, 'Synced');
    assert.match(message ?? '', /it is not deleted at its date until it resumes/);
    set({
      metadata: { annotations: { ...resource().metadata.annotations, [annotationKeys.paused]: 'false' } },
    });
    await pass(61_000);
    await pass(61_000);
    assert.deepEqual(resources(), []);
  });

  test('does not count with the policy Retain', async () => {
    const { end, pass, resource, set } = await bound(shortly);
    await end();
    set({ spec: { reclaimPolicy: 'Retain' } });
    await pass(20 * minuteMs);
    assert.equal(phaseOf(resource()), 'Released');
    const { message } = getCondition(resource().status?.conditions, 'Synced');
    assert.match(message ?? '', /spec\.retainFor has no effect, because spec\.reclaimPolicy is not Delete/);
  });

  test('counts if an administrator edits it', async () => {
    const { end, pass, set, resources, cluster } = await bound(shortly);
    await end();
    set({ status: { deleteAt: new Date(cluster.clockMs + 600_000).toISOString() } });
    await pass(500_000);
    assert.equal(resources().length, 1);
    await pass(200_000);
    assert.deepEqual(resources(), []);
  });

  test('does not count if the clock jumps ahead for a moment', async () => {
    const { end, pass, set, resources, cluster } = await bound(shortly);
    await end();
    const { deleteAt = '' } = resources()[0]?.status ?? {};
    set({ status: { deleteAt: new Date(cluster.clockMs - 1_000).toISOString() } });
    await pass(1_000);
    set({ status: { deleteAt } });
    await pass(300_000);
    assert.equal(resources().length, 1);
  });

  test('counts beside a claim that started empty', async () => {
    const { end, apply, process, pass, resources } = await bound(shortly);
    await end();
    apply({ annotations: { [annotationKeys.startEmpty]: 'true' } });
    await process.settle();
    await pass(10 * minuteMs);
    await pass(120_000);
    assert.deepEqual(resources().map(phaseOf), ['Bound']);
  });
});

describe('a claim does not take a kept resource back by itself', () => {
  test('in a namespace that was created again, until an administrator gives it back', async () => {
    const { end, apply, createNamespace, process, ready, cluster, set, resource, resources, password } =
      await bound();
    const before = password();
    await end({ withNamespace: true });
    createNamespace();
    apply();
    await process.settle();
    assert.equal(ready().reason, 'KeptResourceExists');
    assert.match(ready().message ?? '', /namespace team was created again/);
    assert.doesNotMatch(ready().message ?? '', /has no effect/);
    assert.equal(password(), undefined);
    assert.equal(resources().length, 1);
    const { uid = '' } = cluster.get(NamespaceKind, { name: 'team' })?.metadata ?? {};
    set({
      metadata: { annotations: { ...resource().metadata.annotations, [annotationKeys.giveBack]: uid } },
    });
    await process.settle();
    assert.deepEqual([ready().status, password()], ['True', before]);
    assert.equal(resource().metadata.annotations?.[annotationKeys.giveBack], undefined);
  });

  test('in such a namespace, also if the annotation for an empty one has another value than true', async () => {
    const { end, apply, createNamespace, process, ready } = await bound();
    await end({ withNamespace: true });
    createNamespace();
    apply({ annotations: { [annotationKeys.startEmpty]: 'yes' } });
    await process.settle();
    assert.equal(ready().reason, 'KeptResourceExists');
    assert.match(ready().message ?? '', / is "yes", and has no effect: it must be exactly "true"$/);
  });

  test('if an administrator gave it back to a namespace that was deleted since', async () => {
    const { end, apply, createNamespace, process, ready, cluster, set, resource } = await bound();
    const { uid = '' } = cluster.get(NamespaceKind, { name: 'team' })?.metadata ?? {};
    await end({ withNamespace: true });
    set({
      metadata: { annotations: { ...resource().metadata.annotations, [annotationKeys.giveBack]: uid } },
    });
    createNamespace();
    apply();
    await process.settle();
    assert.equal(ready().reason, 'KeptResourceExists');
  });

  test('in such a namespace, and gets the one of several that an administrator gave back', async () => {
    const { end, apply, createNamespace, process, cluster, ready, password, resource, resources } =
      await bound();
    const before = { password: password(), name: resource().metadata.name };
    await end();
    apply({ annotations: { [annotationKeys.startEmpty]: 'true' } });
    await process.settle();
    await end({ withNamespace: true });
    createNamespace();
    apply();
    await process.settle();
    assert.equal(resources().length, 2);
    assert.doesNotMatch(ready().message ?? '', new RegExp(before.name));
    const { uid = '' } = cluster.get(NamespaceKind, { name: 'team' })?.metadata ?? {};
    cluster.edit(FavouriteDBInstanceKind, { name: before.name }, (one) => ({
      ...one,
      metadata: {
        ...one.metadata,
        annotations: { ...one.metadata.annotations, [annotationKeys.giveBack]: uid },
      },
    }));
    await process.settle();
    assert.deepEqual([ready().status, password()], ['True', before.password]);
    assert.deepEqual(resources().map(phaseOf).toSorted(), ['Bound', 'Released']);
  });

  test('with giveBack Administrator', async () => {
    const { end, apply, process, ready } = await bound({ giveBack: 'Administrator' });
    await end();
    apply();
    await process.settle();
    assert.match(ready().message ?? '', /only an administrator gives it back/);
  });

  test('if the finalizer of the previous claim was removed by hand', async () => {
    const { cluster, process, apply, ready, resource } = await bound();
    cluster.edit(FancySQLInstanceKind, orders, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, finalizers: [] },
    }));
    cluster.delete(FancySQLInstanceKind, orders);
    await process.settle();
    assert.deepEqual([phaseOf(resource()), resource().status?.deleteAt !== undefined], ['Released', true]);
    apply();
    await process.settle();
    assert.match(ready().message ?? '', /the previous claim did not end regularly/);
  });

  test('if its finalizer and its Secret were removed by hand, and the new claim is there at once', async () => {
    const { cluster, process, apply, ready, resource } = await bound();
    cluster.edit(FancySQLInstanceKind, orders, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, finalizers: [] },
    }));
    cluster.delete(FancySQLInstanceKind, orders);
    cluster.delete(SecretKind, conn);
    apply();
    await process.settle();
    assert.deepEqual([phaseOf(resource()), resource().status?.deleteAt !== undefined], ['Released', true]);
    assert.match(ready().message ?? '', /the previous claim did not end regularly/);
  });

  test('from another namespace', async () => {
    const { end, apply, createNamespace, process, cluster, resources } = await bound();
    await end();
    createNamespace('rival');
    apply({ namespace: 'rival' });
    await process.settle();
    const rival = cluster.get(FancySQLInstanceKind, { namespace: 'rival', name: 'orders' });
    assert.equal(getCondition(rival?.status?.conditions, 'Ready').status, 'True');
    assert.deepEqual(resources().map(phaseOf).toSorted(), ['Bound', 'Released']);
  });

  test('in such a namespace, and starts empty after the date', async () => {
    const { end, apply, createNamespace, process, ready, pass, databases } = await bound(shortly);
    const before = databases();
    await end({ withNamespace: true });
    createNamespace();
    apply();
    await pass(10 * minuteMs);
    await pass(120_000);
    await process.settle();
    assert.equal(ready().status, 'True');
    assert.equal(databases().length, 1);
    assert.notDeepEqual(databases(), before);
  });
});

test('the lost database of a kept resource is reported, and not created again', async () => {
  const { end, pass, cloud, databases, resource } = await bound();
  await end();
  cloud.lose(cloud.instances()[0]?.item.name ?? assert.fail());
  await pass(120_000);
  await pass(120_000);
  assert.deepEqual(databases(), []);
  const { status, message } = getCondition(resource().status?.conditions, 'Ready');
  assert.equal(status, 'False');
  assert.match(message ?? '', /kept/);
});

describe('a claim of a class with deletionProtection', () => {
  const protecting = { deletionProtection: true };
  type Scene = Awaited<ReturnType<typeof bound>>;
  const protectionOf = ({ claim }: Scene) => claim()?.spec.deletionProtection;
  /** The author sets the field of the claim, which is being deleted. */
  async function setProtection({ cluster, process }: Scene, deletionProtection: boolean): Promise<void> {
    cluster.set(FancySQLInstanceKind, orders, { spec: { deletionProtection } } as never);
    await process.settle();
  }

  test('gets the field', async () => assert.equal(protectionOf(await bound(protecting)), true));

  test('keeps the value of its author', async () => {
    const scene = await bound(protecting, { classRef: { name: 'small' }, deletionProtection: false });
    assert.equal(protectionOf(scene), false);
    await scene.end();
    assert.equal(scene.claim(), undefined);
  });

  test('keeps its resource and its Secret while its deletion waits', async () => {
    const scene = await bound({ ...protecting, retainFor: undefined });
    const password = scene.password();
    await scene.end();
    await scene.pass(10 * minuteMs);
    assert.equal(scene.ready().reason, 'DeletionProtected');
    assert.match(scene.ready().message ?? '', /deletes FavouriteDBInstance \S+ with all its data/);
    assert.equal(scene.resource().status?.bindingPhase, 'Bound');
    assert.equal(scene.password(), password);
    assert.equal(scene.databases().length, 1);
  });

  test('ends when its author ends the protection', async () => {
    const scene = await bound({ ...protecting, retainFor: undefined });
    await scene.end();
    await setProtection(scene, false);
    assert.equal(scene.claim(), undefined);
    await scene.pass(minuteMs);
    assert.deepEqual(scene.databases(), []);
  });

  test('is protected again when it took its resource back', async () => {
    const scene = await bound(protecting);
    const databases = scene.databases();
    await scene.end();
    await setProtection(scene, false);
    assert.equal(scene.resource().status?.bindingPhase, 'Released');
    scene.apply();
    await scene.process.settle();
    assert.equal(scene.ready().status, 'True');
    assert.deepEqual(scene.databases(), databases);
    assert.equal(protectionOf(scene), true);
  });

  test('is Ready without a notice if its author edits the field', async () => {
    const scene = await bound(protecting);
    await setProtection(scene, false);
    const { status, reason, message } = scene.ready();
    assert.deepEqual(
      { status, reason, message },
      { status: 'True', reason: 'Available', message: undefined },
    );
  });
});
