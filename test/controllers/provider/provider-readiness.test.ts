import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import { available, setConditions } from '../../../apis/core/v1alpha1/condition.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { CloudError } from '../../../clients/cloud-error.ts';
import type { ExternalConnector } from '../../../controllers/managed/connecting/external-client.ts';
import { providerFacts } from '../../../controllers/provider/provider-credentials.ts';
import { createProviderHealth } from '../../../controllers/provider/provider-health.ts';
import { providerReadiness } from '../../../controllers/provider/provider-readiness.ts';
import { stackControllers } from '../../../controllers/stack.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { broken, FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  FakeExternal,
  legacyProvider,
  managedService,
  providerConfig,
  providerConfigKind,
  providerKind,
} from '../external-fake.ts';
import { deletionTimestamp, managed, managedKind, now, secretOf } from '../objects.ts';

const error = (status: number, code: string, words: string): CloudError =>
  new CloudError(`cannot get instance: ${words}`, { status, code, isRetryable: true });
const refused = error(401, 'Http401', 'the cloud refused the token');
const silent = error(0, 'Unreachable', 'the cloud is unreachable');

const config = providerConfig();
const cloudSecret = secretOf({ namespace: 'infra', name: 'cloud' }, { data: { key: 'eA==' } });

/** Connects after the credentials were read, as every stack does. */
function reading(env: Environment, external: FakeExternal): ExternalConnector['connect'] {
  const read = providerFacts(env, { provider: providerKind, providerConfig: providerConfigKind });
  return async (object) => {
    const { credentials } = await read(object);
    if ('text' in credentials && credentials.text === 'wrong') throw refused;
    return external.connect();
  };
}

/** A process of a stack whose author has done nothing about providers. */
function scene(users: number) {
  const cluster = new FakeCluster();
  const external = new FakeExternal();
  cluster.put(providerConfigKind, config);
  if (users > 0) cluster.put(SecretKind, cloudSecret);
  for (let index = 0; index < users; index += 1) {
    const name = `db-${index}`;
    external.put(name);
    const annotations = { 'crossplane.io/external-name': name };
    cluster.put(managedKind, managed({}, { name, uid: `uid-${index}`, annotations }));
  }
  let fault: ((call: number) => Error | undefined) | undefined;
  let held: Promise<void> | undefined;
  let calls = 0;
  external.gate = async (method) => {
    if (method !== 'observe' && method !== 'check') return;
    calls += 1;
    await held;
    const failure = fault?.(calls);
    if (failure !== undefined) throw failure;
  };
  const start = () =>
    new FakeProcess(cluster, (env) => {
      const managed = () => [managedService({ connect: reading(env, external) })];
      return stackControllers(env, [{ name: 'fcp', claims: [], managed }]);
    });
  return {
    cluster,
    external,
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
      const { conditions = [] } = cluster.get(providerConfigKind, { name: 'default' })?.status ?? {};
      return conditions.find(({ type }) => type === 'Ready');
    },
  };
}
const reported = (ready: Condition | undefined): string => `${ready?.status}/${ready?.reason}`;
const pollMs = 65_000;

