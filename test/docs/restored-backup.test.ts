import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { startControllerManager } from '../../local/control-plane/controller-manager.ts';
import { controllerManagerSupport } from '../../local/control-plane/controller-manager-binary.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { credentialsNamespace, startFancySQL } from '../cluster/fancysql-fixture.ts';
import type { Cluster } from '../cluster/stack-harness.ts';
import { eventually, startCluster } from '../cluster/stack-harness.ts';
import { temporaryFolder } from '../local/temporary-folder.ts';
import { projectRoot } from './project-copy.ts';

/** The commands of docs/backup.md that write a backup, and those that restore it. */
async function backupCommands(): Promise<{ readonly write: string[]; readonly restore: string[] }> {
  const guide = await readFile(join(projectRoot, 'docs/backup.md'), 'utf8');
  const chapter = guide.split('\n## Rehearse a restore\n')[0] ?? '';
  const lines = chapter
    .replaceAll('postgresql-credentials', credentialsNamespace)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('kubectl '));
  return {
    write: lines.filter((line) => / > \S+\.json$/.test(line)),
    restore: lines.filter((line) => line.includes('create -f -')),
  };
}

/** Runs one line of commands as a shell does, with files in `directory`. Objects that exist already stay as they are. */
async function run(cluster: Cluster, directory: string, line: string): Promise<void> {
  const [pipeline = '', file] = line.split(' > ');
  let output = '';
  for (const command of pipeline.split(' | ')) {
    const [, ...words] = command.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'));
    const args = words.map((word) => (word.endsWith('.json') ? join(directory, word) : word));
    output = await cluster.kubectl(args, output).catch((error: Error) => {
      const errors = error.message.match(/^.*Error from server.*$/gm) ?? [];
      if (errors.length === 0 || !errors.every((text) => text.includes('(AlreadyExists)'))) throw error;
      return '';
    });
  }
  if (file !== undefined) await writeFile(join(directory, file), output);
}

const flags = ['--stacks', 'fcp'];
const support = await controllerManagerSupport();

const orders = { namespace: 'team-a', name: 'orders' };

/** An operator owns these objects. The backup does not have the operator's objects. */
const owned = (uid: string) =>
  JSON.stringify({
    metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'operator', uid }] },
  });

/** The claim as its author applies it, before the backup and after the restore. */
const manifest = JSON.stringify({
  apiVersion: 'database.crossplane.io/v1alpha1',
  kind: 'FancySQLInstance',
  metadata: orders,
  spec: { writeConnectionSecretToRef: { name: 'orders' } },
});

/** Kubernetes' garbage collector runs, and has deleted a claim whose owner does not exist. */
async function collectGarbage(cluster: Cluster, context: TestContext): Promise<void> {
  if (support.by === 'none') return context.diagnostic(support.reason);
  const manager = await startControllerManager(support, cluster.controlPlane);
  context.after(() => manager.stop());
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'operator', uid: 'b2f0c1de-0000-4000-8000-000000000000' },
  ];
  const key = { namespace: 'team-a', name: 'unwanted' };
  await cluster.create(FancySQLInstanceKind, { ...key, ownerReferences }, { spec: {} });
  await eventually('the garbage collector deletes a claim without its owner', async () => {
    return (await cluster.find(FancySQLInstanceKind, key)) === undefined;
  });
}

