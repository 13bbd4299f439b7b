import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Architecture } from '../../local/image/architecture.ts';
import { gzip, tar } from '../tar.ts';

/** An image for one processor. */
export interface Platform {
  readonly architecture: Architecture;
  /** How the image is started, and its labels: `config` of its configuration. */
  readonly config: object;
  /** The folders with its files, each with its purpose. The files of a later one are in a layer above. */
  readonly layers: readonly { readonly folder: string; readonly what: string }[];
}

export interface ArchiveOptions {
  /** Name and tag, for example `services-stack:0.2.0`. */
  readonly name: string;
  /** The time of all files, in seconds since the epoch. */
  readonly createdAtSeconds: number;
  readonly platforms: readonly Platform[];
  /** An empty folder to work in. */
  readonly work: string;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const ociMediaType = (what: string): string => `application/vnd.oci.image.${what}`;

/** The name by which containerd and the kubelet know an image. Docker Hub is the registry of a name without one. */
function fullName(name: string): string {
  const [first = '', ...others] = name.split('/');
  if (others.length === 0) return `docker.io/library/${name}`;
  return /[.:]|^localhost$/.test(first) ? name : `docker.io/${name}`;
}

/**
 * Writes an OCI archive with an image for each platform, and an index of them. Equal files, names and times give equal bytes.
 * Throws if a program fails.
 */
export async function writeArchive(path: string, options: ArchiveOptions): Promise<void> {
  const { name, createdAtSeconds, platforms, work } = options;
  const created = new Date(createdAtSeconds * 1_000).toISOString();
  const layout = join(work, 'layout');
  const blobs = join(layout, 'blobs', 'sha256');
  await mkdir(blobs, { recursive: true });

  /** Moves a file among the blobs. */
  async function moved(file: string, mediaType: string): Promise<Descriptor> {
    const [hash, { size }] = [await sha256Of(file), await stat(file)];
    await rename(file, join(blobs, hash));
    return { mediaType, digest: `sha256:${hash}`, size };
  }

  async function written(content: object, mediaType: string): Promise<Descriptor> {
    const file = join(work, 'blob.json');
    await writeFile(file, JSON.stringify(content));
    return moved(file, mediaType);
  }

  async function layer(folder: string): Promise<{ readonly id: string; readonly descriptor: Descriptor }> {
    const file = join(work, 'layer.tar');
    await tar(file, folder, createdAtSeconds);
    const id = `sha256:${await sha256Of(file)}`;
    return { id, descriptor: await moved(await gzip(file), ociMediaType('layer.v1.tar+gzip')) };
  }

  const manifests = [];
  for (const { architecture, config, layers } of platforms) {
    const platform = { architecture, os: 'linux' };
    const made = [];
    for (const { folder } of layers) made.push(await layer(folder));
    const configuration = await written(
      {
        created,
        ...platform,
        config,
        rootfs: { type: 'layers', diff_ids: made.map(({ id }) => id) },
        history: layers.map(({ what }) => ({ created, created_by: what })),
      },
      ociMediaType('config.v1+json'),
    );
    const manifest = {
      schemaVersion: 2,
      mediaType: ociMediaType('manifest.v1+json'),
      config: configuration,
      layers: made.map(({ descriptor }) => descriptor),
    };
    manifests.push({ ...(await written(manifest, manifest.mediaType)), platform });
  }
  const index = { schemaVersion: 2, mediaType: ociMediaType('index.v1+json') };
  const annotations = {
    // The kubelet asks containerd for this name. Without it containerd takes the other one as it stands, and finds nothing.
    'io.containerd.image.name': fullName(name),
    'org.opencontainers.image.ref.name': name,
  };
  const image = { ...(await written({ ...index, manifests }, index.mediaType)), annotations };
  await writeFile(join(layout, 'index.json'), JSON.stringify({ ...index, manifests: [image] }));
  await writeFile(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  await tar(path, layout, createdAtSeconds);
  await rm(layout, { recursive: true });
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
