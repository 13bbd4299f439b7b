import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available, unavailable } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed, ManagedSpec, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../../apis/core/v1alpha1/meta.ts';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import { encodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import type { ConnectionPublisher } from '../../../../controllers/core/connection/connection-publisher.ts';
import { PublishedElsewhere } from '../../../../controllers/core/connection/connection-publisher.ts';
import type { Published } from '../../../../controllers/core/connection/published-details.ts';
import {
  nothingPublished,
  present,
  revisionOf,
} from '../../../../controllers/core/connection/published-details.ts';
import { createRenewals, renewalGraceMs } from '../../../../controllers/core/managed/renewals.ts';
import { isConflict } from '../../../../runtime/client/errors.ts';
import { unsettled } from '../../../../runtime/controller/reconcile.ts';
import { conflict } from '../cluster-fake.ts';
import type { ExternalMethod } from '../external-fake.ts';
import { finalizers, Scene, secretKey } from '../managed-scene.ts';
import { managed, managedKind } from '../objects.ts';

const offered = {
  annotations: { 'crossplane.io/external-name': 'db', 'crossplane.io/reoffer': 'true' },
  status: { bindingPhase: 'Released' } satisfies ManagedStatus,
};
const released = { status: offered.status };

const phase = (scene: Scene) => scene.object?.status?.bindingPhase;
const edit = (scene: Scene, change: (object: Managed) => Managed) =>
  scene.cluster.edit(managedKind, { name: 'db' }, change);

describe('whether what a former claim was told is to be renewed', () => {
  const unchangeable: ManagedSpec = { managementPolicies: ['Observe', 'Create', 'Delete'] };
  const rows: Record<
    string,
    { contested?: boolean; done?: readonly object[]; spec?: ManagedSpec; metadata: object; isDue: boolean }
  > = {
    'once it is offered again': { metadata: offered, isDue: true },
    'not while it is only released': { metadata: released, isDue: false },
    'not where policies do not allow Update': { spec: unchangeable, metadata: offered, isDue: false },
    'not twice for one offer': { done: [offered], metadata: offered, isDue: false },
    'although it was updated before it was offered': { done: [released], metadata: offered, isDue: true },
    'where two processes have set them at a time': { contested: true, metadata: {}, isDue: true },
    'not then, where policies do not allow Update': {
      contested: true,
      spec: unchangeable,
      metadata: {},
      isDue: false,
    },
    'although another was': { done: [{ ...offered, uid: 'another' }], metadata: offered, isDue: true },
  };
  for (const [name, { contested = false, done = [], spec = {}, metadata, isDue }] of Object.entries(rows)) {
    test(name, () => {
      const renewals = createRenewals();
      for (const before of done) renewals.done(managed({}, before));
      if (contested) renewals.contested(managed(spec, metadata));
      assert.equal(renewals.isDue(managed(spec, metadata)), isDue);
    });
  }

  test('once for all that two processes have set', () => {
    const renewals = createRenewals();
    renewals.contested(managed());
    renewals.done(managed());
    assert.equal(renewals.isDue(managed()), false);
  });

  test('at each offer anew', () => {
    const renewals = createRenewals();
    renewals.done(managed({}, offered));
    assert.equal(renewals.isDue(managed({}, released)), false);
    assert.equal(renewals.isDue(managed({}, offered)), true);
  });
});

describe('a renewal ends, however many runs the update takes', () => {
  for (const kind of ['at once', 'as an operation'] as const) {
    test(kind, async () => {
      const scene = new Scene({ forProvider: { size: 1 } }, { finalizers, ...offered });
      scene.external.put('db', { size: 1 }, 'known-to-the-former-claim');
      const operation = Promise.resolve({});
      if (kind === 'as an operation') scene.external.change = { operation };
      scene.external.observation = { ready: unavailable('restarting') };
      await scene.run();
      await operation;
      await scene.run();
      await scene.run();
      assert.equal(scene.external.count('update'), 1);
      assert.equal(scene.secret?.password, 'made-at-update-1');
    });
  }
});

