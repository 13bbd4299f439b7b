import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Subscription } from 'rxjs';
import { ControllerError, reconcileError, setConditions } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { ManagedSpec } from '../../../apis/core/v1alpha1/managed.ts';
import { providerTriggers } from '../../../controllers/provider/provider-credentials.ts';
import type { ProviderHealth } from '../../../controllers/provider/provider-health.ts';
import { createProviderHealth } from '../../../controllers/provider/provider-health.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  FakeExternal,
  legacyProvider,
  providerConfig,
  providerConfigKind,
  providerKind,
  startStack,
} from '../external-fake.ts';
import { managed, managedKind } from '../objects.ts';
import { requestsOf } from '../requests-of.ts';

describe('a change of a provider wakes its users', () => {
  const secretRef = (name = 'a') => ({ namespace: 'infra', name, key: 'key' });
  const provider = (name: string, secret?: string) =>
    legacyProvider(name, { credentialsSecretRef: secretRef(secret) });
  const config = (name: string, secret?: string, more: Parameters<typeof providerConfig>[2] = {}) =>
    providerConfig(name, { source: 'Secret', secretRef: secretRef(secret) }, more);

  let cluster: FakeCluster;
  let woken: string[];
  let health: ProviderHealth;
  let subscription: Subscription;
  const start = async () => {
    const process = new FakeProcess(cluster);
    health = createProviderHealth();
    const kinds = { provider: providerKind, providerConfig: providerConfigKind };
    const triggers = providerTriggers(process.env, kinds, managedKind, health);
    await process.synced();
    subscription = requestsOf(...triggers).subscribe((request) => woken.push(objectKeyText(request)));
  };
  /** A provider that existed at the start is no change. */
  const listen = async () => {
    await start();
    woken.length = 0;
  };
  beforeEach(() => {
    woken = [];
    cluster = new FakeCluster();
    const users: Record<string, ManagedSpec> = {
      'of-provider': { providerRef: { name: 'shop' } },
      'of-config': { providerConfigRef: { name: 'shop' } },
      'of-default': {},
    };
    for (const [name, spec] of Object.entries(users))
      cluster.put(managedKind, managed(spec, { name, uid: name }));
  });
  afterEach(() => subscription.unsubscribe());

  test('a new provider wakes the resources that name it by kind and name', async () => {
    await listen();
    cluster.put(providerKind, provider('shop'));
    assert.deepEqual(woken, ['of-provider']);
    cluster.put(providerConfigKind, config('shop'));
    assert.deepEqual(woken, ['of-provider', 'of-config']);
    cluster.put(providerConfigKind, config('default'));
    assert.deepEqual(woken, ['of-provider', 'of-config', 'of-default']);
    cluster.put(providerKind, provider('of-nobody'));
    assert.equal(woken.length, 3);
  });

  test('the users that wait for a new provider observe their external resource at once', async () => {
    await listen();
    cluster.delete(managedKind, { name: 'of-provider' });
    const external = new FakeExternal();
    external.gate = () => {
      throw new ControllerError('DependencyNotFound', 'ProviderConfig shop does not exist');
    };
    const process = await startStack(cluster, external).settle();
    external.gate = () => {};
    external.calls.length = 0;
    cluster.put(providerConfigKind, config('shop'));
    await process.settle(0);
    assert.deepEqual(external.calls.slice(0, 1), ['connect']);
  });

  test('users at rest wait for their next poll when a provider appears', async () => {
    await listen();
    const external = new FakeExternal();
    const process = await startStack(cluster, external).settle();
    external.calls.length = 0;
    cluster.put(providerConfigKind, config('shop'));
    await process.settle(0);
    assert.deepEqual(external.calls, []);
    cluster.put(providerConfigKind, config('shop', 'b'));
    await process.settle(0);
    assert.deepEqual(external.calls.slice(0, 1), ['connect']);
  });

  test('a provider that existed before the process wakes its users once', async () => {
    cluster.put(providerConfigKind, config('shop'));
    await start();
    assert.deepEqual(woken, ['of-config']);
  });

  test('a provider whose spec changes wakes its users', async () => {
    cluster.put(providerConfigKind, config('shop'));
    cluster.put(providerKind, provider('shop'));
    await listen();
    cluster.put(providerConfigKind, config('shop', 'b'));
    cluster.put(providerKind, provider('shop', 'b'));
    assert.deepEqual(woken, ['of-config', 'of-provider']);
  });

  test('a provider that may work again wakes the resources whose last call failed because of it', async () => {
    const failed = { errorClass: 'CredentialsRefused', message: 'no' } as const;
    cluster.put(providerConfigKind, config('shop'));
    cluster.put(
      managedKind,
      managed(
        { providerConfigRef: { name: 'shop' } },
        {
          name: 'failed',
          uid: 'failed',
          status: {
            conditions: setConditions([], [reconcileError('no', { class: failed.errorClass })], {
              now: new Date(0),
              generation: 1,
            }),
          },
        },
      ),
    );
    await listen();
    const shop = config('shop');
    health.record(providerConfigKind, shop, { user: 'failed', result: failed });
    assert.deepEqual(woken, []);
    health.record(providerConfigKind, shop, { user: 'of-config', result: 'works' });
    assert.deepEqual(woken, ['failed']);
  });

  test('a provider wakes no resource if only its user count changes or it is deleted', async () => {
    cluster.put(providerConfigKind, config('shop'));
    await listen();
    cluster.put(providerConfigKind, config('shop', 'a', { status: { users: 3 } }));
    cluster.delete(providerConfigKind, { name: 'shop' });
    assert.deepEqual(woken, []);
  });
});
