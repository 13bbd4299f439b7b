import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import type { Claim, ClaimSpec } from '../../../../apis/core/v1alpha1/claim.ts';
import { creating, getCondition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, finalizerNames } from '../../../../apis/core/v1alpha1/meta.ts';
import { decodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { provisionedNames } from '../../../../controllers/core/claim/provisioned-name.ts';
import { FakeCluster, forbidden } from '../cluster-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
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
  resourceRef,
  service,
} from '../objects.ts';

const withName =
  (name: string | null) =>
  <O extends Claim | Managed>(object: O): O => ({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: {
        ...omit(object.metadata.annotations, annotationKeys.externalName),
        ...(name !== null && { [annotationKeys.externalName]: name }),
      },
    },
  });

/* An API server without CEL takes these edits; one with CEL refuses them (test/apis). */

const key = { namespace: 'team', name: 'orders' };
const target = { namespace: 'team', name: 'conn' };
const selecting = {
  writeConnectionSecretToRef: { name: 'conn' },
  classSelector: { matchLabels: { size: 'small' } },
  version: '2.3',
} as ClaimSpec;

async function boundWorld() {
  const cluster = new FakeCluster();
  const specTemplate = { writeConnectionSecretsToNamespace: 'system' };
  cluster.put(classKind, resourceClass('small', { labels: { size: 'small' } }, { specTemplate }));
  cluster.put(classKind, resourceClass('large', { labels: { size: 'large' } }, { specTemplate }));
  cluster.put(managedKind, managed({}, { name: 'spare', uid: 'spare', status: { bindingPhase: 'Unbound' } }));
  cluster.put(claimKind, claim(selecting));
  const external = new FakeExternal();
  external.put('spare');
  const process = await startStack(cluster, external, { services: [otherService, service] }).settle();
  const current = (): Claim => cluster.get(claimKind, key) ?? assert.fail('the claim is gone');
  const name = current().spec.resourceRef?.name ?? assert.fail('nothing was provisioned');
  assert.equal(current().status?.bindingPhase, 'Bound');
  cluster.takeWrites();
  const made = external.made;
  return {
    cluster,
    external,
    made,
    process,
    name,
    current,
    condition: (type: string) => getCondition(current().status?.conditions, type),
    edit: async (change: (spec: ClaimSpec) => ClaimSpec) => {
      cluster.edit(claimKind, key, (object) => ({ ...object, spec: change(object.spec) }));
      await process.settle();
    },
  };
}

const edits: Record<string, { readonly change: (spec: ClaimSpec) => ClaimSpec; readonly says: RegExp }> = {
  'resourceRef to a resource that could be bound': {
    change: (spec) => ({ ...spec, resourceRef: resourceRef('spare') }),
    says: /spec\.resourceRef names FavouriteDBInstance spare, but the claim has FavouriteDBInstance team-orders/,
  },
  'resourceRef to a resource that does not exist': {
    change: (spec) => ({ ...spec, resourceRef: resourceRef('no-such-db') }),
    says: /spec\.resourceRef names FavouriteDBInstance no-such-db/,
  },
  'resourceRef to another kind': {
    change: (spec) => ({ ...spec, resourceRef: resourceRef('x', otherManagedKind) }),
    says: /spec\.resourceRef names AmbivalentDBInstance x/,
  },
  'classRef to another class': {
    change: (spec) => ({ ...spec, classRef: classRef('large') }),
    says: /spec\.classRef names FavouriteDBInstanceClass large, .* made from FavouriteDBInstanceClass small/,
  },
  'classRef to a class of another kind': {
    change: (spec) => ({ ...spec, classRef: classRef('small', otherClassKind) }),
    says: /spec\.classRef names AmbivalentDBInstanceClass small/,
  },
  'classRef to none': {
    change: ({ classRef: _removed, ...spec }) => spec,
    says: /spec\.classRef names nothing/,
  },
  'classSelector to another': {
    change: (spec) => ({ ...spec, classSelector: { matchLabels: { size: 'large' } } }),
    says: /spec\.classSelector is size=large, but was size=small/,
  },
  'what was asked for': {
    change: (spec) => ({ ...spec, version: '2.4' }) as ClaimSpec,
    says: /spec\.version is "2\.4", but was "2\.3" when the claim got FavouriteDBInstance team-orders/,
  },
};

