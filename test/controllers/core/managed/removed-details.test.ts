import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { generatedPassword } from '../../../../controllers/core/credential.ts';
import { Scene } from '../managed-scene.ts';

const endpoint = 'db.example';
/** It has no certificate any more. */
const open = { isUpToDate: true, ready: available(), details: { endpoint, certificate: null } };

/** A database that reports details, and generates none. */
function reporting(): Scene {
  return new Scene({ forProvider: { size: 1 } }, {}, { secretDetails: {} });
}

/** One whose certificate is in its Secret. */
async function published(): Promise<Scene> {
  const scene = reporting();
  scene.external.observation = { details: { endpoint, certificate: 'certificate-1' } };
  await scene.run();
  assert.equal(scene.secret?.certificate, 'certificate-1');
  scene.cluster.takeWrites();
  return scene;
}

describe('a detail that the external system does not have any more', () => {
  test('is removed from the Secret in one write; then nothing is written', async () => {
    const scene = await published();
    scene.external.observation = open;
    await scene.run();
    assert.deepEqual(scene.secret, { endpoint });
    assert.deepEqual(scene.cluster.takeWrites(), ['update Secret infra/db-connection']);
    await scene.run();
    scene.restart();
    await scene.run();
    assert.deepEqual(scene.cluster.takeWrites(), []);
  });

  test('is removed without the entries that a user added', async () => {
    const scene = await published();
    scene.editSecret({ note: 'n' });
    scene.external.observation = open;
    await scene.run();
    assert.deepEqual(scene.secret, { endpoint, note: 'n' });
  });
});

test('a credential that the resource does not have any more is removed from its Secret', async () => {
  const credential = {
    ...generatedPassword,
    isWanted: ({ spec }: Managed) => !('owner' in (spec.forProvider ?? {})),
  };
  const scene = new Scene({ forProvider: { size: 1 } }, {}, { secretDetails: { credential } });
  await scene.run();
  assert.notEqual(scene.secret?.password, undefined);
  scene.edit({ spec: { forProvider: { size: 1, owner: 'app' } } });
  scene.external.observation = { details: { endpoint, uri: null } };
  await scene.run();
  assert.deepEqual(scene.secret, { endpoint });
});
