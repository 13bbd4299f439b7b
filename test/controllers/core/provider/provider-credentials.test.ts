import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManagedSpec } from '../../../../apis/core/v1alpha1/managed.ts';
import { encodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { heldCredentials } from '../../../../controllers/core/provider/credential-sources.ts';
import { providerFacts } from '../../../../controllers/core/provider/provider-credentials.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { providerConfigKind, providerKind } from '../external-fake.ts';
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
  const meta = (name: string) => ({ apiVersion: 'fcp.crossplane.io/v1alpha3', metadata: { name } });
  cluster.put(providerKind, {
    ...meta('old'),
    kind: 'Provider',
    spec: { credentialsSecretRef: secretRef('old') },
  });
  cluster.put(providerKind, { ...meta('bare'), kind: 'Provider', spec: {} });
  for (const name of ['eu', 'default'])
    cluster.put(providerConfigKind, {
      ...meta(name),
      kind: 'ProviderConfig',
      spec: { credentials: { source: 'Secret', secretRef: secretRef(name) } },
    });
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
  const rows: Record<string, { spec: ManagedSpec; want: string | RegExp }> = {
    'a legacy Provider': { spec: { providerRef: { name: 'old' } }, want: 'old-token' },
    'a ProviderConfig': { spec: { providerConfigRef: { name: 'eu' } }, want: 'eu-token' },
    'none named: the default': { spec: {}, want: 'default-token' },
    'the policy of the reference has no effect on a ProviderConfig that does not exist': {
      spec: optional('gone'),
      want: /^ControllerError: ProviderConfig gone does not exist; create it, or name another one$/,
    },
    'no such Provider': {
      spec: { providerRef: { name: 'gone' } },
      want: /^ControllerError: Provider gone does not exist; create it, or name another one$/,
    },
    'a ProviderConfig of that name is no Provider': {
      spec: { providerRef: { name: 'eu' } },
      want: /^ControllerError: Provider eu does not exist; create it, or name another one$/,
    },
    'a Provider without credentials': {
      spec: { providerRef: { name: 'bare' } },
      want: /^Error: Provider bare has no spec\.credentialsSecretRef$/,
    },
    'no such ProviderConfig': {
      spec: { providerConfigRef: { name: 'gone' } },
      want: /^ControllerError: ProviderConfig gone does not exist; create it, or name another one$/,
    },
  };
  for (const [name, { spec, want }] of Object.entries(rows)) {
    test(name, async () => {
      const { tokenOf } = scene();
      if (want instanceof RegExp) await assert.rejects(tokenOf(spec), want);
      else assert.equal(await tokenOf(spec), want);
    });
  }
});
