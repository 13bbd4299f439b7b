import { defineProvider, defineProviderConfig } from '../../../../schema.ts';

const names = {
  group: 'toys.example.org',
  version: 'v1alpha1',
  stack: 'toy-shop',
  description: 'Access to an account of Toy Shop. Its secret\'s entry holds JSON: {"url": …, "token": …}.',
};

/** The legacy way, as older manifests have it. */
export const ProviderKind = defineProvider(names);

export const ProviderConfigKind = defineProviderConfig(names);
