import { defineProvider } from '../../../../package/schema.ts';
import { access, credentialsHint } from '../access.ts';

/** Access to one Google Cloud project (legacy). */
export const ProviderKind = defineProvider(
  {
    group: 'gcp.crossplane.io',
    version: 'v1alpha3',
    stack: 'gcp',
    description: `Access to a Google Cloud project (legacy). ${credentialsHint}`,
  },
  access,
);
