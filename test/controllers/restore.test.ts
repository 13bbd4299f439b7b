import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { FakeCluster } from './cluster-fake.ts';
import { FakeExternal, startStack } from './external-fake.ts';
import {
  claim,
  claimKind,
  classKind,
  classRef,
  managed,
  managedKind,
  resourceClass,
  resourceRef,
} from './objects.ts';

const conn = (name: string) => ({ writeConnectionSecretToRef: { name } });
const writeConnectionSecretToRef = { namespace: 'system', name: 'static' };
const kinds: readonly Kind[] = [classKind, SecretKind, managedKind, claimKind];

/** A process runs until nothing is left to do, and ends. */
async function ranOnce(cluster: FakeCluster, external: FakeExternal): Promise<void> {
  const process = await startStack(cluster, external).settle();
  process.stop();
}

/** A cluster with a provisioned and a static claim, both bound, and the external system behind it. */
async function original(system?: string) {
  const cluster = new FakeCluster();
  const specTemplate = { writeConnectionSecretsToNamespace: 'system' };
  cluster.put(classKind, resourceClass('small', {}, { specTemplate }));
  cluster.put(managedKind, managed({ writeConnectionSecretToRef }, { uid: 'static-uid' }));
  cluster.put(claimKind, claim({ ...conn('orders'), classRef: classRef('small') }));
  const billing = { name: 'billing', uid: 'billing-uid' };
  cluster.put(claimKind, claim({ ...conn('billing'), resourceRef: resourceRef('db') }, billing));
  const external = new FakeExternal();
  external.system = system;
  await ranOnce(cluster, external);
  const phases = cluster.all(claimKind).map(({ status }) => status?.bindingPhase);
  assert.deepEqual(phases, ['Bound', 'Bound']);
  return { cluster, external };
}

/** A cluster with a resource made by hand that no claim has, and the external system behind it. */
async function unclaimed() {
  const cluster = new FakeCluster();
  cluster.put(managedKind, managed({ writeConnectionSecretToRef }));
  const external = new FakeExternal();
  await ranOnce(cluster, external);
  return { cluster, external };
}

/**
 * The objects that Velero restores: the same names, specs, annotations, finalizers and owners; new UIDs, no
 * status.
 */
const restored = (object: KubernetesObject) => omit(restoredWithStatus(object), 'status') as KubernetesObject;

/** The same if Velero is configured to restore statuses as well. */
function restoredWithStatus(object: KubernetesObject): KubernetesObject {
  const metadata = omit(object.metadata, 'resourceVersion', 'creationTimestamp', 'generation');
  return { ...object, metadata: { ...metadata, uid: `restored-${metadata.uid}` } };
}

/** A new cluster with all that a backup of the other has. */
function copyOf(cluster: FakeCluster, back = restored): FakeCluster {
  const copy = new FakeCluster();
  for (const kind of kinds) for (const object of cluster.all(kind)) copy.put(kind, back(object));
  return copy;
}

const secretsOf = (cluster: FakeCluster) =>
  Object.fromEntries(cluster.all(SecretKind).map((secret) => [secret.metadata.name, decodeDetails(secret)]));

function assertHealed(cluster: FakeCluster, external: FakeExternal, before: ReturnType<typeof secretsOf>) {
  assert.equal(cluster.all(managedKind).length, 2, 'managed resources');
  assert.equal(external.made, 2, 'external resources ever made');
  for (const object of cluster.all(claimKind)) {
    const { metadata, spec, status } = object;
    assert.equal(status?.bindingPhase, 'Bound', metadata.name);
    assert.equal(getCondition(status.conditions, 'Ready').status, 'True', metadata.name);
    assert.equal(getCondition(status.conditions, 'Synced').status, 'True', metadata.name);
    const bound = cluster.get(managedKind, { name: spec.resourceRef?.name ?? '' });
    assert.equal(bound?.status?.bindingPhase, 'Bound');
    assert.equal(bound.spec.claimRef?.uid, metadata.uid);
    const ownersOf = ({ writeConnectionSecretToRef: to }: typeof spec | typeof bound.spec) => {
      const secret = cluster.all(SecretKind).find((other) => other.metadata.name === to?.name);
      return secret?.metadata.ownerReferences?.map(({ uid }) => uid);
    };
    assert.deepEqual(ownersOf(spec), [metadata.uid], 'secrets are owned by the living');
    assert.deepEqual(ownersOf(bound.spec), [bound.metadata.uid], 'secrets are owned by the living');
  }
  assert.deepEqual(secretsOf(cluster), before, 'every detail is as it was, passwords included');
}

