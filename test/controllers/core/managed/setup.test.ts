import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getCondition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedSpec, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../../../apis/core/v1alpha1/namespace.ts';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import type { SecretStores, StoredConnection } from '../../../../controllers/core/connection/secret-store.ts';
import { generatedPassword } from '../../../../controllers/core/credential.ts';
import type { ManagedService } from '../../../../controllers/core/managed/setup.ts';
import {
  isDesiredStateChanged,
  isSecretChanged,
  managedController,
  ofCreatedNamespaces,
} from '../../../../controllers/core/managed/setup.ts';
import { recordedLog } from '../../../fakes/recorded-log.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { FakeExternal, managedService } from '../external-fake.ts';
import { finalizers } from '../managed-scene.ts';
import { claimRef, deletionTimestamp, managed, managedKind, otherManagedKind, secretOf } from '../objects.ts';
import { wokenBy } from '../requests-of.ts';

/** A process that keeps one kind of managed resources. */
function keeping(cluster: FakeCluster, more: Partial<ManagedService> = {}) {
  const external = new FakeExternal();
  const process = new FakeProcess(cluster, (env) => [managedController(env, managedService(external, more))]);
  return { external, process };
}

test('a namespace that is created triggers the resources whose Secret waits for it, and no others', async () => {
  const cluster = new FakeCluster();
  const waitingFor = (namespace: string, name: string): Managed => {
    const facts = { type: 'Synced', status: 'False', reason: 'ReconcileError' } as const;
    const error = { class: 'NamespaceNotFound', namespace };
    const condition = { ...facts, lastTransitionTime: '2026-01-02T03:04:05Z', error };
    return managed({}, { name, uid: name, status: { conditions: [condition] } });
  };
  for (const one of [waitingFor('late', 'a'), waitingFor('never', 'b'), managed({}, { name: 'c', uid: 'c' })])
    cluster.put(managedKind, one);
  const process = new FakeProcess(cluster);
  const { store } = process.env.resource(managedKind);
  const woken: string[] = [];
  const subscription = ofCreatedNamespaces(process.env, store).subscribe(({ name }) => woken.push(name));
  await process.settle();
  assert.deepEqual(woken, []);
  for (const name of ['other', 'late'])
    cluster.put(NamespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await process.settle();
  assert.deepEqual(woken, ['a']);
  cluster.edit(managedKind, { name: 'b' }, (before) => ({ ...before, status: {} }));
  cluster.put(NamespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'never' } });
  await process.settle();
  assert.deepEqual(woken, ['a']);
  subscription.unsubscribe();
  process.stop();
});

test('a managed resource counts for the namespace of its claim', () => {
  const cluster = new FakeCluster();
  cluster.put(managedKind, managed({ claimRef: claimRef({ namespace: 'team-a' }) }, { name: 'claimed' }));
  cluster.put(managedKind, managed({}, { name: 'free' }));
  const { env } = new FakeProcess(cluster);
  const { groupOf } = managedController(env, managedService(new FakeExternal()));
  const groups = ['claimed', 'free', 'gone'].map((name) => groupOf?.({ name }));
  assert.deepEqual(groups, ['team-a', '', '']);
});

describe('the resource that a connection Secret wakes', () => {
  const key = { namespace: 'infra', name: 'conn' };
  const owner = managed({ writeConnectionSecretToRef: key }, { name: 'owner', uid: 'owner-uid' });
  const rows: Record<
    string,
    { controls?: object; namespace?: string; leaving?: true; isGone?: true; wakes: readonly string[] }
  > = {
    'is the resource that controls it': { controls: owner, wakes: ['owner'] },
    'is none if no object controls it': { wakes: [] },
    'is not one of that name and another kind': {
      controls: { ...owner, apiVersion: 'database.ocp.crossplane.io/v1alpha1', kind: otherManagedKind.kind },
      wakes: [],
    },
    'is not one that is unknown: its appearance wakes it': { controls: owner, isGone: true, wakes: [] },
    'is not one that publishes to another place': { controls: owner, namespace: 'rogue', wakes: [] },
    'is not one that is being deleted': { controls: owner, leaving: true, wakes: [] },
  };
  for (const [name, { controls, namespace = 'infra', leaving, isGone, wakes }] of Object.entries(rows)) {
    test(name, async () => {
      const cluster = new FakeCluster();
      cluster.put(managedKind, {
        ...owner,
        metadata: { ...owner.metadata, finalizers: ['example.org/hold'] },
      });
      if (isGone) cluster.set(managedKind, { name: 'owner' }, { metadata: { finalizers: [] } });
      if (leaving || isGone) cluster.delete(managedKind, { name: 'owner' }, deletionTimestamp);
      const ownerReferences = controls === undefined ? [] : [controllerReference(controls as typeof owner)];
      const secret = secretOf({ ...key, namespace, ownerReferences }, { type: connectionSecretType });
      cluster.put(SecretKind, { ...secret, data: { password: 'MQ==' } });
      const log = recordedLog();
      const process = new FakeProcess(cluster, undefined, { log });
      const { triggers } = managedController(process.env, managedService(new FakeExternal()));
      const change = () => cluster.put(SecretKind, { ...secret, data: { password: 'Mg==' } });
      assert.deepEqual(await wokenBy(process, triggers, change), wakes);
      const errors = log.lines.filter(({ level }) => level === 'error');
      assert.deepEqual(errors, []);
    });
  }
});

