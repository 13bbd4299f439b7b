/* `services-stack/mysql`: the kinds that hold access to a server, for stacks that add a kind to this provider. */
export { ProviderConfigKind, ProviderKind } from './kinds/v1alpha1/provider.ts';