describe('Ready of a ProviderConfig, in a process of a stack whose author does nothing about it', () => {
  test('200 failures at once are one write, with the secret; one success is another', async () => {
    const at = scene(200);
    const process = await at.start().settle();
    const written = at.writes();
    at.fails(() => refused);
    await process.settle(pollMs * 2);
    assert.equal(reported(at.ready), 'False/CredentialsRefused');
    assert.equal(at.ready?.message, 'the cloud refused the token; credentials in secret infra/cloud');
    assert.equal(at.writes(), written + 1);
    at.fails(undefined);
    await process.settle(pollMs);
    assert.equal(reported(at.ready), 'True/CredentialsAccepted');
    assert.equal(at.writes(), written + 2);
    process.stop();
  });

  const missing = 'secret infra/cloud of ProviderConfig default does not exist';
  for (const [message, shown] of [
    ['the token has 3 parts', 'the token has 3 parts; credentials in secret infra/cloud'],
    [missing, missing],
  ] as const) {
    test(`unusable credentials are shown with their Secret once: ${shown}`, async () => {
      const at = scene(1);
      at.external.failAt('connect', new Error(message));
      const process = await at.start().settle(pollMs);
      assert.equal(reported(at.ready), 'False/CannotReadCredentials');
      assert.equal(at.ready?.message, shown);
      process.stop();
    });
  }

  test('a warning about the external system is the message of Ready while calls work', async () => {
    const at = scene(1);
    at.external.systemFacts = { version: 'Cloud 7', warning: 'every tenant may connect' };
    const process = await at.start().settle();
    const shown = [reported(at.ready), at.ready?.message];
    assert.deepEqual(shown, ['True/CredentialsAccepted', 'every tenant may connect']);
    const { status } = at.cluster.get(providerConfigKind, { name: 'default' }) ?? {};
    assert.equal(status?.systemVersion, 'Cloud 7');
    at.fails(() => refused);
    await process.settle(pollMs);
    assert.equal(at.ready?.message, 'the cloud refused the token; credentials in secret infra/cloud');
    at.fails(undefined);
    at.external.systemFacts = { version: 'Cloud 7', warning: '' };
    await process.settle(pollMs);
    assert.deepEqual([reported(at.ready), at.ready?.message], ['True/CredentialsAccepted', undefined]);
    process.stop();
  });

  test('a restart keeps the warning, and writes nothing, until a call shows whether it is still true', async () => {
    const at = scene(1);
    at.external.systemFacts = { version: 'Cloud 7', warning: 'every tenant may connect' };
    (await at.start().settle()).stop();
    const written = at.writes();
    at.external.systemFacts = { version: 'Cloud 7' };
    const restarted = await at.start().settle();
    assert.deepEqual([at.ready?.message, at.writes()], ['every tenant may connect', written]);
    at.external.systemFacts = { version: 'Cloud 7', warning: '' };
    await restarted.settle(pollMs);
    assert.deepEqual([reported(at.ready), at.ready?.message], ['True/CredentialsAccepted', undefined]);
    restarted.stop();
  });

  test('after an outage of 10 minutes, all users are observed within 6 s', async () => {
    const at = scene(20);
    const process = await at.start().settle();
    at.fails(() => silent);
    await process.settle(pollMs * 3);
    assert.equal(reported(at.ready), 'False/ProviderUnreachable');
    const tried = at.external.count('observe');
    await process.settle(600_000);
    // In 10 minutes, each user tries once a minute, and one of them every 5 s.
    const tries = at.external.count('observe') - tried;
    assert.ok(tries <= 20 * 11 + 120, `${tries} tries`);
    at.fails(undefined);
    const observed = at.external.count('observe');
    await process.settle(6_000);
    assert.equal(reported(at.ready), 'True/CredentialsAccepted');
    assert.equal(at.external.count('observe'), observed + 20);
    process.stop();
  });

  const wrong = { ...cloudSecret, data: { key: 'd3Jvbmc=' } };
  const secrets = { 'a wrong Secret that is corrected': wrong, 'a Secret that is created late': undefined };
  for (const [what, broken] of Object.entries(secrets)) {
    test(`${what} takes effect within 2 s`, async () => {
      const at = scene(2);
      if (broken === undefined) at.cluster.delete(SecretKind, cloudSecret.metadata);
      else at.cluster.put(SecretKind, broken);
      const process = await at.start().settle(pollMs * 3);
      assert.equal(at.ready?.status, 'False');
      const observed = at.external.count('observe');
      at.cluster.put(SecretKind, cloudSecret);
      await process.settle(2_000);
      assert.equal(reported(at.ready), 'True/CredentialsAccepted');
      assert.equal(at.external.count('observe'), observed + 2);
      process.stop();
    });
  }

  test('a changed Secret of a provider that works is used by all its users, and shown, within 5 s', async () => {
    const at = scene(2);
    const process = await at.start().settle();
    await process.settle(pollMs);
    assert.equal(reported(at.ready), 'True/CredentialsAccepted');
    at.cluster.put(SecretKind, wrong);
    await process.settle(5_000);
    assert.equal(reported(at.ready), 'False/CredentialsRefused');
    const classes = ['db-0', 'db-1'].map((name) => {
      const { status } = at.cluster.get(managedKind, { name }) ?? {};
      return status?.conditions?.find(({ type }) => type === 'Synced')?.error?.class;
    });
    assert.deepEqual(classes, ['CredentialsRefused', 'CredentialsRefused']);
    process.stop();
  });

  test('a provider without users is checked once, and again when it or its missing Secret changes', async () => {
    const at = scene(0);
    at.external.checksProviders = true;
    const process = await at.start().settle();
    assert.equal(reported(at.ready), 'False/CannotReadCredentials');
    at.cluster.put(SecretKind, cloudSecret);
    await process.settle(2_000);
    assert.equal(reported(at.ready), 'True/CredentialsAccepted');
    await process.settle(3_600_000);
    assert.equal(at.external.count('check'), 1);
    at.fails(() => refused);
    at.cluster.set(providerConfigKind, { name: 'default' }, { spec: { region: 'eu' } });
    await process.settle();
    assert.equal(reported(at.ready), 'False/CredentialsRefused');
    at.fails(undefined);
    await process.settle(60_000);
    assert.equal(reported(at.ready), 'True/CredentialsAccepted');
    process.stop();
  });

  test('without a check of the stack, a provider without users is Unknown once its Secret can be read', async () => {
    const at = scene(0);
    const process = await at.start().settle();
    assert.equal(reported(at.ready), 'False/CannotReadCredentials');
    at.cluster.put(SecretKind, cloudSecret);
    await process.settle(2_000);
    assert.equal(reported(at.ready), 'Unknown/Unused');
    process.stop();
  });

  test('without an answer about the Secret no condition is written, and users are counted', async () => {
    const at = scene(0);
    at.cluster.refuse('get', SecretKind, broken(), Number.POSITIVE_INFINITY);
    const process = await at.start().settle();
    assert.equal(at.ready, undefined);
    assert.equal(at.cluster.get(providerConfigKind, { name: 'default' })?.status?.users, 0);
    process.stop();
  });

  test('Ready stays while the deletion waits for users, although it changes the generation', async () => {
    const given = { health: createProviderHealth(), check: async () => undefined };
    const readiness = providerReadiness({ log: recordedLog() }, providerConfigKind, given);
    const ready = setConditions([], [available()], { now, generation: 1 });
    const metadata = { ...config.metadata, generation: 2, deletionTimestamp };
    const deleted = { ...config, metadata, status: { conditions: ready } };
    assert.deepEqual(await readiness(deleted, [managed()], new AbortController().signal), {});
  });

  test('a legacy Provider has the condition, too', async () => {
    const at = scene(0);
    at.cluster.put(SecretKind, cloudSecret);
    at.cluster.put(providerKind, legacyProvider('legacy'));
    const process = await at.start().settle();
    const [ready] = at.cluster.get(providerKind, { name: 'legacy' })?.status?.conditions ?? [];
    assert.equal(reported(ready), 'Unknown/Unused');
    process.stop();
  });
});