describe('what is offered again is not handed on with the credentials that its former claim was told', () => {
  /** Whose password the former claim knows, in a system that says this of it at each look. */
  function offeredWith(observation: Scene['external']['observation'], spec: ManagedSpec = {}): Scene {
    const scene = new Scene({ forProvider: { size: 1 }, ...spec }, { finalizers, ...offered });
    scene.external.put('db', { size: 1 });
    scene.external.isDiscreet = true;
    scene.external.observation = { isUpToDate: true, ready: available(), ...observation };
    scene.cluster.put(SecretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...secretKey, ownerReferences: [controllerReference(scene.object ?? assert.fail())] },
      type: connectionSecretType,
      data: encodeDetails({
        endpoint: 'db.example',
        uri: 'db://known-to-it@db.example',
        password: 'known-to-it',
      }),
    });
    return scene;
  }
  const stillFormer =
    'False/Unavailable: it is offered again, and its credentials are still those that its former claim was told: none can be set from here; change them in the external system, or take the annotation crossplane.io/reoffer away';

  const unchangeable =
    'False/Unavailable: it is offered again, and its credentials are still those that its former claim was told: spec.managementPolicies do not allow Update; add Update, or take the annotation crossplane.io/reoffer away';

  test('where the system makes them, and others can only be had there: then it is', async () => {
    const details = { endpoint: 'db.example', password: 'known-to-it' };
    const scene = offeredWith({ details });
    for (const _run of [1, 2]) await scene.run();
    assert.deepEqual([phase(scene), scene.condition('Ready')], ['Released', stillFormer]);
    assert.ok(scene.annotations['crossplane.io/reoffer'], 'the offer stands');
    scene.external.observation = {
      isUpToDate: true,
      ready: available(),
      details: { ...details, password: 'turned off and on' },
    };
    await scene.run();
    assert.deepEqual([phase(scene), scene.secret?.password], ['Unbound', 'turned off and on']);
    assert.equal(scene.annotations['crossplane.io/reoffer'], undefined);
  });

  test('because something else of it was changed', async () => {
    const details = { password: 'known-to-it' };
    const scene = offeredWith({ isUpToDate: false, details });
    scene.external.change = { details: {} };
    await scene.run();
    assert.equal(scene.external.count('update'), 1);
    scene.external.put('db', { size: 1 }); // its system tells no password, and has the former one
    scene.external.observation = { isUpToDate: true, ready: available(), details };
    await scene.run();
    assert.deepEqual([phase(scene), scene.condition('Ready')], ['Released', stillFormer]);
  });

  test('though others showed while it was not ready yet: then it is', async () => {
    const scene = offeredWith({ details: { password: 'another' }, ready: unavailable('restarting') });
    await scene.run();
    assert.deepEqual([phase(scene), scene.secret?.password], ['Released', 'another']);
    scene.external.observation = { isUpToDate: true, ready: available(), details: { password: 'another' } };
    await scene.run();
    assert.equal(phase(scene), 'Unbound');
  });

  for (const managementPolicies of [['Observe'], ['Observe', 'Create', 'Delete']] as const) {
    test(`where policies are ${managementPolicies.join(', ')}: who allows Update has it handed on`, async () => {
      const scene = offeredWith({}, { managementPolicies });
      for (const _run of [1, 2]) await scene.run();
      assert.deepEqual(
        [phase(scene), scene.condition('Ready'), scene.secret?.password],
        ['Released', unchangeable, 'known-to-it'],
      );
      edit(scene, ({ spec, ...rest }) => ({
        ...rest,
        spec: { ...spec, managementPolicies: ['Observe', 'Create', 'Update'] as const },
      }));
      scene.external.put('db', { size: 1 }, 'known-to-it');
      scene.external.observation = {};
      for (const _run of [1, 2]) await scene.run();
      assert.deepEqual([phase(scene), scene.secret?.password], ['Unbound', 'made-at-update-1']);
    });
  }

  test('while the system is at something else, and sets none', async () => {
    const scene = offeredWith({ operation: 'update', setsCredentials: true });
    await scene.run();
    assert.deepEqual(
      [phase(scene), scene.condition('Ready')],
      ['Released', 'False/Unavailable: it is offered again, and new credentials are to be set first'],
    );
  });

  test('what has none, but an address, is', async () => {
    const scene = offeredWith({});
    scene.cluster.edit(SecretKind, secretKey, (secret) => ({
      ...secret,
      data: encodeDetails({ endpoint: 'db.example', uri: 'db://db.example' }),
    }));
    await scene.run();
    assert.equal(phase(scene), 'Unbound');
  });
});

