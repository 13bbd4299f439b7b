/* `services-stack/aws`: the kinds that hold access to an account, for stacks that add a kind to this provider. */
export { ProviderKind } from './kinds/v1alpha3/provider.ts';
export { ProviderConfigKind } from './kinds/v1beta1/provider-config.ts';
