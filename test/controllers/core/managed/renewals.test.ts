import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unavailable } from '../../../../apis/core/v1alpha1/condition.ts';
import type { ManagedSpec, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import { createRenewals } from '../../../../controllers/core/managed/renewals.ts';
import { finalizers, Scene } from '../managed-scene.ts';
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
