import { defineProvider, defineProviderConfig } from '../../core/v1alpha1/define-provider.ts';

/** Access to one Favourite Cloud project, the legacy way. */
export const ProviderKind = defineProvider({
  group: 'fcp.crossplane.io',
  version: 'v1alpha3',
  stack: 'fcp',
  description:
    'Access to a Favourite Cloud project, the legacy way. Its secret\'s entry holds JSON: {"url": …, "token": …}.',
});

/** Access to one Favourite Cloud project. */
export const ProviderConfigKind = defineProviderConfig({
  group: 'fcp.crossplane.io',
  version: 'v1alpha3',
  stack: 'fcp',
  description:
    'Access to a Favourite Cloud project. Its secret\'s entry holds JSON: {"url": …, "token": …}. The one named default serves whoever names none.',
});
