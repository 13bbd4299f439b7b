import type { ObjectOf } from '../schema.ts';
import type { provider, providerConfig } from './define-provider.ts';

/** A legacy Provider: names one key of a secret. */
export type Provider = ObjectOf<typeof provider>;

/** Its successor: names one place of one source of credentials. */
export type ProviderConfig = ObjectOf<typeof providerConfig>;
