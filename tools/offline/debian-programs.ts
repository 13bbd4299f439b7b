import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BinaryWork } from './binary-cache.ts';
import { debianWork } from './debian-work.ts';

/** Programs of Debian's packages. */
export interface DebianPrograms {
  /** For its progress: `redis-server`. */
  readonly what: string;
  /** The suite of Debian, the version of our recipe, and the space that it needs. */
  readonly recipe: Parameters<typeof debianWork>[1];
  /** They, and the libraries that they need beside the C library, which is the machine's. */
  readonly packages: readonly string[];
  /** By the names that they get: where they are in the packages. */
  readonly programs: Readonly<Record<string, string>>;
  /** Folders and files that go with them, by the names that they get. */
  readonly others?: Readonly<Record<string, string>>;
}

/**
 * Unpacks programs of Debian's packages into the folder, without root and without touching the machine's own apt. Each
 * finds its libraries by a script of its name.
 */
export async function unpackPrograms(
  work: BinaryWork,
  { what, recipe, packages, programs, others = {} }: DebianPrograms,
): Promise<void> {
  const { at, packages: debian, readLists } = await debianWork(work, recipe);
  await work.progress.step(`fetch ${what} from the machine's Debian archive`, async () => {
    await readLists();
    await debian.unpack(packages, at('root'));
  });
  await mkdir(join(work.target, 'lib'));
  for (const parent of ['lib', 'usr/lib']) {
    for (const name of await readdir(join(at('root'), parent)).catch(() => [])) {
      if (!name.includes('-linux-gnu')) continue;
      await cp(join(at('root'), parent, name), join(work.target, 'lib'), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  }
  for (const [program, path] of Object.entries(programs)) {
    // Some are links to a program that goes by the name it is called by.
    await cp(join(at('root'), path), join(work.target, 'bin', program), { dereference: true });
    const script = [
      '#!/bin/sh',
      'here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)',
      `LD_LIBRARY_PATH="$here/lib" exec "$here/bin/${program}" "$@"`,
    ];
    await writeFile(join(work.target, program), `${script.join('\n')}\n`, { mode: 0o755 });
  }
  for (const [name, path] of Object.entries(others)) {
    await cp(join(at('root'), path), join(work.target, name), { recursive: true });
  }
}
