import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { ObjectMeta } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedSpec, ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import { controllerReference } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { generatedPassword } from '../../../controllers/credential.ts';
import { requestsOfCreatedNamespaces } from '../../../controllers/managed/created-namespaces.ts';
import type { ManagedService } from '../../../controllers/managed/setup.ts';
import {
  isDesiredStateChanged,
  isSecretChanged,
  managedController,
} from '../../../controllers/managed/setup.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { FakeExternal, managedService } from '../external-fake.ts';
import { finalizers } from '../managed-scene.ts';
import { claimRef, deletionTimestamp, managed, managedKind, otherManagedKind, secretOf } from '../objects.ts';
import { wokenBy } from '../requests-of.ts';
import { FakeStores } from '../stores-fake.ts';

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
  const subscription = requestsOfCreatedNamespaces(process.env, store).subscribe(({ name }) =>
    woken.push(name),
  );
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
  interface Given {
    readonly namespace?: string;
    readonly isLeaving?: true;
    readonly isGone?: true;
  }
  async function wakes(want: readonly string[], controls?: Managed, given: Given = {}): Promise<void> {
    const { namespace = 'infra', isLeaving, isGone } = given;
    const cluster = new FakeCluster();
    cluster.put(managedKind, { ...owner, metadata: { ...owner.metadata, finalizers: ['example.org/hold'] } });
    if (isGone) cluster.set(managedKind, { name: 'owner' }, { metadata: { finalizers: [] } });
    if (isLeaving || isGone) cluster.delete(managedKind, { name: 'owner' }, deletionTimestamp);
    const ownerReferences = controls === undefined ? [] : [controllerReference(controls)];
    const secret = secretOf({ ...key, namespace, ownerReferences }, { type: connectionSecretType });
    cluster.put(SecretKind, { ...secret, data: { password: 'MQ==' } });
    const log = recordedLog();
    const process = new FakeProcess(cluster, undefined, { log });
    const { triggers } = managedController(process.env, managedService(new FakeExternal()));
    const change = () => cluster.put(SecretKind, { ...secret, data: { password: 'Mg==' } });
    assert.deepEqual(await wokenBy(process, triggers, change), want);
    const errors = log.lines.filter(({ level }) => level === 'error');
    assert.deepEqual(errors, []);
  }
  test('is the resource that controls it', () => wakes(['owner'], owner));
  test('is none if no object controls it', () => wakes([]));
  test('is not one of that name and another kind', () =>
    wakes([], { ...owner, apiVersion: 'database.ocp.crossplane.io/v1alpha1', kind: otherManagedKind.kind }));
  test('is not one that is unknown: its appearance wakes it', () => wakes([], owner, { isGone: true }));
  test('is not one that publishes to another place', () => wakes([], owner, { namespace: 'rogue' }));
  test('is not one that is being deleted', () => wakes([], owner, { isLeaving: true }));
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
  async function wakes(want: readonly string[], act: (cluster: FakeCluster) => unknown): Promise<void> {
    const cluster = new FakeCluster();
    for (const each of [holder, waiting, elsewhere]) cluster.put(managedKind, each);
    const finalizers = ['example.org/hold'];
    cluster.put(managedKind, { ...leaving, metadata: { ...leaving.metadata, finalizers } });
    cluster.delete(managedKind, { name: 'leaving' }, deletionTimestamp);
    cluster.put(SecretKind, ownedBy(holder));
    const process = new FakeProcess(cluster);
    const { triggers } = managedController(process.env, managedService(new FakeExternal()));
    const woken = await wokenBy(process, triggers, () => act(cluster));
    assert.deepEqual([...new Set(woken)].toSorted(), want);
  }
  test('when the Secret is deleted', () =>
    wakes(['holder', 'waiting'], (cluster) => cluster.delete(SecretKind, key, deletionTimestamp)));
  test('when the Secret loses its owner', () =>
    wakes(['holder', 'waiting'], (cluster) => cluster.put(SecretKind, ownedBy())));
  test('when the Secret gets another owner', () =>
    wakes(['holder'], (cluster) => cluster.put(SecretKind, ownedBy(waiting))));
  test("a change of the Secret's content does not wake the resource", () =>
    wakes(['holder'], (cluster) =>
      cluster.put(SecretKind, { ...ownedBy(holder), data: { password: 'Mg==' } }),
    ));
});

