import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed, ManagedSpec } from '../../../../apis/core/v1alpha1/managed.ts';
import type { ManagedReconcilerOptions } from '../../../../controllers/core/managed/reconciler.ts';
import { Scene } from '../managed-scene.ts';

type Options = Partial<Omit<ManagedReconcilerOptions<Managed>, 'env'>>;

const marks = { immutable: ['region'], identity: ['region'] };

/** A resource whose external resource was observed, and is gone now. */
async function lost(options: Options = {}, spec: ManagedSpec = {}): Promise<Scene> {
  const scene = new Scene(
    { forProvider: { region: 'us' } },
    {},
    { marks, confirmAbsenceMs: 5_000, creationGraceMs: 0, ...options },
  );
  await scene.run();
  assert.ok(scene.object?.status?.externalIdentity);
  scene.external.things.clear();
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
  const cases: Readonly<Record<string, { options?: Options; spec?: ManagedSpec; decision: string }>> = {
    'if it is not created again because the external system assigns the name': {
      options: { externalNames: 'assigned' },
      decision: 'ExternalLost',
    },
    'if policies do not allow Create': {
      spec: { managementPolicies: ['Observe', 'Delete'] },
      decision: 'CreateNotAllowed',
    },
    'if it is only observed': { spec: { managementPolicies: ['Observe'] }, decision: 'ExternalMissing' },
    'if nothing can be created as it is requested': {
      options: { uncreatable: ({ status }) => (status?.externalIdentity ? 'not ready' : undefined) },
      decision: 'CreationRefused',
    },
  };
  for (const [rule, { options, spec, decision }] of Object.entries(cases)) {
    test(`${rule}, in the write that reports it`, async () => {
      const scene = await lost(options, spec);
      await confirm(scene);
      assert.equal(scene.decision, decision);
      assert.equal(identityOf(scene), undefined);
      const writes = scene.cluster.takeWrites().filter((write) => write.startsWith('updateStatus'));
      assert.ok(writes.length <= 2, writes.join());
    });
  }

  test('but not before the absence is proven', async () => {
    const scene = await lost({}, { managementPolicies: ['Observe'] });
    await scene.run();
    assert.ok(identityOf(scene));
  });

  test('and a lost resource with an assigned name is not created again by that', async () => {
    const scene = await lost({ externalNames: 'assigned' });
    await confirm(scene);
    scene.restart();
    await confirm(scene);
    scene.cluster.clockMs += 60_000;
    await scene.run();
    assert.deepEqual([scene.decision, scene.external.count('create')], ['ExternalLost', 1]);
  });

  test('and recorded again if it exists after all', async () => {
    const scene = await lost({}, { managementPolicies: ['Observe', 'Delete'] });
    await confirm(scene);
    scene.external.put('db', { region: 'us' });
    await scene.run();
    assert.ok(identityOf(scene));
  });

  test('the removal of the identity needs no extra status write before a creation', async () => {
    const scene = new Scene({ forProvider: { region: 'us' } }, {}, { marks });
    await scene.run();
    const writes = scene.cluster.takeWrites().filter((write) => write.startsWith('updateStatus'));
    assert.equal(writes.length, 1);
  });
});