describe('what a former claim was told is on record, whatever becomes of the secret that held it', () => {
  const claimed = {
    apiVersion: 'example.org/v1',
    kind: 'Database',
    namespace: 'team',
    name: 'orders',
    uid: 'its',
  };
  const details = { endpoint: 'db.example', password: 'known-to-it' };

  /** A database whose system tells its password, and the claim that it is bound to. */
  async function bound(spec: ManagedSpec = {}): Promise<Scene> {
    const metadata = { ...offered, annotations: { 'crossplane.io/external-name': 'db' } };
    const scene = new Scene(
      { forProvider: { size: 1 }, claimRef: claimed, ...spec },
      { finalizers, ...metadata, status: { bindingPhase: 'Bound' } },
    );
    scene.external.put('db', { size: 1 });
    scene.external.isDiscreet = true;
    tell(scene, details);
    await scene.run();
    assert.equal(scene.secret?.password, details.password);
    return scene;
  }
  /** Its claim goes. */
  const leave = (scene: Scene) =>
    edit(scene, ({ spec: { claimRef: _, ...rest }, ...object }) => ({
      ...object,
      spec: rest,
      status: { ...object.status, bindingPhase: 'Released' as const },
    }));
  async function left(spec: ManagedSpec = {}): Promise<Scene> {
    const scene = await bound(spec);
    leave(scene);
    await scene.run();
    return scene;
  }
  const tell = (scene: Scene, told: NonNullable<Scene['external']['observation']['details']>): void => {
    scene.external.observation = { isUpToDate: true, ready: available(), details: told };
  };
  const offer = (scene: Scene) =>
    edit(scene, (object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { ...object.metadata.annotations, 'crossplane.io/reoffer': 'true' },
      },
    }));
  /** The offer ends once its system tells another password. */
  async function isTakenUpWith(scene: Scene, password: string): Promise<void> {
    tell(scene, { ...details, password });
    await scene.run();
    assert.equal(phase(scene), 'Unbound');
  }
  /** What is on record stays though the next process is kept from looking. */
  async function staysWithTheNext(scene: Scene, record: string | undefined): Promise<void> {
    scene.external.gate = () => Promise.reject(new Error('out of order'));
    scene.restart();
    await scene.run();
    assert.match(scene.condition('Synced') ?? '', /out of order/);
    assert.equal(scene.object?.status?.toldCredentials, record);
  }
  const withData = (change: (data: Readonly<Record<string, string>>) => object) => (scene: Scene) =>
    scene.cluster.edit(SecretKind, secretKey, (secret) => ({
      ...secret,
      data: { ...change(secret.data ?? {}) } as Record<string, string>,
    }));

  const tampering: Readonly<Record<string, (scene: Scene) => void>> = {
    'and somebody takes the password out of its secret': withData(({ password: _, ...rest }) => rest),
    'and somebody deletes its secret': (scene) => scene.cluster.delete(SecretKind, secretKey),
    'and somebody writes another password into its secret': withData((data) => ({
      ...data,
      ...encodeDetails({ password: 'foo' }),
    })),
    'and it is to publish into another secret from now on': (scene) =>
      edit(scene, (object) => ({
        ...object,
        spec: { ...object.spec, writeConnectionSecretToRef: { ...secretKey, name: 'moved' } },
      })),
    'and it is to publish nowhere any more': (scene) => {
      tell(scene, {});
      edit(scene, ({ spec: { writeConnectionSecretToRef: _, ...spec }, ...object }) => ({ ...object, spec }));
    },
    'and it has no password at the moment, which lets everybody in': (scene) =>
      tell(scene, { ...details, password: null }),
    'and something else of it is changed': (scene) => {
      tell(scene, details);
      scene.external.observation = { ...scene.external.observation, isUpToDate: false };
      scene.external.change = { details, operation: Promise.resolve({ details }) };
      scene.external.afterCall = (method) => {
        if (method === 'update') tell(scene, details);
      };
    },
  };
  for (const managementPolicies of [['*'], ['Observe']] as const) {
    for (const [what, tamper] of Object.entries(tampering)) {
      test(`where policies are ${managementPolicies}, ${what}`, async () => {
        const scene = await left({ managementPolicies });
        offer(scene);
        await scene.run();
        tamper(scene);
        for (const _run of [1, 2, 3]) await scene.run();
        assert.equal(phase(scene), 'Released');
        scene.restart();
        tell(scene, scene.external.observation.details ?? {});
        await scene.run();
        assert.equal(phase(scene), 'Released');
        await isTakenUpWith(scene, 'another');
      });
    }
  }

  test('what is told just before the claim goes is on record first, if the process is killed then', async () => {
    for (const isGone of [false, true]) {
      const scene = await bound();
      tell(scene, { ...details, password: 'second' });
      if (isGone) {
        scene.cluster.gate = ({ verb }) => {
          if (verb === 'updateStatus' && scene.secret?.password === 'second') throw conflict();
        };
        await assert.rejects(scene.run());
        scene.cluster.gate = () => {};
      } else {
        scene.external.observation = { ...scene.external.observation, isUpToDate: false };
        await new Promise<void>((killed) => {
          scene.external.gate = (method) => {
            if (method !== 'update') return undefined;
            killed();
            return new Promise(() => {});
          };
          void scene.run();
        });
        scene.external.gate = () => {};
      }
      assert.equal(scene.secret?.password, 'second', 'its claim may read it');
      scene.restart();
      leave(scene);
      tell(scene, { ...details, password: 'second' });
      await scene.run();
      offer(scene);
      await scene.run();
      assert.equal(phase(scene), 'Released');
      await isTakenUpWith(scene, 'third');
    }
  });

  test('what was set from here is published before anything else, though a look echoes it', async () => {
    const scene = await bound();
    const { external } = scene;
    external.put('db', { size: 1 }, 'changed-by-somebody');
    external.isDiscreet = false;
    external.observation = {
      get details() {
        return external.known;
      },
    };
    const calls: string[] = [];
    scene.cluster.gate = ({ verb, kind }) => void calls.push(`${verb} ${kind}`);
    external.afterCall = (method) => void calls.push(method);
    await scene.run();
    assert.equal(scene.secret?.password, 'made-at-update-1');
    const published = calls.slice(calls.indexOf('update') + 1);
    assert.deepEqual(
      published.filter((call) => /^(update|patch)/.test(call)),
      ['update Secret', `updateStatus ${managedKind.kind}`],
    );
  });

  test('what was set and could not be published is on record beside what was, and the next process leaves it there', async () => {
    const scene = await bound();
    const { external, cluster } = scene;
    const former = JSON.parse(scene.object?.status?.toldCredentials ?? '').password;
    external.put('db', { size: 1 }, 'changed-by-somebody');
    external.observation = { isUpToDate: false, details: { endpoint: 'db.example' } };
    external.isDiscreet = false;
    cluster.gate = ({ verb, kind }) => {
      if (kind === 'Secret' && verb !== 'get') throw new Error('etcd is unavailable');
    };
    await scene.run();
    const record = scene.object?.status?.toldCredentials ?? '';
    assert.match(record, new RegExp(`^\\{"password":"${former}[\\w-]{2}"\\}$`));
    await staysWithTheNext(scene, record);
  });

  test('what has none since it was bound lets its former claim in, and waits', async () => {
    const scene = await bound();
    tell(scene, { ...details, password: null });
    await scene.run();
    leave(scene);
    offer(scene);
    await scene.run();
    assert.equal(phase(scene), 'Released');
    await isTakenUpWith(scene, 'another');
  });

  test('and stays where a process that begins knows nothing of it, whether a claim has it or none', async () => {
    for (const hasClaim of [true, false]) {
      const scene = await bound();
      if (!hasClaim) {
        edit(scene, ({ spec: { claimRef: _, ...spec }, ...object }) => ({
          ...{ ...object, spec },
          status: { ...object.status, bindingPhase: 'Unbound' as const },
        }));
        await scene.run();
      }
      const record = scene.object?.status?.toldCredentials;
      assert.match(record ?? '', /^\{"password":".."\}$/);
      scene.cluster.delete(SecretKind, secretKey);
      await staysWithTheNext(scene, record);
    }
  });

  test('an update that it still needs does not end the offer, nor what is on record', async () => {
    const scene = await left();
    const record = scene.object?.status?.toldCredentials;
    offer(scene);
    tell(scene, { ...details, password: 'another' });
    scene.external.observation = { ...scene.external.observation, isUpToDate: false };
    scene.external.change = { operation: new Promise(() => {}) };
    await scene.run();
    assert.equal(scene.external.count('update'), 1);
    assert.deepEqual([phase(scene), scene.object?.status?.toldCredentials], ['Released', record]);
  });

  test('a record that nobody of ours has written counts for nothing', async () => {
    for (const toldCredentials of ['{"password":5}', '[]', 'null', '', '{']) {
      const scene = await left();
      edit(scene, (object) => ({ ...object, status: { ...object.status, toldCredentials } }));
      offer(scene);
      await scene.run();
      assert.equal(phase(scene), 'Released', toldCredentials);
    }
  });

  test('others that were there before it was offered are others', async () => {
    const scene = await left();
    tell(scene, { ...details, password: 'another' });
    await scene.run();
    offer(scene);
    await scene.run();
    assert.deepEqual([phase(scene), scene.secret?.password], ['Unbound', 'another']);
  });

  test('who was told none has nothing to open it with, though it has one since', async () => {
    const scene = await left();
    edit(scene, (object) => ({
      ...object,
      status: { ...object.status, toldCredentials: '{}' },
    }));
    offer(scene);
    await scene.run();
    assert.equal(phase(scene), 'Unbound');
  });

  test('where nothing is on record, it is what is published, or what its system tells', async () => {
    for (const isSecretThere of [true, false]) {
      const scene = await left();
      edit(scene, ({ status: { toldCredentials: _, ...status } = {}, ...object }) => ({
        ...object,
        status,
      }));
      if (!isSecretThere) scene.cluster.delete(SecretKind, secretKey);
      offer(scene);
      for (const _run of [1, 2]) await scene.run();
      assert.equal(phase(scene), 'Released');
      await isTakenUpWith(scene, 'another');
    }
  });

  test('where nothing is on record, and it has none, it waits for one', async () => {
    const scene = await left();
    tell(scene, { ...details, password: null });
    await scene.run();
    edit(scene, ({ status: { toldCredentials: _, ...status } = {}, ...object }) => ({ ...object, status }));
    offer(scene);
    for (const _run of [1, 2]) await scene.run();
    assert.equal(phase(scene), 'Released');
    await isTakenUpWith(scene, 'another');
  });

  test('it says that none lets everybody in', async () => {
    const scene = await left();
    tell(scene, { ...details, password: null });
    offer(scene);
    await scene.run();
    assert.equal(
      scene.condition('Ready'),
      'False/Unavailable: it is offered again, and has none at the moment, so that those of its former claim open it, too: have others made, by spec.forProvider or in the external system, or take the annotation crossplane.io/reoffer away',
    );
  });

  test('it says what has none set where it publishes nowhere', async () => {
    const scene = await left();
    tampering['and it is to publish nowhere any more']?.(scene);
    offer(scene);
    await scene.run();
    assert.equal(
      scene.condition('Ready'),
      'False/Unavailable: it is offered again, and it is to publish none, so that nobody knows whether they are others than its former claim was told; set spec.writeConnectionSecretToRef, or take the annotation crossplane.io/reoffer away',
    );
  });

  test('the record holds nothing that opens anything', async () => {
    const scene = await left();
    assert.match(scene.object?.status?.toldCredentials ?? '', /^\{"password":"[\w-]{2}"\}$/);
  });
});

