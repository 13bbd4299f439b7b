import { clientAdvice } from '../../package/stack.ts';

/** The end of a message about a database or role that its spec closes: the field to change. Otherwise the next update opens it. */
export const fixedIn = (field: string, isWanted: boolean): string =>
  isWanted ? `; ${clientAdvice.change([`spec.forProvider.${field}`])}` : '';

/** {@link fixedIn} for a connection limit of 0, which shuts everybody out. */
export const limitFix = ({ connectionLimit }: { readonly connectionLimit?: number | undefined }): string =>
  fixedIn('connectionLimit', connectionLimit === 0);
