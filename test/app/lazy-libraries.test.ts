import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');

/**
 * Tells on standard error of each module that is loaded, by import or by require, of these packages, of the code for proxies
 * and of the check of stacks.
 */
const telling = `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (/node_modules\\/(@aws-sdk|@smithy|google-auth-library|gaxios|gcp-metadata)\\/|runtime\\/client\\/proxies|author\\/check-stacks/.test(url)) process.stderr.write('LOADED ' + url + '\\n');
      return next(url, context);
    },
  });
`;

/** The machine of a developer may have these variables. */
const noProxies = { HTTPS_PROXY: '', HTTP_PROXY: '', https_proxy: '', http_proxy: '' };

/** The standard error of the process until it has this text, or to its end. No API server answers at its address. */
async function outputOf(program: readonly string[], until: RegExp): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'lazy-'));
  try {
    const [hooks, kubeconfig] = [join(folder, 'hooks.mjs'), join(folder, 'kubeconfig')];
    writeFileSync(hooks, telling);
    const cluster = { name: 'none', cluster: { server: 'http://127.0.0.1:1' } };
    const context = { name: 'none', context: { cluster: 'none', user: 'none' } };
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'none',
        clusters: [cluster],
        contexts: [context],
        users: [{ name: 'none', user: {} }],
      }),
    );
    const child = spawn(process.execPath, ['--import', hooks, ...program], {
      cwd: root,
      env: { ...process.env, ...noProxies, KUBECONFIG: kubeconfig },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 120_000, // for a failure only
    });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (until.test(output)) child.kill();
    });
    await once(child, 'close');
    return output;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the process starts, with all stacks, without a library of any cloud, the code for proxies and a check of its stacks', async () => {
  const works = /cannot list or watch this kind/;
  const output = await outputOf(['main.ts'], works);
  assert.match(output, works);
  assert.doesNotMatch(output, /LOADED/);
});

test('a library that is loaded would be noticed', async () => {
  const loaded = /LOADED .*client-sts/;
  assert.match(await outputOf(['--eval', "import('@aws-sdk/client-sts')"], loaded), loaded);
});

test('the process of another package checks its stacks', async () => {
  const script = `
    const { run } = await import('./package/run.ts');
    const { fcpStack } = await import('./stacks/demo-clouds/fcp/stack.ts');
    await run([fcpStack, fcpStack], { name: 'own', version: '1.0.0', crds: 'crds' });
  `;
  const refused = /2 stacks are named "fcp"/;
  assert.match(await outputOf(['--input-type=module', '--eval', script], refused), refused);
});
