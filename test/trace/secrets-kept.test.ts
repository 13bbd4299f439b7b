import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import { controllerReference, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import { allowsPropagationTo, propagatesFrom, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { faultsIn } from '../../trace/model/faults.ts';
import type { Fault } from '../../trace/model/trace.ts';
import { viewOf } from '../../trace/model/view.ts';
import { condition, findingsOf } from './traced-objects.ts';
import { TracedWorld } from './traced-world.ts';

const resources = 'favouritedbinstances.database.fcp.crossplane.io';
const legacy = {
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstance',
  name: 'legacy',
};
const ofBlog = { namespace: 'team-blog', name: 'posts-connection' };

/** The name and the remedy of a fault. */
const remedyOf = (fault: Fault | undefined) => ({
  name: fault?.name,
  advice: fault?.advice,
  commands: fault?.commands,
});

/** A claim of another team, with its Secret. */
function ofAnotherTeam(world: TracedWorld): void {
  world.cluster.create(FancySQLInstanceKind, {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: { namespace: ofBlog.namespace, name: 'posts' },
    spec: {
      classSelector: { matchLabels: { size: 'small' } },
      writeConnectionSecretToRef: { name: ofBlog.name },
    },
  } as KubernetesObject);
}

const pointedAt = (world: TracedWorld, name: string, to: ObjectKey): void =>
  world.edit(FavouriteDBInstanceKind, { name }, { spec: { writeConnectionSecretToRef: to } });

describe('a resource that names the Secret of another tenant publishes in the namespace of its class, and deletes nothing', () => {
  test('the Secret of another claim: the command publishes in the namespace of the class, and fixes the fault', async () => {
    const world = new TracedWorld();
    world.start();
    ofAnotherTeam(world);
    const claim = world.claim('orders');
    await world.pass();
    const { name } = world.resourceOf(claim).metadata;
    const published = world.cluster.get(SecretKind, ofBlog);
    pointedAt(world, name, ofBlog);
    await world.pass();
    const { fault } = await world.trace('fancysqlinstance', claim);
    const instead = { namespace: 'cloud-credentials', name: `${name}-connection` };
    assert.deepEqual(remedyOf(fault), {
      name: 'secret conflict',
      advice: 'Publish to another Secret. Leave that Secret: FancySQLInstance posts controls it.',
      commands: [
        `kubectl patch ${resources} ${name} --type=merge -p '{"spec":{"writeConnectionSecretToRef":${JSON.stringify(instead)}}}'`,
      ],
    });
    pointedAt(world, name, instead);
    await world.pass();
    const { verdict } = await world.trace('fancysqlinstance', claim);
    world.simulation.kill();
    assert.equal(verdict, 'usable');
    assert.deepEqual(world.cluster.get(SecretKind, ofBlog), published);
    const there = world.cluster.all(SecretKind).filter(({ metadata }) => metadata.namespace === 'team-blog');
    assert.deepEqual(
      there.map(({ metadata }) => metadata.name),
      [ofBlog.name],
    );
  });

  test("another resource's secret", async () => {
    const world = new TracedWorld();
    world.start();
    const [one, other] = [world.claim('orders'), world.claim('other')];
    await world.pass();
    const [mine, theirs] = [one, other].map((key) => world.resourceOf(key)) as [Managed, Managed];
    const { name } = mine.metadata;
    pointedAt(world, name, theirs.spec.writeConnectionSecretToRef as ObjectKey);
    await world.pass();
    const { fault } = await world.trace('favouritedbinstance', { name });
    world.simulation.kill();
    assert.deepEqual(remedyOf(fault), {
      name: 'secret conflict',
      advice: `Publish to another Secret. Leave that Secret: FavouriteDBInstance ${theirs.metadata.name} controls it.`,
      commands: [
        `kubectl patch ${resources} ${name} --type=merge -p '{"spec":{"writeConnectionSecretToRef":{"namespace":"cloud-credentials","name":"${name}-connection"}}}'`,
      ],
    });
  });

  const ofClass = { ...legacy, kind: 'FavouriteDBInstanceClass', name: 'favourite-small' };
  for (const [who, isStatic, spec] of [
    ['a resource made by hand, of which nobody knows where it should publish', true, { resourceRef: legacy }],
    [
      'a resource made by hand, whose claim names a class beside it',
      true,
      { resourceRef: legacy, classRef: ofClass },
    ],
    ['a resource whose class is gone', false, undefined],
  ] as const) {
    test(`${who}: an edit, and where such secrets are kept`, async () => {
      const world = new TracedWorld();
      world.start();
      ofAnotherTeam(world);
      if (isStatic) world.managed('legacy');
      const claim = world.claim('orders', spec);
      await world.pass();
      const { name } = world.resourceOf(claim).metadata;
      if (!isStatic) {
        for (const one of ['favourite-small', 'favourite-large'])
          world.cluster.remove(FavouriteDBInstanceClassKind, one);
      }
      pointedAt(world, name, ofBlog);
      await world.pass();
      const { fault } = await world.trace('fancysqlinstance', claim);
      world.simulation.kill();
      assert.deepEqual(remedyOf(fault), {
        name: 'secret conflict',
        advice:
          'Publish to another Secret, in a namespace where administrators keep such secrets. Leave that Secret: FancySQLInstance posts controls it.',
        commands: [`kubectl edit ${resources} ${name}`],
      });
    });
  }

  test('a Secret without a controller may be the only copy of its data', async () => {
    const world = new TracedWorld();
    const to = { namespace: 'cloud-credentials', name: 'favourite-cloud' };
    world.managed('legacy', { writeConnectionSecretToRef: to });
    world.start();
    await world.pass();
    const { fault } = await world.trace('favouritedbinstance', { name: 'legacy' });
    world.simulation.kill();
    assert.deepEqual(remedyOf(fault), {
      name: 'secret conflict',
      advice:
        'Publish to another Secret. That Secret may be the only copy of the data in it: ask the person who wrote it.',
      commands: [
        `kubectl patch ${resources} legacy --type=merge -p '{"spec":{"writeConnectionSecretToRef":{"namespace":"cloud-credentials","name":"legacy-connection"}}}'`,
      ],
    });
  });

  test('a claim that names the Secret of another claim gets a command with another name', async () => {
    const world = new TracedWorld();
    world.start();
    const first = world.claim('orders');
    await world.pass();
    const key = world.claim('second', {
      classSelector: { matchLabels: { size: 'small' } },
      writeConnectionSecretToRef: { name: 'orders-connection' },
    });
    await world.pass();
    const { fault } = await world.trace('fancysqlinstance', key);
    world.simulation.kill();
    assert.equal(first.name, 'orders');
    assert.deepEqual(remedyOf(fault), {
      name: 'secret conflict',
      advice: 'Name another Secret. Leave that Secret: FancySQLInstance orders controls it.',
      commands: [
        `kubectl -n team-shop patch fancysqlinstances.database.crossplane.io second --type=merge -p '{"spec":{"writeConnectionSecretToRef":{"name":"second-connection"}}}'`,
      ],
    });
  });
});

describe("an existing Secret with the name of the claim's Secret", () => {
  const uncontrolled = 'That Secret may be the only copy of the data in it: ask the person who wrote it.';
  const target = { namespace: 'team-shop', name: 'orders-connection' };
  const another = [
    `kubectl -n team-shop patch fancysqlinstances.database.crossplane.io orders --type=merge -p '{"spec":{"writeConnectionSecretToRef":{"name":"orders-connection-2"}}}'`,
  ];
  const from = propagatesFrom({ namespace: 'cloud-credentials', name: 'legacy' });
  const rows: Readonly<
    Record<string, readonly [secret: object, want: ReturnType<typeof remedyOf>, cause: RegExp]>
  > = {
    'is not deleted if it has no controller and has other data': [
      {},
      {
        name: 'secret conflict',
        advice: `Name another Secret. ${uncontrolled}`,
        commands: another,
      },
      /refusing to overwrite a secret that has no controller and holds other data/,
    ],
    'is not deleted if it has no controller and is an immutable copy': [
      { immutable: true, annotations: from },
      {
        name: 'secret conflict',
        advice: `Name another Secret. ${uncontrolled}`,
        commands: another,
      },
      /secret team-shop\/orders-connection is immutable and differs from /,
    ],
    "is deleted if it is the claim's own immutable copy": [
      { immutable: true, annotations: from, isOwn: true, data: { password: 'b2xk' } },
      {
        name: 'immutable secret',
        advice: 'This deletes the values in it. The resource publishes newer values:',
        commands: ['kubectl -n team-shop delete secrets orders-connection'],
      },
      /secret team-shop\/orders-connection is immutable and differs from the connection secret of the resource/,
    ],
    "is not deleted if it is the claim's own and has keys that are not published": [
      { immutable: true, annotations: from, isOwn: true },
      {
        name: 'immutable secret',
        advice:
          'It holds keys that the resource does not publish, and may be the only copy of them: ask first whether a user needs those.',
        commands: [],
      },
      /is immutable and differs from the connection secret of the resource/,
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
      world.simulation.kill();
      assert.deepEqual(remedyOf(fault), want);
      assert.match(fault?.cause ?? '', cause);
    });
  }
});

const ofLegacy = { namespace: 'cloud-credentials', name: 'legacy' };
const resource = (claimRef?: object): KubernetesObject =>
  ({
    apiVersion: legacy.apiVersion,
    kind: legacy.kind,
    metadata: { name: 'legacy', uid: 'uid-of-legacy' },
    spec: {
      providerRef: { name: 'favourite' },
      forProvider: {},
      writeConnectionSecretToRef: ofLegacy,
      ...(claimRef && { claimRef }),
    },
    status: { bindingPhase: 'Bound', conditions: [condition('Ready', 'True', 'Available')] },
  }) as KubernetesObject;

describe('the name that a command gives to another Secret', () => {
  const nameFor = async (name: string): Promise<string> => {
    const secret = { namespace: 'team-shop', name: `${name}-connection`.slice(0, 253) };
    const objects = [
      claimOf(name, secret.name),
      resource(referenceTo(claimOf(name))),
      { apiVersion: 'v1', kind: 'Secret', metadata: secret, type: 'Opaque' },
    ] as unknown as readonly KubernetesObject[];
    const found = await findingsOf(objects, ['fancysqlinstance', `team-shop/${name}`]);
    const fault = faultsIn(viewOf(found)).find((one) => one.name === 'secret conflict');
    return /"name":"([^"]+)"/.exec(fault?.commands[0] ?? '')?.[1] ?? '';
  };

  test('differs from the name of the existing Secret', async () => {
    assert.equal(await nameFor('orders'), 'orders-connection-2');
  });

  test('is valid for a claim with the longest name', async () => {
    const name = await nameFor('a'.repeat(253));
    assert.ok(name.length <= 253 && name.startsWith('aaa'), `${name.length}`);
    assert.match(name, /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
    assert.notEqual(name, await nameFor(`${'a'.repeat(252)}b`), 'two long names with the same beginning');
  });
});