describe('a resource that waits for a Secret of another owner is woken', () => {
  const key = { namespace: 'infra', name: 'conn' };
  const [holder, waiting, leaving] = ['holder', 'waiting', 'leaving'].map((name) =>
    managed({ writeConnectionSecretToRef: key }, { name, uid: `${name}-uid` }),
  ) as [Managed, Managed, Managed];
  const elsewhere = managed(
    { writeConnectionSecretToRef: { ...key, namespace: 'other' } },
    { name: 'elsewhere', uid: 'elsewhere-uid' },
  );
  const ownedBy = (...owners: readonly Managed[]) =>
    secretOf(
      { ...key, ownerReferences: owners.map(controllerReference) },
      { type: connectionSecretType, data: { password: 'MQ==' } },
    );
  const rows: Record<string, { act: (cluster: FakeCluster) => unknown; wakes: readonly string[] }> = {
    'when the Secret is deleted': {
      act: (cluster) => cluster.delete(SecretKind, key, deletionTimestamp),
      wakes: ['holder', 'waiting'],
    },
    'when the Secret loses its owner': {
      act: (cluster) => cluster.put(SecretKind, ownedBy()),
      wakes: ['holder', 'waiting'],
    },
    'when the Secret gets another owner': {
      act: (cluster) => cluster.put(SecretKind, ownedBy(waiting)),
      wakes: ['holder'],
    },
    'but not when the content changes': {
      act: (cluster) => cluster.put(SecretKind, { ...ownedBy(holder), data: { password: 'Mg==' } }),
      wakes: ['holder'],
    },
  };
  for (const [name, { act, wakes }] of Object.entries(rows)) {
    test(name, async () => {
      const cluster = new FakeCluster();
      for (const each of [holder, waiting, elsewhere]) cluster.put(managedKind, each);
      const finalizers = ['example.org/hold'];
      cluster.put(managedKind, { ...leaving, metadata: { ...leaving.metadata, finalizers } });
      cluster.delete(managedKind, { name: 'leaving' }, deletionTimestamp);
      cluster.put(SecretKind, ownedBy(holder));
      const process = new FakeProcess(cluster);
      const { triggers } = managedController(process.env, managedService(new FakeExternal()));
      const woken = await wokenBy(process, triggers, () => act(cluster));
      assert.deepEqual([...new Set(woken)].toSorted(), wakes);
    });
  }
});

describe('the additions of a service', () => {
  const spec: ManagedSpec = { publishConnectionDetailsTo: { name: 'orders' }, forProvider: { size: 1 } };
  const synced = (cluster: FakeCluster): string => {
    const { status, message } = getCondition(
      cluster.get(managedKind, { name: 'db' })?.status?.conditions,
      'Synced',
    );
    return `${status} ${message}`;
  };

  test('with secret stores: details are published there, and changes there wake the resource', async () => {
    const kept = new Map<string, StoredConnection>();
    let asked = 0;
    const secretStores: SecretStores = {
      exists: () => true,
      open: async () => ({
        describe: (name) => name,
        read: async (name) => kept.get(name),
        write: async (name, _current, desired) => {
          kept.set(name, desired);
          return desired;
        },
        remove: async () => {},
      }),
      removeFormer: async () => {},
      triggers: () => {
        asked += 1;
        return [];
      },
    };
    const cluster = new FakeCluster();
    const { external, process } = keeping(cluster, {
      secretStores,
      secretDetails: { credential: generatedPassword },
    });
    cluster.put(managedKind, managed(spec));
    await process.settle(100);
    assert.match(synced(cluster), /^True/);
    const password = external.things.get('db')?.password;
    assert.deepEqual(
      [kept.get('orders')?.data, asked],
      [{ endpoint: 'db.example', password, uri: `db://:${password}@db.example` }, 1],
    );
  });

  test('references, which are resolved before the creation', async () => {
    const cluster = new FakeCluster();
    const { external, process } = keeping(cluster, {
      references: [{ field: 'zone', ref: 'zoneRef', selector: 'zoneSelector', to: otherManagedKind }],
    });
    cluster.put(managedKind, managed({ forProvider: { zoneRef: { name: 'main' } } }));
    await process.settle(100);
    assert.equal(external.made, 0);
    cluster.put(otherManagedKind, {
      ...managed(
        {},
        { name: 'main', uid: 'main-uid', annotations: { 'crossplane.io/external-name': 'z-1' } },
      ),
      apiVersion: 'database.ocp.crossplane.io/v1alpha1',
      kind: otherManagedKind.kind,
    });
    await process.settle(100);
    assert.deepEqual(external.createdWith, { zone: 'z-1', zoneRef: { name: 'main' } });
  });
});

