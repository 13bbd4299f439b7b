import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed, ManagedSpec } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { ManagedReconcilerOptions } from '../../../controllers/managed/options.ts';
import { done, unsettled } from '../../../runtime/controller/reconcile.ts';
import { finalizers, Scene } from '../managed-scene.ts';
import { managedKind } from '../objects.ts';

/** A resource that has been ready, on a clock that stands still unless it is moved. */
async function ready(): Promise<Scene> {
  const scene = new Scene({ forProvider: { size: 1 } }, {}, { confirmAbsenceMs: 5_000 });
  await scene.run();
  assert.equal(scene.condition('Ready'), 'True/Available');
  scene.cluster.takeWrites();
  scene.process.events.length = 0;
  return scene;
}

const pass = (scene: Scene, ms: number): void => {
  scene.cluster.clockMs += ms;
};

/** A resource that is being deleted, and does not show from now on. */
async function unobserved(): Promise<Scene> {
  const scene = await ready();
  scene.remove();
  scene.external.isBlind = true;
  return scene;
}

/** From now on the process stops for this time after an observation is answered, and reads the answer then. */
const standStill = (scene: Scene, ms: number): void => scene.external.after('observe', () => pass(scene, ms));

describe('one observation that finds nothing does not prove that a resource is absent', () => {
  test('a deleted resource is not absent after one observation, and is deleted if the next one finds it', async () => {
    const scene = await unobserved();
    assert.deepEqual(await scene.run(), unsettled(5_000));
    assert.deepEqual([scene.object?.metadata.finalizers, scene.events], [finalizers, []]);
    assert.deepEqual(scene.cluster.takeWrites(), []);
    pass(scene, 5_000);
    scene.external.isBlind = false;
    assert.deepEqual(await scene.run(), done);
    assert.deepEqual(
      [scene.object, scene.external.resources.size],
      [undefined, 0],
      'it was deleted in earnest',
    );
  });

  test('an observation of a deleted resource counts from its start, however late the process reads the answer', async () => {
    const scene = await unobserved();
    await scene.run();
    pass(scene, 1_000);
    standStill(scene, 30_000);
    assert.deepEqual(await scene.run(), unsettled(4_000));
    assert.deepEqual(scene.object?.metadata.finalizers, finalizers);
  });

  test('a creation may still be invisible, although the answer of the observation is read late', async () => {
    const options = { confirmAbsenceMs: 5_000, creationGraceMs: 30_000 };
    const scene = new Scene({ forProvider: { size: 1 } }, {}, options);
    scene.external.isBlind = true;
    await scene.run();
    scene.remove();
    pass(scene, 10_000);
    standStill(scene, 60_000);
    await scene.run();
    assert.equal(scene.decision, 'AwaitExternal');
  });

  test('an observation that finds the deleted resource starts the 5 s again', async () => {
    const scene = await ready();
    scene.remove();
    scene.external.isDeletionSlow = true;
    scene.external.isBlind = true;
    await scene.run();
    pass(scene, 10_000);
    scene.external.isBlind = false;
    scene.external.failAt('delete', new Error('busy'));
    await scene.run();
    scene.external.isBlind = true;
    assert.deepEqual(await scene.run(), unsettled(5_000));
  });

  test('after a restart a deleted resource needs one more observation', async () => {
    const scene = await unobserved();
    await scene.run();
    pass(scene, 60_000);
    scene.restart();
    assert.deepEqual(await scene.run(), unsettled(5_000));
    assert.ok(scene.object !== undefined);
  });

  const reset = () => {
    throw new Error('connection reset');
  };
  for (const [what, answer] of Object.entries({ 'that took long': () => {}, 'with a lost answer': reset })) {
    test(`observations before a creation ${what} do not prove that it created nothing`, async () => {
      const scene = new Scene({ forProvider: { size: 1 } }, {}, { confirmAbsenceMs: 5_000 });
      scene.external.after('create', answer);
      scene.external.before('create', () => pass(scene, 10_000));
      scene.external.isBlind = true; // what is made shows a while later
      await scene.run();
      assert.equal(scene.external.made, 1);
      scene.remove();
      assert.deepEqual(await scene.run(), unsettled(5_000));
      pass(scene, 1_000);
      scene.external.isBlind = false;
      assert.deepEqual(await scene.run(), done);
      assert.deepEqual([scene.object, scene.external.resources.size], [undefined, 0]);
    });
  }

  test('another object of the same name does not inherit the observations', async () => {
    const scene = await unobserved();
    await scene.run();
    scene.edit({ metadata: { uid: 'another-uid' } });
    pass(scene, 60_000);
    assert.deepEqual(await scene.run(), unsettled(5_000));
  });

  const ends: Record<string, Parameters<Scene['edit']>[0]> = {
    'that another client removed': { metadata: { finalizers: [] } },
    'that is deleted while its external resource is kept': { spec: { deletionPolicy: 'Orphan' } },
  };
  for (const [what, end] of Object.entries(ends)) {
    test(`the observations of a resource ${what} are forgotten`, async () => {
      const scene = await unobserved();
      await scene.run();
      const former = scene.object ?? assert.fail();
      scene.edit(end);
      await scene.run();
      assert.equal(scene.object, undefined);
      scene.cluster.put(managedKind, former); // as nothing but its UID could tell it from the former
      pass(scene, 60_000);
      assert.deepEqual(await scene.run(), unsettled(5_000));
    });
  }
});

