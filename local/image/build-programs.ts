import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BinarySource, CacheOptions } from '../../tools/offline/binary-cache.ts';
import { unpackPrograms } from '../../tools/offline/debian-programs.ts';
import type { OptionalBinaries } from '../../tools/offline/optional-binaries.ts';
import { optionalBinaries, prepareOptional } from '../../tools/offline/optional-binaries.ts';
import { architectureNames, architectures } from './architecture.ts';

/** For each architecture: a program that removes the symbols of another, and one that lists its libraries. */
const programs = architectureNames.flatMap((name) =>
  ['strip', 'readelf'].map((tool) => `${architectures[name].triplet}-${tool}`),
);
const packages = [
  ...['binutils-x86-64-linux-gnu', 'binutils-aarch64-linux-gnu', 'libbinutils', 'libjansson4'],
  ...['libzstd1', 'zlib1g'],
];

/** Takes the programs from Debian's packages, without root and without touching the machine's own apt. */
const debianBuildPrograms: BinarySource = {
  name: 'debian-image-programs',
  produce: (work) =>
    unpackPrograms(work, {
      what: 'binutils',
      recipe: { suite: 'bookworm', recipe: 1, neededBytes: 200e6, commands: ['apt-get', 'dpkg'] },
      packages,
      programs: Object.fromEntries(programs.map((name) => [name, `usr/bin/${name}`])),
    }),
};

const noun = 'image builder';
const cached = { name: `image-programs-${process.platform}-${process.arch}`, files: programs };

/** Puts the programs into the cache, if Debian has them. A failure is returned, and not retried for a day. */
export function prepareBuildPrograms(options: CacheOptions): Promise<OptionalBinaries> {
  const prove = async (directory: string): Promise<void> => {
    for (const name of programs) await promisify(execFile)(join(directory, name), ['--version']);
  };
  const set = { ...cached, sources: [debianBuildPrograms], proof: 'ask each for its version', prove };
  return prepareOptional(set, { ...options, noun });
}

/** The present folder of the programs: strip and readelf of binutils for each architecture. */
export const buildPrograms = (environment: NodeJS.ProcessEnv = process.env): Promise<OptionalBinaries> =>
  optionalBinaries(cached, { environment, noun });