test('where two places hold different credentials, new ones are set, once, and both have them', async () => {
  const scene = new Scene(
    { forProvider: { size: 1 }, writeConnectionSecretToRef: secretKey },
    { finalizers, annotations: { 'crossplane.io/external-name': 'db' } },
  );
  scene.external.put('db', { size: 1 }, 'right');
  let elsewhere: Published = { details: { password: 'right' }, revision: 0 };
  scene.store = {
    known: async () => elsewhere,
    publish: async (_managed, details, _signal, before = nothingPublished) => {
      elsewhere = { details: present(details), revision: revisionOf(details, before) };
    },
    unpublish: async () => {},
  };
  scene.cluster.put(SecretKind, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...secretKey, ownerReferences: [controllerReference(scene.object ?? assert.fail())] },
    type: connectionSecretType,
    data: encodeDetails({ password: 'from-before-an-edit' }),
  });
  for (const _run of [1, 2, 3]) await scene.run();
  assert.equal(scene.external.count('update'), 1);
  assert.deepEqual(
    [scene.secret?.password, elsewhere.details.password],
    ['made-at-update-1', 'made-at-update-1'],
  );
});

describe('that credentials are about to be set is on record first', () => {
  /** One that is there, and whose password nobody knows, in a cloud that tells none. */
  function lost(): Scene {
    const scene = new Scene(
      { forProvider: { size: 1 } },
      { finalizers, annotations: { 'crossplane.io/external-name': 'db' } },
    );
    scene.external.put('db', { size: 1 }, 'made-at-creation');
    scene.external.isDiscreet = true;
    return scene;
  }
  /** The process that made it publishes, late, what it made it with. */
  const publishLate = (scene: Scene): unknown =>
    scene.cluster.put(SecretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...secretKey, ownerReferences: [controllerReference(scene.object ?? assert.fail())] },
      type: connectionSecretType,
      data: encodeDetails({ password: 'made-at-creation' }),
    });
  /** Runs until the process is killed, once the cloud has the new password and nobody else. */
  async function killedBeforePublishing(scene: Scene): Promise<void> {
    await new Promise<void>((killed) => {
      scene.external.afterCall = (method) => {
        if (method !== 'update') return undefined;
        killed();
        return new Promise(() => {});
      };
      void scene.run();
    });
    scene.external.afterCall = () => {};
    scene.restart();
  }
  const writes = (scene: Scene): number =>
    scene.cluster.calls.filter(({ verb, kind }) => verb === 'updateStatus' && kind === managedKind.kind)
      .length;
  function assertWorks(scene: Scene): void {
    assert.equal(scene.secret?.password, scene.external.things.get('db')?.password);
    assert.equal(scene.condition('Ready'), 'True/Available');
    assert.equal(scene.object?.status?.renewingSince, undefined);
  }

  test('so that what another process publishes is not believed, if the one that set others is killed', async () => {
    const scene = lost();
    await killedBeforePublishing(scene);
    publishLate(scene);
    const result = await scene.run();
    assert.equal(scene.decision, 'CredentialsSetElsewhere');
    assert.deepEqual(result, unsettled(renewalGraceMs));
    assert.equal(scene.condition('Ready'), 'False/Unavailable: password unknown');
    scene.cluster.clockMs += renewalGraceMs;
    await scene.run();
    assert.equal(scene.external.count('update'), 2);
    assertWorks(scene);
  });

  test('so that it is not believed either, if the answer was lost', async () => {
    const scene = lost();
    scene.external.afterCall = (method) => {
      if (method === 'update') throw new Error('connection reset');
    };
    await scene.run();
    publishLate(scene);
    scene.external.afterCall = () => {};
    await scene.run();
    assert.equal(scene.external.count('update'), 2);
    assertWorks(scene);
  });

  test('in one write, which the status of the same run takes back; a retry makes none', async () => {
    const scene = lost();
    let refusals = 0;
    scene.external.gate = (method) => {
      if (method === 'update' && ++refusals <= 3) throw new Error('the cloud is busy');
    };
    await scene.run();
    const atFirst = writes(scene);
    await scene.run();
    await scene.run();
    assert.equal(writes(scene), atFirst);
    await scene.run();
    assert.equal(writes(scene), atFirst + 1);
    assertWorks(scene);
    await scene.run();
    assert.equal(writes(scene), atFirst + 1);
  });

  test('once, where it is refused for good: neither later nor by the next process again', async () => {
    const scene = lost();
    scene.external.gate = (method) => {
      if (method === 'update') throw new Error('this cannot be changed');
    };
    await scene.run();
    const version = scene.object?.metadata.resourceVersion;
    assert.notEqual(scene.object?.status?.renewingSince, undefined);
    scene.cluster.clockMs += renewalGraceMs;
    await scene.run();
    scene.restart();
    await scene.run();
    assert.equal(scene.external.count('update'), 3);
    assert.equal(scene.object?.metadata.resourceVersion, version);
  });

  for (const mark of ['2026-01-02T03:04:00.000Z', '2099-01-01T00:00:00.000Z', 'no time at all']) {
    test(`taken over by who writes none of its own, and sees a password for himself: ${mark}`, async () => {
      const scene = new Scene({ forProvider: { size: 1 } });
      scene.external.observation = { setsCredentials: false };
      await scene.run();
      scene.cluster.edit<Managed>(managedKind, { name: 'db' }, ({ status, ...rest }) => ({
        ...rest,
        status: { ...status, renewingSince: mark },
      }));
      for (let times = 1; times <= 3; times += 1) await scene.run();
      assert.equal(scene.external.count('update'), 1);
      assertWorks(scene);
    });
  }

  test('not where it cannot be written: then nothing is set', async () => {
    const scene = lost();
    scene.cluster.gate = ({ verb }) => {
      if (verb === 'updateStatus') throw conflict();
    };
    await assert.rejects(scene.run(), isConflict);
    assert.equal(scene.external.count('update'), 0);
  });

  test('and said to be over by who has published them, though his status was refused at first', async () => {
    const scene = lost();
    let statuses = 0;
    scene.cluster.gate = ({ verb }) => {
      if (verb === 'updateStatus' && ++statuses === 2) throw conflict();
    };
    await assert.rejects(scene.run(), isConflict);
    assert.notEqual(scene.object?.status?.renewingSince, undefined);
    await scene.run();
    assert.equal(scene.external.count('update'), 1);
    assertWorks(scene);
  });

  test('with a mark of its own by who has seen before what the former has published, and may say yet', async () => {
    const scene = lost();
    scene.external.observation = { details: { endpoint: 'db.example' } };
    let statuses = 0;
    scene.cluster.gate = ({ verb }) => {
      if (verb === 'updateStatus' && ++statuses === 2) throw conflict();
    };
    await assert.rejects(scene.run(), isConflict);
    scene.cluster.gate = () => {};
    const theirs = scene.object?.status?.renewingSince;
    assert.notEqual(theirs, undefined);
    scene.restart();
    await scene.run();
    assert.equal(scene.decision, 'CredentialsSetElsewhere');
    scene.cluster.clockMs += renewalGraceMs;
    const marks: unknown[] = [];
    scene.external.gate = (method) => {
      if (method === 'update') marks.push(scene.object?.status?.renewingSince);
    };
    await scene.run();
    assert.equal(marks.length, 1);
    assert.notEqual(marks[0], theirs);
    assert.equal(scene.object?.status?.publishedRevision, 4);
    assertWorks(scene);
  });

  test('and offered again are those that could not be published', async () => {
    const scene = lost();
    scene.cluster.gate = ({ verb, kind }) => {
      if (kind === 'Secret' && verb !== 'get') throw new Error('etcd is unavailable');
    };
    for (const _run of [1, 2]) await scene.run();
    scene.cluster.gate = () => {};
    await scene.run();
    assert.equal(scene.external.count('update'), 1);
    assertWorks(scene);
  });
});

