import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../../apis/core/v1alpha1/meta.ts';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import { propagationTargets, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import type { Verb } from '../cluster-fake.ts';
import { FakeCluster, forbidden } from '../cluster-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import {
  claim,
  claimKind,
  classKind,
  classRef,
  managed,
  managedKind,
  resourceClass,
  resourceRef,
} from '../objects.ts';

/* Only a claim that was Bound reclaims. Until then a resource made by hand is reserved, and no more. */

const key = { namespace: 'team', name: 'orders' };
const db = { name: 'db' };
const sourceKey = { namespace: 'system', name: 'src' };
const targetKey = { namespace: 'team', name: 'conn' };
const conn = { writeConnectionSecretToRef: { name: 'conn' } };
const byName = claim({ ...conn, resourceRef: resourceRef('db') });
/** A secret of the name that the claim wants, which is nobody's business but its owner's. */
const foreign: Secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: targetKey,
  data: {},
};

/** A resource made by hand, ready to be bound, and what a claim may not change for good. */
async function handMade(spec: Managed['spec']) {
  const cluster = new FakeCluster();
  const labels = { made: 'by-hand' };
  const annotations = { note: 'kept' };
  cluster.put(
    managedKind,
    managed({ writeConnectionSecretToRef: sourceKey, ...spec }, { labels, annotations }),
  );
  const external = new FakeExternal();
  const process = await startStack(cluster, external).settle();
  const state = () => {
    const found = cluster.get(managedKind, db);
    const source = cluster.get(SecretKind, sourceKey);
    return {
      phase: found?.status?.bindingPhase,
      spec: found?.spec,
      labels: found?.metadata.labels,
      annotations: found?.metadata.annotations,
      consent: source?.metadata.annotations ?? {},
    };
  };
  const before = state();
  assert.equal(before.phase, 'Unbound');
  cluster.takeWrites();
  return { cluster, external, process, state, before };
}

function refuse(cluster: FakeCluster, verb: Verb): void {
  cluster.gate = (call) => {
    if (call.verb === verb && call.kind === 'Secret') throw forbidden();
  };
}

async function assertBindable(cluster: FakeCluster, external: FakeExternal): Promise<void> {
  const next = { namespace: 'others', name: 'next' };
  cluster.put(claimKind, claim(byName.spec, { ...next, uid: 'next-uid' }));
  const process = await startStack(cluster, external).settle();
  process.stop();
  assert.equal(cluster.get(claimKind, next)?.status?.bindingPhase, 'Bound', 'the next claim binds it');
  assert.ok(cluster.get(SecretKind, { namespace: 'others', name: 'conn' }));
}

const policies: Record<string, Managed['spec']> = {
  Delete: { reclaimPolicy: 'Delete' },
  Retain: { reclaimPolicy: 'Retain' },
  'no policy': {},
};