describe('the changes that wake the managed reconciler (C8 DesiredStateChanged)', () => {
  type Metadata = Partial<ObjectMeta> & { readonly status?: ManagedStatus };
  const annotated = (key: string, value = '2026-01-02T03:04:05Z'): Metadata => ({
    annotations: { [`crossplane.io/${key}`]: value },
  });
  const waiting: Metadata = {
    ...annotated('external-create-pending'),
    status: {
      conditions: [
        {
          type: 'Synced',
          status: 'False',
          lastTransitionTime: '2026-01-02T03:04:05Z',
          reason: 'ReconcileError',
          message: 'cannot determine creation result - remove …',
        },
      ],
    },
  };
  const rows: Record<string, readonly [wakes: boolean, to: Metadata, from?: Metadata]> = {
    NothingChanged: [false, {}],
    StatusChanged: [false, { status: { bindingPhase: 'Bound' } }],
    'IgnoredAnnotationsChanged: a creation begins': [false, annotated('external-create-pending')],
    'IgnoredAnnotationsChanged: a creation failed': [false, annotated('external-create-failed')],
    'IgnoredAnnotationsChanged: a creation begins again': [
      false,
      annotated('external-create-pending', '2026-01-02T03:05:00Z'),
      annotated('external-create-pending'),
    ],
    'an administrator removes the mark of a creation': [true, {}, annotated('external-create-pending')],
    'the result of a creation is still unknown': [false, waiting, annotated('external-create-pending')],
    'AnnotationsChanged: one more': [true, annotated('external-name', 'x')],
    'AnnotationsChanged: one less': [true, {}, annotated('paused', 'true')],
    'LabelsChanged: one more': [true, { labels: { team: 'shop' } }],
    'LabelsChanged: another value': [true, { labels: { team: 'blog' } }, { labels: { team: 'shop' } }],
    'empty annotations and labels are the same as none': [false, { annotations: {}, labels: {} }],
    'a user removes our finalizer': [true, {}, { finalizers }],
    'the resource gets our finalizer': [false, { finalizers }],
    'a user removes another finalizer': [
      false,
      { finalizers },
      { finalizers: [...finalizers, 'example.org/hold'] },
    ],
    GenerationChanged: [true, { generation: 3 }],
    'the resource is being deleted': [true, { deletionTimestamp }],
  };
  for (const [name, [wakes, to, from = {}]] of Object.entries(rows)) {
    test(name, () => {
      const change = { type: 'modified', previous: managed({}, from), object: managed({}, to) } as const;
      assert.equal(isDesiredStateChanged(change), wakes);
    });
  }
  test('a new resource wakes the managed reconciler, and a deleted one does not', () => {
    assert.equal(isDesiredStateChanged({ type: 'added', object: managed() }), true);
    assert.equal(isDesiredStateChanged({ type: 'deleted', object: managed() }), false);
  });
});

describe('the changes of a connection Secret that wake the managed reconciler', () => {
  const noteKey = 'crossplane.io/credential';
  const secret = (over: Pick<Secret, 'data'> & { readonly metadata?: Partial<ObjectMeta> } = {}): Secret => ({
    apiVersion: 'v1',
    kind: 'Secret',
    data: { password: 'cGFzc3dvcmQ=' },
    ...over,
    metadata: { name: 'db', annotations: { [noteKey]: '{"noteKey":"a2V5"}' }, ...over.metadata },
  });
  const rows: Readonly<Record<string, readonly [wakes: boolean, to: Secret]>> = {
    'an entry is edited': [true, secret({ data: { password: 'ZWRpdGVk' } })],
    'an entry is removed': [true, secret({ data: {} })],
    'an entry is added': [false, secret({ data: { password: 'cGFzc3dvcmQ=', mine: 'YQ==' } })],
    'its note is edited': [true, secret({ metadata: { annotations: { [noteKey]: '{}' } } })],
    'its note is removed': [true, secret({ metadata: { annotations: {} } })],
    'another object controls it': [
      true,
      secret({ metadata: { ownerReferences: [controllerReference(managed())] } }),
    ],
    'it is labelled': [false, secret({ metadata: { labels: { team: 'a' } } })],
    'another annotation is written': [
      false,
      secret({ metadata: { annotations: { [noteKey]: '{"noteKey":"a2V5"}', team: 'a' } } }),
    ],
  };
  for (const [name, [wakes, to]] of Object.entries(rows)) {
    test(name, () =>
      assert.equal(isSecretChanged({ type: 'modified', previous: secret(), object: to }), wakes),
    );
  }
  test('it is deleted', () => assert.equal(isSecretChanged({ type: 'deleted', object: secret() }), true));
});
