import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectKind } from '../../../apis/core/schema.ts';
import { text } from '../../../apis/core/schema.ts';
import { defineProvider, defineProviderConfig } from '../../../apis/core/v1alpha1/define-provider.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { CloudClientOptions } from '../../../controllers/author/cloud-clients.ts';
import { cloudClients } from '../../../controllers/author/cloud-clients.ts';
import { agentsBy } from '../../../runtime/client/proxies.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { managed, secretOf } from '../objects.ts';

const names = { group: 'gcp.example.org', version: 'v1', stack: 'gcp', description: 'A project.' };
const parameters = { projectID: text('The project that everything is made in.') };
const kinds = {
  provider: defineProvider(names, parameters),
  providerConfig: defineProviderConfig(names, parameters),
};
interface Parameters {
  readonly projectID: string;
}

function scene() {
  const cluster = new FakeCluster();
  const secretRef = { namespace: 'infra', name: 'key', key: 'json' };
  const setKey = (json: string): void => {
    cluster.put(
      SecretKind,
      secretOf({ namespace: 'infra', name: 'key' }, { data: { json: Buffer.from(json).toString('base64') } }),
    );
  };
  setKey(JSON.stringify({ url: 'https://cloud.example', token: 'secret' }));
  const put = (name: string, projectID: string): void => {
    const config: ObjectKind<typeof kinds.providerConfig> = {
      apiVersion: 'gcp.example.org/v1',
      kind: 'ProviderConfig',
      metadata: { name },
      spec: { projectID, credentials: { source: 'Secret', secretRef } },
    };
    cluster.put(kinds.providerConfig, config);
  };
  put('red', 'red-1');
  put('blue', 'blue-1');
  cluster.put(kinds.provider, {
    apiVersion: 'gcp.example.org/v1',
    kind: 'Provider',
    metadata: { name: 'old' },
    spec: { projectID: 'old-1', credentialsSecretRef: secretRef },
  });
  const process = new FakeProcess(cluster);
  const made: string[] = [];
  const connect = cloudClients(
    ({ parameters: { projectID }, url }: CloudClientOptions<Parameters>) => {
      made.push(projectID);
      return { url, projectID };
    },
    { systemOf: ({ url, parameters: { projectID } }) => `${url}/projects/${projectID}` },
  )(process.env, kinds);
  const reached = async (spec: object) => {
    const { signal } = new AbortController();
    const { client, system } = await connect(managed(spec), signal);
    return { ...client, system: await system?.(signal) };
  };
  return { put, setKey, process, made, reached };
}

describe('the clients of a cloud', () => {
  const by = (name: string) => ({ providerConfigRef: { name } });

  test('know the fields of a provider beside its credentials, of both sorts of providers', async () => {
    const { reached } = scene();
    const url = 'https://cloud.example';
    assert.deepEqual(await reached(by('red')), { url, projectID: 'red-1', system: `${url}/projects/red-1` });
    assert.deepEqual(await reached({ providerRef: { name: 'old' } }), {
      url,
      projectID: 'old-1',
      system: `${url}/projects/old-1`,
    });
  });

  test('lead to the system that the URL of the credentials names, unless the stack says another one', async () => {
    const { process, setKey } = scene();
    setKey('{"url": "https://cloud.example/", "token": "secret"}');
    const connect = cloudClients(({ url }: CloudClientOptions<Parameters>) => url)(process.env, kinds);
    const { signal } = new AbortController();
    const { system } = await connect(managed(by('red')), signal);
    assert.equal(await system?.(signal), 'https://cloud.example');
  });

  test('are not shared by providers that differ in these fields alone, and kept as long as nothing changes', async () => {
    const { reached, made } = scene();
    for (const name of ['red', 'blue', 'red', 'blue']) await reached(by(name));
    assert.deepEqual(made, ['red-1', 'blue-1']);
  });

  test('clients are created again when such a field changes', async () => {
    const { reached, made, put, process } = scene();
    await process.synced();
    await reached(by('red'));
    put('red', 'red-2');
    await process.synced();
    assert.equal((await reached(by('red'))).projectID, 'red-2');
    assert.deepEqual(made, ['red-1', 'red-2']);
  });

  test('send nothing once another process may lead', async () => {
    const { process } = scene();
    const halt = new Error('another process may lead');
    const checkLease = (): number => {
      throw halt;
    };
    const connect = cloudClients(({ dispatcher }: CloudClientOptions<Parameters>) => dispatcher)(
      { ...process.env, checkLease },
      kinds,
    );
    const { client } = await connect(managed(by('red')), new AbortController().signal);
    const { signal } = new AbortController();
    const request = {
      origin: 'http://127.0.0.1:9',
      path: '/',
      method: 'GET',
      headers: {},
      body: null,
    } as const;
    await assert.rejects(client.request({ ...request, signal }), { code: 'Halted', cause: halt });
  });

  test('use the proxy of the environment', async () => {
    const { process } = scene();
    const createAgent = agentsBy(() => 'http://127.0.0.1:1');
    const connect = cloudClients(({ dispatcher }: CloudClientOptions<Parameters>) => dispatcher)(
      { ...process.env, createAgent },
      kinds,
    );
    const { signal } = new AbortController();
    const { client } = await connect(managed(by('red')), signal);
    const request = { path: '/', method: 'GET', headers: {}, body: null, signal } as const;
    const answer = client.request({ origin: 'https://cloud.example', ...request });
    await assert.rejects(answer, { code: 'ProxyUnreachable' });
  });

  describe('with credentials of another form', () => {
    const serviceAccount = (text: string) => {
      const { account } = JSON.parse(text) as { readonly account?: string };
      if (account === undefined) throw new Error('the key names no account');
      return { account };
    };
    const connected = async (key: string) => {
      const { process, setKey } = scene();
      setKey(key);
      const connect = cloudClients(({ account }: { readonly account: string }) => account, {
        parse: serviceAccount,
        systemOf: ({ account }) => `accounts/${account}`,
      })(process.env, kinds);
      const { signal } = new AbortController();
      const { client, system } = await connect(managed(by('red')), signal);
      return { client, system: await system?.(signal) };
    };

    test('are made of what the stack reads', async () => {
      assert.deepEqual(await connected('{"account": "ops"}'), { client: 'ops', system: 'accounts/ops' });
    });

    test('say where what cannot be read is, and nothing of what it holds', async () => {
      await assert.rejects(connected('{"password": "hunter2"}'), {
        message: 'cannot use key "json" of secret infra/key: the key names no account',
      });
    });
  });
});
