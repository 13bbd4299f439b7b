import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { cachedFolder } from '../../../local/control-plane/cached-folder.ts';

describe('a folder that is kept', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'services-stack-kept-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const folders = async (): Promise<readonly string[]> =>
    (await readdir(root, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted();
  const made: string[] = [];
  beforeEach(() => made.splice(0));
  const ask = (name: string, retentionMs?: number): Promise<string> =>
    cachedFolder({
      root,
      name,
      async make(folder) {
        made.push(name);
        await writeFile(join(folder, 'content'), name);
      },
      ...(retentionMs !== undefined && { retentionMs }),
    });

  test('is created once for all callers', async () => {
    const paths = await Promise.all([ask('one'), ask('one')]);
    assert.deepEqual([...paths, await ask('one')], Array(3).fill(join(root, 'one')));
    assert.equal(await readFile(join(root, 'one', 'content'), 'utf8'), 'one');
    assert.deepEqual([made, await folders()], [['one'], ['one']]);
  });

  test('is not there if making it failed, and is made when it is asked for again', async () => {
    const failing = cachedFolder({
      root,
      name: 'one',
      async make(folder) {
        await writeFile(join(folder, 'half'), '');
        throw new Error('no more');
      },
    });
    await assert.rejects(failing, new Error('no more'));
    assert.deepEqual(await folders(), []);
    await ask('one');
    assert.deepEqual(await readdir(join(root, 'one')), ['content']);
  });

  test('goes when it is out of use and another is made, as does what a killed attempt left', async () => {
    await ask('old');
    await ask('used');
    const longAgo = new Date(Date.now() - 10_000);
    for (const name of ['old', 'used']) await utimes(join(root, name), longAgo, longAgo);
    await mkdir(join(root, 'draft-killed'));
    await ask('used', 5_000);
    assert.deepEqual(await folders(), ['draft-killed', 'old', 'used']);
    await ask('new', 5_000);
    assert.deepEqual(await folders(), ['new', 'used']);
  });
});
