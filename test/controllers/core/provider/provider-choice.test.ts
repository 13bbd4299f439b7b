import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManagedSpec } from '../../../../apis/core/v1alpha1/managed.ts';
import { providerKey, providerOf } from '../../../../controllers/core/provider/provider-choice.ts';

describe('the provider that a managed resource uses', () => {
  const rows: Readonly<Record<string, readonly [spec: ManagedSpec, provider: string]>> = {
    'is the ProviderConfig default if it names none': [{}, 'ProviderConfig/default'],
    'is the default if it names one without a name': [{ providerRef: {} }, 'ProviderConfig/default'],
    'is the legacy Provider that it names': [{ providerRef: { name: 'old' } }, 'Provider/old'],
    'is the ProviderConfig if it names both': [
      { providerConfigRef: { name: 'eu' }, providerRef: { name: 'old' } },
      'ProviderConfig/eu',
    ],
    'is the one that it names, whatever the policy of the reference': [
      {
        providerConfigRef: { name: 'eu', policy: { resolution: 'Optional', resolve: 'Always' } },
        providerRef: { name: 'old' },
      },
      'ProviderConfig/eu',
    ],
  };
  for (const [rule, [spec, provider]] of Object.entries(rows)) {
    test(rule, () => assert.equal(providerKey(providerOf({ spec })), provider));
  }
});
