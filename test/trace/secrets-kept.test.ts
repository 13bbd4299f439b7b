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

/** Of what a fault says all but its cause. */
const toldBy = (fault: Fault | undefined) => ({
  name: fault?.name,
  advice: fault?.advice,
  mend: fault?.mend,
});

/** A claim of another team, which has its secret. */
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

describe("what points at another tenant's secret publishes where its class says, and deletes nothing", () => {
  test("a claim's secret: the command leads back to the namespace of the class, and mends it", async () => {
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
    assert.deepEqual(toldBy(fault), {
      name: 'secret conflict',
      advice: 'Publish to another Secret. Leave that Secret: FancySQLInstance posts controls it.',
      mend: [
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
    assert.deepEqual(toldBy(fault), {
      name: 'secret conflict',
      advice: `Publish to another Secret. Leave that Secret: FavouriteDBInstance ${theirs.metadata.name} controls it.`,
      mend: [
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
      assert.deepEqual(toldBy(fault), {
        name: 'secret conflict',
        advice:
          'Publish to another Secret, in a namespace where administrators keep such secrets. Leave that Secret: FancySQLInstance posts controls it.',
        mend: [`kubectl edit ${resources} ${name}`],
      });
    });
  }

  test('what nobody controls may be the only copy of what it holds', async () => {
    const world = new TracedWorld();
    const to = { namespace: 'cloud-credentials', name: 'favourite-cloud' };
    world.managed('legacy', { writeConnectionSecretToRef: to });
    world.start();
    await world.pass();
    const { fault } = await world.trace('favouritedbinstance', { name: 'legacy' });
    world.simulation.kill();
    assert.deepEqual(toldBy(fault), {
      name: 'secret conflict',
      advice:
        'Publish to another Secret. That Secret may be the only copy of the data in it: ask the person who wrote it.',
      mend: [
        `kubectl patch ${resources} legacy --type=merge -p '{"spec":{"writeConnectionSecretToRef":{"namespace":"cloud-credentials","name":"legacy-connection"}}}'`,
      ],
    });
  });

  test("a claim's own, in the way of which is another's: another name than that", async () => {
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
    assert.deepEqual(toldBy(fault), {
      name: 'secret conflict',
      advice: 'Name another Secret. Leave that Secret: FancySQLInstance orders controls it.',
      mend: [
        `kubectl -n team-shop patch fancysqlinstances.database.crossplane.io second --type=merge -p '{"spec":{"writeConnectionSecretToRef":{"name":"second-connection"}}}'`,
      ],
    });
  });
});

describe('what is in the way of a claim that is about to be bound', () => {
  const nobodys = 'That Secret may be the only copy of the data in it: ask the person who wrote it.';
  const target = { namespace: 'team-shop', name: 'orders-connection' };
  const another = [
    `kubectl -n team-shop patch fancysqlinstances.database.crossplane.io orders --type=merge -p '{"spec":{"writeConnectionSecretToRef":{"name":"orders-connection-2"}}}'`,
  ];
  const from = propagatesFrom({ namespace: 'cloud-credentials', name: 'legacy' });
  const rows: Readonly<
    Record<string, readonly [secret: object, told: ReturnType<typeof toldBy>, cause: RegExp]>
  > = {
    "is left, where it is nobody's and holds something of its own": [
      {},
      {
        name: 'secret conflict',
        advice: `Name another Secret. ${nobodys}`,
        mend: another,
      },
      /refusing to overwrite a secret that has no controller and holds other data/,
    ],
    "is left, where it is nobody's, and a copy that nobody can change": [
      { immutable: true, annotations: from },
      {
        name: 'secret conflict',
        advice: `Name another Secret. ${nobodys}`,
        mend: another,
      },
      /secret team-shop\/orders-connection is immutable and differs from /,
    ],
    "is deleted, where it is the claim's own copy that nobody can change": [
      { immutable: true, annotations: from, isOwn: true, data: { password: 'b2xk' } },
      {
        name: 'immutable secret',
        advice: 'This deletes the values in it. The resource publishes newer values:',
        mend: ['kubectl -n team-shop delete secrets orders-connection'],
      },
      /secret team-shop\/orders-connection is immutable and differs from the connection secret of the resource/,
    ],
    "is left, where it is the claim's own and holds more than is published": [
      { immutable: true, annotations: from, isOwn: true },
      {
        name: 'immutable secret',
        advice:
          'It holds keys that the resource does not publish, and may be the only copy of them: ask first whether a user needs those.',
        mend: [],
      },
      /is immutable and differs from the connection secret of the resource/,
    ],
  };
  for (const [name, [given, told, cause]] of Object.entries(rows)) {
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
      assert.deepEqual(toldBy(fault), told);
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

describe('the name of another secret', () => {
  const nameFor = async (name: string): Promise<string> => {
    const secret = { namespace: 'team-shop', name: `${name}-connection`.slice(0, 253) };
    const objects = [
      claimOf(name, secret.name),
      resource(referenceTo(claimOf(name))),
      { apiVersion: 'v1', kind: 'Secret', metadata: secret, type: 'Opaque' },
    ] as unknown as readonly KubernetesObject[];
    const found = await findingsOf(objects, ['fancysqlinstance', `team-shop/${name}`]);
    const fault = faultsIn(viewOf(found)).find((one) => one.name === 'secret conflict');
    return /"name":"([^"]+)"/.exec(fault?.mend[0] ?? '')?.[1] ?? '';
  };

  test('is another than that of what is in the way', async () => {
    assert.equal(await nameFor('orders'), 'orders-connection-2');
  });

  test('fits the API server, of the longest claim, too', async () => {
    const name = await nameFor('a'.repeat(253));
    assert.ok(name.length <= 253 && name.startsWith('aaa'), `${name.length}`);
    assert.match(name, /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
    assert.notEqual(name, await nameFor(`${'a'.repeat(252)}b`), 'two that begin alike');
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

describe("a claim's secret that is not kept in step", () => {
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
  test('since its resource names no claim any more: no command deletes it, because it may be the only copy', async () => {
    const managed = resource();
    const objects = [
      claim,
      managed,
      secret(source, managed, allowsPropagationTo(target)),
      secret(target, claim, propagatesFrom(source)),
    ];
    const found = await findingsOf(objects, ['fancysqlinstance', 'team-shop/orders']);
    const fault = faultsIn(viewOf(found)).find((one) => one.name === 'secret out of date');
    assert.deepEqual(toldBy(fault), {
      name: 'secret out of date',
      advice:
        'Leave the Secret: no controller writes it now, and it may be the only copy of a password that works. An administrator of FavouriteDBInstance legacy can see more:',
      mend: ['npm run trace -- favouritedbinstance legacy'],
    });
  });

  const frozen = 'This deletes the values in it. The resource publishes newer values:';
  test('since it is immutable, and changed where it comes from: it is deleted, and made again', async () => {
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
      [fault?.name, fault?.advice, fault?.mend],
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
      fault?.mend.filter((command) => command.includes(' delete ')),
      [],
    );
  });
});

describe('a claim that wants a secret of a resource that has none', () => {
  const edit = [`kubectl edit ${resources} legacy`];
  const rows: Readonly<Record<string, readonly [given: object, advice: string]>> = {
    'which anybody may claim: whether it should have that is asked first': [
      {},
      'A claim of any namespace can have it. Ask first whether team-shop should have it, and select that namespace in its spec.namespaceSelector. Then set its spec.writeConnectionSecretToRef, in a namespace where administrators keep such secrets.',
    ],
    'which is for its namespace': [
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
      assert.deepEqual(toldBy(fault), { name: 'no secret', advice, mend: edit });
    });
  }
});