/** Every order of a few things. */
function orders<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    orders(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}

describe('a backup that is restored into a new cluster: every UID is new, statuses are missing', () => {
  test('all objects exist when the process starts: the process repairs them, and then writes nothing', async () => {
    const { cluster, external } = await original();
    const copy = copyOf(cluster);
    const process = await startStack(copy, external).settle();
    assertHealed(copy, external, secretsOf(cluster));
    assert.deepEqual(process.errors, []);
    copy.takeWrites();
    process.resync(...kinds);
    await process.settle(70_000);
    assert.deepEqual(copy.takeWrites(), []);
  });

  // Velero brings secrets back before custom resources, and these in any order.
  for (const order of orders([classKind, managedKind, claimKind])) {
    test(`piece by piece under a running process: ${['Secret', ...order.map(({ kind }) => kind)].join(', ')}`, async () => {
      const { cluster, external } = await original();
      const copy = new FakeCluster();
      const process = startStack(copy, external);
      for (const kind of [SecretKind, ...order] as readonly Kind[]) {
        for (const object of cluster.all(kind)) {
          copy.put(kind, restored(object));
          await process.settle(1_000);
        }
      }
      await process.settle(70_000);
      assertHealed(copy, external, secretsOf(cluster));
    });
  }

  const withStatuses: Record<string, readonly Kind[]> = {
    none: [],
    'managed resources': [managedKind],
    claims: [claimKind],
    both: [managedKind, claimKind],
  };
  for (const [what, hasStatuses] of Object.entries(withStatuses)) {
    test(`claims come an hour after the rest; statuses brought along: ${what}`, async () => {
      const { cluster, external } = await original();
      const copy = new FakeCluster();
      const bring = (kind: Kind) => {
        const back = hasStatuses.includes(kind) ? restoredWithStatus : restored;
        for (const object of cluster.all(kind)) copy.put(kind, back(object));
      };
      const first = startStack(copy, external);
      for (const kind of kinds) if (kind !== claimKind) bring(kind);
      await first.settle(1_800_000);
      first.stop();
      const process = await startStack(copy, external).settle(1_800_000);
      assert.deepEqual([...external.resources.keys()].length, 2, 'no database is deleted');
      for (const object of copy.all(managedKind)) {
        const before = cluster.get(managedKind, { name: object.metadata.name });
        assert.deepEqual(object.spec, before?.spec, 'and no resource freed');
        assert.notEqual(object.status?.bindingPhase, 'Released');
      }
      assert.ok(process.events.some(({ reason }) => reason === 'ClaimNotFound'));
      bring(claimKind);
      await process.settle(70_000);
      assertHealed(copy, external, secretsOf(cluster));
      assert.deepEqual(process.errors, []);
      assert.ok(copy.all(managedKind).every(({ status, metadata }) => status?.boundUID === metadata.uid));
      copy.takeWrites();
      process.resync(...kinds);
      await process.settle(70_000);
      assert.deepEqual(copy.takeWrites(), []);
    });
  }

  test('a process that ends after any step is continued by the next one', async () => {
    const { cluster, external } = await original();
    for (let steps = 1; ; steps += 1) {
      const copy = copyOf(cluster);
      copy.stepsLeft = steps;
      const first = await startStack(copy, external).settle();
      first.stop();
      copy.stepsLeft = Number.POSITIVE_INFINITY;
      await startStack(copy, external).settle();
      assertHealed(copy, external, secretsOf(cluster));
      if (!first.hasCrashed) {
        // Two managed resources, and a claim for each, are repaired in these writes.
        assert.equal(steps, 16, 'every write is a point to end at');
        return;
      }
    }
  });

  test('after a server was moved, a restored claim still works: the backup has the adopted identity', async () => {
    const { cluster, external } = await original('server-1');
    external.system = 'server-2';
    for (const { metadata } of cluster.all(managedKind)) {
      const annotations = { ...metadata.annotations, [annotationKeys.adoptIdentity]: 'true' };
      const now = cluster.get(managedKind, metadata) ?? assert.fail();
      cluster.put(managedKind, { ...now, metadata: { ...now.metadata, annotations } });
    }
    await ranOnce(cluster, external);
    const copy = copyOf(cluster);
    await startStack(copy, external).settle();
    assertHealed(copy, external, secretsOf(cluster));
  });

  test('an existing resource that was only found is not created in another system after a restore', async () => {
    const cluster = new FakeCluster();
    const external = new FakeExternal();
    external.system = 'server-1';
    external.put('db');
    cluster.put(managedKind, managed());
    await ranOnce(cluster, external);
    const copy = copyOf(cluster);
    const other = new FakeExternal();
    other.system = 'server-2';
    await startStack(copy, other).settle();
    assert.deepEqual([...other.resources.keys()], []);
    const [stored] = copy.all(managedKind);
    assert.equal(getCondition(stored?.status?.conditions, 'Synced').error?.class, 'OtherSystem');
  });

  test('the password of an Unbound resource is set again if a backup brought its status', async () => {
    const { cluster, external } = await unclaimed();
    const copy = copyOf(cluster, restoredWithStatus);
    external.put('db', {}, 'rotated after the backup');
    await startStack(copy, external).settle();
    assert.equal(external.resources.get('db')?.password, secretsOf(cluster).static?.password);
  });
});