const claimOf = (name: string, secret = `${name}-connection`): KubernetesObject =>
  ({
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: { namespace: 'team-shop', name, uid: `uid-of-${name}`, finalizers: [finalizerNames.claim] },
    spec: { resourceRef: legacy, writeConnectionSecretToRef: { name: secret } },
    status: { bindingPhase: 'Bound', conditions: [condition('Ready', 'True', 'Available')] },
  }) as KubernetesObject;

describe("a claim's Secret that is out of date", () => {
  const source = { namespace: 'cloud-credentials', name: 'legacy' };
  const target = { namespace: 'team-shop', name: 'orders-connection' };
  const claim = claimOf('orders');
  const secret = (key: ObjectKey, owner: KubernetesObject, annotations: object): KubernetesObject =>
    ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...key, ownerReferences: [controllerReference(owner)], annotations },
      type: 'connection.crossplane.io/v1alpha1',
      data: { password: 'aHVudGVy' },
    }) as KubernetesObject;
  test('because its resource names no claim any more: no command deletes it, because it may be the only copy', async () => {
    const managed = resource();
    const objects = [
      claim,
      managed,
      secret(source, managed, allowsPropagationTo(target)),
      secret(target, claim, propagatesFrom(source)),
    ];
    const found = await findingsOf(objects, ['fancysqlinstance', 'team-shop/orders']);
    const fault = faultsIn(viewOf(found)).find((one) => one.name === 'secret out of date');
    assert.deepEqual(remedyOf(fault), {
      name: 'secret out of date',
      advice:
        'Leave the Secret: no controller writes it now, and it may be the only copy of a password that works. An administrator of FavouriteDBInstance legacy can see more:',
      commands: ['npm run trace -- favouritedbinstance legacy'],
    });
  });

  const frozen = 'This deletes the values in it. The resource publishes newer values:';
  test('because it is immutable: a command deletes it, and it is created again', async () => {
    const world = new TracedWorld();
    world.managed('legacy');
    world.start();
    const key = world.claim('orders', { resourceRef: legacy });
    await world.pass();
    world.cluster.put(SecretKind, {
      ...world.cluster.get(SecretKind, target),
      immutable: true,
      data: { password: 'b2xk' },
    } as never);
    await world.pass();
    const { fault } = await world.trace('fancysqlinstance', key);
    assert.deepEqual(
      [fault?.name, fault?.advice, fault?.commands],
      ['immutable secret', frozen, ['kubectl -n team-shop delete secrets orders-connection']],
    );
    world.cluster.delete(SecretKind, target);
    await world.pass();
    assert.equal((await world.trace('fancysqlinstance', key)).fault, undefined);
    world.simulation.kill();
  });

  test('as after the manifest of its resource was put back as it was first applied: no command deletes anything', async () => {
    const world = new TracedWorld();
    world.managed('legacy');
    const first = world.cluster.get<Managed>(FavouriteDBInstanceKind, { name: 'legacy' });
    world.start();
    const key = world.claim('orders', { resourceRef: legacy });
    await world.pass();
    const { metadata, ...now } = world.cluster.get<Managed>(FavouriteDBInstanceKind, { name: 'legacy' });
    const { annotations: _none, ...kept } = metadata;
    world.cluster.put(FavouriteDBInstanceKind, { ...now, metadata: kept, spec: first.spec } as never);
    await world.pass();
    const { fault } = await world.trace('fancysqlinstance', key);
    world.simulation.kill();
    assert.notEqual(fault, undefined);
    assert.deepEqual(
      fault?.commands.filter((command) => command.includes(' delete ')),
      [],
    );
  });
});

