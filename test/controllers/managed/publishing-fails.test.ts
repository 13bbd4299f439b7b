import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available, creating } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed, ManagedSpec } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerReference } from '../../../apis/core/v1alpha1/reference.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { generatedPassword } from '../../../controllers/credential.ts';
import { ApiError } from '../../../runtime/client/errors.ts';
import { terminating } from '../cluster-fake.ts';
import { finalizers, Scene, secretKey } from '../managed-scene.ts';
import { deletionTimestamp, managed, managedKind, secretOf } from '../objects.ts';
import { FakeStores } from '../stores-fake.ts';

const db = { name: 'db' };
const annotations = { 'crossplane.io/external-name': 'db' };
const publishConnectionDetailsTo = db;
const inStore = { publishConnectionDetailsTo, writeConnectionSecretToRef: undefined as never };
const inBoth = { publishConnectionDetailsTo };
const outage = 'Vault https://vault.example is sealed';

function published(spec: ManagedSpec, options: ConstructorParameters<typeof Scene>[2] = {}) {
  const scene = new Scene({ forProvider: { size: 1 }, ...spec }, { finalizers, annotations }, options);
  const stores = new FakeStores();
  scene.store = stores.place;
  return { scene, stores };
}

/** A resource that was created and published, before its store fails. */
async function settled(...given: Parameters<typeof published>) {
  const made = published(...given);
  await made.scene.run();
  assert.equal(made.scene.condition('Synced'), 'True/ReconcileSuccess');
  made.stores.outage = outage;
  return made;
}

const resize = (scene: Scene): void => scene.edit({ spec: { forProvider: { size: 2 } } });

const why = `cannot get connection details: ${outage}`;
const withoutCopy = `False/ReconcileError: cannot copy the connection details to the secret store: ${why}`;
const places: Readonly<Record<string, readonly [ManagedSpec, synced: string]>> = {
  'a store alone': [inStore, `False/ReconcileError: ${why}`],
  'a Secret and a store': [inBoth, withoutCopy],
};

test('nothing is created if no Secret can have the name of the resource', async () => {
  for (const name of ['Bad_Name', '-db', 'db.', 'x'.repeat(254)]) {
    const { scene } = published({ writeConnectionSecretToRef: { namespace: 'infra', name } });
    await scene.run();
    assert.equal(scene.external.made, 0);
    assert.match(
      scene.condition('Synced'),
      /no Secret can have the name ".+; name another in spec\.writeConnectionSecretToRef$/,
    );
  }
});

test('nothing is created if no namespace can have the name for the Secret of the resource', async () => {
  const correct = 'correct spec.writeConnectionSecretToRef.namespace of the resource';
  for (const namespace of ['Bad_NS', 'team.a', '-ns', 'x'.repeat(64)])
    for (const [classRef, rest] of [
      [undefined, ''],
      [{ name: 'small' }, ', and specTemplate.writeConnectionSecretsToNamespace of class small'],
    ] as const) {
      const { scene } = published({
        writeConnectionSecretToRef: { namespace, name: 'db' },
        ...(classRef && { classRef }),
      });
      await scene.run();
      assert.equal(scene.external.made, 0);
      const synced = scene.condition('Synced');
      assert.match(synced, new RegExp(`no namespace can have the name "${namespace}": `));
      assert.ok(synced.endsWith(`; ${correct}${rest}`), synced);
    }
});

for (const [place, [spec, synced]] of Object.entries(places)) {
  describe(`while its secret store fails, a resource with ${place}`, () => {
    test('is observed', async () => {
      const { scene } = await settled(spec);
      scene.external.ready = creating('restarting');
      await scene.run();
      assert.equal(scene.condition('Ready'), 'False/Creating: restarting');
      scene.external.ready = available();
      await scene.run();
      assert.deepEqual([...scene.conditions, scene.decision], ['True/Available', synced, 'NoUpdate']);
    });

    test('is updated', async () => {
      const { scene } = await settled(spec);
      resize(scene);
      await scene.run();
      assert.deepEqual(scene.external.resources.get('db')?.values, { size: 2 });
      assert.equal(scene.external.passwords.length, 1);
      assert.deepEqual(scene.conditions, ['True/Available', synced]);
    });

    test('is deleted in the external system; its finalizer alone waits', async () => {
      const { scene, stores } = await settled(spec);
      scene.remove();
      await scene.run();
      assert.equal(scene.external.resources.size, 0);
      assert.equal(scene.secret, undefined);
      assert.deepEqual(scene.object?.metadata.finalizers, finalizers);
      assert.equal(scene.condition('Ready'), 'False/Deleting');
      const waiting = scene.condition('Synced');
      assert.equal(waiting, `False/ReconcileError: cannot unpublish connection details: ${outage}`);
      stores.outage = undefined;
      await scene.run();
      assert.deepEqual([scene.object, stores.entries.size], [undefined, 0]);
    });

    test('is observed as before when the store works again', async () => {
      const { scene, stores } = await settled(spec);
      await scene.run();
      stores.outage = undefined;
      await scene.run();
      assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
      assert.equal(stores.entries.get('db')?.data.password, scene.external.resources.get('db')?.password);
    });
  });
}

