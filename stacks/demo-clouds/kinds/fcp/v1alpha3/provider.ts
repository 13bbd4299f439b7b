import { defineProvider, defineProviderConfig } from '../../../../../package/schema.ts';

/** Access to one Favourite Cloud project (legacy). */
export const ProviderKind = defineProvider({
  group: 'fcp.crossplane.io',
  version: 'v1alpha3',
  stack: 'fcp',
  description:
    'Access to a Favourite Cloud project (legacy). The entry of its Secret holds JSON: {"url": …, "token": …}.',
});

/** Access to one Favourite Cloud project. */
export const ProviderConfigKind = defineProviderConfig({
  group: 'fcp.crossplane.io',
  version: 'v1alpha3',
  stack: 'fcp',
  description:
    'Access to a Favourite Cloud project. The entry of its Secret holds JSON: {"url": …, "token": …}. The ProviderConfig named default is used by resources that name no other.',
});
