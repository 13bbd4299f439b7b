import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CredentialSelector } from '../../../apis/core/v1alpha1/credentials.ts';
import type { ManagedSpec } from '../../../apis/core/v1alpha1/managed.ts';
import { encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { credentialReader, heldCredentials } from '../../../controllers/provider/credential-sources.ts';
import { providerFacts } from '../../../controllers/provider/provider-credentials.ts';
import type { Host } from '../../../runtime/controller/host.ts';
import { broken, FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { legacyProvider, providerConfig, providerConfigKind, providerKind } from '../external-fake.ts';
import { managed, secretOf } from '../objects.ts';

const cloud = { namespace: 'infra', name: 'cloud' };
const secretRef = (key: string) => ({ ...cloud, key });

/** A secret with a token for each provider, and the providers that are there. */
function scene() {
  const cluster = new FakeCluster();
  const data = encodeDetails({ old: 'old-token', eu: 'eu-token', default: 'default-token' });
  cluster.put(SecretKind, secretOf(cloud, { data }));
  cluster.put(providerKind, legacyProvider('old', { credentialsSecretRef: secretRef('old') }));
  cluster.put(providerKind, legacyProvider('bare', {}));
  for (const name of ['eu', 'default'])
    cluster.put(providerConfigKind, providerConfig(name, { source: 'Secret', secretRef: secretRef(name) }));
  const { env } = new FakeProcess(cluster);
  const read = providerFacts(env, { provider: providerKind, providerConfig: providerConfigKind });
  return async (spec: ManagedSpec) => heldCredentials((await read(managed(spec))).credentials).text;
}

describe('the credentials of a managed resource', () => {
  const optional = (name: string): ManagedSpec => ({
    providerConfigRef: { name, policy: { resolution: 'Optional' } },
  });
  const missing = (what: string) =>
    new RegExp(`^ControllerError: ${what} does not exist; create it, or name another one$`);
  async function are(spec: ManagedSpec, want: string | RegExp): Promise<void> {
    const tokenOf = scene();
    if (want instanceof RegExp) await assert.rejects(tokenOf(spec), want);
    else assert.equal(await tokenOf(spec), want);
  }
  test('are those of the legacy Provider that it names', () =>
    are({ providerRef: { name: 'old' } }, 'old-token'));
  test('are those of the ProviderConfig that it names', () =>
    are({ providerConfigRef: { name: 'eu' } }, 'eu-token'));
  test('are those of the default ProviderConfig if it names none', () => are({}, 'default-token'));
  test('the policy of the reference has no effect on a ProviderConfig that does not exist', () =>
    are(optional('gone'), missing('ProviderConfig gone')));
  test('need the Provider that it names', () =>
    are({ providerRef: { name: 'gone' } }, missing('Provider gone')));
  test('a Provider that cannot exist is not to be created', () =>
    are(
      { providerRef: { name: 'Bad_Name' } },
      /^ControllerError: Provider Bad_Name does not exist; name another one: no object can have that name$/,
    ));
  test('a ProviderConfig of that name is no Provider', () =>
    are({ providerRef: { name: 'eu' } }, missing('Provider eu')));
  test('a Provider without credentials', () =>
    are({ providerRef: { name: 'bare' } }, /^Error: Provider bare has no spec\.credentialsSecretRef$/));
  test('need the ProviderConfig that it names', () =>
    are({ providerConfigRef: { name: 'gone' } }, missing('ProviderConfig gone')));
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
  const data = encodeDetails({ credentials: 'hush-hush', other: 'x' });
  cluster.put(SecretKind, secretOf(cloud, { data }));
  const { env } = new FakeProcess(cluster, undefined, given);
  return { cluster, read: credentialReader(env) };
}

const inSecret = (key: string): CredentialSelector => ({ source: 'Secret', secretRef: secretRef(key) });
const gone = { namespace: 'infra', name: 'gone' };
const missing: CredentialSelector = { source: 'Secret', secretRef: { ...gone, key: 'token' } };
const inFile = (path: string): CredentialSelector => ({ source: 'Filesystem', fs: { path } });
const inVariable = (name: string): CredentialSelector => ({ source: 'Environment', env: { name } });

describe('credentials by source', () => {
  async function are(selector: CredentialSelector, text: string, origin: string, entries?: object) {
    const credentials = heldCredentials(await reader().read(selector, who));
    assert.deepEqual([credentials.source, credentials.text], [selector.source, text]);
    assert.equal(credentials.origin, origin);
    if (entries !== undefined) assert.deepEqual(credentials.entries(), entries);
  }
  const path = '/etc/cloud.json';
  const inFull = { endpoint: 'db.example', port: '5432', password: 'hush-hush' };
  test('Secret: the entry, among all of them', () =>
    are(inSecret('credentials'), 'hush-hush', 'secret infra/cloud', {
      credentials: 'hush-hush',
      other: 'x',
    }));
  test('Environment: the variable', () =>
    are(inVariable('CLOUD'), '{"token": "hush-hush"}', 'environment variable CLOUD', { token: 'hush-hush' }));
  test('Filesystem: the file, as text and as entries', () =>
    are(inFile(path), files[path]!, `file ${path}`, inFull));
  test('Filesystem: what holds no entries is text all the same', () =>
    are(inFile('/etc/text'), 'hush-hush', 'file /etc/text'));

  for (const source of ['None', 'InjectedIdentity'] as const) {
    test(`${source}: a missing entry is an error, and a caller that can work without it gets none`, async () => {
      const credentials = await reader().read({ source }, who);
      assert.deepEqual(credentials, { source, who });
      const needed = `${who} has credentials of the source ${source}, but the external system needs credentials`;
      assert.throws(() => heldCredentials(credentials), new RegExp(`^Error: ${needed}`));
    });
  }
});

describe('the message names the missing part, and does not repeat the content', () => {
  const other = { source: 'Upbound' } as unknown as CredentialSelector;
  type Row = readonly [CredentialSelector, says: RegExp, given?: Parameters<typeof reader>[0]];
  const rows: Record<string, Row> = {
    'no such secret': [missing, /^secret infra\/gone of ProviderConfig default does not exist$/],
    'no such key': [inSecret('token'), /^secret infra\/cloud of ProviderConfig default has no key "token"$/],
    'a key that each JavaScript object inherits': [
      inSecret('constructor'),
      /^secret infra\/cloud of ProviderConfig default has no key "constructor"$/,
    ],
    'no such variable': [
      inVariable('GONE'),
      /^environment variable GONE of ProviderConfig default is not set/,
    ],
    'a variable without a value': [inVariable('EMPTY'), /EMPTY of .* is not set/],
    'no such file': [inFile('/etc/gone'), /^file \/etc\/gone does not exist \(ProviderConfig default\)$/],
    'an empty file': [inFile('/etc/empty'), /^file \/etc\/empty is empty/],
    'a process without files': [inFile('/etc/text'), /reads? no files/, {}],
    'a process without variables': [inVariable('CLOUD'), /is not set/, {}],
    'Secret without secretRef': [{ source: 'Secret' }, /source Secret and no secretRef$/],
    'Environment without env': [{ source: 'Environment' }, /source Environment and no env$/],
    'Filesystem without fs': [{ source: 'Filesystem' }, /source Filesystem and no fs$/],
    'a source of another age': [other, /unknown source of credentials: Upbound$/],
  };
  for (const [name, [selector, says, given]] of Object.entries(rows)) {
    test(name, async () => {
      const { read } = reader(given);
      await assert.rejects(read(selector, who), (error: Error) => {
        assert.match(error.message, says);
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
  const fails = (name: string) =>
    assert.rejects(read(missing, name), { message: `secret infra/gone of ${name} does not exist` });
  await Promise.all([fails('Provider one'), fails('Provider two')]);
  await fails('Provider three');
  assert.equal(cluster.calls.length, 1);

  cluster.put(SecretKind, secretOf(gone, { data: encodeDetails({ token: 'hush-hush' }) }));
  await cluster.clock.advance(2001);
  assert.equal(heldCredentials(await read(missing, 'Provider one')).text, 'hush-hush');
  assert.equal(cluster.calls.length, 2);
});

test('a failed read is reported with the name of each reader', async () => {
  const { cluster, read } = reader();
  cluster.refuse('get', SecretKind, broken());
  const fails = (name: string) => {
    const message = `cannot get secret infra/cloud of ${name}: ${broken().message}`;
    return assert.rejects(read(inSecret('other'), name), { message });
  };
  await Promise.all([fails('Provider one'), fails('Provider two')]);
});
