/* `services-stack/gcp`: the kinds that hold access to a project, for stacks that add a kind to this provider. */

import { forOtherStacks } from '../../package/schema.ts';
import { ProviderKind as ownProviderKind } from './kinds/v1alpha3/provider.ts';
import { ProviderConfigKind as ownProviderConfigKind } from './kinds/v1beta1/provider-config.ts';

export const ProviderKind = forOtherStacks(ownProviderKind);
export const ProviderConfigKind = forOtherStacks(ownProviderConfigKind);
