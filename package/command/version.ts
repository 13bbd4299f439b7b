import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The version of this package. */
export const { version } = JSON.parse(
  // By the package's own name, which resolves from the sources and from the build.
  readFileSync(fileURLToPath(import.meta.resolve('services-stack/package.json')), 'utf8'),
) as { readonly version: string };