describe('design 4.13 an edit that cannot work is said, and the claim stays as usable as it was', () => {
  for (const [what, { change, says }] of Object.entries(edits)) {
    test(what, async () => {
      const world = await boundWorld();
      const { cluster, external, process, name, condition, current, edit } = world;
      const before = cluster.all(managedKind);
      await edit(change);
      assert.deepEqual(cluster.takeWrites(), ['updateStatus FancySQLInstance team/orders']);
      assert.deepEqual(cluster.all(managedKind), before, 'no managed resource is touched or made');
      assert.equal(condition('Ready').status, 'True');
      assert.equal(condition('Synced').status, 'False');
      assert.match(condition('Synced').message ?? '', says);
      assert.match(condition('Synced').message ?? '', /take the edit back, or make another claim/);
      const warnings = process.events.filter(({ type }) => type === 'Warning');
      assert.deepEqual(
        warnings.map(({ reason, object }) => [reason, object]),
        [['CannotApplyEdit', 'FancySQLInstance team/orders']],
      );
      assert.equal(current().status?.bindingPhase, 'Bound');

      process.resync(claimKind, managedKind, SecretKind);
      await process.settle(70_000);
      assert.deepEqual(cluster.takeWrites(), [], 'it is said once');

      const source = current().metadata.uid ?? '';
      cluster.edit(SecretKind, { namespace: 'system', name: source }, (secret) => ({
        ...secret,
        data: { ...secret.data, port: Buffer.from('5432').toString('base64') },
      }));
      await process.settle();
      assert.equal(decodeDetails(cluster.get(SecretKind, target)).port, '5432', 'its secret is kept');
      assert.equal(external.made, world.made);
      assert.equal(cluster.get(managedKind, { name })?.spec.claimRef?.uid, current().metadata.uid);
    });

    test(`${what}: taken back, it is forgotten`, async () => {
      const { condition, current, edit } = await boundWorld();
      const { spec } = current();
      await edit(change);
      await edit(() => spec);
      assert.deepEqual([condition('Synced').status, condition('Ready').status], ['True', 'True']);
    });

    test(`${what}: the claim is deleted, and what it has goes with it`, async () => {
      const { cluster, external, process, edit } = await boundWorld();
      await edit(change);
      cluster.delete(claimKind, key);
      await process.settle();
      assert.equal(cluster.get(claimKind, key), undefined);
      assert.deepEqual(
        cluster.all(managedKind).map(({ metadata }) => metadata.name),
        ['spare'],
      );
      assert.deepEqual([...external.things.keys()], ['spare']);
      assert.deepEqual(cluster.all(SecretKind), []);
    });
  }

  interface Renaming {
    /** What somebody makes of the annotation of the claim, or of its resource, or what that has on record. */
    readonly of: 'claim' | 'resource' | 'record';
    readonly to: string | null;
    /** What the claim has in the end; absent: what it had. */
    readonly ends?: string;
    readonly isTold?: true;
  }
  const renamings: Record<string, Renaming> = {
    'the external name of the claim: it is put back, and that is told': {
      of: 'claim',
      to: 'mine',
      isTold: true,
    },
    'the external name removed from the claim: it is written again, and nobody asked for anything': {
      of: 'claim',
      to: null,
    },
    "the external name of its resource, which has no effect there: nor on the claim's": {
      of: 'resource',
      to: 'theirs',
    },
    "the external name that its resource has: the claim's follows, and nobody is told of an edit": {
      of: 'record',
      to: 'theirs',
      ends: 'theirs',
    },
  };
  for (const [what, { of, to, ends, isTold = false }] of Object.entries(renamings)) {
    test(what, async () => {
      const { cluster, process, name, condition, current } = await boundWorld();
      const own = externalName(current());
      if (of === 'claim') cluster.edit(claimKind, key, withName(to));
      else cluster.edit(managedKind, { name }, withName(to));
      if (of === 'record') {
        cluster.edit(managedKind, { name }, (managed) => ({
          ...managed,
          status: { ...managed.status, externalIdentity: JSON.stringify({ name: to, fields: {} }) },
        }));
      }
      await process.settle();
      assert.equal(externalName(current()), ends ?? own);
      const told = process.events.filter(
        ({ reason, object }) => reason === 'CannotApplyEdit' && object.startsWith('FancySQL'),
      );
      assert.deepEqual(
        told.map(({ message }) => message),
        isTold
          ? [
              `the annotation crossplane.io/external-name was "mine", and is "${own}" again, as FavouriteDBInstance ${name} has it: once set it is immutable, so that this has no effect; for another name make another claim`,
            ]
          : [],
      );
      assert.equal(condition('Synced').status, 'True');
      assert.equal(condition('Ready').status, 'True');
      cluster.takeWrites();
      process.resync(claimKind, managedKind, SecretKind);
      await process.settle(70_000);
      assert.ok(!cluster.takeWrites().some((write) => write.includes('FancySQLInstance')), 'it is done once');
    });
  }

  test('the external name of a claim that names its resource no more: both are put back, and the name is told', async () => {
    const { cluster, process, name, current } = await boundWorld();
    const own = externalName(current());
    cluster.edit(claimKind, key, ({ spec: { resourceRef: _removed, ...spec }, ...rest }) =>
      withName('mine')({ ...rest, spec } as Claim),
    );
    await process.settle();
    assert.deepEqual([externalName(current()), current().spec.resourceRef?.name], [own, name]);
    assert.equal(process.events.filter(({ reason }) => reason === 'CannotApplyEdit').length, 1);
  });

  const removals: Record<string, (spec: ClaimSpec) => ClaimSpec> = {
    resourceRef: ({ resourceRef: _removed, ...spec }) => spec,
    'resourceRef and classRef': ({ resourceRef: _resource, classRef: _class, ...spec }) => spec,
    'every reference and the selector': ({ writeConnectionSecretToRef }) => ({
      ...(writeConnectionSecretToRef && { writeConnectionSecretToRef }),
    }),
  };
  for (const [what, change] of Object.entries(removals)) {
    test(`removing ${what} makes no second resource: the references are written again`, async () => {
      const { cluster, external, made, name, condition, current, edit } = await boundWorld();
      cluster.put(
        classKind,
        resourceClass('default', {
          annotations: { 'resourceclass.crossplane.io/is-default-class': 'true' },
        }),
      );
      const { classRef: former } = current().spec;
      await edit(change);
      assert.equal(current().spec.resourceRef?.name, name);
      assert.deepEqual(current().spec.classRef, former);
      if (current().spec.classSelector !== undefined) assert.equal(condition('Synced').status, 'True');
      assert.equal(cluster.all(managedKind).length, 2, 'the spare one and its own');
      assert.equal(external.made, made);
      assert.deepEqual([condition('Ready').status, current().status?.bindingPhase], ['True', 'Bound']);
    });
  }
});