for (const [policy, spec] of Object.entries(policies)) {
  describe(`a claim that never bound the resource it named (${policy})`, () => {
    const obstacles: Record<string, (cluster: FakeCluster) => void> = {
      'a secret of that name that is not ours': (cluster) => cluster.put(SecretKind, foreign),
      'its secret may not be written': (cluster) => refuse(cluster, 'create'),
      'consent may not be written': (cluster) => refuse(cluster, 'update'),
    };
    for (const [what, obstruct] of Object.entries(obstacles)) {
      test(`${what}: deleted, it leaves the resource as it found it`, async () => {
        const { cluster, external, process, state, before } = await handMade(spec);
        obstruct(cluster);
        cluster.put(claimKind, byName);
        await process.settle(500);
        assert.equal(cluster.get(managedKind, db)?.spec.claimRef?.uid, 'claim-uid', 'it was reserved');
        assert.notEqual(cluster.get(claimKind, key)?.status?.bindingPhase, 'Bound');
        cluster.gate = () => {};
        cluster.delete(claimKind, key);
        await process.settle();
        assert.equal(cluster.get(claimKind, key), undefined);
        assert.deepEqual(state(), before);
        assert.equal(external.made, 1);
        assert.deepEqual([...external.things.keys()], ['db']);
        process.stop();
        await assertBindable(cluster, external);
      });
    }

    test('deleted with its secret, which it had before it was Bound: the next one finds no details that it has read', async () => {
      const { cluster, external, process, state, before } = await handMade(spec);
      cluster.gate = ({ verb, kind }) => {
        if (verb === 'updateStatus' && kind === managedKind.kind) throw forbidden();
      };
      cluster.put(claimKind, byName);
      await process.settle(500);
      assert.ok(cluster.get(SecretKind, targetKey), 'it was handed over');
      assert.notEqual(cluster.get(claimKind, key)?.status?.bindingPhase, 'Bound');
      cluster.delete(claimKind, key);
      cluster.delete(SecretKind, targetKey);
      cluster.gate = () => {};
      await process.settle();
      process.stop();
      assert.equal(cluster.get(claimKind, key), undefined);
      assert.deepEqual(state(), handedOver(before));
      assert.deepEqual([...external.things.keys()], ['db']);
    });

    test('a secret of another namespace that says it is controlled by the claim changes nothing', async () => {
      const { cluster, external, process, state, before } = await handMade(spec);
      const forged: Secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        type: connectionSecretType,
        metadata: { namespace: 'strangers', name: 'forged', ownerReferences: [controllerReference(byName)] },
        data: { password: 'eA==' },
      };
      cluster.put(SecretKind, forged);
      refuse(cluster, 'create');
      cluster.put(claimKind, byName);
      await process.settle(500);
      assert.equal(cluster.get(managedKind, db)?.spec.claimRef?.uid, 'claim-uid', 'it was reserved');
      cluster.gate = () => {};
      cluster.delete(claimKind, key);
      await process.settle();
      assert.equal(cluster.get(claimKind, key), undefined);
      assert.deepEqual(state(), before, 'given back, not Released: the claim never had a secret');
      assert.ok(cluster.get(SecretKind, forged.metadata), "a stranger's secret stays");
      process.stop();
      await assertBindable(cluster, external);
    });

    test('killed after any write and then deleted: what was Bound is reclaimed, all else is as it was', async () => {
      const seen = new Set<string>();
      for (let k = 1; ; k += 1) {
        const { cluster, external, process, state, before } = await handMade(spec);
        cluster.put(claimKind, byName);
        cluster.stepsLeft = k;
        await process.settle();
        process.stop();
        const { hasCrashed } = process;
        cluster.stepsLeft = Number.POSITIVE_INFINITY;
        const wasBound = state().phase === 'Bound';
        const wasHandedOver = isMarked(cluster);
        if (cluster.get(SecretKind, targetKey) !== undefined) assert.ok(wasHandedOver, `after write ${k}`);
        cluster.delete(claimKind, key);
        const second = await startStack(cluster, external).settle();
        second.stop();
        assert.deepEqual(second.errors, []);
        assert.equal(cluster.get(claimKind, key), undefined);
        assert.equal(cluster.get(SecretKind, targetKey), undefined);
        const source = cluster.get(SecretKind, sourceKey);
        assert.deepEqual(source === undefined ? [] : propagationTargets(source), []);
        if (wasBound && spec.reclaimPolicy === 'Delete') {
          seen.add('deleted');
          assert.deepEqual([cluster.all(managedKind), [...external.things]], [[], []], `after write ${k}`);
        } else if (wasBound || wasHandedOver) {
          seen.add(wasBound ? 'released' : 'handed over');
          assert.deepEqual(state(), handedOver(before), `after write ${k}`);
        } else {
          seen.add('free');
          assert.deepEqual(state(), before, `after write ${k}`);
          await assertBindable(cluster, external);
        }
        if (!hasCrashed) break;
      }
      const end = spec.reclaimPolicy === 'Delete' ? 'deleted' : 'released';
      assert.deepEqual([...seen].toSorted(), ['free', 'handed over', end].toSorted());
    });

    test('and its going, too, may be cut off after any write', async () => {
      for (let k = 1; ; k += 1) {
        const { cluster, external, process, state, before } = await handMade(spec);
        cluster.put(SecretKind, foreign);
        cluster.put(claimKind, byName);
        await process.settle(500);
        cluster.delete(claimKind, key);
        cluster.stepsLeft = k;
        await process.settle();
        process.stop();
        cluster.stepsLeft = Number.POSITIVE_INFINITY;
        const second = await startStack(cluster, external).settle();
        second.stop();
        assert.deepEqual(state(), before, `after write ${k}`);
        assert.equal(cluster.get(claimKind, key), undefined);
        if (!process.hasCrashed) return;
      }
    });
  });
}

