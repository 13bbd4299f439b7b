import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerReference } from '../../../apis/core/v1alpha1/reference.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { credentialAnnotation, encodeNote, hmacOf } from '../../../controllers/credential.ts';
import { isConflict } from '../../../runtime/client/errors.ts';
import { cut, finalizers, heal, Scene, secretKey, settle } from '../managed-scene.ts';
import { claimRef, managedKind, secretOf } from '../objects.ts';
import { FakeStores } from '../stores-fake.ts';

const named = { 'crossplane.io/external-name': 'db' };
const create = (spec = {}, metadata = {}): Scene =>
  new Scene({ forProvider: { size: 1 }, ...spec }, { finalizers, ...metadata });

/** A scene after its first run: the external resource exists, with the credential of the Secret. */
async function settled(spec = {}): Promise<Scene> {
  const scene = create(spec, { annotations: named });
  await scene.run();
  return scene;
}

const passwordOf = (scene: Scene): string | undefined => scene.external.resources.get('db')?.password;

/** The Secret's password is the one that works, and the status records it. */
function assertApplied(scene: Scene): void {
  const { secret, note, object } = scene;
  assert.ok(secret?.password && note);
  assert.equal(passwordOf(scene), secret.password);
  assert.equal(secret.uri, `db://:${secret.password}@db.example`);
  const hmac = hmacOf(secret.password, note, object?.metadata.uid);
  assert.deepEqual(object?.status?.credential, { hmac, pending: false });
  assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
}

describe('the credential of a managed resource', () => {
  test('is written to the Secret before the external system receives it, and recorded afterwards', async () => {
    const scene = create({ claimRef: claimRef() }, { annotations: named });
    scene.external.plansDetails = true;
    const orders: string[] = [];
    scene.cluster.afterCall = ({ verb, kind }) => void orders.push(`${verb} ${kind}`);
    scene.external.gate = (method) => void orders.push(method);
    await scene.run();
    assert.deepEqual(
      orders.filter((call) => !call.startsWith('get')),
      [
        'connect',
        'create Secret',
        'observe',
        'update FavouriteDBInstance',
        'create',
        'observe',
        'disconnect',
        'updateStatus FavouriteDBInstance',
      ],
    );
    assertApplied(scene);
    assert.equal(scene.note?.for, 'FancySQLInstance team/orders');
    assert.equal(scene.object?.status?.bindingPhase, 'Unbound');
  });

  test('a password that the external system refuses is reported with the Secret and the remedy', async () => {
    const scene = await settled();
    scene.editSecret({ password: '1234567' });
    scene.external.refusal = (password) => (password === '1234567' ? 'password is too short' : undefined);
    await scene.run();
    assert.equal(
      scene.condition('Synced'),
      'False/ReconcileError: password is too short; edit the password in Secret infra/db-connection, or delete that to get another one',
    );
    const synced = scene.object?.status?.conditions?.find(({ type }) => type === 'Synced');
    assert.deepEqual(synced?.error, { class: 'Invalid', advice: ['ChangeCredential'] });
    assert.equal(scene.condition('Ready'), 'True/Available');
    scene.editSecret({ password: 'long-enough' });
    await settle(scene);
    assertApplied(scene);
  });

  test('a password that the external system uses later is pending until then', async () => {
    const scene = create({}, { annotations: named });
    scene.external.isSettingSlow = true;
    await scene.run();
    assert.equal(scene.object?.status?.credential?.pending, true);
    assert.equal(scene.object.status.bindingPhase, undefined);
    scene.external.usePending('db');
    await scene.run();
    assertApplied(scene);
    assert.equal(scene.object?.status?.bindingPhase, 'Unbound');
  });

  test('a creation that finds an existing resource has set nothing, so that the next run sets it at once', async () => {
    const scene = create({}, { annotations: named });
    scene.external.put('db', { size: 1 }, 'of an earlier attempt');
    scene.external.isBlind = true;
    scene.external.after('create', () => (scene.external.isBlind = false));
    const result = await scene.run();
    assert.deepEqual(result, { type: 'after', delayMs: 0, keepsBackOff: true });
    assert.equal(scene.object?.status?.credential, undefined);
    assert.equal(scene.object?.status?.bindingPhase, undefined);
    await settle(scene);
    assertApplied(scene);
    assert.equal(scene.object?.status?.bindingPhase, 'Unbound');
  });

  test('a credential that the external system has already is recorded, and not set again', async () => {
    const scene = await settled();
    scene.external.testsCredentials = true;
    scene.cluster.put(managedKind, omit(scene.object, 'status.credential') as Managed);
    await settle(scene);
    assertApplied(scene);
    assert.equal(scene.external.passwords.length, 1);
  });

  test('a credential that the external system reports as wrong is set again', async () => {
    const scene = await settled();
    scene.external.put('db', { size: 1 }, 'changed there');
    scene.external.observation = { credential: 'wrong' };
    scene.external.before('update', () => (scene.external.observation = {}));
    await settle(scene);
    assertApplied(scene);
  });

  test('an update that set the credential alone is followed at once by the update of the other fields', async () => {
    const scene = await settled();
    scene.editSecret({ password: 'chosen-by-a-user' });
    scene.external.observation = { isUpToDate: false };
    const result = await scene.run();
    assert.equal(passwordOf(scene), 'chosen-by-a-user');
    assert.deepEqual(result, { type: 'after', delayMs: 0, keepsBackOff: true });
  });

  test('a resource that keeps its details nowhere gets a credential that is forgotten', async () => {
    const scene = await settled({ writeConnectionSecretToRef: undefined as never });
    assert.equal(scene.external.passwords.length, 1);
    assert.equal(scene.object?.status?.credential, undefined);
    assert.equal(scene.object?.status?.bindingPhase, 'Unbound');
    assert.equal(scene.cluster.all(SecretKind).length, 0);
  });

  test('a Secret without its note gets a new one, and its credential is applied once more', async () => {
    const scene = await settled();
    const before = scene.secret?.password;
    const annotations = { [credentialAnnotation]: 'not JSON' };
    scene.cluster.set(SecretKind, secretKey, { metadata: { annotations } });
    await settle(scene);
    assert.equal(scene.secret?.password, before);
    assert.equal(scene.note?.for, 'unknown');
    assertApplied(scene);
    assert.equal(scene.external.passwords.length, 2);
  });

  test('a renamed Secret gets another credential, and the former Secret is deleted', async () => {
    const scene = await settled();
    const before = scene.secret?.password;
    const to = { namespace: 'infra', name: 'renamed' };
    scene.edit({ spec: { writeConnectionSecretToRef: to } });
    await settle(scene);
    const [secret, ...others] = scene.cluster.all(SecretKind);
    assert.deepEqual([secret?.metadata.name, others], ['renamed', []]);
    const { password } = decodeDetails(secret);
    assert.notEqual(password, before);
    assert.equal(passwordOf(scene), password);
    const events = scene.process.events.filter(({ reason }) => reason === 'RemovedConnectionSecret');
    const stays = 'remove the ownerReferences of a copy that is to stay';
    assert.deepEqual(
      events.map(({ message }) => message),
      [`deleted Secret infra/db-connection: the resource controls it and does not name it; ${stays}`],
    );
  });

  test('an edit while the credential is set ends the run, and the edited one is applied', async () => {
    const scene = create({}, { annotations: named });
    scene.external.after('create', () => {
      scene.external.afterCall = () => {};
      scene.editSecret({ password: 'edited-in-between' });
    });
    await settle(scene);
    assert.equal(passwordOf(scene), 'edited-in-between');
    assertApplied(scene);
  });

  test('the recorded credential of a lost external resource is removed before it is created again', async () => {
    const scene = await settled();
    scene.external.resources.delete('db');
    scene.external.before('create', () => assert.equal(scene.object?.status?.externalIdentity, undefined));
    await settle(scene);
    assertApplied(scene);
    assert.equal(scene.external.made, 2);
  });
});

