import type { Managed } from '../../apis/core/v1alpha1/managed.ts';

export interface ProviderName {
  readonly kind: 'Provider' | 'ProviderConfig';
  readonly name: string;
}

export const providerKey = ({ kind, name }: ProviderName): string => `${kind}/${name}`;

/** The provider that a managed resource uses. `providerConfigRef.policy` has no effect, as in crossplane-runtime. */
export function providerOf({
  spec: { providerConfigRef, providerRef },
}: Pick<Managed, 'spec'>): ProviderName {
  if (providerConfigRef?.name) return { kind: 'ProviderConfig', name: providerConfigRef.name };
  if (providerRef?.name) return { kind: 'Provider', name: providerRef.name };
  return { kind: 'ProviderConfig', name: 'default' };
}
