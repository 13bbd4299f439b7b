import { defineProvider, defineProviderConfig } from '../../../../../package/schema.ts';

/** Access to one account of Other Cloud (legacy). */
export const ProviderKind = defineProvider({
  group: 'ocp.crossplane.io',
  version: 'v1alpha1',
  stack: 'ocp',
  description:
    'Access to an account of Other Cloud (legacy). The entry of its Secret holds JSON: {"url": …, "token": …}.',
});

/** Access to one account of Other Cloud. */
export const ProviderConfigKind = defineProviderConfig({
  group: 'ocp.crossplane.io',
  version: 'v1alpha1',
  stack: 'ocp',
  description:
    'Access to an account of Other Cloud. The entry of its Secret holds JSON: {"url": …, "token": …}. The ProviderConfig named default is used by resources that name no other.',
});
