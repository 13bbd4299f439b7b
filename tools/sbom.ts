/**
 * `npm run sbom` lists all packages of npm that this project uses, in the format CycloneDX, with the time of the last commit.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onClosedOutput } from '../local/closed-output.ts';
import { commitOf } from './commit.ts';

export interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly cpe?: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn?: readonly string[];
}

/** A list of packages in the format CycloneDX. */
export interface Sbom {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

export interface SbomOptions {
  /** The folder of the project. */
  readonly root: string;
  /** The time of the list, in seconds since the epoch. */
  readonly createdAtSeconds: number;
  /** Whether the packages that only developers need are left out. */
  readonly isForUse?: boolean;
  /** Packages that do not come from npm. */
  readonly others?: readonly Component[];
}

const isForDevelopment = ({ properties = [] }: Component): boolean =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');

/** All packages, in the format CycloneDX. Equal packages and times give equal lists. Throws if npm fails. */
export async function sbomOf(options: SbomOptions): Promise<Sbom> {
  const { root, createdAtSeconds, isForUse = false, others = [] } = options;
  const { stdout } = await promisify(execFile)(
    'npm',
    ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'],
    { cwd: root, maxBuffer: 2 ** 26 },
  );
  const { metadata, ...given } = JSON.parse(stdout) as Sbom;
  const components = [
    ...given.components.filter((component) => !(isForUse && isForDevelopment(component))),
    ...others,
  ];
  const own = metadata.component['bom-ref'];
  const known = new Set([own, ...components.map((component) => component['bom-ref'])]);
  const otherDependencies = others.map((other): Dependency => ({ ref: other['bom-ref'] }));
  const dependencies = [...given.dependencies, ...otherDependencies]
    .filter(({ ref }) => known.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: [
        ...dependsOn.filter((to) => known.has(to)),
        ...(ref === own ? others.map((other) => other['bom-ref']) : []),
      ],
    }));
  const sbom = {
    ...given,
    metadata: {
      ...metadata,
      timestamp: new Date(createdAtSeconds * 1_000).toISOString(),
      // npm takes the name of the folder.
      component: { ...metadata.component, name: 'services-stack' },
    },
    components,
    dependencies,
  };
  return { ...sbom, serialNumber: serialNumberOf(JSON.stringify({ ...sbom, serialNumber: '' })) };
}

/** A UUID of a text, of the version for custom hashes (RFC 9562). */
function serialNumberOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return `urn:uuid:${[...parts, hash.slice(20, 32)].join('-')}`;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const { atSeconds: createdAtSeconds } = commitOf(root);
  onClosedOutput(() => process.exit(0));
  process.stdout.write(`${JSON.stringify(await sbomOf({ root, createdAtSeconds }), null, 2)}\n`);
}
