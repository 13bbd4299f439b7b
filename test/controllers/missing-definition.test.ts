import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { ClaimService } from '../../controllers/claim-service.ts';
import type { ManagedService } from '../../controllers/managed/setup.ts';
import type { Stack } from '../../controllers/stack.ts';
import { stackControllers } from '../../controllers/stack.ts';
import { FakeCluster } from './cluster-fake.ts';
import { FakeProcess } from './environment-fake.ts';
import { FakeExternal, managedService, providerConfigKind, providerKind } from './external-fake.ts';
import {
  claim,
  claimKind,
  classKind,
  classRef,
  managed,
  managedKind,
  otherClassKind,
  otherManagedKind,
  otherService,
  resourceClass,
  service,
} from './objects.ts';

const otherKind = { group: 'ocp.crossplane.io', version: 'v1alpha1' };
const otherProviderKind: Kind<Provider> = { ...providerKind, ...otherKind };
const otherProviderConfigKind: Kind<ProviderConfig> = { ...providerConfigKind, ...otherKind };
const plainClaimKind: Kind<Claim> = { ...claimKind, kind: 'PlainSQLInstance', plural: 'plainsqlinstances' };
const fitting = { labels: { size: 'small' } };
const wanting = { classSelector: { matchLabels: { size: 'small' } } };
const template = { writeConnectionSecretsToNamespace: 'system', reclaimPolicy: 'Delete' as const };
const key = { namespace: 'team', name: 'orders' };

