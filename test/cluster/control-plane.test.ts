import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { access, cp, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { controlPlaneBinaries } from '../../local/control-plane/binaries.ts';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { smokeTest } from '../../local/control-plane/smoke-test.ts';
import { cacheRoot } from '../../tools/offline/binary-cache.ts';
import { isRunning, processIdentity } from '../../tools/offline/process-identity.ts';
import { eventually, kubeConfigOf } from './stack-harness.ts';

const projectRoot = join(import.meta.dirname, '..', '..');
const MAIN = fileURLToPath(new URL('../../local/control-plane/main.ts', import.meta.url));

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('two control planes at once', () => {
  let one: ControlPlane;
  let two: ControlPlane;
  before(async () => {
    [one, two] = await Promise.all([startControlPlane(), startControlPlane()]);
  });
  after(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
  });

  const client = ({ kubeconfig }: ControlPlane) => kubeConfigOf(kubeconfig).makeApiClient(CoreV1Api);

  test('keep their objects apart', async () => {
    assert.notEqual(one.server, two.server);
    await client(one).createNamespace({ body: { metadata: { name: 'only-in-one' } } });
    const names = async (controlPlane: ControlPlane) =>
      (await client(controlPlane).listNamespace()).items.map((item) => item.metadata?.name);
    assert.ok((await names(one)).includes('only-in-one'));
    assert.ok(!(await names(two)).includes('only-in-one'));
  });

  test('give a kubeconfig that only its owner can read', async () => {
    assert.equal((await stat(one.kubeconfigPath)).mode & 0o777, 0o600);
    assert.match(one.server, /^https:\/\/127\.0\.0\.1:\d+$/);
  });

  test('kubectl that fails throws what it said', async () => {
    await assert.rejects(one.kubectl(['get', 'namespace', 'absent']), /kubectl get failed: .*NotFound/);
  });

  test('a restart keeps port and data and breaks connections', async () => {
    await client(two).createNamespace({ body: { metadata: { name: 'survivor' } } });
    const before = await two.pids();
    await two.stopApiServer();
    await assert.rejects(client(two).readNamespace({ name: 'survivor' }), { message: 'fetch failed' });
    await two.startApiServer();
    const after = await two.pids();
    assert.equal(after.etcd, before.etcd);
    assert.notEqual(after.apiServer, before.apiServer);
    assert.equal((await client(two).readNamespace({ name: 'survivor' })).metadata?.name, 'survivor');
  });

  test('an etcd that was killed goes on with its data, under the API server that stayed', async () => {
    const before = await two.pids();
    await two.stopEtcd();
    await assert.rejects(fetch(`${two.etcdUrl}/health`));
    await two.startEtcd();
    const after = await two.pids();
    assert.equal(after.apiServer, before.apiServer);
    assert.notEqual(after.etcd, before.etcd);
    const name = await eventually('the API server reads again', async () => {
      return (await client(two).readNamespace({ name: 'survivor' })).metadata?.name;
    });
    assert.equal(name, 'survivor');
  });

  test('a stop ends both servers and removes their files', async () => {
    const { etcd, apiServer } = await two.pids();
    const processes = await Promise.all([etcd, apiServer].map((pid) => processIdentity(pid)));
    await two.stop();
    await two.stop();
    assert.deepEqual(await Promise.all(processes.map((identity) => isRunning(identity))), [false, false]);
    assert.equal(await exists(dirname(two.kubeconfigPath)), false);
  });
});

