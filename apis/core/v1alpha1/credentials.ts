import type { SecretKeySelector } from './reference.ts';

/** Where credentials may come from (crossplane-runtime, CredentialsSource). */
export const credentialSources = ['None', 'Secret', 'InjectedIdentity', 'Environment', 'Filesystem'] as const;
export type CredentialSource = (typeof credentialSources)[number];

/** Names one place of a source: the part of that source's own is needed, the others mean nothing. */
export interface CredentialSelector {
  readonly source: CredentialSource;
  readonly secretRef?: SecretKeySelector;
  /** Of the controllers' process. */
  readonly env?: { readonly name: string };
  readonly fs?: { readonly path: string };
}
