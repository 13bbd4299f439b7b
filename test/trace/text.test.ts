import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import map from 'lodash/map.js';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { traceText } from '../../trace/show/text.ts';
import { endWorlds, TracedWorld } from './traced-world.ts';

afterEach(endWorlds);

const options = { width: 200, isVerbose: false, paint: (_tone: string, text: string) => text };

test('a trace calls a class without a kind a class, and leaves out Stalled, which repeats Synced', async () => {
  const world = new TracedWorld();
  world.start();
  const key = world.claim('orders', { classRef: { name: 'favourite-larg' } });
  await world.pass();
  const trace = await world.trace('fancysqlinstance', key);
  const [, line] = traceText(trace, { ...options, now: world.clock.now() })
    .split('\n')
    .slice(-5);
  assert.equal(line, '  ✗ class favourite-larg ◀ missing class');
  assert.deepEqual(map(trace.links[0]?.conditions, 'type'), ['Ready', 'Synced']);
});

test('without --verbose a trace shows an edit that is not applied', async () => {
  const world = new TracedWorld();
  const key = world.managed('legacy', { managementPolicies: ['Observe', 'Create', 'Delete'] });
  world.start();
  await world.pass();
  world.edit(FavouriteDBInstanceKind, key, { spec: { forProvider: { fancinessLevel: 7 } } });
  await world.pass();
  const trace = await world.trace('favouritedbinstance', key);
  assert.deepEqual(traceText(trace, { ...options, now: world.clock.now() }).split('\n'), [
    'FavouriteDBInstance legacy can be used',
    '',
    '✓ FavouriteDBInstance legacy',
    '    not applied, because spec.managementPolicies do not allow Update: spec.forProvider.fancinessLevel; add Update, or undo the edit, or create a new resource',
    '  ✓ external name legacy',
    '  ✓ Provider favourite (fcp.crossplane.io)',
    '    ✓ credentials: secret cloud-credentials/favourite-cloud',
    '? controllers',
    '',
  ]);
});
