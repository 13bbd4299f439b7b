import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { CloudError } from '../../../clients/cloud-error.ts';
import type { AwsClientOptions } from '../../../stacks/aws/client/aws-client.ts';
import { connectAws } from '../../../stacks/aws/connect.ts';
import { ProviderKind } from '../../../stacks/aws/kinds/v1alpha3/provider.ts';
import { ProviderConfigKind } from '../../../stacks/aws/kinds/v1beta1/provider-config.ts';
import { FakeCluster } from '../../controllers/cluster-fake.ts';
import { FakeProcess } from '../../controllers/environment-fake.ts';
import { managed, secretOf } from '../../controllers/objects.ts';

const keys = { red: 'AKIAREDREDREDRED0001', blue: 'AKIABLUEBLUEBLUE0002' };
const profile = (id: string): string =>
  `[default]\naws_access_key_id = ${id}\naws_secret_access_key = secret-of-${id}\n`;

const endpoint = { url: { type: 'Static', static: 'http://127.0.0.1:18090' } } as const;

const refusal = (code: string, isNowhere: boolean): CloudError =>
  new CloudError('no', { status: 403, code, isRetryable: false, isNowhere });

/** Two accounts, each by a ProviderConfig, one of them the default; a legacy Provider; and an injected identity. */
function scene() {
  const cluster = new FakeCluster();
  for (const [name, id] of Object.entries(keys)) {
    cluster.put(
      SecretKind,
      secretOf(
        { namespace: 'infra', name },
        { data: { credentials: Buffer.from(profile(id)).toString('base64') } },
      ),
    );
  }
  const secretRef = (name: string) => ({ namespace: 'infra', name, key: 'credentials' });
  const config = (name: string, spec: object): unknown =>
    cluster.put(ProviderConfigKind, {
      apiVersion: 'aws.crossplane.io/v1beta1',
      kind: 'ProviderConfig',
      metadata: { name },
      spec,
    } as never);
  config('default', { credentials: { source: 'Secret', secretRef: secretRef('red') } });
  config('blue', { credentials: { source: 'Secret', secretRef: secretRef('blue') }, endpoint });
  config('injected', { credentials: { source: 'InjectedIdentity' } });
  config('signed', {
    credentials: { source: 'Secret', secretRef: secretRef('red') },
    endpoint: { ...endpoint, signingRegion: 'us-west-2' },
  });
  config('none', { credentials: { source: 'None' } });
  cluster.put(ProviderKind, {
    apiVersion: 'aws.crossplane.io/v1alpha3',
    kind: 'Provider',
    metadata: { name: 'old' },
    spec: { region: 'eu-west-1', credentialsSecretRef: secretRef('red') },
  });
  const made: Pick<AwsClientOptions, 'accessKey' | 'parameters'>[] = [];
  const connect = connectAws(({ accessKey, parameters }) => {
    made.push({ ...(accessKey && { accessKey }), parameters });
    return {
      regionOf: (region) => region ?? parameters.region ?? 'none',
      regionLedTo: (region) => parameters.endpoint?.signingRegion ?? region ?? parameters.region ?? 'none',
      async accountAtHome(region) {
        return region?.startsWith('cn-') && accessKey?.accessKeyId !== keys.blue
          ? undefined
          : accessKey?.accessKeyId;
      },
      async account(region) {
        if (region?.includes('nowhere')) throw refusal('RegionRefused', true);
        return accessKey?.accessKeyId ?? 'injected';
      },
      checkCredentials: async () => {},
      call: () => Promise.reject(new Error('nothing is called')),
    };
  })(new FakeProcess(cluster).env, { provider: ProviderKind, providerConfig: ProviderConfigKind });
  const systemOf = async (spec: object): Promise<string | undefined> => {
    const { signal } = new AbortController();
    return (await connect(managed(spec), signal)).system?.(signal);
  };
  return { made, systemOf };
}

const by = (name: string, region?: string) => ({
  providerConfigRef: { name },
  forProvider: { ...(region !== undefined && { region }) },
});

describe('the connections of AWS', () => {
  test('are of the account that the ProviderConfig has the key of, side by side, one client for each', async () => {
    const { made, systemOf } = scene();
    const systems = [];
    for (const spec of [
      { forProvider: { region: 'us-west-1' } },
      by('blue', 'us-west-1'),
      by('default', 'us-west-2'),
    ]) {
      systems.push(await systemOf(spec));
    }
    assert.deepEqual(systems, [`aws ${keys.red}`, `aws ${keys.blue}`, `aws ${keys.red}`]);
    const keyOf = (id: string) => ({ accessKeyId: id, secretAccessKey: `secret-of-${id}` });
    assert.deepEqual(made, [
      { accessKey: keyOf(keys.red), parameters: {} },
      { accessKey: keyOf(keys.blue), parameters: { endpoint } },
    ]);
  });

  test('may be of an identity that is injected', async () => {
    const { made, systemOf } = scene();
    assert.equal(await systemOf(by('injected', 'us-west-1')), 'aws injected');
    assert.deepEqual(made, [{ parameters: {} }]);
  });

  test('are not without credentials', async () => {
    const { systemOf } = scene();
    await assert.rejects(systemOf(by('none', 'us-west-1')), {
      message:
        'ProviderConfig none has credentials of the source None, but the external system needs credentials: use Secret, Environment or Filesystem',
    });
  });

  test('lead to the region of the provider where the resource names none, and that is part of what they lead to', async () => {
    const { systemOf } = scene();
    const providerRef = { name: 'old' };
    assert.equal(await systemOf({ providerRef, forProvider: {} }), `aws ${keys.red} eu-west-1`);
    assert.equal(await systemOf({ providerRef, forProvider: { region: 'us-east-1' } }), `aws ${keys.red}`);
  });

  test('are of the account that the key has where every account is, if the resource names a region that there is not', async () => {
    const { systemOf } = scene();
    assert.equal(await systemOf(by('blue', 'cn-nowhere-1')), `aws ${keys.blue}`);
  });

  test('a region without an account is reported as no such region', async () => {
    const { systemOf } = scene();
    await assert.rejects(systemOf(by('default', 'cn-nowhere-1')), { code: 'RegionRefused' });
  });

  test('clients use the region that requests are signed for, and another one is reported', async () => {
    const { systemOf } = scene();
    const by = (region: string) => ({ providerConfigRef: { name: 'signed' }, forProvider: { region } });
    assert.equal(await systemOf(by('us-west-2')), `aws ${keys.red}`);
    assert.equal(await systemOf(by('us-west-1')), `aws ${keys.red} us-west-2`);
  });
});