/** Once it was handed over it keeps the record of what was asked for, by which a restored one is known to be somebody's. */
const handedOver = <
  S extends {
    readonly annotations?: Readonly<Record<string, string>> | undefined;
    readonly consent: Readonly<Record<string, string>>;
  },
>(
  state: S,
) => ({
  ...state,
  phase: 'Released',
  annotations: { ...state.annotations, 'crossplane.io/claim-parameters': '{}' },
  consent: { ...state.consent, 'crossplane.io/handed-to': 'claim-uid' },
});

const isMarked = (cluster: FakeCluster): boolean =>
  cluster.get(SecretKind, sourceKey)?.metadata.annotations?.['crossplane.io/handed-to'] === 'claim-uid';

describe('a claim that was given a secret which somebody deletes while nobody runs', () => {
  /** The process is killed right after the copy was made. */
  async function given(type?: string) {
    const world = await handMade({ reclaimPolicy: 'Delete' });
    const { cluster, process } = world;
    if (type !== undefined) cluster.edit<Secret>(SecretKind, sourceKey, (source) => ({ ...source, type }));
    cluster.gate = ({ verb, kind }) => {
      if (verb === 'updateStatus' && kind === managedKind.kind) throw forbidden();
    };
    cluster.put(claimKind, byName);
    await process.settle(500);
    process.stop();
    cluster.gate = () => {};
    assert.ok(cluster.get(SecretKind, targetKey), 'it was handed over');
    assert.equal(world.state().phase, 'Unbound');
    cluster.delete(SecretKind, targetKey);
    return { ...world, before: handedOver(world.before) };
  }

  const endings: Record<string, (cluster: FakeCluster) => void> = {
    'is deleted': (cluster) => cluster.delete(claimKind, key),
    vanishes: (cluster) => {
      cluster.edit<Claim>(claimKind, key, (found) => ({
        ...found,
        metadata: { ...found.metadata, finalizers: [] },
      }));
      cluster.delete(claimKind, key);
    },
  };
  for (const [end, go] of Object.entries(endings))
    describe(end, () =>
      test('the password is known, wherever its release is cut off', async () => {
        for (let k = 1; ; k += 1) {
          const { cluster, external, state, before } = await given();
          go(cluster);
          cluster.stepsLeft = k;
          const cut = await startStack(cluster, external).settle();
          cut.stop();
          cluster.stepsLeft = Number.POSITIVE_INFINITY;
          const last = await startStack(cluster, external).settle();
          last.stop();
          assert.equal(cluster.get(claimKind, key), undefined);
          assert.deepEqual(state(), before, `after write ${k}`);
          if (!cut.hasCrashed) return;
        }
      }),
    );

  test('so it is where the store does not hold the source, which has another type', async () => {
    const { cluster, external, state, before } = await given('Opaque');
    cluster.delete(claimKind, key);
    const process = await startStack(cluster, external).settle();
    process.stop();
    assert.deepEqual(state(), before);
  });
});

describe('a claim that met a taken name', () => {
  test('in a former process, which may have given it the secret: its resource has to be offered again', async () => {
    const { cluster, external, process, state, before } = await handMade({});
    cluster.put(SecretKind, foreign);
    cluster.put(claimKind, byName);
    await process.settle(500);
    process.stop();
    const next = await startStack(cluster, external).settle(500);
    cluster.delete(claimKind, key);
    await next.settle();
    next.stop();
    assert.deepEqual(state(), handedOver(before));
  });
});

