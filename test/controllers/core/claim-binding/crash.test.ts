import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available, creating, getCondition } from '../../../../apis/core/v1alpha1/condition.ts';
import { decodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { provisionedManaged } from '../../../../controllers/core/claim-binding/provision.ts';
import { seededRandom } from '../../../../runtime/time/random.ts';
import { conflict, FakeCluster } from '../cluster-fake.ts';
import type { FakeProcess } from '../environment-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import { claim, claimKind, classKind, classRef, managedKind, resourceClass, service } from '../objects.ts';

const key = { namespace: 'team', name: 'orders' };
const targetKey = { namespace: 'team', name: 'conn' };
const wants = { writeConnectionSecretToRef: { name: 'conn' } };
const byClass = { ...wants, classRef: classRef('small') };
const bySelector = { ...wants, classSelector: { matchLabels: { size: 'small' } } };

function worldOf(spec: typeof byClass | typeof bySelector = byClass) {
  const cluster = new FakeCluster();
  const specTemplate = { writeConnectionSecretsToNamespace: 'system' };
  cluster.put(classKind, resourceClass('small', { labels: { size: 'small' } }, { specTemplate }));
  cluster.put(claimKind, claim(spec));
  return { cluster, external: new FakeExternal() };
}

/** Exactly one of everything, bound, ready and with every connection detail. */
function assertProvisioned(cluster: FakeCluster, external: FakeExternal): void {
  const bound = cluster.get(claimKind, key);
  const all = cluster.all(managedKind);
  assert.equal(all.length, 1, 'managed resources');
  assert.equal(external.things.size, 1, 'external resources');
  assert.equal(external.made, 1, 'external creations');
  assert.equal(bound?.status?.bindingPhase, 'Bound');
  assert.equal(getCondition(bound.status.conditions, 'Ready').status, 'True');
  assert.equal(all[0]?.status?.bindingPhase, 'Bound');
  assert.equal(bound.spec.resourceRef?.name, all[0].metadata.name);
  assert.equal(all[0].spec.claimRef?.uid, bound.metadata.uid);
  const [thing] = external.things.values();
  assert.ok(thing?.password);
  assert.deepEqual(decodeDetails(cluster.get(SecretKind, targetKey)), {
    endpoint: `${thing.name}.example`,
    password: thing.password,
  });
}

async function assertQuiet(cluster: FakeCluster, process: FakeProcess): Promise<void> {
  cluster.takeWrites();
  process.resync(claimKind, managedKind, SecretKind);
  await process.settle(70_000); // a poll included
  assert.deepEqual(cluster.takeWrites(), [], 'a second pass writes nothing');
}

/** How many steps (writes and external calls) the whole takes when nothing goes wrong. */
async function stepsOf(spec: typeof byClass | typeof bySelector): Promise<number> {
  const { cluster, external } = worldOf(spec);
  const budget = 1_000;
  cluster.stepsLeft = budget;
  const process = await startStack(cluster, external).settle();
  assertProvisioned(cluster, external);
  process.stop();
  return budget - cluster.stepsLeft;
}

describe('writes of a claim, from creation to Bound with its secret', () => {
  const expected = [
    'update FancySQLInstance team/orders', // finalizer, external name, name of the managed resource
    'create FavouriteDBInstance',
    'update FavouriteDBInstance', // its finalizer, once its provider was reached
    'create Secret system/claim-uid',
    'updateStatus FavouriteDBInstance', // Synced, Ready, Unbound
    'create Secret team/conn',
    'updateStatus FavouriteDBInstance', // Bound
    'updateStatus FancySQLInstance team/orders',
  ];
  const withoutName = (write: string) => write.replace(/ team-orders-\w{5}$/, '');
  const rows = {
    'at most 8 for a claim with a class': { spec: byClass, expected },
    'at most 9 for a claim with a selector': {
      spec: bySelector,
      expected: ['update FancySQLInstance team/orders', ...expected],
    },
  };
  for (const [name, row] of Object.entries(rows)) {
    test(name, async () => {
      const { cluster, external } = worldOf(row.spec);
      const process = await startStack(cluster, external).settle();
      assert.deepEqual(cluster.takeWrites().map(withoutName), row.expected);
      assert.deepEqual([process.errors, process.conflicts], [[], 0]);
      await assertQuiet(cluster, process);
    });
  }

  test('one more while the external system takes its time, however long', async () => {
    const { cluster, external } = worldOf();
    external.ready = creating();
    const process = await startStack(cluster, external).settle(300_000);
    assert.equal(cluster.get(claimKind, key)?.status?.bindingPhase, 'Unbound');
    external.ready = available();
    await process.settle(300_000);
    assertProvisioned(cluster, external);
    // The managed resource says Creating, and the claim passes that on.
    assert.equal(cluster.takeWrites().length, expected.length + 2);
  });
});

describe('restart is free', () => {
  test('100 bound claims: a restart writes nothing', async () => {
    const { cluster, external } = worldOf();
    for (let i = 0; i < 99; i += 1) {
      const metadata = { name: `c${i}`, uid: `c${i}` };
      cluster.put(claimKind, claim({ ...byClass, writeConnectionSecretToRef: { name: `s${i}` } }, metadata));
    }
    const process = await startStack(cluster, external).settle();
    const bound = cluster.all(claimKind).filter(({ status }) => status?.bindingPhase === 'Bound');
    assert.equal(bound.length, 100);
    process.stop();
    cluster.takeWrites();
    const again = await startStack(cluster, external).settle(70_000);
    assert.deepEqual([cluster.takeWrites(), again.events, again.errors], [[], [], []]);
  });
});

for (const [name, spec] of Object.entries({ classRef: byClass, selector: bySelector })) {
  const steps = await stepsOf(spec);
  describe(`H4: a crash at any point of provisioning by ${name} ends with exactly one`, () => {
    test('every write and creation is a point to crash at', () =>
      assert.equal(steps, name === 'selector' ? 10 : 9));
    for (let k = 1; k <= steps; k += 1) {
      test(`H4: after step ${k} of ${steps}`, async () => {
        const { cluster, external } = worldOf(spec);
        cluster.stepsLeft = k;
        const first = await startStack(cluster, external).settle();
        assert.ok(first.hasCrashed);
        cluster.stepsLeft = Number.POSITIVE_INFINITY;
        const second = await startStack(cluster, external).settle();
        assertProvisioned(cluster, external);
        assert.deepEqual(second.errors, []);
        await assertQuiet(cluster, second);
      });
    }

    test('H4: and at any two', async () => {
      for (let k = 1; k <= steps; k += 1) {
        for (let l = 1; l <= steps; l += 1) {
          const { cluster, external } = worldOf(spec);
          for (const stepsLeft of [k, l, Number.POSITIVE_INFINITY]) {
            cluster.stepsLeft = stepsLeft;
            const process = await startStack(cluster, external).settle();
            process.stop();
          }
          assertProvisioned(cluster, external);
        }
      }
    });
  });
}

describe('H4: neither order nor staleness makes a second one', () => {
  test('whatever order the controllers run in', async () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const { cluster, external } = worldOf(bySelector);
      const process = await startStack(cluster, external, { latency: seededRandom(seed) }).settle();
      assertProvisioned(cluster, external);
      assert.deepEqual(process.errors, [], `seed ${seed}`);
      await assertQuiet(cluster, process);
    }
  });

  test('two processes at once (a leader that does not know it has lost)', async () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const { cluster, external } = worldOf(bySelector);
      const random = seededRandom(seed);
      const both = [
        startStack(cluster, external, { latency: random }),
        startStack(cluster, external, { latency: random }),
      ];
      for (let turn = 0; turn < 200; turn += 1) await both[random() < 0.5 ? 0 : 1]?.settle(0);
      for (const process of both) await process.settle();
      assertProvisioned(cluster, external);
    }
  });

  test('AlreadyExists: what the same claim created meanwhile is adopted, without a word', async () => {
    const { cluster, external } = worldOf();
    const process = startStack(cluster, external);
    process.hold(managedKind);
    let isCreated = false;
    cluster.before('create', managedKind, () => {
      const recorded = cluster.get(claimKind, key);
      const theClass = cluster.get(classKind, { name: 'small' });
      assert.ok(recorded !== undefined && theClass !== undefined);
      cluster.put(managedKind, provisionedManaged(service, recorded, theClass));
      isCreated = true;
    });
    await process.settle();
    process.release(managedKind);
    await process.settle();
    assert.ok(isCreated);
    assertProvisioned(cluster, external);
    assert.deepEqual(
      process.events.filter(({ type }) => type === 'Warning'),
      [],
    );
  });

  test('a claim read stale creates nothing', async () => {
    const { cluster, external } = worldOf();
    const stale = startStack(cluster, external);
    stale.hold(claimKind);
    const fresh = await startStack(cluster, external).settle();
    fresh.stop();
    await stale.settle(500);
    assert.equal(cluster.all(managedKind).length, 1);
    stale.release(claimKind);
    await stale.settle();
    assertProvisioned(cluster, external);
  });

  // A provisioned secret consents from the start; that of a static resource is tried in reconciler.test.ts (H13).
  test('each write meets a conflict once', async () => {
    const writes = [
      ['update', claimKind],
      ['update', managedKind],
      ['updateStatus', claimKind],
      ['updateStatus', managedKind],
      ['create', SecretKind],
    ] as const;
    for (const [verb, kind] of writes) {
      const { cluster, external } = worldOf();
      let met = 0;
      cluster.before(verb, kind, () => {
        met += 1;
        throw conflict();
      });
      const process = await startStack(cluster, external).settle();
      assert.equal(met, 1, `${verb} ${kind.kind}`);
      assertProvisioned(cluster, external);
      const claimed = cluster.get(claimKind, key);
      assert.equal(getCondition(claimed?.status?.conditions, 'Synced').status, 'True');
      assert.deepEqual(process.errors, []);
    }
  });

  test('a crash at any point of deletion leaves nothing behind', async () => {
    for (let k = 1; ; k += 1) {
      const { cluster, external } = worldOf();
      const first = await startStack(cluster, external).settle();
      cluster.delete(claimKind, key);
      cluster.stepsLeft = k;
      await first.settle();
      const hasCrashed = first.hasCrashed;
      first.stop();
      cluster.stepsLeft = Number.POSITIVE_INFINITY;
      await startStack(cluster, external).settle();
      assert.deepEqual(
        [cluster.all(claimKind), cluster.all(managedKind), cluster.all(SecretKind), [...external.things]],
        [[], [], [], []],
        `after step ${k}`,
      );
      if (!hasCrashed) {
        assert.equal(k, 7, 'every write and deletion is a point to crash at');
        return;
      }
    }
  });
});
