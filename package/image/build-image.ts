import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Architecture } from '../../local/image/architecture.ts';
import { architectures, ownArchitecture } from '../../local/image/architecture.ts';
import type { SystemPackage } from '../../local/image/system-parts.ts';
import { bundle } from '../bundle.ts';
import { compileCacheFolder, imageUser, writeCompileCache } from './compile-cache.ts';
import { imageSbom } from './sbom.ts';

export interface ImageOptions {
  readonly architecture: Architecture;
  /** Name and tag, for example `services-stack:0.2.0`. */
  readonly name: string;
  readonly version: string;
  /** The commit that the image is made of, if it is known. */
  readonly revision?: string | undefined;
  /** The address of the source, if it has one. */
  readonly source?: string | undefined;
  /** When the image was made, in seconds since the epoch. */
  readonly createdAtSeconds: number;
  /** The folder of the build programs. */
  readonly programs: string;
  /** The folder of the parts that do not come from this project. */
  readonly parts: string;
  /** Where the image and its list of packages are written. */
  readonly into: string;
}

/** An image in a file. Sizes are in bytes. */
export interface Image {
  /** An OCI archive. */
  readonly archive: string;
  readonly archiveBytes: number;
  /** Of all files in the image. */
  readonly bytes: number;
  /** The list of packages, in the format CycloneDX. */
  readonly sbom: string;
}

const projectRoot = join(import.meta.dirname, '..', '..');
const execute = promisify(execFile);

/**
 * Builds an image without Docker, from nothing: Node, its libraries, certificates, a user, and the bundle. Files of the
 * same name are replaced, each whole. Throws if a program fails.
 */
export async function buildImage(options: ImageOptions): Promise<Image> {
  const { architecture, version, into } = options;
  const work = await mkdtemp(join(tmpdir(), 'services-stack-image-'));
  try {
    const root = join(work, 'root');
    await layOut(root, options);
    await mkdir(into, { recursive: true });
    const archive = join(into, `services-stack-${version}-${architecture}.tar`);
    const sbom = join(into, `services-stack-${version}-${architecture}.cdx.json`);
    const built = join(work, basename(archive));
    await pack(root, built, join(work, 'storage'), options);
    await cp(built, archive);
    await cp(join(root, 'app', 'sbom.cdx.json'), sbom);
    const archiveBytes = (await stat(archive)).size;
    return { archive, archiveBytes, bytes: await bytesIn(root), sbom };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Writes the file system of the image into a folder. */
async function layOut(root: string, { architecture, parts }: ImageOptions): Promise<void> {
  const { triplet, loader } = architectures[architecture];
  const at = (path: string): string => join(root, path);
  const libraries = at(join('lib', triplet));
  for (const folder of ['app', 'etc/ssl/certs', 'usr/local/bin', 'usr/local/share/node', 'tmp']) {
    await mkdir(at(folder), { recursive: true });
  }
  await cp(join(parts, 'node'), at('usr/local/bin/node'));
  await cp(join(parts, 'LICENSE'), at('usr/local/share/node/LICENSE'));
  await cp(join(parts, 'lib'), libraries, { recursive: true });
  await mkdir(at(join(loader, '..')), { recursive: true });
  await cp(join(libraries, basename(loader)), at(loader));
  await cp(join(parts, 'certificates.crt'), at('etc/ssl/certs/ca-certificates.crt'));
  await writeFile(at('etc/passwd'), `node:x:${imageUser}:${imageUser}::/app:/usr/sbin/nologin\n`);
  await writeFile(at('etc/group'), `node:x:${imageUser}:\n`);
  await writeFile(at('etc/nsswitch.conf'), 'hosts: files dns\n');
  const app = at('app');
  await bundle(app);
  // The cache of another architecture cannot be written here. The process then compiles at each start.
  if (architecture === ownArchitecture) await writeCompileCache(app);
  const system = JSON.parse(await readFile(join(parts, 'packages.json'), 'utf8')) as readonly SystemPackage[];
  const sbom = await imageSbom(projectRoot, system);
  await writeFile(join(app, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
  // The user of the image is another than that of the builder, whose umask may keep others out.
  await execute('chmod', ['-R', 'u=rwX,go=rX', root]);
  await chmod(at('tmp'), 0o1777);
}

/** Makes an OCI archive of a folder with the image's files. */
async function pack(root: string, archive: string, storage: string, options: ImageOptions): Promise<void> {
  const policy = `${storage}.policy.json`;
  await mkdir(storage);
  // Nothing is pulled, so no signature is checked; buildah asks for a policy all the same.
  await writeFile(policy, JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }));
  /** Runs a command as root, because the files of an image are root's. Another user is root of a namespace of users. */
  const asRoot = async (...command: readonly string[]): Promise<string> => {
    const [program = '', ...args] =
      process.getuid?.() === 0 ? command : ['unshare', '--map-root-user', '--mount', ...command];
    const { stdout } = await execute(program, args, {
      env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
    });
    return stdout.trim();
  };
  const folders = ['--root', join(storage, 'root'), '--runroot', join(storage, 'run')];
  const buildah = (...args: readonly string[]): Promise<string> =>
    asRoot(join(options.programs, 'buildah'), '--storage-driver', 'vfs', ...folders, ...args);
  const container = await buildah('from', '--arch', options.architecture, 'scratch');
  await buildah('copy', '--chown', '0:0', container, root, '/');
  await buildah('config', ...configuration(options), container);
  await buildah(
    ...['commit', '--signature-policy', policy, '--timestamp', String(options.createdAtSeconds)],
    ...['--disable-compression=false', container, `oci-archive:${archive}:${options.name}`],
  );
  // buildah leaves folders that only root may change.
  await asRoot('rm', '-r', storage);
}

/** How the image is started, and its labels, as flags of `buildah config`. */
function configuration({ architecture, version, revision, source }: ImageOptions): readonly string[] {
  const environment = {
    NODE_ENV: 'production',
    PATH: '/usr/local/bin',
    SSL_CERT_FILE: '/etc/ssl/certs/ca-certificates.crt',
    // Fewer pools of memory: the process has one busy thread.
    MALLOC_ARENA_MAX: '1',
    NODE_COMPILE_CACHE: `/app/${compileCacheFolder}`,
    NODE_COMPILE_CACHE_PORTABLE: '1',
  };
  const labels = {
    'org.opencontainers.image.title': 'services-stack',
    'org.opencontainers.image.version': version,
    ...(revision === undefined ? {} : { 'org.opencontainers.image.revision': revision }),
    'org.opencontainers.image.licenses': 'Apache-2.0',
    ...(source === undefined ? {} : { 'org.opencontainers.image.source': source }),
  };
  return [
    ...['--os', 'linux', '--arch', architecture],
    ...['--user', `${imageUser}:${imageUser}`, '--workingdir', '/app'],
    ...['--entrypoint', JSON.stringify(['/usr/local/bin/node', 'main.js'])],
    ...Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...Object.entries(labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
  ];
}

async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async (file) => (await stat(join(file.parentPath, file.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
