import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Architecture } from '../../local/image/architecture.ts';
import { findExecutable } from '../../tools/offline/command.ts';
import type { Started } from '../docs/project-copy.ts';
import { startCommand } from '../docs/project-copy.ts';

const execute = promisify(execFile);

/** How an image is started, as it says itself. */
interface ImageConfiguration {
  readonly architecture: string;
  readonly os: string;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly WorkingDir: string;
    readonly Labels: Readonly<Record<string, string>>;
  };
}

interface Digest {
  readonly digest: string;
}

/** An image whose files are in a folder. */
export interface OpenedImage {
  /** The folder with its files. */
  readonly root: string;
  readonly configuration: ImageConfiguration;
  /** The annotations by which container engines name it. */
  readonly names: Readonly<Record<string, string>>;
  /** The digests of its layers, the lowest first. */
  readonly layers: readonly string[];
  /** Starts it as a container would: its user, its own file system, which is read-only, and its entry point. Needs root. */
  start(args: readonly string[], env: Readonly<Record<string, string>>): Started;
}

/** Opens the image for a processor in an OCI archive, in an empty folder. */
export async function openImage(
  archive: string,
  architecture: Architecture,
  folder: string,
): Promise<OpenedImage> {
  const [layout, root] = [join(folder, 'layout'), join(folder, 'root')];
  for (const each of [layout, root]) await mkdir(each, { recursive: true });
  await execute('tar', ['xf', archive, '-C', layout]);
  const blob = ({ digest }: Digest): string => join(layout, 'blobs', digest.replace(':', '/'));
  const read = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8')) as T;
  const { manifests: named } = await read<{
    readonly manifests: readonly [Digest & { readonly annotations: Readonly<Record<string, string>> }];
  }>(join(layout, 'index.json'));
  const { manifests } = await read<{
    readonly manifests: readonly (Digest & { readonly platform: { readonly architecture: string } })[];
  }>(blob(named[0]));
  const own = manifests.find(({ platform }) => platform.architecture === architecture);
  if (own === undefined) throw new Error(`no image for ${architecture}`);
  const manifest = await read<{ readonly config: Digest; readonly layers: readonly Digest[] }>(blob(own));
  for (const layer of manifest.layers) await execute('tar', ['xpf', blob(layer), '-C', root]);
  const configuration = await read<ImageConfiguration>(blob(manifest.config));
  // A container engine mounts these.
  for (const name of ['proc', 'dev']) await mkdir(join(root, name));
  return {
    root,
    configuration,
    names: named[0].annotations,
    layers: manifest.layers.map(({ digest }) => digest),
    start(args, env) {
      const { User, Env, Entrypoint, WorkingDir } = configuration.config;
      const [user = '', group = ''] = User.split(':');
      const environment = [...Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
      const isolated = ['--root', root, '--wd', WorkingDir, '--setgid', group, '--setuid', user, '--'];
      const image = [unshare ?? '', ...isolated, ...Entrypoint, ...args];
      const words = ['--mount', 'sh', '-c', mounted, root, ...environment, ...image];
      return startCommand('unshare', words, process.env);
    },
  };
}

/** Mounts the file system for reading alone, and goes on as the process of the image. `$0` is the folder. */
const mounted = [
  'mount --bind "$0" "$0"',
  'mount --rbind /proc "$0/proc"',
  'mount --rbind /dev "$0/dev"',
  'mount -o remount,ro,bind "$0"',
  'exec env -i "$@"',
].join(' && ');

const unshare = await findExecutable('unshare', process.env.PATH);

/** Why this user cannot start an image; false: it can. */
export const cannotStartImages: string | false =
  process.getuid?.() !== 0
    ? 'only root can start the image'
    : unshare === undefined && 'this machine has no unshare';
