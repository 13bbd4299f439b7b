import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import type { StoreConfig } from '../../apis/core/v1alpha1/store-config.ts';

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

/** The Secret with the token of a store; undefined: it is not in a Secret. */
export function tokenKeyOf({ spec: { vault } }: StoreConfig): SecretKey | undefined {
  const { token } = vault?.auth ?? {};
  return token?.source === 'Secret' ? token.secretRef : undefined;
}
