import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Architecture } from '../../local/image/architecture.ts';
import { architectures, ownArchitecture } from '../../local/image/architecture.ts';
import type { SystemPackage } from '../../local/image/system-parts.ts';
import { bundle } from '../bundle.ts';
import { sbomOf } from '../sbom.ts';
import { compileCacheFolder, imageUser, writeCompileCache } from './compile-cache.ts';
import { noticesText } from './notices.ts';
import type { Platform } from './oci-archive.ts';
import { writeArchive } from './oci-archive.ts';

export interface ImageOptions {
  /** For each processor, the folder of the parts that do not come from this project. */
  readonly parts: ReadonlyMap<Architecture, string>;
  /** Name and tag, for example `services-stack:0.2.0`. */
  readonly name: string;
  readonly version: string;
  /** The commit that the image is made of, if it is known. */
  readonly revision?: string | undefined;
  /** The address of the source, if it has one. */
  readonly source?: string | undefined;
  /** When the image was made, in seconds since the epoch. */
  readonly createdAtSeconds: number;
  /** Where the image, its lists of packages and its notices are written. */
  readonly into: string;
}

/** Images in a file. Sizes are in bytes. */
export interface Image {
  /** An OCI archive, with an image for each processor. */
  readonly archive: string;
  readonly archiveBytes: number;
  /** Of all files, by processor. */
  readonly bytes: ReadonlyMap<Architecture, number>;
  /** The lists of packages, in the format CycloneDX, by processor. */
  readonly sboms: ReadonlyMap<Architecture, string>;
  /** The texts of all licenses. */
  readonly notices: string;
}

const projectRoot = join(import.meta.dirname, '..', '..');

/**
 * Builds images without Docker, from nothing: Node, its libraries, certificates, a user, and the bundle. Files of the same
 * name are replaced, each whole. Equal options and parts give equal bytes, except the layer with what Node compiled: V8 puts
 * a random number into it. Throws if a program fails.
 */
