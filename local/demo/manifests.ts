import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const examples = join(import.meta.dirname, '..', '..', 'examples');

/** Where the demo's servers are, which the examples name by their usual addresses. */
export interface Addresses {
  readonly favouriteCloud: string;
  readonly otherCloud: string;
  readonly postgresql: { readonly port: number; readonly password: string };
}

/** The manifests of one folder of examples, in order of use, with the demo's addresses and credentials. */
export function exampleManifests(folder: string, addresses: Addresses): readonly string[] {
  return readdirSync(join(examples, folder))
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
    .map((file) =>
      readFileSync(join(examples, folder, file), 'utf8')
        .replaceAll('http://127.0.0.1:18080', addresses.favouriteCloud)
        .replaceAll('http://127.0.0.1:18081', addresses.otherCloud)
        .replaceAll('"15432"', `"${addresses.postgresql.port}"`)
        .replaceAll('postgresql-demo', addresses.postgresql.password),
    );
}
