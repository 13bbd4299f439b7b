import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { judge } from '../../testing/conformance.ts';
import { startFavouriteCloud } from '../../testing/favourite-cloud/server.ts';
import { rules } from '../../testing/rules/rules.ts';
import type { Conformance } from '../../testing/scenario.ts';

/** A world on loopback, with a cloud that takes its time by the clock on the wall. */
const conformance = (time: NonNullable<Conformance['time']>, provisioningMs: number): Conformance => ({
  managed: FavouriteDBInstanceKind,
  forProvider: { fancinessLevel: 3 },
  time,
  async open() {
    const cloud = await startFavouriteCloud({ provisioningMs, deletionMs: provisioningMs });
    const { url, token } = cloud;
    return {
      stack: fcpStack,
      credentials: JSON.stringify({ url, token }),
      externals: () => cloud.instances(),
      hang: () => cloud.faults.inject({ kind: 'hang', times: Number.POSITIVE_INFINITY }),
      close: () => cloud.stop(),
    };
  },
});

describe('a world over a network', () => {
  const tried = ['becomes available', 'delete twice', 'an aborted call'];
  for (const { name, ...rule } of rules.filter((each) => tried.some((word) => each.name.includes(word)))) {
    test(`that takes no time of its own: ${name}`, async () => {
      assert.deepEqual(await judge({ name, ...rule }, conformance('network', 0)), { type: 'kept' });
    });
    test(`that takes real time: ${name}`, async () => {
      assert.deepEqual(await judge({ name, ...rule }, conformance('real', 300)), { type: 'kept' });
    });
  }
});
