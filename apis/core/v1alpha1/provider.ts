import type { ObjectOf } from '../schema.ts';
import type { provider, providerConfig } from './define-provider.ts';

/** Facts about an external system that the status of its provider shows, besides whether calls work. */
export interface SystemFacts {
  /** Such as `PostgreSQL 18`. Undefined: not known yet. */
  readonly version?: string | undefined;
  /**
   * The problem there although calls work, and the fix. It is the message of a Ready condition that is True. Empty: there
   * is none. Undefined: not known yet, so the message stays.
   */
  readonly warning?: string | undefined;
}

/** A legacy Provider: names one key of a Secret. */
export type Provider = ObjectOf<typeof provider>;

/** The successor of Provider: names one source of credentials and the place in it. */
export type ProviderConfig = ObjectOf<typeof providerConfig>;