describe('who is about to set credentials is left alone', () => {
  const begun = (since?: string) =>
    managed({}, { status: since === undefined ? {} : { renewingSince: since } });
  const now = new Date('2026-01-02T03:04:05Z');
  const rows: Record<string, { since?: string; awaitedMs: number; isDue: boolean }> = {
    'not where nobody is': { awaitedMs: 0, isDue: false },
    'for as long as it takes, mostly': { since: '2026-01-02T03:04:02Z', awaitedMs: 7_000, isDue: true },
    'not for longer': { since: '2026-01-02T03:03:55Z', awaitedMs: 0, isDue: true },
    'for no longer than that, if he was ahead of us': {
      since: '2026-01-02T03:04:12Z',
      awaitedMs: 10_000,
      isDue: true,
    },
    'not if a clock was set back since': { since: '2026-01-02T04:00:00Z', awaitedMs: 0, isDue: true },
    'not for what is no time': { since: 'soon', awaitedMs: 0, isDue: true },
  };
  for (const [name, { since, awaitedMs, isDue }] of Object.entries(rows)) {
    test(name, () => {
      const renewals = createRenewals();
      assert.equal(renewals.awaitedMs(begun(since), now), awaitedMs);
      assert.equal(renewals.isDue(begun(since)), isDue);
    });
  }

  test('not if it is this process, which knows whether it has published them', () => {
    const renewals = createRenewals();
    const marked = begun(renewals.begin(begun(), now));
    assert.equal(renewals.awaitedMs(marked, now), 0);
    assert.equal(renewals.isDue(marked), true);
    assert.equal(renewals.isDue(marked, { password: 'set, and to be published' }), false);
    renewals.published(marked, { endpoint: 'db.example' });
    assert.deepEqual([renewals.isDue(marked), renewals.isOver(marked)], [true, false]);
    renewals.published(marked, { password: 'new' });
    assert.deepEqual([renewals.isDue(marked), renewals.isOver(marked)], [false, true]);
  });

  test('and who takes over what another has left is it, too', () => {
    const renewals = createRenewals();
    const left = begun('2026-01-02T03:03:00Z');
    assert.equal(renewals.begin(left, now), undefined);
    renewals.published(left, { password: 'new' });
    assert.deepEqual([renewals.isDue(left), renewals.isOver(left)], [false, true]);
  });

  test('and says so with a mark of its own, once, where that other has published since and may say yet that it is over', () => {
    const renewals = createRenewals();
    const mark = renewals.begin(begun('2026-01-02T03:03:00Z'), now, 1);
    assert.equal(mark, now.toISOString());
    assert.equal(renewals.begin(begun(mark), new Date(now.getTime() + 1_000), 1), undefined);
    renewals.published(begun(mark), { password: 'new' });
    assert.deepEqual([renewals.isDue(begun(mark)), renewals.isOver(begun(mark))], [false, true]);
  });

  test('as one who has said so since is: then what this process has published is in doubt', () => {
    const renewals = createRenewals();
    renewals.published(begun(renewals.begin(begun(), now)), { password: 'new' });
    const theirs = begun('2026-01-02T03:04:04Z');
    assert.deepEqual([renewals.isDue(theirs), renewals.isOver(theirs)], [true, false]);
  });

  test('and where Update is not allowed, what is published counts, and the record stays', () => {
    const renewals = createRenewals();
    const mark = renewals.begin(begun(), now) ?? assert.fail();
    const kept = managed({ managementPolicies: ['Observe'] }, { status: { renewingSince: mark } });
    renewals.published(kept, { password: 'who knows' });
    assert.deepEqual([renewals.isDue(kept), renewals.isOver(kept)], [false, false]);
  });
});

