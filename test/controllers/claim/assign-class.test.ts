import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import { kindKey } from '../../../apis/core/v1alpha1/kind.ts';
import { claimDefaulting } from '../../../controllers/claim-defaulting/setup.ts';
import { claimScheduling } from '../../../controllers/claim-scheduling/setup.ts';
import { FakeCluster, forbidden } from '../cluster-fake.ts';
import type { FakeProcessOptions } from '../environment-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  claim,
  claimKind,
  claimKindOf,
  claimRef,
  classKind,
  classRef,
  managed,
  otherClassKind,
  otherManagedKind,
  otherService,
  resourceClass,
  resourceRef,
  service,
} from '../objects.ts';

const key = { namespace: 'team', name: 'orders' };
const services = [otherService, service];
/** A process with both kinds of classes. */
const startOf = (controller: typeof claimScheduling, cluster: FakeCluster, options?: FakeProcessOptions) =>
  new FakeProcess(cluster, (env) => [controller(env, claimKindOf(...services))], options);
const isDefault = { 'resourceclass.crossplane.io/is-default-class': 'true' };
const status = 'updateStatus FancySQLInstance team/orders';
const update = 'update FancySQLInstance team/orders';

interface Mode {
  readonly controller: typeof claimScheduling;
  /** A claim that this controller looks after. */
  readonly claim: Claim;
  readonly matching: (name: string, kind?: typeof classKind) => Class;
  readonly noneReason: string;
  readonly noneMessage: RegExp;
}
const modes: Record<string, Mode> = {
  scheduling: {
    controller: claimScheduling,
    claim: claim({ classSelector: { matchLabels: { size: 'small' } } }),
    matching: (name, kind = classKind) => resourceClass(name, { labels: { size: 'small' } }, { kind }),
    noneReason: 'NoMatchingClass',
    noneMessage:
      /size=small; correct it, or have an administrator label a class so that it matches \(matching: AmbivalentDBInstanceClass 0 of 0, FavouriteDBInstanceClass 0 of 1\)/,
  },
  defaulting: {
    controller: claimDefaulting,
    claim: claim(),
    matching: (name, kind = classKind) => resourceClass(name, { annotations: isDefault }, { kind }),
    noneReason: 'NoDefaultClass',
    noneMessage: /\(defaults: AmbivalentDBInstanceClass 0 of 0, FavouriteDBInstanceClass 0 of 1\)/,
  },
};

