import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { Scene, secretKey } from '../managed-scene.ts';

test('an edit of the connection Secret during a run is not overwritten', async () => {
  const scene = new Scene();
  const edit = (value: string): void => {
    const secret = scene.cluster.get(SecretKind, secretKey);
    assert.ok(secret);
    const data = { ...secret.data, note: Buffer.from(value).toString('base64') };
    scene.cluster.put(SecretKind, { ...secret, data });
  };
  await scene.run();
  await scene.run();
  edit('one');
  let isEdited = false;
  scene.external.afterCall = (method) => {
    if (method !== 'observe' || isEdited) return;
    isEdited = true;
    edit('two');
  };
  await scene.run();
  assert.ok(isEdited);
  assert.equal(scene.secret?.note, 'two');
});
