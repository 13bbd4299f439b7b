import { defineProvider, defineProviderConfig } from '../../../../../schema.ts';

const names = {
  group: 'toys.example.org',
  version: 'v1alpha1',
  stack: 'toy-shop',
  description:
    'Access to an account of Toy Shop. The entry of its Secret holds JSON: {"url": …, "token": …}.',
};

/** The legacy kind, for older manifests. */
export const ProviderKind = defineProvider(names);

export const ProviderConfigKind = defineProviderConfig(names);
