import { defineProviderConfig } from '../../../../package/schema.ts';
import { access, credentialsHint } from '../access.ts';

/** Access to one Google Cloud project. */
export const ProviderConfigKind = defineProviderConfig(
  {
    group: 'gcp.crossplane.io',
    version: 'v1beta1',
    stack: 'gcp',
    description: `Access to a Google Cloud project. ${credentialsHint} The ProviderConfig named default is used by resources that name no other.`,
  },
  access,
);
