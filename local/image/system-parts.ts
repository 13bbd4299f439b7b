import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { BinarySet, BinaryWork, CacheOptions } from '../control-plane/binary-cache.ts';
import { debianWork } from '../control-plane/debian-work.ts';
import type { OptionalBinaries } from '../control-plane/optional-binaries.ts';
import { optionalBinaries, prepareOptional } from '../control-plane/optional-binaries.ts';
import type { Architecture } from './architecture.ts';
import { architectures, ownArchitecture } from './architecture.ts';

/** A part of the image that is no package of npm. */
export interface SystemPackage {
  readonly name: string;
  readonly version: string;
  /** As a package URL: `pkg:deb/debian/libc6@2.36-9?arch=amd64`. */
  readonly purl: string;
}

const execute = promisify(execFile);
/** The libraries of Node, and the certificates of the authorities that Debian trusts. */
const packages = ['libc6', 'libstdc++6', 'libgcc-s1', 'ca-certificates'];

/** The version of the Node that this project runs with, from npm's package `node`. */
async function nodeVersion(): Promise<string> {
  const manifest = join(import.meta.dirname, '..', '..', 'node_modules', 'node', 'package.json');
  return (JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string }).version;
}

const noun = (architecture: Architecture): string => `system part of the image for ${architecture}`;

async function setOf(architecture: Architecture): Promise<Pick<BinarySet, 'name' | 'files'>> {
  return { name: `image-parts-${architecture}-${await nodeVersion()}`, files: ['node'] };
}

/**
 * Puts the parts of the image that do not come from this project into the cache, if they can be had: a stripped Node from
 * npm, its libraries and the certificates from Debian. `programs` is the folder of the build programs. With `isFresh`, parts
 * that the cache has already are fetched again, so that they have Debian's latest fixes.
 */
export async function prepareSystemParts(
  architecture: Architecture,
  programs: string,
  options: CacheOptions & { readonly isFresh: boolean },
): Promise<OptionalBinaries> {
  const kept = await setOf(architecture);
  const set: BinarySet = {
    ...kept,
    sources: [
      { name: `image-parts-${architecture}`, produce: (work) => produce(work, architecture, programs) },
    ],
    proof: 'run Node with the libraries',
    prove: (directory) => runsWithItsLibraries(directory, architecture),
  };
  return prepareOptional(set, { ...options, noun: noun(architecture) });
}

/** The folder of the parts as things are: `node`, `LICENSE`, `lib/`, `certificates.crt` and `packages.json`. */
export async function systemParts(
  architecture: Architecture,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<OptionalBinaries> {
  return optionalBinaries(await setOf(architecture), { environment, noun: noun(architecture) });
}

async function produce(work: BinaryWork, architecture: Architecture, programs: string): Promise<void> {
  const { triplet, node, loader } = architectures[architecture];
  const version = await nodeVersion();
  const {
    at,
    packages: debian,
    readLists,
  } = await debianWork(work, {
    ...{ suite: 'bookworm', recipe: 1, neededBytes: 600e6, commands: ['apt-get', 'dpkg', 'npm', 'tar'] },
    architecture,
  });
  const versions = await work.progress.step(
    `fetch the libraries of Node for ${architecture} from the machine's Debian archive`,
    async () => {
      await readLists();
      return debian.unpack(packages, at('root'));
    },
  );
  await work.progress.step(`fetch Node ${version} for ${architecture} from npm`, async () => {
    await mkdir(at('node'), { recursive: true });
    const wanted = `node-linux-${node}@${version}`;
    await execute('npm', ['pack', '--silent', '--prefer-offline', wanted], { cwd: at('node') });
    await execute('tar', ['xf', `node-linux-${node}-${version}.tgz`], { cwd: at('node') });
  });
  const program = join(work.target, 'node');
  await cp(at('node/package/bin/node'), program);
  await cp(at('node/package/LICENSE'), join(work.target, 'LICENSE'));
  await execute(join(programs, `${triplet}-strip`), ['--strip-all', program]);
  await copyLibraries({
    ...{ program, readelf: join(programs, `${triplet}-readelf`), loader: basename(loader) },
    from: [join(at('root'), 'lib', triplet), join(at('root'), 'usr', 'lib', triplet)],
    to: join(work.target, 'lib'),
  });
  await writeFile(join(work.target, 'certificates.crt'), await certificatesIn(at('root')));
  const listed: readonly SystemPackage[] = [
    { name: 'node', version, purl: `pkg:npm/node-linux-${node}@${version}` },
    ...[...versions].map(([name, each]) => ({
      name,
      version: each,
      purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(each)}?arch=${architecture}`,
    })),
  ];
  await writeFile(join(work.target, 'packages.json'), `${JSON.stringify(listed, null, 2)}\n`);
}

/** Copies the libraries that a program needs, and those that they need. Throws if one is in none of the folders. */
async function copyLibraries({
  program,
  readelf,
  loader,
  from,
  to,
}: {
  readonly program: string;
  readonly readelf: string;
  readonly loader: string;
  readonly from: readonly string[];
  readonly to: string;
}): Promise<void> {
  await mkdir(to);
  const copied = new Set<string>();
  const copy = async (name: string): Promise<void> => {
    if (copied.has(name)) return;
    copied.add(name);
    const paths = await Promise.all(
      from.map((folder) => realpath(join(folder, name)).catch(() => undefined)),
    );
    const found = paths.find((path) => path !== undefined);
    if (found === undefined) throw new Error(`no package has the library ${name}`);
    await cp(found, join(to, name));
    await needsOf(found);
  };
  const needsOf = async (file: string): Promise<void> => {
    const { stdout } = await execute(readelf, ['--dynamic', '--wide', file]);
    for (const [, name = ''] of stdout.matchAll(/\(NEEDED\).*\[(.+)\]/g)) await copy(name);
  };
  await copy(loader);
  await needsOf(program);
}

/** All certificates of the package, in one text. */
async function certificatesIn(root: string): Promise<string> {
  const folder = join(root, 'usr', 'share', 'ca-certificates', 'mozilla');
  const files = (await readdir(folder)).toSorted();
  return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('');
}

/** Throws if Node does not run with these libraries. A program for another architecture cannot be run here. */
async function runsWithItsLibraries(directory: string, architecture: Architecture): Promise<void> {
  if (architecture !== ownArchitecture) return;
  const loader = join(directory, 'lib', basename(architectures[architecture].loader));
  await execute(loader, ['--library-path', join(directory, 'lib'), join(directory, 'node'), '--version']);
}