describe('while its secret store fails', () => {
  test('a resource with the store alone is not created, and is when the store works again', async () => {
    const { scene, stores } = published(inStore);
    stores.outage = outage;
    await scene.run();
    assert.equal(scene.decision, 'CreationRefused');
    assert.deepEqual([scene.external.made, scene.annotations], [0, annotations]);
    assert.deepEqual(scene.conditions, [`False/Unavailable: ${why}`, `False/ReconcileError: ${why}`]);
    stores.outage = undefined;
    await scene.run();
    assert.equal(scene.condition('Ready'), 'True/Available');
    assert.equal(scene.external.resources.get('db')?.password, stores.entries.get('db')?.data.password);
  });

  test('a resource with a Secret and a store is created, and can be bound', async () => {
    const { scene, stores } = published(inBoth);
    stores.outage = outage;
    await scene.run();
    assert.equal(scene.external.resources.get('db')?.password, scene.secret?.password);
    assert.equal(scene.object?.status?.bindingPhase, 'Unbound');
    assert.deepEqual(scene.conditions, ['True/Available', withoutCopy]);
  });

  test('a password that was edited in the store alone is set when the store works again', async () => {
    const { scene, stores } = await settled(inStore);
    const entry = stores.entries.get('db') ?? assert.fail();
    stores.entries.set('db', { ...entry, data: { ...entry.data, password: 'chosen-by-a-user' } });
    await scene.run();
    assert.equal(scene.external.passwords.length, 1);
    stores.outage = undefined;
    await scene.run();
    assert.equal(scene.external.resources.get('db')?.password, 'chosen-by-a-user');
  });

  test('a password that was edited in the Secret is set, although the store has no copy of it', async () => {
    const { scene } = await settled(inBoth);
    scene.editSecret({ password: 'chosen-by-a-user' });
    await scene.run();
    assert.equal(scene.external.resources.get('db')?.password, 'chosen-by-a-user');
  });

  test('a resource that moves from a Secret to the store keeps its Secret until the store works', async () => {
    const { scene, stores } = await settled({});
    const password = scene.secret?.password;
    scene.cluster.edit<Managed>(managedKind, db, ({ spec, ...rest }) => {
      const { writeConnectionSecretToRef: _, ...others } = spec;
      return { ...rest, spec: { ...others, publishConnectionDetailsTo } };
    });
    await scene.run();
    assert.equal(scene.secret?.password, password);
    stores.outage = undefined;
    await scene.run();
    await scene.run();
    assert.equal(scene.secret, undefined);
    assert.equal(scene.external.resources.get('db')?.password, stores.entries.get('db')?.data.password);
  });
});

/** Another resource owns the Secret. */
function takeSecret({ cluster }: Scene): void {
  const ownerReferences = [controllerReference(managed({}, { name: 'rival', uid: 'rival-uid' }))];
  cluster.put(SecretKind, secretOf({ ...secretKey, ownerReferences }));
}

/** The API server refuses to create Secrets. */
const refusing =
  (error: ApiError) =>
  ({ cluster }: Scene): void => {
    cluster.gate = ({ verb, kind }) => {
      if (verb === 'create' && kind === 'Secret') throw error;
    };
  };

const missing = new ApiError('namespaces "infra" not found', { code: 404, reason: 'NotFound' });
const refusals: Readonly<Record<string, readonly [(scene: Scene) => void, reason: string]>> = {
  'in a namespace that does not exist': [refusing(missing), 'NamespaceNotFound'],
  'in a namespace that is being deleted': [refusing(terminating()), 'NamespaceNotFound'],
  'that another object owns': [takeSecret, 'SecretConflict'],
};
const credentials = {
  'with a generated password': { credential: generatedPassword },
  'without secret details': {},
};