/** A state of the second cluster, and the report of a process with `--observe-only`: managed resource and claim. */
type Rehearsal = readonly [
  (copy: FakeCluster, external: FakeExternal) => void,
  synced: string,
  claim: string,
];

const only = (change: string): string =>
  `this process only observes, and would otherwise ${change} it; run it without --observe-only`;

const failing = (message: string): string => `False/ReconcileError: ${message}`;
const db = { name: 'db' };

const rehearsals: Readonly<Record<string, Rehearsal>> = {
  'everything is there, and the password works': [() => {}, 'True/ReconcileSuccess', 'Bound True/Available'],
  'the external resource is not there': [
    (_copy, { resources }) => void resources.delete('db'),
    failing(only('create')),
    'Unbound False/ObserveOnly',
  ],
  'the external resource differs': [
    (copy) => void copy.set(managedKind, db, { spec: { forProvider: { size: 2 } } }),
    failing(only('update')),
    'Bound True/AvailableWithTrouble',
  ],
  'the password was rotated after the backup': [
    (_copy, external) => external.put('db', {}, 'rotated'),
    failing(only('set the credential of')),
    'Unbound False/ObserveOnly',
  ],
  'the Secret is not there': [
    (copy) => copy.delete(SecretKind, writeConnectionSecretToRef),
    failing(only('generate another credential for')),
    'Unbound False/ObserveOnly',
  ],
  'the resource is being deleted': [
    (copy) => copy.delete(managedKind, db),
    failing(only('delete')),
    'Unbound False/Deleting',
  ],
};

describe('a process with --observe-only over a restored copy changes nothing in external systems, and reports it', () => {
  for (const [name, [before, ...wanted]] of Object.entries(rehearsals)) {
    test(name, async () => {
      const { cluster, external } = await original();
      external.testsCredentials = true;
      const copy = copyOf(cluster);
      before(copy, external);
      const resources = structuredClone([...external.resources]);
      const calls = external.calls.length;
      const process = startStack(copy, external, { isObserveOnly: true });
      await process.settle(120_000);
      assert.deepEqual([...external.resources], resources);
      const changes = ['create', 'update', 'delete'];
      const changing = external.calls.slice(calls).filter((call) => changes.includes(call));
      assert.deepEqual(changing, []);
      const { status } = copy.get(managedKind, { name: 'db' }) ?? assert.fail();
      const { message, ...condition } = getCondition(status?.conditions, 'Synced');
      const text = `${condition.status}/${condition.reason}${message === undefined ? '' : `: ${message}`}`;
      const stored = copy.get(claimKind, { namespace: 'team', name: 'billing' });
      const ready = getCondition(stored?.status?.conditions, 'Ready');
      const reported = [text, `${stored?.status?.bindingPhase} ${ready.status}/${ready.reason}`];
      assert.deepEqual(reported, wanted);
      assert.deepEqual(process.errors, []);
    });
  }
});
