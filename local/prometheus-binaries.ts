import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BinarySet, BinarySource, CacheOptions } from './control-plane/binary-cache.ts';
import { findExecutable } from './control-plane/command.ts';
import { optionalBinaries, prepareOptional } from './control-plane/optional-binaries.ts';
import { unpackPrograms } from './debian-programs.ts';

/** The promtool of this machine, which checks metrics and rules, or why there is none. */
export type PromtoolSupport =
  | { readonly by: 'machine' | 'debian'; readonly promtool: string }
  | { readonly by: 'nobody'; readonly reason: string };

/** Takes promtool from Debian's package of Prometheus, without root and without touching the machine's own apt. */
const debianPromtool: BinarySource = {
  name: 'debian-promtool',
  produce: (work) =>
    unpackPrograms(work, {
      what: 'promtool',
      recipe: { suite: 'bookworm', recipe: 1, neededBytes: 600e6, commands: ['apt-get', 'dpkg'] },
      packages: ['prometheus'],
      programs: { promtool: 'usr/bin/promtool' },
    }),
};

const noun = 'promtool';
const kept = { name: `promtool-${process.platform}-${process.arch}`, files: ['promtool'] };

/** Sees to it that there is a promtool if one can be had. A failure is an answer, and is noted for a day. */
export async function preparePromtool(options: CacheOptions): Promise<PromtoolSupport> {
  const known = await promtoolSupport(options.environment);
  if (known.by !== 'nobody') return known;
  const set: BinarySet = {
    ...{ ...kept, sources: [debianPromtool], proof: 'ask it for its version' },
    prove: async (directory) => {
      await promisify(execFile)(join(directory, 'promtool'), ['--version']);
    },
  };
  await prepareOptional(set, { ...options, noun });
  return promtoolSupport(options.environment);
}

/** The promtool that there is as things are, the machine's own first; gets none. */
export async function promtoolSupport(
  environment: NodeJS.ProcessEnv = process.env,
): Promise<PromtoolSupport> {
  const own = await findExecutable('promtool', environment.PATH);
  if (own !== undefined) return { by: 'machine', promtool: own };
  const found = await optionalBinaries(kept, { environment, noun });
  return found.isThere
    ? { by: 'debian', promtool: join(found.directory, 'promtool') }
    : { by: 'nobody', reason: found.reason };
}
