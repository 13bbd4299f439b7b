import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FavouriteCloudClient } from '../../../../stacks/demo-clouds/client/favourite-cloud.ts';
import { favouriteCloudClient } from '../../../../stacks/demo-clouds/client/favourite-cloud.ts';
import { createFcpStack } from '../../../../stacks/demo-clouds/fcp/stack.ts';
import type { FancySQLInstance } from '../../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FancySQLInstanceKind } from '../../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import type {
  FavouriteDBInstance,
  FavouriteDBInstanceClass,
} from '../../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import type { Claims } from '../../../../testing/claims.ts';
import { acts, describeClaims, openStage } from '../../../../testing/claims.ts';
import { startFavouriteCloud } from '../../../../testing/favourite-cloud/server.ts';

/** The service with a client of the cloud that may differ from the real one. */
const claims = (
  changed: (instances: Instances) => Partial<Instances> = () => ({}),
): Claims<FavouriteDBInstance, FancySQLInstance, FavouriteDBInstanceClass> => ({
  managed: FavouriteDBInstanceKind,
  claim: FancySQLInstanceKind,
  spec: { version: '5.7' },
  class: FavouriteDBInstanceClassKind,
  forProvider: { fancinessLevel: 3 },
  change: { fancinessLevel: 5 },
  async open() {
    const cloud = await startFavouriteCloud({ provisioningMs: 200, deletionMs: 200 });
    const { url, token } = cloud;
    const headers = { authorization: `Bearer ${token}` };
    return {
      stack: createFcpStack({
        createClient(options) {
          const client = favouriteCloudClient(options);
          return { ...client, instances: { ...client.instances, ...changed(client.instances) } };
        },
      }),
      credentials: JSON.stringify({ url, token }),
      externals: () => cloud.instances(),
      opens: ({ password }) => cloud.instances().some(({ item }) => item.password === password),
      async lose() {
        for (const { item } of cloud.instances()) {
          await fetch(`${url}/v1/instances/${item.name}`, { method: 'DELETE', headers });
        }
        while (cloud.instances().length > 0) await sleep(20);
      },
      close: () => cloud.stop(),
    };
  },
});

describeClaims(claims());

type Instances = FavouriteCloudClient['instances'];

/** Mistakes of a client, each with the act that finds it, and its message. */
const mistakes: Readonly<
  Record<string, { act: string; says: RegExp; changed: (instances: Instances) => Partial<Instances> }>
> = {
  'deletes nothing': {
    act: 'a deleted claim deletes its resource and its external resource, and no other',
    says: /^the resource was not deleted within 3 s; .*FavouriteDBInstance/,
    changed: () => ({ delete: async () => {} }),
  },
  'never sets another password': {
    act: 'a deleted Secret of the resource gets another password, which the claim has, too',
    says: /^after its Secret was deleted: the new details did not work within 3 s/,
    changed: (instances) => ({
      update: (name, { password: _dropped, ...change }, signal) => instances.update(name, change, signal),
    }),
  },
  'changes nothing': {
    act: 'a change of the resource reaches the external resource',
    says: /^the change did not show within 3 s/,
    changed: (instances) => ({ update: (name, _change, signal) => instances.update(name, {}, signal) }),
  },
};

describe('an act finds the mistake of a client', () => {
  for (const [mistake, { act, says, changed }] of Object.entries(mistakes)) {
    test(`a client that ${mistake} breaks its act`, async () => {
      const stage = await openStage({ ...claims(changed), limitMs: 3_000 });
      try {
        const [first, second, third] = acts;
        for (const before of [first, second, third]) await before?.play(stage);
        const found = acts.find(({ name }) => name === act);
        await assert.rejects(found?.play(stage) ?? assert.fail(act), { name: 'Broken', message: says });
      } finally {
        await stage.close();
      }
    });
  }
});
