import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The version of this package. */
export const { version } = JSON.parse(
  // By its own name, which leads there from the sources and from what is built of them.
  readFileSync(fileURLToPath(import.meta.resolve('services-stack/package.json')), 'utf8'),
) as { readonly version: string };
