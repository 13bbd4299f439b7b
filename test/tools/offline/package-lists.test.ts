import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { packageLists } from '../../../tools/offline/package-lists.ts';

async function parentFolder(t: TestContext): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'package-lists-test-'));
  t.after(() => rm(parent, { recursive: true, force: true }));
  return parent;
}

test('a process reads the lists of a suite and an architecture once', async (t) => {
  const parent = await parentFolder(t);
  const read: string[] = [];
  const readBy = (name: string, suite: string, architecture?: string) =>
    packageLists(parent, suite, architecture).readOnce(async () => void read.push(name));
  await Promise.all([
    readBy('first', 'bookworm'),
    readBy('second', 'bookworm'),
    readBy('unstable', 'unstable'),
    readBy('foreign', 'bookworm', 'arm64'),
  ]);
  await readBy('third', 'bookworm');
  assert.deepEqual(read, ['first', 'unstable', 'foreign']);
});

test('lists that could not be read are read again', async (t) => {
  const lists = packageLists(await parentFolder(t), 'bookworm');
  const broken = new Error('no route');
  await assert.rejects(
    lists.readOnce(() => Promise.reject(broken)),
    broken,
  );
  const read: string[] = [];
  await lists.readOnce(async () => void read.push('again'));
  assert.deepEqual(read, ['again']);
});

test('the lists of a process go with it, and those of a killed process after an hour', async (t) => {
  const parent = await parentFolder(t);
  const [old, young] = [join(parent, 'package-lists-old'), join(parent, 'package-lists-young')];
  for (const folder of [old, young]) await mkdir(folder);
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1_000);
  await utimes(old, longAgo, longAgo);
  const module = join(import.meta.dirname, '../../../tools/offline/package-lists.ts');
  const code = `const { packageLists } = await import(${JSON.stringify(module)});
    console.log(packageLists(${JSON.stringify(parent)}, 'bookworm').folder);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  const folder = stdout.trim();
  assert.deepEqual([basename(folder), dirname(dirname(folder))], ['bookworm-own', parent]);
  assert.deepEqual(await readdir(parent), [basename(young)]);
});
