/**
 * `npm run image [-- flags]` builds the image of the process without Docker, as an OCI archive with lists of its packages.
 * Ends with 1 and one sentence if it cannot get a part, with 2 for a wrong flag. Nothing is half written.
 */
import { join, relative, resolve } from 'node:path';
import { BadFlag, fileFlag, urlFlag, wordFlag } from '../../local/flags.ts';
import type { Architecture } from '../../local/image/architecture.ts';
import { architectureNames, ownArchitecture } from '../../local/image/architecture.ts';
import { prepareBuildPrograms } from '../../local/image/build-programs.ts';
import { prepareSystemParts } from '../../local/image/system-parts.ts';
import { parsedOrExit, readCommandLine } from '../../local/read-command-line.ts';
import { textProgress } from '../../local/text-progress.ts';
import ownManifest from '../../package.json' with { type: 'json' };
import { commitOf } from '../commit.ts';
import type { OptionalBinaries } from '../offline/optional-binaries.ts';
import { buildImage } from './build-image.ts';

const { version } = ownManifest;
const usage = `flags:
  --arch LIST    the processors, with commas between them: ${architectureNames.join(', ')} (this machine's)
  --name NAME    the name and tag of the image (services-stack:${version})
  --source URL   the address of the source, for a label of the image (none)
  --out FOLDER   the folder that gets the archive, the lists of packages and the licenses (dist/image)`;

const root = join(import.meta.dirname, '..', '..');

const { architectureList, name, source, out } = parsedOrExit(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: {
      options: {
        arch: { type: 'string', default: ownArchitecture ?? '' },
        name: { type: 'string', default: `services-stack:${version}` },
        source: { type: 'string' },
        out: { type: 'string', default: join(root, 'dist', 'image') },
      },
    },
    read: ({ values }) => ({
      architectureList: values.arch.split(',').map((text) => wordFlag('--arch', text, architectureNames)),
      name: nameFlag('--name', values.name),
      source: values.source === undefined ? undefined : urlFlag('--source', values.source),
      out: resolve(fileFlag('--out', values.out, 'folder')),
    }),
  }),
);

const progress = textProgress({ prefix: 'image:' });
const options = { environment: process.env, progress };

try {
  const programs = folderOf(await prepareBuildPrograms(options));
  const parts = new Map<Architecture, string>();
  for (const architecture of architectureList) {
    const fresh = await prepareSystemParts(architecture, programs, { ...options, isFresh: true });
    parts.set(architecture, folderOf(fresh));
  }
  const { revision, atSeconds: createdAtSeconds } = commitOf(root);
  const { archive, archiveBytes, bytes, sboms, notices } = await progress.step(
    `build the image for ${architectureList.join(' and ')}`,
    () => buildImage({ parts, name, version, revision, source, createdAtSeconds, into: out }),
  );
  const megabytes = (count: number): string => `${(count / 1e6).toFixed(0)} MB`;
  const sizes = [...bytes].map(([architecture, size]) => `${architecture} (${megabytes(size)} unpacked)`);
  for (const line of [
    `${relative('', archive)}: ${name} for ${sizes.join(' and ')}, ${megabytes(archiveBytes)}`,
    ...[...sboms.values()].map((sbom) => `${relative('', sbom)}: its packages`),
    `${relative('', notices)}: the texts of their licenses`,
  ]) {
    process.stdout.write(`${line}\n`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

/** A name and tag, as OCI allows them. Throws BadFlag. */
function nameFlag(flag: string, text: string): string {
  if (!/^[a-z0-9]+(?:[._:/-]+[a-z0-9]+)*:[\w][\w.-]{0,127}$/.test(text))
    throw new BadFlag(`${flag}: ${JSON.stringify(text)} is no name with a tag, as services-stack:${version}`);
  return text;
}

/** Throws the reason why a part is not available. */
function folderOf(found: OptionalBinaries): string {
  if (!found.isThere) throw new Error(`the image cannot be built: ${found.reason}`);
  return found.directory;
}
