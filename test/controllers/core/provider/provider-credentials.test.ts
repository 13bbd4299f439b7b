import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CredentialSelector } from '../../../../apis/core/v1alpha1/credentials.ts';
import type { ManagedSpec } from '../../../../apis/core/v1alpha1/managed.ts';
import { encodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import {
  credentialReader,
  heldCredentials,
} from '../../../../controllers/core/provider/credential-sources.ts';
import { providerFacts } from '../../../../controllers/core/provider/provider-credentials.ts';
import type { Host } from '../../../../runtime/controller/host.ts';
import { broken, FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { legacyProvider, providerConfig, providerConfigKind, providerKind } from '../external-fake.ts';
import { managed, secretOf } from '../objects.ts';

const secretRef = (key: string) => ({ namespace: 'infra', name: 'cloud', key });

/** A secret with a token for each provider, and the providers that are there. */
function scene() {
  const cluster = new FakeCluster();
  cluster.put(
    SecretKind,
    secretOf(
      { namespace: 'infra', name: 'cloud' },
      { data: encodeDetails({ old: 'old-token', eu: 'eu-token', default: 'default-token' }) },
    ),
  );
  cluster.put(providerKind, legacyProvider('old', { credentialsSecretRef: secretRef('old') }));
  cluster.put(providerKind, legacyProvider('bare', {}));
  for (const name of ['eu', 'default'])
    cluster.put(providerConfigKind, providerConfig(name, { source: 'Secret', secretRef: secretRef(name) }));
  const { env } = new FakeProcess(cluster);
  const read = providerFacts(env, { provider: providerKind, providerConfig: providerConfigKind });
  return {
    cluster,
    tokenOf: async (spec: ManagedSpec) => heldCredentials((await read(managed(spec))).credentials).text,
  };
}

describe('the credentials of a managed resource', () => {
  const optional = (name: string): ManagedSpec => ({
    providerConfigRef: { name, policy: { resolution: 'Optional' } },
  });
  async function are(spec: ManagedSpec, want: string | RegExp): Promise<void> {
    const { tokenOf } = scene();
    if (want instanceof RegExp) await assert.rejects(tokenOf(spec), want);
    else assert.equal(await tokenOf(spec), want);
  }
  test('a legacy Provider', () => are({ providerRef: { name: 'old' } }, 'old-token'));
  test('a ProviderConfig', () => are({ providerConfigRef: { name: 'eu' } }, 'eu-token'));
  test('none named: the default', () => are({}, 'default-token'));
  test('the policy of the reference has no effect on a ProviderConfig that does not exist', () =>
    are(
      optional('gone'),
      /^ControllerError: ProviderConfig gone does not exist; create it, or name another one$/,
    ));
  test('no such Provider', () =>
    are(
      { providerRef: { name: 'gone' } },
      /^ControllerError: Provider gone does not exist; create it, or name another one$/,
    ));
  test('a ProviderConfig of that name is no Provider', () =>
    are(
      { providerRef: { name: 'eu' } },
      /^ControllerError: Provider eu does not exist; create it, or name another one$/,
    ));
  test('a Provider without credentials', () =>
    are({ providerRef: { name: 'bare' } }, /^Error: Provider bare has no spec\.credentialsSecretRef$/));
  test('no such ProviderConfig', () =>
    are(
      { providerConfigRef: { name: 'gone' } },
      /^ControllerError: ProviderConfig gone does not exist; create it, or name another one$/,
    ));
});

const who = 'ProviderConfig default';
const files: Readonly<Record<string, string>> = {
  '/etc/cloud.json': '{"endpoint": "db.example", "port": 5432, "password": "hush-hush", "nested": {}}\n',
  '/etc/empty': ' \n',
  '/etc/text': 'hush-hush',
  '/etc/list': '["hush-hush"]',
  '/etc/string': '"hush-hush"',
  '/etc/number': '7',
  '/etc/null': 'null',
};
const host: Host = {
  variable: (name) => ({ CLOUD: '{"token": "hush-hush"}', EMPTY: '' })[name],
  file: async (path) => files[path] ?? Promise.reject(new Error(`file ${path} does not exist`)),
};

function reader(given: { readonly host?: Host } = { host }) {
  const cluster = new FakeCluster();
  cluster.put(
    SecretKind,
    secretOf(
      { namespace: 'infra', name: 'cloud' },
      { data: encodeDetails({ credentials: 'hush-hush', other: 'x' }) },
    ),
  );
  const { env } = new FakeProcess(cluster, undefined, given);
  return { cluster, read: credentialReader(env) };
}

const inSecret = (key: string): CredentialSelector => ({
  source: 'Secret',
  secretRef: { namespace: 'infra', name: 'cloud', key },
});
const inFile = (path: string): CredentialSelector => ({ source: 'Filesystem', fs: { path } });
const inVariable = (name: string): CredentialSelector => ({ source: 'Environment', env: { name } });

describe('credentials by source', () => {
  async function are(
    selector: CredentialSelector,
    text: string,
    origin: string,
    entries?: object,
  ): Promise<void> {
    const credentials = heldCredentials(await reader().read(selector, who));
    assert.deepEqual([credentials.source, credentials.text], [selector.source, text]);
    assert.equal(credentials.origin, origin);
    if (entries !== undefined) assert.deepEqual(credentials.entries(), entries);
  }
  test('Secret: the entry, among all of them', () =>
    are(inSecret('credentials'), 'hush-hush', 'secret infra/cloud', {
      credentials: 'hush-hush',
      other: 'x',
    }));
  test('Environment: the variable', () =>
    are(inVariable('CLOUD'), '{"token": "hush-hush"}', 'environment variable CLOUD', { token: 'hush-hush' }));
  test('Filesystem: the file, as text and as entries', () =>
    are(inFile('/etc/cloud.json'), files['/etc/cloud.json']!, 'file /etc/cloud.json', {
      endpoint: 'db.example',
      port: '5432',
      password: 'hush-hush',
    }));
  test('Filesystem: what holds no entries is text all the same', () =>
    are(inFile('/etc/text'), 'hush-hush', 'file /etc/text'));

  for (const source of ['None', 'InjectedIdentity'] as const) {
    test(`${source}: a missing entry is an error, and a caller that can work without it gets none`, async () => {
      const credentials = await reader().read({ source }, who);
      assert.deepEqual(credentials, { source, who });
      assert.throws(
        () => heldCredentials(credentials),
        new RegExp(
          `^Error: ${who} has credentials of the source ${source}, but the external system needs credentials`,
        ),
      );
    });
  }
});

describe('the message names the missing part, and does not repeat the content', () => {
  const rows: Record<string, { selector: CredentialSelector; says: RegExp; host?: undefined }> = {
    'no such secret': {
      selector: { source: 'Secret', secretRef: { namespace: 'infra', name: 'gone', key: 'k' } },
      says: /^secret infra\/gone of ProviderConfig default does not exist$/,
    },
    'no such key': {
      selector: inSecret('token'),
      says: /^secret infra\/cloud of ProviderConfig default has no key "token"$/,
    },
    'no such variable': {
      selector: inVariable('GONE'),
      says: /^environment variable GONE of ProviderConfig default is not set/,
    },
    'a variable without a value': { selector: inVariable('EMPTY'), says: /EMPTY of .* is not set/ },
    'no such file': {
      selector: inFile('/etc/gone'),
      says: /^file \/etc\/gone does not exist \(ProviderConfig default\)$/,
    },
    'an empty file': { selector: inFile('/etc/empty'), says: /^file \/etc\/empty is empty/ },
    'a process without files': { selector: inFile('/etc/text'), host: undefined, says: /reads? no files/ },
    'a process without variables': { selector: inVariable('CLOUD'), host: undefined, says: /is not set/ },
    'Secret without secretRef': { selector: { source: 'Secret' }, says: /source Secret and no secretRef$/ },
    'Environment without env': {
      selector: { source: 'Environment' },
      says: /source Environment and no env$/,
    },
    'Filesystem without fs': { selector: { source: 'Filesystem' }, says: /source Filesystem and no fs$/ },
    'a source of another age': {
      selector: { source: 'Upbound' } as unknown as CredentialSelector,
      says: /unknown source of credentials: Upbound$/,
    },
  };
  for (const [name, row] of Object.entries(rows)) {
    test(name, async () => {
      const { read } = reader('host' in row ? {} : { host });
      await assert.rejects(read(row.selector, who), (error: Error) => {
        assert.match(error.message, row.says);
        assert.ok(!error.message.includes('hush-hush'));
        return true;
      });
    });
  }

  const noJson = 'it holds no JSON; an object with the entries of the credentials is expected';
  const noObject = 'it holds no JSON object; one with the entries of the credentials is expected';
  const withoutEntries = { text: noJson, list: noObject, string: noObject, number: noObject, null: noObject };
  for (const [what, message] of Object.entries(withoutEntries)) {
    test(`entries of what holds none: ${what}`, async () => {
      const credentials = heldCredentials(await reader().read(inFile(`/etc/${what}`), who));
      assert.throws(() => credentials.entries(), { message });
    });
  }
});

test('a read that fails late does not undo a later read that succeeded', async () => {
  const { cluster, read } = reader();
  const { promise: failing, reject: fail } = Promise.withResolvers<void>();
  cluster.gate = () => failing;
  const early = read(inSecret('other'), who);
  cluster.gate = () => {};
  await cluster.clock.advance(2001);
  await read(inSecret('other'), who);
  fail(broken());
  await assert.rejects(early, /etcd is unavailable/);
  await read(inSecret('other'), who);
  assert.equal(cluster.calls.length, 2);
});

test('a burst reads a secret once', async () => {
  const { cluster, read } = reader();
  await Promise.all([1, 2].map(() => read(inSecret('other'), who)));
  assert.equal(cluster.calls.length, 1);
});

test('a Secret that does not exist is read every two seconds at most, and each reader gets the error', async () => {
  const { cluster, read } = reader();
  const missing: CredentialSelector = {
    source: 'Secret',
    secretRef: { namespace: 'infra', name: 'gone', key: 'token' },
  };
  const asker = (name: string) => read(missing, name);
  const reported = (name: string) => ({ message: `secret infra/gone of ${name} does not exist` });
  await Promise.all([
    assert.rejects(asker('Provider one'), reported('Provider one')),
    assert.rejects(asker('Provider two'), reported('Provider two')),
  ]);
  await assert.rejects(asker('Provider three'), reported('Provider three'));
  assert.equal(cluster.calls.length, 1);

  cluster.put(
    SecretKind,
    secretOf({ namespace: 'infra', name: 'gone' }, { data: encodeDetails({ token: 'hush-hush' }) }),
  );
  await cluster.clock.advance(2001);
  assert.equal(heldCredentials(await asker('Provider one')).text, 'hush-hush');
  assert.equal(cluster.calls.length, 2);
});

test('a failed read is reported with the name of each reader', async () => {
  const { cluster, read } = reader();
  cluster.refuse('get', SecretKind, broken());
  await Promise.all(
    ['one', 'two'].map((name) =>
      assert.rejects(read(inSecret('other'), `Provider ${name}`), {
        message: `cannot get secret infra/cloud of Provider ${name}: ${broken().message}`,
      }),
    ),
  );
});
