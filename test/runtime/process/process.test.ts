import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import { apiVersionOf } from '../../../apis/core/v1alpha1/kind.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { FancySQLInstanceKind } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import type { Network } from '../../../apis/fcp/v1alpha3/network.ts';
import { NetworkKind } from '../../../apis/fcp/v1alpha3/network.ts';
import { ProviderConfigKind, ProviderKind } from '../../../apis/fcp/v1alpha3/provider.ts';
import { startFavouriteCloud } from '../../../emulators/favourite-cloud/server.ts';
import { CustomResourceDefinitionKind } from '../../../runtime/client/install-crds.ts';
import { EventKind } from '../../../runtime/events/event-kind.ts';
import type { Lease } from '../../../runtime/process/leader-election.ts';
import { LeaseKind } from '../../../runtime/process/leader-election.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';
import { until } from '../things.ts';

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

  /** Starts `node main.ts`; `exit` resolves with what ended it: a code or a signal. */
  function start(flags: readonly string[], nodeFlags: readonly string[] = []) {
    const kubeconfig = join(directory, 'kubeconfig');
    const args = [...nodeFlags, 'main.ts', '--kubeconfig', kubeconfig, '--stacks', 'fcp', ...flags];
    const started = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    const exit = once(started, 'exit').then(([code, signal]) => code ?? signal);
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

  test('a leader that is stopped for longer than its Lease is valid goes on if no other process took it, and logs it once', async () => {
    await using cloud = await startFavouriteCloud({ token: 'hush-hush-token' });
    server.put(SecretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'cloud', namespace: 'infra' },
      data: {
        credentials: Buffer.from(JSON.stringify({ url: cloud.url, token: cloud.token })).toString('base64'),
      },
    });
    server.put(ProviderConfigKind, {
      apiVersion: apiVersionOf(ProviderConfigKind),
      kind: 'ProviderConfig',
      metadata: { name: 'default' },
      spec: {
        credentials: {
          source: 'Secret',
          secretRef: { namespace: 'infra', name: 'cloud', key: 'credentials' },
        },
      },
    });
    const network = (name: string, displayName: string): Network => ({
      apiVersion: apiVersionOf(NetworkKind),
      kind: 'Network',
      metadata: { name },
      spec: { forProvider: { displayName } },
    });
    const names = Array.from({ length: 30 }, (_, n) => `network-${n}`);
    for (const name of names) server.put(NetworkKind, network(name, 'before'));
    const networks = () => server.objects().filter(({ kind }) => kind === NetworkKind.kind) as Network[];
    const synced = ({ status }: Network) => getCondition(status?.conditions, 'Synced');
    const areSynced = (displayName: string) =>
      networks().every(
        (each) =>
          synced(each).status === 'True' &&
          each.status?.conditions?.[0]?.observedGeneration === each.metadata.generation &&
          each.spec.forProvider.displayName === displayName,
      );
    const { started, exit } = start(['--poll-interval', '2s', '--log-format', 'json']);
    await until('they are made', () => areSynced('before'), startMs);

    started.kill('SIGSTOP');
    await sleepFor(11_000); // the renew deadline is 10 s
    for (const found of networks()) {
      server.put(NetworkKind, {
        ...found,
        spec: { ...found.spec, forProvider: { displayName: 'meanwhile' } },
      });
    }
    // So that there is something to be kept back before the lease is renewed.
    server.fail({ method: 'PUT', plural: 'leases', status: 429, retryAfterSeconds: 0.5 });
    log = '';
    const count = server.requests.length;
    started.kill('SIGCONT');
    await until('it goes on', () => areSynced('meanwhile'), startMs);

    const complaints = server.requests
      .slice(count)
      .filter(({ body }) => /ReconcileError|Warning/.test(JSON.stringify(body ?? '')));
    assert.deepEqual(complaints, []);
    const reported = log
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { readonly level: string; readonly msg: string })
      .filter(({ level }) => level === 'warn' || level === 'error');
    assert.deepEqual(
      reported.map(({ level, msg }) => [level, msg]),
      [['warn', 'leading again after an interruption: no other process has led during that time']],
    );
    started.kill('SIGTERM');
    assert.equal(await exit, 0);
  });
});
