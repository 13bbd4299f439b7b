import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { createMetrics } from '../../runtime/probes/metrics.ts';
import { flagSpecs } from '../../runtime/process/flag-specs.ts';
import { testClock } from '../../testing/test-clock.ts';
import { credentialsNamespace, startFancySQL } from '../cluster/fancysql-fixture.ts';
import { eventually, startCluster } from '../cluster/stack-harness.ts';
import { projectRoot } from './project-copy.ts';

const guide = readFileSync(join(projectRoot, 'docs', 'operating.md'), 'utf8');

/** The text under a heading, up to the next. */
const chapter = (title: string): string => {
  const [, text] = guide.split(`\n## ${title}\n`);
  if (text === undefined) throw new Error(`there is no chapter ${title}`);
  return text.split('\n## ')[0] ?? '';
};
/** The cells of every row of its tables, without headers. */
const rows = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
const code = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, inner = '']) => inner);

test('its table of flags is that of the process', () => {
  const stacks = ['all'];
  const specs = Object.values(flagSpecs(stacks)).map(({ usage, default: byDefault }) => [
    usage.split(' ')[0],
    byDefault || (usage.startsWith('--namespace') ? 'all' : ''),
  ]);
  const inGuide = rows(chapter('Flags')).map(([flag = '', byDefault = '']) => [
    code(flag)[0],
    byDefault.replaceAll('`', ''),
  ]);
  assert.deepEqual(inGuide, specs);
});

test('its metrics are those that are served', async () => {
  const metrics = createMetrics({
    version: '0',
    informers: () => [],
    stacks: () => [],
    droppedEvents: () => 0,
    withProcess: false,
    clock: testClock(),
  });
  const served = [...(await metrics.page()).body.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
  const inGuide = rows(chapter('Health, metrics, logs')).flatMap(([names = '']) => {
    const [first = '', ...others] = code(names);
    const prefix = /^(controller_runtime_reconcile|workqueue)_/.exec(first)?.[1] ?? '';
    return [first, ...others.map((name) => (name.startsWith('_') ? prefix + name : name))];
  });
  assert.deepEqual(inGuide.toSorted(), served.toSorted());
});

test('it explains every reason there is, and no other', () => {
  const sources = globSync(['controllers/**/*.ts', 'apis/core/v1alpha1/condition.ts'], { cwd: projectRoot })
    .filter((file) => !file.endsWith('/logging-changes.ts')) // it repeats reasons, and gives none
    .map((file) => readFileSync(join(projectRoot, file), 'utf8'))
    .join('\n');
  const patterns = [
    /(?:eventReason|reason): '([A-Z][A-Za-z]+)'/g,
    /(?:notReady|warning)\(\s*'([A-Z][A-Za-z]+)'/g,
    /'(Cannot[A-Z][A-Za-z]+|WaitingToBind|UnknownKind|ManagedResourceNotFound|(?:Apply|Destroy)Failure)'/g,
    /'((?:Created|Updated|Deleted)ExternalResource)'/g,
  ];
  const used = new Set(
    patterns.flatMap((pattern) => [...sources.matchAll(pattern)].map(([, reason]) => reason)),
  );
  const text = chapter('When something is stuck');
  const explained = code(text).filter((word) => /^[A-Z]/.test(word));
  const types = ['AsyncOperation', 'LastAsyncOperation', 'Terminating'];
  assert.deepEqual(new Set(explained.filter((word) => !types.includes(word))), used);
});

describe('a backup restored into another cluster', () => {
  test('binds again, to the same instance with the same password, and heals its secrets', async (context) => {
    const fixture = await startFancySQL();
    context.after(() => fixture.stop());
    const kinds = ['secrets', 'claims', 'managed', 'classes', 'provider'];
    await fixture.favouriteClass('small', { isDefault: true });
    const first = fixture.cluster.startProcess();
    await fixture.claim('team-a', 'orders', { writeConnectionSecretToRef: { name: 'orders' } });
    await fixture.bound('team-a', 'orders');
    await first.end();
    const [before] = fixture.favourite.instances();
    const lists = await Promise.all(
      kinds.map((kind) => fixture.cluster.kubectl(['get', kind, '-A', '-o', 'json'])),
    );
    const backup = lists
      .flatMap((list) => (JSON.parse(list) as { readonly items: readonly KubernetesObject[] }).items)
      .map(asRestored);
    assert.ok(backup.filter(({ kind }) => kind === 'Secret').length >= 3);

    const cluster = await startCluster();
    context.after(() => cluster.stop());
    for (const namespace of [credentialsNamespace, 'team-a', 'team-b']) {
      await cluster.kubectl(['create', 'namespace', namespace]);
    }
    const list = { apiVersion: 'v1', kind: 'List', items: backup };
    await cluster.kubectl(['create', '-f', '-'], JSON.stringify(list));
    cluster.startProcess();
    await cluster.kubectl([
      ...['wait', '-n', 'team-a', 'fancysqlinstance/orders'],
      ...['--for=condition=Ready', '--timeout=30s'],
    ]);
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

/** What a backup tool puts into another cluster: no status, and nothing that the old cluster decided. */
function asRestored(object: KubernetesObject): KubernetesObject {
  const { status: _, metadata, ...rest } = object as KubernetesObject & { readonly status?: unknown };
  const { uid: _u, resourceVersion: _r, ownerReferences: _o, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
