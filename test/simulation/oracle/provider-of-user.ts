import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';

/** The Provider or ProviderConfig that a managed resource uses, as in `ProviderConfig/default`. */
export function providerOfUser({ spec }: Managed): string {
  const { providerConfigRef, providerRef } = spec;
  if (providerConfigRef?.name) return `ProviderConfig/${providerConfigRef.name}`;
  return providerRef?.name ? `Provider/${providerRef.name}` : 'ProviderConfig/default';
}
