import type { ObjectOf } from '../schema.ts';
import type { provider, providerConfig } from './define-provider.ts';

/** A legacy Provider: names one key of a Secret. */
export type Provider = ObjectOf<typeof provider>;

/** The successor of Provider: names one source of credentials and the place in it. */
export type ProviderConfig = ObjectOf<typeof providerConfig>;
