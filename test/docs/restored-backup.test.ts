import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { credentialsNamespace, startFancySQL } from '../cluster/fancysql-fixture.ts';
import { eventually, startCluster } from '../cluster/stack-harness.ts';

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

/**
 * The objects that a backup tool restores into another cluster: no status, and no decision of the old
 * cluster.
 */
function asRestored(object: KubernetesObject): KubernetesObject {
  const { status: _, metadata, ...rest } = object as KubernetesObject & { readonly status?: unknown };
  const { uid: _u, resourceVersion: _r, ownerReferences: _o, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