describe('a claim that was bound is given no other resource without a word', () => {
  const strip = (world: Awaited<ReturnType<typeof boundWorld>>) => {
    const { cluster, name } = world;
    cluster.edit(managedKind, { name }, ({ metadata, spec: { claimRef: _taken, ...spec }, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, finalizers: [] },
      spec,
    }));
    return world.process.settle();
  };

  test('its resource is taken from it, and then goes', async () => {
    const world = await boundWorld();
    const { cluster, name, process, current, condition } = world;
    await strip(world);
    assert.match(condition('Ready').message ?? '', /^refusing to bind to /);
    assert.equal(current().status?.bindingPhase, 'Released', 'it was bound');
    cluster.delete(managedKind, { name });
    await process.settle();
    assert.equal(cluster.get(managedKind, { name }), undefined);
    assert.match(
      condition('Ready').message ?? '',
      /^was bound to .*, which no longer exists; for another make another claim/,
    );
    assert.equal(current().status?.bindingPhase, 'Released');
  });

  test('its resource is taken from it, and given back', async () => {
    const world = await boundWorld();
    const { cluster, name, process, current, condition } = world;
    const { claimRef } = cluster.get(managedKind, { name })?.spec ?? {};
    await strip(world);
    cluster.edit(managedKind, { name }, ({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, ...(claimRef && { claimRef }) },
    }));
    await process.settle();
    assert.deepEqual([condition('Ready').status, current().status?.bindingPhase], ['True', 'Bound']);
  });

  test('its resource is taken from it, and its own references are removed', async () => {
    const world = await boundWorld();
    await strip(world);
    await world.edit(({ writeConnectionSecretToRef, classRef: own }) => ({
      ...(own && { classRef: own }),
      ...(writeConnectionSecretToRef && { writeConnectionSecretToRef }),
    }));
    assert.equal(world.cluster.all(managedKind).length, 2, 'what it had, and the spare one');
    assert.match(world.condition('Ready').message ?? '', /and neither names the other any more/);
    assert.equal(world.current().status?.bindingPhase, 'Released');
  });
});

