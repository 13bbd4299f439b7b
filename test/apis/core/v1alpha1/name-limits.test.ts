import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../../apis/core/v1alpha1/meta.ts';
import { fittingName, nameProblem } from '../../../../apis/core/v1alpha1/name-limits.ts';
import { named, refusedName } from '../../../../controllers/managed/recording/identity.ts';
import { FakeCluster } from '../../../controllers/cluster-fake.ts';
import { FakeExternal, startStack } from '../../../controllers/external-fake.ts';
import { Scene } from '../../../controllers/managed-scene.ts';
import {
  claim,
  claimKind,
  classKind,
  classRef,
  managedKind,
  resourceClass,
  service,
} from '../../../controllers/objects.ts';

const names = { maxLength: 20, pattern: /[a-z][a-z0-9-]*/ };

describe('an external name that is derived from the object name', () => {
  const rows: Readonly<Record<string, readonly [own: string, fits: string]>> = {
    'stays if it fits': ['team-a-orders-x7k2p', 'team-a-orders-x7k2p'],
    'stays if it just fits': ['team-a-orders-1-x7k2', 'team-a-orders-1-x7k2'],
    'is cut if it is too long': ['team-a-orders-of-today-x7k2p', 'team-a-orders-e4e20'],
    'differs for another object': ['team-a-orders-of-today-x7k2q', 'team-a-orders-26b86'],
  };
  for (const [name, [own, fits]] of Object.entries(rows)) {
    test(name, () => {
      assert.equal(fittingName(own, names), fits);
      assert.ok(fits.length <= names.maxLength);
    });
  }
});

describe('a name that the external system does not allow is reported', () => {
  const rows: Readonly<Record<string, readonly [name: string, problem: string | undefined]>> = {
    'an allowed name has no report': ['orders-1', undefined],
    'one that is too long': [
      'a'.repeat(21),
      `the name "${'a'.repeat(21)}" has 21 characters, and the external system accepts 20`,
    ],
    'one that does not match': [
      '1-orders',
      `the name "1-orders" does not match [a-z][a-z0-9-]*, which the external system requires`,
    ],
    'one of which only a part matches': [
      'orders.of.today',
      `the name "orders.of.today" does not match [a-z][a-z0-9-]*, which the external system requires`,
    ],
  };
  for (const [name, [given, problem]] of Object.entries(rows)) {
    test(name, () => assert.equal(nameProblem(given, names), problem));
  }

  test('a global pattern judges each name from its start', () => {
    const sticky = { maxLength: 20, pattern: /[a-z]+/g };
    for (let time = 0; time < 3; time += 1) assert.equal(nameProblem('orders', sticky), undefined);
  });
});

describe('a managed resource of a kind with limits for names', () => {
  const long = 'a-name-that-is-too-long-for-it';
  const sceneOf = (forProvider: object, annotations: Readonly<Record<string, string>> = {}) =>
    new Scene({ forProvider }, { annotations }, { names });

  test('with a name that does not fit reports it, and is created once the name is corrected', async () => {
    const scene = sceneOf({ name: long });
    await scene.run();
    const message = `${nameProblem(long, names)}; set another name in the annotation crossplane.io/external-name`;
    assert.equal(scene.condition('Synced'), `False/ReconcileError: ${message}`);
    assert.equal(scene.condition('Ready'), 'False/Creating');
    assert.deepEqual(scene.events, ['Warning CannotInitializeManagedResource']);
    assert.deepEqual(scene.external.calls, []);

    const given = sceneOf({ name: long }, { 'crossplane.io/external-name': 'short' });
    await given.run();
    assert.deepEqual([...given.external.resources.keys()], ['short']);
  });

  test('with an external name of a user that does not fit reports it, because such a name is never cut', async () => {
    const scene = sceneOf({}, { 'crossplane.io/external-name': long });
    await scene.run();
    const message = `${nameProblem(long, names)}; set another name in the annotation crossplane.io/external-name`;
    assert.equal(scene.condition('Synced'), `False/ReconcileError: ${message}`);
    assert.equal(externalName(scene.object!), long);
    assert.equal(scene.external.made, 0);
  });

  test('with a long object name has a name that is cut', () => {
    const managed = { apiVersion: 'example.org/v1', kind: 'Box', metadata: { name: long }, spec: {} };
    const context = { isAssigned: false, marks: { immutable: [], identity: [] }, names };
    assert.equal(externalName(named(context, managed)), fittingName(long, names));
    assert.equal(refusedName(context, managed), undefined);
  });

  test('with a recorded name keeps it, although the limits changed', async () => {
    const before = new Scene({ forProvider: { name: long } });
    await before.run();
    const { metadata, status } = before.object!;
    const scene = new Scene(
      { forProvider: { name: long } },
      { ...metadata, ...(status && { status }) },
      { names },
    );
    scene.external.put(long);
    await scene.run();
    assert.equal(externalName(scene.object!), long);
    assert.match(scene.condition('Synced'), /^True/);
  });

  test('that was deleted ends, whatever its name', async () => {
    const scene = new Scene(
      { forProvider: { name: long } },
      { deletionTimestamp: '2026-01-02T03:00:00Z', finalizers: ['finalizer.managedresource.crossplane.io'] },
      { names },
    );
    await scene.run();
    assert.equal(scene.object, undefined);
  });
});

describe('the resource of a claim of a kind with limits for names', () => {
  const nameAt = async (annotations: Readonly<Record<string, string>> = {}) => {
    const cluster = new FakeCluster();
    const external = new FakeExternal();
    cluster.put(classKind, resourceClass('small'));
    const requested = claim({ classRef: classRef('small') });
    cluster.put(claimKind, {
      ...requested,
      metadata: { ...requested.metadata, namespace: 'a-team-with-a-long-name', annotations },
    });
    const process = await startStack(cluster, external, { services: [{ ...service, names }] }).settle();
    process.stop();
    const [managed] = cluster.all<Managed>(managedKind);
    return { own: managed?.metadata.name ?? '', outside: [...external.resources.keys()] };
  };

  test('has its name cut, in the claim and in the managed resource', async () => {
    const { own, outside } = await nameAt();
    assert.ok(own.length > names.maxLength);
    assert.deepEqual(outside, [fittingName(own, names)]);
  });

  test('has the name that the claim asks for', async () => {
    const { outside } = await nameAt({ 'crossplane.io/external-name': 'orders' });
    assert.deepEqual(outside, ['orders']);
  });
});