describe('the additions of a service', () => {
  const spec: ManagedSpec = { publishConnectionDetailsTo: { name: 'orders' }, forProvider: { size: 1 } };
  const synced = (cluster: FakeCluster): string => {
    const { conditions } = cluster.get(managedKind, { name: 'db' })?.status ?? {};
    const { status, message } = getCondition(conditions, 'Synced');
    return `${status} ${message}`;
  };

  test('with secret stores: details are published there, and changes there wake the resource', async () => {
    const secretStores = new FakeStores();
    const cluster = new FakeCluster();
    const { external, process } = keeping(cluster, {
      secretStores,
      secretDetails: { credential: generatedPassword },
    });
    cluster.put(managedKind, managed(spec));
    await process.settle(100);
    assert.match(synced(cluster), /^True/);
    const password = external.resources.get('db')?.password;
    const published = { endpoint: 'db.example', password, uri: `db://:${password}@db.example` };
    assert.deepEqual([secretStores.entries.get('orders')?.data, secretStores.reads], [published, 1]);
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

describe('the changes that wake the managed reconciler, or do not', () => {
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
  const wakes = (want: boolean, to: Metadata, from: Metadata = {}): void => {
    const change = { type: 'modified', previous: managed({}, from), object: managed({}, to) } as const;
    assert.equal(isDesiredStateChanged(change), want);
  };
  test('no change wakes nothing', () => wakes(false, {}));
  test('a change of the status wakes nothing', () => wakes(false, { status: { bindingPhase: 'Bound' } }));
  test('the begin of a creation wakes nothing', () => wakes(false, annotated('external-create-pending')));
  test('the failure of a creation wakes nothing', () => wakes(false, annotated('external-create-failed')));
  test('the begin of another creation wakes nothing', () =>
    wakes(
      false,
      annotated('external-create-pending', '2026-01-02T03:05:00Z'),
      annotated('external-create-pending'),
    ));
  test('an administrator removes the mark of a creation', () =>
    wakes(true, {}, annotated('external-create-pending')));
  test('the result of a creation is still unknown', () =>
    wakes(false, waiting, annotated('external-create-pending')));
  test('another annotation wakes it', () => wakes(true, annotated('external-name', 'x')));
  test('a removed annotation wakes it', () => wakes(true, {}, annotated('paused', 'true')));
  test('another label wakes it', () => wakes(true, { labels: { team: 'shop' } }));
  test('a changed label wakes it', () =>
    wakes(true, { labels: { team: 'blog' } }, { labels: { team: 'shop' } }));
  test('empty annotations and labels are the same as none', () =>
    wakes(false, { annotations: {}, labels: {} }));
  test('a user removes our finalizer', () => wakes(true, {}, { finalizers }));
  test('the resource gets our finalizer', () => wakes(false, { finalizers }));
  test('a user removes another finalizer', () =>
    wakes(false, { finalizers }, { finalizers: [...finalizers, 'example.org/hold'] }));
  test('another generation wakes it', () => wakes(true, { generation: 3 }));
  test('the resource is being deleted', () => wakes(true, { deletionTimestamp }));
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
  const isWoken = isSecretChanged((_secret, key) => key !== 'note');
  const wakes = (want: boolean, object: Secret, previous = secret()): void =>
    assert.equal(isWoken({ type: 'modified', previous, object }), want);
  const noted = (note: string) => secret({ data: { password: 'cGFzc3dvcmQ=', note } });
  test('an entry is edited', () => wakes(true, secret({ data: { password: 'ZWRpdGVk' } })));
  test('an entry is removed', () => wakes(true, secret({ data: {} })));
  test('an entry is added', () => wakes(false, secret({ data: { password: 'cGFzc3dvcmQ=', mine: 'YQ==' } })));
  test('an entry that the controllers do not write is edited', () =>
    wakes(false, noted('Yg=='), noted('YQ==')));
  test('an entry that the controllers do not write is removed', () => wakes(false, secret(), noted('YQ==')));
  test('the note is edited', () => wakes(true, secret({ metadata: { annotations: { [noteKey]: '{}' } } })));
  test('the note is removed', () => wakes(true, secret({ metadata: { annotations: {} } })));
  test('another object controls it', () =>
    wakes(true, secret({ metadata: { ownerReferences: [controllerReference(managed())] } })));
  test('a label is written', () => wakes(false, secret({ metadata: { labels: { team: 'a' } } })));
  test('another annotation is written', () =>
    wakes(false, secret({ metadata: { annotations: { [noteKey]: '{"noteKey":"a2V5"}', team: 'a' } } })));
  test('the Secret is deleted', () => assert.equal(isWoken({ type: 'deleted', object: secret() }), true));
});
