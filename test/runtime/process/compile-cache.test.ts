import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = join(root, 'node_modules', '.cache', 'compiled');

describe('compiled code', () => {
  test('is kept beside the packages, in a folder of this Node and this user', async () => {
    const script =
      "await import('./runtime/process/compile-cache.ts'); console.log((await import('node:module')).getCompileCacheDir())";
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { cwd: root, env: { PATH: process.env.PATH } },
    );
    assert.ok(stdout.startsWith(join(folder, process.version)), stdout);
  });

  test('is used by the next process, which does not compile it again', async () => {
    const run = async () => {
      const { stderr } = await promisify(execFile)(process.execPath, ['main.ts', '--no-such-flag'], {
        cwd: root,
        env: { PATH: process.env.PATH, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
        maxBuffer: 64e6,
      }).catch((error: { readonly stderr: string }) => error);
      return stderr;
    };
    await run();
    const output = await run();
    assert.match(output, /V8 code cache for ESM \S+app\/run\.ts was accepted/);
  });
});