describe('a claim that wants a secret of a resource that has none', () => {
  const edit = [`kubectl edit ${resources} legacy`];
  const rows: Readonly<Record<string, readonly [given: object, advice: string]>> = {
    'any namespace may claim it: whether it should have the secret is asked first': [
      {},
      'A claim of any namespace can have it. Ask first whether team-shop should have it, and select that namespace in its spec.namespaceSelector. Then set its spec.writeConnectionSecretToRef, in a namespace where administrators keep such secrets.',
    ],
    'only its namespace may claim it': [
      { namespaceSelector: {} },
      'Set its spec.writeConnectionSecretToRef, in a namespace where administrators keep such secrets.',
    ],
  };
  for (const [name, [given, advice]] of Object.entries(rows)) {
    test(name, async () => {
      const world = new TracedWorld();
      world.cluster.put(
        { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' },
        {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: 'team-shop' },
        },
      );
      world.managed('legacy', { writeConnectionSecretToRef: undefined, ...given });
      world.start();
      const key = world.claim('orders', { resourceRef: legacy });
      await world.pass();
      const { fault } = await world.trace('fancysqlinstance', key);
      world.simulation.kill();
      assert.deepEqual(remedyOf(fault), { name: 'no secret', advice, commands: edit });
    });
  }
});
