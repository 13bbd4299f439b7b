import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..', '..', '..');

test('a process that reaches no Google Cloud loads nothing of its library', () => {
  const hook = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context); } });
    process.on('exit', () => console.error(JSON.stringify([...loaded].filter((url) => /node_modules/.test(url)))));`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, 'main.ts', '--help'];
  const { stderr, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const loaded = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as readonly string[];
  assert.ok(
    loaded.some((url) => url.includes('node_modules/undici/')),
    'it has loaded all stacks',
  );
  assert.deepEqual(
    loaded.filter((url) => /google-auth-library|gaxios|gcp-metadata/.test(url)),
    [],
  );
});
