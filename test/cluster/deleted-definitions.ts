import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { favouriteClassRef } from './fancysql-fixture.ts';
import { eventually } from './stack-harness.ts';

const definitions = [
  'fancysqlinstances.database.crossplane.io',
  'favouritedbinstances.database.fcp.crossplane.io',
] as const;

/** The warning of docs/uninstall.md. Deletes the definitions of FancySQL. */
export function testDeletedDefinitions(fixtureOf: () => FancySQLFixture): void {
  describe('definitions that are deleted take their objects along, and what these stand for', () => {
    let fixture: FancySQLFixture;
    const kubectl = (...args: readonly string[]) => fixture.cluster.kubectl(args);
    let earlier: number;
    const outside = () => fixture.favourite.instances().length - earlier;
    const flags = ['--stacks', 'fcp', '--poll-interval', '2s'];

    before(async () => {
      fixture = fixtureOf();
      earlier = fixture.favourite.instances().length;
      await fixture.favouriteClass('retain', { template: { reclaimPolicy: 'Retain' } });
    });

    test('deletion also happens without a running process, as soon as one starts; but not for resources that have Orphan or Retain at that time', async () => {
      const former = fixture.cluster.startProcess(flags);
      const classes = { lost: 'small', before: 'small', meanwhile: 'small', retained: 'retain' };
      for (const [name, className] of Object.entries(classes)) {
        await fixture.claim('team-b', name, { classRef: favouriteClassRef(className) });
      }
      const resources: Record<string, string> = {};
      for (const name of Object.keys(classes)) {
        const { spec } = await fixture.bound('team-b', name);
        resources[name] = spec.resourceRef?.name ?? '';
      }
      const keep = (name: string) =>
        kubectl(
          'patch',
          `${FavouriteDBInstanceKind.plural}.${FavouriteDBInstanceKind.group}`,
          resources[name] ?? '',
          '--type',
          'merge',
          '-p',
          '{"spec":{"deletionPolicy":"Orphan"}}',
        );
      await keep('before');
      await former.end('SIGTERM');

      await kubectl('delete', 'crd', ...definitions, '--wait=false');
      await eventually('the resources are deleted', async () => {
        const found = await fixture.cluster.find(FavouriteDBInstanceKind, { name: resources.lost ?? '' });
        return found?.metadata.deletionTimestamp !== undefined;
      });
      assert.equal(outside(), 4, 'nobody carries it out');
      await keep('meanwhile');

      const next = fixture.cluster.startProcess(flags);
      await eventually('the definitions are gone', async () => {
        const left = await kubectl('get', 'crd', '-o', 'name');
        return !definitions.some((name) => left.includes(name));
      });
      await next.end('SIGTERM');
      const left = fixture.favourite.instances().map(({ item }) => item.name);
      const retained = ['before', 'meanwhile', 'retained'].map((name) => resources[name]);
      assert.deepEqual(left.toSorted(), retained.toSorted());
    });
  });
}
