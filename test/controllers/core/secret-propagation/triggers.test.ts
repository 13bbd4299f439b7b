import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Subscription } from 'rxjs';
import { objectKeyText } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import { propagationAnnotations, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { claimBindingController } from '../../../../controllers/core/claim-binding/setup.ts';
import type { ControllerSpec } from '../../../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../../../runtime/controller/environment.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import {
  claim,
  claimKind,
  classKind,
  classRef,
  managedKind,
  peersOf,
  resourceClass,
  service,
} from '../objects.ts';
import { requestsOf } from '../requests-of.ts';

const orders = { namespace: 'team', name: 'orders' };
const data = { password: 'bmV3' };

/** A claim that is bound, and its managed resource's connection secret. */
async function boundWorld() {
  const cluster = new FakeCluster();
  const specTemplate = { writeConnectionSecretsToNamespace: 'system' };
  cluster.put(classKind, resourceClass('small', {}, { specTemplate }));
  cluster.put(
    claimKind,
    claim({ writeConnectionSecretToRef: { name: 'conn' }, classRef: classRef('small') }, { finalizers: [] }),
  );
  const process = await startStack(cluster, new FakeExternal()).settle();
  process.stop();
  const source = cluster.all(SecretKind).find(({ metadata }) => metadata.namespace === 'system');
  const [resource] = cluster.all(managedKind);
  assert.ok(source && resource);
  return { cluster, source, resource };
}

describe("the controllers that a change of a managed resource's connection Secret wakes", () => {
  let world: Awaited<ReturnType<typeof boundWorld>>;
  let subscription: Subscription | undefined;
  /** Keys asked for since the replay. */
  let woken: string[];

  const listen = async (controller: (env: Environment) => ControllerSpec): Promise<void> => {
    const process = new FakeProcess(world.cluster);
    const { triggers } = controller(process.env);
    await process.synced();
    subscription = requestsOf(...triggers).subscribe((request) => woken.push(objectKeyText(request)));
    woken.length = 0;
  };
  const put = (change: Partial<Secret>): void => {
    world.cluster.put(SecretKind, { ...world.source, ...change });
  };

  beforeEach(async () => {
    world = await boundWorld();
    woken = [];
  });
  afterEach(() => subscription?.unsubscribe());

  describe('claim binding is woken', () => {
    const binding = (env: Environment) => claimBindingController(env, service, peersOf(service));

    test('not for data, which secret propagation copies to a Bound claim', async () => {
      await listen(binding);
      put({ data });
      assert.deepEqual(woken, []);
    });

    test('for data of a claim that is not bound yet', async () => {
      const before = world.cluster.get(claimKind, orders);
      assert.ok(before?.status);
      world.cluster.put(claimKind, { ...before, status: { ...before.status, bindingPhase: 'Unbound' } });
      await listen(binding);
      put({ data });
      assert.deepEqual([...new Set(woken)], ['team/orders']);
    });

    test('for a consent that was withdrawn, even if data changes with it', async () => {
      const { metadata } = world.source;
      const consents = propagationAnnotations(world.source);
      const annotations = Object.fromEntries(
        Object.entries(metadata.annotations ?? {}).filter(([key]) => !(key in consents)),
      );
      await listen(binding);
      put({ metadata: { ...metadata, annotations }, data });
      assert.deepEqual([...new Set(woken)], ['team/orders']);
    });

    test("for a claim's Secret that was deleted", async () => {
      await listen(binding);
      world.cluster.delete(SecretKind, { namespace: 'team', name: 'conn' });
      assert.deepEqual([...new Set(woken)], ['team/orders']);
    });
  });
});
