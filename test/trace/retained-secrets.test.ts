import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import type { KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import { controllerReference } from '../../apis/core/v1alpha1/reference.ts';
import { allowsPropagationTo, propagatesFrom, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { faultsIn } from '../../trace/model/faults.ts';
import { viewOf } from '../../trace/model/view.ts';
import { claimAt, condition, findingsOf, legacy, remedyOf, resources } from './traced-objects.ts';
import { endWorlds, TracedWorld } from './traced-world.ts';

afterEach(endWorlds);

const blogSecret = { namespace: 'team-blog', name: 'posts-connection' };

const pointedAt = (world: TracedWorld, name: string, to: ObjectKey): void =>
  world.edit(FavouriteDBInstanceKind, { name }, { spec: { writeConnectionSecretToRef: to } });

const small = { classSelector: { matchLabels: { size: 'small' } } };
const another =
  'Name another Secret in spec.writeConnectionSecretToRef. For the Secret of a resource, choose a namespace that only administrators can read.';

describe('no command changes a Secret of another owner, or chooses a namespace for a password', () => {
  test('a resource that names the Secret of another claim: after the edit the claim can be used', async () => {
    const world = new TracedWorld();
    world.start();
    world.claim('posts', undefined, { namespace: blogSecret.namespace });
    const claim = world.claim('orders');
    await world.pass();
    const { name } = world.resourceOf(claim).metadata;
    const published = world.cluster.get(SecretKind, blogSecret);
    pointedAt(world, name, blogSecret);
    await world.pass();
    const { fault } = await world.trace('fancysqlinstance', claim);
    assert.deepEqual(remedyOf(fault), {
      name: 'secret conflict',
      advice: `${another} Leave the existing Secret: FancySQLInstance posts controls it.`,
      commands: [`kubectl edit ${resources} ${name}`],
    });
    pointedAt(world, name, { namespace: 'cloud-credentials', name: `${name}-connection` });
    await world.pass();
    const { verdict } = await world.trace('fancysqlinstance', claim);
    assert.equal(verdict, 'usable');
    assert.deepEqual(world.cluster.get(SecretKind, blogSecret), published);
  });

  test('a Secret without a controller may be the only copy of its data', async () => {
    const world = new TracedWorld();
    const to = { namespace: 'cloud-credentials', name: 'favourite-cloud' };
    world.managed('legacy', { writeConnectionSecretToRef: to });
    world.start();
    await world.pass();
    const { fault } = await world.trace('favouritedbinstance', { name: 'legacy' });
    assert.deepEqual(
      [fault?.link, fault?.cause],
      [
        'resource secret',
        'FavouriteDBInstance legacy cannot publish its connection details: a secret of type "Opaque" exists that these controllers did not write (secret cloud-credentials/favourite-cloud).',
      ],
    );
    assert.deepEqual(remedyOf(fault), {
      name: 'secret conflict',
      advice: `${another} The existing Secret may be the only copy of the data in it: ask the person who wrote it.`,
      commands: [`kubectl edit ${resources} legacy`],
    });
  });

  test('a claim that names the Secret of another claim', async () => {
    const world = new TracedWorld();
    world.start();
    world.claim('orders');
    await world.pass();
    const writeConnectionSecretToRef = { name: 'orders-connection' };
    const key = world.claim('second', { ...small, writeConnectionSecretToRef });
    await world.pass();
    const { fault } = await world.trace('fancysqlinstance', key);
    assert.equal(fault?.link, 'claim secret');
    assert.match(
      fault.cause,
      /^The claim's Secret cannot be written: .* \(secret team-shop\/orders-connection\)\.$/,
    );
    assert.deepEqual(remedyOf(fault), {
      name: 'secret conflict',
      advice: `${another} Leave the existing Secret: FancySQLInstance orders controls it.`,
      commands: ['kubectl -n team-shop edit fancysqlinstances.database.crossplane.io second'],
    });
  });
});

const target = { namespace: 'team-shop', name: 'orders-connection' };
const legacySecret = { namespace: 'cloud-credentials', name: 'legacy' };

describe("an existing Secret with the name of the claim's Secret", () => {
  const byHand = {
    name: 'failing',
    advice: 'The controller tries again by itself, and at once after an edit.',
    commands: ['kubectl -n team-shop edit fancysqlinstances.database.crossplane.io orders'],
  };
  const from = propagatesFrom(legacySecret);
  const rows: Readonly<
    Record<string, readonly [secret: object, want: ReturnType<typeof remedyOf>, cause: RegExp]>
  > = {
    'is not deleted if it has no controller and has other data': [
      {},
      byHand,
      /^A secret with other data exists that these controllers did not write/,
    ],
    'is not deleted if it has no controller and is an immutable copy': [
      { immutable: true, annotations: from },
      byHand,
      /^Secret team-shop\/orders-connection is immutable and differs from /,
    ],
    "is not deleted if it is the claim's own and has keys that are not published": [
      { immutable: true, annotations: from, isOwn: true },
      {
        name: 'immutable secret',
        advice:
          'It holds keys that the resource does not publish, and may be the only copy of them: ask first whether a user needs those.',
        commands: [],
      },
      /^Secret team-shop\/orders-connection is immutable, and differs from the Secret of FavouriteDBInstance legacy\.$/,
    ],
  };
  for (const [name, [given, want, cause]] of Object.entries(rows)) {
    test(name, async () => {
      const { isOwn, annotations, ...rest } = given as {
        readonly isOwn?: boolean;
        readonly annotations?: object;
      };
      const world = new TracedWorld();
      world.managed('legacy');
      const key = world.claim('orders', { resourceRef: legacy });
      const claim = world.cluster.get(FancySQLInstanceKind, key);
      world.cluster.put(SecretKind, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { ...target, annotations, ...(isOwn && { ownerReferences: [controllerReference(claim)] }) },
        type: 'connection.crossplane.io/v1alpha1',
        data: { password: 'b2xk', note: 'bWluZQ==' },
        ...rest,
      } as never);
      world.start();
      await world.pass();
      const { fault } = await world.trace('fancysqlinstance', key);
      assert.deepEqual(remedyOf(fault), want);
      assert.match(fault?.cause ?? '', cause);
    });
  }
});

describe("a claim's Secret that is out of date", () => {
  const claim = claimAt(
    'team-shop/orders',
    { resourceRef: legacy, writeConnectionSecretToRef: { name: 'orders-connection' } },
    {
      finalizers: [finalizerNames.claim],
      status: { bindingPhase: 'Bound', conditions: [condition('Ready', 'True', 'Available')] },
    },
  );
  const secret = (key: ObjectKey, owner: KubernetesObject, annotations: object): KubernetesObject =>
    ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...key, ownerReferences: [controllerReference(owner)], annotations },
      type: 'connection.crossplane.io/v1alpha1',
      data: { password: 'aHVudGVy' },
    }) as KubernetesObject;
  test('because its resource names no claim any more: no command deletes it, because it may be the only copy', async () => {
    const managed = {
      apiVersion: legacy.apiVersion,
      kind: legacy.kind,
      metadata: { name: 'legacy', uid: 'uid-of-legacy' },
      spec: { providerRef: { name: 'favourite' }, forProvider: {}, writeConnectionSecretToRef: legacySecret },
      status: { bindingPhase: 'Bound', conditions: [condition('Ready', 'True', 'Available')] },
    } as KubernetesObject;
    const objects = [
      claim,
      managed,
      secret(legacySecret, managed, allowsPropagationTo(target)),
      secret(target, claim, propagatesFrom(legacySecret)),
    ];
    const found = await findingsOf(objects, ['fancysqlinstance', 'team-shop/orders']);
    const fault = faultsIn(viewOf(found)).find((one) => one.name === 'secret out of date');
    assert.deepEqual(remedyOf(fault), {
      name: 'secret out of date',
      advice:
        'Leave the Secret: no controller writes it now, and it may be the only copy of a password that works. An administrator of FavouriteDBInstance legacy can see more:',
      commands: ['kubectl services-stack trace favouritedbinstance.database.fcp.crossplane.io legacy'],
    });
  });

  test('because it is immutable: a command deletes it, and it is created again', async () => {
    const world = new TracedWorld();
    world.managed('legacy');
    world.start();
    const key = world.claim('orders', { resourceRef: legacy });
    await world.pass();
    const frozen = { ...world.cluster.get(SecretKind, target), immutable: true, data: { password: 'b2xk' } };
    world.cluster.put(SecretKind, frozen as never);
    await world.pass();
    const { fault } = await world.trace('fancysqlinstance', key);
    assert.deepEqual(remedyOf(fault), {
      name: 'immutable secret',
      advice: 'This deletes the values in it. The resource publishes newer values:',
      commands: ['kubectl -n team-shop delete secrets orders-connection'],
    });
    world.cluster.delete(SecretKind, target);
    await world.pass();
    assert.equal((await world.trace('fancysqlinstance', key)).fault, undefined);
  });

  test('as after the manifest of its resource was put back as it was first applied: no command deletes anything', async () => {
    const world = new TracedWorld();
    world.managed('legacy');
    const first = world.cluster.get<Managed>(FavouriteDBInstanceKind, { name: 'legacy' });
    world.start();
    const key = world.claim('orders', { resourceRef: legacy });
    await world.pass();
    const { metadata, ...now } = world.cluster.get<Managed>(FavouriteDBInstanceKind, { name: 'legacy' });
    const { annotations: _none, ...restMetadata } = metadata;
    world.cluster.put(FavouriteDBInstanceKind, { ...now, metadata: restMetadata, spec: first.spec } as never);
    await world.pass();
    const { fault } = await world.trace('fancysqlinstance', key);
    assert.doesNotMatch(fault?.commands.join('\n') ?? assert.fail('no fault'), / delete /);
  });
});

test('if a resource publishes no Secret, an administrator is asked whether the namespace should have one', async () => {
  const world = new TracedWorld();
  world.managed('legacy', { writeConnectionSecretToRef: undefined });
  world.start();
  const key = world.claim('orders', { resourceRef: legacy });
  await world.pass();
  const { fault } = await world.trace('fancysqlinstance', key);
  assert.deepEqual(remedyOf(fault), {
    name: 'no secret',
    advice:
      'Ask first whether namespace team-shop should have the secret: without spec.namespaceSelector a claim of any namespace can have the resource. Then set its spec.writeConnectionSecretToRef, in a namespace that only administrators can read.',
    commands: [`kubectl edit ${resources} legacy`],
  });
});
