import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import type { ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderConfigKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { claimAt, remedyOf, resources, tracedIn } from './traced-objects.ts';
import { endWorlds, TracedWorld } from './traced-world.ts';

afterEach(endWorlds);

const small = {
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstanceClass',
  name: 'favourite-small',
};

/** A claim waits for its new resource. A user edits the resource, so that it is incompatible with the claim. */
async function incompatible(world: TracedWorld): Promise<ObjectKey> {
  world.edit(FavouriteDBInstanceClassKind, small, { specTemplate: { forProvider: { version: '1.0' } } });
  world.start();
  const key = world.claim('orders', { version: '1.0', classRef: small });
  await world.pass(3);
  const made = world.resourceOf(key);
  // An API server without validation rules allows this.
  const forProvider = { ...(made.spec.forProvider as object), version: '2.0' };
  world.cluster.put(FavouriteDBInstanceKind, { ...made, spec: { ...made.spec, forProvider } } as never);
  await world.pass(3);
  return key;
}

/** The advice if a claim has data, or if that is not known. */
const saved =
  'Save the data before you delete this claim: its Secret is deleted too, and its resource with the external resource, unless their policies keep them.';

describe('a command deletes a claim only if it has no data; otherwise the advice says what is deleted', () => {
  test('a claim with a resource', async () => {
    const world = new TracedWorld({ provisioningMs: 3_600_000 });
    const { fault } = await world.trace('fancysqlinstance', await incompatible(world));
    assert.deepEqual(remedyOf(fault), {
      name: 'incompatible',
      advice: `Create another claim, with another resource or version. ${saved}`,
      commands: [],
    });
  });

  const gold = { apiVersion: 'example.org/v1', kind: 'Gold', name: 'orders' };
  const either = 'Run the stack that handles the kind (--stacks), or create another claim';
  const edit = 'kubectl -n team-shop edit fancysqlinstances.database.crossplane.io orders';
  const goldClass = { ...gold, kind: 'GoldClass' };
  const unknown: Readonly<Record<string, readonly [spec: object, advice: string, commands: string[]]>> = {
    'nothing, of a claim that can be corrected': [
      { classRef: goldClass },
      'Correct the reference. Or run the stack that handles the kind (--stacks).',
      [edit],
    ],
    'a resource of an unknown kind, which the user cannot read': [
      { classRef: goldClass, resourceRef: gold },
      `${either}. ${saved}`,
      [],
    ],
  };
  test('nothing, of a claim of an unknown kind that is being deleted already', async () => {
    const key = 'team-shop/orders';
    const deleted = { ...claimAt(key, { resourceRef: gold }) };
    const metadata = {
      ...deleted.metadata,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: [finalizerNames.claim],
    };
    const { fault } = await tracedIn([{ ...deleted, metadata }], ['fancysqlinstance', key]);
    assert.deepEqual(remedyOf(fault), {
      name: 'unknown kind',
      advice: 'Run the stack that handles the kind (--stacks).',
      commands: [],
    });
  });
  for (const [name, [spec, advice, commands]] of Object.entries(unknown)) {
    test(name, async () => {
      const key = 'team-shop/orders';
      const { fault } = await tracedIn([claimAt(key, spec)], ['fancysqlinstance', key]);
      assert.deepEqual(remedyOf(fault), { name: 'unknown kind', advice, commands });
    });
  }

  test('the Secret of a bound claim without class and resource', async () => {
    const world = new TracedWorld();
    world.start();
    const key = world.claim('orders', { classRef: small });
    await world.pass();
    for (const name of ['favourite-small', 'favourite-large'])
      world.cluster.remove(FavouriteDBInstanceClassKind, name);
    const { metadata } = world.resourceOf(key);
    world.edit(FavouriteDBInstanceKind, metadata, { spec: { deletionPolicy: 'Orphan' } });
    world.cluster.delete(FavouriteDBInstanceKind, { name: metadata.name });
    await world.pass();
    const { fault } = await world.trace('fancysqlinstance', key);
    assert.notEqual(world.cluster.find(SecretKind, { ...key, name: 'orders-connection' }), undefined);
    assert.deepEqual(remedyOf(fault), {
      name: 'missing resource',
      advice: `Create another claim. ${saved}`,
      commands: [],
    });
  });
});

const deletesExternal =
  'It is being deleted. When it resumes, the external resource is deleted too, with its data, unless the policies keep it.';
const howToAllow =
  'Set spec.managementPolicies to the actions that you want. ["*"] allows all: the controller changes the external resource to match this one, and deletes it with this one.';

describe('a paused resource is resumed by a command only if that deletes no data and widens no policies', () => {
  const paused = { annotations: { 'crossplane.io/paused': 'true' } };
  const policies = (...managementPolicies: readonly string[]) => ({ spec: { managementPolicies } });
  /** Without advice the command resumes the resource; otherwise it edits it. */
  const rows: Readonly<Record<string, readonly [patch: object, isDeleted: boolean, advice?: string]>> = {
    'by its annotation': [{ metadata: paused }, false],
    'by its annotation, and being deleted: the advice lists the data': [
      { metadata: paused },
      true,
      deletesExternal,
    ],
    'by its annotation, and being deleted while the external resource is kept': [
      { metadata: paused, spec: { deletionPolicy: 'Orphan' } },
      true,
    ],
    'by its policies, which no command widens': [policies(), false, howToAllow],
    'by its policies, and being deleted': [policies(), true, `${howToAllow} ${deletesExternal}`],
    'by unsupported policies': [policies('Create'), false, howToAllow],
  };
  for (const [name, [patch, isDeleted, advice]] of Object.entries(rows)) {
    test(name, async () => {
      const world = new TracedWorld();
      const key = world.managed('legacy');
      world.start();
      await world.pass();
      world.edit(FavouriteDBInstanceKind, key, patch);
      if (isDeleted) world.cluster.leave(FavouriteDBInstanceKind, key);
      await world.pass();
      const { fault } = await world.trace('favouritedbinstance', key);
      const resume = `kubectl annotate ${resources} legacy crossplane.io/paused-`;
      const command = advice === undefined ? resume : `kubectl edit ${resources} legacy`;
      assert.deepEqual([fault?.advice, fault?.commands], [advice, [command]]);
    });
  }
});

test('no command deletes a resource that uses a deleted provider', async () => {
  const world = new TracedWorld();
  const shared = { name: 'shared' };
  const secretRef = { namespace: 'cloud-credentials', name: 'favourite-cloud', key: 'credentials' };
  world.cluster.put(ProviderConfigKind, {
    apiVersion: 'fcp.crossplane.io/v1alpha3',
    kind: 'ProviderConfig',
    metadata: shared,
    spec: { credentials: { source: 'Secret', secretRef } },
  });
  world.managed('search', { providerRef: undefined, providerConfigRef: shared });
  world.start();
  await world.pass();
  world.cluster.leave(ProviderConfigKind, shared);
  await world.pass();
  const { fault } = await world.trace('providerconfigs.fcp.crossplane.io', shared);
  assert.deepEqual(remedyOf(fault), {
    name: 'deletion waits',
    advice:
      'If you delete one of them, its external resource is deleted too, with its data, unless its policies keep it.',
    commands: [],
  });
});