type LostOptions = Partial<Omit<ManagedReconcilerOptions<Managed>, 'env'>>;

const marks = { immutable: ['region'], identity: ['region'] };

/** A resource whose external resource was observed, and is gone now. */
async function lost(options: LostOptions = {}, spec: ManagedSpec = {}): Promise<Scene> {
  const given = { marks, confirmAbsenceMs: 5_000, creationGraceMs: 0, ...options };
  const scene = new Scene({ forProvider: { region: 'us' } }, {}, given);
  await scene.run();
  assert.ok(scene.object?.status?.externalIdentity);
  scene.external.resources.clear();
  scene.edit({ spec });
  scene.cluster.takeWrites();
  return scene;
}

const identityOf = (scene: Scene): string | undefined => scene.object?.status?.externalIdentity;

async function confirm(scene: Scene): Promise<void> {
  await scene.run();
  scene.cluster.clockMs += 5_000;
  await scene.run();
}

describe('the recorded identity of an external resource that is proven to be gone is removed', () => {
  const uncreatable: LostOptions['uncreatable'] = ({ status }) =>
    status?.externalIdentity ? 'not ready' : undefined;
  const isRemoved = (rule: string, decision: string, ...given: Parameters<typeof lost>) =>
    test(`${rule}, in the write that reports it`, async () => {
      const scene = await lost(...given);
      await confirm(scene);
      assert.equal(scene.decision, decision);
      assert.equal(identityOf(scene), undefined);
      const writes = scene.cluster.takeWrites().filter((write) => write.startsWith('updateStatus'));
      assert.ok(writes.length <= 2, writes.join());
    });
  const assigned = { externalNames: 'assigned' } as const;
  isRemoved(
    'if it is not created again because the external system assigns the name',
    'ExternalLost',
    assigned,
  );
  isRemoved(
    'if policies do not allow Create',
    'CreateNotAllowed',
    {},
    { managementPolicies: ['Observe', 'Delete'] },
  );
  isRemoved('if it is only observed', 'ExternalMissing', {}, { managementPolicies: ['Observe'] });
  isRemoved('if nothing can be created as it is requested', 'CreationRefused', { uncreatable });

  test('the identity stays until the absence is proven', async () => {
    const scene = await lost({}, { managementPolicies: ['Observe'] });
    await scene.run();
    assert.ok(identityOf(scene));
  });

  test('a lost resource with an assigned name is not created again', async () => {
    const scene = await lost({ externalNames: 'assigned' });
    await confirm(scene);
    scene.restart();
    await confirm(scene);
    scene.cluster.clockMs += 60_000;
    await scene.run();
    assert.deepEqual([scene.decision, scene.external.count('create')], ['ExternalLost', 1]);
  });

  test('the identity is recorded again if the resource exists after all', async () => {
    const scene = await lost({}, { managementPolicies: ['Observe', 'Delete'] });
    await confirm(scene);
    scene.external.put('db', { region: 'us' });
    await scene.run();
    assert.ok(identityOf(scene));
  });
});

