import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
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
    write: lines.filter((line) => line.includes(' > ')),
    restore: lines.filter((line) => line.includes('create -f')),
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

describe('a backup restored into another cluster', () => {
  test('binds again, to the same instance with the same password, and heals its secrets', async (context) => {
    const fixture = await startFancySQL();
    context.after(() => fixture.stop());
    const directory = await temporaryFolder(context);
    const { write, restore } = await backupCommands();
    assert.deepEqual([write.length, restore.length], [4, 3]);
    await fixture.favouriteClass('small', { isDefault: true });
    const first = fixture.cluster.startProcess(flags);
    await fixture.claim('team-a', 'orders', { writeConnectionSecretToRef: { name: 'orders' } });
    await fixture.bound('team-a', 'orders');
    await first.end();
    const [before] = fixture.favourite.instances();
    for (const line of write) await run(fixture.cluster, directory, line);

    const cluster = await startCluster();
    context.after(() => cluster.stop());
    for (const line of restore) await run(cluster, directory, line);
    cluster.startProcess(flags);
    const ready = ['--for=condition=Ready', '--timeout=30s'];
    await cluster.kubectl(['wait', '-n', 'team-a', 'fancysqlinstance/orders', ...ready]);
    const secret = await eventually('the secret of the claim has its new owner', async () => {
      const text = await cluster.kubectl(['get', 'secret', 'orders', '-n', 'team-a', '-o', 'json']);
      const found = JSON.parse(text) as Secret;
      return found.metadata.ownerReferences?.[0]?.kind === 'FancySQLInstance' && found;
    });
    const password = Buffer.from(secret.data?.password ?? '', 'base64').toString();
    assert.deepEqual(
      fixture.favourite.instances().map(({ item: { id, name } }) => ({ id, name })),
      [{ id: before?.item.id, name: before?.item.name }],
    );
    assert.equal(password, before?.item.password);
    assert.equal(fixture.favourite.instances()[0]?.item.password, before?.item.password);
  });
});