describe('a definition that is missing', () => {
  let cluster: FakeCluster;
  let external: FakeExternal;
  let others: FakeExternal;
  beforeEach(() => {
    cluster = new FakeCluster();
    external = new FakeExternal();
    others = new FakeExternal();
    cluster.put(claimKind, claim(wanting));
  });

  const providers = { provider: otherProviderKind, providerConfig: otherProviderConfigKind };
  const process = (
    claimService: ClaimService = otherService,
    over: Partial<ManagedService> = {},
  ): FakeProcess => {
    const stacks: readonly Stack[] = [
      {
        name: 'ocp',
        managed: () => [managedService(others, { kind: otherManagedKind, providers })],
        claims: [claimService],
      },
      { name: 'fcp', managed: () => [{ ...managedService(external), ...over }], claims: [service] },
    ];
    return new FakeProcess(cluster, (env) => stackControllers(env, stacks));
  };
  const phase = (name = 'orders') => cluster.get(claimKind, { ...key, name })?.status?.bindingPhase;
  const ready = (name = 'orders') =>
    getCondition(cluster.get(claimKind, { ...key, name })?.status?.conditions, 'Ready');
  const ourClass = () => cluster.put(classKind, resourceClass('ours', fitting, { specTemplate: template }));
  const theirClass = () => {
    const given = { kind: otherClassKind, specTemplate: template };
    cluster.put(otherClassKind, resourceClass('theirs', fitting, given));
  };
  const elsewhere = claim({ classRef: classRef('theirs', otherClassKind) }, { name: 'elsewhere', uid: 'u2' });

  for (const kind of [otherClassKind, otherManagedKind]) {
    test(`${kind.kind}: the other stack works once the absence is certain, and not before`, async () => {
      cluster.withdraw(kind);
      ourClass();
      const both = process();
      await both.settle(29_000);
      assert.deepEqual([phase(), cluster.writeNames, both.reportedOfStacks], [undefined, [], []]);
      await both.settle(10_000);
      assert.deepEqual([phase(), external.resources.size], ['Bound', 1]);
      await both.settle(600_000);
      assert.deepEqual([both.reportedOfStacks, both.errors], [['warn ocp: this stack waits'], []]);
    });
  }

  test('a definition that only the other stack needs: no controller chooses without it either, until the absence is certain', async () => {
    cluster.withdraw(otherProviderConfigKind);
    ourClass();
    theirClass();
    const both = process();
    await both.settle(29_000);
    assert.deepEqual([phase(), cluster.writeNames], [undefined, []]);
    await both.settle(10_000);
    assert.deepEqual([phase(), external.resources.size], ['Bound', 1]);
  });

  test('a kind that the API server serves, or does not report, is not treated as absent', async () => {
    cluster.withdraw(otherManagedKind, { isDenied: false });
    ourClass();
    const both = await process().settle(600_000);
    assert.deepEqual([phase(), cluster.writeNames, both.reportedOfStacks], [undefined, [], []]);
  });

  test('a stack that shares no kind with the waiting one works at once', async () => {
    cluster.withdraw(otherManagedKind);
    ourClass();
    await process({ ...otherService, claim: plainClaimKind }).settle(1000);
    assert.equal(phase(), 'Bound');
  });

  test('the working stack reports instead, and names the kinds that it knows', async () => {
    cluster.withdraw(otherClassKind);
    cluster.put(claimKind, elsewhere);
    await process().settle(40_000);
    assert.deepEqual([ready().reason, ready('elsewhere').reason], ['NoMatchingClass', 'UnknownKind']);
    assert.match(ready().message ?? '', /\(matching: FavouriteDBInstanceClass 0 of 0\)$/);
    assert.match(ready('elsewhere').message ?? '', /name one of: FavouriteDBInstanceClass/);
  });

  test('the waiting stack begins when the definition appears, serves the claims that waited and reports again', async () => {
    cluster.withdraw(otherClassKind);
    cluster.put(claimKind, elsewhere);
    const both = await process().settle(40_000);
    cluster.serve(otherClassKind);
    theirClass();
    await both.settle(10_000);
    assert.deepEqual([phase(), phase('elsewhere')], ['Bound', 'Bound']);
    assert.equal(others.resources.size, 2);
    assert.deepEqual(both.reportedOfStacks, [
      'warn ocp: this stack waits',
      'info ocp: the API server has all kinds of this stack',
    ]);
    const huge = { classSelector: { matchLabels: { size: 'huge' } } };
    cluster.put(claimKind, claim(huge, { name: 'vain', uid: 'u3' }));
    await both.settle(3000);
    const message = ready('vain').message ?? '';
    assert.match(message, /\(matching: AmbivalentDBInstanceClass 0 of 1, FavouriteDBInstanceClass 0 of 0\)$/);
    assert.deepEqual(both.errors, []);
  });

  test('both stacks wait for the definition of the claim kind that they share', async () => {
    cluster.withdraw(claimKind);
    ourClass();
    const both = await process().settle(40_000);
    assert.deepEqual(cluster.writeNames, []);
    assert.deepEqual(both.reportedOfStacks, ['warn ocp: this stack waits', 'warn fcp: this stack waits']);
    cluster.serve(claimKind);
    await both.settle(10_000);
    assert.equal(phase(), 'Bound');
  });

  test('without the definition of a referenced kind, the referrer works and waits for the referenced object', async () => {
    cluster.withdraw(otherManagedKind);
    cluster.put(managedKind, managed({ forProvider: { networkRef: { name: 'net' } } }));
    const reference = { field: 'networkId', ref: 'networkRef', selector: 'networkSelector' };
    const references = [{ ...reference, to: otherManagedKind }];
    const both = process({ ...otherService, claim: plainClaimKind }, { references });
    await both.settle(29_000);
    assert.equal(external.calls.length, 0);
    await both.settle(11_000);
    const { message } = getCondition(cluster.get(managedKind, { name: 'db' })?.status?.conditions, 'Synced');
    assert.match(message ?? '', /AmbivalentDBInstance net/);
    assert.equal(external.resources.size, 0);
  });

  describe('a definition that is missing after a restart', () => {
    beforeEach(async () => {
      theirClass();
      const former = await process().settle(10_000);
      assert.deepEqual([phase(), others.resources.size], ['Bound', 1]);
      former.stop();
      cluster.takeWrites();
      for (const kind of [otherManagedKind, otherClassKind]) cluster.withdraw(kind);
    });

    test('a deleted claim keeps its resource, and ends when the kind is back', async () => {
      cluster.delete(claimKind, key);
      const both = await process().settle(60_000);
      assert.deepEqual([cluster.takeWrites(), phase(), others.resources.size], [[], 'Bound', 1]);
      for (const kind of [otherManagedKind, otherClassKind]) cluster.serve(kind);
      await both.settle(60_000);
      assert.deepEqual([cluster.get(claimKind, key), others.resources.size], [undefined, 0]);
      assert.deepEqual(both.errors, []);
    });
  });

  describe('a definition that disappears while its stack works', () => {
    test('claims and their resources do not count as deleted until the definition is back', async () => {
      theirClass();
      const both = await process().settle(10_000);
      assert.deepEqual([phase(), others.resources.size], ['Bound', 1]);
      const before = cluster.get(claimKind, key);
      cluster.takeWrites();
      for (const kind of [otherManagedKind, otherClassKind, otherProviderConfigKind]) cluster.withdraw(kind);
      await both.settle(600_000);
      assert.deepEqual([cluster.takeWrites(), cluster.get(claimKind, key)], [[], before]);
      assert.equal(others.resources.size, 1);
      assert.deepEqual(both.reportedOfStacks, ['warn ocp: the API server no longer has these kinds']);

      for (const kind of [otherManagedKind, otherClassKind, otherProviderConfigKind]) cluster.serve(kind);
      await both.settle(60_000);
      assert.deepEqual([cluster.takeWrites(), phase(), others.resources.size], [[], 'Bound', 1]);
    });
  });
});
