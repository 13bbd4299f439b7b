import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Services } from './services.ts';

const examples = join(import.meta.dirname, '..', 'examples');

/** The folders of examples that the demo applies, in order. */
const demonstrated = ['fancysql', 'postgresql', 'mysql', 'aws', 'gcp'] as const;

/** The services with addresses and credentials in the examples. */
export type Addressed = Pick<Services, 'clouds' | 'postgresql' | 'mysql' | 'aws' | 'google'>;

/** Manifests as they are written for a reader, with the demo's addresses and credentials. */
export function atHome(yaml: string, { clouds, postgresql, mysql, aws, google }: Addressed): string {
  return (
    yaml
      .replaceAll('http://127.0.0.1:18080', clouds.favourite.url)
      .replaceAll('http://127.0.0.1:18081', clouds.other.url)
      .replaceAll('http://127.0.0.1:18085', google.url)
      .replaceAll('http://127.0.0.1:18090', aws.url)
      // A quoted text in JSON is also a scalar of YAML.
      .replaceAll('put-a-key-here', JSON.stringify(JSON.stringify(google.key)))
      .replaceAll('"15432"', `"${postgresql.port}"`)
      .replaceAll('"13306"', `"${mysql?.port ?? 13306}"`)
  );
}

/** The manifests of the examples that the demo applies, in order of use, as one text. Those of a server only if it runs. */
export function exampleManifests(addressed: Addressed): string {
  const folders = demonstrated.filter((folder) => folder !== 'mysql' || addressed.mysql !== undefined);
  const files = folders.flatMap((folder) =>
    readdirSync(join(examples, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.yaml'))
      .toSorted()
      .map((file) => join(examples, folder, file)),
  );
  return atHome(files.map((file) => readFileSync(file, 'utf8')).join('\n---\n'), addressed);
}
