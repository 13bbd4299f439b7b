import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';

/** The Provider or ProviderConfig that a managed resource uses, as in `ProviderConfig/default`. */
export function providerOfUser({ spec, metadata }: Managed): string {
  const { providerConfigRef, providerRef } = spec;
  const chosen = metadata.annotations?.['crossplane.io/resolved-provider'];
  if (chosen !== undefined && providerConfigRef?.policy?.resolution === 'Optional') return chosen;
  if (providerConfigRef?.name) return `ProviderConfig/${providerConfigRef.name}`;
  return providerRef?.name ? `Provider/${providerRef.name}` : 'ProviderConfig/default';
}
