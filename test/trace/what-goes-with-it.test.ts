import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderConfigKind } from '../../apis/fcp/v1alpha3/provider.ts';
import type { Fault } from '../../trace/model/trace.ts';
import { tracedIn } from './traced-objects.ts';
import { TracedWorld } from './traced-world.ts';

const resources = 'favouritedbinstances.database.fcp.crossplane.io';
const small = {
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstanceClass',
  name: 'favourite-small',
};

/** Of a fault all but its cause and place. */
const toldBy = (fault: Fault | undefined) => ({
  name: fault?.name,
  advice: fault?.advice,
  mend: fault?.mend,
});

/** A claim for what its class made, which takes long; somebody edits that meanwhile, so that it does not fit any more. */
async function unfit(world: TracedWorld, policies: object): Promise<ObjectKey> {
  world.edit(FavouriteDBInstanceClassKind, small, { specTemplate: { forProvider: { version: '1.0' } } });
  world.start();
  const key = world.claim('orders', { version: '1.0', classRef: small });
  await world.pass(3);
  const made = world.resourceOf(key);
  // As an API server that knows no rules lets him.
  const forProvider = { ...(made.spec.forProvider as object), version: '2.0' };
  world.cluster.put(FavouriteDBInstanceKind, {
    ...made,
    spec: { ...made.spec, ...policies, forProvider },
  } as never);
  await world.pass(3);
  return key;
}

describe('a claim is deleted by a command only if it has nothing; else it is said what goes with it', () => {
  const rows: Readonly<Record<string, readonly [policies: object, goes: string]>> = {
    'what was made for it, and the data in there': [
      { reclaimPolicy: 'Delete' },
      'Deleting this claim also deletes its resource FavouriteDBInstance NAME, and the external resource with its data.',
    ],
    'what was made for it, and not the data': [
      { reclaimPolicy: 'Delete', deletionPolicy: 'Orphan' },
      'Deleting this claim also deletes its resource FavouriteDBInstance NAME, and keeps the external resource.',
    ],
    'nothing of what is retained': [
      { reclaimPolicy: 'Retain' },
      'Deleting this claim keeps its resource FavouriteDBInstance NAME.',
    ],
  };
  for (const [name, [policies, goes]] of Object.entries(rows)) {
    test(name, async () => {
      const world = new TracedWorld({ provisioningMs: 3_600_000 });
      const key = await unfit(world, policies);
      const { fault } = await world.trace('fancysqlinstance', key);
      world.simulation.kill();
      assert.deepEqual(toldBy(fault), {
        name: 'incompatible',
        advice: `Create another claim, with another resource or version. ${goes.replace('NAME', world.resourceOf(key).metadata.name)}`,
        mend: [],
      });
    });
  }

  const ofUnknownKind = (spec: object): KubernetesObject =>
    ({
      apiVersion: 'database.crossplane.io/v1alpha1',
      kind: 'FancySQLInstance',
      metadata: { namespace: 'team-shop', name: 'orders', uid: 'u', generation: 1 },
      spec,
      status: { observedGeneration: 1 },
    }) as KubernetesObject;
  const gold = { apiVersion: 'example.org/v1', kind: 'Gold', name: 'orders' };
  const either = 'Run the stack that handles the kind (--stacks), or create another claim';
  const unknown: Readonly<Record<string, readonly [spec: object, advice: string, isDeleted: boolean]>> = {
    'nothing, of one that was given no resource yet': [
      { classRef: { ...gold, kind: 'GoldClass' } },
      `${either}, and delete this claim, which has no resource and no data:`,
      true,
    ],
    'what nobody here sees, of one that names a resource of a kind that is not known': [
      { resourceRef: gold },
      `${either}. You cannot read the resource of this claim. It may be deleted with the claim, with its data. Delete the claim only if it has no resource.`,
      false,
    ],
  };
  for (const [name, [spec, advice, isDeleted]] of Object.entries(unknown)) {
    test(name, async () => {
      const { fault } = await tracedIn([ofUnknownKind(spec)], ['fancysqlinstance', 'team-shop/orders']);
      assert.deepEqual(toldBy(fault), {
        name: 'unknown kind',
        advice,
        mend: isDeleted
          ? ['kubectl -n team-shop delete fancysqlinstances.database.crossplane.io orders']
          : [],
      });
    });
  }

  test('its secret, where class and resource of a bound one are gone', async () => {
    const world = new TracedWorld();
    world.start();
    const key = world.claim('orders', { classRef: small });
    await world.pass();
    for (const name of ['favourite-small', 'favourite-large'])
      world.cluster.remove(FavouriteDBInstanceClassKind, name);
    world.edit(FavouriteDBInstanceKind, world.resourceOf(key).metadata, {
      spec: { deletionPolicy: 'Orphan' },
    });
    world.cluster.delete(FavouriteDBInstanceKind, { name: world.resourceOf(key).metadata.name });
    await world.pass();
    const { fault } = await world.trace('fancysqlinstance', key);
    assert.notEqual(world.cluster.find(SecretKind, { ...key, name: 'orders-connection' }), undefined);
    world.simulation.kill();
    assert.deepEqual(toldBy(fault), {
      name: 'missing resource',
      advice:
        'Create another claim. The Secret orders-connection is deleted with this claim. It may be the only copy of a password that works: ask first whether a user needs it.',
      mend: [],
    });
  });
});

