import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isConflict } from '../../../runtime/client/errors.ts';
import { broken, conflict } from '../cluster-fake.ts';
import { Scene } from '../managed-scene.ts';

describe('a creation under an assigned name is confirmed before it is announced', () => {
  /** A run whose observation takes 10 s. The first read of the API server after it fails. */
  function slow(error: Error): Scene {
    const scene = new Scene({}, {}, { externalNames: 'assigned' });
    let isObserved = false;
    scene.external.after('observe', () => {
      scene.cluster.clockMs += 10_000;
      isObserved = true;
    });
    scene.cluster.gate = ({ verb }) => {
      if (verb !== 'get' || !isObserved) return;
      scene.cluster.gate = () => {};
      throw error;
    };
    return scene;
  }

  test('a failed read leaves no creation without a result', async () => {
    const scene = slow(broken());
    await scene.run();
    assert.deepEqual(scene.events, ['Warning CannotCreateExternalResource']);
    await scene.run();
    assert.deepEqual([scene.decision, scene.external.made], ['CreateExternal', 1]);
  });

  test('a changed object leaves no creation without a result', async () => {
    const scene = slow(conflict());
    await assert.rejects(scene.run(), isConflict);
    await scene.run();
    assert.deepEqual([scene.decision, scene.external.made], ['CreateExternal', 1]);
  });
});
