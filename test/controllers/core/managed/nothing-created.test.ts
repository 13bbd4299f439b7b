import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import { SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import type { ExternalMethod } from '../external-fake.ts';
import { finalizers, Scene } from '../managed-scene.ts';

/** A resource that is being deleted, and whose provider fails at this call. */
function deletedWithout(
  call: ExternalMethod,
  metadata: Partial<ObjectMeta> & { readonly status?: ManagedStatus } = {},
): Scene {
  const scene = new Scene({ forProvider: { size: 1 } }, { finalizers, ...metadata });
  scene.external.gate = (method) => {
    if (method === call) throw new Error('no route to cloud');
  };
  scene.remove();
  return scene;
}

describe('a deleted managed resource for which nothing was created', () => {
  for (const [what, call] of [
    ['does not exist', 'connect'],
    ['does not answer', 'observe'],
  ] as const) {
    test(`needs no provider: that ${what}`, async () => {
      const scene = deletedWithout(call);
      assert.deepEqual(await scene.run(), { type: 'done' });
      assert.deepEqual([scene.decision, scene.object, scene.events], ['RemoveFinalizer', undefined, []]);
      assert.equal(scene.external.count('delete'), 0);
    });
  }

  test('had its finalizer and its credential before the provider failed: both are removed', async () => {
    const scene = new Scene({ forProvider: { size: 1 } });
    scene.external.failAt('observe');
    await scene.run();
    assert.deepEqual(scene.object?.metadata.finalizers, finalizers);
    assert.equal(scene.cluster.all(SecretKind).length, 1);
    scene.remove();
    await scene.run();
    assert.deepEqual([scene.object, scene.cluster.all(SecretKind)], [undefined, []]);
  });
});

describe('a deleted managed resource waits for its provider', () => {
  const identity = { 'crossplane.io/external-identity': '{"name":"db","fields":{}}' };
  const rows: Readonly<Record<string, Partial<ObjectMeta> & { readonly status?: ManagedStatus }>> = {
    'where a creation was begun': { annotations: identity },
    'where the result of a creation was recorded': {
      annotations: { 'crossplane.io/external-create-succeeded': '2026-01-02T03:00:00Z' },
    },
    'where a creation failed, which may have left something': {
      annotations: { 'crossplane.io/external-create-failed': '2026-01-02T03:00:00Z' },
    },
    'where the external resource was observed': { status: { externalIdentity: '{"name":"db","fields":{}}' } },
    'where it was Ready': { status: { bindingPhase: 'Unbound' } },
  };
  for (const [when, metadata] of Object.entries(rows)) {
    for (const call of ['connect', 'observe'] as const) {
      test(`${when}: ${call} fails`, async () => {
        const scene = deletedWithout(call, metadata);
        await scene.run();
        assert.deepEqual(scene.object?.metadata.finalizers, finalizers);
        assert.equal(scene.condition('Synced'), `False/ReconcileError: ${call} failed: no route to cloud`);
        scene.external.gate = () => {};
        await scene.run();
        assert.equal(scene.object, undefined);
      });
    }
  }
});
