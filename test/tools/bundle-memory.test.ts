import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../apis/core/v1alpha1/store-config.ts';
import { allStacks } from '../../app/stacks.ts';
import { freePort } from '../../local/free-port.ts';
import { CustomResourceDefinitionKind } from '../../runtime/client/install-crds.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import { LeaseKind } from '../../runtime/process/lease.ts';
import { bundle } from '../../tools/bundle.ts';
import { eventually } from '../cluster/stack-harness.ts';
import { FakeApiServer } from '../fakes/api-server.ts';

/** On SIGUSR2 prints the live heap in MiB, and whether Node loaded its own undici. */
const reporting = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  process.on('SIGUSR2', () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc');
    gc();
    gc();
    const heapMiB = process.memoryUsage().heapUsed / 2 ** 20;
    const undici = process.moduleLoadList.some((name) => name.endsWith('deps/undici/undici'));
    console.log(JSON.stringify({ heapMiB, undici }));
  });
`;

test('the bundle with the stacks that run by default keeps at most so much heap alive when it is ready', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'services-stack-memory-'));
  const server = await new FakeApiServer(
    ...allStacks.flatMap(({ definitions }) => definitions),
    StoreConfigKind,
    SecretKind,
    NamespaceKind,
    EventKind,
    LeaseKind,
    CustomResourceDefinitionKind,
  ).start();
  const folder = join(directory, 'bundle');
  await bundle(folder);
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeConfig().exportConfig());
  const probes = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(reporting)}`,
      'main.js',
      '--kubeconfig',
      kubeconfig,
      '--leader-elect=false',
      '--health-probe-bind-address',
      probes,
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  try {
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    await eventually('it is ready', async () => {
      assert.equal(child.exitCode, null, log);
      return (await fetch(`http://${probes}/readyz`)).ok;
    });
    const reported = once(child.stdout.setEncoding('utf8'), 'data') as Promise<[string]>;
    child.kill('SIGUSR2');
    const [report] = await reported;
    const { heapMiB, undici } = JSON.parse(report) as { readonly heapMiB: number; readonly undici: boolean };
    assert.ok(heapMiB <= 34, `${heapMiB.toFixed(1)} MiB`);
    assert.equal(undici, false, 'Node loaded its own undici, beside the undici of the bundle');
  } finally {
    child.kill('SIGKILL');
    await server.stop();
    await rm(directory, { recursive: true });
  }
});
