import type { Described } from '../schema.ts';
import type { credentials } from './fields.ts';

/**
 * Names one place of a source of credentials: the part of that source's own is needed, the others mean nothing
 * (crossplane-runtime, CommonCredentialSelectors).
 */
export type CredentialSelector = Described<ReturnType<typeof credentials>>;
