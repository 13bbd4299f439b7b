import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { CustomResourceDefinitionKind } from '../../../runtime/client/install-crds.ts';
import { EventKind } from '../../../runtime/events/event-kind.ts';
import type { Lease } from '../../../runtime/process/lease.ts';
import { LeaseKind } from '../../../runtime/process/lease.ts';
import { FancySQLInstanceKind } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { ProviderConfigKind, ProviderKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';
import { until } from '../widgets.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const startMs = 60_000;

describe('the process, over an API server in memory', () => {
  let server: FakeApiServer;
  let directory: string;
  let child: ChildProcess | undefined;
  let log: string;

  beforeEach(async () => {
    server = await new FakeApiServer(
      SecretKind,
      StoreConfigKind,
      FancySQLInstanceKind,
      FavouriteDBInstanceKind,
      FavouriteDBInstanceClassKind,
      NetworkKind,
      ProviderKind,
      ProviderConfigKind,
      EventKind,
      LeaseKind,
      CustomResourceDefinitionKind,
    ).start();
    directory = await mkdtemp(join(tmpdir(), 'process-'));
    await writeFile(join(directory, 'kubeconfig'), server.kubeConfig().exportConfig());
    log = '';
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await server.stop();
    await rm(directory, { recursive: true });
  });

  /** Starts `node main.ts`; `exit` resolves with what ended it, a code or a signal, after its last output. */
  function start(flags: readonly string[], nodeFlags: readonly string[] = []) {
    const kubeconfig = join(directory, 'kubeconfig');
    const args = [...nodeFlags, 'main.ts', '--kubeconfig', kubeconfig, '--stacks', 'fcp', ...flags];
    const started = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    const exit = once(started, 'close').then(([code, signal]) => code ?? signal);
    return { started, exit };
  }

  test('SIGTERM while it still loads its modules ends it with 0', async () => {
    const hook = join(directory, 'hook.mjs');
    await writeFile(
      hook,
      `import { registerHooks } from 'node:module';
      registerHooks({
        resolve(specifier, context, next) {
          if (specifier === 'rxjs') process.stderr.write('loading\\n');
          return next(specifier, context);
        },
      });`,
    );
    const { started, exit } = start([], ['--import', hook]);
    await until('it loads', () => log.includes('loading'), startMs);
    started.kill('SIGTERM');
    assert.equal(await exit, 0);
  });

  test('without a reader of its help, it ends with 0 and without a stack trace', async () => {
    const { started, exit } = start(['--help']);
    started.stdout.destroy();
    assert.equal(await exit, 0);
    assert.equal(log, '');
  });

  for (const [title, act] of [
    ['the reader of its log ends', () => {}],
    [
      'it is interrupted together with the reader of its log',
      (started: ChildProcess) => started.kill('SIGINT'),
    ],
  ] as const) {
    test(`if ${title}, it ends with 0 and releases its Lease`, async () => {
      const lease = () => server.objects().find(({ kind }) => kind === 'Lease') as Lease | undefined;
      const { started, exit } = start(['--log-level', 'debug']);
      await until('it leads', () => Boolean(lease()?.spec?.holderIdentity), startMs);
      started.stderr.destroy();
      act(started);
      assert.equal(await exit, 0);
      assert.ok(!lease()?.spec?.holderIdentity);
    });
  }

  test('a leader that is stopped until another process has its Lease writes nothing when it goes on', async () => {
    const claim = (name: string) =>
      server.put(FancySQLInstanceKind, {
        apiVersion: 'database.crossplane.io/v1alpha1',
        kind: 'FancySQLInstance',
        metadata: { name, namespace: 'team' },
        spec: { classSelector: { matchLabels: { no: 'class' } } },
      });
    const writes = () =>
      server.requests.filter(({ method, path }) => !/GET|WATCH/.test(method) && !/leases|events/.test(path));
    const lease = () => server.objects().find(({ kind }) => kind === 'Lease') as Lease | undefined;
    const { started, exit } = start([]);
    await until('it leads', () => lease() !== undefined, startMs);
    claim('before');
    await until('it works', () => writes().length > 0, startMs);

    started.kill('SIGSTOP');
    await sleepFor(11_000); // the renew deadline is 10 s
    const { spec, ...held } = lease()!;
    server.put(LeaseKind, { ...held, spec: { ...spec, holderIdentity: 'another' } });
    const count = writes().length;
    claim('meanwhile');
    started.kill('SIGCONT');

    assert.equal(await exit, 1);
    assert.match(log, /lost the Lease: this process exits, so that it can be restarted/);
    assert.deepEqual(
      writes()
        .slice(count)
        .map(({ method, path }) => `${method} ${path}`),
      [],
    );
  });
});
