import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { textProgress } from '../../../local/text-progress.ts';
import type { BinarySet } from '../../../tools/offline/binary-cache.ts';
import { cachedFolder } from '../../../tools/offline/binary-cache.ts';
import { optionalBinaries, prepareOptional } from '../../../tools/offline/optional-binaries.ts';
import { temporaryFolder } from '../../local/temporary-folder.ts';

test('fresh binaries are made although some are cached or an attempt has failed, and replace them only whole', async (t) => {
  const environment = { XDG_CACHE_HOME: await temporaryFolder(t) };
  const place = (directory: string, text: string) =>
    writeFile(join(directory, 'tool'), text, { mode: 0o755 });
  let produced: string | undefined;
  const set: BinarySet = {
    name: 'tools',
    files: ['tool'],
    proof: 'none',
    prove: async () => {},
    sources: [
      {
        name: 'archive',
        async produce({ target }) {
          if (produced === undefined) throw new Error('the archive is out of reach');
          await place(target, produced);
        },
      },
    ],
  };
  const options = { environment, noun: 'tool', progress: textProgress({ write: () => {} }) };
  const directory = cachedFolder(set, environment);
  await mkdir(directory, { recursive: true });
  await place(directory, 'cached');

  const failed = { isThere: false, reason: 'the archive is out of reach' };
  assert.deepEqual(await prepareOptional(set, { ...options, isFresh: true }), failed);
  assert.deepEqual(await optionalBinaries(set, options), { isThere: true, directory });
  produced = 'fresh';
  assert.deepEqual(await prepareOptional(set, { ...options, isFresh: true }), { isThere: true, directory });
  assert.equal(await readFile(join(directory, 'tool'), 'utf8'), 'fresh');
});
