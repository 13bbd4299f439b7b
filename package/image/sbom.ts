import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SystemPackage } from '../../local/image/system-parts.ts';

interface Component {
  readonly name: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** A list of packages in the format CycloneDX. */
interface Sbom {
  readonly components: readonly object[];
}

const isForDevelopment = ({ properties = [] }: Component): boolean =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');

/**
 * All packages of the image, in the format CycloneDX: those of npm that the process may load, Node, and Debian's. `root` is
 * the folder of the project. Throws if npm fails.
 */
export async function imageSbom(root: string, system: readonly SystemPackage[]): Promise<Sbom> {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'],
    { cwd: root, maxBuffer: 2 ** 26 },
  );
  const sbom = JSON.parse(stdout) as { readonly components: readonly Component[] };
  return {
    ...sbom,
    components: [
      ...sbom.components.filter((component) => !isForDevelopment(component)),
      ...system.map(({ name, version, purl }) => ({
        ...{ 'bom-ref': purl, type: 'library', name, version, purl },
      })),
    ],
  };
}
