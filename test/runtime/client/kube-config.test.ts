import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { readKubeConfig } from '../../../runtime/client/kube-config.ts';

const kubeconfig = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'here',
  contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'n' } }],
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1', 'insecure-skip-tls-verify': true } }],
  users: [{ name: 'u', user: { token: 'a-token' } }],
};

describe('readKubeConfig', () => {
  let directory: string;
  let path: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'services-stack-kubeconfig-'));
    path = join(directory, 'config');
    await writeFile(path, JSON.stringify(kubeconfig));
  });
  after(() => rm(directory, { recursive: true }));

  test('reads server and user, and signs requests with them', async () => {
    const config = await readKubeConfig(path);
    assert.equal(config.getCurrentCluster()?.server, 'https://127.0.0.1:1');
    const options: { headers: Record<string, string> } = { headers: {} };
    await config.applyToHTTPSOptions(options);
    assert.match(JSON.stringify(options.headers), /Bearer a-token/);
  });

  test('reads the same as the whole library does', async () => {
    const { KubeConfig } = await import('@kubernetes/client-node');
    const whole = new KubeConfig();
    whole.loadFromFile(path);
    const ours = await readKubeConfig(path);
    assert.deepEqual(JSON.parse(ours.exportConfig()), JSON.parse(whole.exportConfig()));
  });

  test('the generated API classes stay out of the process', async () => {
    const script = `
      const loaded = [];
      const { registerHooks } = await import('node:module');
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
      const { readKubeConfig } = await import('./runtime/client/kube-config.ts');
      await readKubeConfig(${JSON.stringify(path)});
      console.log(loaded.filter((url) => url.includes('/client-node/dist/gen/')).length, loaded.length);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: join(import.meta.dirname, '..', '..', '..'),
    });
    const [generated, all] = stdout.trim().split(' ').map(Number);
    assert.ok((generated ?? 0) < 5, `${stdout} of many hundred`);
    assert.ok((all ?? 0) > 20, stdout);
  });

  test('a file that is not there is an error that names it', async () => {
    await assert.rejects(readKubeConfig(join(directory, 'nowhere')), /nowhere/);
  });
});