describe('the loss of an external resource that holds data', () => {
  const holdsData = { holdsData: true, creationGraceMs: 0 };
  const conditionsOf = (scene: Scene) =>
    (['Ready', 'Synced'] as const).map((name) => {
      const { type, status, message } = getCondition(scene.object?.status?.conditions, name);
      return [type, status, message];
    });
  const noteOf = (scene: Scene) => scene.object?.metadata.annotations?.[annotationKeys.externalLost];
  const acknowledging =
    'kubectl annotate favouritedbinstance.database.fcp.crossplane.io db crossplane.io/external-lost-';
  const recreated = `external resource "db" was lost and exists again, perhaps without its data; restore its data from a backup if you need it. An administrator acknowledges the loss: ${acknowledging}`;
  const asking =
    'kubectl annotate favouritedbinstance.database.fcp.crossplane.io db --overwrite crossplane.io/adopt-identity=or-create';
  const reported = `external resource does not exist any more (db); spec.onLoss is Report, so it is not created again. Restore it there. Or, to have an empty one created: ${asking}`;

  test('is reported until an administrator removes the annotation, also by the next process', async () => {
    const scene = await lost(holdsData);
    await confirm(scene);
    for (const begins of [() => {}, () => scene.restart()]) {
      begins();
      await scene.run();
      assert.deepEqual(conditionsOf(scene), [
        ['Ready', 'True', undefined],
        ['Synced', 'True', recreated],
      ]);
      assert.deepEqual(getCondition(scene.object?.status?.conditions, 'Ready').error, { class: 'DataLost' });
    }
    scene.annotate(annotationKeys.externalLost, undefined);
    await scene.run();
    assert.deepEqual(conditionsOf(scene)[1], ['Synced', 'True', undefined]);
    assert.equal(getCondition(scene.object?.status?.conditions, 'Ready').error, undefined);
  });

  test('is named by a process with --observe-only, which does not create it, and reported by the next one', async () => {
    const scene = await lost(holdsData);
    scene.restart({ isObserveOnly: true });
    await confirm(scene);
    assert.deepEqual(conditionsOf(scene), [
      ['Ready', 'False', undefined],
      [
        'Synced',
        'False',
        'external resource does not exist any more (db): this process only observes, and would otherwise create it; run it without --observe-only',
      ],
    ]);
    scene.restart();
    await confirm(scene);
    assert.deepEqual(conditionsOf(scene)[1], ['Synced', 'True', recreated]);
  });

  test('is reported in the same words if a user brought the resource back', async () => {
    const scene = await lost({ ...holdsData, externalNames: 'assigned' });
    await confirm(scene);
    const name = scene.object?.metadata.annotations?.[annotationKeys.externalName] ?? '';
    scene.external.put(name, { region: 'us' });
    await scene.run();
    assert.equal(scene.external.count('create'), 1);
    assert.deepEqual(conditionsOf(scene)[1], ['Synced', 'True', recreated.replace('"db"', `"${name}"`)]);
  });

  test('is reported too if an administrator asked for an empty one: the team of the claim did not', async () => {
    const scene = await lost(holdsData);
    scene.annotate(annotationKeys.adoptIdentity, 'or-create');
    await confirm(scene);
    assert.deepEqual(conditionsOf(scene)[1], ['Synced', 'True', recreated]);
  });

  test('is not reported after a rename, if an administrator asked for an empty one', async () => {
    const scene = await lost(holdsData);
    scene.external.put('db', {});
    scene.external.observation = { exists: false, renamed: 'database "db" was renamed to "old"' };
    await confirm(scene);
    assert.deepEqual([scene.decision, noteOf(scene)], ['ExternalRenamed', undefined]);
    scene.annotate(annotationKeys.adoptIdentity, 'or-create');
    scene.external.before('create', () => {
      scene.external.resources.clear();
      scene.external.observation = {};
    });
    scene.process.events.length = 0;
    await confirm(scene);
    assert.equal(
      scene.process.events[0]?.message,
      'external resource "db" was renamed; an empty one is created, because crossplane.io/adopt-identity is or-create',
    );
    scene.restart();
    await scene.run();
    const renamed = `external resource "db" was renamed, and an empty one was created; restore its data from the renamed one if you need it. An administrator acknowledges the loss: ${acknowledging}`;
    assert.deepEqual(conditionsOf(scene)[1], ['Synced', 'True', renamed]);
  });

  test('is not recorded while an administrator may still move it to this system', async () => {
    const scene = await lost(holdsData);
    scene.annotate(annotationKeys.adoptIdentity, 'true');
    await confirm(scene);
    assert.deepEqual([scene.decision, noteOf(scene)], ['ExternalLost', undefined]);
  });

  test('is recorded before anything else is written', async () => {
    const scene = await lost(holdsData);
    await scene.run();
    scene.cluster.clockMs += 5_000;
    scene.cluster.takeWrites();
    await scene.run();
    assert.match(scene.cluster.takeWrites()[0] ?? '', /^update /);
    assert.ok(noteOf(scene));
  });

  test('is not recorded for a kind without data', async () => {
    const scene = await lost({ creationGraceMs: 0 });
    await confirm(scene);
    assert.deepEqual([scene.decision, noteOf(scene)], ['Recreate', undefined]);
  });

  test('leads to no other resource with onLoss: Report, whatever is restarted or restored', async () => {
    const scene = await lost(holdsData, { onLoss: 'Report' });
    await confirm(scene);
    const writes = [undefined, () => scene.restart(), () => scene.edit({ status: {} })];
    for (const happens of writes) {
      happens?.();
      await confirm(scene);
      assert.deepEqual([scene.decision, scene.external.count('create')], ['ExternalLost', 1]);
      assert.deepEqual(conditionsOf(scene), [
        ['Ready', 'False', reported],
        ['Synced', 'False', reported],
      ]);
    }
    scene.annotate(annotationKeys.adoptIdentity, 'or-create');
    await confirm(scene);
    assert.equal(scene.external.count('create'), 2);
    assert.ok(noteOf(scene));
  });

  test('with an assigned name and onLoss: Report is followed by a creation after the name was removed', async () => {
    const scene = await lost({ ...holdsData, externalNames: 'assigned' }, { onLoss: 'Report' });
    await confirm(scene);
    await confirm(scene);
    assert.deepEqual([scene.decision, scene.external.count('create')], ['ExternalLost', 1]);
    assert.match(conditionsOf(scene)[1]?.[2] ?? '', /; to have another created, remove the annotation /);
    scene.annotate(annotationKeys.externalName, undefined);
    await confirm(scene);
    await confirm(scene);
    assert.deepEqual([scene.decision, scene.external.count('create')], ['Recreate', 2]);
  });
});

test('Ready does not say that a resource is missing once its observation fails', async () => {
  const spec = { forProvider: { size: 1 }, managementPolicies: ['Observe', 'Update'] } as const;
  const scene = new Scene(spec, {}, { confirmAbsenceMs: 0 });
  await scene.run();
  const missing =
    'external resource does not exist, and spec.managementPolicies do not allow Create; add Create';
  assert.equal(scene.condition('Ready'), `False/Unavailable: ${missing}`);
  scene.external.failAt('observe', new Error('it exists, and another resource owns it'));
  await scene.run();
  assert.equal(scene.condition('Synced'), 'False/ReconcileError: it exists, and another resource owns it');
  assert.equal(scene.condition('Ready'), 'False/Unavailable');
});