const ledger = claimRef({ name: 'ledger', uid: 'ledger-uid' });
const ordersClaim = 'FancySQLInstance team/orders';
const ledgerClaim = 'FancySQLInstance team/ledger';

describe('the claim that a credential is for', () => {
  test('an administrator removes claimRef of a Released resource: it is available, and the next claim gets another credential', async () => {
    const scene = await settled({ claimRef: claimRef() });
    const { password: before } = scene.secret ?? {};
    scene.edit({ spec: { claimRef: undefined as never }, status: { bindingPhase: 'Released' } });
    await settle(scene);
    assert.equal(scene.object?.status?.bindingPhase, 'Unbound');
    assert.equal(scene.secret?.password, before);
    scene.edit({ spec: { claimRef: ledger } });
    await settle(scene);
    assert.equal(scene.note?.for, ledgerClaim);
    assert.notEqual(scene.secret?.password, before);
    assertApplied(scene);
  });

  test('policies without Update: the next claim cannot have it until an administrator allows it', async () => {
    const managementPolicies = ['Observe', 'Create', 'Delete'] as const;
    const scene = await settled({ managementPolicies, claimRef: claimRef() });
    assertApplied(scene);
    const before = scene.secret;
    scene.edit({ spec: { claimRef: ledger } });
    await settle(scene);
    const synced = scene.condition('Synced');
    assert.match(synced, /^False\/ReconcileError: the previous claim knows the credentials/);
    assert.equal(scene.note?.for, ordersClaim);
    scene.annotate('crossplane.io/reoffer', 'with-same-credentials');
    await settle(scene);
    assert.deepEqual([scene.secret, scene.note?.for], [before, ledgerClaim]);
    assert.equal(scene.annotations['crossplane.io/reoffer'], undefined);
    assertApplied(scene);
  });
});

