import { defineProvider, defineProviderConfig } from '../../core/v1alpha1/define-provider.ts';

/** Access to one account of Other Cloud, the legacy way. */
export const ProviderKind = defineProvider({
  group: 'ocp.crossplane.io',
  version: 'v1alpha1',
  stack: 'ocp',
  description:
    'Access to an account of Other Cloud, the legacy way. Its secret\'s entry holds JSON: {"url": …, "token": …}.',
});

/** Access to one account of Other Cloud. */
export const ProviderConfigKind = defineProviderConfig({
  group: 'ocp.crossplane.io',
  version: 'v1alpha1',
  stack: 'ocp',
  description:
    'Access to an account of Other Cloud. Its secret\'s entry holds JSON: {"url": …, "token": …}. The one named default serves whoever names none.',
});