describe('a backup restored into another cluster', () => {
  test('binds again, to the same instance with the same password, and heals its secrets', async (context) => {
    const fixture = await startFancySQL();
    context.after(() => fixture.stop());
    const directory = await temporaryFolder(context);
    const { write, restore } = await backupCommands();
    assert.deepEqual([write.length, restore.length], [4, 3]);
    await fixture.favouriteClass('small', { isDefault: true });
    const first = fixture.cluster.startProcess(flags);
    await fixture.cluster.kubectl(['apply', '-f', '-'], manifest);
    await fixture.cluster.kubectl(['-n', 'team-a', 'create', 'configmap', 'operator']);
    const path = ['-o', 'jsonpath={.metadata.uid}'];
    const operator = await fixture.cluster.kubectl(['-n', 'team-a', 'get', 'configmap', 'operator', ...path]);
    for (const name of ['orders', 'reports']) {
      if (name !== 'orders') await fixture.claim('team-a', name, { writeConnectionSecretToRef: { name } });
      const { spec } = await fixture.bound('team-a', name);
      const patch = ['--type=merge', '-p', owned(operator)];
      await fixture.cluster.kubectl(['-n', 'team-a', 'patch', 'fancysqlinstance', name, ...patch]);
      await fixture.cluster.kubectl(['patch', 'favouritedbinstance', spec.resourceRef?.name ?? '', ...patch]);
    }
    await first.end();
    const before = fixture.favourite.instances().map(({ item }) => item);
    const { id, password } = before.find(({ name }) => name.startsWith('team-a-orders-')) ?? assert.fail();
    for (const line of write) await run(fixture.cluster, directory, line);

    const cluster = await startCluster();
    context.after(() => cluster.stop());
    for (const line of restore) await run(cluster, directory, line);
    // Another tool restored this claim with the owner that it had.
    const withOwner = ['fancysqlinstance', 'reports', '--type=merge', '-p', owned(operator)];
    await cluster.kubectl(['-n', 'team-a', 'patch', ...withOwner]);
    await collectGarbage(cluster, context);
    const { reports, resource } = await eventually('the claim with its owner is deleted', async () => {
      const found = await cluster.find(FancySQLInstanceKind, { namespace: 'team-a', name: 'reports' });
      const isDeleted = support.by === 'none' || found?.metadata.deletionTimestamp !== undefined;
      return isDeleted && found && { reports: found, resource: found.spec.resourceRef?.name ?? '' };
    });
    cluster.startProcess(flags);
    const ready = ['--for=condition=Ready', '--timeout=30s'];
    await cluster.kubectl(['wait', '-n', 'team-a', 'fancysqlinstance/orders', ...ready]);
    const secret = await eventually('the secret of the claim has its new owner', async () => {
      const text = await cluster.kubectl(['get', 'secret', 'orders', '-n', 'team-a', '-o', 'json']);
      const found = JSON.parse(text) as Secret;
      return found.metadata.ownerReferences?.[0]?.kind === 'FancySQLInstance' && found;
    });
    assert.equal(Buffer.from(secret.data?.password ?? '', 'base64').toString(), password);
    const reasons = await cluster.kubectl([
      'get',
      'events',
      '-n',
      'team-a',
      '-o',
      'jsonpath={.items[*].reason}',
    ]);
    assert.ok(!reasons.includes('CannotPropagateConnectionDetails'), reasons);
    if (reports.metadata.deletionTimestamp !== undefined) {
      await eventually('the claim that the garbage collector deleted is gone', async () => {
        return (await cluster.find(FancySQLInstanceKind, reports.metadata)) === undefined;
      });
      const retained = await cluster.find(FavouriteDBInstanceKind, { name: resource });
      assert.equal(retained?.spec.reclaimPolicy, 'Delete');
      assert.equal(retained.status?.bindingPhase, 'Released');
    }
    const claimSpec = async () => (await cluster.find(FancySQLInstanceKind, orders))?.spec;
    const specBefore = await claimSpec();
    await cluster.kubectl(['apply', '-f', '-'], manifest);
    assert.deepEqual(await claimSpec(), specBefore);
    const instances = fixture.favourite.instances().map(({ item }) => item);
    const known = (all: typeof before) => all.map(({ id, name, password }) => ({ id, name, password }));
    assert.deepEqual(known(instances), known(before));
    assert.ok(instances.some((instance) => instance.id === id && instance.password === password));
  });
});
