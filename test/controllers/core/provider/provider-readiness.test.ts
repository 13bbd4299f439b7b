import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Provider, ProviderConfig } from '../../../../apis/core/v1alpha1/provider.ts';
import { SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { CloudError } from '../../../../clients/cloud-error.ts';
import { stackControllers } from '../../../../controllers/core/stack.ts';
import { broken, FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { FakeExternal, providerConfigKind, providerKind } from '../external-fake.ts';
import { managed, managedKind } from '../objects.ts';

const error = (status: number, code: string, words: string): CloudError =>
  new CloudError(`cannot get instance: ${words}`, { status, code, isRetryable: true });
const refused = error(401, 'Http401', 'the cloud refused the token');
const silent = error(0, 'Unreachable', 'the cloud is unreachable');

const config: ProviderConfig = {
  apiVersion: 'fcp.crossplane.io/v1alpha3',
  kind: 'ProviderConfig',
  metadata: { name: 'default' },
  spec: {
    credentials: { source: 'Secret', secretRef: { namespace: 'infra', name: 'cloud', key: 'key' } },
  },
};
const legacy: Provider = {
  apiVersion: 'fcp.crossplane.io/v1alpha3',
  kind: 'Provider',
  metadata: { name: 'legacy' },
  spec: { credentialsSecretRef: { namespace: 'infra', name: 'cloud', key: 'key' } },
};

const cloudSecret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'infra', name: 'cloud' },
  data: { key: 'eA==' },
};

/** A process of a stack whose author has done nothing about providers. */
function scene(users: number) {
  const cluster = new FakeCluster();
  const external = new FakeExternal();
  cluster.put(providerConfigKind, config);
  for (let index = 0; index < users; index += 1) {
    external.put(`db-${index}`);
    cluster.put(
      managedKind,
      managed(
        {},
        {
          name: `db-${index}`,
          uid: `uid-${index}`,
          annotations: { 'crossplane.io/external-name': `db-${index}` },
        },
      ),
    );
  }
  let fault: ((call: number) => Error | undefined) | undefined;
  let held: Promise<void> | undefined;
  let calls = 0;
  external.gate = async (method) => {
    if (method !== 'observe') return;
    calls += 1;
    await held;
    const failure = fault?.(calls);
    if (failure !== undefined) throw failure;
  };
  const start = () =>
    new FakeProcess(cluster, (env) =>
      stackControllers(env, [
        {
          name: 'fcp',
          claims: [],
          managed: () => [
            {
              kind: managedKind,
              connector: external,
              providers: { provider: providerKind, providerConfig: providerConfigKind },
              externalNames: 'deterministic',
            },
          ],
        },
      ]),
    );
  return {
    cluster,
    start,
    /** Decides about each look; undefined: it works. */
    fails(given: typeof fault) {
      fault = given;
    },
    /** Looks wait for it. */
    waitFor(given: typeof held) {
      held = given;
    },
    writes: () => cluster.writes.filter(({ kind }) => kind.startsWith('Provider')).length,
    get ready(): Condition | undefined {
      return cluster
        .get(providerConfigKind, { name: 'default' })
        ?.status?.conditions?.find(({ type }) => type === 'Ready');
    },
  };
}
const told = (ready: Condition | undefined): string => `${ready?.status}/${ready?.reason}`;
const pollMs = 65_000;

describe('Ready of a ProviderConfig, in a process of a stack whose author does nothing about it', () => {
  test('is true once a call has succeeded, and 200 calls that do are no writes more', async () => {
    const at = scene(200);
    const process = await at.start().settle();
    assert.equal(told(at.ready), 'True/CredentialsAccepted');
    const written = at.writes();
    await process.settle(pollMs);
    assert.equal(at.writes(), written);
    process.stop();
  });

  test('200 failures at once are one write, with the secret; one success is another', async () => {
    const at = scene(200);
    const process = await at.start().settle();
    const written = at.writes();
    at.fails(() => refused);
    await process.settle(pollMs * 2);
    assert.equal(told(at.ready), 'False/CredentialsRefused');
    assert.equal(at.ready?.message, 'the cloud refused the token (secret infra/cloud)');
    assert.equal(at.writes(), written + 1);
    at.fails(undefined);
    await process.settle(pollMs);
    assert.equal(told(at.ready), 'True/CredentialsAccepted');
    assert.equal(at.writes(), written + 2);
    process.stop();
  });

  test('a short failure is not reported', async () => {
    const at = scene(3);
    const process = await at.start().settle();
    const written = at.writes();
    let left = 3;
    at.fails(() => (left-- > 0 ? silent : undefined));
    await process.settle(pollMs * 2);
    assert.ok(left < 0);
    assert.equal(at.writes(), written);
    process.stop();
  });

  test('Ready stays True if one of three users always fails', async () => {
    const at = scene(3);
    const process = await at.start().settle();
    at.fails((call) => (call % 3 === 0 ? refused : undefined));
    await process.settle(5_000);
    const written = at.writes();
    await process.settle(3_600_000);
    assert.ok(at.writes() - written <= 4, `${at.writes() - written} writes in an hour`);
    process.stop();
  });

  for (const [what, fault] of [
    ['it works', undefined],
    ['it fails', refused],
  ] as const) {
    test(`another process writes nothing while ${what} as before`, async () => {
      const at = scene(3);
      at.fails(() => fault);
      (await at.start().settle()).stop();
      const before = at.ready;
      const written = at.writes();
      const next = await at.start().settle(pollMs);
      assert.equal(at.writes(), written);
      assert.deepEqual(at.ready, before);
      next.stop();
    });
  }

  test('a call from before an edit does not count for Ready', async () => {
    const at = scene(1);
    const process = await at.start().settle();
    const asked = Promise.withResolvers<void>();
    at.waitFor(asked.promise);
    await process.settle(pollMs);
    at.cluster.edit(providerConfigKind, { name: 'default' }, (object) => ({
      ...object,
      spec: { credentials: { source: 'None' as const } },
    }));
    at.waitFor(undefined);
    at.fails(() => refused);
    asked.resolve();
    await process.settle();
    assert.equal(told(at.ready), 'False/CredentialsRefused');
    assert.equal(at.ready?.observedGeneration, 2);
    process.stop();
  });

  test('a provider without users: its Secret is read, and a missing part is reported', async () => {
    const at = scene(0);
    const process = await at.start().settle();
    assert.equal(told(at.ready), 'False/CannotReadCredentials');
    at.cluster.put(SecretKind, cloudSecret);
    await process.settle(pollMs);
    assert.equal(told(at.ready), 'Unknown/Unused');
    at.cluster.put(SecretKind, { ...cloudSecret, data: {} });
    await process.settle(pollMs);
    assert.equal(told(at.ready), 'False/CannotReadCredentials');
    process.stop();
  });

  test('without an answer about the Secret no condition is written, and users are counted', async () => {
    const at = scene(0);
    at.cluster.gate = ({ verb, kind }) => {
      if (verb === 'get' && kind === 'Secret') throw broken();
    };
    const process = await at.start().settle();
    assert.equal(at.ready, undefined);
    assert.equal(at.cluster.get(providerConfigKind, { name: 'default' })?.status?.users, 0);
    process.stop();
  });

  test('a legacy Provider has the condition, too', async () => {
    const at = scene(0);
    at.cluster.put(SecretKind, cloudSecret);
    at.cluster.put(providerKind, legacy);
    const process = await at.start().settle();
    const [ready] = at.cluster.get(providerKind, { name: 'legacy' })?.status?.conditions ?? [];
    assert.equal(told(ready), 'Unknown/Unused');
    process.stop();
  });
});
