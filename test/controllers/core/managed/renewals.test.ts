import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available, unavailable } from '../../../../apis/core/v1alpha1/condition.ts';
import type { ManagedSpec, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
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
import { createRenewals } from '../../../../controllers/core/managed/renewals.ts';
import type { ExternalMethod } from '../external-fake.ts';
import { finalizers, Scene, secretKey } from '../managed-scene.ts';
import { managed } from '../objects.ts';

const offered = {
  annotations: { 'crossplane.io/external-name': 'db', 'crossplane.io/reoffer': 'true' },
  status: { bindingPhase: 'Released' } satisfies ManagedStatus,
};
const released = { status: offered.status };

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
