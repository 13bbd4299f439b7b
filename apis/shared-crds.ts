import { join } from 'node:path';

/** The folder with the definitions of this package, beside its code. */
export const sharedCrds = join(import.meta.dirname, '..', 'crds');