describe('what was to be given new credentials, and could not be, is not said to be ready', () => {
  const busy = 'the cloud is busy';
  const failingUpdate = (method: ExternalMethod): void => {
    if (method === 'update') throw new Error(busy);
  };
  const publisher: ConnectionPublisher = {
    known: async () => nothingPublished,
    publish: async () => undefined,
    unpublish: async () => undefined,
  };

  test('so that a released resource that is offered again stays Released', async () => {
    const scene = new Scene({ forProvider: { size: 1 } }, { finalizers, ...offered });
    scene.external.put('db', { size: 1 });
    scene.external.observation = { isUpToDate: false, ready: available() };
    scene.external.gate = failingUpdate;
    await scene.run();
    assert.equal(scene.condition('Synced'), `False/ReconcileError: update failed: ${busy}`);
    assert.equal(scene.condition('Ready'), 'Unknown/Pending');
    assert.equal(scene.object?.status?.bindingPhase, 'Released');
  });

  test('nor is one whose credentials two processes have set', async () => {
    const scene = new Scene({ forProvider: { size: 1 } }, { finalizers });
    scene.external.put('db', { size: 2 });
    const cause = new PublishedElsewhere(['password'], false);
    scene.publisher = { ...publisher, publish: () => Promise.reject(new Error(cause.message, { cause })) };
    await scene.run();
    assert.equal(scene.condition('Synced'), `False/ReconcileError: ${cause.message}`);
    scene.publisher.publish = publisher.publish;
    scene.external.gate = failingUpdate;
    await scene.run();
    assert.equal(scene.condition('Synced'), `False/ReconcileError: update failed: ${busy}`);
    assert.equal(scene.condition('Ready'), 'Unknown/Pending');
  });
});