const outsideGoes =
  'It is being deleted. When it resumes, the external resource is deleted too, with its data, unless the policies keep it.';
const howToAllow =
  'Set spec.managementPolicies to the actions that you want. ["*"] allows all: the controller changes the external resource to match this one, and deletes it with this one.';

describe('what is paused, or may not be worked on, is let go of by whoever means it', () => {
  const paused = { annotations: { 'crossplane.io/paused': 'true' } };
  const rows: Readonly<
    Record<
      string,
      readonly [
        patch: object,
        isDeleted: boolean,
        told: { readonly advice: string | undefined; readonly mend: string },
      ]
    >
  > = {
    'by its annotation': [
      { metadata: paused },
      false,
      { advice: undefined, mend: `kubectl annotate ${resources} legacy crossplane.io/paused-` },
    ],
    'by its annotation, and being deleted: what goes then is said': [
      { metadata: paused },
      true,
      { advice: outsideGoes, mend: `kubectl edit ${resources} legacy` },
    ],
    'by its annotation, and being deleted while what is outside is kept': [
      { metadata: paused, spec: { deletionPolicy: 'Orphan' } },
      true,
      { advice: undefined, mend: `kubectl annotate ${resources} legacy crossplane.io/paused-` },
    ],
    'by its policies, which nobody widens unasked': [
      { spec: { managementPolicies: [] } },
      false,
      { advice: howToAllow, mend: `kubectl edit ${resources} legacy` },
    ],
    'by its policies, and being deleted': [
      { spec: { managementPolicies: [] } },
      true,
      { advice: `${howToAllow} ${outsideGoes}`, mend: `kubectl edit ${resources} legacy` },
    ],
    'policies that are no set of those there are': [
      { spec: { managementPolicies: ['Create'] } },
      false,
      { advice: howToAllow, mend: `kubectl edit ${resources} legacy` },
    ],
  };
  for (const [name, [patch, isDeleted, told]] of Object.entries(rows)) {
    test(name, async () => {
      const world = new TracedWorld();
      const key = world.managed('legacy');
      world.start();
      await world.pass();
      world.edit(FavouriteDBInstanceKind, key, patch);
      if (isDeleted) world.cluster.leave(FavouriteDBInstanceKind, key);
      await world.pass();
      const { fault } = await world.trace('favouritedbinstance', key);
      world.simulation.kill();
      assert.deepEqual({ advice: fault?.advice, mend: fault?.mend }, { ...told, mend: [told.mend] });
    });
  }
});

test('of a provider that is being deleted, no command deletes what uses it', async () => {
  const world = new TracedWorld();
  const shared = { name: 'shared' };
  world.cluster.put(ProviderConfigKind, {
    apiVersion: 'fcp.crossplane.io/v1alpha3',
    kind: 'ProviderConfig',
    metadata: shared,
    spec: {
      credentials: {
        source: 'Secret',
        secretRef: { namespace: 'cloud-credentials', name: 'favourite-cloud', key: 'credentials' },
      },
    },
  });
  world.managed('search', { providerRef: undefined, providerConfigRef: shared });
  world.start();
  await world.pass();
  world.cluster.leave(ProviderConfigKind, shared);
  await world.pass();
  const { fault } = await world.trace('providerconfigs.fcp.crossplane.io', shared);
  world.simulation.kill();
  assert.deepEqual(toldBy(fault), {
    name: 'deletion waits',
    advice:
      'It is deleted once they use another one or are deleted. If you delete one, its external resource is deleted too, with its data, unless its policies keep it.',
    mend: ['kubectl edit favouritedbinstance.database.fcp.crossplane.io search'],
  });
});