test('who takes the place of one that was never given anything is on record alone', async () => {
  const { cluster, process } = await handMade({});
  cluster.put(SecretKind, foreign);
  cluster.put(claimKind, byName);
  await process.settle(500);
  assert.ok(isMarked(cluster));
  cluster.delete(claimKind, key);
  await process.settle();
  assert.ok(!isMarked(cluster), 'free again');
  const next = { namespace: 'others', name: 'next' };
  cluster.put(claimKind, claim(byName.spec, { ...next, uid: 'next-uid' }));
  await process.settle();
  process.stop();
  const marks = cluster
    .all<Secret>(SecretKind)
    .map(({ metadata: { name, annotations } }) => [name, annotations?.['crossplane.io/handed-to']]);
  assert.deepEqual(marks, [
    ['src', 'next-uid'],
    ['conn', undefined],
    ['conn', undefined],
  ]);
});

describe('a claim that is deleted while its resource is provisioned', () => {
  const dynamic = claim({ ...conn, classRef: classRef('small') });
  const worldOf = (reclaimPolicy: 'Delete' | 'Retain') => {
    const cluster = new FakeCluster();
    const specTemplate = { writeConnectionSecretsToNamespace: 'system', reclaimPolicy };
    cluster.put(classKind, resourceClass('small', {}, { specTemplate }));
    cluster.put(claimKind, dynamic);
    return { cluster, external: new FakeExternal() };
  };

  test('killed after any write: what it provisioned goes with it, bound or not', async () => {
    for (let k = 1; ; k += 1) {
      const { cluster, external } = worldOf('Delete');
      cluster.stepsLeft = k;
      const first = await startStack(cluster, external).settle();
      first.stop();
      cluster.stepsLeft = Number.POSITIVE_INFINITY;
      cluster.delete(claimKind, key);
      const second = await startStack(cluster, external).settle();
      assert.deepEqual(second.errors, []);
      assert.deepEqual(
        [cluster.all(claimKind), cluster.all(managedKind), cluster.all(SecretKind), [...external.things]],
        [[], [], [], []],
        `after write ${k}`,
      );
      if (!first.hasCrashed) return;
    }
  });

  test('Retain: what it provisioned is Released, bound or not, and speaks of it no more', async () => {
    for (let k = 1; ; k += 1) {
      const { cluster, external } = worldOf('Retain');
      cluster.stepsLeft = k;
      const first = await startStack(cluster, external).settle();
      first.stop();
      cluster.stepsLeft = Number.POSITIVE_INFINITY;
      cluster.delete(claimKind, key);
      await startStack(cluster, external).settle(120_000);
      assert.equal(cluster.get(claimKind, key), undefined);
      for (const { metadata, spec, status } of cluster.all(managedKind)) {
        assert.deepEqual([spec.claimRef, status?.bindingPhase], [undefined, 'Released'], `after write ${k}`);
        const annotations = Object.keys(metadata.annotations ?? {});
        assert.deepEqual(annotations, [
          'crossplane.io/external-name',
          'crossplane.io/claim-parameters',
          'crossplane.io/external-identity',
        ]);
      }
      if (!first.hasCrashed) return;
    }
  });

  test('what another claim took by name is not its own, whatever class it was made from', async () => {
    const { cluster, external } = worldOf('Retain');
    const process = await startStack(cluster, external).settle();
    cluster.delete(claimKind, key);
    await process.settle();
    const [left] = cluster.all(managedKind);
    assert.ok(left);
    const named = { name: left.metadata.name };
    cluster.edit<Managed>(managedKind, named, ({ metadata, spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, reclaimPolicy: 'Delete' },
      metadata: { ...metadata, annotations: { ...metadata.annotations, 'crossplane.io/reoffer': 'true' } },
    }));
    await process.settle(70_000);
    const second: Claim = claim({ ...conn, resourceRef: resourceRef(named.name) }, { uid: 'second-uid' });
    cluster.put(SecretKind, foreign);
    cluster.put(claimKind, second);
    await process.settle(500);
    assert.equal(cluster.get(managedKind, named)?.spec.claimRef?.uid, 'second-uid');
    cluster.delete(claimKind, key);
    await process.settle();
    assert.equal(cluster.get(managedKind, named)?.status?.bindingPhase, 'Unbound');
    assert.equal(cluster.get(managedKind, named)?.spec.claimRef, undefined);
  });
});