describe('design 4.13 and so it is in every phase', () => {
  /** A claim that gets no further than its class; what stops it is up to the test. */
  const worldOf = (options: Parameters<typeof startStack>[2] = {}) => {
    const cluster = new FakeCluster();
    const specTemplate = { writeConnectionSecretsToNamespace: 'system' };
    cluster.put(classKind, resourceClass('small', { labels: { size: 'small' } }, { specTemplate }));
    cluster.put(classKind, resourceClass('large', { labels: { size: 'large' } }, { specTemplate }));
    const external = new FakeExternal();
    const process = startStack(cluster, external, { services: [otherService, service], ...options });
    const condition = (type: string) => getCondition(cluster.get(claimKind, key)?.status?.conditions, type);
    return { cluster, external, process, condition };
  };
  type World = ReturnType<typeof worldOf>;

  const phases: Record<
    string,
    { readonly make: () => World; readonly ready: string; readonly has: boolean }
  > = {
    'while its resource may not be created': {
      make: () => {
        const world = worldOf();
        world.cluster.gate = ({ verb, kind }) => {
          if (verb === 'create' && kind === managedKind.kind) throw forbidden();
        };
        return world;
      },
      ready: 'Creating',
      has: false,
    },
    'while its class does not fit': {
      make: () => {
        // One that does not fit from the start is passed over.
        const configure: typeof service.configure = ({ spec }, offered) => {
          if (spec.classRef !== undefined) throw new Error('does not fit');
          return service.configure(claim(), offered);
        };
        return worldOf({ services: [otherService, { ...service, configure }] });
      },
      ready: 'Creating',
      has: false,
    },
    'while its resource is being created': {
      make: () => {
        const world = worldOf();
        world.external.ready = creating();
        return world;
      },
      ready: 'Binding',
      has: true,
    },
    'while its secret is in the way': {
      make: () => {
        const world = worldOf();
        world.cluster.put(SecretKind, {
          apiVersion: 'v1',
          kind: 'Secret',
          type: 'Opaque',
          metadata: target,
          data: {},
        });
        return world;
      },
      ready: 'Binding',
      has: true,
    },
  };

  for (const [when, { make, ready, has }] of Object.entries(phases)) {
    const affected = Object.entries(edits).filter(([what]) => has || what.startsWith('classSelector'));
    for (const [what, { change, says }] of affected) {
      test(`${what}, ${when}`, async () => {
        const { cluster, process, condition } = make();
        cluster.put(claimKind, claim(selecting));
        await process.settle(500);
        assert.equal(condition('Ready').reason, ready);
        const before = condition('Synced');
        const told = process.events.length;
        cluster.edit(claimKind, key, (object) => ({ ...object, spec: change(object.spec) }));
        await process.settle(500);
        assert.equal(condition('Synced').status, 'False');
        assert.match(condition('Synced').message ?? '', says);
        assert.match(condition('Synced').message ?? '', /take the edit back, or make another claim/);
        if (before.status === 'False') {
          assert.ok(condition('Synced').message?.startsWith(before.message ?? '?'), 'beside what was said');
        }
        assert.equal(condition('Ready').reason, ready);
        const news = process.events.slice(told).filter(({ object }) => object.startsWith('FancySQL'));
        assert.ok(
          news.some(
            ({ type, reason, message }) =>
              type === 'Warning' && reason === 'CannotApplyEdit' && says.test(message),
          ),
        );
        cluster.takeWrites();
        await process.settle(500);
        process.resync(claimKind);
        await process.settle(500);
        assert.ok(!cluster.takeWrites().some((write) => write.startsWith('updateStatus Fancy')), 'said once');
      });
    }
  }

  test('the external name, while its resource is being made: the annotation stays, and Synced says what to do', async () => {
    const { cluster, external, process, condition } = worldOf();
    external.ready = creating();
    cluster.put(claimKind, withName('../instances/x')(claim(selecting)));
    await process.settle(500);
    const resource = cluster.all(managedKind)[0] ?? assert.fail('nothing was made');
    assert.equal(externalName(resource), '../instances/x');
    cluster.edit(claimKind, key, withName('good'));
    await process.settle(500);
    const told = `the annotation crossplane.io/external-name is "good", but FavouriteDBInstance ${resource.metadata.name} has "../instances/x", which an administrator may edit there until it is made: once set these are immutable, so that this has no effect; take the edit back, or make another claim`;
    assert.equal(condition('Synced').message, told);
    assert.equal(condition('Ready').reason, 'Binding');
    assert.equal(externalName(cluster.get(claimKind, key) ?? assert.fail()), 'good');
    assert.ok(process.events.some(({ reason, message }) => reason === 'CannotApplyEdit' && message === told));
    cluster.takeWrites();
    process.resync(claimKind);
    await process.settle(500);
    assert.ok(!cluster.takeWrites().some((write) => write.includes('FancySQLInstance')), 'said once');
  });

  test('a claim that took a resource by name: what was asked for', async () => {
    const { cluster, process, condition } = worldOf();
    cluster.put(managedKind, managed());
    cluster.put(claimKind, claim({ resourceRef: resourceRef('db'), version: '2.3' } as ClaimSpec));
    await process.settle();
    assert.equal(condition('Synced').status, 'True');
    cluster.edit(claimKind, key, (object) => ({
      ...object,
      spec: { ...object.spec, version: '9' } as ClaimSpec,
    }));
    await process.settle();
    assert.match(
      condition('Synced').message ?? '',
      /spec\.version is "9", but was "2\.3" when the claim got/,
    );
    assert.equal(condition('Ready').status, 'True');
  });

  test('a class of another kind, before anything is created: it says that nothing will be', async () => {
    const { cluster, process, condition } = worldOf();
    cluster.gate = ({ verb, kind }) => {
      if (verb === 'create' && kind === managedKind.kind) throw forbidden();
    };
    cluster.put(claimKind, claim(selecting));
    await process.settle(500);
    cluster.gate = () => {};
    cluster.edit(claimKind, key, (object) => ({
      ...object,
      spec: { ...object.spec, classRef: classRef('small', otherClassKind) },
    }));
    await process.settle();
    assert.match(condition('Ready').message ?? '', /was to be made from a FavouriteDBInstanceClass/);
    assert.ok(process.events.some(({ reason }) => reason === 'CannotApplyEdit'));
    assert.deepEqual(cluster.all(managedKind), []);
  });
});

