import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available } from '../../../../apis/core/v1alpha1/condition.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { broken, FakeCluster } from '../cluster-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import { Scene, secretKey } from '../managed-scene.ts';
import { claim, claimKind, classKind, classRef, managedKind, resourceClass } from '../objects.ts';

const endpoint = 'db.example';
/** It asks for no password any more. */
const open = { isUpToDate: true, ready: available(), details: { endpoint, password: null } };

/** A database that has published its first password, `made-at-creation-1`. */
async function published(): Promise<Scene> {
  const scene = new Scene({ forProvider: { size: 1 } });
  scene.external.isDiscreet = true;
  await scene.run();
  await scene.run();
  assert.equal(scene.secret?.password, 'made-at-creation-1');
  scene.cluster.takeWrites();
  return scene;
}

describe('a detail that the external system has none of any more', () => {
  test('goes from the secret in one write, and is known no more; then nothing is written', async () => {
    const scene = await published();
    scene.external.observation = open;
    await scene.run();
    assert.deepEqual(scene.secret, { endpoint });
    assert.deepEqual(scene.cluster.takeWrites(), [
      'update Secret infra/db-connection',
      'updateStatus FavouriteDBInstance db', // of which revision they are
    ]);
    assert.equal(scene.object?.status?.publishedRevision, 2);
    await scene.run();
    scene.restart();
    await scene.run();
    assert.deepEqual(scene.cluster.takeWrites(), []);
    assert.deepEqual(scene.external.known, { endpoint });
  });

  test('is never published where that is said before it could be', async () => {
    const scene = new Scene({ forProvider: { size: 1 } });
    scene.external.observation = open;
    await scene.run();
    assert.deepEqual(scene.secret, { endpoint });
  });

  test('goes though it is said but once, and could not be removed then', async () => {
    const scene = await published();
    scene.external.observation = { isUpToDate: false, details: { endpoint } };
    scene.external.change = { details: { password: null } };
    scene.cluster.gate = ({ verb, kind }) => {
      if (kind === 'Secret' && verb === 'update') throw broken();
    };
    await scene.run();
    assert.equal(scene.secret?.password, 'made-at-creation-1');
    assert.match(scene.condition('Synced'), /cannot create or update connection secret: etcd is unavailable/);
    assert.equal(scene.condition('Ready'), 'True/Available', 'what it opens nothing with is no harm');
    scene.cluster.gate = () => {};
    scene.external.observation = { details: { endpoint }, isUpToDate: true };
    await scene.run();
    assert.deepEqual(scene.secret, { endpoint });
  });

  test('is told nowhere, in the run that removes it either', async () => {
    const scene = await published();
    scene.external.observation = { ...open, isUpToDate: false };
    scene.external.gate = (method) => {
      if (method === 'update') throw new Error('refused: made-at-creation-1 is still in use');
    };
    await scene.run();
    assert.match(scene.condition('Synced'), /update failed: refused: .* is still in use/);
    assert.doesNotMatch(JSON.stringify([scene.object, scene.process.events]), /made-at-creation-1/);
  });

  test('comes back with a new value once there is one', async () => {
    const scene = await published();
    scene.external.observation = open;
    await scene.run();
    scene.external.observation = { details: { endpoint } };
    await scene.run();
    assert.deepEqual(scene.secret, { endpoint, password: 'made-at-update-2' });
    assert.equal(scene.condition('Ready'), 'True/Available');
  });

  test("goes from the claim's secret too; what a person has added to the connection secret stays in both", async () => {
    const cluster = new FakeCluster();
    const external = new FakeExternal();
    external.isDiscreet = true;
    cluster.put(
      classKind,
      resourceClass('small', {}, { specTemplate: { writeConnectionSecretsToNamespace: 'infra' } }),
    );
    cluster.put(
      claimKind,
      claim({ classRef: classRef('small'), writeConnectionSecretToRef: { name: 'conn' } }),
    );
    const process = startStack(cluster, external);
    await process.settle();
    const target = () => decodeDetails(cluster.get(SecretKind, { namespace: 'team', name: 'conn' }));
    const ofResource = cluster.all(managedKind)[0]?.spec.writeConnectionSecretToRef;
    assert.ok(ofResource);
    const source = () => decodeDetails(cluster.get(SecretKind, ofResource));
    assert.equal(target().password, 'made-at-creation-1');
    cluster.edit(SecretKind, ofResource, (secret) => ({
      ...secret,
      data: { ...secret.data, ...encodeDetails({ note: 'n' }) },
    }));
    await process.settle();
    cluster.takeWrites();
    const { endpoint: address } = source();
    external.observation = { isUpToDate: true, details: { password: null } };
    await process.settle(120_000);
    assert.deepEqual(
      [source(), target()],
      [
        { endpoint: address, note: 'n' },
        { endpoint: address, note: 'n' },
      ],
    );
    const secrets = cluster.takeWrites().filter((write) => write.includes(' Secret '));
    assert.deepEqual(secrets.toSorted(), [
      `update Secret ${ofResource.namespace}/${ofResource.name}`,
      'update Secret team/conn',
    ]);
    await process.settle(240_000);
    assert.deepEqual(cluster.takeWrites(), []);
  });
});

test('what is put into the secret by hand under the name of a detail that was removed is neither known nor touched', async () => {
  const scene = await published();
  scene.external.observation = open;
  await scene.run();
  scene.cluster.edit(SecretKind, secretKey, (secret) => ({
    ...secret,
    data: { ...secret.data, ...encodeDetails({ password: 'his' }) },
  }));
  await scene.run();
  assert.deepEqual([scene.secret, scene.external.known], [{ endpoint, password: 'his' }, { endpoint }]);
});
