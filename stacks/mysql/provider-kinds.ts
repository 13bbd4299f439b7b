/* `services-stack/mysql`: the kinds that hold access to a server, for stacks that add a kind to this provider. */

import { forOtherStacks } from '../../package/schema.ts';
import {
  ProviderConfigKind as ownProviderConfigKind,
  ProviderKind as ownProviderKind,
} from './kinds/v1alpha1/provider.ts';

export const ProviderKind = forOtherStacks(ownProviderKind);
export const ProviderConfigKind = forOtherStacks(ownProviderConfigKind);
