import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { entryText, root, testFiles } from './processes.ts';

const file = `
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
await sleep(1);
describe('a suite', () => {
  before(() => sleep(1));
  test('leaves an error behind', async () => {
    void sleep(1).then(() => { throw new Error('nobody waits for this'); });
    await sleep(20);
  });
  test('has another test', async (t) => { await t.test('in it', () => sleep(1)); });
});
`;

test('a test that leaves an error behind fails the run, with its stack, and suites keep their tests', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'services-stack-untracked-'));
  try {
    const [inner, entry] = [join(folder, 'inner.mjs'), join(folder, 'entry.mjs')];
    await writeFile(inner, file);
    await writeFile(entry, entryText([relative(root, inner)]));
    // Otherwise the process would report to the runner of this test.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = ['--test', '--test-reporter=spec', entry];
    const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stdout, /nobody waits for this[\s\S]*at .*inner\.mjs:8:/);
    const shape = stdout.replaceAll(/ \([\d.]+ms\)$/gm, '');
    assert.match(shape, /^ {2}✔ a suite$/m);
    assert.match(shape, /^ {4}✔ leaves an error behind\n {4}▶ has another test\n {6}✔ in it$/m);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('no suite is asynchronous: without tracking, its tests would not belong to it', () => {
  const asynchronous = /\bdescribe\(\s*(?:`[^`]*`|'[^']*'|[\w.]+),\s*(?:\{[^}]*\},\s*)?async\b/;
  for (const given of ["'a suite', async () => {}", '`a suite`, { skip: true }, async () => {}'])
    assert.match(`describe(${given})`, asynchronous);
  const found = testFiles('all').filter((each) => asynchronous.test(readFileSync(join(root, each), 'utf8')));
  assert.deepEqual(found, []);
});
