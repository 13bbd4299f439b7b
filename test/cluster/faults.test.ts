import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { definitions } from '../fakes/defined-kinds.ts';
import { auditTrail } from './audit-trail.ts';
import type { CuttableLink } from './cuttable-link.ts';
import { startCuttableLink } from './cuttable-link.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { favouriteClassRef, startFancySQL } from './fancysql-fixture.ts';
import { violationsAtRest, writesWithoutLease } from './real-world.ts';
import type { StackProcess } from './stack-harness.ts';
import { eventually } from './stack-harness.ts';

const users = ['process-a', 'process-b'] as const;
type User = (typeof users)[number];

/** Faults that a simulation can only imitate. Afterwards the invariants of the simulation hold. */
describe('the process survives real faults', () => {
  let fixture: FancySQLFixture;
  let link: CuttableLink;
  let folder: string;
  let audit: Awaited<ReturnType<typeof auditTrail>>;
  const processes: StackProcess[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'services-stack-faults-'));
    audit = await auditTrail(folder);
    const tokens = join(folder, 'tokens.csv');
    await writeFile(tokens, users.map((user) => `${user}-token,${user},${user}\n`).join(''));
    const apiServerFlags = { ...audit.apiServerFlags, 'token-auth-file': tokens };
    fixture = await startFancySQL({ provisioningMs: 1000 }, { apiServerFlags });
    const { cluster } = fixture;
    link = await startCuttableLink(Number(new URL(cluster.controlPlane.server).port));
    const subjects = users.map((user) => `--user=${user}`);
    await cluster.kubectl([
      'create',
      'clusterrolebinding',
      'both',
      '--clusterrole=cluster-admin',
      ...subjects,
    ]);
    await fixture.favouriteClass('small', { template: { reclaimPolicy: 'Delete' } });
  });
  afterEach(() => Promise.all(processes.splice(0).map((each) => each.end('SIGKILL'))));
  after(async () => {
    await fixture?.stop();
    await link?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts a process as one of the users, which reaches the API server over the link. */
  async function start(
    user: User,
    flags: readonly string[] = ['--leader-elect=false'],
  ): Promise<StackProcess> {
    const config = parse(fixture.cluster.controlPlane.kubeconfig) as {
      readonly users: readonly { readonly name: string }[];
      readonly clusters: readonly { readonly name: string; readonly cluster: object }[];
    };
    const server = `https://127.0.0.1:${link.port}`;
    const kubeconfig = join(folder, user);
    const own = {
      ...config,
      clusters: config.clusters.map(({ name, cluster }) => ({ name, cluster: { ...cluster, server } })),
      users: config.users.map(({ name }) => ({ name, user: { token: `${user}-token` } })),
    };
    await writeFile(kubeconfig, stringify(own));
    const all = ['--stacks', 'fcp,ocp', '--poll-interval', '1s', ...flags];
    const started = fixture.cluster.startProcess(all, { isAlone: false, kubeconfig });
    processes.push(started);
    return started;
  }

  const claim = (name: string) =>
    fixture.claim('team-a', name, {
      classRef: favouriteClassRef('small'),
      writeConnectionSecretToRef: { name },
    });
  const deleteClaim = (name: string) =>
    fixture.cluster.client.delete(FancySQLInstanceKind, { namespace: 'team-a', name }, {});
  /** Waits until so many instances are there, and everything that the invariants of the simulation require holds. */
  async function settled(instances: number): Promise<void> {
    const { cluster, favourite, other } = fixture;
    await eventually('all is as users want it', async () => {
      const objects = (
        await Promise.all([...definitions, SecretKind].map((each) => cluster.all(each)))
      ).flat();
      assert.deepEqual(violationsAtRest(objects, { favourite, other }), []);
      assert.equal(favourite.instances().length, instances);
      return true;
    });
    const passwords = (await cluster.all(SecretKind)).flatMap((each) => decodeDetails(each).password ?? []);
    assert.ok(passwords.length >= 2);
    for (const { log } of processes) {
      assert.ok(
        ![...passwords, favourite.token].some((secret) => log().includes(secret)),
        'a log has a secret',
      );
    }
  }

  test('a process that is killed during a creation and started again creates no second instance', async () => {
    const first = await start('process-a');
    await claim('killed');
    await eventually('the creation began', async () => fixture.favourite.instances().length > 0);
    await first.end('SIGKILL');
    await start('process-a');
    await fixture.bound('team-a', 'killed');
    await settled(1);
  });

  test('a process whose connections are cut while users change objects notices all changes afterwards', async () => {
    await start('process-a');
    await fixture.bound('team-a', 'killed');
    link.cut();
    await claim('cut');
    await deleteClaim('killed');
    const [process] = processes;
    await eventually('it has no connection', async () => process?.log().includes('ECONNRE'));
    link.open();
    await fixture.bound('team-a', 'cut');
    await settled(1);
  });

  test('a process lists again after etcd and the API server forgot the changes that it missed', async () => {
    await start('process-a');
    await fixture.bound('team-a', 'cut');
    link.cut();
    await claim('compacted');
    await deleteClaim('cut');
    await compact(fixture.cluster.controlPlane.etcdUrl);
    await fixture.cluster.controlPlane.stopApiServer();
    await fixture.cluster.controlPlane.startApiServer();
    link.open();
    await fixture.bound('team-a', 'compacted');
    await settled(1);
  });

  test('a leader that is frozen beyond its lease writes nothing when it continues, and ends', async () => {
    const count = fixture.favourite.instances().length;
    const frozen = await start('process-a', []);
    await claim('frozen');
    await eventually('the creation began', async () => fixture.favourite.instances().length > count);
    frozen.child.kill('SIGSTOP');
    await start('process-b', []);
    await fixture.bound('team-a', 'frozen');
    await claim('later');
    frozen.child.kill('SIGCONT');
    await frozen.ended;
    await fixture.bound('team-a', 'later');
    await settled(count + 2);
    const { favourite, other } = fixture;
    const requests = (await audit.fresh()).filter(({ user }) => users.some((each) => each === user));
    const led = requests.slice(requests.findIndex(({ holder }) => holder !== undefined));
    assert.deepEqual([...new Set(led.map(({ user }) => user))].toSorted(), users);
    assert.deepEqual(writesWithoutLease(led, { favourite, other }), []);
  });
});

/** Makes etcd forget everything but the present, over its JSON gateway. */
async function compact(etcdUrl: string): Promise<void> {
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${etcdUrl}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) });
    assert.ok(response.ok, `etcd ${path}: ${response.status}`);
    return response.json();
  };
  const key = Buffer.from('/').toString('base64');
  const { header } = (await post('range', { key, limit: '1' })) as {
    readonly header: { readonly revision: string };
  };
  await post('compaction', { revision: header.revision, physical: true });
}