test('a secret store alone keeps the credential: one run, and an entry that is edited there is applied', async () => {
  const { entries, place } = new FakeStores();
  const publishConnectionDetailsTo = { name: 'db' };
  const inStore = { writeConnectionSecretToRef: undefined as never, publishConnectionDetailsTo };
  const scene = create(inStore, { annotations: named });
  scene.store = place;
  await scene.run();
  const entry = entries.get('db') ?? assert.fail();
  assert.equal(passwordOf(scene), entry.data.password);
  assert.equal(entry.data.uri, `db://:${entry.data.password}@db.example`);
  assert.equal(scene.object?.status?.bindingPhase, 'Unbound');
  assert.equal(scene.cluster.all(SecretKind).length, 0);
  entries.set('db', { ...entry, data: { ...entry.data, password: 'chosen-by-a-user' } });
  await settle(scene);
  assert.equal(passwordOf(scene), 'chosen-by-a-user');
  assert.equal(entries.get('db')?.data.uri, 'db://:chosen-by-a-user@db.example');
});

test('two processes that generate a credential at once apply the same one', async () => {
  const scene = create({}, { annotations: named });
  scene.cluster.before('create', SecretKind, () => {
    const ownerReferences = [controllerReference(scene.object ?? assert.fail())];
    const annotations = { [credentialAnnotation]: encodeNote({ key: 'a2V5' }) };
    const data = encodeDetails({ password: 'of the first process' });
    const metadata = { ...secretKey, ownerReferences, annotations };
    scene.cluster.put(SecretKind, secretOf(metadata, { type: connectionSecretType, data }));
  });
  await assert.rejects(scene.run(), isConflict);
  assert.deepEqual(scene.external.passwords, []);
  await settle(scene);
  assert.deepEqual(scene.external.passwords, ['of the first process']);
  assertApplied(scene);
});

describe('a process that ends between any two calls leaves a credential that works after its successor has run', () => {
  const situations: Readonly<Record<string, (scene: Scene) => void>> = {
    'while it applies an edit': (scene) => scene.editSecret({ password: 'edited' }),
    'after the Secret was deleted': (scene) => scene.cluster.delete(SecretKind, secretKey),
  };
  for (const [situation, act] of Object.entries(situations)) {
    test(situation, async () => {
      for (let call = 1; call < 30; call += 1) {
        const scene = await settled();
        act(scene);
        const wasCut = cut(scene, call, 'before');
        const end = await Promise.race([scene.run(), wasCut]);
        heal(scene);
        await settle(scene);
        assertApplied(scene);
        assert.equal(scene.external.made, 1);
        if (end !== 'cut') return;
      }
      assert.fail('a run takes fewer calls than that');
    });
  }
});

describe('a credential that the next claim cannot get', () => {
  test('does not hold up an update of an external system that generates the credential', async () => {
    const secretDetails = { reportsSecrets: true } as const;
    const spec = { forProvider: { size: 1 }, claimRef: claimRef({ name: 'previous' }) };
    const scene = new Scene(spec, { finalizers, annotations: named }, { secretDetails });
    scene.external.put('db', { size: 1 }, 'generated');
    scene.external.observation = { details: { auth: 'generated' } };
    await settle(scene);
    scene.edit({ spec: { claimRef: claimRef(), forProvider: { size: 2 } } });
    await settle(scene);
    assert.match(scene.condition('Synced'), /the external system generates its credentials/);
    assert.deepEqual(scene.external.resources.get('db')?.values, { size: 2 });
    assert.equal(scene.note?.for, 'FancySQLInstance team/previous');
  });
});

describe('an external resource of another owner that is only observed', () => {
  const observed = async (password?: string) => {
    const scene = new Scene({ managementPolicies: ['Observe'], claimRef: claimRef() });
    scene.external.put('db');
    scene.external.observation = { isOfAnother: true, details: { endpoint: 'theirs', uri: 'db://theirs' } };
    if (password !== undefined) {
      scene.cluster.put(SecretKind, {
        ...secretOf(secretKey, { data: encodeDetails({ password }) }),
        type: connectionSecretType,
      });
    }
    await scene.run();
    await scene.run();
    return scene;
  };

  test('publishes no details, reports that, and is not available to its claim', async () => {
    const scene = await observed();
    assert.deepEqual(scene.secret, {});
    assert.equal(
      scene.condition('Synced'),
      'False/ReconcileError: its external resource is managed by another resource, so that no connection details are published; set another name in the annotation crossplane.io/external-name',
    );
    assert.equal(scene.object?.status?.bindingPhase, undefined);
  });

  test('keeps what a person wrote into the Secret', async () => {
    const scene = await observed('given');
    assert.deepEqual(scene.secret, { password: 'given' });
    assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
    assert.equal(scene.object?.status?.bindingPhase, 'Unbound');
  });
});
