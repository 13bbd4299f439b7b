import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { FavouriteDBInstance } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import type { ManagedFields } from '../../testing/field-tracking.ts';
import { objectOf } from '../fakes/object-of.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { favouriteClassRef } from './fancysql-fixture.ts';
import { eventually } from './stack-harness.ts';

const resource = 'favouritedbinstances.database.fcp.crossplane.io';

/**
 * The view of an administrator, with kubectl, of a managed resource whose fields are not tracked any more.
 */
export function testFieldTracking(fixture: () => FancySQLFixture): void {
  describe('field tracking of a provisioned managed resource', () => {
    let name: string;
    let directory: string;

    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'field-tracking-'));
      const template = { forProvider: { fancinessLevel: 3, version: '5.7' } };
      await fixture().favouriteClass('small', { template });
      await fixture().claim('team-a', 'tracked', { classRef: favouriteClassRef('small') });
      const claim = await fixture().bound('team-a', 'tracked');
      name = claim.spec.resourceRef?.name ?? '';
    });
    after(() => rm(directory, { recursive: true, force: true }));

    const managed = async (): Promise<FavouriteDBInstance> =>
      (await fixture().cluster.find(FavouriteDBInstanceKind, { name })) ?? assert.fail('it is gone');
    const writers = async (): Promise<readonly string[]> => {
      const { metadata } = (await managed()) as {
        readonly metadata: { managedFields?: readonly ManagedFields[] };
      };
      const { managedFields = [] } = metadata;
      const all = managedFields.map(({ manager, operation }) => `${manager} ${operation}`);
      return [...new Set(all)].toSorted();
    };
    /** The manifest that an administrator keeps of it in Git. */
    const manifest = (fancinessLevel: number): string =>
      JSON.stringify(
        objectOf(
          FavouriteDBInstanceKind,
          { name, labels: { origin: 'in-git' } },
          { spec: { forProvider: { fancinessLevel } } },
        ),
      );
    const level = async () => (await managed()).spec.forProvider.fancinessLevel;
    /** The process has acted on it, and so written its status. */
    const reached = (wanted: number) =>
      eventually(`the instance has level ${wanted}`, async () => {
        const { metadata, status } = await managed();
        const synced = status?.conditions?.find(({ type }) => type === 'Synced');
        const found = fixture()
          .favourite.instances()
          .find(({ item }) => item.name === name);
        return found?.item.level === wanted && synced?.observedGeneration === metadata.generation;
      });

    test('has no entry for this process any more, and names the claim controller', async () => {
      assert.deepEqual(await writers(), []);
      const claim = await fixture().getClaim('team-a', 'tracked');
      assert.ok(claim && 'managedFields' in claim.metadata);
    });

    test('kubectl edit works as ever', async () => {
      const editor = join(directory, 'editor.sh');
      await writeFile(editor, '#!/bin/sh\nsed -i "s/fancinessLevel: 3/fancinessLevel: 4/" "$1"\n');
      await chmod(editor, 0o700);
      const former = process.env.KUBE_EDITOR;
      process.env.KUBE_EDITOR = editor;
      try {
        await fixture().cluster.kubectl(['edit', resource, name]);
      } finally {
        if (former === undefined) delete process.env.KUBE_EDITOR;
        else process.env.KUBE_EDITOR = former;
      }
      assert.equal(await level(), 4);
      await reached(4);
      assert.deepEqual(await writers(), []);
    });

    test('kubectl apply works as ever, twice', async () => {
      for (const wanted of [5, 6]) {
        await fixture().cluster.kubectl(['apply', '-f', '-'], manifest(wanted));
        assert.equal(await level(), wanted);
        await reached(wanted);
      }
      assert.deepEqual(await writers(), []);
      const { annotations = {} } = (await managed()).metadata;
      // As one who is done with it does, so that what comes next begins without it.
      const applied = 'kubectl.kubernetes.io/last-applied-configuration';
      assert.ok(applied in annotations);
      await fixture().cluster.kubectl(['annotate', resource, name, `${applied}-`]);
    });

    test('kubectl apply --server-side meets a conflict with who was there before, by that name, and can force it', async () => {
      const apply = ['apply', '--server-side', '-f', '-'];
      const conflict = fixture().cluster.kubectl(apply, manifest(7));
      await assert.rejects(conflict, /conflict with "before-first-apply"[\s\S]*fancinessLevel/);
      assert.equal(await level(), 6);
      await fixture().cluster.kubectl([...apply, '--force-conflicts'], manifest(7));
      assert.equal(await level(), 7);
      await reached(7);
    });

    test('has an entry again after that, and nothing removes it', async () => {
      const others = (await writers()).filter((writer) => writer !== 'services-stack Update');
      assert.deepEqual(others, ['before-first-apply Update', 'kubectl Apply']);
      const withoutFinalizers = '[{"op":"remove","path":"/metadata/finalizers"}]';
      await fixture().cluster.kubectl(['patch', resource, name, '--type', 'json', '-p', withoutFinalizers]);
      const finalizers = async () => (await managed()).metadata.finalizers ?? [];
      await eventually('the finalizer is back', async () => (await finalizers()).length === 1);
      const all = await writers();
      assert.ok(all.includes('kubectl Apply') && all.includes('services-stack Update'), String(all));
    });

    test('an unchanged manifest is applied again without a conflict', async () => {
      await fixture().cluster.kubectl(['apply', '--server-side', '-f', '-'], manifest(8));
      await reached(8);
    });
  });
}