for (const [mode, { controller, matching, ...wanted }] of Object.entries(modes)) {
  const start = (cluster: FakeCluster) => startOf(controller, cluster);
  const worldOf = (...classes: readonly Class[]) => {
    const cluster = new FakeCluster();
    cluster.put(claimKind, wanted.claim);
    for (const each of classes) cluster.put(each.kind === classKind.kind ? classKind : otherClassKind, each);
    return { cluster, process: start(cluster) };
  };
  const claimIn = (cluster: FakeCluster) => cluster.get(claimKind, key);

  describe(`${mode} acts`, () => {
    test('the Event about a claim without a class stays the same if other classes appear', async () => {
      const { cluster, process } = worldOf(resourceClass('other'));
      await process.settle();
      const before = getCondition(claimIn(cluster)?.status?.conditions, 'Ready').message;
      cluster.put(classKind, resourceClass('another'));
      await process.settle();
      assert.notEqual(getCondition(claimIn(cluster)?.status?.conditions, 'Ready').message, before);
      assert.equal(process.events.filter(({ reason }) => reason === wanted.noneReason).length, 1);
      process.stop();
    });

    test('AssignClass: Successful: a class of any kind is assigned with one write and one Event', async () => {
      for (const kind of [classKind, otherClassKind]) {
        const { cluster, process } = worldOf(matching('good', kind));
        await process.settle();
        assert.deepEqual(cluster.takeWrites(), [update]);
        const uid = cluster.get(kind, { name: 'good' })?.metadata.uid;
        const { classRef } = claimIn(cluster)?.spec ?? {};
        assert.deepEqual(classRef, {
          apiVersion: `${kind.group}/${kind.version}`,
          kind: kind.kind,
          name: 'good',
          uid,
        });
        assert.deepEqual(process.events, []);
      }
    });

    test('AssignClass: UpdateClaimError: a failed write is tried again, and has no Event', async () => {
      const { cluster, process } = worldOf(matching('good'));
      cluster.before('update', claimKind, () => {
        assert.deepEqual(process.events, []);
        throw forbidden();
      });
      await process.settle();
      assert.match(String(process.errors[0]), /cannot update resource claim: denied/);
      assert.equal(claimIn(cluster)?.spec.classRef?.name, 'good');
      assert.deepEqual(process.events, []);
    });

    test('AssignClass: a scheduler stops after a conflict if another process assigned a class', async () => {
      const { cluster, process } = worldOf(matching('ours'));
      cluster.before('update', claimKind, () => {
        cluster.set(claimKind, key, { spec: { classRef: classRef('theirs') } });
      });
      await process.settle();
      assert.equal(claimIn(cluster)?.spec.classRef?.name, 'theirs');
      assert.equal(process.conflicts, 1);
      assert.deepEqual([cluster.takeWrites(), process.events, process.errors], [[], [], []]);
    });

    test('NoMatchingClass: without a class there is one condition and one Event for all kinds, and no further write', async () => {
      const { cluster, process } = worldOf(resourceClass('other'));
      await process.settle();
      assert.deepEqual(cluster.takeWrites(), [status]);
      const ready = getCondition(claimIn(cluster)?.status?.conditions, 'Ready');
      assert.deepEqual([ready.status, ready.reason], ['False', wanted.noneReason]);
      assert.match(ready.message ?? '', wanted.noneMessage);
      const { conditions: _, ...rest } = claimIn(cluster)?.status ?? {};
      assert.deepEqual(rest, {
        bindingPhase: 'Unbound',
        observedGeneration: claimIn(cluster)?.metadata.generation,
        consideredKinds: services.map((each) => kindKey(each.class)),
      });
      const recorded = process.events.map(({ type, reason }) => [type, reason]);
      assert.deepEqual(recorded, [['Warning', wanted.noneReason]]);
      process.resync(claimKind);
      await process.settle(60_000);
      assert.deepEqual(cluster.takeWrites(), []);
      assert.equal(process.events.length, 1);
    });

    test('HasClass: a claim that a managed resource names is not assigned again, whatever its references say', async () => {
      const { cluster, process } = worldOf(matching('good'));
      cluster.put(otherManagedKind, managed({ claimRef: claimRef() }));
      await process.settle();
      assert.deepEqual([cluster.takeWrites(), process.events], [[], []]);
    });

    test('a process for the claims of some namespaces does not touch other claims', async () => {
      const { cluster, process } = worldOf(matching('good'));
      process.stop();
      const elsewhere = startOf(controller, cluster, { claimNamespaces: ['others', 'more'] });
      await elsewhere.settle();
      assert.deepEqual([cluster.takeWrites(), elsewhere.events, elsewhere.runs], [[], [], 0]);
    });

    test('NoMatchingClass: UpdateStatusError: a failed status write is tried again', async () => {
      const { cluster, process } = worldOf();
      cluster.refuse('updateStatus', claimKind, forbidden());
      await process.settle();
      assert.match(String(process.errors[0]), /cannot update resource claim status: denied/);
      assert.equal(getCondition(claimIn(cluster)?.status?.conditions, 'Ready').reason, wanted.noneReason);
    });

    test('NoMatchingClass: clears by itself: a class that appears is chosen at once', async () => {
      const { cluster, process } = worldOf();
      await process.settle();
      cluster.put(otherClassKind, matching('later', otherClassKind));
      await process.settle(0);
      assert.equal(claimIn(cluster)?.spec.classRef?.name, 'later');
    });

    test('NoMatchingClass: clears by itself: a class that begins to qualify is chosen at once', async () => {
      const { cluster, process } = worldOf(resourceClass('turned'));
      await process.settle();
      cluster.put(classKind, matching('turned'));
      await process.settle(0);
      assert.equal(claimIn(cluster)?.spec.classRef?.name, 'turned');
    });

    test('a restart writes nothing, with or without an assigned class', async () => {
      for (const classes of [[], [matching('good')]]) {
        const { cluster, process } = worldOf(...classes);
        await process.settle();
        process.stop();
        cluster.takeWrites();
        const again = await start(cluster).settle();
        assert.deepEqual(cluster.takeWrites(), []);
        // A restarted process does not know earlier Events, so that it reports a lasting state once more.
        assert.equal(again.events.length, classes.length === 0 ? 1 : 0);
      }
    });
  });
}

describe('the claims that wake a scheduler or a defaulter', () => {
  const selector = { classSelector: { matchLabels: { size: 'small' } } };
  async function wakes(want: string, spec: Claim['spec']): Promise<void> {
    const woken: string[] = [];
    for (const [mode, { controller }] of Object.entries(modes)) {
      const cluster = new FakeCluster();
      const process = new FakeProcess(cluster, (env) => [controller(env, claimKindOf(service))]);
      cluster.put(claimKind, claim(spec));
      await process.settle(0);
      if (process.runs > 0) woken.push(mode);
    }
    assert.equal(woken.join(), want);
  }
  test('HasClassSelector absent: a claim without a selector wakes the defaulter', () =>
    wakes('defaulting', {}));
  test('HasClassSelector present: a claim with a selector wakes the scheduler', () =>
    wakes('scheduling', selector));
  test('HasClassSelector present, but empty: a claim with an empty selector wakes the scheduler', () =>
    wakes('scheduling', { classSelector: {} }));
  test('HasNoClassReference false: a claim with a class wakes neither', () =>
    wakes('', { classRef: classRef('small') }));
  test('HasNoClassReference false, with a selector: a claim with a class and a selector wakes neither', () =>
    wakes('', { ...selector, classRef: classRef('small') }));
  test('HasNoManagedResourceReference false: a claim with a resource wakes neither', () =>
    wakes('', { resourceRef: resourceRef('db') }));
  test('HasNoManagedResourceReference false, with a selector: a claim with a resource and a selector wakes neither', () =>
    wakes('', { ...selector, resourceRef: resourceRef('db') }));
});

test('a classRef with only a name is completed, and keeps the fields of its author', async () => {
  const cluster = new FakeCluster();
  cluster.put(classKind, resourceClass('small'));
  const classRef = { name: 'small', uid: 'of-its-author', resourceVersion: '7' };
  cluster.put(claimKind, claim({ classRef }));
  await startOf(claimScheduling, cluster).settle();
  const { group, version, kind } = classKind;
  assert.deepEqual(cluster.get(claimKind, key)?.spec.classRef, {
    apiVersion: `${group}/${version}`,
    kind,
    ...classRef,
  });
});
