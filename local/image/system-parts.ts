import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { BinarySet, BinaryWork, CacheOptions } from '../../tools/offline/binary-cache.ts';
import { debianWork } from '../../tools/offline/debian-work.ts';
import type { OptionalBinaries } from '../../tools/offline/optional-binaries.ts';
import { optionalBinaries, prepareOptional } from '../../tools/offline/optional-binaries.ts';
import type { Architecture } from './architecture.ts';
import { architectures, ownArchitecture } from './architecture.ts';

/** A part of the image that is no package of npm, as a component of a list in the format CycloneDX. */
export interface SystemPackage {
  readonly 'bom-ref': string;
  readonly type: 'application' | 'library';
  readonly name: string;
  readonly version: string;
  /** As a package URL: `pkg:deb/debian/libc6@2.36-9?arch=amd64&distro=debian-12`. */
  readonly purl: string;
  /** The name in lists of vulnerabilities, where the package URL does not suffice. */
  readonly cpe?: string;
}

const execute = promisify(execFile);
/**
 * The libraries of Node and the certificates of the authorities that Debian trusts. gcc-12-base has the licenses of two
 * libraries, base-files the version of Debian and the licenses that others name.
 */
const packages = ['libc6', 'libstdc++6', 'libgcc-s1', 'ca-certificates', 'gcc-12-base', 'base-files'];
/** Counts up when the files of the folder change. */
const recipe = 2;

/** The version of the Node that this project runs with, from npm's package `node`. */
async function nodeVersion(): Promise<string> {
  const manifest = join(import.meta.dirname, '..', '..', 'node_modules', 'node', 'package.json');
  return (JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string }).version;
}

const noun = (architecture: Architecture): string => `system part of the image for ${architecture}`;

async function setOf(architecture: Architecture): Promise<Pick<BinarySet, 'name' | 'files'>> {
  return { name: `image-parts-${architecture}-${await nodeVersion()}-${recipe}`, files: ['node'] };
}

/**
 * Puts the parts of the image that do not come from this project into the cache, if they are available: a stripped Node from
 * npm, its libraries and the certificates from Debian. `programs` is the folder of the build programs. With `isFresh`, parts
 * that the cache has already are fetched again, so that they have Debian's latest fixes.
 */
export async function prepareSystemParts(
  architecture: Architecture,
  programs: string,
  options: CacheOptions & { readonly isFresh: boolean },
): Promise<OptionalBinaries> {
  const parts = await setOf(architecture);
  const set: BinarySet = {
    ...parts,
    sources: [
      { name: `image-parts-${architecture}`, produce: (work) => produce(work, architecture, programs) },
    ],
    proof: 'run Node with the libraries',
    prove: (directory) => runsWithItsLibraries(directory, architecture),
  };
  return prepareOptional(set, { ...options, noun: noun(architecture) });
}

/**
 * The present folder of the parts: `node` with its `LICENSE`, `lib/`, `certificates.crt`, `packages.json`, and
 * `debian/` with `os-release`, `debian_version`, `status.d/`, `doc/` and `common-licenses/`.
 */
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
    suite: 'bookworm',
    recipe,
    neededBytes: 600e6,
    commands: ['apt-get', 'dpkg', 'npm', 'tar'],
    architecture,
  });
  const versions = await work.progress.step(
    `fetch the libraries of Node for ${architecture} from the machine's Debian archive`,
    async () => {
      await readLists();
      return debian.unpack(packages, at('root'), { controlIn: at('control') });
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
    program,
    readelf: join(programs, `${triplet}-readelf`),
    loader: basename(loader),
    from: [join(at('root'), 'lib', triplet), join(at('root'), 'usr', 'lib', triplet)],
    to: join(work.target, 'lib'),
  });
  await writeFile(join(work.target, 'certificates.crt'), await certificatesIn(at('root')));
  await copyFactsOfDebian([...versions.keys()], {
    root: at('root'),
    control: at('control'),
    to: join(work.target, 'debian'),
  });
  const listed: readonly Omit<SystemPackage, 'bom-ref'>[] = [
    {
      type: 'application',
      name: 'node',
      version,
      purl: `pkg:generic/node@${version}`,
      cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    },
    ...[...versions].map(([name, each]) => ({
      type: 'library' as const,
      name,
      version: each,
      purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(each)}?arch=${architecture}&distro=debian-12`,
    })),
  ];
  const withRefs = listed.map((each): SystemPackage => ({ 'bom-ref': each.purl, ...each }));
  await writeFile(join(work.target, 'packages.json'), `${JSON.stringify(withRefs, null, 2)}\n`);
}

/** Copies the version of Debian, the packages as dpkg lists them, and the texts of their licenses. */
async function copyFactsOfDebian(
  names: readonly string[],
  { root, control, to }: { readonly root: string; readonly control: string; readonly to: string },
): Promise<void> {
  for (const folder of ['status.d', 'doc']) await mkdir(join(to, folder), { recursive: true });
  await cp(join(root, 'usr', 'lib', 'os-release'), join(to, 'os-release'));
  await cp(join(root, 'etc', 'debian_version'), join(to, 'debian_version'));
  await cp(join(root, 'usr', 'share', 'common-licenses'), join(to, 'common-licenses'), {
    recursive: true,
    dereference: true,
  });
  for (const name of names) {
    const facts = await readFile(join(control, name, 'control'), 'utf8');
    const status = facts.replace('\n', '\nStatus: install ok installed\n');
    await writeFile(join(to, 'status.d', name), status);
    await mkdir(join(to, 'doc', name));
    await cp(join(root, 'usr', 'share', 'doc', name, 'copyright'), join(to, 'doc', name, 'copyright'));
  }
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