describe('the command', () => {
  /** Starts it and answers with its kubeconfig when it serves. */
  async function start() {
    const child = spawn(process.execPath, [MAIN], { stdio: ['ignore', 'pipe', 'pipe'] });
    const lines: string[] = [];
    const output = createInterface(child.stdout);
    output.on('line', (line) => lines.push(line));
    child.stderr.resume();
    await once(output, 'line');
    return { child, lines, kubeconfigPath: lines[0]?.replace('export KUBECONFIG=', '') ?? '' };
  }

  test('prints one line for the shell and ends in order on SIGTERM', async () => {
    const { child, lines, kubeconfigPath } = await start();
    assert.ok(await exists(kubeconfigPath));
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
    assert.deepEqual(lines, [`export KUBECONFIG=${kubeconfigPath}`]);
    assert.equal(await exists(dirname(kubeconfigPath)), false);
  });

  test('--detach leaves the shell free, a second time finds the same, and --stop ends it', async () => {
    const { directory } = await controlPlaneBinaries();
    const cache = await mkdtemp(join(tmpdir(), 'services-stack-detached-'));
    // As a shell runs it: npm's shell ends at once, and what was started must not take that for its own end.
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      XDG_CACHE_HOME: cache,
      KUBEBUILDER_ASSETS: directory,
      npm_lifecycle_event: 'control-plane',
    };
    const ask = async (...flags: readonly string[]) => {
      const running = promisify(execFile)(process.execPath, [MAIN, ...flags], { env });
      const ended = (error: { code: number; stdout: string; stderr: string }) => error;
      const { code = 0, stdout, stderr } = await running.then((result) => ({ code: 0, ...result }), ended);
      return { code, stdout, stderr };
    };
    try {
      // Otherwise it would be built again.
      const definitionsServer = `definitions-server-${process.platform}-${process.arch}`;
      await mkdir(cacheRoot(env), { recursive: true });
      await symlink(join(cacheRoot(process.env), definitionsServer), join(cacheRoot(env), definitionsServer));
      const none = await ask('--stop');
      assert.deepEqual([none.code, none.stdout], [1, '']);
      assert.match(none.stderr, /none of this working copy goes on behind a shell/);
      const [record = ''] = globSync(join(cacheRoot(env), 'detached-control-plane', '*', 'lock.*')).map(
        (lock) => join(dirname(lock), 'process.json'),
      );
      await writeFile(record, '{"process":');
      assert.match((await ask('--stop')).stderr, /none of this working copy goes on behind a shell/);
      // Two at once start one.
      const [first, other] = await Promise.all([ask('--detach'), ask('--detach')]);
      assert.deepEqual(other.stdout, first.stdout);
      assert.equal(first.code, 0, first.stderr);
      assert.match(first.stdout, /^export KUBECONFIG=\S+\n$/);
      const kubeconfigPath = first.stdout.trim().replace('export KUBECONFIG=', '');
      const second = await ask('--detach');
      assert.deepEqual([second.code, second.stdout], [0, first.stdout]);
      const copy = join(cache, 'another-copy');
      for (const room of ['apis', 'local', 'runtime', 'tools'])
        await cp(join(projectRoot, room), join(copy, room), { recursive: true });
      await symlink(join(projectRoot, 'node_modules'), join(copy, 'node_modules'));
      const stop = [join(copy, 'local', 'control-plane', 'main.ts'), '--stop'];
      await assert.rejects(
        promisify(execFile)(process.execPath, stop, { env }),
        /none of this working copy goes on behind a shell/,
      );
      const config = new KubeConfig();
      config.loadFromFile(kubeconfigPath);
      const { items } = await config.makeApiClient(CoreV1Api).listNamespace();
      assert.ok(items.length > 0);
      assert.equal((await ask('--stop')).code, 0);
      assert.equal(await exists(dirname(kubeconfigPath)), false);
      assert.equal((await ask('--stop')).code, 1);
    } finally {
      await ask('--stop');
      await rm(cache, { recursive: true, force: true });
    }
  });

  test('leaves nothing behind even when it is killed', async () => {
    const { child, kubeconfigPath } = await start();
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    await eventually('its folder is gone', async () => !(await exists(dirname(kubeconfigPath))));
  });
});

test('the smoke test refuses a folder whose servers do not run', async () => {
  await assert.rejects(smokeTest('/nonexistent'), /etcd exited before becoming ready/);
});
