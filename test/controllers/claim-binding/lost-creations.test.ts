import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import { ExternalError, invalid } from '../../../clients/external-error.ts';
import type { ClaimService } from '../../../controllers/claim-service.ts';
import { generatedPassword } from '../../../controllers/credential.ts';
import { stackControllers } from '../../../controllers/stack.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { FakeExternal, managedService } from '../external-fake.ts';
import { claim, claimKind, classKind, classRef, managedKind, resourceClass, service } from '../objects.ts';

const secretDetails = { credential: generatedPassword };
/** No call is too late: some wait for the whole time of a test. */
const limits = { callMs: 3_600_000 };

/** The claims have a `size`, which the resource gets. A resource of another size is incompatible. */
const sized: ClaimService = {
  ...service,
  secretDetails,
  configure: ({ spec }) => ({ forProvider: { size: (spec as { readonly size?: string }).size } }),
  whyIncompatible: ({ spec }, { size }: { readonly size?: string }) =>
    size === undefined || size === (spec as { readonly size?: string }).size ? undefined : `has size ${size}`,
};

const unanswered = new ExternalError('no answer', { errorClass: 'Unreachable' });
const refused = invalid('no such size');
const fields = {
  'an immutable field': { ...managedKind, marks: { immutable: ['size'], identity: [], late: [] } },
  'a mutable field': managedKind,
};

const sizedClaim = claim({ classRef: classRef('small'), ...{ size: 'smal' } });

/** A claim of the size `smal`, the external system, and a process with all controllers. */
function sceneOf(kind: typeof managedKind, of: ClaimService = sized) {
  const cluster = new FakeCluster();
  const specTemplate = { writeConnectionSecretsToNamespace: 'system' };
  cluster.put(classKind, resourceClass('small', {}, { specTemplate }));
  cluster.put(claimKind, sizedClaim);
  const external = new FakeExternal();
  const managed = () => [managedService(external, { kind, secretDetails, limits })];
  const process = new FakeProcess(cluster, (env) =>
    stackControllers(env, [{ name: 'fcp', claims: [of], managed }]),
  );
  const orders = { namespace: 'team', name: 'orders' };
  return {
    external,
    settle: (ms = 600_000) => process.settle(ms),
    async resize(size: string, ms = 600_000): Promise<void> {
      cluster.edit(claimKind, orders, (now) => ({ ...now, spec: { ...now.spec, size } }));
      await process.settle(ms);
    },
    sizeOf: () => (cluster.all(managedKind)[0]?.spec.forProvider as { size?: string } | undefined)?.size,
    ready: () => getCondition(cluster.get(claimKind, orders)?.status?.conditions, 'Ready'),
    made: () => [...external.resources.values()].map(({ values }) => values),
  };
}

/** The external system makes the resource, does not answer, and does not show it. */
function loseAnswers(external: FakeExternal): void {
  external.after('create', () => {
    throw unanswered;
  });
  external.isBlind = true;
}

/** The external system answers, and shows what it has. */
function answer(external: FakeExternal): void {
  Object.assign(external, { gate: () => {}, afterCall: () => {}, isBlind: false });
}

for (const [name, kind] of Object.entries(fields)) {
  describe(`a correction of ${name}`, () => {
    test('waits while the creation may have succeeded, and the former value binds', async () => {
      const { external, settle, resize, sizeOf, ready, made } = sceneOf(kind);
      loseAnswers(external);
      await settle();
      await resize('small');
      assert.equal(sizeOf(), 'smal');
      assert.match(ready().message ?? '', /was provisioned with spec\.size "smal"; give this claim the same/);
      answer(external);
      await settle();
      assert.equal(ready().reason, 'Incompatible');
      await resize('smal');
      assert.equal(ready().status, 'True');
      assert.deepEqual(made(), [{ size: 'smal' }]);
    });

    test('waits during the creation', async () => {
      const { external, settle, resize, sizeOf, ready } = sceneOf(kind);
      external.gate = (method) => (method === 'create' ? new Promise(() => {}) : undefined);
      await settle();
      await resize('small');
      assert.equal(sizeOf(), 'smal');
      assert.equal(ready().reason, 'Incompatible');
    });

    test('follows a refused creation, and waits again after an answer is lost', async () => {
      const { external, settle, resize, sizeOf, ready, made } = sceneOf(kind);
      external.failAt('create', refused);
      await settle();
      answer(external);
      loseAnswers(external);
      await resize('small');
      assert.equal(sizeOf(), 'small');
      await settle();
      await resize('large');
      assert.equal(sizeOf(), 'small');
      answer(external);
      await resize('small');
      assert.equal(ready().status, 'True');
      assert.deepEqual(made(), [{ size: 'small' }]);
    });
  });
}

test('a creation that was refused after it made the resource binds the claim that asks for what was made', async () => {
  const { external, settle, resize, ready, made } = sceneOf(fields['an immutable field']);
  external.after('create', () => {
    external.isBlind = true;
    throw refused;
  });
  external.before('observe', () => {
    if (external.isBlind) throw unanswered;
  });
  await settle();
  await resize('small');
  answer(external);
  await settle();
  assert.match(ready().message ?? '', /has size smal; create another claim$/);
  await resize('smal');
  assert.equal(ready().status, 'True');
  assert.deepEqual(made(), [{ size: 'smal' }]);
});

/** The answer of the external system to a repetition of the refused creation, while the claim is corrected. */
const repeated: Readonly<Record<string, (external: FakeExternal) => void>> = {
  'is accepted': () => {},
  'is refused': (external) => external.failAt('create', refused),
  'is accepted, and the answer is lost': (external) =>
    external.after('create', () => {
      throw unanswered;
    }),
};
const unchecked = omit(sized, 'whyIncompatible');

for (const [name, kind] of Object.entries(fields)) {
  describe(`a stack without whyIncompatible, and a correction of ${name}`, () => {
    for (const [answered, begin] of Object.entries(repeated)) {
      test(`makes one external resource, if the repeated creation ${answered}`, async () => {
        const { external, settle, resize, sizeOf, ready, made } = sceneOf(kind, unchecked);
        external.failAt('create', refused);
        await settle();
        const { promise: accepted, resolve: accept } = Promise.withResolvers<void>();
        answer(external);
        begin(external);
        const { gate } = external;
        external.gate = async (method) => {
          if (method === 'create') await accepted;
          await gate(method);
        };
        // Less than the 90 s of a call in all: after that, the creation may have succeeded.
        await settle(60_000);
        await resize('small', 20_000);
        assert.equal(sizeOf(), 'small');
        accept();
        answer(external);
        await settle();
        assert.equal(external.made, 1);
        // A stack without the check binds what was made, and the resource names the value that it keeps.
        const [{ size } = {}] = made();
        assert.equal(ready().reason, size === 'small' ? 'Available' : 'AvailableWithTrouble');
        assert.equal(size === 'small' || /size from "smal" to "small"/.test(ready().message ?? ''), true);
      });
    }
  });
}