describe('a finalizer that somebody took away is back before anything depends on it', () => {
  const finalizers = [finalizerNames.claim];
  const worldOf = (made: Claim) => {
    const cluster = new FakeCluster();
    cluster.put(classKind, resourceClass('small'));
    cluster.put(claimKind, made);
    const external = new FakeExternal();
    external.ready = creating();
    return { cluster, external, process: startStack(cluster, external) };
  };

  for (const attempt of [0, 1]) {
    test(`name ${attempt} was recorded, and nothing is made yet: finalizer first, and that name`, async () => {
      const name = provisionedNames(claim())[attempt];
      const recorded = { ...resourceRef(name ?? ''), fieldPath: 'as somebody wrote it' };
      const { cluster, process } = worldOf(claim({ classRef: classRef('small'), resourceRef: recorded }));
      await process.settle(500);
      assert.deepEqual(cluster.takeWrites().slice(0, 2), [
        'update FancySQLInstance team/orders',
        `create FavouriteDBInstance ${name}`,
      ]);
      assert.deepEqual(cluster.get(claimKind, key)?.metadata.finalizers, finalizers);
      assert.deepEqual(cluster.get(claimKind, key)?.spec.resourceRef, recorded);
    });
  }

  test('while its resource is being made: what it has goes with it all the same', async () => {
    const { cluster, external, process } = worldOf(claim({ classRef: classRef('small') }));
    await process.settle(500);
    cluster.edit(claimKind, key, ({ metadata: { finalizers: _taken, ...metadata }, ...rest }) => ({
      ...rest,
      metadata,
    }));
    await process.settle(500);
    assert.deepEqual(cluster.get(claimKind, key)?.metadata.finalizers, finalizers);
    cluster.delete(claimKind, key);
    await process.settle();
    assert.deepEqual([cluster.all(claimKind), cluster.all(managedKind)], [[], []]);
    assert.equal(external.things.size, 0);
  });
});
