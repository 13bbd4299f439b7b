import type { Described } from '../schema.ts';
import type { credentials } from './fields.ts';

/**
 * Names the place of credentials in their source. Only the field of that source is used, and it is required
 * (crossplane-runtime, CommonCredentialSelectors).
 */
export type CredentialSelector = Described<ReturnType<typeof credentials>>;
