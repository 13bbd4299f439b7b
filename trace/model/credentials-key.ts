import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { SecretKey } from '../../apis/core/v1alpha1/secret.ts';

/** The Secret and the entry with a provider's credentials; undefined: they are not in a Secret. */
export function credentialsKeyOf(
  provider: Provider | ProviderConfig | undefined,
): (SecretKey & { readonly key: string }) | undefined {
  if (provider === undefined) return undefined;
  const { spec } = provider;
  if ('credentials' in spec) {
    return spec.credentials.source === 'Secret' ? spec.credentials.secretRef : undefined;
  }
  return (spec as Provider['spec']).credentialsSecretRef;
}