describe('a Secret that can be written nowhere', () => {
  for (const [how, [refuse, reason]] of Object.entries(refusals)) {
    for (const [what, secretDetails] of Object.entries(credentials)) {
      test(`${how}: a resource ${what} is not created until it can be`, async () => {
        const { scene } = published({}, { secretDetails });
        refuse(scene);
        await scene.run();
        assert.equal(scene.decision, 'CreationRefused');
        assert.deepEqual([scene.external.made, scene.annotations], [0, annotations]);
        assert.match(scene.condition('Ready'), new RegExp(`^False/${reason}: `));
        assert.match(scene.condition('Synced'), /^False\/ReconcileError: /);
        assert.deepEqual(scene.events, ['Warning CannotPublishConnectionDetails']);
        scene.cluster.gate = () => undefined;
        if (scene.secret !== undefined) scene.cluster.delete(SecretKind, secretKey, deletionTimestamp);
        await scene.run();
        assert.equal(scene.condition('Ready'), 'True/Available');
        assert.equal(scene.secret?.endpoint, 'db.example');
      });

      test(`${how}: an existing resource ${what} is observed, updated and stays Ready`, async () => {
        const { scene } = await settled({}, { secretDetails });
        scene.cluster.delete(SecretKind, secretKey, deletionTimestamp);
        refuse(scene);
        resize(scene);
        await scene.run();
        assert.deepEqual(scene.external.resources.get('db')?.values, { size: 2 });
        assert.equal(scene.condition('Ready'), 'True/Available');
        assert.match(scene.condition('Synced'), /^False\/ReconcileError: /);
        assert.equal(scene.object?.status?.bindingPhase, 'Unbound');
      });
    }
  }
});

test('a deletion does not wait for a Secret that another object owns, and leaves it', async () => {
  const { scene } = await settled({});
  takeSecret(scene);
  scene.remove();
  await scene.run();
  assert.deepEqual([scene.object, scene.external.resources.size], [undefined, 0]);
  assert.notEqual(scene.secret, undefined);
});

const endpoint = 'db.example';
/** It has no certificate any more. */
const open = { isUpToDate: true, ready: available(), details: { endpoint, certificate: null } };

/** A database that reports details, and generates none. */
function reporting(): Scene {
  return new Scene({ forProvider: { size: 1 } }, {}, { secretDetails: {} });
}

/** One whose certificate is in its Secret. */
async function withCertificate(): Promise<Scene> {
  const scene = reporting();
  scene.external.observation = { details: { endpoint, certificate: 'certificate-1' } };
  await scene.run();
  assert.equal(scene.secret?.certificate, 'certificate-1');
  scene.cluster.takeWrites();
  return scene;
}

describe('a detail that the external system does not have any more', () => {
  test('is removed from the Secret in one write; then nothing is written', async () => {
    const scene = await withCertificate();
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
    const scene = await withCertificate();
    scene.editSecret({ note: 'n' });
    scene.external.observation = open;
    await scene.run();
    assert.deepEqual(scene.secret, { endpoint, note: 'n' });
  });
});

test('a credential that the resource does not have any more is removed from its Secret', async () => {
  const isWanted = ({ spec }: Managed) => !('owner' in (spec.forProvider ?? {}));
  const credential = { ...generatedPassword, isWanted };
  const scene = new Scene({ forProvider: { size: 1 } }, {}, { secretDetails: { credential } });
  await scene.run();
  assert.notEqual(scene.secret?.password, undefined);
  scene.edit({ spec: { forProvider: { size: 1, owner: 'app' } } });
  scene.external.observation = { details: { endpoint, uri: null } };
  await scene.run();
  assert.deepEqual(scene.secret, { endpoint });
});

test('an address with such a credential, percent-encoded, is removed from the Secret, too', async () => {
  const isWanted = ({ spec }: Managed) => !('owner' in (spec.forProvider ?? {}));
  const credential = { ...generatedPassword, isWanted };
  const scene = new Scene({ forProvider: { size: 1 } }, {}, { secretDetails: { credential } });
  await scene.run();
  scene.editSecret({ password: 'a!b(c)', uri: 'db://:a%21b%28c%29@db.example' });
  await scene.run();
  scene.edit({ spec: { forProvider: { size: 1, owner: 'app' } } });
  await scene.run();
  assert.equal(scene.secret?.uri, undefined);
});