export async function buildImage(options: ImageOptions): Promise<Image> {
  const { parts, name, version, createdAtSeconds, into } = options;
  const work = await mkdtemp(join(tmpdir(), 'services-stack-image-'));
  try {
    await mkdir(into, { recursive: true });
    const platforms: Platform[] = [];
    const [bytes, sboms] = [new Map<Architecture, number>(), new Map<Architecture, string>()];
    const notices = join(into, 'NOTICES.txt');
    for (const [architecture, folder] of parts) {
      const [root, compiled] = [join(work, architecture), join(work, `${architecture}-compiled`)];
      await layOut(root, architecture, folder, options);
      const layers = [{ folder: root, what: 'the files of services-stack' }];
      // The code for another architecture cannot be compiled here. The process then compiles it at each start.
      if (architecture === ownArchitecture) {
        await compile(root, compiled);
        layers.push({ folder: compiled, what: 'what Node compiled of them' });
      }
      const sbom = join(into, `services-stack-${version}-${architecture}.cdx.json`);
      await cp(join(root, 'app', 'sbom.cdx.json'), sbom);
      await cp(join(root, 'app', 'NOTICES.txt'), notices);
      sboms.set(architecture, sbom);
      const sizes = await Promise.all(layers.map((layer) => bytesIn(layer.folder)));
      bytes.set(
        architecture,
        sizes.reduce((sum, size) => sum + size, 0),
      );
      platforms.push({ architecture, config: configuration(options), layers });
    }
    const archive = join(into, `services-stack-${version}.tar`);
    const built = join(work, basename(archive));
    await writeArchive(built, { name, createdAtSeconds, platforms, work: join(work, 'archive') });
    await cp(built, archive);
    return { archive, archiveBytes: (await stat(archive)).size, bytes, sboms, notices };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Writes the file system of the image into a folder, without what Node compiles. */
async function layOut(
  root: string,
  architecture: Architecture,
  parts: string,
  { createdAtSeconds }: ImageOptions,
): Promise<void> {
  const { triplet, loader } = architectures[architecture];
  const at = (path: string): string => join(root, path);
  const libraries = at(join('lib', triplet));
  for (const folder of [
    ...['app', 'etc/ssl/certs', 'tmp', 'usr/lib', 'usr/local/bin', 'usr/local/share/node'],
    ...['usr/share', 'var/lib/dpkg'],
  ]) {
    await mkdir(at(folder), { recursive: true });
  }
  await cp(join(parts, 'node'), at('usr/local/bin/node'));
  await cp(join(parts, 'LICENSE'), at('usr/local/share/node/LICENSE'));
  await cp(join(parts, 'lib'), libraries, { recursive: true });
  await mkdir(at(join(loader, '..')), { recursive: true });
  await cp(join(libraries, basename(loader)), at(loader));
  await cp(join(parts, 'certificates.crt'), at('etc/ssl/certs/ca-certificates.crt'));
  // Scanners find the version of Debian and its packages here.
  for (const [from, to] of [
    ['os-release', 'etc/os-release'],
    ['os-release', 'usr/lib/os-release'],
    ['debian_version', 'etc/debian_version'],
    ['status.d', 'var/lib/dpkg/status.d'],
    ['doc', 'usr/share/doc'],
  ] as const) {
    await cp(join(parts, 'debian', from), at(to), { recursive: true });
  }
  await writeFile(at('etc/passwd'), `node:x:${imageUser}:${imageUser}::/app:/usr/sbin/nologin\n`);
  await writeFile(at('etc/group'), `node:x:${imageUser}:\n`);
  await writeFile(at('etc/nsswitch.conf'), 'hosts: files dns\n');
  const app = at('app');
  await bundle(app);
  const others = JSON.parse(await readFile(join(parts, 'packages.json'), 'utf8')) as readonly SystemPackage[];
  const sbom = await sbomOf({ root: projectRoot, createdAtSeconds, isForUse: true, others });
  await writeFile(join(app, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
  await writeFile(join(app, 'NOTICES.txt'), noticesText(projectRoot, parts));
  await readableByAll(root);
  await chmod(at('tmp'), 0o1777);
}

/** Lets Node compile the bundle in a file system, and puts the result into another one. */
async function compile(root: string, compiled: string): Promise<void> {
  await writeCompileCache(join(root, 'app'));
  await mkdir(join(compiled, 'app'), { recursive: true });
  await rename(join(root, 'app', compileCacheFolder), join(compiled, 'app', compileCacheFolder));
  await readableByAll(compiled);
}

/** The umask of the builder may make files unreadable for the user of the image. */
const readableByAll = (folder: string) => promisify(execFile)('chmod', ['-R', 'u=rwX,go=rX', folder]);

/** How the image is started, and its labels. */
function configuration({ version, revision, source }: ImageOptions): object {
  const environment = {
    NODE_ENV: 'production',
    PATH: '/usr/local/bin',
    SSL_CERT_FILE: '/etc/ssl/certs/ca-certificates.crt',
    // Fewer pools of memory: the process has one busy thread.
    MALLOC_ARENA_MAX: '1',
    NODE_COMPILE_CACHE: `/app/${compileCacheFolder}`,
    NODE_COMPILE_CACHE_PORTABLE: '1',
  };
  return {
    User: `${imageUser}:${imageUser}`,
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    Entrypoint: ['/usr/local/bin/node', 'main.js'],
    WorkingDir: '/app',
    Labels: {
      'org.opencontainers.image.title': 'services-stack',
      'org.opencontainers.image.version': version,
      ...(revision !== undefined && { 'org.opencontainers.image.revision': revision }),
      'org.opencontainers.image.licenses': 'Apache-2.0',
      ...(source !== undefined && { 'org.opencontainers.image.source': source }),
    },
  };
}

async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async (file) => (await stat(join(file.parentPath, file.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
