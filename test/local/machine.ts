import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { textProgress } from '../../local/text-progress.ts';
import type { BinarySource } from '../../tools/offline/binary-cache.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A program that does nothing. */
export const emptyProgram = '#!/bin/sh\n';

export const executable = { mode: 0o755 };

/** A machine with one folder in its search path, and a source of these programs that counts its calls. */
export async function machine(t: TestContext, programs: Readonly<Record<string, string>>) {
  const home = await temporaryFolder(t);
  /** The failure of the source, and the number of calls of the source and of the proof of its programs. */
  const state: { failure?: string; requests: number; proved: number; isBroken: boolean } = {
    requests: 0,
    proved: 0,
    isBroken: false,
  };
  const source: BinarySource = {
    name: 'source',
    async produce({ target }) {
      state.requests += 1;
      if (state.failure !== undefined) throw new Error(`${state.failure}\nand more of it`);
      for (const [name, text] of Object.entries(programs))
        await writeFile(join(target, name), text, executable);
    },
  };
  return {
    home,
    state,
    environment: { XDG_CACHE_HOME: home, PATH: home },
    /** The options that a preparation shares with any other. */
    preparation: {
      progress: textProgress({ write: () => {} }),
      sources: [source],
      prove: async () => {
        state.proved += 1;
        if (state.isBroken) throw new Error('it does not refuse');
      },
    },
  };
}
