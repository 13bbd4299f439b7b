import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManagedSpec } from '../../../apis/core/v1alpha1/managed.ts';
import { providerKey, providerOf } from '../../../controllers/provider/provider-choice.ts';

describe('the provider that a managed resource uses', () => {
  const uses = (spec: ManagedSpec, provider: string): void =>
    assert.equal(providerKey(providerOf({ spec })), provider);
  test('is the ProviderConfig default if it names none', () => uses({}, 'ProviderConfig/default'));
  test('is the default if it names one without a name', () =>
    uses({ providerRef: {} }, 'ProviderConfig/default'));
  test('is the legacy Provider that it names', () => uses({ providerRef: { name: 'old' } }, 'Provider/old'));
  test('is the ProviderConfig if it names both', () =>
    uses({ providerConfigRef: { name: 'eu' }, providerRef: { name: 'old' } }, 'ProviderConfig/eu'));
  test('is the one that it names, whatever the policy of the reference', () =>
    uses(
      {
        providerConfigRef: { name: 'eu', policy: { resolution: 'Optional', resolve: 'Always' } },
        providerRef: { name: 'old' },
      },
      'ProviderConfig/eu',
    ));
});
