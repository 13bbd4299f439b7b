import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CloudError } from '../../../../clients/cloud-error.ts';
import type { ExternalClient } from '../../../../controllers/managed/connecting/external-client.ts';
import { providerHealthConnector } from '../../../../controllers/managed/connecting/provider-health-connector.ts';
import { providerConfig, providerConfigKind } from '../../external-fake.ts';
import { managed } from '../../objects.ts';

const origin = 'ProviderConfig default, secret infra/cloud';
const refused = new CloudError('cannot get instance "a": the cloud refused the token', {
  status: 401,
  code: 'Http401',
  isRetryable: false,
});

/** The reports about the provider while a client is used. */
function scene(calls: Partial<ExternalClient> = {}, connecting?: Error) {
  const reports: string[] = [];
  const abort = new AbortController();
  const client = {
    observe: async () => ({ exists: false, isUpToDate: false }),
    create: async () => ({}),
    update: async () => ({}),
    delete: async () => {},
    ...calls,
  } as ExternalClient;
  const connector = providerHealthConnector(
    {
      async connect() {
        if (connecting !== undefined) throw connecting;
        return client;
      },
    },
    {
      record(_kind, { metadata }, { user, result, system: { version = '' } = {} }) {
        const text =
          typeof result === 'string'
            ? `${result} ${version}`.trim()
            : `${result.errorClass}: ${result.message}`;
        reports.push(`${user} with ${metadata.name}: ${text}`);
      },
    },
    ({ metadata }) =>
      metadata.name === 'orphan'
        ? undefined
        : { kind: providerConfigKind, provider: providerConfig(), origin },
    ({ metadata }) => metadata.name !== 'unnamed',
  );
  const connected = (name = 'a') => connector.connect(managed({}, { name, uid: 'u' }), abort.signal);
  return { reports, abort, connected, signal: abort.signal };
}

describe('a run reports on the provider', () => {
  async function reports(calls: Partial<ExternalClient>, want: readonly string[]): Promise<void> {
    const at = scene(calls);
    const client = await at.connected();
    await client.observe(managed(), undefined, at.signal).catch(() => {});
    assert.deepEqual(at.reports, []);
    await client.disconnect?.();
    assert.deepEqual(at.reports, want);
  }
  test('a resource that was found is reported with the version of the system', () =>
    reports(
      { observe: async () => ({ exists: true, isUpToDate: true }), facts: () => ({ version: 'Cloud 7' }) },
      ['u with default: works Cloud 7'],
    ));
  test('an absent resource is an answer of the system', () => reports({}, ['u with default: works']));
  test('a refusal for missing rights is reported with its class', () =>
    reports(
      {
        observe: () =>
          Promise.reject(
            new CloudError('cannot get: no', { status: 403, code: 'Denied', isRetryable: false }),
          ),
      },
      ['u with default: Forbidden: no'],
    ));
  test('refused credentials are reported without the request', () =>
    reports({ observe: () => Promise.reject(refused) }, [
      'u with default: CredentialsRefused: the cloud refused the token',
    ]));
  test('an error about another object shows nothing', () =>
    reports({ observe: () => Promise.reject(new Error('no such size')) }, ['u with default: unknown']));

  test('credentials that cannot be read are reported', async () => {
    const at = scene({}, new Error('secret infra/cloud of ProviderConfig default does not exist'));
    await assert.rejects(at.connected(), {
      message: 'secret infra/cloud of ProviderConfig default does not exist',
    });
    assert.deepEqual(at.reports, [
      'u with default: CredentialsUnreadable: secret infra/cloud of ProviderConfig default does not exist',
    ]);
  });

  test('a call that was given up reports nothing', async () => {
    const at = scene({ observe: () => Promise.reject(refused) });
    const client = await at.connected();
    at.abort.abort();
    await assert.rejects(client.observe(managed(), undefined, at.signal), refused);
    await client.disconnect?.();
    assert.deepEqual(at.reports, []);
  });

  test('an absent resource without a name shows nothing, because no call may have been made', async () => {
    const at = scene();
    const client = await at.connected('unnamed');
    await client.observe(managed(), undefined, at.signal);
    await client.disconnect?.();
    assert.deepEqual(at.reports, ['u with default: unknown']);
  });

  test('a system that may be remembered shows nothing', async () => {
    const at = scene({ system: async () => 'cloud' });
    const client = await at.connected();
    await client.system?.(at.signal);
    await client.disconnect?.();
    assert.deepEqual(at.reports, ['u with default: unknown']);
  });

  test('the last call of a run decides', async () => {
    const at = scene({ delete: (): Promise<void> => Promise.reject(refused) });
    const client = await at.connected();
    await client.observe(managed(), undefined, at.signal);
    await assert.rejects(async () => client.delete(managed(), at.signal), /refused the token/);
    await client.disconnect?.();
    assert.deepEqual(at.reports, ['u with default: CredentialsRefused: the cloud refused the token']);
  });

  test('a provider that does not exist is not reported', async () => {
    const at = scene({ observe: async () => ({ exists: true, isUpToDate: true }) });
    await (await at.connected('orphan')).observe(managed(), undefined, at.signal);
    assert.deepEqual(at.reports, []);
  });
});

test('an error about the provider names the provider and the Secret, and keeps its cause', async () => {
  const at = scene({ observe: () => Promise.reject(refused) });
  const client = await at.connected();
  await assert.rejects(client.observe(managed(), undefined, at.signal), (error: Error) => {
    assert.equal(error.message, `${refused.message}; connected by ${origin}`);
    assert.equal(error.cause, refused);
    return true;
  });
});
